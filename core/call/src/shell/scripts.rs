//! Files in the session's folders that a command runs: an answer about the command is about what they hold.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Digest, PathAccess, digest_of_bytes, display_path};

/// The longest file that is looked into.
const LONGEST: u64 = 1024 * 1024;

/// A file that a command runs as it stands there: a script, or a program of the project's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Script {
    /// Where it is, links not followed; or the word that was written, where that is not known.
    pub path: String,
    /// The SHA-256 of what it holds. None where that is not known, or too long: no remembered answer counts
    /// for such a file.
    #[serde(default)]
    pub digest: Option<Digest>,
}

impl Script {
    /// A file of which nothing more is known.
    pub(super) fn without_digest(text: String) -> Self {
        Self { path: text, digest: None }
    }

    /// What is there, if anything is. Looked up while a call is built, never while it is judged.
    pub(super) fn look_up(path: &PathAccess) -> Option<Self> {
        let digest = match fs::metadata(&path.resolved) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return None;
            }
            Ok(found) if found.is_file() && found.len() <= LONGEST => file_digest(path),
            _ => None,
        };
        Some(Self { path: display_path(&path.lexical).into_owned(), digest })
    }
}

fn file_digest(path: &PathAccess) -> Option<Digest> {
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    File::open(&path.resolved).ok()?.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LONGEST).then(|| digest_of_bytes(&bytes))
}

/// The longest text of a file whose lines are looked at.
const LONGEST_TEXT: u64 = 64 * 1024;

/// What a file holds now, if that is a text that is not long; nothing where there is none.
pub(super) fn text_at(path: &Path) -> Option<String> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(String::new()),
        Ok(found) if found.is_file() && found.len() <= LONGEST_TEXT => {}
        _ => return None,
    }
    let mut text = String::new();
    // It may grow meanwhile.
    File::open(path).ok()?.take(LONGEST_TEXT + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= LONGEST_TEXT).then_some(text)
}
