//! What SQLite and the system say, in the store's words.

use std::io::{self, ErrorKind};
use std::path::Path;

use rusqlite::ErrorCode;

use crate::store::StoreError;

/// What SQLite said of the database at `path`.
pub(super) fn from_sqlite(path: &Path, error: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    let rusqlite::Error::SqliteFailure(failure, said) = &error else {
        // A value that is not of its column's type, or a query without its row.
        return StoreError::Damaged { path, reason: error.to_string() };
    };
    let reason = said.clone().unwrap_or_else(|| failure.to_string());
    match failure.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            StoreError::Locked(path)
        }
        ErrorCode::DiskFull => StoreError::Full(path),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            StoreError::ReadOnly { path, reason }
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Damaged { path, reason },
        // SQLite knows one way of having no space; a quota or a limit on sizes is another.
        ErrorCode::SystemIoFailure if no_space(&path) => StoreError::Full(path),
        ErrorCode::SystemIoFailure => StoreError::Other {
            path,
            reason: format!("{reason}; look at the disk, and at quotas and limits on the size of files"),
        },
        _ => StoreError::Other { path, reason },
    }
}

/// What the system said of the file or folder at `path`.
pub(super) fn from_io(path: &Path, error: &io::Error) -> StoreError {
    let path = path.to_owned();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::Full(path),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path, reason: error.to_string() }
        }
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => StoreError::Unsafe {
            path,
            reason: "is not a folder, or a file is where one should be; move it away".to_owned(),
        },
        _ => StoreError::Other { path, reason: error.to_string() },
    }
}

/// Less than this is no space.
#[cfg(unix)]
const LITTLE: u64 = 64 * 1024;

#[cfg(unix)]
fn no_space(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    rustix::fs::statvfs(folder).is_ok_and(|fs| fs.f_bavail.saturating_mul(fs.f_frsize) < LITTLE)
}

#[cfg(not(unix))]
fn no_space(_: &Path) -> bool {
    false
}
