//! Folders that hold what others have made.

/// Names of folders that programs fill with what others have made, and can fill again: packages, what is built, caches.
pub const DEPENDENCY_FOLDERS: &[&str] =
    &["node_modules", "target", ".venv", "venv", "__pycache__", ".tox", ".gradle", ".cache", "vendor"];
