//! Where the user's own files are.

use std::path::PathBuf;

/// The user's home folder, for `~` in what agents write; only an absolute one counts.
#[must_use]
pub fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok().filter(|home| home.is_absolute())
}
