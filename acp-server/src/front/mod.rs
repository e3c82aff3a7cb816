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

use self::listen::Seat;
pub use self::listen::{Codes, FrontOptions, codes, serve};
pub(crate) use self::pairing::Pairings;
use crate::backend::lock;
use crate::credentials::Credential;
use crate::presence::Here;

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
    _here: Option<Here>,
    _seat: Arc<Seat>,
}

impl Peer {
    pub(crate) fn new(credential: Credential, here: Option<Here>, seat: Arc<Seat>) -> Self {
        Self {
            credential,
            name: Mutex::new("editor".to_owned()),
            shown: Mutex::default(),
            _here: here,
            _seat: seat,
        }
    }

    pub(crate) fn name(&self) -> String {
        lock(&self.name).clone()
    }

    /// It is shown a card.
    pub(crate) fn show(&self, id: ApprovalId, digest: &Digest) {
        let mut shown = lock(&self.shown);
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
    pub(crate) fn shown(&self, id: ApprovalId) -> Option<Digest> {
        lock(&self.shown).get(&id).cloned().flatten()
    }

    pub(crate) fn is_called(&self, name: String) {
        *lock(&self.name) = name;
    }
}
