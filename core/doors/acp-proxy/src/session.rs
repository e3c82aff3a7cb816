//! A session that the editor has opened, and those of its sub-agents.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::Value;

use super::host::SessionGateway;
use super::line::Id;
use super::own_terminals::AgentTerminals;
use super::turns::{TurnStop, Turns};
use mayi_acp_shared::Briefing;
use mayi_core::approval::ApprovalId;
use mayi_core::call::{Access, SessionId};
use mayi_core::config::OnUnasked;
use mayi_core::gate::{self, Gate};
use mayi_core::policy::Mode;

/// So much of what the agent says of calls waits until the questions about them are answered, in bytes.
const UNTOLD: usize = 16 * 1024 * 1024;

/// So many messages stand behind questions that are not shown yet.
const BEHIND: usize = 1000;

/// So many approved commands are kept of which nothing was told yet.
const COMMANDS: usize = 256;

/// So many calls that were refused, or approved and have not ended, are kept for longer than their turn.
const REFUSED: usize = 4096;

/// So much of what the agent says of a session waits until the editor knows that session.
const HELD: usize = 16 * 1024 * 1024;

/// A session.
pub(crate) struct Session {
    pub(crate) id: SessionId,
    /// As its gate knows it.
    pub(crate) core: gate::Session,
    /// What all sessions share that the editor's one has started.
    pub(crate) family: Arc<SessionFamily>,
    /// The session that has started it, for a sub-agent.
    parent: Option<Arc<Session>>,
    state: Mutex<SessionState>,
}

/// A session of the editor's with those of its sub-agents.
pub(crate) struct SessionFamily {
    pub(crate) gate: Gate,
    pub(crate) servers: Option<Arc<dyn SessionGateway>>,
    pub(crate) on_unasked: Option<OnUnasked>,
    /// The loosest mode that the person may choose.
    pub(crate) least: Mode,
    /// The agent's own mode in which it asks.
    pub(crate) asking_mode: Option<String>,
    /// Whether version 2 of the protocol is spoken.
    pub(crate) v2: bool,
    /// What is under way in all of them, and what was cancelled.
    pub(crate) turns: Mutex<Turns>,
}

/// A line that waits until the editor knows its session.
struct HeldLine {
    line: String,
    waits: LineWaiter,
}

/// Who waits for what the editor does with a line.
#[derive(Debug)]
pub(crate) enum LineWaiter {
    Nobody,
    Mayi,
    /// The agent, for the answer to this request.
    Agent(Id),
}

/// Where a session stands.
#[derive(Default)]
pub(crate) struct SessionState {
    /// It is being ended, and nothing is allowed in it.
    closing: bool,
    /// What was said before is said again.
    pub(crate) replays: bool,
    pub(crate) briefing: Briefing,
    /// Terminals that were created through the gate.
    pub(crate) terminals: HashSet<String>,
    /// The agent's own mode, as the person or mayi wants it.
    pub(crate) agent_mode: Option<String>,
    /// The values of the agent's own options that could have it ask less.
    pub(crate) options: HashMap<String, Value>,
    /// All of the agent's options as it said them last, as text.
    pub(crate) listed_options: Option<String>,
    /// What mayi's own option is called here.
    pub(crate) option: Option<String>,
    /// The agent has modes and no options: as an option they are called so.
    pub(crate) mirror: Option<Mirror>,
    /// Modes of its own that the person has picked in this turn, as one of the agent's own options.
    pub(crate) agreed_modes: HashSet<String>,
    /// Modes and options that are being set back, and whether the agent has gone there again meanwhile.
    pub(crate) switching: HashMap<String, bool>,
    /// Those that the person is asked about.
    pub(crate) modes_asked_about: HashSet<String>,
    /// What was approved of tool calls that are under way.
    pub(crate) approved: HashMap<String, Vec<Access>>,
    /// Tool calls that were refused.
    pub(crate) refused: HashSet<String>,
    /// What the agent says of calls that are being asked about, by their ids, until that is answered.
    held_updates: HashMap<String, Vec<String>>,
    held_update_bytes: usize,
    /// What waits until the editor knows the session.
    held_lines: Option<Vec<HeldLine>>,
    held_line_bytes: usize,
    /// It was never opened.
    never_opened: bool,
    /// The agent has said that it works (version 2).
    working: bool,
    /// The agent has taken as many prompts since its work ended last (version 2).
    prompts_taken: usize,
    /// Its work has ended so often (version 2).
    ends: u64,
    /// Commands that were approved of no tool call: each stands for one that is told of.
    pub(crate) commands: Vec<Vec<Access>>,
    /// Terminals of the agent's own (version 2).
    pub(crate) agent_terminals: AgentTerminals,
    /// Questions that the editor has not been shown yet, and what the agent says of its work meanwhile.
    pub(crate) unshown_questions: HashSet<ApprovalId>,
    pub(crate) lines_behind: Vec<String>,
}

/// The agent's own modes, as an option for editors that look at nothing else once there are options.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    pub(crate) id: String,
    /// The choices, as text.
    pub(crate) choices: String,
}

impl SessionState {
    /// The agent has taken a prompt (version 2). Whether its work is over already.
    pub(crate) fn note_prompt_taken(&mut self, ends: u64) -> bool {
        let over = self.ends >= ends;
        if !over {
            self.prompts_taken += 1;
        }
        over
    }

    /// A command was approved that is of no tool call.
    pub(crate) fn approve_command(&mut self, accesses: Vec<Access>) {
        if self.commands.len() >= COMMANDS {
            self.commands.remove(0);
        }
        self.commands.push(accesses);
    }

    /// Whether such a command, which was not told of yet, is what a call does.
    pub(crate) fn take_told_command(&mut self, accesses: &[Access]) -> bool {
        let covers = |of: &Vec<Access>| accesses.iter().all(|access| of.contains(access));
        let at = self.commands.iter().position(covers);
        at.map(|at| self.commands.remove(at)).is_some()
    }

    fn clear_turn(&mut self) {
        self.agreed_modes.clear();
        // An agent says by itself when its turn is over: what was refused stays so, and what was approved is just that.
        if self.refused.len() > REFUSED {
            self.refused.clear();
        }
        self.agent_terminals.limit_used_calls(REFUSED);
        if self.approved.len() > REFUSED {
            self.approved.clear();
        }
    }

    /// The agent went into a mode by itself. Whether somebody has to set it back: else it is being set back, and will be again.
    pub(crate) fn begin_set_back(&mut self, name: &str) -> bool {
        match self.switching.get_mut(name) {
            Some(again) => {
                *again = true;
                false
            }
            None => {
                self.switching.insert(name.to_owned(), false);
                true
            }
        }
    }

    /// It was set back. Whether it has gone there again meanwhile.
    pub(crate) fn finish_set_back(&mut self, name: &str) -> bool {
        let again = self.switching.get_mut(name).is_some_and(std::mem::take);
        if !again {
            self.switching.remove(name);
        }
        again
    }

    /// The agent is in its mode `now`, in place of `before`: so it says of its modes, and of the option that is the same.
    pub(crate) fn set_agent_mode(&mut self, before: Option<&str>, now: &str) {
        if let Some(before) = before {
            for value in self.options.values_mut().filter(|value| value.as_str() == Some(before)) {
                *value = Value::from(now);
            }
        }
        self.agent_mode = Some(now.to_owned());
    }
}

impl Session {
    pub(crate) fn new(core: gate::Session, family: Arc<SessionFamily>, held: bool) -> Self {
        let state = SessionState { held_lines: held.then(Vec::new), ..SessionState::default() };
        Self { id: core.id.clone(), core, family, parent: None, state: Mutex::new(state) }
    }

    /// The session of a sub-agent of `parent`.
    pub(crate) fn new_child(core: gate::Session, parent: &Arc<Self>) -> Self {
        Self { parent: Some(Arc::clone(parent)), ..Self::new(core, Arc::clone(&parent.family), false) }
    }

    /// That of a sub-agent of `parent` which was not announced: to the gate and the editor it is that one.
    pub(crate) fn new_unannounced(id: SessionId, parent: &Arc<Self>) -> Self {
        let known = Self::new(parent.core.clone(), Arc::clone(&parent.family), false);
        Self { id, parent: Some(Arc::clone(parent)), ..known }
    }

    /// Whether the editor has opened it.
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether the editor and the gate know it by its own id.
    pub(crate) fn is_announced(&self) -> bool {
        self.id == self.core.id
    }

    /// Whether a turn is under way.
    pub(crate) fn is_working(&self) -> bool {
        self.lock_turns().is_working()
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.family.gate
    }

    pub(crate) fn lock_state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is `other`, or works for it.
    pub(crate) fn is_below(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other) || self.parent.as_ref().is_some_and(|parent| parent.is_below(other))
    }

    fn lock_turns(&self) -> MutexGuard<'_, Turns> {
        self.family.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the turn was cancelled, or stopped, that it is part of.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.lock_state().closing || self.lock_turns().is_cancelled()
    }

    /// The person ends the session of a sub-agent, or could not.
    pub(crate) fn close(&self, closing: bool) {
        let mut state = self.lock_state();
        state.closing = closing;
        state.approved.clear();
    }

    /// A prompt was passed on.
    pub(crate) fn note_prompt(&self) {
        self.lock_turns().note_prompt();
        self.lock_state().replays = false;
    }

    /// So often the agent's work has to end until that of a prompt which is passed on now is over (version 2).
    pub(crate) fn ends_to_come(&self) -> u64 {
        let prompts = self.lock_turns().prompt_count();
        let state = self.lock_state();
        state.ends + 1 + u64::from(state.working || prompts > 0)
    }

    /// The agent says that it works (version 2).
    pub(crate) fn note_working(&self) {
        self.lock_state().working = true;
        if self.parent.is_none() {
            self.lock_turns().note_working();
        }
    }

    /// The person cancels what is under way.
    pub(crate) fn cancel_turn(&self) {
        self.lock_turns().cancel_turn();
    }

    /// mayi stops what is under way.
    pub(crate) fn stop(&self) -> TurnStop {
        self.lock_turns().stop(Instant::now())
    }

    /// Whether the turn goes on that was stopped as the stop of this number.
    pub(crate) fn runs_after_stop(&self, stop: u64) -> bool {
        self.lock_turns().runs_after_stop(stop)
    }

    /// The session that the editor has opened.
    pub(crate) fn root(self: &Arc<Self>) -> &Arc<Self> {
        let mut at = self;
        while let Some(parent) = &at.parent {
            at = parent;
        }
        at
    }

    /// Takes a line for the editor, if the editor does not know the session yet. Gives it back otherwise.
    pub(crate) fn hold_until_open(&self, line: String, waits: LineWaiter) -> Option<String> {
        let mut state = self.lock_state();
        if state.never_opened {
            return None;
        }
        let Some(held) = &mut state.held_lines else { return Some(line) };
        let size = line.len();
        held.push(HeldLine { line, waits });
        state.held_line_bytes += size;
        if state.held_line_bytes > HELD {
            // What is only shown is what is missed least.
            tracing::warn!("an agent says more than is kept before its session is open");
            if let Some(held) = &mut state.held_lines {
                held.retain(|held| !matches!(held.waits, LineWaiter::Nobody));
            }
            state.held_line_bytes = 0;
        }
        None
    }

    /// Keeps what the agent says of a call that is being asked about: what the editor shows of it stays as it was judged. False, if
    /// that is more than is kept.
    pub(crate) fn hold_call_update(&self, call: &str, line: String) -> bool {
        let mut state = self.lock_state();
        let lines = state.held_updates.entry(call.to_owned()).or_default();
        let size = line.len();
        lines.push(line);
        state.held_update_bytes += size;
        state.held_update_bytes <= UNTOLD
    }

    /// What the agent has said of a call while that was asked about.
    pub(crate) fn take_call_updates(&self, call: &str) -> Vec<String> {
        let mut state = self.lock_state();
        let lines = state.held_updates.remove(call).unwrap_or_default();
        let size: usize = lines.iter().map(String::len).sum();
        state.held_update_bytes = state.held_update_bytes.saturating_sub(size);
        lines
    }

    /// Whether an update is the end of a call that was approved.
    pub(crate) fn ends_approved(&self, call: &str, fields: &serde_json::Map<String, Value>) -> bool {
        let status = fields.get("status").and_then(Value::as_str);
        matches!(status, Some("completed" | "failed" | "cancelled"))
            && self.lock_state().approved.contains_key(call)
    }

    /// Whether no prompt is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.lock_turns().prompt_count() == 0
    }

    /// Takes a line behind questions that the editor has not been shown yet. Gives it back, where there are none.
    pub(crate) fn queue_behind_question(&self, line: String) -> Option<String> {
        let mut state = self.lock_state();
        if state.unshown_questions.is_empty() || state.lines_behind.len() >= BEHIND {
            return Some(line);
        }
        state.lines_behind.push(line);
        None
    }

    /// A question is shown, or has ended. What stands behind it and no other one.
    pub(crate) fn take_lines_queued_behind(&self, question: ApprovalId) -> Vec<String> {
        let mut state = self.lock_state();
        state.unshown_questions.remove(&question);
        if state.unshown_questions.is_empty() { std::mem::take(&mut state.lines_behind) } else { Vec::new() }
    }

    /// Gives what was held to `to`, in its order; nothing is held from now on.
    pub(crate) fn release_held(&self, to: impl FnMut(String)) {
        let mut state = self.lock_state();
        state.held_lines.take().unwrap_or_default().into_iter().map(|held| held.line).for_each(to);
    }

    /// Whether the editor does not know it yet.
    pub(crate) fn is_held(&self) -> bool {
        self.lock_state().held_lines.is_some()
    }

    /// The editor never came to know it: what is held is nobody's, and what comes is neither. The requests of the agent's among it.
    pub(crate) fn drop_held(&self) -> Vec<Id> {
        let mut state = self.lock_state();
        let Some(held) = state.held_lines.take() else { return Vec::new() };
        state.never_opened = true;
        let of = |held: HeldLine| match held.waits {
            LineWaiter::Agent(id) => Some(id),
            _ => None,
        };
        held.into_iter().filter_map(of).collect()
    }

    /// A prompt of it has ended. Whether that was the last one of those that were cancelled.
    pub(crate) fn end_turn(&self) -> bool {
        let (cancelled, over) = {
            let mut turns = self.lock_turns();
            (turns.end_prompt(), turns.prompt_count() == 0)
        };
        if over {
            let mut state = self.lock_state();
            state.clear_turn();
            state.approved.clear();
        }
        cancelled
    }

    /// The agent says that its work is over (version 2). None, if there was none; else whether it was cancelled.
    pub(crate) fn end_work(&self) -> Option<bool> {
        let taken = {
            let mut state = self.lock_state();
            let taken = std::mem::take(&mut state.prompts_taken);
            if !std::mem::take(&mut state.working) && taken == 0 {
                return None;
            }
            state.ends += 1;
            state.clear_turn();
            taken
        };
        Some(self.lock_turns().end_work(taken, self.parent.is_none()))
    }
}
