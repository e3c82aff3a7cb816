//! What was put into which file, so that it comes out to the byte.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use mayi_core::approval::escape_line;
use mayi_core::config::secure_read;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// The file below mayi's data folder.
const NAME: &str = "hook-installed.json";

/// More is not kept.
const LARGEST: u64 = 4 << 20;

/// What was put into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InstallNote {
    /// The harness.
    pub(super) harness: String,
    /// The file, links resolved.
    pub(super) file: PathBuf,
    /// The file was not there before.
    pub(super) created: bool,
    /// Folders that were made for it, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) folders: Vec<PathBuf>,
    /// Each text that was put in.
    pub(super) pieces: Vec<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct StoredNotes {
    version: u32,
    notes: Vec<InstallNote>,
}

/// Everything that was noted.
#[derive(Debug)]
pub(super) struct InstallNotes {
    file_path: PathBuf,
    pub(super) all: Vec<InstallNote>,
}

impl InstallNotes {
    /// As if nothing had been noted; not to be written.
    pub(super) fn empty() -> Self {
        Self { file_path: PathBuf::new(), all: Vec::new() }
    }

    /// Reads them.
    ///
    /// # Errors
    /// If they are damaged.
    pub(super) fn read(ctx: &Context) -> Result<Self, CliError> {
        let folder = ctx.sources.folders.data.clone();
        let place = folder.ok_or_else(|| CliError::internal("there is no home folder: set HOME"))?.join(NAME);
        let file = match secure_read::open(&place, false) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self { file_path: place, all: Vec::new() });
            }
            Err(error) => return Err(notes_error(&place, &format!("can't be read: {error}"))),
        };
        let mut bytes = Vec::new();
        file.take(LARGEST)
            .read_to_end(&mut bytes)
            .map_err(|error| notes_error(&place, &error.to_string()))?;
        let stored: StoredNotes = serde_json::from_slice(&bytes)
            .map_err(|error| notes_error(&place, &format!("is damaged: {error}")))?;
        if stored.version > 1 {
            return Err(notes_error(&place, "was written by a later mayi"));
        }
        Ok(Self { file_path: place, all: stored.notes })
    }

    /// What was put into this file for this harness.
    pub(super) fn find_note(&self, harness: &str, file: &Path) -> Option<&InstallNote> {
        self.all.iter().find(|note| note.harness == harness && note.file == file)
    }

    /// Puts `note` in the place of what was noted of the same, or takes that away.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn replace_note(
        &mut self,
        harness: &str,
        file: &Path,
        note: Option<InstallNote>,
    ) -> Result<(), CliError> {
        self.all.retain(|other| other.harness != harness || other.file != file);
        self.all.extend(note);
        let stored = StoredNotes { version: 1, notes: self.all.clone() };
        let failed =
            |error: std::io::Error| notes_error(&self.file_path, &format!("can't be written: {error}"));
        let folder = self.file_path.parent().unwrap_or(Path::new("/"));
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(failed)?;
        let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let bytes =
            serde_json::to_vec_pretty(&stored).map_err(|error| CliError::internal(error.to_string()))?;
        new.write_all(&bytes).map_err(failed)?;
        new.persist(&self.file_path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

fn notes_error(place: &Path, why: &str) -> CliError {
    CliError::new(Exit::Config, format!("{}: {why}", escape_line(&place.display().to_string())))
}
