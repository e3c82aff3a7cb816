//! Contents by their digests: written once, whole or not at all.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::state::ContentDigest;

/// What is read at once, in bytes. A file that is no larger is looked up before anything is written.
const CHUNK: usize = 256 * 1024;

/// Why a file's content is not known.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// There is more of it than may be.
    TooLong,
    /// It can't be read.
    Source(io::Error),
    /// It can't be kept.
    Store(io::Error),
}

/// What reads files of a tree: to keep them, or to know them only.
pub(crate) trait Reader {
    /// Reads a file to its end, `most` bytes at the most: the content's digest, and number of bytes.
    fn read(&mut self, file: &mut File, most: u64) -> Result<(ContentDigest, u64), ReadError>;
}

/// Keeps nothing.
#[derive(Debug)]
pub(crate) struct DigestOnly;

impl Reader for DigestOnly {
    fn read(&mut self, file: &mut File, most: u64) -> Result<(ContentDigest, u64), ReadError> {
        Content::new(file, most).pass_on(|_| Ok(()))
    }
}

/// Reads nothing: for a walk that only finds out whether all is within the limits.
#[derive(Debug)]
pub(crate) struct SizeOnly;

impl Reader for SizeOnly {
    fn read(&mut self, file: &mut File, most: u64) -> Result<(ContentDigest, u64), ReadError> {
        let size = file.metadata().map_err(ReadError::Source)?.len();
        if size > most { Err(ReadError::TooLong) } else { Ok((ContentDigest::default(), size)) }
    }
}

/// A file that is read once, with a bound.
struct Content<'a> {
    file: &'a mut File,
    left: u64,
    size: u64,
    hash: Sha256,
}

impl<'a> Content<'a> {
    fn new(file: &'a mut File, most: u64) -> Self {
        Self { file, left: most, size: 0, hash: Sha256::new() }
    }

    /// The next bytes; none at the end.
    fn next<'b>(&mut self, buffer: &'b mut [u8]) -> Result<&'b [u8], ReadError> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read(rest) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Source(error)),
            }
        }
        let read = buffer.get(..filled).unwrap_or_default();
        let count = u64::try_from(filled).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(count).ok_or(ReadError::TooLong)?;
        self.size += count;
        self.hash.update(read);
        Ok(read)
    }

    fn pass_on(
        mut self,
        mut to: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(ContentDigest, u64), ReadError> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = self.next(&mut buffer)?;
            if read.is_empty() {
                return Ok(self.end());
            }
            to(read).map_err(ReadError::Store)?;
        }
    }

    fn end(self) -> (ContentDigest, u64) {
        (self.hash.finalize().into(), self.size)
    }
}

/// Where contents are kept.
#[derive(Clone, Debug)]
pub(crate) struct Objects {
    folder: PathBuf,
    /// Where contents are written before they get their names.
    scratch: PathBuf,
    /// Bytes that were written.
    pub(crate) added: u64,
}

impl Objects {
    pub(crate) fn new(folder: PathBuf, scratch: PathBuf) -> Self {
        Self { folder, scratch, added: 0 }
    }

    /// Where the content with this digest is, or would be.
    pub(crate) fn path_of(&self, digest: &ContentDigest) -> PathBuf {
        let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let (start, rest) = name.split_at(2);
        self.folder.join(start).join(rest)
    }

    /// Whether a content is kept whole. One whose file is shorter was written before the machine lost its power.
    fn has(&self, digest: &ContentDigest, size: u64) -> bool {
        fs::symlink_metadata(self.path_of(digest)).is_ok_and(|found| found.is_file() && found.len() == size)
    }

    /// A content, to be read.
    pub(crate) fn open(&self, digest: &ContentDigest) -> io::Result<File> {
        File::open(self.path_of(digest))
    }

    /// Writes a content to `to`, and makes sure that it is the one.
    ///
    /// # Errors
    /// If it is not kept, or was damaged.
    pub(crate) fn copy_to(&self, digest: &ContentDigest, to: &mut File) -> io::Result<()> {
        let mut from = self.open(digest)?;
        let found = if clone_content(&from, to) {
            to.rewind()?;
            DigestOnly.read(to, u64::MAX)
        } else {
            Content::new(&mut from, u64::MAX).pass_on(|bytes| to.write_all(bytes))
        };
        match found {
            Ok((found, _)) if found == *digest => Ok(()),
            Ok(_) => Err(io::Error::other("what was kept of it is damaged")),
            Err(ReadError::Source(error) | ReadError::Store(error)) => Err(error),
            Err(ReadError::TooLong) => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    fn unfinished(&self) -> Result<NamedTempFile, ReadError> {
        NamedTempFile::new_in(&self.scratch).map_err(ReadError::Store)
    }

    fn keep(&mut self, written: NamedTempFile, digest: &ContentDigest, size: u64) -> io::Result<()> {
        let path = self.path_of(digest);
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        written.persist(path).map_err(|error| error.error)?;
        self.added = self.added.saturating_add(size);
        Ok(())
    }
}

impl Reader for Objects {
    fn read(&mut self, file: &mut File, most: u64) -> Result<(ContentDigest, u64), ReadError> {
        let length = file.metadata().map_err(ReadError::Source)?.len();
        let small = length < u64::try_from(CHUNK).unwrap_or(u64::MAX);
        let (mut written, mut head) = (None, Vec::new());
        let (digest, size) = if small {
            let kept = &mut head;
            let mut keep = |bytes: &[u8]| {
                kept.extend_from_slice(bytes);
                Ok(())
            };
            Content::new(file, most).pass_on(&mut keep)?
        } else {
            let mut to = self.unfinished()?;
            let found = if clone_content(file, to.as_file()) {
                // What was cloned does not change any more.
                DigestOnly.read(to.as_file_mut(), most)?
            } else {
                Content::new(file, most).pass_on(|bytes| to.write_all(bytes))?
            };
            written = Some(to);
            found
        };
        if self.has(&digest, size) {
            return Ok((digest, size));
        }
        let written = match written {
            Some(written) => written,
            None => {
                let mut to = self.unfinished()?;
                to.write_all(&head).map_err(ReadError::Store)?;
                to
            }
        };
        self.keep(written, &digest, size).map_err(ReadError::Store)?;
        Ok((digest, size))
    }
}

/// Has the file system share the content of a file with another, where it can.
#[cfg(target_os = "linux")]
fn clone_content(from: &File, to: &File) -> bool {
    rustix::fs::ioctl_ficlone(to, from).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn clone_content(_: &File, _: &File) -> bool {
    false
}

/// Makes a folder that nobody else may look into, if there is none.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}
