//! What the user said `mayi trust` of: a file by its place and its content, and nothing else
//! (D5.6). Another content is another file, and not trusted.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::edit::{self, EditError};
use super::{ConfigError, ConfigErrors, Folders, Layer, secure_read};

/// The file below the user's data folder.
const TRUST_FILE_NAME: &str = "trusted.json";

/// A program that is larger is not read to its end: 1 GiB.
const LARGEST_PROGRAM: u64 = 1 << 30;

/// What sort of file is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustedKind {
    /// A folder's `.mayi.toml`: what it loosens counts.
    Workspace,
    /// A program inside a workspace: it may be started.
    Program,
}

/// One file that is trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFile {
    /// What sort it is.
    pub kind: TrustedKind,
    /// Where it is, links resolved.
    pub path: PathBuf,
    /// The digest of its content, in hexadecimal.
    pub sha256: String,
    /// Since when, as RFC 3339 has it.
    pub since: String,
}

/// How mayi stands to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// Trusted as it is.
    Trusted,
    /// Another content was trusted.
    Changed,
    /// Nothing was said of it.
    Unknown,
}

/// Everything that is trusted.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    files: Vec<TrustedFile>,
}

#[derive(Deserialize, Serialize)]
struct TrustList {
    version: u32,
    trusted: Vec<TrustedFile>,
}

/// Where it is kept; none without a home folder.
#[must_use]
pub fn trust_file(folders: &Folders) -> Option<PathBuf> {
    folders.data.as_ref().map(|folder| folder.join(TRUST_FILE_NAME))
}

impl Trust {
    /// Reads what is trusted. Without a file that is nothing.
    ///
    /// # Errors
    /// If the file is damaged, or others could have written it: then nothing is trusted.
    pub fn read(folders: &Folders) -> Result<Self, ConfigError> {
        let Some(path) = trust_file(folders) else { return Ok(Self::default()) };
        Self::read_at(&path)
    }

    fn read_at(path: &Path) -> Result<Self, ConfigError> {
        let Some(text) = secure_read::read_itself(Layer::User, path)? else { return Ok(Self::default()) };
        let damaged = |message: String| {
            let help = "remove it, and say `mayi trust` again where it is needed".to_owned();
            ConfigError::of_file(Layer::User, path, message, Some(help))
        };
        let stored: TrustList =
            serde_json::from_str(&text).map_err(|error| damaged(format!("is damaged: {error}")))?;
        if stored.version != 1 {
            return Err(damaged(format!("has version {}, and this mayi reads version 1", stored.version)));
        }
        Ok(Self { files: stored.trusted })
    }

    /// Each of them, as they were added.
    #[must_use]
    pub fn files(&self) -> &[TrustedFile] {
        &self.files
    }

    /// How mayi stands to the workspace file at `path`, which holds `text`. Links are not trusted.
    #[must_use]
    pub fn workspace_state(&self, path: &Path, text: &str) -> TrustState {
        match place_of(path) {
            Ok(place) => {
                self.file_state(TrustedKind::Workspace, &place, || Ok(content_digest(text.as_bytes())))
            }
            Err(_) => TrustState::Unknown,
        }
    }

    /// How mayi stands to the workspace file at `path`, as it is now.
    #[must_use]
    pub fn workspace_file(&self, path: &Path) -> TrustState {
        match secure_read::read_itself(Layer::Workspace, path) {
            Ok(Some(text)) => self.workspace_state(path, &text),
            _ => TrustState::Unknown,
        }
    }

    /// How mayi stands to the program at `path`, links resolved. It is read only if it is listed.
    #[must_use]
    pub fn program_state(&self, path: &Path) -> TrustState {
        self.file_state(TrustedKind::Program, path, || program_digest(path))
    }

    fn file_state(
        &self,
        kind: TrustedKind,
        path: &Path,
        sha256: impl FnOnce() -> io::Result<String>,
    ) -> TrustState {
        let Some(file) = self.files.iter().find(|file| file.kind == kind && file.path == path) else {
            return TrustState::Unknown;
        };
        match sha256() {
            Ok(sha256) if sha256 == file.sha256 => TrustState::Trusted,
            _ => TrustState::Changed,
        }
    }

    /// Remembers that the file at `path` is trusted with just this content.
    ///
    /// # Errors
    /// If the list can't be read or written.
    pub fn add_file(
        folders: &Folders,
        kind: TrustedKind,
        path: &Path,
        sha256: &str,
    ) -> Result<(), EditError> {
        let since = jiff::Timestamp::now().to_string();
        let new = TrustedFile { kind, path: path.to_owned(), sha256: sha256.to_owned(), since };
        edit_trust_list(folders, |files| {
            files.retain(|file| file.kind != kind || file.path != new.path);
            files.push(new);
        })
    }

    /// Forgets whatever was said of the file at `path`. Returns whether there was something.
    ///
    /// # Errors
    /// If the list can't be read or written.
    pub fn revoke(folders: &Folders, path: &Path) -> Result<bool, EditError> {
        let mut found = false;
        edit_trust_list(folders, |files| {
            found = files.iter().any(|file| file.path == path);
            files.retain(|file| file.path != path);
        })?;
        Ok(found)
    }
}

/// Changes the list as one step that other processes see whole or not at all.
fn edit_trust_list(folders: &Folders, edit: impl FnOnce(&mut Vec<TrustedFile>)) -> Result<(), EditError> {
    let Some(path) = trust_file(folders) else {
        let help = Some("set HOME, or XDG_DATA_HOME".to_owned());
        let error = ConfigError::new(Layer::User, "there is no home folder to remember this in", help);
        return Err(ConfigErrors::from(error).into());
    };
    let failed = |what: &'static str| {
        let path = path.clone();
        move |error: io::Error| EditError::Io { path, what, error }
    };
    let folder = path.parent().unwrap_or(Path::new("/"));
    edit::make_folder(folder).map_err(failed("its folder can't be made"))?;
    let _lock = edit::lock_file(&path, &path)?;
    let mut trust = Trust::read_at(&path).map_err(ConfigErrors::from)?;
    let before = trust.files.clone();
    edit(&mut trust.files);
    if trust.files == before {
        return Ok(());
    }
    let stored = TrustList { version: 1, trusted: trust.files };
    let mut text =
        serde_json::to_string_pretty(&stored).map_err(|error| failed("can't be written")(error.into()))?;
    text.push('\n');
    edit::write(&path, folder, &text).map_err(failed("can't be written"))
}

/// The place of a file that is no link: its folder's links resolved, its own name as it is.
///
/// # Errors
/// If it is a link, or is not there.
pub fn place_of(path: &Path) -> io::Result<PathBuf> {
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::other("is a link: links are not trusted, since they can lead elsewhere"));
    }
    let name = path.file_name().ok_or_else(|| io::Error::other("is not a file"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let place = folder.canonicalize()?.join(name);
    if place.to_str().is_none() {
        return Err(io::Error::other("has a name that is not UTF-8, which can't be remembered"));
    }
    Ok(place)
}

/// The digest of a content.
#[must_use]
pub fn content_digest(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

/// The digest of the program at `path`.
///
/// # Errors
/// If it can't be read, or is larger than 1 GiB.
pub fn program_digest(path: &Path) -> io::Result<String> {
    let file = secure_read::open(path, false)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("is not a file"));
    }
    let mut file = file.take(LARGEST_PROGRAM + 1);
    let mut sha = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut all = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(to_hex(&sha.finalize()));
        }
        all += read as u64;
        if all > LARGEST_PROGRAM {
            return Err(io::Error::other("is larger than 1 GiB"));
        }
        sha.update(buffer.get(..read).unwrap_or_default());
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
