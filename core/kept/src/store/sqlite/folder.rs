//! The folder that it is all in: made, looked at, and its files opened without following links.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::error;
use crate::record::{Key, decode_hex, encode_hex};
use crate::store::StoreError;

/// The names of what is in the folder.
pub(super) mod name {
    pub(crate) const STORE: &str = "store.db";
    pub(crate) const KEY: &str = "key";
    pub(crate) const HEAD: &str = "head";
    pub(crate) const LOCK: &str = "lock";
    pub(crate) const OWNERS: &str = "owners";
    pub(crate) const SURFACES: &str = "surfaces";
    pub(crate) const ARCHIVE: &str = "archive";
}

/// Makes the folder if it is not there, for nobody else to look into, and returns its place without links.
pub(super) fn prepare_folder(folder: &Path) -> Result<PathBuf, StoreError> {
    make_folder(folder).map_err(|error| error::from_io(folder, &error))?;
    let place = folder.canonicalize().map_err(|error| error::from_io(folder, &error))?;
    let meta = place.metadata().map_err(|error| error::from_io(&place, &error))?;
    check_safe(&place, &meta)?;
    Ok(place)
}

/// Makes a folder, and those above it, for nobody else to look into.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenMode {
    /// To read; it must be there.
    Read,
    /// To read and write; it must be there.
    Write,
    /// To read and write; made if it is not there.
    Make,
}

/// Opens a file of the folder's, if it is the user's alone. A link in its place is not followed. `None`: there is no
/// such file.
pub(super) fn open(path: &Path, opening: OpenMode) -> Result<Option<File>, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(opening != OpenMode::Read).create(opening == OpenMode::Make);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe in the place of the file must not make mayi wait.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    // A link is opened as what it is, and is no file: FILE_FLAG_OPEN_REPARSE_POINT.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0020_0000);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(_) if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) => {
            let reason = "is a link, which is not followed; put the file itself there".to_owned();
            return Err(StoreError::Unsafe { path: path.to_owned(), reason });
        }
        Err(error) => return Err(error::from_io(path, &error)),
    };
    let meta = file.metadata().map_err(|error| error::from_io(path, &error))?;
    if !meta.is_file() {
        let reason = "is not a file; move it away".to_owned();
        return Err(StoreError::Unsafe { path: path.to_owned(), reason });
    }
    check_safe(path, &meta)?;
    Ok(Some(file))
}

/// Refuses what belongs to somebody else, and what others can read or write.
#[cfg(unix)]
pub(super) fn check_safe(path: &Path, meta: &Metadata) -> Result<(), StoreError> {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let quoted = mayi_call::shell::join_words(&[path.display().to_string()]);
    let refuse = |reason: String| Err(StoreError::Unsafe { path: path.to_owned(), reason });
    if meta.uid() != user {
        return refuse(format!(
            "belongs to another user (uid {}); move it away, or: sudo chown {user} {quoted}",
            meta.uid()
        ));
    }
    if meta.mode() & 0o077 != 0 {
        return refuse(format!("is open to other users; look at who wrote it, then: chmod go= {quoted}"));
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn check_safe(_: &Path, _: &Metadata) -> Result<(), StoreError> {
    Ok(())
}

/// What tells a file from another one that is put in its place.
#[cfg(unix)]
pub(super) fn file_identity(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
pub(super) fn file_identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// The user's key; `None` if there is none.
pub(super) fn read_key(folder: &Path) -> Result<Option<Key>, StoreError> {
    let path = folder.join(name::KEY);
    let Some(file) = open(&path, OpenMode::Read)? else { return Ok(None) };
    let mut text = String::new();
    let read = file.take(1024).read_to_string(&mut text);
    let secret = match read {
        Ok(_) => decode_hex(text.strip_suffix('\n').unwrap_or(&text)),
        Err(error) if error.kind() == ErrorKind::InvalidData => None,
        Err(error) => return Err(error::from_io(&path, &error)),
    };
    match secret.and_then(|secret| <[u8; Key::LENGTH]>::try_from(secret).ok()) {
        Some(secret) => Ok(Some(Key::new(&secret))),
        None => Err(StoreError::Damaged { path, reason: "it is no key of 64 hexadecimal digits".to_owned() }),
    }
}

/// The key that compiled policies are sealed with, from the user's own, which lies in the store's folder. `None` if there is
/// none that can be believed.
#[must_use]
pub fn compiled_key(folder: &Path) -> Option<Key> {
    read_key(folder).ok().flatten().map(|key| key.derive("mayi compiled policy 1"))
}

/// Makes a key: 32 random bytes.
pub(super) fn make_key(folder: &Path) -> Result<Key, StoreError> {
    let path = folder.join(name::KEY);
    let mut secret = [0; Key::LENGTH];
    getrandom::fill(&mut secret)
        .map_err(|error| StoreError::Other { path: path.clone(), reason: error.to_string() })?;
    write_atomically(folder, &path, format!("{}\n", encode_hex(&secret)).as_bytes())
        .map_err(|error| error::from_io(&path, &error))?;
    Ok(Key::new(&secret))
}

/// Writes a file as a whole or not at all, to stay: for nobody else to read.
pub(super) fn write_atomically(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// What was put into or taken out of the folder stays so when the power fails.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
