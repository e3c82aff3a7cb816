//! Files that git takes into its store though no word names them: `git add .`, `git stash -u`, `git commit -a`.

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, OptionMeaning};
use super::repository;
use super::scan::Scan;
use super::worktree::{self, FileSelection};
use crate::shell::{OpenPath, Reach, Touch, TouchedPath, Use, Word};

/// Notes what would be taken in, for rules about reading: it can be shown, and pushed, from then on.
pub(super) fn add_taken_files(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    if !form.takes_in.holds(&scan.options) || scan.has_meaning(OptionMeaning::Query) {
        return;
    }
    let has = |names: &[&str]| names.iter().any(|name| scan.has_option(name));
    if has(&["-n", "--dry-run"]) && form.operands_take_in {
        return;
    }
    let Some(cwd) = judge.command.cwd.and_then(|cwd| judge.command.looked.resolved_folder(cwd)) else {
        return;
    };
    // Without a repository, one may be made before: `git init; git add .`.
    let top = repository::work_tree_top(&cwd).unwrap_or_else(|| cwd.clone());
    let (mut folders, mut whole) = (Vec::new(), !form.operands_take_in);
    let mut globs: Vec<&str> = Vec::new();
    for place in &scan.operands {
        match judge.words.get(*place).and_then(Word::literal) {
            // Names of files count as such; `:!x` leaves out some of the rest.
            Some(text) if form.operands_take_in => match worktree::existing_folder(&cwd, text) {
                Some(folder) => folders.push(folder),
                // A pattern of git's own, which reaches over slashes: a name that it gives ends as it does.
                None if text.contains(['*', '?', '[']) && !text.starts_with(':') => {
                    globs.push(text.rsplit(['*', '?', '[', ']']).next().unwrap_or_default());
                }
                None => whole |= text.starts_with(':'),
            },
            _ => {}
        }
    }
    let all = has(&["-A", "--all", "-u", "--update", "--no-ignore-removal", "--renormalize"]);
    whole |= scan.operands.is_empty() && all;
    let all_names = whole || !folders.is_empty();
    whole |= !globs.is_empty();
    if whole || folders.iter().any(|folder| top.starts_with(folder)) {
        folders = vec![top.clone()];
    }
    if folders.is_empty() {
        return;
    }
    let takes = match form.operands_take_in {
        true => FileSelection {
            untracked: !has(&["-u", "--update", "--renormalize"]),
            ignored: has(&["-f", "--force"]),
        },
        // `git stash -u` takes what is not tracked too, and `-a` what is ignored; `git commit -a` neither.
        false => {
            let stash = has(&["-u", "--include-untracked"]) || form.rewrites.holds(&scan.options);
            FileSelection { untracked: stash, ignored: stash && has(&["-a", "--all"]) }
        }
    };
    let touch = |path| Touch { path, how: Use::Read, reach: Reach::Said };
    match worktree::files_taken_in(&top, &folders, takes, judge.command.looked.budget()) {
        Some(files) => {
            for file in files {
                let Ok(below) = file.strip_prefix(&top) else { continue };
                let Some(text) = below.to_str() else { continue };
                if !all_names && !globs.iter().any(|end| text.ends_with(end)) {
                    continue;
                }
                judge
                    .places
                    .touches
                    .push(touch(TouchedPath::Known(judge.command.looked.path_access(&top, text))));
            }
        }
        None => {
            let given = "more files than can be looked at".to_owned();
            let path =
                OpenPath { given, pieces: vec![None], slashes: true, stays_below: false, looked_up: false };
            judge.places.touches.push(touch(TouchedPath::Open(path)));
        }
    }
}
