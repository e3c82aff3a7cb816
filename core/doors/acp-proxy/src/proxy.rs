//! The door from its beginning to its end: two sides that are read, and two that are written.

use std::future::Future;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::cards::withdrawal_line;
use super::host::Host;
use super::line::{self, code};
use super::lines::{Line, Lines};
use super::outbox::ClosedElsewhere;
use super::shared::Shared;
use super::{agent, editor};
use mayi_acp_shared::{AgentError, Launch, Process};
use mayi_core::approval::escape_line;
use mayi_core::gate::Tally;
use mayi_doors::task::spawn;

/// How the door is to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProxyOptions {
    /// The user has said that this editor shows options as they are: answers for longer than the session are offered too.
    pub wide_scopes: bool,
    /// Version 2 of the protocol, a preview, is spoken where editor and agent both do.
    pub protocol_v2: bool,
}

/// Why it ended.
#[derive(Debug)]
pub enum EndReason {
    /// The editor has closed its side.
    EditorGone,
    /// It was interrupted.
    Interrupted,
    /// The agent ended, or broke the protocol.
    Agent(AgentError),
}

/// What came of it.
#[derive(Debug)]
pub struct ProxyOutcome {
    /// Why it ended.
    pub why: EndReason,
    /// How much of what there was, in all sessions.
    pub tally: Tally,
}

/// After the agent has ended, what it wrote before has so long to arrive, and may be so much: a pipe holds no more.
const AFTER: Duration = Duration::from_millis(200);
const LAST: usize = 4 * 1024 * 1024;

/// So long may answers that are owed take at the end, and what was said last on its way to the editor.
const OWED: Duration = Duration::from_secs(2);

/// So long may that take where the agent has ended and the editor is there: it may only be slow.
const SLOW: Duration = Duration::from_secs(60);

/// Is the agent of an editor, with another one behind it, until one of them ends or `interrupted` does.
///
/// # Errors
/// If the agent can't be found or started.
pub async fn serve_editor(
    launch: &Launch,
    host: Arc<dyn Host>,
    options: ProxyOptions,
    (input, output): (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
    interrupted: impl Future<Output = ()>,
) -> Result<ProxyOutcome, AgentError> {
    let said = Arc::clone(&host);
    let (mut process, pipes) = Process::start(launch, move |line| said.log_notice(&line)).await?;
    let shared = Arc::new(Shared::new(host, options).map_err(AgentError::Protocol)?);
    let mut to_editor = spawn(Arc::clone(&shared.editor).write(output));
    let mut to_agent = spawn(Arc::clone(&shared.agent).write(ClosedElsewhere::new(pipes.stdin)));
    let mut of_editor = spawn(from_editor(Arc::clone(&shared), input));
    let mut of_agent = spawn(from_agent(Arc::clone(&shared), pipes.stdout, pipes.exited));
    let mut interrupted = std::pin::pin!(interrupted);
    let gone = || shared.fault().map(AgentError::Protocol);
    let why = tokio::select! {
        () = &mut interrupted => EndReason::Interrupted,
        _ = &mut of_editor => gone().map_or(EndReason::EditorGone, EndReason::Agent),
        _ = &mut to_editor => EndReason::EditorGone,
        _ = &mut of_agent => EndReason::Agent(match gone() {
            Some(fault) => fault,
            None => process.exit_error("by itself").await,
        }),
        _ = &mut to_agent => {
            // It reads no more: it is about to end, or has to.
            let _ = tokio::time::timeout(AFTER * 5, &mut of_agent).await;
            EndReason::Agent(process.exit_error("and reads no more").await)
        }
        () = shared.over.cancelled() => EndReason::Agent(gone().unwrap_or_else(|| AgentError::Protocol("it has to end".to_owned()))),
    };
    of_agent.abort();
    let told = match &why {
        EndReason::EditorGone => "the editor is gone".to_owned(),
        EndReason::Interrupted => "mayi was interrupted".to_owned(),
        EndReason::Agent(error) => error.to_string(),
    };
    cancel_waiting(&shared, &told);
    shared.answers.close();
    let _ = tokio::time::timeout(OWED, shared.answers.wait()).await;
    shared.agent.close();
    to_agent.abort();
    process.end().await;
    let tally = end_sessions(&shared).await;
    // What was said last: the editor may be slow, as long as it is there.
    shared.editor.close();
    if !to_editor.is_finished() {
        let waits = matches!(why, EndReason::Agent(_)) && !of_editor.is_finished();
        tokio::select! {
            _ = &mut to_editor => {}
            () = tokio::time::sleep(if waits { SLOW } else { OWED }) => {}
            _ = &mut of_editor, if waits => {
                let _ = tokio::time::timeout(OWED, &mut to_editor).await;
            }
            () = &mut interrupted, if waits => {}
        }
    }
    of_editor.abort();
    Ok(ProxyOutcome { why, tally })
}

/// Nobody waits for anything any more.
fn cancel_waiting(shared: &Shared, why: &str) {
    shared.over.cancel();
    let (asks, cards) = {
        let mut flight = shared.lock_flight();
        flight.own.clear();
        (std::mem::take(&mut flight.editor), std::mem::take(&mut flight.cards))
    };
    for id in cards.keys() {
        shared.editor.push(withdrawal_line(id));
    }
    for id in asks.keys() {
        shared.editor.push(line::format_error(Some(id), code::INTERNAL, why));
    }
    let sessions: Vec<_> = shared.lock_sessions().values().chain(&*shared.lock_aside()).cloned().collect();
    for session in sessions {
        session.gate().cancel_all(why);
    }
}

/// Ends what stands behind the sessions.
async fn end_sessions(shared: &Shared) -> Tally {
    let mut sessions: Vec<_> = std::mem::take(&mut *shared.lock_sessions()).into_values().collect();
    sessions.append(&mut shared.lock_aside());
    for session in sessions.into_iter().filter(|session| session.is_root()) {
        if let Some(servers) = &session.family.servers {
            servers.end().await;
        }
        shared.add_tally(session.gate());
        let gate = session.gate().clone();
        let _ = tokio::task::spawn_blocking(move || gate.shut_down()).await;
    }
    shared.tally()
}

/// Reads on whatever the agent does: what goes on to it waits in its queue, and what the person ends, ends at once.
async fn from_editor(shared: Arc<Shared>, input: impl AsyncRead + Unpin) {
    let mut lines = Lines::new(input);
    loop {
        let line = match lines.next().await {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => return shared.log_notice(format!("the editor can't be read: {error}")),
        };
        if shared.over.is_cancelled() {
            // Nobody is there any more who could do something with it.
            continue;
        }
        match line {
            Line::Text(text) if text.trim().is_empty() => {}
            Line::Text(text) => {
                if let Some(line) = editor::route_line(&shared, &text).await
                    && !shared.agent.has_place(line)
                {
                    return shared.end_with_fault("it reads nothing of what it is sent");
                }
            }
            Line::Bytes(text) => {
                editor::refuse_message(&shared, &line::refuse_line(&text, NOT_TEXT.to_owned()))
            }
        }
    }
}

/// Why a line is refused that is not UTF-8.
const NOT_TEXT: &str = "a line that is not UTF-8";

async fn from_agent(
    shared: Arc<Shared>,
    output: impl AsyncRead + Unpin,
    mut exited: watch::Receiver<Option<ExitStatus>>,
) {
    let mut lines = Lines::new(output);
    let mut spoken = false;
    let gone = async move {
        let _ = exited.wait_for(Option::is_some).await;
    };
    tokio::pin!(gone);
    loop {
        // What it says waits while the editor does not read; what it is answered does not.
        tokio::select! {
            biased;
            () = &mut gone => break,
            () = shared.editor.wait_for_room() => {}
        }
        let line = tokio::select! {
            biased;
            line = lines.next() => line,
            () = &mut gone => break,
        };
        if !from_agent_one(&shared, line, &mut spoken) {
            return;
        }
    }
    // It has ended, and what it wrote before is in the pipe: who has that pipe besides is not waited for.
    let (mut left, until) = (LAST, tokio::time::Instant::now() + OWED);
    while left > 0
        && tokio::time::Instant::now() < until
        && let Ok(line) = tokio::time::timeout(AFTER, lines.next()).await
    {
        if let Ok(Some(Line::Text(text) | Line::Bytes(text))) = &line {
            left = left.saturating_sub(text.len() + 1);
        }
        if !from_agent_one(&shared, line, &mut spoken) {
            return;
        }
    }
}

/// Takes one line of the agent's. Whether there may be more.
fn from_agent_one(shared: &Arc<Shared>, line: std::io::Result<Option<Line>>, spoken: &mut bool) -> bool {
    match line {
        Ok(None) => return false,
        Ok(Some(Line::Text(text))) if text.trim().is_empty() => {}
        Ok(Some(Line::Text(text))) => {
            if let Some(line) = agent::route_line(shared, &text, spoken) {
                shared.editor.push(line);
            }
        }
        Ok(Some(Line::Bytes(text))) => agent::refuse_garbled(shared, &text, NOT_TEXT),
        Err(error) => {
            shared.end_with_fault(format!("it wrote {}", escape_line(&error.to_string())));
            return false;
        }
    }
    true
}
