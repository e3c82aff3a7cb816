//! `fs/read_text_file` and `fs/write_text_file`, through the gate.
//!
//! What was judged is what is opened: the resolved path is walked again without following any link,
//! and the file is looked at once more after it is open (decisions, section 1).

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use serde_json::{Value, json};

use super::input::text;
use super::shared::{Shared, Turn, denied, invalid};
use super::{adapt, side_door};
use mayi_core::call::{Access, Call, Diff, Door};
use mayi_core::gate::{Authorized, Session, Verdict};

/// The largest text that a diff is made of.
const LARGEST_SHOWN: u64 = 1024 * 1024;

/// The largest file that is read for an agent.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The protocol's code for what is not there.
const NOT_FOUND: i32 = -32002;

pub(super) fn read(shared: &Arc<Shared>, params: Value, responder: Responder<Value>) -> Result<(), Error> {
    let Some((session, path)) = target(shared, &params) else {
        return responder
            .respond_with_error(invalid("fs/read_text_file needs a sessionId of mine and a path"));
    };
    let access = adapt::file(&session.cwd, &path, false);
    let call = side_door::call(&session, Door::AcpFs, format!("Read {path}"), params.clone(), vec![access]);
    let missing_is_empty = shared.offer.missing_files_are_empty;
    serve(shared, session, call, responder, move |authorized| {
        let line = params.get("line").and_then(Value::as_u64);
        let limit = params.get("limit").and_then(Value::as_u64);
        let content = match read_file(authorized, &path) {
            // The client of Gemini CLI takes every error for one that it can't go on after, and would create no file.
            Err(error) if missing_is_empty && i32::from(error.code) == NOT_FOUND => String::new(),
            content => content?,
        };
        Ok(json!({"content": slice(&content, line, limit)}))
    })
}

pub(super) fn write(shared: &Arc<Shared>, params: Value, responder: Responder<Value>) -> Result<(), Error> {
    let content = params.get("content").and_then(Value::as_str).map(str::to_owned);
    let (Some((session, path)), Some(content)) = (target(shared, &params), content) else {
        return responder.respond_with_error(invalid(
            "fs/write_text_file needs a sessionId of mine, a path and a content",
        ));
    };
    let access = adapt::file(&session.cwd, &path, true);
    let mut call =
        side_door::call(&session, Door::AcpFs, format!("Write {path}"), json!({"path": path}), vec![access]);
    // The card shows what changes: the text that is there now is the old one.
    let old_text = match current_text(&call) {
        Ok(text) => text,
        Err(why) => {
            call.not_shown.push(format!("what is in {path} now: {why}"));
            None
        }
    };
    call.diffs.push(Diff { path: path.clone(), old_text, new_text: content });
    serve(shared, session, call, responder, move |authorized| {
        write_file(authorized, &path)?;
        Ok(json!({}))
    })
}

fn target(shared: &Shared, params: &Value) -> Option<(Session, String)> {
    Some((adapt::session_of(&shared.gate, params)?, text(params, "path")?))
}

/// Hands the call in, and does `work` in a task of its own if it is allowed.
fn serve(
    shared: &Arc<Shared>,
    session: Session,
    call: Call,
    responder: Responder<Value>,
    work: impl FnOnce(&Authorized<Call>) -> Result<Value, Error> + Send + 'static,
) -> Result<(), Error> {
    if shared.turn(&session.id) == Turn::Cancelled {
        return responder.respond_with_error(denied("the turn was cancelled"));
    }
    let accesses = call.accesses.clone();
    shared.tool_calls().gate_open(&session.id, |known| adapt::touches(&session, known, &accesses));
    let ticket = shared.gate.submit(call, &[]);
    let cancellation = responder.cancellation();
    let gate = shared.gate.clone();
    shared.answers.spawn(async move {
        let verdict = tokio::select! {
            verdict = ticket.verdict() => verdict,
            () = cancellation.cancelled() => Verdict::Cancelled,
        };
        let result = match verdict {
            Verdict::Allowed(authorized) => tokio::task::spawn_blocking(move || {
                let carrying = gate.carry(&authorized);
                let done = work(&authorized);
                carrying.end(if done.is_ok() { "completed" } else { "failed" });
                done
            })
            .await
            .unwrap_or_else(|_| Err(denied("the file could not be looked at"))),
            Verdict::Denied(refusal) => Err(denied(&refusal.reason)),
            Verdict::Cancelled => Err(Error::request_cancelled()),
        };
        if let Err(error) = responder.respond_with_result(result) {
            tracing::debug!(%error, "the agent was gone before its answer");
        }
    });
    Ok(())
}

/// The text that is there now, if there is a file. Only a plain file is opened for it, and only as
/// much is read as a person would look at.
fn current_text(call: &Call) -> Result<Option<String>, &'static str> {
    let Some(Access::Write(_, path)) = call.accesses.first() else { return Ok(None) };
    match std::fs::symlink_metadata(&path.resolved) {
        Err(_) => return Ok(None),
        Ok(meta) if !meta.is_file() => return Err("it is not a file"),
        Ok(meta) if meta.len() > LARGEST_SHOWN => return Err("it is larger than a person would look at"),
        Ok(_) => {}
    }
    let mut text = String::new();
    let file = open(&path.resolved, Purpose::Read).map_err(|_| "it can't be read")?;
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err("it is not a file");
    }
    file.take(LARGEST_SHOWN).read_to_string(&mut text).map_err(|_| "it is not UTF-8 text")?;
    Ok(Some(text))
}

fn read_file(authorized: &Authorized<Call>, given: &str) -> Result<String, Error> {
    let Some(Access::Read(path)) = authorized.call().accesses.first() else {
        return Err(denied("not what was judged"));
    };
    let file = open(&path.resolved, Purpose::Read).map_err(|error| io_error(&error, given))?;
    let meta = file.metadata().map_err(|error| io_error(&error, given))?;
    if !meta.is_file() {
        return Err(invalid(&format!("{given} is not a file")));
    }
    if meta.len() > LARGEST {
        return Err(invalid(&format!("{given} is larger than {} MiB", LARGEST / 1024 / 1024)));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| io_error(&error, given))?;
    String::from_utf8(bytes).map_err(|_| invalid(&format!("{given} is not UTF-8 text")))
}

fn write_file(authorized: &Authorized<Call>, given: &str) -> Result<(), Error> {
    let (Some(Access::Write(_, path)), Some(diff)) =
        (authorized.call().accesses.first(), authorized.call().diffs.first())
    else {
        return Err(denied("not what was judged"));
    };
    if let Some(parent) = path.resolved.parent().filter(|parent| !parent.exists()) {
        std::fs::create_dir_all(parent).map_err(|error| io_error(&error, given))?;
        // The folders that were made must be where they were judged to be.
        if mayi_core::call::resolve(parent).ok().as_deref() != Some(parent) {
            return Err(denied("the folder has changed since the call was judged"));
        }
    }
    let mut file = open(&path.resolved, Purpose::Write).map_err(|error| io_error(&error, given))?;
    let meta = file.metadata().map_err(|error| io_error(&error, given))?;
    if !meta.is_file() {
        return Err(invalid(&format!("{given} is not a file")));
    }
    if !path.hard_linked && links(&meta) > 1 {
        return Err(denied("the file has got another name since the call was judged"));
    }
    file.set_len(0)
        .and_then(|()| file.write_all(diff.new_text.as_bytes()))
        .map_err(|error| io_error(&error, given))
}

enum Purpose {
    Read,
    Write,
}

/// Opens exactly this path: no link is followed, and a pipe is not waited for.
#[cfg(target_os = "linux")]
fn open(path: &Path, purpose: Purpose) -> std::io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = match purpose {
        Purpose::Read => OFlags::RDONLY,
        Purpose::Write => OFlags::WRONLY | OFlags::CREATE,
    } | OFlags::NONBLOCK
        | OFlags::CLOEXEC
        | OFlags::NOFOLLOW;
    let mode = if matches!(purpose, Purpose::Write) { Mode::from_raw_mode(0o666) } else { Mode::empty() };
    let fd = openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS)?;
    Ok(File::from(fd))
}

/// Opens this path if it still leads where it was judged to lead.
#[cfg(not(target_os = "linux"))]
fn open(path: &Path, purpose: Purpose) -> std::io::Result<File> {
    if mayi_core::call::resolve(path)? != path {
        return Err(std::io::Error::other("the path has changed since the call was judged"));
    }
    match purpose {
        Purpose::Read => File::open(path),
        Purpose::Write => std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path),
    }
}

#[cfg(unix)]
fn links(meta: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

#[cfg(not(unix))]
fn links(_: &std::fs::Metadata) -> u64 {
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
fn slice(content: &str, line: Option<u64>, limit: Option<u64>) -> String {
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
        assert_eq!(slice("a\nb\nc\n", None, None), "a\nb\nc\n");
        assert_eq!(slice("a\nb\nc\n", Some(2), Some(1)), "b\n");
        assert_eq!(slice("a\nb\nc", Some(3), None), "c");
        assert_eq!(slice("a\n", Some(9), Some(9)), "");
    }

    /// Attacks, properties: "the file opened is the file judged, under random links". Attack 26.
    #[cfg(unix)]
    #[test]
    fn given_a_link_put_in_place_after_judging_then_it_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        std::fs::write(root.join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("secret"), root.join("d/f")).unwrap();
        std::os::unix::fs::symlink(root.join("d"), root.join("e")).unwrap();
        assert!(open(&root.join("d/f"), Purpose::Read).is_err());
        assert!(open(&root.join("e/g"), Purpose::Write).is_err());
        assert!(open(&root.join("d/g"), Purpose::Write).is_ok());
    }
}
