//! A session that the editor has opened, and those of its sub-agents.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::host::SessionGateway;
use mayi_acp_shared::Briefing;
use mayi_core::approval::ApprovalId;
use mayi_core::call::{Access, SessionId};
use mayi_core::config::OnUnasked;
use mayi_core::gate::{self, Gate};
use mayi_core::policy::Mode;

/// So many messages about one call wait until the question about it is answered.
const UNTOLD: usize = 1000;

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
    pub(crate) family: Arc<Family>,
    /// The session that has started it, for a sub-agent.
    parent: Option<Arc<Session>>,
    state: Mutex<State>,
}

/// A session of the editor's with those of its sub-agents.
pub(crate) struct Family {
    pub(crate) gate: Gate,
    pub(crate) servers: Option<Arc<dyn SessionGateway>>,
    pub(crate) on_unasked: Option<OnUnasked>,
    /// The loosest mode that the person may choose.
    pub(crate) least: Mode,
    /// The agent's own mode in which it asks.
    pub(crate) asking_mode: Option<String>,
    /// Whether version 2 of the protocol is spoken.
    pub(crate) v2: bool,
}

/// A line that waits until the editor knows its session.
struct Held {
    line: String,
    /// Somebody waits for what the editor does with it.
    asks: bool,
}

/// Where a session stands.
#[derive(Default)]
pub(crate) struct State {
    /// As many prompts are under way.
    pub(crate) prompts: usize,
    /// So many prompts, the oldest, were cancelled and have not ended yet.
    pub(crate) cancelled: usize,
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
    pub(crate) listed: Option<String>,
    /// What mayi's own option is called here.
    pub(crate) option: Option<String>,
    /// The agent has modes and no options: as an option they are called so.
    pub(crate) mirror: Option<Mirror>,
    /// Modes of its own that the person has picked in this turn, as one of the agent's own options.
    pub(crate) agreed: HashSet<String>,
    /// Modes and options that are being set back, and whether the agent has gone there again meanwhile.
    pub(crate) switching: HashMap<String, bool>,
    /// Those that the person is asked about.
    pub(crate) wanted: HashSet<String>,
    /// What was approved of tool calls that are under way.
    pub(crate) approved: HashMap<String, Vec<Access>>,
    /// Tool calls that were refused.
    pub(crate) refused: HashSet<String>,
    /// What the agent says of calls that are being asked about, by their ids, until that is answered.
    pub(crate) untold: HashMap<String, Vec<String>>,
    /// What waits until the editor knows the session.
    held: Option<Vec<Held>>,
    held_bytes: usize,
    /// As many turns have ended.
    pub(crate) turns: u64,
    /// The agent has said that it works (version 2).
    working: bool,
    /// The agent has taken as many prompts since its work ended last (version 2).
    taken: usize,
    /// Its work has ended so often (version 2).
    ends: u64,
    /// Commands that were approved of no tool call: each stands for one that is told of.
    pub(crate) commands: Vec<Vec<Access>>,
    /// Terminals of the agent's own: the command that it has told, and where that runs (version 2).
    told: HashMap<String, (String, Option<String>)>,
    /// Questions that the editor has not been shown yet, and what the agent says of its work meanwhile.
    pub(crate) unshown: HashSet<ApprovalId>,
    pub(crate) behind: Vec<String>,
    /// It was stopped: so that it is said once a turn.
    pub(crate) stopped: bool,
}

/// The agent's own modes, as an option for editors that look at nothing else once there are options.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    pub(crate) id: String,
    /// The choices, as text.
    pub(crate) choices: String,
}

impl State {
    /// A prompt was passed on.
    pub(crate) fn prompted(&mut self) {
        self.prompts += 1;
        self.replays = false;
    }

    /// So often the agent's work has to end until that of a prompt which is passed on now is over.
    pub(crate) fn ends_to_come(&self) -> u64 {
        self.ends + 1 + u64::from(self.working || self.prompts > 0)
    }

    /// The person cancels what is under way.
    pub(crate) fn cancel(&mut self) {
        if self.prompts > 0 || self.working {
            self.cancelled = self.prompts.max(1);
        }
    }

    /// The agent says that it works (version 2).
    pub(crate) fn works(&mut self) {
        self.working = true;
    }

    /// The agent has taken a prompt (version 2). Whether its work is over already.
    pub(crate) fn took(&mut self, ends: u64) -> bool {
        let over = self.ends >= ends;
        if !over {
            self.taken += 1;
        }
        over
    }

    /// The agent tells of a terminal of its own. The command that it has run, where there was one and it has ended.
    pub(crate) fn terminal(
        &mut self,
        id: &str,
        line: Option<String>,
        cwd: Option<String>,
        ended: bool,
    ) -> Option<(String, Option<String>)> {
        if let Some(line) = line.filter(|line| !line.is_empty()) {
            let now = (line, cwd);
            // More than are kept, or another one under the same id: judged now.
            if self.told.len() >= COMMANDS && !self.told.contains_key(id) {
                return Some(now);
            }
            let before = self.told.insert(id.to_owned(), now);
            if before.is_some() && before.as_ref() != self.told.get(id) {
                return before;
            }
        }
        if ended { self.told.remove(id) } else { None }
    }

    /// A command was approved that is of no tool call.
    pub(crate) fn approve_command(&mut self, accesses: Vec<Access>) {
        if self.commands.len() >= COMMANDS {
            self.commands.remove(0);
        }
        self.commands.push(accesses);
    }

    /// Whether such a command, which was not told of yet, is what a call does.
    pub(crate) fn spend_command(&mut self, accesses: &[Access]) -> bool {
        let covers = |of: &Vec<Access>| accesses.iter().all(|access| of.contains(access));
        let at = self.commands.iter().position(covers);
        at.map(|at| self.commands.remove(at)).is_some()
    }

    fn turn_over(&mut self) {
        self.turns += 1;
        self.agreed.clear();
        self.stopped = false;
        // An agent says by itself when its turn is over: what was refused stays so, and what was approved is just that.
        if self.refused.len() > REFUSED {
            self.refused.clear();
        }
        if self.approved.len() > REFUSED {
            self.approved.clear();
        }
    }

    /// The agent went into a mode by itself. Whether somebody has to set it back: else it is being set back, and will be again.
    pub(crate) fn went(&mut self, name: &str) -> bool {
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
    pub(crate) fn went_again(&mut self, name: &str) -> bool {
        let again = self.switching.get_mut(name).is_some_and(std::mem::take);
        if !again {
            self.switching.remove(name);
        }
        again
    }

    /// The agent is in its mode `now`, in place of `before`: so it says of its modes, and of the option that is the same.
    pub(crate) fn follow(&mut self, before: Option<&str>, now: &str) {
        if let Some(before) = before {
            for value in self.options.values_mut().filter(|value| value.as_str() == Some(before)) {
                *value = Value::from(now);
            }
        }
        self.agent_mode = Some(now.to_owned());
    }
}

impl Session {
    pub(crate) fn new(core: gate::Session, family: Arc<Family>, held: bool) -> Self {
        let state = State { held: held.then(Vec::new), ..State::default() };
        Self { id: core.id.clone(), core, family, parent: None, state: Mutex::new(state) }
    }

    /// The session of a sub-agent of `parent`.
    pub(crate) fn child(core: gate::Session, parent: &Arc<Self>) -> Self {
        Self { parent: Some(Arc::clone(parent)), ..Self::new(core, Arc::clone(&parent.family), false) }
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.family.gate
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its turn was cancelled, or that of the session which has started it.
    pub(crate) fn is_cancelled(&self) -> bool {
        let own = self.state().cancelled;
        own > 0 || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// Takes a line for the editor, if the editor does not know the session yet. Gives it back otherwise. `asks`: somebody waits
    /// for what the editor does with it.
    pub(crate) fn hold(&self, line: String, asks: bool) -> Option<String> {
        let mut state = self.state();
        let Some(held) = &mut state.held else { return Some(line) };
        let size = line.len();
        held.push(Held { line, asks });
        state.held_bytes += size;
        if state.held_bytes > HELD {
            // What is only shown is what is missed least.
            tracing::warn!("an agent says more than is kept before its session is open");
            if let Some(held) = &mut state.held {
                held.retain(|held| held.asks);
            }
            state.held_bytes = 0;
        }
        None
    }

    /// Keeps what the agent says of a call that is being asked about: what the editor shows of it stays as it was judged.
    pub(crate) fn keep(&self, call: &str, line: String) {
        let mut state = self.state();
        let lines = state.untold.entry(call.to_owned()).or_default();
        // They are only shown: each says what the call has become, so the newest counts.
        if lines.len() >= UNTOLD {
            lines.remove(0);
        }
        lines.push(line);
    }

    /// Takes a line behind questions that the editor has not been shown yet. Gives it back, where there are none.
    pub(crate) fn stand_behind(&self, line: String) -> Option<String> {
        let mut state = self.state();
        if state.unshown.is_empty() || state.behind.len() >= UNTOLD {
            return Some(line);
        }
        state.behind.push(line);
        None
    }

    /// A question is shown, or has ended. What stands behind it and no other one.
    pub(crate) fn shown(&self, question: ApprovalId) -> Vec<String> {
        let mut state = self.state();
        state.unshown.remove(&question);
        if state.unshown.is_empty() { std::mem::take(&mut state.behind) } else { Vec::new() }
    }

    /// Gives what was held to `to`, in its order; nothing is held from now on.
    pub(crate) fn release(&self, to: impl FnMut(String)) {
        let mut state = self.state();
        state.held.take().unwrap_or_default().into_iter().map(|held| held.line).for_each(to);
    }

    /// What is held is nobody's any more.
    pub(crate) fn drop_held(&self) {
        if let Some(held) = &mut self.state().held {
            held.clear();
        }
    }

    /// A prompt of it has ended. Whether that was the last one of those that were cancelled.
    pub(crate) fn end_turn(&self) -> bool {
        let mut state = self.state();
        state.prompts = state.prompts.saturating_sub(1);
        let cancelled = state.cancelled > 0;
        state.cancelled = state.cancelled.saturating_sub(1).min(state.prompts);
        if state.prompts == 0 {
            state.turn_over();
            state.approved.clear();
        }
        cancelled && state.cancelled == 0
    }

    /// The agent says that its work is over (version 2). None, if there was none; else whether it was cancelled.
    pub(crate) fn end_work(&self) -> Option<bool> {
        let mut state = self.state();
        let taken = std::mem::take(&mut state.taken);
        if !std::mem::take(&mut state.working) && taken == 0 {
            return None;
        }
        state.ends += 1;
        state.prompts = state.prompts.saturating_sub(taken);
        let cancelled = std::mem::take(&mut state.cancelled) > 0;
        state.turn_over();
        Some(cancelled)
    }
}
