//! One turn: the talk, the updates, and the end.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ContentBlock, ContentChunk, KillTerminalRequest, ReleaseTerminalRequest,
    SessionNotification, SessionUpdate, StopReason, TerminalId, ToolCallId, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use agent_client_protocol::{Client, Error};

use crate::script::Step;
use crate::session::{Session, lock_mutex};
use crate::state::Speaker;
use crate::steps;

/// Between two chunks of talk, so that it reads like talk.
const PAUSE: Duration = Duration::from_millis(12);
const WORDS_PER_CHUNK: usize = 4;

/// Why a turn ends before its steps do.
#[derive(Debug)]
pub(crate) enum DemoStop {
    /// The client said so.
    Cancelled,
    /// The connection is gone.
    Lost,
}

impl From<Error> for DemoStop {
    fn from(error: Error) -> Self {
        tracing::debug!(%error, "turn lost");
        Self::Lost
    }
}

/// What a step has at hand while it runs.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) client: ConnectionTo<Client>,
    pub(crate) offers: ClientCapabilities,
    pub(crate) session: Arc<Session>,
    number: usize,
    calls: AtomicU32,
    unfinished: Mutex<OpenWork>,
    said: Mutex<String>,
}

/// What is cleared away when the turn is cancelled.
#[derive(Debug, Default)]
struct OpenWork {
    calls: Vec<ToolCallId>,
    terminals: Vec<TerminalId>,
}

impl Turn {
    /// A turn for this prompt, which is noted in the session's history.
    pub(crate) fn new(
        client: ConnectionTo<Client>,
        offers: ClientCapabilities,
        session: Arc<Session>,
        prompt: &str,
    ) -> Self {
        let number = session.add_message(Speaker::User, prompt).prompt_count();
        Self {
            client,
            offers,
            session,
            number,
            calls: AtomicU32::new(0),
            unfinished: Mutex::default(),
            said: Mutex::default(),
        }
    }

    /// Runs the steps in order, until `cancelled` at the latest.
    pub(crate) async fn run(&self, steps: Vec<Step>, cancelled: impl Future<Output = ()>) -> StopReason {
        let work = async {
            for step in steps {
                steps::run(self, step).await?;
            }
            Ok(())
        };
        let end = tokio::select! {
            biased;
            () = cancelled => Err(DemoStop::Cancelled),
            end = work => end,
        };
        match end {
            Ok(()) => StopReason::EndTurn,
            Err(stop) => {
                self.clear_away(&stop);
                StopReason::Cancelled
            }
        }
    }

    /// Says something, a few words at a time, and ends the line.
    pub(crate) async fn say_slowly(&self, text: impl AsRef<str>) -> Result<(), DemoStop> {
        let text = format!("{}\n", text.as_ref());
        let words: Vec<&str> = text.split_inclusive(' ').collect();
        for chunk in words.chunks(WORDS_PER_CHUNK) {
            self.say_at_once(chunk.concat())?;
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Says something in one chunk, as it is.
    pub(crate) fn say_at_once(&self, text: String) -> Result<(), DemoStop> {
        lock_mutex(&self.said).push_str(&text);
        self.send_update(SessionUpdate::AgentMessageChunk(ContentChunk::new(ContentBlock::from(text))))
    }

    /// All that was said in this turn.
    pub(crate) fn spoken_text(&self) -> String {
        lock_mutex(&self.said).clone()
    }

    /// Sends an update of the session.
    pub(crate) fn send_update(&self, update: SessionUpdate) -> Result<(), DemoStop> {
        let notification = SessionNotification::new(self.session.id.clone(), update);
        Ok(self.client.send_notification(notification)?)
    }

    /// Sends an update of a tool call.
    pub(crate) fn update_call(&self, id: &ToolCallId, fields: ToolCallUpdateFields) -> Result<(), DemoStop> {
        self.send_update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.clone(), fields)))
    }

    /// An id for a tool call that no other call of the session has, also after a restart.
    pub(crate) fn next_call(&self) -> ToolCallId {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        ToolCallId::new(format!("call-{}-{call}", self.number))
    }

    pub(crate) fn call_opened(&self, id: &ToolCallId) {
        lock_mutex(&self.unfinished).calls.push(id.clone());
    }

    pub(crate) fn call_closed(&self, id: &ToolCallId) {
        lock_mutex(&self.unfinished).calls.retain(|open| open != id);
    }

    pub(crate) fn terminal_opened(&self, id: &TerminalId) {
        lock_mutex(&self.unfinished).terminals.push(id.clone());
    }

    pub(crate) fn terminal_closed(&self, id: &TerminalId) {
        lock_mutex(&self.unfinished).terminals.retain(|open| open != id);
    }

    /// Leaves nothing open behind a turn that was cancelled.
    fn clear_away(&self, stop: &DemoStop) {
        let unfinished = std::mem::take(&mut *lock_mutex(&self.unfinished));
        if matches!(stop, DemoStop::Lost) {
            return;
        }
        let session = &self.session.id;
        for id in unfinished.terminals {
            self.client.send_request(KillTerminalRequest::new(session.clone(), id.clone())).detach();
            self.client.send_request(ReleaseTerminalRequest::new(session.clone(), id)).detach();
        }
        for id in unfinished.calls {
            let failed = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            if self.update_call(&id, failed).is_err() {
                return;
            }
        }
    }
}
