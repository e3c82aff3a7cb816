//! Requests in flight, of both sides and of mayi's own. Ids pass as they are: what answers an id that nobody asked for is
//! dropped, and mayi's own ids can't be guessed.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::cards::ShownCard;
use super::editor::PendingSession;
use super::line::Id;
use super::session::Session;
use mayi_core::call::Access;
use mayi_core::gate::Execution;

/// As many requests of one side may be in flight.
pub(crate) const MOST: usize = 10_000;

/// Why one more is not taken.
pub(crate) fn refusal_reason(in_use: bool) -> &'static str {
    if in_use { "its id is in use" } else { "too many requests wait for an answer" }
}

/// Something that the editor asked of the agent.
pub(crate) enum EditorAsk {
    /// Whatever it is, its answer passes as it comes.
    Plain,
    /// The version that mayi offers the agent with it.
    Initialize(u64),
    /// A session that is to be opened.
    Open(Box<PendingSession>),
    /// A prompt, and how often the session's work has to end until all of it is over (version 2, where the answer says only that
    /// the agent has it).
    Prompt(Arc<Session>, u64),
    /// One of the agent's own modes, by the editor's choice.
    SetMode { session: Arc<Session>, before: Option<String> },
    /// One of the agent's own options.
    SetConfig { session: Arc<Session>, option: String, before: Option<serde_json::Value> },
    /// The session ends.
    Close(Arc<Session>),
}

/// Something that the agent asked.
pub(crate) enum AgentAsk {
    /// It is being judged: mayi answers it, or passes it on.
    Judged(CancellationToken),
    /// The editor answers it. `terminal_of`: it creates a terminal in this session, for which just this was judged.
    Passed { carrying: Option<Execution>, terminal_of: Option<(Arc<Session>, Vec<Access>)> },
}

/// What mayi itself asked the agent: its result as text, or what it said was wrong.
pub(crate) type OwnAnswer = Result<String, String>;

/// All that is in flight.
#[derive(Default)]
pub(crate) struct Flight {
    pub(crate) editor: HashMap<Id, EditorAsk>,
    pub(crate) agent: HashMap<Id, AgentAsk>,
    pub(crate) own: HashMap<Id, oneshot::Sender<OwnAnswer>>,
    pub(crate) cards: HashMap<Id, ShownCard>,
    /// Openings that the agent has answered, while mayi sets its mode.
    pub(crate) opening: HashMap<Id, CancellationToken>,
}

/// What all of mayi's own ids begin with.
pub(crate) const OWN: &str = "mayi-";

/// Makes mayi's own ids.
pub(crate) struct Ids {
    prefix: String,
    next: std::sync::atomic::AtomicU64,
}

impl Ids {
    /// With a prefix that nobody can guess.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(crate) fn new() -> Result<Self, String> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|error| error.to_string())?;
        let prefix = format!("{OWN}{:032x}-", u128::from_le_bytes(random));
        Ok(Self { prefix, next: std::sync::atomic::AtomicU64::new(0) })
    }

    pub(crate) fn next(&self) -> Id {
        let next = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Id::Text(format!("{}{next}", self.prefix))
    }

    /// Whether an id of others looks like mayi's own.
    pub(crate) fn is_own(&self, id: &Id) -> bool {
        matches!(id, Id::Text(text) if text.starts_with(&self.prefix))
    }
}
