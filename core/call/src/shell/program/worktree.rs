//! What `git add .` and its like would take in: files that are not tracked and not ignored, and tracked ones that have
//! changed. Looked up when the call is judged, up to a bound.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::gitignore::{self, IgnoreRule};
use super::gitlinks::{IndexEntry, gitlink_paths, tracked_entries};
use super::repository;
use crate::{LookupBudget, home_folder};

/// The longest file of patterns, and the longest index, that are looked into.
const LONGEST: u64 = 256 * 1024;
const LONGEST_INDEX: u64 = 64 * 1024 * 1024;
const DEEPEST: usize = 64;
/// As many files are told apart.
const MOST: usize = 2000;

/// What is taken in.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileSelection {
    /// Files that are not tracked yet.
    pub(super) untracked: bool,
    /// Also those that are ignored.
    pub(super) ignored: bool,
}

/// The files below `folder` that the index of its repository knows; none where that is not understood, or git could take
/// another one.
pub(super) fn tracked_files(folder: &Path) -> Option<Vec<PathBuf>> {
    let top = repository::work_tree_top(folder)?;
    let git = repository::git_folder_of(&top)?;
    // Git passes by a folder that lacks these, and looks further up.
    let whole = git.join("HEAD").exists()
        && (git.join("commondir").exists() || git.join("objects").is_dir() && git.join("refs").is_dir());
    let file = git.join("index");
    if !whole || fs::metadata(&file).ok()?.len() > LONGEST_INDEX {
        return None;
    }
    let index = fs::read(file).ok()?;
    let names = tracked_entries(&index)?.into_iter().map(|entry| entry.name).chain(gitlink_paths(&index)?);
    let plain = |name: &str| {
        name.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
    };
    let mut found = Vec::new();
    for name in names {
        // What is no text in UTF-8 is no name that could be looked up.
        if !plain(&name) || name.contains('\u{fffd}') {
            return None;
        }
        found.push(top.join(name));
    }
    found.retain(|path| path.starts_with(folder));
    (found.len() <= MOST).then_some(found)
}

/// The folders below `top` in which its index has files, also as a split index has them; none where that is not understood, and
/// no folder where there is no index.
pub(super) fn tracked_folders(top: &Path) -> Option<HashSet<PathBuf>> {
    let Some(git) = repository::git_folder_of(top) else { return Some(HashSet::new()) };
    let shared = fs::read_dir(&git).into_iter().flatten().flatten().map(|entry| entry.path());
    let shared = shared.filter(|path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"sharedindex."))
    });
    let mut folders = HashSet::new();
    for file in std::iter::once(git.join("index")).chain(shared) {
        let Ok(known) = fs::metadata(&file) else { continue };
        if known.len() > LONGEST_INDEX {
            return None;
        }
        for entry in tracked_entries(&fs::read(&file).ok()?)? {
            let mut folder = Path::new(&entry.name);
            while let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty()) {
                if !folders.insert(top.join(above)) {
                    break;
                }
                folder = above;
            }
        }
    }
    Some(folders)
}

/// The files below `folders` that would be taken in; none if there are too many to look at.
pub(super) fn files_taken_in(
    top: &Path,
    folders: &[PathBuf],
    takes: FileSelection,
    mut budget: LookupBudget,
) -> Option<Vec<PathBuf>> {
    // Nothing is read where nothing may be looked at any more.
    budget.spend_name()?;
    let git = repository::git_folder_of(top);
    let index = git.as_ref().map(|git| git.join("index"));
    let index = index.filter(|index| fs::metadata(index).is_ok_and(|meta| meta.len() <= LONGEST_INDEX));
    let tracked = index.and_then(|index| tracked_entries(&fs::read(index).ok()?)).unwrap_or_default();
    let mut walk = WorkTreeWalk {
        top,
        takes,
        known: HashSet::new(),
        rules: Vec::new(),
        found: Vec::new(),
        budget,
        git: true,
    };
    for entry in &tracked {
        walk.budget.spend_name()?;
        let path = top.join(&entry.name);
        if folders.iter().any(|folder| path.starts_with(folder)) && has_changed(&path, entry) {
            walk.found.push(path);
        }
    }
    if takes.untracked {
        walk.known = tracked.into_iter().map(|entry| entry.name).collect();
        let global = home_folder().map(|home| home.join(".config/git/ignore"));
        for file in global.into_iter().chain(git.map(|git| git.join("info/exclude"))) {
            walk.read_rules(&file, "");
        }
        for folder in folders {
            let kept = walk.rules.len();
            let Ok(below) = folder.strip_prefix(top) else { continue };
            let mut at = top.to_owned();
            let mut left_out = false;
            for name in below {
                walk.read_ignore_patterns(&at);
                at.push(name);
                left_out |= walk.leaves_out(&at, true);
            }
            if !left_out {
                walk.walk_folder(folder, 0)?;
            }
            walk.rules.truncate(kept);
        }
    }
    (walk.found.len() <= MOST).then_some(walk.found)
}

/// The files below a folder that is sent or packed as a whole, for an image without what its `.dockerignore` leaves out;
/// none if there are too many to look at. What git itself keeps there is passed by.
pub(super) fn files_below(folder: &Path, image: bool, budget: LookupBudget) -> Option<Vec<PathBuf>> {
    let mut walk = WorkTreeWalk {
        top: folder,
        takes: FileSelection { untracked: true, ignored: false },
        known: HashSet::new(),
        rules: Vec::new(),
        found: Vec::new(),
        budget,
        git: false,
    };
    // Beside a file for images there may be one of its own, which counts instead.
    if image && !folder.join("Dockerfile.dockerignore").exists() {
        walk.read_rules(&folder.join(".dockerignore"), "");
        walk.rules.iter_mut().for_each(IgnoreRule::anchor);
    }
    walk.walk_folder(folder, 0)?;
    (walk.found.len() <= MOST).then_some(walk.found)
}

/// The folder that is there by this name, links resolved.
pub(super) fn existing_folder(cwd: &Path, text: &str) -> Option<PathBuf> {
    let named = (!text.is_empty()).then(|| cwd.join(text).canonicalize().ok()).flatten();
    named.filter(|path| path.is_dir())
}

/// Whether a tracked file is another than the index knows.
#[cfg(unix)]
fn has_changed(path: &Path, entry: &IndexEntry) -> bool {
    use std::os::unix::fs::MetadataExt;

    fs::symlink_metadata(path).is_ok_and(|meta| {
        let (seconds, rest) = entry.modified;
        let nanos = u64::try_from(meta.mtime_nsec()).unwrap_or_default();
        // An index keeps 32 bits of each.
        let same = |one: u64, other: u64| one & 0xffff_ffff == other & 0xffff_ffff;
        let on_time = same(meta.mtime().cast_unsigned(), seconds) && (rest == 0 || same(nanos, rest));
        meta.is_file() && !(on_time && same(meta.len(), entry.size))
    })
}

/// Elsewhere the index holds other numbers: it may always be another.
#[cfg(not(unix))]
fn has_changed(path: &Path, _: &IndexEntry) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

struct WorkTreeWalk<'a> {
    top: &'a Path,
    takes: FileSelection,
    /// Names that are tracked.
    known: HashSet<String>,
    rules: Vec<IgnoreRule>,
    found: Vec<PathBuf>,
    budget: LookupBudget,
    /// It is read as git does.
    git: bool,
}

impl WorkTreeWalk<'_> {
    /// The rules of a file, which is no link.
    fn read_rules(&mut self, file: &Path, base: &str) {
        let plain = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
        if let Some(text) = plain.then(|| fs::read_to_string(file).ok()).flatten() {
            self.rules.extend(gitignore::parse_rules(&text, base));
        }
    }

    fn read_ignore_patterns(&mut self, folder: &Path) {
        let base = self.relative_name(folder);
        let base = if base.is_empty() { base } else { base + "/" };
        self.read_rules(&folder.join(".gitignore"), &base);
    }

    fn relative_name(&self, path: &Path) -> String {
        path.strip_prefix(self.top).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn leaves_out(&self, path: &Path, folder: bool) -> bool {
        if self.takes.ignored {
            return false;
        }
        if self.git {
            return gitignore::is_ignored(&self.rules, &self.relative_name(path), folder);
        }
        // Here a file may be taken back in out of a folder that is left out.
        let kept = folder && self.rules.iter().any(IgnoreRule::is_negation);
        !kept && gitignore::is_ignored_below(&self.rules, &self.relative_name(path), folder)
    }

    /// None once there is too much.
    fn walk_folder(&mut self, folder: &Path, depth: usize) -> Option<()> {
        (depth <= DEEPEST && self.found.len() <= MOST).then_some(())?;
        let Ok(entries) = fs::read_dir(folder) else { return Some(()) };
        let kept = self.rules.len();
        if self.git {
            self.read_ignore_patterns(folder);
        }
        for entry in entries.flatten() {
            self.budget.spend_name()?;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if entry.file_name() == ".git" || self.leaves_out(&path, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                // Of a repository below, git takes no more than its commit.
                if !self.git || fs::symlink_metadata(path.join(".git")).is_err() {
                    self.walk_folder(&path, depth + 1)?;
                }
            } else if kind.is_file() && !self.known.contains(&self.relative_name(&path)) {
                self.found.push(path);
            }
        }
        self.rules.truncate(kept);
        Some(())
    }
}
