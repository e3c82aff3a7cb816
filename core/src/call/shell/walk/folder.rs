//! The folder that a shell is in.

use std::path::{Path, PathBuf};

/// Known, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Folder {
    /// This one: absolute, links not followed.
    Known(PathBuf),
    /// It depends on what happens.
    Unknown,
}

impl Folder {
    pub(super) fn new(cwd: &Path) -> Self {
        Self::Known(cwd.to_owned())
    }

    pub(super) fn known(&self) -> Option<&Path> {
        match self {
            Self::Known(path) => Some(path),
            Self::Unknown => None,
        }
    }

    /// Where `cd folder` leads from here. `..` goes back along the names, as shells do.
    pub(super) fn to(&self, folder: &str) -> Self {
        let start = match self {
            Self::Known(path) => path.as_path(),
            Self::Unknown if folder.starts_with('/') => Path::new("/"),
            Self::Unknown => return Self::Unknown,
        };
        // With a link before it, `..` may mean two folders.
        let joined = start.join(folder);
        let lexical = crate::call::PathAccess::new(start, folder);
        if joined.components().any(|part| matches!(part, std::path::Component::ParentDir)) {
            let physical = crate::call::resolve(&lexical.lexical).ok();
            if physical.as_ref() != Some(&lexical.resolved) {
                return Self::Unknown;
            }
        }
        Self::Known(lexical.lexical)
    }

    /// One of two: the same, or not known. Where one can't be, the other.
    pub(super) fn either(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) if one != other => Some(Self::Unknown),
            (Some(one), _) => Some(one),
            (None, other) => other,
        }
    }
}
