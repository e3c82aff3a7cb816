//! Who comes in: connections, the name that is called, the page that calls, the credential.

mod admit;
mod listen;
mod page;
mod pairing;
mod refusal;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mayi_core::approval::ApprovalId;
use mayi_core::call::Digest;

use self::listen::ConnectionSeat;
pub use self::listen::{FrontOptions, PairingCodes, pairing_codes, serve};
pub(crate) use self::pairing::Pairings;
use crate::backend::lock_mutex;
use crate::credentials::Credential;
use crate::error::RpcError;
use crate::presence::PresenceGuard;

/// So many cards are known as shown to a connection.
const MOST_SHOWN: usize = 1024;

const NOT_HEARD: &str =
    "an agent can't answer for the person: this comes from one, or from what one has started";

/// Looks at whether the other end of a connection is within an agent just now.
type AgentCheck = Arc<dyn Fn() -> bool + Send + Sync>;

/// One who has come in.
pub(crate) struct Peer {
    pub(crate) credential: Credential,
    /// What others hear as who answered.
    name: Mutex<String>,
    /// The cards that it was shown, in which form; none: in several.
    shown: Mutex<BTreeMap<ApprovalId, Option<Digest>>>,
    /// Held as long as a connection lasts that can answer.
    _here: Option<PresenceGuard>,
    /// Of a connection that goes on. Others were looked at for just this request.
    agent: Option<AgentCheck>,
    _seat: Arc<ConnectionSeat>,
}

impl Peer {
    pub(crate) fn new(
        credential: Credential,
        here: Option<PresenceGuard>,
        agent: Option<AgentCheck>,
        seat: Arc<ConnectionSeat>,
    ) -> Self {
        Self {
            credential,
            name: Mutex::new("editor".to_owned()),
            shown: Mutex::default(),
            _here: here,
            agent,
            _seat: seat,
        }
    }

    /// Refuses what is the person's alone to whoever is within an agent by now (D6.8). Blocks for as long as a look takes.
    ///
    /// # Errors
    /// Says so.
    pub(crate) fn require_person(&self) -> Result<(), RpcError> {
        match &self.agent {
            Some(agent) if agent() => Err(RpcError::NotAllowed(NOT_HEARD.to_owned())),
            _ => Ok(()),
        }
    }

    /// The same where nothing may block.
    ///
    /// # Errors
    /// Says so.
    pub(crate) async fn require_person_soon(self: &Arc<Self>) -> Result<(), RpcError> {
        let peer = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || peer.require_person()).await;
        looked.unwrap_or_else(|error| Err(RpcError::Internal(error.to_string())))
    }

    pub(crate) fn name(&self) -> String {
        lock_mutex(&self.name).clone()
    }

    /// It is shown a card.
    pub(crate) fn record_shown(&self, id: ApprovalId, digest: &Digest) {
        let mut shown = lock_mutex(&self.shown);
        let form = shown.entry(id).or_insert_with(|| Some(digest.clone()));
        if form.as_ref() != Some(digest) {
            *form = None;
        }
        // The oldest are settled long since, and what is not known here was never shown.
        if shown.len() > MOST_SHOWN {
            shown.pop_first();
        }
    }

    /// The one form that it was shown a card in, if there is just one.
    pub(crate) fn shown_digest(&self, id: ApprovalId) -> Option<Digest> {
        lock_mutex(&self.shown).get(&id).cloned().flatten()
    }

    pub(crate) fn set_name(&self, name: String) {
        *lock_mutex(&self.name) = name;
    }
}
