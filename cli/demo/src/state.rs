//! What survives a restart: each session's messages, as one small JSON file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Speaker {
    User,
    Agent,
}

/// What one of them said in one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) from: Speaker,
    pub(crate) text: String,
}

/// A session's messages, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct History {
    pub(crate) messages: Vec<Message>,
}

impl History {
    pub(crate) fn push(&mut self, from: Speaker, text: &str) {
        if !text.is_empty() {
            self.messages.push(Message { from, text: text.to_owned() });
        }
    }

    /// How many prompts there were.
    pub(crate) fn prompt_count(&self) -> usize {
        self.messages.iter().filter(|message| message.from == Speaker::User).count()
    }
}

/// The folder of histories, if there is one. What can't be written is not kept; nothing here fails.
#[derive(Debug, Clone)]
pub(crate) struct HistoryStore {
    folder: Option<PathBuf>,
}

impl HistoryStore {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// Replaces what is kept of a session.
    pub(crate) async fn save(&self, session: &str, history: &History) {
        let Some(file) = self.session_file(session) else { return };
        if let Err(error) = write_history(&file, history).await {
            tracing::debug!(%error, file = %file.display(), "history not kept");
        }
    }

    /// What is kept of a session, if anything.
    pub(crate) async fn load(&self, session: &str) -> Option<History> {
        let text = tokio::fs::read(self.session_file(session)?).await.ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// A session's file; none for an id that could name another folder's file.
    fn session_file(&self, session: &str) -> Option<PathBuf> {
        let plain = !session.is_empty() && session.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let folder = self.folder.as_ref()?;
        plain.then(|| folder.join(format!("{session}.json")))
    }
}

/// Writes beside the file and renames: a reader never sees half of it.
async fn write_history(file: &Path, history: &History) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    let beside = file.with_extension("tmp");
    tokio::fs::write(&beside, serde_json::to_vec(history)?).await?;
    tokio::fs::rename(&beside, file).await
}

/// `$MAYI_DEMO_STATE`, or `mayi/agents/demo/sessions` in `$XDG_STATE_HOME` or `~/.local/state`, where it goes with all
/// that is mayi's; none when the first is empty.
pub(crate) fn default_folder() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("MAYI_DEMO_STATE") {
        return (!given.is_empty()).then(|| PathBuf::from(given));
    }
    std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(std::env::home_dir()?.join(".local/state")))
        .map(|state| state.join("mayi/agents/demo/sessions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_history() -> History {
        let mut history = History::default();
        history.push(Speaker::User, "demo: say hi");
        history.push(Speaker::Agent, "hi\n");
        history.push(Speaker::Agent, "");
        history
    }

    #[tokio::test]
    async fn given_a_saved_history_then_another_store_loads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("not/there/yet");
        HistoryStore::new(Some(path.clone())).save("demo-1", &sample_history()).await;
        let loaded = HistoryStore::new(Some(path)).load("demo-1").await.unwrap();
        assert_eq!(loaded, sample_history());
        assert_eq!((loaded.messages.len(), loaded.prompt_count()), (2, 1));
    }

    #[tokio::test]
    async fn given_an_id_that_is_a_path_then_nothing_is_read_or_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = HistoryStore::new(Some(folder.path().join("in")));
        store.save("../out", &sample_history()).await;
        assert_eq!(store.load("../out").await, None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn given_a_folder_that_cannot_be_written_then_saving_does_not_fail() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a-file");
        std::fs::write(&file, "").unwrap();
        let store = HistoryStore::new(Some(file.join("below")));
        store.save("demo-1", &sample_history()).await;
        assert_eq!(store.load("demo-1").await, None);
        HistoryStore::new(None).save("demo-1", &sample_history()).await;
    }
}
