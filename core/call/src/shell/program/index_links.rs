//! Folders that became links after git's index was made, as in an archive that holds a repository: `git grep` opens what the index
//! names, and so goes through them.

use std::path::{Path, PathBuf};

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::{pathspec, worktree};
use crate::LookupBudget;
use crate::shell::{Reach, Use};

/// Notes where such links lead. Where the index can't be told, or has too many folders, it could be anywhere.
pub(super) fn add_links_of_index(judge: &mut CommandAnalyzer<'_>, form: &CommandForm) {
    let Some(cwd) = judge.command.cwd.filter(|_| form.through_index) else { return };
    let top = cwd.join(pathspec::repository_top(judge));
    let looked = judge.command.looked;
    match judge.command.repositories.linked_folders(&top, || linked_folders(&top, looked.budget())) {
        Some(links) => {
            for link in links.iter() {
                judge.places.add_linked_path(link, Use::Read, Reach::All);
            }
        }
        None => judge.places.add_unknown_path(Use::Read),
    }
}

/// The folders below `top` in which its index has files and that are links now.
fn linked_folders(top: &Path, mut budget: LookupBudget) -> Option<Vec<PathBuf>> {
    let mut links = Vec::new();
    for folder in worktree::tracked_folders(top)? {
        budget.spend_name()?;
        if folder.is_symlink() {
            links.push(folder);
        }
    }
    Some(links)
}
