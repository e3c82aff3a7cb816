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
use crate::presence::PresenceGuard;

/// So many cards are known as shown to a connection.
const MOST_SHOWN: usize = 1024;

/// One who has come in.
pub(crate) struct Peer {
    pub(crate) credential: Credential,
    /// What others hear as who answered.
    name: Mutex<String>,
    /// The cards that it was shown, in which form; none: in several.
    shown: Mutex<BTreeMap<ApprovalId, Option<Digest>>>,
    /// Held as long as a connection lasts that can answer.
    _here: Option<PresenceGuard>,
    _seat: Arc<ConnectionSeat>,
}

impl Peer {
    pub(crate) fn new(
        credential: Credential,
        here: Option<PresenceGuard>,
        seat: Arc<ConnectionSeat>,
    ) -> Self {
        Self {
            credential,
            name: Mutex::new("editor".to_owned()),
            shown: Mutex::default(),
            _here: here,
            _seat: seat,
        }
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
