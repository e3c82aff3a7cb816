//! The door from its beginning to its end: two sides that are read, and two that are written.

use std::future::Future;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::watch;

use super::cards::withdrawal;
use super::host::Host;
use super::line::{self, code};
use super::lines::{self, Line};
use super::shared::Shared;
use super::{agent, editor};
use mayi_acp_shared::{AgentError, Launch, Process};
use mayi_core::approval::visible;
use mayi_core::gate::Tally;

/// How the door is to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The user has said that this editor shows options as they are: answers for longer than the session are offered too.
    pub wide_scopes: bool,
    /// Version 2 of the protocol, a preview, is spoken where editor and agent both do.
    pub protocol_v2: bool,
}

/// Why it ended.
#[derive(Debug)]
pub enum Why {
    /// The editor has closed its side.
    EditorGone,
    /// It was interrupted.
    Interrupted,
    /// The agent ended, or broke the protocol.
    Agent(AgentError),
}

/// What came of it.
#[derive(Debug)]
pub struct Ended {
    /// Why it ended.
    pub why: Why,
    /// How much of what there was, in all sessions.
    pub tally: Tally,
}

/// After the agent has ended, what it wrote before has so long to arrive.
const AFTER: Duration = Duration::from_millis(200);

/// So long may answers that are owed take at the end, and what was said last on its way to the editor.
const OWED: Duration = Duration::from_secs(2);

/// Is the agent of an editor, with another one behind it, until one of them ends or `interrupted` does.
///
/// # Errors
/// If the agent can't be found or started.
pub async fn serve(
    launch: &Launch,
    host: Arc<dyn Host>,
    options: Options,
    (input, output): (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
    interrupted: impl Future<Output = ()>,
) -> Result<Ended, AgentError> {
    let said = Arc::clone(&host);
    let (mut process, pipes) = Process::start(launch, move |line| said.note(&line)).await?;
    let shared = Arc::new(Shared::new(host, options).map_err(AgentError::Protocol)?);
    let mut to_editor = tokio::spawn(Arc::clone(&shared.editor).write(output));
    let mut to_agent = tokio::spawn(Arc::clone(&shared.agent).write(pipes.stdin));
    let mut of_editor = tokio::spawn(from_editor(Arc::clone(&shared), input));
    let mut of_agent = tokio::spawn(from_agent(Arc::clone(&shared), pipes.stdout, pipes.exited));
    let gone = || shared.fault().map(AgentError::Protocol);
    let why = tokio::select! {
        () = interrupted => Why::Interrupted,
        _ = &mut of_editor => gone().map_or(Why::EditorGone, Why::Agent),
        _ = &mut to_editor => Why::EditorGone,
        _ = &mut of_agent => Why::Agent(match gone() {
            Some(fault) => fault,
            None => process.died("by itself").await,
        }),
        _ = &mut to_agent => {
            // It reads no more: it is about to end, or has to.
            let _ = tokio::time::timeout(AFTER * 5, &mut of_agent).await;
            Why::Agent(process.died("and reads no more").await)
        }
        () = shared.over.cancelled() => Why::Agent(gone().unwrap_or_else(|| AgentError::Protocol("it has to end".to_owned()))),
    };
    of_editor.abort();
    of_agent.abort();
    let told = match &why {
        Why::EditorGone => "the editor is gone".to_owned(),
        Why::Interrupted => "mayi was interrupted".to_owned(),
        Why::Agent(error) => error.to_string(),
    };
    settle(&shared, &told);
    shared.answers.close();
    let _ = tokio::time::timeout(OWED, shared.answers.wait()).await;
    shared.editor.close();
    shared.agent.close();
    if !to_editor.is_finished() {
        let _ = tokio::time::timeout(OWED, &mut to_editor).await;
    }
    to_agent.abort();
    process.end().await;
    let tally = leave(&shared).await;
    Ok(Ended { why, tally })
}

/// Nobody waits for anything any more.
fn settle(shared: &Shared, why: &str) {
    shared.over.cancel();
    let (asks, cards) = {
        let mut flight = shared.flight();
        flight.own.clear();
        (std::mem::take(&mut flight.editor), std::mem::take(&mut flight.cards))
    };
    for id in cards.keys() {
        shared.editor.push(withdrawal(id));
    }
    for id in asks.keys() {
        shared.editor.push(line::error(Some(id), code::INTERNAL, why));
    }
    let sessions: Vec<_> = shared.sessions().values().chain(&*shared.aside()).cloned().collect();
    for session in sessions {
        session.gate().cancel_all(why);
    }
}

/// Ends what stands behind the sessions.
async fn leave(shared: &Shared) -> Tally {
    let mut sessions: Vec<_> = std::mem::take(&mut *shared.sessions()).into_values().collect();
    sessions.append(&mut shared.aside());
    for session in sessions.into_iter().filter(|session| session.core.parent.is_none()) {
        if let Some(servers) = &session.family.servers {
            servers.end().await;
        }
        shared.count(session.gate());
        let gate = session.gate().clone();
        let _ = tokio::task::spawn_blocking(move || gate.leave()).await;
    }
    shared.tally()
}

async fn from_editor(shared: Arc<Shared>, input: impl AsyncRead + Unpin) {
    let mut reader = BufReader::with_capacity(64 * 1024, input);
    loop {
        let line = match lines::next(&mut reader).await {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => return shared.note(format!("the editor can't be read: {error}")),
        };
        match line {
            Line::Text(text) if text.trim().is_empty() => {}
            Line::Text(text) => {
                if let Some(line) = editor::take(&shared, &text).await {
                    shared.pass_to_agent(line).await;
                }
            }
            Line::Bytes => {
                shared.note("the editor sent a line that is not UTF-8");
                shared.editor.push(line::error(None, code::INVALID_REQUEST, "a line that is not UTF-8"));
            }
        }
    }
}

async fn from_agent(
    shared: Arc<Shared>,
    output: impl AsyncRead + Unpin,
    mut exited: watch::Receiver<Option<ExitStatus>>,
) {
    let mut reader = BufReader::with_capacity(64 * 1024, output);
    let mut spoken = false;
    let gone = async move {
        let _ = exited.wait_for(Option::is_some).await;
        tokio::time::sleep(AFTER).await;
    };
    tokio::pin!(gone);
    loop {
        // What it says waits while the editor does not read; what it is answered does not.
        tokio::select! {
            () = shared.editor.room() => {}
            () = &mut gone => return,
        }
        let line = tokio::select! {
            biased;
            line = lines::next(&mut reader) => line,
            () = &mut gone => return,
        };
        match line {
            Ok(None) => return,
            Ok(Some(Line::Text(text))) if text.trim().is_empty() => {}
            Ok(Some(Line::Text(text))) => {
                if let Some(line) = agent::take(&shared, &text, &mut spoken) {
                    shared.editor.push(line);
                }
            }
            Ok(Some(Line::Bytes)) => {
                shared.note("the agent sent a line that is not UTF-8: it was not passed on");
                shared.agent.push(line::error(None, code::INVALID_REQUEST, "a line that is not UTF-8"));
            }
            Err(error) => return shared.fail(format!("it wrote {}", visible(&error.to_string()))),
        }
    }
}
