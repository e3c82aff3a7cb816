//! Settings of agents and MCP servers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Mode;
use mayi_call::Category;

/// Whether a server's or tool's calls need an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// Ask.
    Required,
    /// Run.
    NotRequired,
    /// For a tool: as its server.
    Default,
}

/// The level that was granted to a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing.
    #[default]
    None,
    /// Tools of category read.
    Read,
    /// Tools of category read and write.
    Write,
    /// Every tool, external ones too.
    All,
}

impl Level {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
            Self::All => "all",
        }
    }

    /// Whether tools of `category` are covered.
    #[must_use]
    pub fn covers(self, category: Category) -> bool {
        match self {
            Self::None => false,
            Self::Read => category == Category::Read,
            Self::Write => matches!(category, Category::Read | Category::Write),
            Self::All => true,
        }
    }
}

/// Settings of one tool of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolSettings {
    /// Whether its calls need an answer.
    pub approval: Approval,
    /// What the user says the tool is.
    pub category: Option<Category>,
}

/// Settings of one MCP server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerSettings {
    /// Whether its calls need an answer; without one, the matrix speaks.
    pub approval: Option<Approval>,
    /// The level granted to it.
    pub grant: Level,
    /// What the server says of its tools may loosen a decision.
    pub trust_annotations: bool,
    /// Its tools.
    pub tools: BTreeMap<String, ToolSettings>,
    /// It runs on this machine: paths among its arguments are paths here.
    pub local: bool,
}

/// Settings of an app that uses a Responses API or has a loop of its own, as far as they decide anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppSettings {
    /// Where the app says that a tool needs no approval (`require_approval`), it needs none, unless anything else speaks.
    pub trust_require_approval: bool,
    /// The categories that the app gives its tools count.
    pub trust_categories: bool,
}

/// Settings of one agent, as far as they decide anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// Asks are discharged, but for those that hold.
    pub bypass_permissions: bool,
    /// The mode its sessions start in.
    pub mode: Option<Mode>,
    /// As an MCP client, it shows mayi's questions to a person.
    pub trust_elicitation: bool,
    /// What the user says that tools of its own are, by name.
    pub tools: BTreeMap<String, Category>,
}
