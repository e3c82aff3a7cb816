//! `fs/read_text_file` and `fs/write_text_file`, through the gate.
//!
//! What was judged is what is opened: the resolved path is walked again without following any link,
//! and the file is looked at once more after it is open (D1.17).

use std::io::{Read, Write};
use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use serde_json::{Value, json};

use super::shared::{Shared, TurnState, denied_error, invalid_params_error, session_of};
use mayi_acp_shared::adapt;
use mayi_acp_shared::files::{Purpose, open, read_call, write_call};
use mayi_acp_shared::input::non_empty_text;
use mayi_core::call::{Access, Call};
use mayi_core::gate::{Authorized, Session, Verdict};
use mayi_doors::task::SpawnBoxed as _;

/// The largest file that is read for an agent.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The protocol's code for what is not there.
const NOT_FOUND: i32 = -32002;

pub(super) fn read(shared: &Arc<Shared>, params: Value, responder: Responder<Value>) -> Result<(), Error> {
    let Some((session, path)) = session_and_path(shared, &params) else {
        return responder.respond_with_error(invalid_params_error(
            "fs/read_text_file needs a sessionId of mine and a path",
        ));
    };
    let call = read_call(&session, &path, &params);
    let missing_is_empty = shared.offer.missing_files_are_empty;
    submit_and_run(shared, session, call, responder, move |authorized| {
        let line = params.get("line").and_then(Value::as_u64);
        let limit = params.get("limit").and_then(Value::as_u64);
        let content = match read_file(authorized, &path) {
            // The client of Gemini CLI takes every error for one that it can't go on after, and would create no file.
            Err(error) if missing_is_empty && i32::from(error.code) == NOT_FOUND => String::new(),
            content => content?,
        };
        Ok(json!({"content": slice_lines(&content, line, limit)}))
    })
}

pub(super) fn write(shared: &Arc<Shared>, params: Value, responder: Responder<Value>) -> Result<(), Error> {
    let content = params.get("content").and_then(Value::as_str).map(str::to_owned);
    let (Some((session, path)), Some(content)) = (session_and_path(shared, &params), content) else {
        return responder.respond_with_error(invalid_params_error(
            "fs/write_text_file needs a sessionId of mine, a path and a content",
        ));
    };
    let call = write_call(&session, &path, content);
    submit_and_run(shared, session, call, responder, move |authorized| {
        write_file(authorized, &path)?;
        Ok(json!({}))
    })
}

fn session_and_path(shared: &Shared, params: &Value) -> Option<(Session, String)> {
    Some((session_of(&shared.gate, params)?, non_empty_text(params, "path")?))
}

/// Hands the call in, and does `work` in a task of its own if it is allowed.
fn submit_and_run(
    shared: &Arc<Shared>,
    session: Session,
    call: Call,
    responder: Responder<Value>,
    work: impl FnOnce(&Authorized<Call>) -> Result<Value, Error> + Send + 'static,
) -> Result<(), Error> {
    if shared.turn_state(&session.id) == TurnState::Cancelled {
        return responder.respond_with_error(denied_error("the turn was cancelled"));
    }
    let accesses = call.accesses.clone();
    shared
        .lock_tool_calls()
        .mark_open_calls_gated(&session.id, |known| adapt::is_within_accesses(&session, known, &accesses));
    let ticket = shared.gate.submit(call, &[]);
    let cancellation = responder.cancellation();
    let gate = shared.gate.clone();
    shared.answers.spawn_boxed(async move {
        let verdict = tokio::select! {
            verdict = ticket.verdict() => verdict,
            () = cancellation.cancelled() => Verdict::Cancelled,
        };
        let result = match verdict {
            Verdict::Allowed(authorized) => tokio::task::spawn_blocking(move || {
                let carrying = gate.begin_execution(&authorized);
                let done = work(&authorized);
                carrying.finish(if done.is_ok() { "completed" } else { "failed" });
                done
            })
            .await
            .unwrap_or_else(|_| Err(denied_error("the file could not be looked at"))),
            Verdict::Denied(refusal) => Err(denied_error(&refusal.reason)),
            Verdict::Cancelled => Err(Error::request_cancelled()),
        };
        if let Err(error) = responder.respond_with_result(result) {
            tracing::debug!(%error, "the agent was gone before its answer");
        }
    });
    Ok(())
}

fn read_file(authorized: &Authorized<Call>, given: &str) -> Result<String, Error> {
    let Some(Access::Read(path)) = authorized.call().accesses.first() else {
        return Err(denied_error("not what was judged"));
    };
    let file = open(&path.resolved, Purpose::Read).map_err(|error| io_error(&error, given))?;
    let meta = file.metadata().map_err(|error| io_error(&error, given))?;
    if !meta.is_file() {
        return Err(invalid_params_error(&format!("{given} is not a file")));
    }
    if meta.len() > LARGEST {
        return Err(invalid_params_error(&format!("{given} is larger than {} MiB", LARGEST / 1024 / 1024)));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| io_error(&error, given))?;
    String::from_utf8(bytes).map_err(|_| invalid_params_error(&format!("{given} is not UTF-8 text")))
}

fn write_file(authorized: &Authorized<Call>, given: &str) -> Result<(), Error> {
    let (Some(Access::Write(_, path)), Some(diff)) =
        (authorized.call().accesses.first(), authorized.call().diffs.first())
    else {
        return Err(denied_error("not what was judged"));
    };
    if let Some(parent) = path.resolved.parent().filter(|parent| !parent.exists()) {
        std::fs::create_dir_all(parent).map_err(|error| io_error(&error, given))?;
        // The folders that were made must be where they were judged to be.
        if mayi_core::call::resolve_path(parent).ok().as_deref() != Some(parent) {
            return Err(denied_error("the folder has changed since the call was judged"));
        }
    }
    let mut file = open(&path.resolved, Purpose::Write).map_err(|error| io_error(&error, given))?;
    let meta = file.metadata().map_err(|error| io_error(&error, given))?;
    if !meta.is_file() {
        return Err(invalid_params_error(&format!("{given} is not a file")));
    }
    if !path.hard_linked && link_count(&meta) > 1 {
        return Err(denied_error("the file has got another name since the call was judged"));
    }
    file.set_len(0)
        .and_then(|()| file.write_all(diff.new_text.as_bytes()))
        .map_err(|error| io_error(&error, given))
}

#[cfg(unix)]
fn link_count(meta: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

#[cfg(not(unix))]
fn link_count(_: &std::fs::Metadata) -> u64 {
    1
}

/// The error of a file that can't be opened. A file that is not there gets the words that agents
/// look for before they create it.
fn io_error(error: &std::io::Error, given: &str) -> Error {
    if error.kind() == std::io::ErrorKind::NotFound {
        let mut not_found = Error::internal_error();
        not_found.code = NOT_FOUND.into();
        not_found.message = format!("Resource not found: ENOENT: no such file or directory, open '{given}'");
        return not_found.data(json!({"uri": given, "code": "ENOENT"}));
    }
    let mut other = Error::internal_error();
    other.message = format!("{given}: {error}");
    other
}

/// The lines that were asked for: `line` counts from 1.
fn slice_lines(content: &str, line: Option<u64>, limit: Option<u64>) -> String {
    if line.is_none() && limit.is_none() {
        return content.to_owned();
    }
    let skip = usize::try_from(line.unwrap_or(1).saturating_sub(1)).unwrap_or(usize::MAX);
    let take = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    content.split_inclusive('\n').skip(skip).take(take).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_line_and_limit_then_just_these_lines_are_read() {
        assert_eq!(slice_lines("a\nb\nc\n", None, None), "a\nb\nc\n");
        assert_eq!(slice_lines("a\nb\nc\n", Some(2), Some(1)), "b\n");
        assert_eq!(slice_lines("a\nb\nc", Some(3), None), "c");
        assert_eq!(slice_lines("a\n", Some(9), Some(9)), "");
    }
}
