//! What git tracks, as far as that decides which folders of dependencies are kept: only those that git has something in.
//!
//! The index is read, and git is not started: what it would run is up to the repository.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::rc::Rc;

use mayi_call::DEPENDENCY_FOLDERS;
use mayi_call::shell::index_paths;
use rustix::fs::{Mode, OFlags, openat};

use crate::folder::Folder;

/// Maximum size of an index that is read, in bytes. What a larger one tracks is not known.
const LONGEST_INDEX: u64 = 64 * 1024 * 1024;

/// Maximum size of a file that says where a repository is, in bytes.
const LONGEST_POINTER: u64 = 4096;

/// Maximum number of parts that an index may have been split into.
const MOST_SHARED: usize = 16;

/// The repository that a folder lies in.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// Number of bytes of the working tree's absolute path.
    top: usize,
    /// Folders that git has something in, as paths from the top; none: not known, and then every folder might be one.
    tracked: Option<Rc<HashSet<String>>>,
}

impl Repository {
    /// The repository whose working tree begins at `folder`, whose absolute path is `path`.
    pub(crate) fn at(folder: &Folder, path: &[u8]) -> Self {
        let git = folder.open_folder(b".git").or_else(|_| pointed_to(folder));
        let tracked = git.ok().and_then(|git| tracked_folders(&git)).map(Rc::new);
        Self { top: path.len(), tracked }
    }

    /// The repository that a root lies in without being its top.
    pub(crate) fn around(root: &Path) -> Option<Self> {
        root.ancestors().skip(1).find(|above| above.join(".git").symlink_metadata().is_ok()).map(|above| {
            let none = Self { top: above.as_os_str().len(), tracked: None };
            Folder::open(above).map_or(none, |folder| Self::at(&folder, above.as_os_str().as_bytes()))
        })
    }

    /// Whether a folder with this absolute path holds what others have made, and nothing that git knows.
    pub(crate) fn passes_over(&self, path: &[u8], name: &[u8]) -> bool {
        if !DEPENDENCY_FOLDERS.iter().any(|folder| folder.as_bytes() == name) {
            return false;
        }
        let below = path.get(self.top..).unwrap_or_default();
        let below = String::from_utf8_lossy(below.strip_prefix(b"/").unwrap_or(below));
        self.tracked.as_ref().is_some_and(|tracked| !tracked.contains(below.as_ref()))
    }
}

/// Whether this is where git keeps what it has stored: `objects`, in `.git` or below it.
pub(crate) fn is_object_folder(path: &[u8], name: &[u8]) -> bool {
    name == b"objects" && path.split(|byte| *byte == b'/').any(|part| part == b".git")
}

/// The git folder that a file `.git` names, as in worktrees and sub-modules.
fn pointed_to(folder: &Folder) -> io::Result<Folder> {
    let (file, _) = folder.open_file(b".git")?;
    let text = read_bounded(file, LONGEST_POINTER)?;
    let named = text.strip_prefix(b"gitdir: ").ok_or_else(|| io::Error::other("it names no repository"))?;
    let named = named.strip_suffix(b"\n").unwrap_or(named);
    let absolute = named.first() == Some(&b'/');
    let path = Path::new(OsStr::from_bytes(named));
    if absolute {
        return Folder::open(path);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Folder::from(openat(folder, path, flags, Mode::empty())?))
}

fn tracked_folders(git: &Folder) -> Option<HashSet<String>> {
    let mut found = HashSet::new();
    let shared = git.names(|name| name.starts_with(b"sharedindex.")).ok()?;
    if shared.len() > MOST_SHARED {
        return None;
    }
    for name in std::iter::once(b"index".to_vec()).chain(shared) {
        let file = match git.open_file(&name) {
            Ok((file, _)) => file,
            // A repository without a commit has none yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => return None,
        };
        let index = read_bounded(file, LONGEST_INDEX).ok()?;
        for path in index_paths(&index)? {
            // A sub-module is a folder that git has something in, too.
            let mut folder = path.as_str();
            while found.insert(folder.to_owned()) {
                match folder.rsplit_once('/') {
                    Some((above, _)) => folder = above,
                    None => break,
                }
            }
        }
    }
    Some(found)
}

fn read_bounded(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
        return Err(io::Error::other("it is too long"));
    }
    Ok(bytes)
}
