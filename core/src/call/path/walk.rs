//! The walk along a path that the kernel would take.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows before it gives up (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Folders in which every user keeps temporary files.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/run/user"];

/// What a walk finds.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Where it ends.
    pub(super) path: PathBuf,
    /// The file there has another name too.
    pub(super) hard_linked: bool,
    /// There is a folder.
    pub(super) folder: bool,
    /// The folder where its file system begins.
    pub(super) mount: PathBuf,
    /// It lies in a folder for temporary files that only the user can look into.
    pub(super) private_temporary: bool,
}

/// One step of the walk: a folder that was reached.
struct Step {
    path: PathBuf,
    /// None if there is nothing.
    found: Option<Metadata>,
}

/// Walks an absolute path as the kernel does: each component's link followed before the next one,
/// so that `link/..` is the parent of where the link leads. What does not exist yet is kept.
///
/// # Errors
/// More than 40 links, or a folder that can't be looked into.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    walk(path).map(|walked| walked.path)
}

pub(super) fn walk(path: &Path) -> io::Result<Walked> {
    let mut todo: VecDeque<OsString> = parts(path);
    let mut steps = vec![begin(path)];
    let mut followed = 0;
    while let Some(part) = todo.pop_front() {
        if part == ".." {
            if steps.len() > 1 {
                steps.pop();
            }
            continue;
        }
        let Some(at) = steps.last() else { break };
        let next = at.path.join(&part);
        if at.found.is_none() {
            // Below what is not there, nothing is.
            steps.push(Step { path: next, found: None });
            continue;
        }
        match std::fs::symlink_metadata(&next) {
            Ok(meta) if meta.file_type().is_symlink() => {
                followed += 1;
                if followed > MOST_LINKS {
                    return Err(io::Error::other("too many links"));
                }
                let target = std::fs::read_link(&next)?;
                if target.is_absolute() {
                    steps = vec![begin(&target)];
                }
                for part in parts(&target).into_iter().rev() {
                    todo.push_front(part);
                }
            }
            Ok(meta) => steps.push(Step { path: next, found: Some(meta) }),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                steps.push(Step { path: next, found: None });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found(steps))
}

fn found(steps: Vec<Step>) -> Walked {
    let mut walked = Walked { private_temporary: system::private_temporary(&steps), ..Walked::default() };
    let mut device = None;
    for step in &steps {
        let Some(meta) = &step.found else { break };
        let own = Some(system::device(meta));
        if device != own {
            device = own;
            walked.mount.clone_from(&step.path);
        }
    }
    if let Some(Step { path, found }) = steps.into_iter().next_back() {
        walked.folder = found.as_ref().is_some_and(Metadata::is_dir);
        walked.hard_linked = found.is_some_and(|meta| meta.is_file() && system::links(&meta) > 1);
        walked.path = path;
    }
    walked
}

fn begin(path: &Path) -> Step {
    let path: PathBuf =
        path.components().take_while(|c| matches!(c, Component::Prefix(_) | Component::RootDir)).collect();
    Step { found: std::fs::symlink_metadata(&path).ok(), path }
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            _ => None,
        })
        .collect()
}

#[cfg(unix)]
mod system {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::{Step, TEMPORARY};

    pub(super) fn links(meta: &Metadata) -> u64 {
        meta.nlink()
    }

    pub(super) fn device(meta: &Metadata) -> u64 {
        meta.dev()
    }

    /// A folder right below one for temporary files, the user's own, that nobody else can enter.
    pub(super) fn private_temporary(steps: &[Step]) -> bool {
        let own = |meta: &Metadata| {
            meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o077 == 0
        };
        steps.iter().any(|step| {
            step.path.parent().is_some_and(|parent| TEMPORARY.iter().any(|at| parent == Path::new(at)))
                && step.found.as_ref().is_some_and(own)
        })
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::Metadata;

    pub(super) fn links(_: &Metadata) -> u64 {
        1
    }

    pub(super) fn device(_: &Metadata) -> u64 {
        0
    }

    pub(super) fn private_temporary(_: &[super::Step]) -> bool {
        false
    }
}
