//! Folders and files by their descriptors: no step follows a link, whoever replaces what meanwhile.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};

use crate::state::{Stamp, Time};

/// What the system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) kind: FileType,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) modified: Time,
    pub(crate) names: u64,
    pub(crate) stamp: Stamp,
}

/// The fields of `stat` have other types on each system.
fn number<A: TryInto<B>, B: Default>(from: A) -> B {
    from.try_into().unwrap_or_default()
}

impl From<Stat> for Facts {
    fn from(stat: Stat) -> Self {
        Self {
            kind: FileType::from_raw_mode(stat.st_mode),
            mode: number::<_, u32>(stat.st_mode) & 0o7777,
            owner: (stat.st_uid, stat.st_gid),
            modified: (number(stat.st_mtime), number(stat.st_mtime_nsec)),
            names: number(stat.st_nlink),
            stamp: Stamp {
                device: number(stat.st_dev),
                inode: number(stat.st_ino),
                changed: (number(stat.st_ctime), number(stat.st_ctime_nsec)),
                size: number(stat.st_size),
            },
        }
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A file that is opened to be read: a pipe that takes its place is not waited for.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A folder that is held open.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens a root. Links above it are followed: they are nobody's whom a snapshot is taken for.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, FOLDER, Mode::empty())?))
    }

    /// Opens a folder in this one.
    pub(crate) fn open_folder(&self, name: &[u8]) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, FOLDER, Mode::empty())?))
    }

    /// Opens a folder some way below this one.
    pub(crate) fn open_below(self, path: &[u8]) -> io::Result<Self> {
        let mut folder = self;
        for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            folder = folder.open_folder(name)?;
        }
        Ok(folder)
    }

    /// Opens a plain file, and nothing else.
    pub(crate) fn open_file(&self, name: &[u8]) -> io::Result<(File, Facts)> {
        let file = openat(&self.0, name, FILE, Mode::empty())?;
        let facts = Facts::from(fstat(&file)?);
        if facts.kind != FileType::RegularFile {
            return Err(io::Error::other("it is no plain file any more"));
        }
        Ok((file.into(), facts))
    }

    /// What lies there by this name, without following a link.
    pub(crate) fn facts_of(&self, name: &[u8]) -> io::Result<Facts> {
        Ok(statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.into())
    }

    /// Of the folder itself.
    pub(crate) fn facts(&self) -> io::Result<Facts> {
        Ok(fstat(&self.0)?.into())
    }

    /// What a link says.
    pub(crate) fn link_text(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        Ok(readlinkat(&self.0, name, Vec::new())?.into_bytes())
    }

    /// The names in it, those that `wanted` takes, in their order. The first error ends it: a folder is read or it is not.
    pub(crate) fn names(&self, mut wanted: impl FnMut(&[u8]) -> bool) -> io::Result<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") && wanted(name) {
                names.push(name.to_vec());
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// What the system says of an open file.
pub(crate) fn facts_of_file(file: &File) -> io::Result<Facts> {
    Ok(fstat(file)?.into())
}

impl From<OwnedFd> for Folder {
    fn from(folder: OwnedFd) -> Self {
        Self(folder)
    }
}
