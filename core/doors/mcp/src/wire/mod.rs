//! The way to a server: messages out, messages in, whatever carries them.

pub(crate) mod http;
pub(crate) mod stdio;

use tokio::sync::mpsc;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::frame::{Frame, code};
use super::oauth::Logins;
use mayi_core::approval::escape_line;
use mayi_core::config::Transport;

/// Something that comes from a server.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message. `about` is the id (one of mayi's) of the request in whose stream it came, where the transport
    /// knows it.
    Frame {
        /// The message.
        frame: Frame,
        /// The request that it belongs to.
        about: Option<u64>,
    },
    /// Several messages as one array, which only one version of the protocol has.
    Batch(Vec<Incoming>),
    /// The request `id` can't be answered: it could not be sent, or its answer could not be read. The connection
    /// stands.
    Failed {
        /// Its id.
        id: u64,
        /// JSON-RPC's code for it.
        code: i64,
        /// Why, one line; text of others is escaped.
        message: String,
        /// Whether it may have come to the server: `false` where it is certain that it did not.
        sent: bool,
    },
    /// Nothing comes any more, and why; text of others is escaped. The last one.
    Ended(String),
}

/// A connection to a server. Dropping it ends the connection, and the server's process if there is one.
///
/// Ids of requests that go out are numbers of mayi's own. A `notifications/cancelled` that goes out names one of them;
/// a transport that says it in another way (closing a stream) does that instead.
pub(crate) struct Wire {
    /// What goes to the server; full while the server does not read.
    pub(crate) outgoing: mpsc::Sender<Frame>,
    /// What comes from it.
    pub(crate) incoming: mpsc::Receiver<Incoming>,
    /// Ends the connection when it is dropped.
    pub(crate) guard: Box<dyn Send + Sync>,
}

/// As many messages may wait in each direction.
pub(crate) const WAITING: usize = 1024;

/// The longest message that is read from a server: 64 MiB, in a line, an event or a body.
pub(crate) const LONGEST: usize = 64 * 1024 * 1024;

/// How a server is reached.
pub(crate) struct ServerTarget {
    /// By a program, or at an address.
    pub(crate) transport: Transport,
    /// Its name, for messages.
    pub(crate) name: String,
    /// The folder that a program starts in.
    pub(crate) cwd: PathBuf,
    /// Where the tokens of remote servers are.
    pub(crate) tokens: Option<PathBuf>,
}

impl ServerTarget {
    /// Connects.
    ///
    /// # Errors
    /// One line: why not.
    pub(crate) fn connect(&self, say: stdio::LineSink) -> Result<Wire, String> {
        match &self.transport {
            Transport::Stdio { command, env } => {
                let program =
                    stdio::Program { command: command.clone(), env: env.clone(), cwd: self.cwd.clone() };
                stdio::start(&program, say)
            }
            Transport::Http { url, headers } => http::connect(self.remote(url, headers)),
            Transport::Sse { url, headers } => http::connect_sse(self.remote(url, headers)),
        }
    }

    fn remote(&self, url: &str, headers: &BTreeMap<String, String>) -> http::Remote {
        http::Remote {
            name: self.name.clone(),
            url: url.to_owned(),
            headers: headers.clone(),
            bearer: self.tokens.as_deref().and_then(|data| Logins::new(data).bearer_for(url)),
        }
    }
}

/// What `text` says: a message, or several as one array. What is none goes to `stray`, with why, and fails the requests that it
/// would answer: somebody waits for them all the same.
fn read_messages(text: &str, stray: &mut dyn FnMut(&str)) -> Option<Incoming> {
    if let Some(batch) = Frame::parse_batch(text) {
        let each = batch.iter().flat_map(|message| read_message(message.get(), stray));
        return Some(Incoming::Batch(each.collect()));
    }
    let mut messages = read_message(text, stray);
    if messages.len() > 1 { Some(Incoming::Batch(messages)) } else { messages.pop() }
}

/// One, or each request that fails by it.
fn read_message(text: &str, stray: &mut dyn FnMut(&str)) -> Vec<Incoming> {
    match Frame::parse(text) {
        Ok(frame) => vec![Incoming::Frame { frame, about: None }],
        Err(malformed) => {
            stray(&format!("{}: {}", malformed.message, start_of(text)));
            let failed = |id| Incoming::Failed {
                id,
                code: code::INTERNAL,
                message: format!("its answer is no message: {}", malformed.message),
                sent: true,
            };
            answered_request_ids(text).map(failed).collect()
        }
    }
}

fn start_of(text: &str) -> String {
    escape_line(&text.trim().chars().take(80).collect::<String>())
}

/// The requests that something would answer that is no message, also where more stands behind an object: garbage, or the next
/// message without an end of line between.
fn answered_request_ids(text: &str) -> impl Iterator<Item = u64> + '_ {
    let objects = serde_json::Deserializer::from_str(text.trim()).into_iter::<serde_json::Value>();
    objects.map_while(Result::ok).filter_map(|object| {
        let answers =
            object.get("method").is_none() || object.get("result").or(object.get("error")).is_some();
        object.get("id")?.as_u64().filter(|_| answers)
    })
}
