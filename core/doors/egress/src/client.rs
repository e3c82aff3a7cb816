//! Commands that may use the proxy, each by a secret of its own.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::HeaderMap;
use http::header::{HeaderValue, PROXY_AUTHORIZATION};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::limits::Limits;
use crate::questions::Asker;

/// The user name beside the secret, in `http://mayi:SECRET@127.0.0.1:PORT`.
pub(crate) const USER: &str = "mayi";
/// How many bytes of chance a secret is made of.
const SECRET_BYTES: usize = 32;

/// A command, and the secret that it shows.
#[derive(Clone)]
pub struct Client {
    id: Arc<str>,
    program: Option<Arc<str>>,
    secret: String,
}

impl Client {
    /// The command `id`, with a new secret. Commands with the same `program` share questions and what is remembered for as long as
    /// the proxy is there: it should name all that an answer is about, such as session and program.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn new(id: &str, program: Option<&str>) -> Result<Self, NoRandomBytes> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| NoRandomBytes(error.to_string()))?;
        let secret = URL_SAFE_NO_PAD.encode(bytes);
        Ok(Self { id: id.into(), program: program.map(Into::into), secret })
    }

    /// The id of the command.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The password at the proxy: letters, digits, `-` and `_`. The user name is `mayi`.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.secret
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("id", &self.id).field("program", &self.program).finish_non_exhaustive()
    }
}

/// The system has no random bytes.
#[derive(Debug, Error)]
#[error("no random bytes for a secret: {0}")]
pub struct NoRandomBytes(String);

/// There is a command of that id already.
#[derive(Debug, Error)]
#[error("the command {0} is registered already")]
pub struct AlreadyRegistered(pub String);

/// A command that is registered.
pub(crate) struct Known {
    pub(crate) id: Arc<str>,
    pub(crate) program: Option<Arc<str>>,
    /// `mayi:SECRET` in Base64, as it stands in the header.
    credentials: String,
    pub(crate) connections: Arc<Semaphore>,
    pub(crate) lookups: Arc<Semaphore>,
    pub(crate) ended: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

impl Known {
    /// Whom questions of this command are asked for.
    pub(crate) fn asker(&self) -> Asker {
        match &self.program {
            Some(program) => Asker::Program(Arc::clone(program)),
            None => Asker::Command(Arc::clone(&self.id)),
        }
    }
}

/// All commands that are registered.
#[derive(Default)]
pub(crate) struct Clients {
    known: Mutex<HashMap<Arc<str>, Arc<Known>>>,
}

impl Clients {
    pub(crate) fn add(
        &self,
        client: &Client,
        limits: &Limits,
        closing: &CancellationToken,
    ) -> Result<Arc<Known>, AlreadyRegistered> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if all.contains_key(&client.id) {
            return Err(AlreadyRegistered(client.id.to_string()));
        }
        let known = Arc::new(Known {
            id: Arc::clone(&client.id),
            program: client.program.clone(),
            credentials: STANDARD.encode(format!("{USER}:{}", client.secret)),
            connections: Arc::new(Semaphore::new(limits.connections_each)),
            lookups: Arc::new(Semaphore::new(limits.lookups_each)),
            ended: closing.child_token(),
            tasks: TaskTracker::new(),
        });
        all.insert(Arc::clone(&client.id), Arc::clone(&known));
        Ok(known)
    }

    pub(crate) fn remove(&self, id: &str) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Who shows a secret in `headers`. Every secret is compared, and each in the same time.
    pub(crate) fn who(&self, headers: &HeaderMap) -> Shown {
        let mut shown = headers.get_all(PROXY_AUTHORIZATION).iter();
        let (first, more) = (shown.next(), shown.next());
        let Some(first) = first else { return Shown::Nothing };
        let Some(given) = basic(first).filter(|_| more.is_none()) else { return Shown::Wrong };
        let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Shown::Wrong;
        for known in all.values() {
            if bool::from(known.credentials.as_bytes().ct_eq(given)) {
                found = Shown::Known(Arc::clone(known));
            }
        }
        found
    }
}

/// What a request shows of who sends it.
pub(crate) enum Shown {
    Nothing,
    Wrong,
    Known(Arc<Known>),
}

/// What stands behind `Basic`.
fn basic(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, rest) = value.as_bytes().split_at_checked("Basic ".len())?;
    scheme.eq_ignore_ascii_case(b"Basic ").then(|| rest.trim_ascii())
}
