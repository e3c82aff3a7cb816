//! A scripted ACP agent: no model, no network.
//!
//! It is a real agent of the Agent Client Protocol, version 1, and knows nothing of the gate it is started behind:
//! it announces tool calls, asks before it acts, acts when it may, and says what it does. What it does is picked by
//! the prompt.
//!
//! # Scenarios
//!
//! A prompt that names no scenario is a [tour](#the-tour). Several scenarios, on lines of their own or with `;;`
//! between them, run in order; text around them is ignored.
//!
//! | prompt | what the agent does |
//! |---|---|
//! | `demo: tour` | the tour, as for any other text |
//! | `demo: help` | prints this table (so do `help` and `/help`) |
//! | `demo: say TEXT` | says TEXT |
//! | `demo: read FILE` | reads FILE, without asking |
//! | `demo: write FILE CONTENT…` | asks, then writes one line of CONTENT to FILE |
//! | `demo: edit FILE` | asks, then adds a line to FILE |
//! | `demo: run COMMAND LINE…` | asks, then runs the command; through `sh -c` unless it is made of plain words |
//! | `demo: two` | asks for two things at once: write `two.txt` and run `touch ran.txt` |
//! | `demo: fetch URL` | asks to fetch URL, then only pretends |
//! | `demo: mcp SERVER TOOL JSON` | asks to call an MCP tool with the arguments JSON, then only pretends |
//! | `demo: mode` | asks to leave plan mode; one answer switches to mode `free` |
//! | `demo: subagent` | a sub-agent asks, then writes `sub.txt` |
//! | `demo: unasked FILE` | writes FILE itself, without asking, and only reports it |
//! | `demo: loop N` | asks N times, one after the other, and counts the answers |
//! | `demo: slow SECONDS` | prints a dot every 200 ms |
//!
//! # The tour
//!
//! It shows a plan, reads `README.md` (or the first file there is), asks to write `mayi-demo.txt`, to edit it and to
//! run `ls -l mayi-demo.txt`, then asks for two things at once: run `rm mayi-demo.txt` and write
//! `mayi-demo-notes.txt`. A "no" skips one step and never ends the tour; the summary tells what was allowed.
//!
//! # What it does and does not
//!
//! - It reads and writes files with `fs/*` and runs commands with `terminal/*` when the client offers them, and does
//!   both itself when it doesn't. Only the old text of a diff is always read from the disk.
//! - An answer `cancelled`, `session/cancel` and `$/cancel_request` for the prompt end the turn at once, with the stop
//!   reason `cancelled`: open questions are withdrawn, open terminals killed and released.
//! - An error instead of an answer, and an option that was not offered, count as "no".
//! - `Always allow` is taken as `Allow`: it keeps no rules of its own, so the next call asks again.
//! - In the session mode `free` it asks nothing and acts at once. The mode `ask` is the default, also after
//!   `session/load`.
//! - It keeps what was said in `$MAYI_DEMO_STATE`, or in `mayi/agents/demo/sessions` of `$XDG_STATE_HOME` or
//!   `~/.local/state`, from the first prompt on, for `session/load`. An empty `MAYI_DEMO_STATE` keeps nothing; a folder that can't be written
//!   is no error.

use std::path::PathBuf;

use agent_client_protocol::{Agent, ConnectTo, Stdio};

mod agent;
mod calls;
mod script;
mod session;
mod state;
mod steps;
mod turn;

/// Why the demo agent stopped before its client closed the connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// The connection broke: the transport failed, or a message could not be handled.
    #[error("the demo agent lost its client: {0}")]
    Connection(#[source] Box<agent_client_protocol::Error>),
}

/// Serves one client over standard input and output, until it closes them.
///
/// Needs a tokio runtime with time and I/O enabled.
///
/// # Errors
///
/// [`DemoError::Connection`] when the connection breaks; a client that closes it is no error.
pub async fn serve_stdio() -> Result<(), DemoError> {
    serve_on(Stdio::new(), state::default_folder()).await
}

/// Serves one client over `transport`, and keeps the sessions' histories in `state`, if anywhere.
///
/// # Errors
///
/// The same as [`serve_stdio`].
pub async fn serve_on(
    transport: impl ConnectTo<Agent> + 'static,
    state: Option<PathBuf>,
) -> Result<(), DemoError> {
    agent::serve_client(transport, state::HistoryStore::new(state))
        .await
        .map_err(|error| DemoError::Connection(Box::new(error)))
}
