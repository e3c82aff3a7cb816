//! Mayi's own folders: what they hold, how large they are, and their end.

use std::path::{Path, PathBuf};

use mayi_core::approval::escape_line;
use mayi_core::call::is_too_wide;

use super::folder_contents::FolderContents;
use crate::context::Context;

/// More files are not counted.
const MOST: usize = 200_000;

/// A folder of mayi's own.
pub(super) struct OwnFolder {
    pub(super) what: &'static str,
    pub(super) path: PathBuf,
    /// It may be several in one.
    kinds: Vec<&'static str>,
    /// Bytes, and whether that is all of them.
    size: (u64, bool),
}

impl OwnFolder {
    /// Those that are there.
    pub(super) fn list_existing(ctx: &Context) -> Vec<Self> {
        let folders = &ctx.sources.folders;
        let known =
            [("configuration", &folders.config), ("record", &folders.data), ("state", &folders.state)];
        let mut all: Vec<Self> = Vec::new();
        for (what, path) in known {
            let Some(path) = path.clone().filter(|path| path.symlink_metadata().is_ok()) else { continue };
            match all.iter_mut().find(|other| other.path == path) {
                Some(other) => other.kinds.push(what),
                None => all.push(Self { what, size: folder_size(&path), path, kinds: vec![what] }),
            }
        }
        all
    }

    /// What is in it, for people.
    pub(super) fn contents_description(&self) -> &'static str {
        match self.what {
            "configuration" => "your rules and settings",
            "record" => "what happened, remembered answers, what is trusted, pins and logins of MCP servers",
            _ => "what runs keep between them, sessions and agents' own files",
        }
    }

    pub(super) fn display_path(&self) -> String {
        escape_line(&self.path.display().to_string())
    }

    pub(super) fn size_text(&self) -> String {
        let (bytes, all) = self.size;
        let more = if all { "" } else { "more than " };
        match bytes {
            0..1024 => format!("{more}{bytes} B"),
            1024..1_048_576 => format!("{more}{} KiB", bytes.div_ceil(1024)),
            _ => format!("{more}{} MiB", bytes.div_ceil(1_048_576)),
        }
    }

    /// Why it is not for mayi to delete.
    pub(super) fn reason_to_keep(&self, program: &Path) -> Option<String> {
        let meta = match self.path.symlink_metadata() {
            Ok(meta) => meta,
            Err(error) => return Some(format!("can't be looked at: {error}")),
        };
        if meta.is_symlink() {
            return Some("is a link: delete what it leads to yourself".to_owned());
        }
        if !meta.is_dir() {
            return Some("is not a folder".to_owned());
        }
        let place = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        if place.file_name().is_none_or(|name| name != "mayi") || is_too_wide(&place) {
            return Some("is not a folder of mayi's alone".to_owned());
        }
        if program.starts_with(&place) {
            return Some("has the program in it: move that away first".to_owned());
        }
        None
    }

    /// What is in it.
    pub(super) fn scan_contents(&self) -> FolderContents {
        FolderContents::scan_folder(&self.path, &self.kinds)
    }

    /// Deletes what is mayi's in it, and the folder itself if nothing else is there.
    ///
    /// # Errors
    /// The first file or folder that could not be deleted.
    pub(super) fn delete_own_files(&self) -> Result<(), (PathBuf, std::io::Error)> {
        // As it is now: files may have come and gone while a person was asked.
        self.scan_contents().delete_own_files()
    }
}

fn folder_size(folder: &Path) -> (u64, bool) {
    let (mut bytes, mut count) = (0, 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            count += 1;
            if count > MOST {
                return (bytes, false);
            }
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => bytes += meta.len(),
                Err(_) => {}
            }
        }
    }
    (bytes, true)
}
