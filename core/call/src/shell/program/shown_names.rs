//! Names that begin with a dot and that a search shows all the same: a line of an ignore file takes them back in
//! (`!.env`), and such a line counts for more than the dot.

use std::fs;
use std::path::{Path, PathBuf};

use super::gitignore::{IgnoreRule, parse_rules, takes_in};
use super::repository;
use crate::LookupBudget;

/// The longest ignore file that is looked into.
const LONGEST: u64 = 256 * 1024;
/// As many names are told apart, and as deep.
const MOST: usize = 64;
const DEEPEST: usize = 64;

/// How a search passes by names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HiddenNames {
    /// What it calls the files that may take some of them back in.
    pub(super) files: &'static [String],
    /// It goes into folders that git's own such files leave out, too.
    pub(super) unsparing: bool,
    /// It follows links.
    pub(super) follows: bool,
}

/// What is there below `folder` and hidden, and taken back in by an ignore file in it, below it or above it; none if that
/// can't be told. Each such file counts, whichever comes before another to the program.
pub(super) fn shown_names(
    folder: &Path,
    hidden: HiddenNames,
    budget: &mut LookupBudget,
) -> Option<Vec<PathBuf>> {
    let mut walk = IgnoreWalk {
        hidden,
        files: Vec::new(),
        left_out: Vec::new(),
        in_repository: false,
        found: Vec::new(),
        budget,
    };
    let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
    above.reverse();
    for folder in above {
        walk.read_folder(folder)?;
    }
    walk.walk_folder(folder, 0)?;
    Some(walk.found)
}

struct IgnoreWalk<'a> {
    hidden: HiddenNames,
    /// The rules of each file that takes something back in.
    files: Vec<Vec<IgnoreRule>>,
    /// Those that git goes by in the repository at hand.
    left_out: Vec<IgnoreRule>,
    in_repository: bool,
    found: Vec<PathBuf>,
    budget: &'a mut LookupBudget,
}

impl IgnoreWalk<'_> {
    /// The files of one folder.
    fn read_folder(&mut self, folder: &Path) -> Option<()> {
        let names = self.hidden.files;
        if names.iter().any(|name| name == ".gitignore") && fs::symlink_metadata(folder.join(".git")).is_ok()
        {
            // What lies above a repository says nothing of what it leaves out.
            self.in_repository = true;
            self.left_out.clear();
            if let Some(git) = repository::git_folder_of(folder) {
                let common = repository::common_git_folder(&git).filter(|common| *common != git);
                for git in std::iter::once(git).chain(common) {
                    self.read_rules(&git.join("info/exclude"), folder, true)?;
                }
            }
        }
        names.iter().try_for_each(|name| self.read_rules(&folder.join(name), folder, name == ".gitignore"))
    }

    fn read_rules(&mut self, file: &Path, folder: &Path, of_git: bool) -> Option<()> {
        let Ok(meta) = fs::metadata(file) else { return Some(()) };
        (meta.is_file() && meta.len() <= LONGEST).then_some(())?;
        // What can't be read says nothing to the program either.
        let Ok(bytes) = fs::read(file) else { return Some(()) };
        let text = String::from_utf8_lossy(&bytes);
        // Here anything blank at the end counts for nothing, and not a space alone.
        let text: Vec<&str> = text.lines().map(str::trim_end).collect();
        let base = format!("{}/", folder.to_string_lossy().trim_end_matches('/'));
        let rules: Vec<IgnoreRule> = parse_rules(&text.join("\n"), &base).collect();
        if of_git && self.in_repository {
            self.left_out.extend(rules.iter().cloned());
        }
        if rules.iter().any(IgnoreRule::is_negation) {
            self.files.push(rules);
        }
        Some(())
    }

    /// None once there is too much.
    fn walk_folder(&mut self, folder: &Path, depth: usize) -> Option<()> {
        (depth <= DEEPEST).then_some(())?;
        let outside = (self.files.len(), self.left_out.clone(), self.in_repository);
        self.read_folder(folder)?;
        // What can't be opened can't be read by the command either.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            self.budget.spend_name()?;
            let Ok(kind) = entry.file_type() else { continue };
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if !is_hidden && !kind.is_dir() || kind.is_symlink() && !self.hidden.follows {
                continue;
            }
            let path = entry.path();
            let text = path.to_string_lossy();
            let taken_in = self.files.iter().any(|rules| takes_in(rules, &text, kind.is_dir()));
            if is_hidden && !taken_in {
                continue;
            }
            if is_hidden {
                (self.found.len() < MOST).then_some(())?;
                self.found.push(path.clone());
            }
            let spared = !self.hidden.unsparing && !taken_in;
            if kind.is_dir() && !(spared && super::gitignore::is_ignored(&self.left_out, &text, true)) {
                self.walk_folder(&path, depth + 1)?;
            }
        }
        self.files.truncate(outside.0);
        (self.left_out, self.in_repository) = (outside.1, outside.2);
        Some(())
    }
}
