//! Agents that people use, and how they are started as ACP agents.
//!
//! Commands are those of the public ACP agent registry and the agents' own documentation, without
//! versions; a user's file may say otherwise (`[agents.NAME] command = ...`).

use std::collections::BTreeMap;

use super::{AgentCommand, AgentLaunch, Layer};
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
    /// Its own mode in which it asks, where it has one to switch to.
    pub asking_mode: Option<&'static str>,
    /// How to get it.
    pub install: &'static str,
}

/// All of them, by name. Where an agent has modes, `asking_mode` is the one in which it asks before
/// it acts: goose starts in one where it does not, and the "ask" modes of others are for questions.
pub const PRESETS: &[Preset] = &[
    preset("auggie", "Auggie", &["auggie", "--acp"], None, "npm install -g @augmentcode/auggie"),
    preset(
        "claude",
        "Claude Code",
        &["npx", "-y", "@agentclientprotocol/claude-agent-acp"],
        Some("default"),
        "install Node.js, which brings npx",
    ),
    preset("cline", "Cline", &["cline", "--acp"], None, "npm install -g cline"),
    preset(
        "codex",
        "Codex",
        &["npx", "-y", "@agentclientprotocol/codex-acp"],
        Some("read-only"),
        "install Node.js, which brings npx",
    ),
    preset(
        "copilot",
        "GitHub Copilot",
        &["copilot", "--acp"],
        Some("https://agentclientprotocol.com/protocol/session-modes#agent"),
        "npm install -g @github/copilot",
    ),
    preset("cursor", "Cursor", &["cursor-agent", "acp"], None, "see cursor.com/cli"),
    preset("demo", "the demo agent", &[], Some("ask"), "it is built in"),
    preset(
        "gemini",
        "Gemini CLI",
        &["gemini", "--acp"],
        Some("default"),
        "npm install -g @google/gemini-cli",
    ),
    preset("goose", "goose", &["goose", "acp"], Some("approve"), "see block.github.io/goose"),
    preset("junie", "Junie", &["junie", "--acp=true"], None, "see junie.jetbrains.com"),
    preset("kimi", "Kimi", &["kimi", "acp"], None, "see github.com/MoonshotAI/kimi-cli"),
    preset("opencode", "opencode", &["opencode", "acp"], None, "npm install -g opencode-ai"),
    preset("openhands", "OpenHands", &["openhands", "acp"], None, "see github.com/OpenHands/OpenHands-CLI"),
    preset("qwen", "Qwen Code", &["qwen", "--acp"], Some("default"), "npm install -g @qwen-code/qwen-code"),
    preset("vibe", "Mistral Vibe", &["vibe-acp"], Some("default"), "see github.com/mistralai/mistral-vibe"),
];

const fn preset(
    name: &'static str,
    title: &'static str,
    command: &'static [&'static str],
    asking_mode: Option<&'static str>,
    install: &'static str,
) -> Preset {
    Preset { name, title, command, asking_mode, install }
}

impl Preset {
    /// The preset called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// How it is started.
    #[must_use]
    pub fn launch(&self) -> AgentLaunch {
        let command = match self.command {
            [] => AgentCommand::BuiltIn,
            words => AgentCommand::Words(words.iter().map(|word| (*word).to_owned()).collect()),
        };
        AgentLaunch {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            command: Some(command),
            env: BTreeMap::new(),
            asking_mode: self.asking_mode.map(str::to_owned),
            preset: true,
            install: Some(self.install),
            origin: Origin { file: None, line: None, layer: Layer::BuiltIn.as_str() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PRESETS;
    use crate::names;

    #[test]
    fn given_the_presets_then_their_names_are_allowed_and_sorted() {
        assert!(PRESETS.is_sorted_by_key(|preset| preset.name));
        for preset in PRESETS {
            assert_eq!(names::refuse("an agent", preset.name), None);
        }
    }
}
