//! Terminals of the agent's own, as it tells of them (version 2): which command runs in each, and what explains it.

use std::collections::{HashMap, HashSet};

/// As many terminals of which a command was told are kept.
const MOST: usize = 256;

/// A command in a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TerminalCommand {
    pub(crate) line: String,
    pub(crate) cwd: Option<String>,
}

/// Terminals of the agent's own.
#[derive(Debug, Default)]
pub(crate) struct AgentTerminals {
    /// The command in each, and whether something explains it.
    terminals: HashMap<String, (TerminalCommand, bool)>,
    /// Calls that explain a terminal already: each explains one.
    used_calls: HashSet<String>,
}

impl AgentTerminals {
    /// A command is told of a terminal. What has to be judged now: the one that was told of it before, where that is another one; or
    /// this one, where there are more than are kept.
    pub(crate) fn record_command(&mut self, id: &str, command: TerminalCommand) -> Option<TerminalCommand> {
        match self.terminals.get(id) {
            Some((before, _)) if *before == command => return None,
            None if self.terminals.len() >= MOST => return Some(command),
            _ => {}
        }
        let before = self.terminals.insert(id.to_owned(), (command, false));
        before.filter(|(_, explained)| !explained).map(|(command, _)| command)
    }

    /// The command in a terminal, if nothing explains it yet.
    pub(crate) fn open(&self, id: &str) -> Option<TerminalCommand> {
        self.terminals.get(id).filter(|(_, explained)| !explained).map(|(command, _)| command.clone())
    }

    /// Something explains it.
    pub(crate) fn mark_explained(&mut self, id: &str) {
        if let Some((_, explained)) = self.terminals.get_mut(id) {
            *explained = true;
        }
    }

    /// It has ended. Its command, if nothing explains that.
    pub(crate) fn end_terminal(&mut self, id: &str) -> Option<TerminalCommand> {
        self.terminals.remove(id).filter(|(_, explained)| !explained).map(|(command, _)| command)
    }

    /// Whether this call explains none so far.
    pub(crate) fn is_unspent(&self, call: &str) -> bool {
        !self.used_calls.contains(call)
    }

    /// This call explains a terminal.
    pub(crate) fn mark_call_used(&mut self, call: &str) {
        self.used_calls.insert(call.to_owned());
    }

    /// This call has ended: its id is another one's from now on.
    pub(crate) fn forget_call(&mut self, call: &str) {
        self.used_calls.remove(call);
    }

    /// Forgets calls, where those are more than `most`.
    pub(crate) fn limit_used_calls(&mut self, most: usize) {
        if self.used_calls.len() > most {
            self.used_calls.clear();
        }
    }
}
