//! Tool calls as the agent reported them: what a request leaves out is taken from here, field by
//! field, the last non-empty value counting (D1.5).

use std::collections::HashMap;

use serde_json::{Map, Value};

use mayi_core::call::{Access, Parent, SessionId, leaving_member};
use mayi_core::gate::ReportedEnd;

/// As many tool calls of all sessions are kept.
const MOST: usize = 4096;

/// Maximum number of terminals that are kept of one call.
const MOST_TERMINALS: usize = 16;

/// Fields that are merged.
const FIELDS: &[&str] = &["title", "kind", "name", "status", "content", "locations", "rawInput", "_meta"];

/// Where agents tell which call a sub-agent's call belongs to: at the top of `_meta`, or in Claude Code's own place there.
const PARENTS: &[&str] = &["parentToolUseId", "parentToolCallId"];

/// As much of what they say there is kept.
const LONGEST_PARENT: usize = 200;

/// What is known of one tool call.
#[derive(Clone, Debug, Default)]
pub struct ToolCallState {
    /// The merged fields, as the protocol names them.
    pub fields: Map<String, Value>,
    /// Inputs that came before the last one: some agents send another shape with the request.
    pub earlier_inputs: Vec<Value>,
    /// The member by which any of its inputs asks to run outside of the harness's own sandbox (D4.30): a later message that leaves
    /// it out takes nothing back.
    pub leaves_sandbox: Option<String>,
    /// Asked about, or done through a gated side door.
    pub gated: bool,
    /// A message about it could be read in more than one way.
    pub ambiguous: bool,
    /// Terminals that it shows, or has shown.
    pub terminals: Vec<String>,
    /// The agent said that it is carried out: also one that was cancelled after that may have done something.
    began: bool,
    /// The call that started the sub-agent which it is of.
    pub parent: Option<Parent>,
    /// It has ended: the id used again is a new call.
    pub ended: bool,
    /// Its ask was answered: the id asked about again is a new call.
    answered: bool,
    started: u64,
}

impl ToolCallState {
    /// What is known of a call by these fields alone.
    pub(crate) fn from_fields(fields: &Value) -> Self {
        Self { fields: fields.as_object().cloned().unwrap_or_default(), ..Self::default() }
    }

    /// A field that is a text, and not an empty one.
    #[must_use]
    pub fn text_field(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Where it stands, in the protocol's word.
    #[must_use]
    pub fn status(&self) -> &str {
        self.text_field("status").unwrap_or("pending")
    }

    /// How it has ended, where it has run.
    #[must_use]
    pub fn reported_end(&self) -> ReportedEnd {
        match self.status() {
            "failed" => ReportedEnd::Failed,
            _ => ReportedEnd::Ran,
        }
    }

    fn merge_fields(&mut self, from: &Map<String, Value>) {
        for id in shown_terminals(from) {
            if self.terminals.len() < MOST_TERMINALS && !self.terminals.contains(&id) {
                self.terminals.push(id);
            }
        }
        for field in FIELDS {
            let Some(value) = from.get(*field).filter(|value| !is_empty(value)) else { continue };
            if *field == "rawInput" && self.leaves_sandbox.is_none() {
                self.leaves_sandbox = leaving_member(value);
            }
            if *field == "rawInput"
                && let Some(before) = self.fields.get("rawInput").filter(|before| *before != value)
                && self.earlier_inputs.len() < 4
            {
                self.earlier_inputs.push(before.clone());
            }
            self.fields.insert((*field).to_owned(), value.clone());
        }
        self.began |= self.status() == "in_progress";
    }
}

/// A terminal that was created through the gate.
#[derive(Debug)]
struct GatedTerminal {
    /// What was judged.
    accesses: Vec<Access>,
    /// The call that it was found to explain: there is one at the most.
    call: Option<String>,
}

/// Everything that agents have reported.
#[derive(Debug, Default)]
pub struct ToolCalls {
    calls: HashMap<(SessionId, String), ToolCallState>,
    /// Terminals that were created through the gate.
    terminals: HashMap<(SessionId, String), GatedTerminal>,
    count: u64,
}

impl ToolCalls {
    /// Takes a `tool_call` or `tool_call_update`. Returns the call if it has ended with it, having
    /// run without asking.
    pub fn apply_update(
        &mut self,
        session: &SessionId,
        update: &Map<String, Value>,
    ) -> Option<ToolCallState> {
        let id = update.get("toolCallId")?.as_str()?;
        let announces = update.get("sessionUpdate").and_then(Value::as_str) == Some("tool_call");
        let known = self.entry(session, id);
        // An id used again after its call had ended is a new call, and so is one that begins anew.
        let begins = matches!(update.get("status").and_then(Value::as_str), Some("pending" | "in_progress"));
        if known.ended && (announces || begins) {
            *known = ToolCallState { started: known.started, ..ToolCallState::default() };
        }
        known.merge_fields(update);
        let ran = match known.status() {
            // Many agents never say that one has begun, so what failed may have done a part whatever was told before.
            "completed" | "failed" => true,
            "cancelled" => known.began,
            _ => return None,
        };
        if known.ended {
            return None;
        }
        known.ended = true;
        let known = (ran && !known.gated).then(|| known.clone())?;
        Some(ToolCallState { parent: self.find_parent(session, &known), ..known })
    }

    /// Merges a request's own fields into what is known, and marks the call as asked about.
    pub fn merge_request(
        &mut self,
        session: &SessionId,
        id: &str,
        request: &Map<String, Value>,
    ) -> ToolCallState {
        let known = self.entry(session, id);
        if known.ended || known.answered {
            *known = ToolCallState { started: known.started, ..ToolCallState::default() };
        }
        known.merge_fields(request);
        known.gated = true;
        let mut known = known.clone();
        known.parent = self.find_parent(session, &known);
        known
    }

    /// The call that started the sub-agent which `known` is of, as far as the agent has told: what it says is shown and
    /// loosens nothing.
    fn find_parent(&self, session: &SessionId, known: &ToolCallState) -> Option<Parent> {
        let meta = known.fields.get("_meta")?;
        let id = meta.get("claudeCode").into_iter().chain([meta]).find_map(|place| {
            PARENTS.iter().find_map(|key| place.get(key)?.as_str()).filter(|id| !id.is_empty())
        })?;
        let title =
            self.calls.get(&(session.clone(), id.to_owned())).and_then(|parent| parent.text_field("title"));
        let short = |text: &str| text.chars().take(LONGEST_PARENT).collect();
        Some(Parent { id: short(id), title: title.map(short).unwrap_or_default() })
    }

    /// What is known of a call.
    pub fn call_state(&self, session: &SessionId, id: &str) -> Option<ToolCallState> {
        let known = self.calls.get(&(session.clone(), id.to_owned()))?.clone();
        Some(ToolCallState { parent: self.find_parent(session, &known), ..known })
    }

    /// Says that an ask was answered: another one under the same id is a new call.
    pub fn mark_answered(&mut self, session: &SessionId, id: &str) {
        if let Some(known) = self.calls.get_mut(&(session.clone(), id.to_owned())) {
            known.answered = true;
        }
    }

    /// Says that a message about a call could be read in more than one way.
    pub fn mark_ambiguous(&mut self, session: &SessionId, id: &str) {
        self.entry(session, id).ambiguous = true;
    }

    /// A terminal was created through the gate, for what these accesses say.
    pub fn record_terminal(&mut self, session: &SessionId, id: &str, accesses: Vec<Access>) {
        if self.terminals.len() >= MOST {
            self.terminals.clear();
        }
        let terminal = GatedTerminal { accesses, call: None };
        self.terminals.insert((session.clone(), id.to_owned()), terminal);
    }

    /// Whether a call that was never asked about ran in a terminal that was: it shows the terminal, and does no more than was judged
    /// there (`does`). A terminal explains one call.
    pub fn ran_in_terminal(
        &mut self,
        session: &SessionId,
        call: &str,
        known: &ToolCallState,
        does: impl Fn(&[Access]) -> bool,
    ) -> bool {
        known.terminals.iter().any(|id| {
            let Some(terminal) = self.terminals.get_mut(&(session.clone(), id.clone())) else { return false };
            let free = terminal.call.as_deref().is_none_or(|other| other == call);
            let explains = free && does(&terminal.accesses);
            if explains {
                terminal.call = Some(call.to_owned());
            }
            explains
        })
    }

    /// Marks calls that are under way as gated: a side door was judged for what they do.
    pub fn mark_open_calls_gated(&mut self, session: &SessionId, does: impl Fn(&ToolCallState) -> bool) {
        for ((of, _), known) in &mut self.calls {
            if of == session && !known.ended && does(known) {
                known.gated = true;
            }
        }
    }

    /// The calls of `session` that are in progress, as the agent says, and do this.
    pub fn running_calls(&self, session: &SessionId, does: impl Fn(&ToolCallState) -> bool) -> Vec<String> {
        let under_way = |known: &ToolCallState| !known.ended && known.status() == "in_progress";
        let found =
            self.calls.iter().filter(|((of, _), known)| of == session && under_way(known) && does(known));
        found.map(|((_, id), _)| id.clone()).collect()
    }

    /// Ends what began in `session` without asking and is not over, and gives it back: its turn is over.
    pub fn end_ungated_calls(&mut self, session: &SessionId) -> Vec<(String, ToolCallState)> {
        let mut left = Vec::new();
        for ((of, id), known) in &mut self.calls {
            if of == session && !known.ended && known.began && !known.gated {
                known.ended = true;
                left.push((id.clone(), known.clone()));
            }
        }
        left
    }

    /// How many calls of `session` are in progress, as the agent says.
    pub fn under_way(&self, session: &SessionId) -> usize {
        self.calls
            .iter()
            .filter(|((of, _), known)| of == session && !known.ended && known.status() == "in_progress")
            .count()
    }

    /// Ends all that is under way in `session`: its turn is gone.
    pub fn end_turn(&mut self, session: &SessionId) {
        for ((of, _), known) in &mut self.calls {
            if of == session {
                known.ended = true;
            }
        }
    }

    /// Forgets a quarter of the calls: those that are over first, then the oldest.
    fn forget_some(&mut self) {
        let mut all: Vec<_> =
            self.calls.iter().map(|(key, known)| (!known.ended, known.started, key.clone())).collect();
        all.sort_unstable_by_key(|(alive, started, _)| (*alive, *started));
        for (_, _, key) in all.into_iter().take(MOST / 4) {
            self.calls.remove(&key);
        }
    }

    fn entry(&mut self, session: &SessionId, id: &str) -> &mut ToolCallState {
        self.count += 1;
        let count = self.count;
        let key = (session.clone(), id.to_owned());
        if self.calls.len() >= MOST && !self.calls.contains_key(&key) {
            self.forget_some();
        }
        self.calls.entry(key).or_insert_with(|| ToolCallState { started: count, ..ToolCallState::default() })
    }
}

fn shown_terminals(fields: &Map<String, Value>) -> Vec<String> {
    let items = fields.get("content").and_then(Value::as_array).into_iter().flatten();
    let shown = items.filter(|item| item.get("type").and_then(Value::as_str) == Some("terminal"));
    shown.filter_map(|item| item.get("terminalId")?.as_str().map(str::to_owned)).collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn json_object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn test_session() -> SessionId {
        SessionId("s".into())
    }

    /// D1.5: A request that carries only an id is merged with the earlier updates
    /// of that id, field by field, the last non-empty value counting.
    #[test]
    fn given_only_an_id_then_earlier_updates_fill_it() {
        let mut calls = ToolCalls::default();
        calls.apply_update(
            &test_session(),
            &json_object(
                json!({"sessionUpdate": "tool_call", "toolCallId": "t", "kind": "edit", "rawInput": {}}),
            ),
        );
        calls.apply_update(
            &test_session(),
            &json_object(json!({"toolCallId": "t", "rawInput": {"file_path": "a"}, "content": [1]})),
        );
        calls.apply_update(
            &test_session(),
            &json_object(json!({"toolCallId": "t", "rawInput": {}, "content": []})),
        );
        let known = calls.merge_request(&test_session(), "t", &json_object(json!({"toolCallId": "t"})));
        assert_eq!(known.fields["rawInput"], json!({"file_path": "a"}));
        assert_eq!(known.text_field("kind"), Some("edit"));
    }

    /// D1.6: An id used again after it was answered or finished is a new call. Attack 33.
    #[test]
    fn given_an_id_used_again_then_nothing_is_left_of_the_first_call() {
        let mut calls = ToolCalls::default();
        calls.merge_request(
            &test_session(),
            "t",
            &json_object(json!({"kind": "read", "rawInput": {"path": "a"}})),
        );
        assert!(
            calls
                .apply_update(
                    &test_session(),
                    &json_object(json!({"toolCallId": "t", "status": "completed"}))
                )
                .is_none()
        );
        let known = calls.merge_request(&test_session(), "t", &json_object(json!({"title": "x"})));
        assert!(known.text_field("kind").is_none() && !known.fields.contains_key("rawInput"));
    }

    /// Attack 33.
    #[test]
    fn given_an_id_asked_about_again_after_its_answer_then_it_is_a_new_call() {
        let mut calls = ToolCalls::default();
        calls.merge_request(
            &test_session(),
            "t",
            &json_object(json!({"kind": "read", "rawInput": {"path": "a"}})),
        );
        calls.mark_answered(&test_session(), "t");
        assert!(
            calls
                .merge_request(&test_session(), "t", &json_object(json!({"title": "x"})))
                .text_field("kind")
                .is_none()
        );
    }

    /// Attack 24.
    #[test]
    fn given_a_call_that_never_asked_then_its_end_is_noticed_once() {
        let mut calls = ToolCalls::default();
        let done = json_object(json!({"toolCallId": "t", "kind": "execute", "status": "completed"}));
        assert!(calls.apply_update(&test_session(), &done).is_some());
        assert!(calls.apply_update(&test_session(), &done).is_none());
    }

    /// D7.9: what ran without asking is said, also where it failed, whether or not the agent said before that it began: a command
    /// has done a part of it by then. Attack 24.
    #[test]
    fn given_a_call_that_failed_then_it_is_unasked_whether_or_not_it_was_told_to_begin() {
        let mut calls = ToolCalls::default();
        let mut end = |id: &str, statuses: &[&str]| {
            let update =
                |status: &&str| json_object(json!({"toolCallId": id, "kind": "execute", "status": status}));
            statuses.iter().filter_map(|status| calls.apply_update(&test_session(), &update(status))).count()
        };
        assert_eq!(end("began", &["pending", "in_progress", "failed"]), 1);
        assert_eq!(end("waited", &["pending", "failed"]), 1);
        assert_eq!(end("at once", &["failed", "failed"]), 1);
        assert_eq!(end("stopped", &["in_progress", "cancelled"]), 1);
        assert_eq!(end("never", &["pending", "cancelled"]), 0);
        let asked = json_object(json!({"kind": "execute", "rawInput": {"command": "x"}}));
        calls.merge_request(&test_session(), "asked", &asked);
        let failed = json_object(json!({"toolCallId": "asked", "status": "failed"}));
        assert!(calls.apply_update(&test_session(), &failed).is_none(), "it was asked about");
    }

    #[test]
    fn given_more_calls_than_are_kept_then_the_oldest_goes() {
        let mut calls = ToolCalls::default();
        for n in 0..(MOST + 10) {
            calls.apply_update(
                &test_session(),
                &json_object(json!({"toolCallId": n.to_string(), "kind": "edit"})),
            );
        }
        assert!(calls.calls.len() <= MOST && calls.calls.len() >= MOST / 2);
        assert!(calls.call_state(&test_session(), &(MOST + 9).to_string()).is_some(), "the newest is kept");
    }
}
