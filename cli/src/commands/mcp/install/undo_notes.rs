//! What was there before: a note for each entry that was changed, so that it comes back to the byte.
//!
//! It says only how the old text is laid over the new one. What is in both, headers with their secrets among it,
//! is not written down again; and what comes of a note counts only if putting the gateway in front of that once
//! more gives just what is there now.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use mayi_core::approval::escape_line;
use serde::{Deserialize, Serialize};

use super::text_pieces::UndoPiece;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// The file below mayi's data folder.
const NAME: &str = "mcp-installed.json";

/// More is not kept: 4 MiB.
const LARGEST: u64 = 4 << 20;

/// What was there before, in the place of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UndoNote {
    /// The file, links resolved.
    pub(super) file: PathBuf,
    /// The keys that lead to the entry.
    pub(super) keys: Vec<String>,
    /// The key of its address, and its type, if it was remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
    pub(super) back: Vec<UndoPiece>,
}

impl UndoNote {
    pub(super) fn is_of(&self, file: &Path, keys: &[String]) -> bool {
        self.file == file && self.keys == keys
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredNotes {
    version: u32,
    entries: Vec<UndoNote>,
}

/// Everything that was noted; other processes wait while this is held.
#[derive(Debug)]
pub(super) struct UndoNotes {
    file_path: PathBuf,
    pub(super) all: Vec<UndoNote>,
    _lock: Option<std::fs::File>,
}

impl UndoNotes {
    /// As if nothing had been noted; not to be written.
    pub(super) fn empty() -> Self {
        Self { file_path: PathBuf::new(), all: Vec::new(), _lock: None }
    }

    /// Reads them, without keeping anybody out.
    ///
    /// # Errors
    /// If they are damaged.
    pub(super) fn read(ctx: &Context) -> Result<Self, CliError> {
        let folder = ctx.sources.folders.data.clone();
        let place = folder.ok_or_else(|| CliError::internal("there is no home folder: set HOME"))?.join(NAME);
        let all = read_stored(&place)?;
        Ok(Self { file_path: place, all, _lock: None })
    }

    /// Reads them to change them.
    ///
    /// # Errors
    /// If they are damaged, or can't be written.
    pub(super) fn read_locked(ctx: &Context) -> Result<Self, CliError> {
        let mut notes = Self::read(ctx)?;
        let failed =
            |error: std::io::Error| notes_error(&notes.file_path, &format!("can't be written: {error}"));
        let folder = notes.file_path.parent().unwrap_or(Path::new("/"));
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        builder.create(folder).map_err(failed)?;
        let lock = options.open(folder.join(format!("{NAME}.lock"))).map_err(failed)?;
        lock.lock().map_err(failed)?;
        notes.all = read_stored(&notes.file_path)?;
        notes._lock = Some(lock);
        Ok(notes)
    }

    /// Forgets what is said of an entry.
    pub(super) fn forget_entry(&mut self, file: &Path, keys: &[String]) {
        self.all.retain(|note| !note.is_of(file, keys));
    }

    /// Writes them.
    ///
    /// # Errors
    /// If that fails.
    pub(super) fn write(&self) -> Result<(), CliError> {
        let failed =
            |error: std::io::Error| notes_error(&self.file_path, &format!("can't be written: {error}"));
        let folder = self.file_path.parent().unwrap_or(Path::new("/"));
        let stored = StoredNotes { version: 1, entries: self.all.clone() };
        let text = serde_json::to_string(&stored).map_err(|error| CliError::internal(error.to_string()))?;
        let mut file = tempfile::Builder::new().prefix(".mcp-").tempfile_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.file_path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

fn notes_error(place: &Path, why: &str) -> CliError {
    CliError::new(Exit::Config, format!("{}: {why}", escape_line(&place.display().to_string())))
}

fn read_stored(place: &Path) -> Result<Vec<UndoNote>, CliError> {
    let meta = match place.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(notes_error(place, &format!("can't be read: {error}"))),
        Ok(meta) => meta,
    };
    let damaged =
        "is damaged: remove it, and servers are taken from behind the gateway by what their entries say";
    if !meta.is_file() || meta.len() > LARGEST {
        return Err(notes_error(place, damaged));
    }
    let text = std::fs::read_to_string(place)
        .map_err(|error| notes_error(place, &format!("can't be read: {error}")))?;
    match serde_json::from_str::<StoredNotes>(&text) {
        Ok(StoredNotes { version: 1, entries }) => Ok(entries),
        _ => Err(notes_error(place, damaged)),
    }
}
