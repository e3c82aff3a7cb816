//! `terminal/*`: commands that mayi runs for the agent, through the gate.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::watch;

use super::shared::{Shared, TurnState, denied_error, invalid_params_error, session_of};
use mayi_acp_shared::adapt;
use mayi_acp_shared::input::non_empty_text;
use mayi_acp_shared::terminals::{Starter, TerminalRequest, create_call};
use mayi_core::call::{Call, Dialect};
use mayi_core::gate::{Authorized, Verdict};
use mayi_doors::process::{self, ProcessFamily, without_own_variables};
use mayi_doors::task::{SpawnBoxed as _, spawn};

/// As much output is kept where the agent sets no limit.
const KEPT: usize = 1024 * 1024;

/// As many terminals may be open on one connection.
const MOST: usize = 128;

/// All terminals of a connection.
#[derive(Default)]
pub(super) struct Terminals {
    open: Mutex<HashMap<String, Arc<Terminal>>>,
}

struct Terminal {
    /// Also what the command left in the background: it ends with the terminal.
    family: Mutex<ProcessFamily>,
    output: Mutex<Output>,
    exit: watch::Receiver<Option<Value>>,
}

struct Output {
    bytes: Vec<u8>,
    limit: usize,
    truncated: bool,
}

impl Output {
    /// Keeps the end of the output, cut at the start of a character.
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > self.limit {
            self.truncated = true;
            let mut cut = self.bytes.len() - self.limit;
            while self.bytes.get(cut).is_some_and(|byte| byte & 0xC0 == 0x80) {
                cut += 1;
            }
            self.bytes.drain(..cut.min(self.bytes.len()));
        }
    }
}

impl Terminals {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Terminal>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, params: &Value) -> Result<Arc<Terminal>, Error> {
        let id = non_empty_text(params, "terminalId").unwrap_or_default();
        self.lock().get(&id).cloned().ok_or_else(|| invalid_params_error("no terminal has this id"))
    }

    /// Ends all of them: the agent is gone.
    pub(super) fn end_all(&self) {
        for (_, terminal) in self.lock().drain() {
            terminal.lock_family().request_end();
        }
    }
}

impl Terminal {
    fn lock_family(&self) -> MutexGuard<'_, ProcessFamily> {
        self.family.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn create_terminal(
    shared: &Arc<Shared>,
    params: Value,
    responder: Responder<Value>,
) -> Result<(), Error> {
    let Some(session) = session_of(&shared.gate, &params) else {
        return responder
            .respond_with_error(invalid_params_error("terminal/create needs a sessionId of mine"));
    };
    if shared.turn_state(&session.id) == TurnState::Cancelled {
        return responder.respond_with_error(denied_error("the turn was cancelled"));
    }
    // A line is run by `/bin/sh`.
    let (call, wanted) = match create_call(&session, &params, Starter::Mayi(Dialect::Sh)) {
        Ok(found) => found,
        Err(wrong) => return responder.respond_with_error(invalid_params_error(wrong)),
    };
    let limit = params
        .get("outputByteLimit")
        .and_then(Value::as_u64)
        .map_or(KEPT, |limit| usize::try_from(limit).unwrap_or(usize::MAX).min(16 * KEPT));
    let accesses = call.accesses.clone();
    shared
        .lock_tool_calls()
        .mark_open_calls_gated(&session.id, |known| adapt::is_within_accesses(&session, known, &accesses));
    let ticket = shared.gate.submit(call, &[]);
    let answers = shared.answers.clone();
    let cancellation = responder.cancellation();
    let shared = Arc::clone(shared);
    answers.spawn_boxed(async move {
        let verdict = tokio::select! {
            verdict = ticket.verdict() => verdict,
            () = cancellation.cancelled() => Verdict::Cancelled,
        };
        let result = match verdict {
            Verdict::Allowed(authorized) => start(&shared, &authorized, (wanted, limit)).await,
            Verdict::Denied(refusal) => Err(denied_error(&refusal.reason)),
            Verdict::Cancelled => Err(Error::request_cancelled()),
        };
        if let Err(error) = responder.respond_with_result(result) {
            tracing::debug!(%error, "the agent was gone before its answer");
        }
    });
    Ok(())
}

/// Runs what was authorized: the words that were judged, or the line in a shell.
async fn start(
    shared: &Shared,
    authorized: &Authorized<Call>,
    (wanted, limit): (TerminalRequest, usize),
) -> Result<Value, Error> {
    if shared.terminals.lock().len() >= MOST {
        return Err(denied_error("too many terminals are open: release some"));
    }
    let (program, arguments) = match (&wanted.line, wanted.argv.split_first()) {
        (Some(line), _) => ("/bin/sh".to_owned(), vec!["-c".to_owned(), line.clone()]),
        (None, Some((program, arguments))) => (program.clone(), arguments.to_vec()),
        (None, None) => return Err(invalid_params_error("terminal/create needs a command")),
    };
    let mut command = Command::new(&program);
    command
        .args(arguments)
        .current_dir(
            mayi_core::call::resolve_path(&authorized.call().cwd)
                .unwrap_or_else(|_| authorized.call().cwd.clone()),
        )
        .env_remove("PWD")
        .env("PATH", mayi_acp_shared::safe_path(&[]));
    without_own_variables(&mut command);
    command.envs(&authorized.call().env);
    let carrying = shared.gate.begin_execution(authorized);
    let begun = async {
        let started = process::start(command, false)?;
        started.pending_start.wait_started().await?;
        Ok::<_, std::io::Error>((started.stdout, started.stderr, started.family, started.exited))
    };
    let (stdout, stderr, family, mut exited) = match begun.await {
        Ok(begun) => begun,
        Err(error) => {
            carrying.finish("failed");
            return Err(invalid_params_error(&format!("{program}: {error}")));
        }
    };
    let (exit, exits) = watch::channel(None);
    let terminal = Arc::new(Terminal {
        family: Mutex::new(family),
        output: Mutex::new(Output { bytes: Vec::new(), limit, truncated: false }),
        exit: exits,
    });
    let readers = [
        spawn(collect_output(stdout, Arc::clone(&terminal))),
        spawn(collect_output(stderr, Arc::clone(&terminal))),
    ];
    spawn(async move {
        let status = exited.wait_for(Option::is_some).await.map(|status| *status);
        // What it wrote before it ended belongs to its output; a grandchild that holds the pipe
        // open does not hold up the end.
        for reader in readers {
            let _ = tokio::time::timeout(std::time::Duration::from_millis(300), reader).await;
        }
        let status = status.ok().flatten();
        carrying.finish(&describe_exit(status));
        let _ = exit.send(Some(exit_status(status)));
    });
    let id = format!("term_{}", uuid::Uuid::now_v7().simple());
    shared.terminals.lock().insert(id.clone(), terminal);
    let call = authorized.call();
    shared.lock_tool_calls().record_terminal(&call.session, &id, call.accesses.clone());
    Ok(json!({"terminalId": id}))
}

async fn collect_output(mut pipe: impl tokio::io::AsyncRead + Unpin, terminal: Arc<Terminal>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count) = pipe.read(&mut buffer).await {
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { return };
        terminal.output.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }
}

/// How a program ended, for the record: `exit code 1`, `signal 9`.
fn describe_exit(status: Option<std::process::ExitStatus>) -> String {
    #[cfg(unix)]
    if let Some(signal) = status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status)) {
        return format!("signal {signal}");
    }
    match status.and_then(|status| status.code()) {
        Some(0) => "completed".to_owned(),
        Some(code) => format!("exit code {code}"),
        None => "failed".to_owned(),
    }
}

fn exit_status(status: Option<std::process::ExitStatus>) -> Value {
    #[cfg(unix)]
    let signal = status
        .and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status))
        .map(|n| n.to_string());
    #[cfg(not(unix))]
    let signal: Option<String> = None;
    json!({"exitCode": status.and_then(|status| status.code()), "signal": signal})
}

pub(super) fn terminal_output(
    shared: &Shared,
    params: &Value,
    responder: Responder<Value>,
) -> Result<(), Error> {
    let result = shared.terminals.get(params).map(|terminal| {
        let output = terminal.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut answer =
            json!({"output": String::from_utf8_lossy(&output.bytes), "truncated": output.truncated});
        if let (Some(status), Some(object)) = (terminal.exit.borrow().clone(), answer.as_object_mut()) {
            object.insert("exitStatus".to_owned(), status);
        }
        answer
    });
    responder.respond_with_result(result)
}

pub(super) fn wait_for_exit(
    shared: &Shared,
    params: &Value,
    responder: Responder<Value>,
) -> Result<(), Error> {
    let terminal = match shared.terminals.get(params) {
        Ok(terminal) => terminal,
        Err(error) => return responder.respond_with_error(error),
    };
    let cancellation = responder.cancellation();
    spawn(async move {
        let mut exit = terminal.exit.clone();
        let result = tokio::select! {
            status = exit.wait_for(Option::is_some) => {
                status.ok().and_then(|status| status.clone()).ok_or_else(|| denied_error("the terminal is gone"))
            }
            () = cancellation.cancelled() => Err(Error::request_cancelled()),
        };
        let _ = responder.respond_with_result(result);
    });
    Ok(())
}

pub(super) fn kill(shared: &Shared, params: &Value, responder: Responder<Value>) -> Result<(), Error> {
    responder.respond_with_result(shared.terminals.get(params).map(|terminal| {
        terminal.lock_family().kill();
        json!({})
    }))
}

pub(super) fn release_terminal(
    shared: &Shared,
    params: &Value,
    responder: Responder<Value>,
) -> Result<(), Error> {
    let id = non_empty_text(params, "terminalId").unwrap_or_default();
    let removed = shared.terminals.lock().remove(&id);
    responder.respond_with_result(removed.ok_or_else(|| invalid_params_error("no terminal has this id")).map(
        |terminal| {
            terminal.lock_family().request_end();
            json!({})
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::Output;

    /// ACP, terminals: output over the limit is cut at its beginning, at a character boundary.
    #[test]
    fn given_more_output_than_the_limit_then_its_end_is_kept_whole() {
        let mut output = Output { bytes: Vec::new(), limit: 4, truncated: false };
        output.push("abcé".as_bytes());
        assert!(output.truncated);
        assert_eq!(String::from_utf8(output.bytes.clone()).unwrap(), "bcé");
        output.push("é".as_bytes());
        assert_eq!(String::from_utf8(output.bytes).unwrap(), "éé");
    }
}
