//! Folders that became links after git's index was made, as in an archive that holds a repository: `git grep` opens what the index
//! names, and so goes through them.

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::{pathspec, worktree};
use crate::LookupBudget;
use crate::shell::{Reach, Use};

/// Notes where such links lead. Where the index can't be told, or has too many folders, it could be anywhere.
pub(super) fn add_links_of_index(judge: &mut CommandAnalyzer<'_>, form: &CommandForm) {
    let Some(cwd) = judge.command.cwd.filter(|_| form.through_index) else { return };
    let top = cwd.join(pathspec::repository_top(judge));
    let Some(folders) = worktree::tracked_folders(&top) else {
        return judge.places.add_unknown_path(Use::Read);
    };
    let mut budget = LookupBudget::new();
    for folder in folders {
        if budget.spend_name().is_none() {
            return judge.places.add_unknown_path(Use::Read);
        }
        if folder.is_symlink() {
            judge.places.add_linked_path(&folder, Use::Read, Reach::All);
        }
    }
}
