//! What has to be the same for all events of a session, though each has a process of its own: the folder that it began in, which is
//! its root for as long as it lasts (D1.26: roots are "fixed at session start"), and what the person was told.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mayi_core::call::digest_of;
use mayi_core::config::secure_read;
use serde::{Deserialize, Serialize};

/// A session of which nothing was heard for so long is forgotten.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);

/// As many files are looked at, to forget old ones.
const LOOKED_AT: usize = 2000;

/// No file of a session is longer.
const LONGEST: u64 = 64 << 10;

/// The sessions that are known, in mayi's state folder.
#[derive(Clone, Debug)]
pub struct SessionStore {
    folder: PathBuf,
}

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownSession {
    /// The harness, by its name on the command line.
    pub harness: String,
    /// The harness's id.
    pub session: String,
    /// The folder that it began in, links resolved.
    pub root: PathBuf,
}

impl SessionStore {
    /// Those in mayi's folder `state`.
    #[must_use]
    pub fn in_state_folder(state: &Path) -> Self {
        Self { folder: state.join("hooks") }
    }

    fn path(&self, harness: &str, session: &str, kind: &str) -> PathBuf {
        let digest = digest_of(&serde_json::json!([harness, session]));
        let name: String = digest.as_str().chars().filter(char::is_ascii_hexdigit).take(40).collect();
        self.folder.join(format!("{name}.{kind}"))
    }

    /// The session, which is at `cwd` now: as it is known, or as it begins here.
    ///
    /// # Errors
    /// If it can't be read or written. One that says something else is an error too: the folder is mayi's own.
    pub fn load_or_begin(&self, harness: &str, session: &str, cwd: &Path) -> io::Result<KnownSession> {
        let path = self.path(harness, session, "json");
        if let Some(known) = self.read(&path)? {
            return Ok(known);
        }
        let root = cwd.canonicalize()?;
        let known = KnownSession { harness: harness.to_owned(), session: session.to_owned(), root };
        let text = serde_json::to_vec(&known)?;
        self.make_folder()?;
        // Whole or not at all, and whoever was first counts.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&text)?;
        match file.persist_noclobber(&path) {
            Ok(_) => Ok(known),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                self.read(&path)?.ok_or_else(|| io::ErrorKind::NotFound.into())
            }
            Err(error) => Err(error.error),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Option<KnownSession>> {
        let file = match secure_read::open(path, false) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(Some(serde_json::from_slice(&bytes)?))
    }

    /// Whether this is the first time that the person is told `what` in the session. It is remembered.
    #[must_use]
    pub fn first_time_told(&self, harness: &str, session: &str, what: &str) -> bool {
        let path = self.path(harness, session, what);
        if path.exists() {
            return false;
        }
        // Where it can't be remembered, it is not told again and again.
        self.make_folder().is_ok() && std::fs::File::create_new(path).is_ok()
    }

    /// Forgets sessions of which nothing was heard for long.
    pub fn remove_old(&self) {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return };
        let old = |meta: std::fs::Metadata| {
            meta.modified()
                .ok()
                .and_then(|at| SystemTime::now().duration_since(at).ok())
                .is_some_and(|age| age > KEPT)
        };
        for file in files.take(LOOKED_AT).filter_map(Result::ok) {
            if file.metadata().is_ok_and(old) {
                // Another process may have done it.
                let _ = std::fs::remove_file(file.path());
            }
        }
    }

    fn make_folder(&self) -> io::Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "only tests")]
mod tests {
    use super::*;

    #[test]
    fn given_a_session_that_moves_then_its_root_is_where_it_began() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        let sessions = SessionStore::in_state_folder(&dir.join("state"));
        let began = sessions.load_or_begin("claude-code", "1", &dir.join("a")).unwrap();
        assert_eq!(began.root, dir.join("a"));
        assert_eq!(sessions.load_or_begin("claude-code", "1", &dir.join("a/b")).unwrap(), began);
        // Another harness's session of that name is another one.
        assert_eq!(sessions.load_or_begin("codex", "1", &dir.join("a/b")).unwrap().root, dir.join("a/b"));
        assert!(
            sessions.first_time_told("codex", "1", "mode") && !sessions.first_time_told("codex", "1", "mode")
        );
        assert!(sessions.first_time_told("codex", "2", "mode"));
    }

    #[test]
    fn given_a_file_that_is_no_session_then_there_is_an_error_and_no_root() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = SessionStore::in_state_folder(dir.path());
        sessions.load_or_begin("codex", "1", dir.path()).unwrap();
        std::fs::write(sessions.path("codex", "1", "json"), "{").unwrap();
        assert!(sessions.load_or_begin("codex", "1", dir.path()).is_err());
    }
}
