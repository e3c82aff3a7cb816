//! What the door needs of this process: an agent to start, and for each session the policy of its folder, a gate with a record, and
//! what stands before the editor's MCP servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use mayi_acp::resolve_program;
use mayi_acp_proxy::{Host, SessionGateway, SessionRequest, SessionSetup};
use mayi_acp_shared::{AskingMode, Launch};
use mayi_core::call::{AgentId, ServerId, SessionId};
use mayi_core::config::{
    AgentCommand, Asks, FileKeeper, Layer, LoadedConfig, OnUnasked, RunningSession, ServerLaunch, Sources,
    Trust, load,
};
use mayi_core::gate::{self, Asking, Gate, Memory, OnAsk};
use mayi_core::store::Store;
use mayi_doors::folders::session_roots;
use mayi_mcp::{NoticeSink, NoticeSinks, SessionOptions, SessionServers};

use super::args::AcpArgs;
use crate::commands::reload::Watcher;
use crate::context::Context;
use crate::error::CliError;
use crate::memory::{SharedStores, WritableStore};

/// What is known of the agent.
pub(super) struct AgentProfile {
    pub(super) id: AgentId,
    command: Vec<String>,
    env: BTreeMap<String, String>,
    asking_mode: Option<String>,
    asks: Asks,
    install: Option<String>,
    built_in: bool,
}

/// The agent that the options name.
///
/// # Errors
/// If there is no such agent, or it has no command.
pub(super) fn agent_of(args: &AcpArgs, loaded: &LoadedConfig) -> Result<AgentProfile, CliError> {
    if let Some(words) = args.agent_command(loaded)? {
        return Ok(AgentProfile {
            id: AgentId::from_command(words),
            command: words.to_vec(),
            env: BTreeMap::new(),
            asking_mode: None,
            asks: Asks::NotKnown,
            install: None,
            built_in: false,
        });
    }
    let name = args.agent.as_deref().unwrap_or_default();
    let (agent, command) = crate::commands::run::find_agent(name, loaded)?;
    Ok(AgentProfile {
        id: AgentId::from_name(&agent.name),
        command: command.words(),
        env: agent.env.clone(),
        asking_mode: agent.asking_mode.clone(),
        asks: agent.asks,
        install: agent.install.map(str::to_owned),
        built_in: matches!(command, AgentCommand::BuiltIn),
    })
}

/// This process.
pub(super) struct ProxyHost {
    args: AcpArgs,
    ctx: Context,
    launch: Launch,
    /// What starts a relay.
    relay: Vec<String>,
    /// What all sessions share: each has a gate of its own, with its own policy and answers.
    stores: SharedStores,
    watcher: Watcher,
}

impl ProxyHost {
    /// # Errors
    /// If there is no such agent, or no folder to start it in.
    pub(super) fn new(args: AcpArgs, ctx: Context, loaded: &LoadedConfig) -> Result<Self, CliError> {
        let AgentProfile { id, command, env, install, built_in: own, .. } = agent_of(&args, loaded)?;
        let folder = ctx.state_folder()?.join("agents").join(id.as_str().replace(':', "-"));
        let trust = Trust::read(&ctx.sources.folders).unwrap_or_default();
        let launch = Launch { command, env, folder, roots: ctx.roots(loaded), trust, own, install };
        let relay = crate::commands::relay::command_words()?;
        Ok(Self { args, ctx, launch, relay, stores: SharedStores::default(), watcher: Watcher::default() })
    }

    pub(super) fn launch(&self) -> Launch {
        self.launch.clone()
    }

    /// Where configuration comes from, for work in `cwd`.
    fn sources_for(&self, cwd: &Path) -> Sources {
        let mut sources = Sources::discover(cwd, self.ctx.sources.only.clone());
        sources.command_line = self.args.command_line();
        sources
    }

    fn open_session(&self, wanted: SessionRequest<'_>) -> Result<SessionSetup, String> {
        let SessionRequest { cwd, roots, servers } = wanted;
        let sources = self.sources_for(cwd);
        let mut loaded = load(&sources).map_err(|error| format!("the configuration is refused: {error}"))?;
        let folders: Vec<PathBuf> = roots.iter().chain(&loaded.folders).cloned().collect();
        let roots = &session_roots(&folders);
        for notice in &loaded.policy.notices {
            self.log_notice(notice);
        }
        let said = |error: CliError| error.message_text();
        let agent = agent_of(&self.args, &loaded).map_err(said)?;
        // What was started before the folder was known must not lie in it.
        let program = self.launch.command.first().map(String::as_str).unwrap_or_default();
        if !self.launch.own {
            resolve_program(program, roots, &self.launch.trust, None).map_err(|error| error.to_string())?;
        }
        let launched = self.args.agent.as_deref().and_then(|name| loaded.find_agent(name)).cloned();
        let behind = servers.iter().map(|server| (server.name.clone(), server.transport.server_id()));
        let running = RunningSession::new(launched.as_ref(), behind);
        // The editor's servers are not those that are configured under their names.
        let _ = running.restrict_to_running(&mut loaded);
        let mut ctx = self.ctx.clone();
        (ctx.sources, ctx.cwd) = (sources.clone(), cwd.to_owned());
        let WritableStore { store, writer } = self.stores.open(&ctx, &loaded).map_err(said)?;
        let store: Arc<dyn Store> = store;
        let memory = Memory::attach(Arc::clone(&store), writer).map_err(|error| error.to_string())?;
        let asking = Asking { on_ask: OnAsk::Prompt, limit: self.args.approval_timeout };
        let keeper = Box::new(FileKeeper::new(sources).with_running(running.clone()));
        let gate = Gate::with_memory(loaded.policy.clone(), asking, keeper, memory);
        // What is written while the session is open counts from then on.
        self.watcher.watch(&gate, ctx, &loaded, running);
        let servers = self.start_gateway(&gate, &store, &agent.id, (cwd, roots), servers)?;
        Ok(SessionSetup {
            gate,
            mode: self.args.mode,
            least: loaded.policy.least_mode(&agent.id),
            on_unasked: on_unasked(&loaded, self.args.agent.as_deref()),
            agent: agent.id,
            asking_mode: agent.asking_mode.map(AskingMode),
            asks: agent.asks,
            servers,
            roots: roots.clone(),
        })
    }

    fn start_gateway(
        &self,
        gate: &Gate,
        store: &Arc<dyn Store>,
        agent: &AgentId,
        (cwd, roots): (&Path, &[PathBuf]),
        servers: Vec<ServerLaunch>,
    ) -> Result<Option<Arc<dyn SessionGateway>>, String> {
        if servers.is_empty() {
            return Ok(None);
        }
        let options = SessionOptions {
            agent: agent.clone(),
            cwd: cwd.to_owned(),
            roots: roots.to_vec(),
            toolbelt: self.args.toolbelt,
            sinks: NoticeSinks { people: note_sink(&self.ctx), errors: note_sink(&self.ctx) },
            tokens: self.ctx.sources.folders.data.clone(),
            program: self.relay.clone(),
        };
        let servers = SessionServers::new(gate, Some(store), &options, servers)?;
        Ok(Some(Arc::new(GatewayServers(servers))))
    }
}

/// What follows when something ran without asking: what the user, or somebody stricter, has written of it.
fn on_unasked(loaded: &LoadedConfig, agent: Option<&str>) -> Option<OnUnasked> {
    let agent = agent.and_then(|name| loaded.find_agent(name));
    let own = agent.map(|agent| format!("agents.{}.on_unasked", agent.name));
    let written = loaded.settings.iter().any(|setting| {
        (setting.key == "on_unasked" || Some(&setting.key) == own.as_ref())
            && setting.origin.layer != Layer::BuiltIn
    });
    written.then(|| agent.map_or(loaded.on_unasked, |agent| agent.on_unasked))
}

/// What servers say goes to the log of the agent.
fn note_sink(ctx: &Context) -> NoticeSink {
    let quiet = ctx.quiet;
    Arc::new(move |server: &str, text: &str| {
        if !quiet {
            crate::print::stderr_line(format!("mayi: {server}: {text}"));
        }
    })
}

struct GatewayServers(SessionServers);

#[async_trait]
impl SessionGateway for GatewayServers {
    fn relays(&self) -> Vec<ServerLaunch> {
        self.0.relays().to_vec()
    }

    fn server_names(&self) -> Vec<(String, ServerId)> {
        self.0.server_names().to_vec()
    }

    fn tool_lookup(&self) -> Arc<dyn gate::ToolFactsSource> {
        self.0.tool_lookup()
    }

    fn belong_to(&self, session: &SessionId) {
        self.0.belong_to(session);
    }

    async fn end(&self) {
        self.0.end().await;
    }
}

#[async_trait]
impl Host for ProxyHost {
    async fn open(&self, wanted: SessionRequest<'_>) -> Result<SessionSetup, String> {
        // It reads files for some milliseconds: other sessions of this editor wait so long.
        let opening = self.open_session(wanted)?;
        opening.gate.watch_store();
        Ok(opening)
    }

    fn is_named(&self, folder: &Path) -> bool {
        self.ctx.cwd_named && self.ctx.cwd == folder
    }

    fn log_notice(&self, text: &str) {
        if !self.ctx.quiet {
            crate::print::stderr_line(format!("mayi: {}", mayi_core::approval::escape_line(text)));
        }
    }
}
