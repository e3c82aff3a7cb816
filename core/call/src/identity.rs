//! Who asks: identities come from how mayi started or was configured to reach a thing.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Digest;

/// Names of one program each: as mayi starts it over ACP, and as it runs with its hooks.
const KIN: &[&[&str]] = &[
    &["claude", "claude-code"],
    &["codex", "codex-cli"],
    &["copilot", "copilot-cli"],
    &["cursor", "cursor-hooks"],
    &["gemini", "gemini-cli"],
    &["opencode", "opencode-tui"],
    &["qwen", "qwen-code"],
];

/// An agent, by its launch binding: the name it was configured under, or the digest of a command
/// given with `--command`, which shares nothing with named agents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    /// The agent configured under `name`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// An agent started from words on the command line: bound to exactly these words.
    #[must_use]
    pub fn command(words: &[String]) -> Self {
        let digest = super::digest_of(&serde_json::json!(words));
        Self(format!("command:{}", digest.short()))
    }

    /// The other names of the same program, started in another way (decisions, amendment 12): what denies, asks or is stricter
    /// for one of them holds for all. What allows is for the way of starting it that it was given to.
    pub fn kin(&self) -> impl Iterator<Item = &'static str> {
        let family = KIN.iter().find(|names| names.contains(&self.as_str())).copied().unwrap_or_default();
        family.iter().copied().filter(|name| *name != self.as_str())
    }

    /// Whether `name` is this agent, or another name of the same program.
    #[must_use]
    pub fn is_kin(&self, name: &str) -> bool {
        name == self.as_str() || self.kin().any(|other| other == name)
    }

    /// The identity as text; a name can't hold `:`, so the two forms never meet.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is an agent with a name in the configuration.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !self.0.contains(':')
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A session, as the protocol names it. Unique within one connection to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An MCP server, by how it is reached: the digest of its resolved command, its arguments and the names of its
/// environment, or of its URL (decisions, section 1). The name that it has in a configuration is not part of it, and
/// what it says of itself neither.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(Digest);

impl ServerId {
    /// The server that is reached as `launch` says (`config::Transport::describe`).
    #[must_use]
    pub fn of(launch: &serde_json::Value) -> Self {
        Self(super::digest_of(launch))
    }

    /// The digest as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// What names of agents, servers and tools are made of.
pub struct Names;

impl Names {
    /// Whether an allow may match this name: `[A-Za-z0-9._-]+`, at most 128 characters.
    #[must_use]
    pub fn plain(name: &str) -> bool {
        !name.is_empty()
            && name.len() <= 128
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    }
}
