//! Sessions: each is a tab with an agent of its own behind it.

use std::path::PathBuf;

use mayi_core::policy::Mode;
use serde::{Deserialize, Serialize};

/// `session/new`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct NewSession {
    /// Its name in the configuration.
    pub agent: String,
    /// The folder that it works in: absolute.
    pub cwd: PathBuf,
    /// The mode of the session; none: as configured.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// The client's own name for the tab: letters, digits and `-`, at most 64; none: one is made up.
    #[serde(default)]
    pub tab_id: Option<String>,
    /// The agent's id of an earlier session to go on with. An agent that can't do that begins anew.
    #[serde(default)]
    pub resume: Option<String>,
    /// Two tools, `find_tools` and `run_tool`, in place of all that the MCP servers have; none: as `mayi serve` was told.
    #[serde(default)]
    pub toolbelt: Option<bool>,
    /// Whether mayi stands before the MCP servers; none: as `mayi serve` was told. Without it, what the agent does not ask
    /// about runs unjudged.
    #[serde(default)]
    pub gateway: Option<bool>,
}

/// Names a tab.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Tab {
    /// Which.
    pub tab_id: String,
}

/// `session/prompt`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// Which tab.
    pub tab_id: String,
    /// What the person says.
    pub text: String,
    /// The mode of the session from now on; none: as it is. Also `permission_mode`, as other clients call it.
    #[serde(default, alias = "permission_mode")]
    #[ts(optional)]
    pub mode: Option<Mode>,
}

/// The answer to `session/prompt`: the turn has begun.
#[derive(Clone, Copy, Debug, Serialize, ts_rs::TS)]
pub struct Turn {
    /// Its number in the tab; `turn-ended` has the same.
    pub turn: u64,
}

/// `session/setMode`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct SetMode {
    /// Which tab.
    pub tab_id: String,
    /// The mode from now on.
    pub mode: Mode,
}

/// `session/setBypass`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct SetBypass {
    /// Which tab.
    pub tab_id: String,
    /// Whether its agent is bypassed in this session, until that ends.
    pub on: bool,
}

/// What a tab is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum TabState {
    /// Its agent is being started.
    Starting,
    /// It waits for a prompt.
    Idle,
    /// A turn is under way.
    Running,
    /// Its agent is gone.
    Ended,
}

/// A tab as it is now.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The tab.
    pub tab_id: String,
    /// The agent's id for the session; empty while it starts.
    pub session_id: String,
    /// The agent's name in the configuration.
    pub agent_name: String,
    /// What it is about: the first words that the person said.
    pub title: String,
    /// The folder that it works in.
    pub cwd: PathBuf,
    /// The mode that holds.
    pub mode: Mode,
    /// The file that locks the mode.
    pub mode_locked: Option<PathBuf>,
    /// Whether the agent acts without asking, but for what is always asked about and what rules say: by the settings.
    pub bypass_permissions: bool,
    /// The same in this session alone, until it ends.
    pub bypass_session: bool,
    /// What it is doing.
    pub state: TabState,
    /// Why it ended: one line for people.
    pub error: Option<String>,
    /// Whether it goes on with an earlier session.
    pub resumed: bool,
    /// Whether the agent could go on with it later.
    pub can_resume: bool,
    /// How many questions wait in it, those in line among them.
    pub waiting: usize,
    /// How many of these are not shown yet: 64 are at once, and the next as one is settled.
    pub in_line: usize,
}
