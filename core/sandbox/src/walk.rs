//! The walk through a session's folders, and to what rules name elsewhere: what is hidden, and what stays as it is.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use mayi_call::DEPENDENCY_FOLDERS;

use crate::derive::{Derived, Ground};
use crate::git_settings::is_repository;
use crate::{Place, Profile};

/// What git alone reads, and what a repository has most of.
const OBJECTS: &str = "objects";

/// Maximum number of files and folders that are judged.
const MOST_ENTRIES: usize = 50_000;

/// How deep is looked below the beginning of a pattern.
const DEPTH_NAMED: usize = 3;

/// A name that no rule has in mind.
pub(crate) const ANY_NAME: &str = ".mayi-any-name";

/// A walk through folders.
pub(crate) struct Walk<'a> {
    ground: Ground<'a>,
    found: Derived,
    /// What was judged already, by the name it was reached by.
    seen: HashSet<PathBuf>,
    /// Folders that were gone through by a link: once each, since links may lead in a circle.
    linked: HashSet<PathBuf>,
    left: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(ground: Ground<'a>) -> Self {
        Self {
            ground,
            found: Derived::default(),
            seen: HashSet::new(),
            linked: HashSet::new(),
            left: MOST_ENTRIES,
        }
    }

    pub(crate) fn allow_writing(&mut self, path: &Path, because: &str) {
        let because = because.to_owned();
        self.found.profile.writable.push(Place { path: path.to_owned(), because });
    }

    /// Something that the rules say is not in the profile.
    pub(crate) fn leave_out(&mut self, what: String) {
        if !self.found.left_out.contains(&what) {
            self.found.left_out.push(what);
        }
    }

    /// A rule is about names that could be anywhere.
    pub(crate) fn hold_here_alone(&mut self, pattern: &str) {
        if !self.found.here_alone.iter().any(|known| known == pattern) {
            self.found.here_alone.push(pattern.to_owned());
        }
    }

    /// Judges a place that a rule names, and what is some way below it, wherever that is.
    pub(crate) fn judge_named(&mut self, path: &Path) {
        self.entry(path, DEPTH_NAMED, true);
    }

    /// Judges all that is in a folder of the session's.
    pub(crate) fn judge_folder(&mut self, folder: &Path) {
        self.folder(folder, usize::MAX);
    }

    pub(crate) fn into_derived(mut self) -> Derived {
        if self.left == 0 {
            self.found.incomplete = Some(format!(
                "there are more than {MOST_ENTRIES} files in the session's folders, and the rest was not looked at"
            ));
        }
        let Profile { hidden, read_only, .. } = &mut self.found.profile;
        for places in [hidden, read_only] {
            places.sort();
            places.dedup_by(|a, b| a.path == b.path);
        }
        self.found
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        // Somebody else's folder, or one that is gone: the command gets no further either.
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            self.entry(&path, depth, false);
        }
    }

    /// Judges a file or folder by the name it is reached by, and what is in it. What is held is where links lead.
    fn entry(&mut self, path: &Path, depth: usize, named: bool) {
        let Ok(found) = fs::metadata(path) else { return };
        let Ok(place) = path.canonicalize() else { return };
        if self.left == 0 || !self.seen.insert(path.to_owned()) {
            return;
        }
        self.left -= 1;
        // What holds for any name in a folder holds for the folder, and for what is made in it later. (Of a folder itself it would be
        // said what is somewhere in it.)
        let asked = if found.is_dir() { path.join(ANY_NAME) } else { path.to_owned() };
        if let Some(because) = self.ground.reason_against_reading(&asked) {
            // What this user can't read need not be hidden.
            if is_readable(&place) {
                self.found.profile.hidden.push(Place { path: place, because });
            }
            return;
        }
        let lies_in = |places: &[Place]| places.iter().any(|other| place.starts_with(&other.path));
        let writable = lies_in(&self.found.profile.writable) && !lies_in(&self.found.profile.read_only);
        if writable && let Some(because) = self.ground.reason_against_writing(&asked) {
            self.found.profile.read_only.push(Place { path: place.clone(), because });
        }
        let name = path.file_name().unwrap_or_default();
        if writable && found.is_dir() && !name.as_encoded_bytes().ends_with(b".git") && is_repository(&place)
        {
            // git takes it for one, whatever it is called, and runs what its settings say.
            for own in ["config", "hooks"].map(|own| place.join(own)).into_iter().filter(|own| own.exists()) {
                let because = "a folder laid out as a repository of git's".to_owned();
                self.found.profile.read_only.push(Place { path: own, because });
            }
        }
        let passed_over = DEPENDENCY_FOLDERS.iter().any(|folder| name == *folder)
            || (name == OBJECTS && path.parent().is_some_and(|parent| parent.ends_with(".git")));
        let by_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        if !found.is_dir() || (passed_over && !named) || (by_link && !self.linked.insert(place)) {
            return;
        }
        match depth.checked_sub(1) {
            Some(depth) => self.folder(path, depth),
            None => self.leave_out(format!("what is deeper than {}", path.display())),
        }
    }
}

#[cfg(unix)]
fn is_readable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}

#[cfg(not(unix))]
fn is_readable(_: &Path) -> bool {
    true
}
