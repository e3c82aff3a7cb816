//! Paths in JSON: text, or bytes where a name is none.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ThawError;

/// A path, whatever its names are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum PathName {
    /// The usual.
    Text(String),
    /// Not UTF-8.
    Bytes(Vec<u8>),
}

impl PathName {
    pub(super) fn from_path(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path_bytes(path)),
        }
    }

    pub(super) fn path(&self) -> Result<PathBuf, ThawError> {
        match self {
            Self::Text(text) => Ok(PathBuf::from(text)),
            Self::Bytes(bytes) => from_bytes(bytes),
        }
    }
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
fn from_bytes(bytes: &[u8]) -> Result<PathBuf, ThawError> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

#[cfg(not(unix))]
fn from_bytes(_: &[u8]) -> Result<PathBuf, ThawError> {
    Err(ThawError::Damaged("a name that is no text".to_owned()))
}
