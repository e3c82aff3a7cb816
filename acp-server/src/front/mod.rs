//! Who comes in: connections, the name that is called, the page that calls, the credential.

mod admit;
mod listen;
mod page;
mod pairing;
mod refusal;

use std::sync::{Arc, Mutex};

use self::listen::Seat;
pub use self::listen::{Codes, FrontOptions, codes, serve};
pub(crate) use self::pairing::Pairings;
use crate::backend::lock;
use crate::credentials::Credential;
use crate::presence::Here;

/// One who has come in.
pub(crate) struct Peer {
    pub(crate) credential: Credential,
    /// What others hear as who answered.
    name: Mutex<String>,
    /// Held as long as a connection lasts that can answer.
    _here: Option<Here>,
    _seat: Arc<Seat>,
}

impl Peer {
    pub(crate) fn new(credential: Credential, here: Option<Here>, seat: Arc<Seat>) -> Self {
        Self { credential, name: Mutex::new("editor".to_owned()), _here: here, _seat: seat }
    }

    pub(crate) fn name(&self) -> String {
        lock(&self.name).clone()
    }

    pub(crate) fn is_called(&self, name: String) {
        *lock(&self.name) = name;
    }
}
