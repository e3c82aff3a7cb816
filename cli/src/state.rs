//! What `run` remembers between runs: the last session of each agent in each folder.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// As many sessions are remembered.
const MOST: usize = 500;

#[derive(Debug, Default, Deserialize, Serialize)]
struct Sessions {
    /// By agent and folder, oldest first.
    sessions: Vec<Entry>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Entry {
    agent: String,
    cwd: PathBuf,
    session: String,
    #[serde(flatten)]
    other: BTreeMap<String, serde_json::Value>,
}

/// The last session of `agent` in `cwd`.
#[must_use]
pub(crate) fn last_session(folder: &Path, agent: &str, cwd: &Path) -> Option<String> {
    let sessions = read(folder);
    sessions
        .sessions
        .into_iter()
        .rev()
        .find(|entry| entry.agent == agent && entry.cwd == cwd)
        .map(|entry| entry.session)
}

/// Remembers the session.
///
/// # Errors
/// If it can't be written.
pub(crate) fn remember_session(folder: &Path, agent: &str, cwd: &Path, session: &str) -> io::Result<()> {
    let mut sessions = read(folder);
    sessions.sessions.retain(|entry| entry.agent != agent || entry.cwd != cwd);
    sessions.sessions.push(Entry {
        agent: agent.to_owned(),
        cwd: cwd.to_owned(),
        session: session.to_owned(),
        other: BTreeMap::new(),
    });
    let surplus = sessions.sessions.len().saturating_sub(MOST);
    sessions.sessions.drain(..surplus);
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // Whole or not at all: another run may read it at the same time.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    // In one piece: what is written straight from the value is hundreds of writes.
    file.write_all(&serde_json::to_vec_pretty(&sessions)?)?;
    file.persist(path(folder)).map_err(|error| error.error)?;
    Ok(())
}

fn path(folder: &Path) -> PathBuf {
    folder.join("sessions.json")
}

fn read(folder: &Path) -> Sessions {
    // A damaged file costs `--continue`, and nothing else.
    std::fs::read(path(folder)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_sessions_of_two_agents_and_folders_then_each_has_its_own_last_one() {
        let dir = tempfile::tempdir().unwrap();
        let remember =
            |agent, cwd: &str, session| remember_session(dir.path(), agent, Path::new(cwd), session).unwrap();
        remember("a", "/x", "1");
        remember("b", "/x", "2");
        remember("a", "/y", "3");
        remember("a", "/x", "4");
        assert_eq!(last_session(dir.path(), "a", Path::new("/x")).as_deref(), Some("4"));
        assert_eq!(last_session(dir.path(), "b", Path::new("/x")).as_deref(), Some("2"));
        assert_eq!(last_session(dir.path(), "b", Path::new("/y")), None);
    }

    #[test]
    fn given_a_damaged_file_then_nothing_is_remembered_and_it_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("sessions.json"), "{").unwrap();
        assert_eq!(last_session(dir.path(), "a", Path::new("/x")), None);
        remember_session(dir.path(), "a", Path::new("/x"), "1").unwrap();
        assert_eq!(last_session(dir.path(), "a", Path::new("/x")).as_deref(), Some("1"));
    }
}
