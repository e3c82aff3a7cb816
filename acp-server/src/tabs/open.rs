//! Opening a tab: the agent is started, and its session opened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use mayi_acp::{
    AcpEvent, AgentError, AskingMode, Connection, Launch, OfferedCapabilities, OpenSession, OpenedSession,
    SessionEvent,
};
use mayi_core::approval::escape_line;
use mayi_core::call::{AgentId, SessionId, is_too_wide};
use mayi_core::config::{AgentCommand, AgentLaunch, LoadedConfig, RunningSession, Trust, nearest_word};
use mayi_core::gate::{Asking, Gate, Memory, OnAsk};
use mayi_doors::task::spawn;
use tokio::sync::{mpsc, watch};

use super::servers::{self, GatewayOptions};
use super::{LiveState, Tab, event_pump};
use crate::api::{NewSession, SessionInfo, TabState};
use crate::backend::{Backend, lock_mutex};
use crate::error::RpcError;
use crate::permanent_answers::BackendKeeper;

/// Opens a tab. Whoever asked for it may be gone meanwhile: it is opened all the same.
///
/// # Errors
/// If the request makes no sense, the configuration is refused, or the agent can't be started.
pub(crate) async fn open(backend: &Arc<Backend>, wanted: NewSession) -> Result<SessionInfo, RpcError> {
    let backend = Arc::clone(backend);
    let opening = spawn(async move { open_tab(&backend, wanted).await });
    opening.await.map_err(|error| RpcError::Internal(error.to_string()))?
}

async fn open_tab(backend: &Arc<Backend>, wanted: NewSession) -> Result<SessionInfo, RpcError> {
    let id = tab_id(wanted.tab_id.as_deref())?;
    let cwd = resolve_cwd(&wanted.cwd)?;
    let mut loaded = backend.load(&cwd)?;
    let gateway = GatewayOptions {
        none: !wanted.gateway.unwrap_or(backend.options.gateway),
        toolbelt: wanted.toolbelt.unwrap_or(backend.options.toolbelt),
    };
    let warning = (gateway.none && !loaded.servers.is_empty()).then(|| {
        let names: Vec<&str> = loaded.servers.keys().map(String::as_str).collect();
        format!(
            "no gateway: the agent reaches {} without mayi, and may call their tools without asking",
            names.join(", ")
        )
    });
    // Also in the record: it keeps what a policy notices.
    loaded.policy.notices.extend(warning.clone());
    let agent = find_agent(&loaded, &wanted.agent)?;
    let mut launch = prepare_launch(backend, agent, &cwd, &loaded.folders)?;
    let name = AgentId::from_name(&agent.name);
    let running = RunningSession::for_session(Some(agent), &loaded);
    let gate = build_gate(backend, &loaded, &cwd, running.clone()).await?;
    let tab = Arc::new(Tab {
        id,
        agent: name.clone(),
        cwd: cwd.clone(),
        gate,
        running,
        servers: OnceLock::new(),
        backend: Arc::downgrade(backend),
        now: Mutex::new(LiveState {
            session: None,
            connection: None,
            title: String::new(),
            state: TabState::Starting,
            error: None,
            resumed: false,
            can_resume: false,
            mode: wanted.mode,
            turn: 0,
            cancelled: false,
            briefing: mayi_acp::Briefing::default(),
            reasons: Vec::new(),
            heard: Instant::now(),
            lock: loaded.locks.mode_lock().map(|by| (by.to_owned(), loaded.policy.least_mode(&name))),
            on_unasked: agent.on_unasked,
        }),
        closing: watch::Sender::new(false),
        passed_on: OnceLock::new(),
        started: watch::Sender::new(false),
    });
    if let Some((by, least)) = lock_mutex(&tab.now).lock.as_ref()
        && wanted.mode.is_some_and(|mode| mode < *least)
    {
        let by = by.display();
        return Err(RpcError::Params(format!("{by} locks the mode: it can be {least} or stricter")));
    }
    backend.insert(&tab)?;
    tab.gate.watch_store();
    tab.announce_state();
    warning.into_iter().for_each(|warning| tab.push_notice(warning));
    let mut session = OpenSession {
        agent: name,
        cwd,
        more_roots: loaded.folders.clone(),
        servers: Vec::new(),
        behind: None,
        mode: wanted.mode,
        asking_mode: agent.asking_mode.clone().map(AskingMode),
        asks: agent.asks,
        resume: wanted.resume.map(SessionId),
    };
    if let Err(refused) = servers::add_servers(
        (&mut session, &mut launch),
        &tab,
        backend,
        gateway,
        loaded.servers.values().cloned().collect(),
    ) {
        tab.started.send_replace(true);
        backend.remove_tab(&tab.id);
        tab.end().await;
        return Err(refused);
    }
    let offer = OfferedCapabilities {
        fs: true,
        terminal: true,
        missing_files_are_empty: agent.missing_files_are_empty,
    };
    let (events, heard) = mpsc::unbounded_channel();
    let mut closing = tab.closing.subscribe();
    let begun = tokio::select! {
        begun = start_agent(&tab, &launch, offer, session, events.clone()) => begun.map_err(|error| error.to_string()),
        // What was begun of it is dropped, and ends with that.
        _ = closing.wait_for(|closing| *closing) => Err("the tab was closed while its agent was being started".to_owned()),
    };
    match begun {
        Ok(begun) => Ok(activate_tab(backend, &tab, begun, (events, heard)).await),
        Err(error) => {
            tab.started.send_replace(true);
            // Whoever has closed it says so.
            if backend.remove_tab(&tab.id).is_some() {
                tab.end().await;
                backend.events.push(&crate::api::Event::SessionClosed { tab_id: tab.id.clone() });
            }
            Err(RpcError::Agent(error))
        }
    }
}

/// An agent whose session is open.
struct StartedAgent {
    connection: Connection,
    opened: OpenedSession,
    resumed: bool,
}

async fn start_agent(
    tab: &Tab,
    launch: &Launch,
    offer: OfferedCapabilities,
    mut session: OpenSession,
    events: mpsc::UnboundedSender<SessionEvent>,
) -> Result<StartedAgent, AgentError> {
    let connection = Connection::start(launch, tab.gate.clone(), offer, events).await?;
    if session.resume.is_some() && connection.can_load() {
        match connection.open(&session).await {
            Ok(opened) => return Ok(StartedAgent { connection, opened, resumed: true }),
            // It does not know the session any more: it begins anew, and says so by `resumed`.
            Err(AgentError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    session.resume = None;
    let opened = connection.open(&session).await?;
    Ok(StartedAgent { connection, opened, resumed: false })
}

async fn activate_tab(
    backend: &Arc<Backend>,
    tab: &Arc<Tab>,
    begun: StartedAgent,
    (events, mut heard): (mpsc::UnboundedSender<SessionEvent>, mpsc::UnboundedReceiver<SessionEvent>),
) -> SessionInfo {
    let connection = Arc::new(begun.connection);
    let closed = {
        let mut now = lock_mutex(&tab.now);
        if let Some(mode) = now.mode {
            // It may have been chosen while the agent was being started.
            tab.gate.set_mode(&begun.opened.id, mode);
        }
        if let Some(servers) = tab.servers.get() {
            servers.belong_to(&begun.opened.id);
        }
        now.session = Some(begun.opened.id);
        now.can_resume = connection.can_load();
        now.resumed = begun.resumed;
        // Closed while its agent was being started.
        let closed = now.state == TabState::Ended;
        if !closed {
            now.state = TabState::Idle;
            now.connection = Some(Arc::clone(&connection));
        }
        closed
    };
    if closed {
        connection.end().await;
    }
    tab.started.send_replace(true);
    if closed {
        return tab.session_info();
    }
    if begun.resumed {
        // What it has said before is known to whoever goes on with the session.
        while let Ok(event) = heard.try_recv() {
            if let SessionEvent::Agent(AcpEvent::Notice(text)) = event {
                tab.push_notice(text);
            }
        }
    }
    tab.gate.forward_events(events);
    event_pump::pump_events(backend, tab, heard, connection);
    tab.announce_state();
    tab.session_info()
}

/// A name of its own for each tab.
fn tab_id(wanted: Option<&str>) -> Result<String, RpcError> {
    let Some(id) = wanted else { return Ok(uuid::Uuid::now_v7().to_string()) };
    let fits =
        (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if fits {
        return Ok(id.to_owned());
    }
    Err(RpcError::Params("a tabId has letters, digits and `-`, at most 64 of them".to_owned()))
}

/// D1.27: `/`, the home folder and its ancestors are never roots without being named.
pub(crate) fn resolve_cwd(cwd: &Path) -> Result<PathBuf, RpcError> {
    if !cwd.is_absolute() {
        return Err(RpcError::Params("the folder (cwd) has to be an absolute path".to_owned()));
    }
    let shown = escape_line(&cwd.to_string_lossy());
    let cwd =
        cwd.canonicalize().map_err(|error| RpcError::Params(format!("can't work in {shown}: {error}")))?;
    if !cwd.is_dir() {
        return Err(RpcError::Params(format!("can't work in {shown}: it is not a folder")));
    }
    if is_too_wide(&cwd) {
        return Err(RpcError::Params(format!(
            "an agent would be let work in all of {shown}: open the folder of a project"
        )));
    }
    Ok(cwd)
}

fn find_agent<'l>(loaded: &'l LoadedConfig, name: &str) -> Result<&'l AgentLaunch, RpcError> {
    loaded.find_agent(name).ok_or_else(|| {
        let near = nearest_word(name, loaded.agents.keys().map(String::as_str));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        RpcError::Params(format!("no agent is called `{}`{hint}", escape_line(name)))
    })
}

fn prepare_launch(
    backend: &Backend,
    agent: &AgentLaunch,
    cwd: &Path,
    more: &[PathBuf],
) -> Result<Launch, RpcError> {
    let Some(command) = &agent.command else {
        return Err(RpcError::Config(format!(
            "the agent {0} has no command: write one in the setting mayi.agents, or under [agents.{0}]",
            agent.name
        )));
    };
    let folders = backend.sources_for(cwd).folders;
    Ok(Launch {
        command: command.words(),
        env: agent.env.clone(),
        folder: backend.options.state.join("agents").join(&agent.name),
        roots: std::iter::once(cwd).chain(more.iter().map(PathBuf::as_path)).map(Path::to_owned).collect(),
        trust: Trust::read(&folders).unwrap_or_default(),
        own: matches!(command, AgentCommand::BuiltIn),
        install: agent.install.map(str::to_owned),
    })
}

/// The gate of a tab: another process may answer what waits, and nothing runs that is not recorded.
async fn build_gate(
    backend: &Arc<Backend>,
    loaded: &LoadedConfig,
    cwd: &Path,
    running: RunningSession,
) -> Result<Gate, RpcError> {
    let asking = Asking { on_ask: OnAsk::Wait, limit: backend.options.limit };
    let keeper = Box::new(BackendKeeper::new(backend, cwd, running));
    let (policy, backend) = (loaded.policy.clone(), Arc::clone(backend));
    let made = tokio::task::spawn_blocking(move || {
        let writer = (backend.options.writer)().map_err(RpcError::Internal)?;
        let memory = Memory::attach(Arc::clone(&backend.options.store), writer)?;
        Ok::<_, RpcError>(Gate::with_memory(policy, asking, keeper, memory))
    });
    made.await.map_err(|error| RpcError::Internal(error.to_string()))?
}
