//! What is allowed: patterns, rules, modes, protection and [`decide`]. No I/O, no clock, no
//! environment, no async: the same inputs give the same answer.

pub mod aliases;
pub mod compiled;
mod decide;
mod effect;
mod fold;
pub mod grant;
mod grant_id;
mod index;
mod layer;
mod mode;
pub mod pattern;
mod protection;
mod rule;
mod rules;
mod settings;
mod words;

pub use decide::{SessionStanding, decide};
pub use effect::{Decision, Effect, Finding, Source};
pub use fold::fold_text;
pub use layer::Layer;
pub use mode::{Matrix, Mode};
pub use pattern::{Pattern, PatternError};
pub use protection::{Objection, PathLooks, Protected, Protection, git_runs_key};
pub use rule::{Origin, Rule};
pub use rules::Rules;
pub use settings::{AgentSettings, AppSettings, Approval, Level, ServerSettings, ToolSettings};

use std::collections::BTreeMap;

use mayi_call::{AgentId, Category, Digest, Names};

/// Everything that was configured, compiled: made from the configuration, read by [`decide`].
#[derive(Clone, Debug)]
pub struct Policy {
    /// Counts up whenever the policy is loaded anew: part of every digest.
    pub epoch: u64,
    /// The mode a session starts in.
    pub mode: Mode,
    /// The least strict modes that may be chosen for a session; none: an administrator's file locks no mode.
    pub least_modes: Option<LeastModes>,
    /// What each mode does with each category where nothing else speaks.
    pub matrix: Matrix,
    /// Whether commands that only read, by the table of readers, are of category read.
    pub readers: bool,
    /// Whether a call that the kernel holds in full runs where nobody has said anything of it.
    pub allow_confined: bool,
    /// Rules of every layer; their order has no meaning.
    pub rules: Rules,
    /// What mayi protects by itself.
    pub protection: Protection,
    /// Settings of agents, by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Settings of MCP servers, by name.
    pub servers: BTreeMap<String, ServerSettings>,
    /// Settings of apps that use a Responses API, by name.
    pub apps: BTreeMap<String, AppSettings>,
    /// What the user says that agents' own tools are, by name, whichever agent it is.
    pub tools: BTreeMap<String, Category>,
    /// Something that should be told: a workspace file with an allow, say. One line each.
    pub notices: Vec<String>,
    /// The files that it was read from.
    pub files: Vec<SourceFile>,
    /// A layer could not be read: every call is asked about, with this as the reason.
    pub ask_all: Option<String>,
}

/// What an administrator's file, which locks the mode, says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeastModes {
    /// For whoever is not named.
    pub mode: Mode,
    /// For agents by name.
    pub agents: BTreeMap<String, Mode>,
}

/// A file that a policy was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is.
    pub path: std::path::PathBuf,
    /// Its layer.
    pub layer: Layer,
    /// SHA-256 of its content.
    pub digest: Digest,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            epoch: 0,
            mode: Mode::default(),
            least_modes: None,
            matrix: Matrix::default(),
            rules: Rules::default(),
            readers: true,
            allow_confined: false,
            protection: Protection::default(),
            agents: BTreeMap::new(),
            servers: BTreeMap::new(),
            apps: BTreeMap::new(),
            tools: BTreeMap::new(),
            notices: Vec::new(),
            files: Vec::new(),
            ask_all: None,
        }
    }
}

impl Policy {
    /// The same, with everything compiled that would else be when it is first needed.
    #[must_use]
    pub fn with_indexes(self) -> Self {
        self.rules.build_index();
        self.protection.build_index();
        self
    }

    /// What the user says that the tool `name` of `agent`'s own is: for that agent, else for all.
    #[must_use]
    pub fn category_of_tool(&self, agent: &AgentId, name: &str) -> Option<Category> {
        let own = self.agents.get(agent.as_str()).filter(|_| agent.is_named());
        let said = own.and_then(|agent| agent.tools.get(name)).or_else(|| self.tools.get(name));
        // D1.24: a name of other characters is never matched by what allows.
        said.copied().filter(|_| Names::is_plain(name))
    }

    /// The least strict mode that may be chosen for a session of `agent` (D5.3). A stricter one of
    /// another name of the agent holds too.
    #[must_use]
    pub fn least_mode(&self, agent: &AgentId) -> Mode {
        let Some(least) = &self.least_modes else { return Mode::Auto };
        let own = least.agents.get(agent.as_str()).filter(|_| agent.is_named());
        let others = least.agents.iter().filter(|(name, _)| aliases::same_agent(name, agent));
        others.map(|(_, mode)| *mode).fold(own.copied().unwrap_or(least.mode), Mode::max)
    }

    /// The mode of a session of `agent` that `chosen` was chosen for; none: as configured. What was chosen before an
    /// administrator locked a stricter one is that one. What is configured for another name of the agent holds where it is
    /// stricter (D1.20).
    #[must_use]
    pub fn mode_of(&self, agent: &AgentId, chosen: Option<Mode>) -> Mode {
        if let Some(mode) = chosen {
            return mode.max(self.least_mode(agent));
        }
        let own = self.agents.get(agent.as_str()).filter(|_| agent.is_named());
        let others = self.agents.iter().filter(|(_, of)| of.mode.is_some());
        let others =
            others.filter(|(name, _)| aliases::same_agent(name, agent)).filter_map(|(_, of)| of.mode);
        others.fold(own.and_then(|of| of.mode).unwrap_or(self.mode), Mode::max)
    }
}
