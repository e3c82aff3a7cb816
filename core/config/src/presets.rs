//! Agents that people use, how they are started as ACP agents, and what is known of whether they ask.
//!
//! Commands are those of the public ACP agent registry and the agents' own documentation; a user's file may say otherwise
//! (`[agents.NAME] command = ...`). What npx would fetch has the version that was tried: the next one may do without asking
//! what this one asks about.

use super::{AgentCommand, AgentLaunch, Layer, OnUnasked};
use mayi_policy::Origin;

/// An agent that mayi knows by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What starts it; empty: this executable.
    pub command: &'static [&'static str],
    /// Variables that are set for it, by which it asks.
    pub env: &'static [(&'static str, &'static str)],
    /// Its own mode in which it asks, where it has one to switch to.
    pub asking_mode: Option<&'static str>,
    /// Whether it asks.
    pub asks: Asks,
    /// It takes the protocol's error for a file that is not there as a failure, and so creates no file.
    pub missing_files_are_empty: bool,
    /// How to get it.
    pub install: &'static str,
}

/// What is known of whether an agent asks before it writes files, runs commands and calls tools of servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// It was tried in this version, and asked.
    Tried(&'static str),
    /// It is known that it does not.
    No {
        /// Since which of its versions.
        since: &'static str,
        /// Where that is said.
        source: &'static str,
    },
    /// Nobody has tried it.
    #[default]
    NotKnown,
}

/// opencode runs everything without asking, unless its settings say otherwise. What only reads in the folder may go on so.
const OPENCODE_ASKS: &str = r#"{"*":"ask","read":"allow","glob":"allow","grep":"allow","list":"allow","todowrite":"allow","todoread":"allow"}"#;

/// All of them, by name. Where an agent has modes, `asking_mode` is the one in which it asks before it acts: goose, vibe and
/// newer Claude Codes start in one where they do not, and the "ask" modes of others are for questions. Google's Antigravity
/// is not among them: its program speaks no ACP.
pub const PRESETS: &[Preset] = &[
    new_preset("auggie", "Auggie", &["auggie", "--acp"], "npm install -g @augmentcode/auggie"),
    new_preset(
        "claude",
        "Claude Code",
        &["npx", "-y", "@agentclientprotocol/claude-agent-acp@0.100.0"],
        "install Node.js, which brings npx",
    )
    .asks_in("default", Asks::Tried("0.100.0")),
    new_preset("cline", "Cline", &["cline", "--acp"], "npm install -g cline"),
    new_preset(
        "codex",
        "Codex",
        &["npx", "-y", "@agentclientprotocol/codex-acp@2.6.0"],
        "install Node.js, which brings npx",
    )
    .asks_in("read-only", Asks::Tried("2.6.0")),
    new_preset("copilot", "GitHub Copilot", &["copilot", "--acp"], "npm install -g @github/copilot").asks_in(
        "https://agentclientprotocol.com/protocol/session-modes#agent",
        Asks::No { since: "1.0.81-1", source: "github.com/github/copilot-cli/issues/4537" },
    ),
    new_preset("cursor", "Cursor", &["cursor-agent", "acp"], "see cursor.com/cli"),
    new_preset("demo", "the demo agent", &[], "it is built in")
        .asks_in("ask", Asks::Tried(env!("CARGO_PKG_VERSION"))),
    new_preset("gemini", "Gemini CLI", &["gemini", "--acp"], "npm install -g @google/gemini-cli")
        .asks_in("default", Asks::Tried("0.61.0"))
        .missing_files_are_empty(),
    new_preset("goose", "goose", &["goose", "acp"], "see block.github.io/goose")
        .asks_in("approve", Asks::NotKnown),
    new_preset("junie", "Junie", &["junie", "--acp=true"], "see junie.jetbrains.com"),
    new_preset("kimi", "Kimi", &["kimi", "acp"], "see github.com/MoonshotAI/kimi-cli"),
    new_preset("opencode", "opencode", &["opencode", "acp"], "npm install -g opencode-ai")
        .asks_by(&[("OPENCODE_PERMISSION", OPENCODE_ASKS)], Asks::Tried("1.18.33")),
    new_preset("openhands", "OpenHands", &["openhands", "acp"], "see github.com/OpenHands/OpenHands-CLI"),
    new_preset("qwen", "Qwen Code", &["qwen", "--acp"], "npm install -g @qwen-code/qwen-code")
        .asks_in("default", Asks::Tried("0.24.4")),
    new_preset("vibe", "Mistral Vibe", &["vibe-acp"], "see github.com/mistralai/mistral-vibe")
        .asks_in("ask", Asks::Tried("3.0.3")),
];

const fn new_preset(
    name: &'static str,
    title: &'static str,
    command: &'static [&'static str],
    install: &'static str,
) -> Preset {
    let asks = Asks::NotKnown;
    Preset {
        name,
        title,
        command,
        env: &[],
        asking_mode: None,
        asks,
        missing_files_are_empty: false,
        install,
    }
}

impl Preset {
    const fn asks_by(self, env: &'static [(&'static str, &'static str)], asks: Asks) -> Self {
        Self { env, asks, ..self }
    }

    const fn asks_in(self, mode: &'static str, asks: Asks) -> Self {
        Self { asking_mode: Some(mode), asks, ..self }
    }

    const fn missing_files_are_empty(self) -> Self {
        Self { missing_files_are_empty: true, ..self }
    }

    /// The preset called `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// How it is started.
    #[must_use]
    pub fn agent_launch(&self) -> AgentLaunch {
        let command = match self.command {
            [] => AgentCommand::BuiltIn,
            words => AgentCommand::Words(words.iter().map(|word| (*word).to_owned()).collect()),
        };
        AgentLaunch {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            command: Some(command),
            env: self.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            asking_mode: self.asking_mode.map(str::to_owned),
            asks: self.asks,
            missing_files_are_empty: self.missing_files_are_empty,
            on_unasked: OnUnasked::default(),
            preset: true,
            install: Some(self.install),
            origin: Origin { file: None, line: None, layer: Layer::BuiltIn },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Asks, PRESETS};
    use crate::names;
    use mayi_policy::aliases::agent_called;

    #[test]
    fn given_the_presets_then_their_names_are_allowed_and_sorted() {
        assert!(PRESETS.is_sorted_by_key(|preset| preset.name));
        for preset in PRESETS {
            assert_eq!(names::refuse_agent(preset.name), None);
            // As people write it, it is the same agent, and no other one's.
            for name in [preset.name, preset.title] {
                assert_eq!(agent_called(name), preset.name, "{name}");
            }
        }
    }

    /// Found in review: what is said of an agent was tried with one version of it, and so this is the version that
    /// npx fetches; an agent of which nothing is known is said to be so.
    #[test]
    fn given_a_preset_that_npx_fetches_then_it_is_the_version_that_was_tried() {
        for preset in PRESETS.iter().filter(|preset| preset.command.first() == Some(&"npx")) {
            let Asks::Tried(version) = preset.asks else { panic!("{} was not tried", preset.name) };
            let package = preset.command.last().unwrap();
            assert!(package.ends_with(&format!("@{version}")), "{package}");
        }
        let untried =
            |name: &str| PRESETS.iter().any(|preset| preset.name == name && preset.asks == Asks::NotKnown);
        for name in ["auggie", "cline", "cursor", "goose", "junie", "kimi", "openhands"] {
            assert!(untried(name), "{name}");
        }
    }
}
