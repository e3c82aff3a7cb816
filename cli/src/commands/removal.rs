//! What `mayi uninstall` takes out of one file of another program.

use std::path::PathBuf;

/// A file's text without what one part of mayi wrote there.
#[derive(Debug, Default)]
pub(super) struct Removal {
    /// None: all of the file was mayi's.
    pub(super) new: Option<String>,
    /// What goes, for people.
    pub(super) what: Vec<String>,
    /// What there is to know of it.
    pub(super) remarks: Vec<String>,
    /// What stays although it is about mayi, and why.
    pub(super) left: Vec<String>,
    /// Folders that were made for the file, the outermost first.
    pub(super) folders: Vec<PathBuf>,
}
