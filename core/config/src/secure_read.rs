//! Reads a configuration file, if it is safe to believe it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::{ConfigError, LARGEST_FILE, LARGEST_OWN_FILE, Layer};

/// Reads `path`; `None` if there is no such file. A managed or user file must belong to the user
/// or root, and nobody else may be able to write it (D5.9).
pub(super) fn read(layer: Layer, path: &Path) -> Result<Option<String>, ConfigError> {
    read_opened(layer, path, open(path, true))
}

/// As [`read`], but a link in the place of the file is refused.
pub(super) fn read_itself(layer: Layer, path: &Path) -> Result<Option<String>, ConfigError> {
    read_opened(layer, path, open(path, false))
}

/// The file at `path`, and how long it is, if [`read`] would read it as far as can be told without reading it.
pub(super) fn open_if_safe(layer: Layer, path: &Path) -> Result<Option<(File, u64)>, ConfigError> {
    check_opened(layer, path, open(path, true))
}

fn check_opened(
    layer: Layer,
    path: &Path,
    opened: std::io::Result<File>,
) -> Result<Option<(File, u64)>, ConfigError> {
    let refuse = |message: String, help: Option<String>| ConfigError::of_file(layer, path, message, help);
    let file = match opened {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(refuse(format!("can't be read: {error}"), None)),
    };
    // What was opened is what is looked at: a link can't be put in its place meanwhile.
    let meta = file.metadata().map_err(|error| refuse(format!("can't be looked at: {error}"), None))?;
    if !meta.is_file() {
        return Err(refuse(
            "is not a file".to_owned(),
            Some("put a TOML file there, or remove it".to_owned()),
        ));
    }
    if layer != Layer::Workspace
        && let Some((message, help)) = distrust_reason(path, &meta)
    {
        return Err(refuse(message, Some(help)));
    }
    let length = meta.len();
    Ok(Some((file, length)))
}

fn read_opened(
    layer: Layer,
    path: &Path,
    opened: std::io::Result<File>,
) -> Result<Option<String>, ConfigError> {
    let Some((file, length)) = check_opened(layer, path, opened)? else { return Ok(None) };
    let refuse = |message: String, help: Option<String>| ConfigError::of_file(layer, path, message, help);
    let most = if layer == Layer::Workspace { LARGEST_FILE } else { LARGEST_OWN_FILE };
    // All of it at once, unless it grows meanwhile.
    let length = usize::try_from(length.min(most)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(length + 1);
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refuse(format!("can't be read: {error}"), None))?;
    if bytes.len() as u64 > most {
        return Err(refuse(
            format!("is larger than {} MiB", most >> 20),
            Some("a configuration is not that long".to_owned()),
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(refuse("is not UTF-8 text".to_owned(), Some("save it as UTF-8".to_owned()))),
    }
}

/// Opens it without waiting for anybody; `follow`: also where a link leads.
///
/// # Errors
/// As [`File::open`]; also for a link that is not to be followed.
#[cfg(unix)]
pub fn open(path: &Path, follow: bool) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe in the place of the file must not make mayi wait.
    let mut flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    if !follow {
        flags |= rustix::fs::OFlags::NOFOLLOW;
    }
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Opens it; unless it is to `follow`, a link is opened as what it is, and is no file.
///
/// # Errors
/// As [`File::open`].
#[cfg(windows)]
pub fn open(path: &Path, follow: bool) -> std::io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    // FILE_FLAG_OPEN_REPARSE_POINT
    let flags = if follow { 0 } else { 0x0020_0000 };
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(unix)]
fn distrust_reason(path: &Path, meta: &Metadata) -> Option<(String, String)> {
    use std::os::unix::fs::MetadataExt;
    let quoted = mayi_call::shell::join_words(&[path.display().to_string()]);
    let user = rustix::process::geteuid().as_raw();
    if meta.uid() != user && meta.uid() != 0 {
        return Some((
            format!("belongs to another user (uid {}), who could change what is allowed", meta.uid()),
            format!("look at what it says, then: sudo chown {user} {quoted}"),
        ));
    }
    let by_group = meta.mode() & 0o020 != 0 && !private_group(meta);
    if meta.mode() & 0o002 != 0 || by_group {
        return Some((
            "can be written by other users, who could change what is allowed".to_owned(),
            format!("look at what it says, then: chmod go-w {quoted}"),
        ));
    }
    None
}

/// Whether the file's group is its owner's alone, as many systems set it up: the same number, and no
/// further members.
#[cfg(unix)]
fn private_group(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(groups) = std::fs::read_to_string("/etc/group") else {
        return false;
    };
    let number = meta.gid().to_string();
    meta.gid() == meta.uid()
        && groups.lines().any(|line| {
            let mut fields = line.split(':').skip(2);
            fields.next() == Some(&number) && fields.next().is_none_or(str::is_empty)
        })
}

#[cfg(not(unix))]
fn distrust_reason(_: &Path, _: &Metadata) -> Option<(String, String)> {
    None
}
