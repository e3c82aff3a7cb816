//! What the door does not know by itself: the policy of a folder, and what stands before MCP servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use mayi_acp_shared::AskingMode;
use mayi_core::call::{AgentId, ServerId, SessionId};
use mayi_core::config::{Asks, OnUnasked, ServerLaunch};
use mayi_core::gate::{Gate, ToolFactsSource};
use mayi_core::policy::Mode;

/// A session that an editor wants.
#[derive(Debug)]
pub struct SessionRequest<'w> {
    /// The folder that it works in: absolute, links resolved.
    pub cwd: &'w Path,
    /// That folder and more that the editor names, in both forms.
    pub roots: &'w [PathBuf],
    /// The MCP servers that the editor puts into it.
    pub servers: Vec<ServerLaunch>,
}

/// What a session is judged by, and how its agent is handled.
pub struct SessionSetup {
    /// Its own gate: no session has another one's answers.
    pub gate: Gate,
    /// Who works in it.
    pub agent: AgentId,
    /// The mode that was chosen for it; none: as configured.
    pub mode: Option<Mode>,
    /// The loosest mode that it may be in.
    pub least: Mode,
    /// The agent's own mode in which it asks.
    pub asking_mode: Option<AskingMode>,
    /// Whether it asks there, as far as that is known.
    pub asks: Asks,
    /// What follows when something ran without asking, if that is configured.
    pub on_unasked: Option<OnUnasked>,
    /// What stands before its servers, if there are any.
    pub servers: Option<Arc<dyn SessionGateway>>,
    /// The session's folders: those that were asked for, and those that the person named besides.
    pub roots: Vec<PathBuf>,
}

/// What stands before the MCP servers of a session.
#[async_trait]
pub trait SessionGateway: Send + Sync {
    /// What the agent is to start in the place of the servers.
    fn relays(&self) -> Vec<ServerLaunch>;

    /// The servers' names, and which they are.
    fn server_names(&self) -> Vec<(String, ServerId)>;

    /// What the session's gate asks about their tools.
    fn tool_lookup(&self) -> Arc<dyn ToolFactsSource>;

    /// Says which session it is.
    fn belong_to(&self, session: &SessionId);

    /// Ends the servers.
    async fn end(&self);
}

/// The process that the door is part of.
#[async_trait]
pub trait Host: Send + Sync {
    /// What a session is judged by.
    ///
    /// # Errors
    /// If the configuration of its folder is refused, nothing can be recorded, or nothing can stand before its servers. The
    /// session is not opened then.
    async fn open(&self, wanted: SessionRequest<'_>) -> Result<SessionSetup, String>;

    /// Whether the person has named this folder, though it is as wide as the home folder.
    fn is_named(&self, folder: &Path) -> bool;

    /// Something that a person should know goes to the editor's log of the agent.
    fn log_notice(&self, text: &str);
}
