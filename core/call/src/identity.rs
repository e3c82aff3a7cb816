//! Who asks: identities come from how mayi started or was configured to reach a thing.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Digest;

/// An agent, by its launch binding: the name it was configured under, or the digest of a command
/// given with `--command`, which shares nothing with named agents. Which names are the same agent is said in
/// `mayi_policy::aliases`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    /// The agent configured under `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// An agent started from words on the command line: bound to exactly these words.
    #[must_use]
    pub fn from_command(words: &[String]) -> Self {
        let digest = super::digest_of(&serde_json::json!(words));
        Self(format!("command:{}", digest.short()))
    }

    /// An agent that is not started by mayi, and came to a door under `name`: an MCP client at `mcp`, an app at
    /// `responses`, an app with a loop of its own at `host`, a program with mayi in its hooks at `hook`. It is another one than the agent that mayi starts under that name: what was allowed to that one, or
    /// set for it, it does not have (D1.20).
    #[must_use]
    pub fn at_door(door: NamedDoor, name: &str) -> Self {
        Self([door.as_str(), ":", name].concat())
    }

    /// The agent that is written as `text`: by its name, or by a door and the name that it comes to that under
    /// (`mcp:cursor`). None, if nobody can be called that.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let agent = Self(text.to_owned());
        agent.name().is_some_and(Names::is_valid_agent_name).then_some(agent)
    }

    /// Whoever calls through a door that asks nobody who they are: no name, so no settings, remembered answers or bypass are
    /// theirs.
    #[must_use]
    pub fn anonymous_at_door(door: &str) -> Self {
        Self(format!("open:{door}"))
    }

    /// The identity as text; a name can't hold `:`, so the forms never meet.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is an agent with a name in the configuration.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !self.0.contains(':')
    }

    /// The name that it goes by: in the configuration, or at a door. None, where it is known by its command alone.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self.0.split_once(':') {
            None => Some(&self.0),
            Some(_) => self.door().and(self.0.split_once(':').map(|(_, name)| name)),
        }
    }

    /// The door that it comes to under a name. None, where mayi starts it, and where it has no name.
    #[must_use]
    pub fn door(&self) -> Option<NamedDoor> {
        let (door, _) = self.0.split_once(':')?;
        NamedDoor::ALL.into_iter().find(|known| known.as_str() == door)
    }
}

/// A door at which agents come under a name that mayi did not start them by. What is stricter for the agent of that name holds
/// there too (D1.20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedDoor {
    /// An agent's hooks.
    Hook,
    /// The MCP gateway.
    Mcp,
    /// The Responses API.
    Responses,
    /// The backend, for an app with a loop of its own.
    Host,
}

impl NamedDoor {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Hook, Self::Mcp, Self::Responses, Self::Host];

    /// The word before the agent's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Mcp => "mcp",
            Self::Responses => "responses",
            Self::Host => "host",
        }
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
/// environment, or of its URL (D1.21). The name that it has in a configuration is not part of it, and
/// what it says of itself neither.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(Digest);

impl ServerId {
    /// The server that is reached as `launch` says (`config::Transport::describe`).
    #[must_use]
    pub fn from_launch(launch: &serde_json::Value) -> Self {
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
    pub fn is_plain(name: &str) -> bool {
        !name.is_empty()
            && name.len() <= 128
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    }

    /// Whether an agent may have this name, as people write it: `Claude Code (work)`. It begins with a letter or a digit, single
    /// blanks stand between words, and nothing in it is hidden or looks like something else, at most 128 characters.
    #[must_use]
    pub fn is_valid_agent_name(name: &str) -> bool {
        name.len() <= 128
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !name.ends_with(' ')
            && !name.contains("  ")
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b' ' | b'(' | b')'))
    }
}
