//! The walk along a path that the kernel would take.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::Mount;

/// As many links as Linux follows before it gives up (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Room for the folders of a usual path.
const USUAL_DEPTH: usize = 8;

/// Folders in which every user keeps temporary files.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/run/user"];

/// What a walk finds.
#[derive(Debug, Default)]
pub(super) struct PathWalk {
    /// Where it ends.
    pub(super) path: PathBuf,
    /// The file there has another name too.
    pub(super) hard_linked: bool,
    /// Something is there.
    pub(super) there: bool,
    /// There is a folder.
    pub(super) folder: bool,
    /// Its file system.
    pub(super) mount: Option<Mount>,
    /// It lies in a folder for temporary files that only the user can look into.
    pub(super) private_temporary: bool,
}

/// Walks an absolute path as the kernel does: each component's link followed before the next one,
/// so that `link/..` is the parent of where the link leads. What does not exist yet is kept.
///
/// # Errors
/// More than 40 links, or a folder that can't be looked into.
pub fn resolve_path(path: &Path) -> io::Result<PathBuf> {
    walk_path(path).map(|walked| walked.path)
}

/// The folders that were reached, each with what was found there: nothing, if there is nothing.
struct PathSteps {
    path: PathBuf,
    found: Vec<Option<Metadata>>,
}

pub(super) fn walk_path(path: &Path) -> io::Result<PathWalk> {
    let mut todo: VecDeque<Cow<'_, OsStr>> = path_parts(path).collect();
    let mut steps = PathSteps::at_root(path);
    let mut followed = 0;
    while let Some(part) = todo.pop_front() {
        if *part == *".." {
            steps.go_up();
            continue;
        }
        // Below what is not there, nothing is.
        let there = steps.found.last().is_some_and(Option::is_some);
        steps.path.push(&part);
        if !there {
            steps.found.push(None);
            continue;
        }
        match std::fs::symlink_metadata(&steps.path) {
            // Each process has others of these: where they lead for this one says nothing.
            Ok(meta) if is_own_to_each_process(&steps.path) => steps.found.push(Some(meta)),
            Ok(meta) if meta.file_type().is_symlink() => {
                followed += 1;
                if followed > MOST_LINKS {
                    return Err(io::Error::other("too many links"));
                }
                let target = std::fs::read_link(&steps.path)?;
                steps.path.pop();
                if target.is_absolute() {
                    steps = PathSteps::at_root(&target);
                }
                for part in path_parts(&target).rev() {
                    todo.push_front(Cow::Owned(part.into_owned()));
                }
            }
            Ok(meta) => steps.found.push(Some(meta)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                steps.found.push(None);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(steps.into_walk())
}

/// Whether a link there leads each process elsewhere: `/proc/self/cwd`.
pub(super) fn is_own_to_each_process(path: &Path) -> bool {
    super::lies_in(path, Path::new("/proc"))
}

impl PathSteps {
    fn at_root(whole: &Path) -> Self {
        let mut path = PathBuf::with_capacity(whole.as_os_str().len());
        path.extend(
            whole.components().take_while(|c| matches!(c, Component::Prefix(_) | Component::RootDir)),
        );
        let mut found = Vec::with_capacity(USUAL_DEPTH);
        found.push(std::fs::symlink_metadata(&path).ok());
        Self { path, found }
    }

    fn go_up(&mut self) {
        if self.found.len() > 1 {
            self.found.pop();
            self.path.pop();
        }
    }

    /// What is there, with its path: from the last one up.
    fn existing_steps(&self) -> impl Iterator<Item = (&Path, &Metadata)> {
        let steps = self.path.ancestors().zip(self.found.iter().rev());
        steps.filter_map(|(path, found)| Some((path, found.as_ref()?)))
    }

    fn into_walk(self) -> PathWalk {
        let mut mount: Option<(&Path, u64)> = None;
        for (path, meta) in self.existing_steps() {
            let device = system::device_number(meta);
            if mount.is_some_and(|(_, below)| below != device) {
                break;
            }
            mount = Some((path, device));
        }
        let last = self.found.last().and_then(Option::as_ref);
        PathWalk {
            hard_linked: last.is_some_and(|meta| meta.is_file() && system::link_count(meta) > 1),
            there: last.is_some(),
            folder: last.is_some_and(Metadata::is_dir),
            mount: mount.map(|(at, device)| Mount { at: at.to_owned(), device }),
            private_temporary: in_temporary(&self.path)
                && self.existing_steps().any(|(path, meta)| system::private_temporary(path, meta)),
            path: self.path,
        }
    }
}

/// Whether a path is a folder in which every user keeps temporary files.
#[cfg(unix)]
pub(super) fn is_temporary(path: &Path) -> bool {
    TEMPORARY.iter().any(|at| path.as_os_str() == *at)
}

/// Whether a path lies in such a folder.
fn in_temporary(path: &Path) -> bool {
    TEMPORARY.iter().any(|at| super::lies_in(path, Path::new(at)))
}

fn path_parts(path: &Path) -> impl DoubleEndedIterator<Item = Cow<'_, OsStr>> {
    path.components().filter_map(|component| match component {
        Component::Normal(_) | Component::ParentDir => Some(Cow::Borrowed(component.as_os_str())),
        _ => None,
    })
}

#[cfg(unix)]
mod system {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    pub(super) fn link_count(meta: &Metadata) -> u64 {
        meta.nlink()
    }

    pub(super) fn device_number(meta: &Metadata) -> u64 {
        meta.dev()
    }

    /// A folder right below one for temporary files, the user's own, that nobody else can enter.
    pub(super) fn private_temporary(path: &Path, meta: &Metadata) -> bool {
        path.parent().is_some_and(super::is_temporary)
            && meta.is_dir()
            && meta.uid() == rustix::process::geteuid().as_raw()
            && meta.mode() & 0o077 == 0
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::Metadata;

    pub(super) fn link_count(_: &Metadata) -> u64 {
        1
    }

    pub(super) fn device_number(_: &Metadata) -> u64 {
        0
    }

    pub(super) fn private_temporary(_: &std::path::Path, _: &Metadata) -> bool {
        false
    }
}
