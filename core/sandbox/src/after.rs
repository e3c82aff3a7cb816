//! What a confined command leaves: protected places that were not there before it ran. By their names programs run later what is in
//! them, and no mount holds a name that is not there. They are taken back: moved to a folder of mayi's.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2, renameat};

use crate::caches::make_private;
use crate::derive::{Derived, Ground, Reading};
use crate::git_settings::{is_repository, put_through, read_settings, refused_keys};
use crate::{Place, Profile};

/// Maximum number of places that are taken back one by one: more of them are named, and stay.
const MOST: usize = 256;

/// Maximum number of files that are looked at in folders of git.
const MOST_FILES: usize = 20_000;

/// What was protected before a command ran.
#[derive(Clone, Debug, Default)]
pub struct Before {
    protected: BTreeSet<PathBuf>,
}

impl Before {
    /// What a profile protects.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let protected = profile.read_only.iter().chain(&profile.copied).chain(&profile.hidden);
        Self { protected: protected.map(|place| place.path.clone()).collect() }
    }

    fn has(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.protected.contains(folder))
    }
}

impl Ground<'_> {
    /// Takes back what is protected now and was not there `before`, into a folder below `data`, and says so, a line each.
    #[must_use]
    pub fn take_back(&self, before: &Before, data: &Path) -> Vec<String> {
        let Derived { profile, incomplete, .. } = self.profile(Reading::Everything);
        let mut told: Vec<String> =
            incomplete.into_iter().map(|why| format!("not all was looked at after it: {why}")).collect();
        let made = profile.read_only.iter().chain(&profile.copied).filter(|place| !before.has(&place.path));
        let mut left = MOST_FILES;
        let mut found = Vec::new();
        for place in made {
            judge(place, &mut found, &mut left);
        }
        if left == 0 {
            told.push(format!(
                "there are more than {MOST_FILES} new files of git, and the rest was not looked at"
            ));
        }
        let taken = found.len().min(MOST);
        if found.len() > taken {
            told.push(format!(
                "{} more protected places were made, and are still there",
                found.len() - taken
            ));
        }
        let mut folder = None;
        for (path, because) in found.into_iter().take(taken) {
            let root = profile.writable.iter().find(|root| path.starts_with(&root.path));
            let done = root.ok_or_else(|| io::Error::other("it is in no folder of the session's")).and_then(
                |root| {
                    let folder = match &folder {
                        Some(folder) => folder,
                        None => folder.insert(own_folder(data)?),
                    };
                    take(&root.path, &path, folder)
                },
            );
            let path = path.display();
            told.push(match done {
                Ok(to) => format!(
                    "{path} was made by the command and taken back ({because}): it is in {} now",
                    to.display()
                ),
                Err(error) => format!(
                    "{path} was made by the command ({because}), and could not be taken back: {error}"
                ),
            });
        }
        told
    }
}

fn own_folder(data: &Path) -> io::Result<PathBuf> {
    let all = data.join("sandbox/taken-back");
    make_private(&all)?;
    Ok(tempfile::Builder::new().prefix("").rand_bytes(12).tempdir_in(all)?.keep())
}

/// What of a place that was made is to be taken back. Of what git makes itself, that is what git would run.
fn judge(place: &Place, found: &mut Vec<(PathBuf, String)>, left: &mut usize) {
    let in_git = place.path.components().any(|part| part.as_os_str().as_encoded_bytes().ends_with(b".git"))
        || place.path.ancestors().skip(1).any(is_repository);
    if !in_git {
        found.push((place.path.clone(), place.because.clone()));
        return;
    }
    let mut paths = vec![place.path.clone()];
    while let Some(path) = paths.pop() {
        let Some(now) = left.checked_sub(1) else { return };
        *left = now;
        let Ok(kind) = fs::symlink_metadata(&path) else { continue };
        if kind.is_dir() {
            paths.extend(
                fs::read_dir(&path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())),
            );
        } else if let Some(because) = objection(&path) {
            found.push((path, because));
        }
    }
}

/// Why a file in a folder of git may not stay.
fn objection(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str().unwrap_or("?");
    let parent = path.parent()?;
    match name {
        "config" | "config.worktree" => match read_settings(path).and_then(|text| refused_keys(&text)) {
            Ok(keys) if keys.is_empty() => None,
            Ok(keys) => Some(format!("git runs {}", keys.join(", "))),
            Err(error) => Some(error.to_string()),
        },
        // What leads a working tree to its repository, which it is in.
        "commondir" => {
            let leads = read_settings(path).ok().and_then(|text| String::from_utf8(text).ok());
            let leads = leads.and_then(|to| parent.join(to.trim_end_matches('\n')).canonicalize().ok());
            let own = leads.is_some_and(|to| to != *parent && parent.starts_with(&to) && is_repository(&to));
            (!own).then(|| "git takes settings and hooks from where it leads".to_owned())
        }
        "git-rebase-todo" | "git-rebase-todo.backup" | "todo" => {
            let text = read_settings(path).unwrap_or_else(|_| b"exec".to_vec());
            let runs = |line: &[u8]| {
                line.trim_ascii_start().starts_with(b"x ") || line.trim_ascii_start().starts_with(b"exec")
            };
            text.split(|byte| *byte == b'\n').any(runs).then(|| "git runs lines of it".to_owned())
        }
        "alternates" | "attributes" => Some("git follows it".to_owned()),
        // git's own examples, which it does not run.
        _ if name.ends_with(".sample") => None,
        _ => parent.components().any(|part| part.as_os_str() == "hooks").then(|| "git runs it".to_owned()),
    }
}

/// Moves a place into a folder. Folders on the way to it that have become links since are not followed.
fn take(root: &Path, path: &Path, folder: &Path) -> io::Result<PathBuf> {
    let refuse = || io::Error::other("it has no name");
    let (name, parent) = (path.file_name().ok_or_else(refuse)?, path.parent().ok_or_else(refuse)?);
    let below = parent.strip_prefix(root).map_err(|_| refuse())?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, root, flags | OFlags::NOFOLLOW, Mode::empty())?;
    let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    let parent =
        openat2(&root, below, flags, Mode::empty(), ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS)?;
    let own = tempfile::Builder::new().prefix("").rand_bytes(6).tempdir_in(folder)?.keep();
    let settings = name == "config" || name == "config.worktree";
    let text = if settings { read_settings(path).ok() } else { None };
    match renameat(&parent, name, CWD, own.join(name)) {
        Err(rustix::io::Errno::XDEV) => move_by_program(&parent, name, &own)?,
        done => done?,
    }
    if let Some(text) = text {
        // What git does not run of it stays.
        put_through(path, b"", &text)?;
    }
    Ok(own.join(name))
}

/// To another file system.
fn move_by_program(parent: &OwnedFd, name: &std::ffi::OsStr, to: &Path) -> io::Result<()> {
    let mut command = Command::new("mv");
    command.arg("--").arg(name).arg(to).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.current_dir(format!("/proc/self/fd/{}", parent.as_raw_fd()));
    if command.status()?.success() { Ok(()) } else { Err(io::Error::other("mv could not move it")) }
}
