//! Where the user's own files are.

use std::path::{Path, PathBuf};

/// The user's home folder, for `~` in what agents write; only an absolute one counts.
#[must_use]
pub fn home_folder() -> Option<PathBuf> {
    etcetera::home_dir().ok().filter(|home| home.is_absolute())
}

/// Whether a folder, links resolved, holds more than a project: "`/`, the home folder and its ancestors are never roots
/// without being named" (D1.27).
#[must_use]
pub fn is_too_wide(folder: &Path) -> bool {
    let home = home_folder().and_then(|home| home.canonicalize().ok());
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}
