//! `fs/*` and `terminal/*`: judged, and then carried out by the editor. What was judged is what goes on to it.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::permissions::AgentRequest;
use crate::in_flight::AgentAsk;
use crate::json_members::RawMembers;
use crate::line::{Message, code};
use crate::session::LineWaiter;
use crate::shared::as_it_came;
use crate::splice::{TextEdit, apply_edits, quote_json};
use mayi_acp_shared::terminals::{self, Starter};
use mayi_acp_shared::{adapt, files, input};
use mayi_core::call::{Access, Call, file_paths};
use mayi_core::gate::Verdict;
use mayi_doors::task::SpawnBoxed as _;

/// So many other readings of a path are looked at.
const READINGS: usize = 8;

impl AgentRequest {
    /// `fs/read_text_file` and `fs/write_text_file`
    pub(super) fn judge_file(self, message: &Message<'_>, writes: bool) -> Option<String> {
        let method = &*message.method;
        let path = input::non_empty_text(&self.params, "path").unwrap_or_default();
        // What a relative path is relative to, each editor knows for itself.
        if !Path::new(&path).is_absolute() || path.contains('\0') {
            return self.refuse(code::INVALID_PARAMS, &format!("{method} needs an absolute path"));
        }
        let content = self.params.get("content").and_then(Value::as_str).map(str::to_owned);
        if writes && content.is_none() {
            return self.refuse(code::INVALID_PARAMS, "fs/write_text_file needs a content");
        }
        // An editor that takes it for a part of an address opens another file: each of them counts.
        let others = path_readings(&path);
        if others.len() >= READINGS || others.iter().any(|other| other.contains('\0')) {
            return self.refuse(code::INVALID_PARAMS, &format!("{method} needs an absolute path"));
        }
        let call = move |asked: &Self| {
            let core = &asked.session.core;
            let mut call = match content.clone().filter(|_| writes) {
                Some(content) => files::write_call(core, &path, content),
                None => files::read_call(core, &path, &asked.params),
            };
            let more = others.iter().map(|other| adapt::file_access(&core.cwd, other, writes));
            call.accesses.extend(more);
            Ok(call)
        };
        self.submit_call(call, as_it_came(message), false)
    }

    /// `terminal/create`
    pub(super) fn judge_terminal_create(self, message: &Message<'_>) -> Option<String> {
        let cwd = self.params.get("cwd").filter(|cwd| !cwd.is_null());
        if cwd.is_some_and(|cwd| !cwd.as_str().is_some_and(|cwd| Path::new(cwd).is_absolute())) {
            return self.refuse(code::INVALID_PARAMS, "the cwd of terminal/create is an absolute path");
        }
        if self.params.get("args").is_some_and(|args| !args.is_null() && !args.is_array()) {
            return self.refuse(code::INVALID_PARAMS, "the args of terminal/create are a list");
        }
        // Each variable counts: what is read of one in another form than this would not be judged.
        if !is_env(self.params.get("env")) {
            return self
                .refuse(code::INVALID_PARAMS, "the env of terminal/create is a list of names and values");
        }
        // Where the agent names no folder, it runs in the one that was judged.
        let line = if cwd.is_some() {
            as_it_came(message)
        } else {
            let parts = RawMembers::parse(message.raw_params()).unwrap_or_default();
            let folder = quote_json(&self.session.core.cwd.to_string_lossy());
            let edit = TextEdit::set_member(message.line, message.raw_params(), &parts, "cwd", &folder);
            match edit.and_then(|edit| apply_edits(message.line, vec![edit])) {
                Some(line) => line,
                None => return self.refuse(code::INVALID_PARAMS, "terminal/create needs a command"),
            }
        };
        self.submit_call(Self::terminal_create_call, line, true)
    }

    /// What creating the terminal is. The editor starts it, in a shell of its own or in none: both count.
    fn terminal_create_call(&self) -> Result<Call, &'static str> {
        let session = &self.session.core;
        let (mut call, wanted) = terminals::create_call(session, &self.params, Starter::Editor)?;
        // A line that was approved is not asked about once more for a file that is not there.
        if wanted.line.is_some()
            && !is_program(&call.cwd, wanted.argv.first().map(String::as_str).unwrap_or_default())
            && self
                .session
                .lock_state()
                .approved
                .values()
                .any(|of| wanted.by_shell.iter().all(|access| of.contains(access)))
        {
            call.accesses = wanted.by_shell;
        }
        Ok(call)
    }

    /// What is done with a terminal: only with one that was created through the gate, in this session.
    pub(super) fn route_terminal_use(self, message: &Message<'_>) -> Option<String> {
        let id = input::non_empty_text(&self.params, "terminalId").unwrap_or_default();
        let mut state = self.session.lock_state();
        let known = if message.method == "terminal/release" {
            state.terminals.remove(&id)
        } else {
            state.terminals.contains(&id)
        };
        drop(state);
        if !known {
            return self.refuse(code::INVALID_PARAMS, "no terminal has this id");
        }
        let passed = AgentAsk::Passed { carrying: None, terminal_of: None };
        self.shared.lock_flight().agent.insert(self.id.clone(), passed);
        self.session.hold_until_open(as_it_came(message), LineWaiter::Agent(self.id.clone()))
    }

    /// Hands in the call that `make` makes of it; `line` goes on to the editor if it is allowed.
    fn submit_call(
        self,
        make: impl Fn(&Self) -> Result<Call, &'static str> + Send + 'static,
        line: String,
        creates: bool,
    ) -> Option<String> {
        if self.session.is_cancelled() {
            return self.refuse(code::DENIED, "the turn was cancelled");
        }
        let call = match make(&self) {
            Ok(call) => call,
            Err(wrong) => return self.refuse(code::INVALID_PARAMS, wrong),
        };
        let accesses = call.accesses.clone();
        let core = &self.session.core;
        self.shared
            .lock_tool_calls()
            .mark_open_calls_gated(&core.id, |known| adapt::is_within_accesses(core, known, &accesses));
        let mut ticket = self.session.gate().submit(call, &[]);
        if let Some(verdict) = ticket.at_once() {
            return self.apply_verdict(verdict, line, creates);
        }
        let answers = self.shared.answers.clone();
        answers.spawn_boxed(async move {
            let verdict = self.await_verdict(ticket).await;
            // The editor opens it by its name, which may lead elsewhere by now.
            if let Verdict::Allowed(authorized) = &verdict
                && !make(&self).is_ok_and(|now| leads_to_the_same(&now.accesses, &authorized.call().accesses))
            {
                self.refuse(code::DENIED, "what it leads to has changed since it was asked about");
                return;
            }
            let shared = Arc::clone(&self.shared);
            if let Some(line) = self.apply_verdict(verdict, line, creates) {
                shared.editor.push(line);
            }
        });
        None
    }

    /// What a verdict makes of it: the line that the editor gets, or an answer for the agent.
    fn apply_verdict(self, verdict: Verdict, line: String, creates: bool) -> Option<String> {
        match verdict {
            Verdict::Allowed(authorized) => {
                let carrying = Some(self.session.gate().begin_execution(&authorized));
                let accesses = || authorized.call().accesses.clone();
                let terminal_of = creates.then(|| (Arc::clone(&self.session), accesses()));
                self.shared
                    .lock_flight()
                    .agent
                    .insert(self.id.clone(), AgentAsk::Passed { carrying, terminal_of });
                // The answer that opens its session comes first.
                self.session.hold_until_open(line, LineWaiter::Agent(self.id.clone()))
            }
            Verdict::Denied(refusal) => self.refuse(code::DENIED, &refusal.reason),
            Verdict::Cancelled => self.refuse(code::CANCELLED, "cancelled"),
        }
    }
}

/// What else a path is for who takes it for that of an address: without its escapes, which may be written twice, and without what
/// stands behind it there.
fn path_readings(path: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fresh = vec![path.to_owned()];
    while let Some(one) = fresh.pop() {
        if found.len() >= READINGS || !one.contains(['%', '?', '#']) {
            continue;
        }
        for other in file_paths(&format!("file://{one}")) {
            if other != path && !found.contains(&other) {
                found.push(other.clone());
                fresh.push(other);
            }
        }
    }
    found
}

/// Whether two calls touch the same: by the names of files and where they lead. Whether a file was there is another question.
fn leads_to_the_same(now: &[Access], before: &[Access]) -> bool {
    let same = |(now, before): (&Access, &Access)| match (now, before) {
        (Access::Write(_, now), Access::Write(_, before)) => {
            now.lexical == before.lexical
                && now.resolved == before.resolved
                && now.unresolved == before.unresolved
        }
        _ => now == before,
    };
    now.len() == before.len() && now.iter().zip(before).all(same)
}

/// Whether a program of this name, blanks and all, is where whoever starts it from `cwd` would look.
fn is_program(cwd: &Path, name: &str) -> bool {
    let there = |folder: &Path| folder.join(name).symlink_metadata().is_ok();
    let path = std::env::var_os("PATH").unwrap_or_default();
    there(cwd) || !name.contains('/') && std::env::split_paths(&path).any(|folder| there(&cwd.join(folder)))
}

fn is_env(env: Option<&Value>) -> bool {
    let pair = |item: &Value| {
        item.as_object().is_some_and(|item| {
            item.get("name").is_some_and(Value::is_string) && item.get("value").is_some_and(Value::is_string)
        })
    };
    match env {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => items.iter().all(pair),
        Some(_) => false,
    }
}
