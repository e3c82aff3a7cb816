//! Sessions that the editor opens: `session/new`, `load`, `resume`, `fork`, and whatever else has MCP servers in it. Each has a
//! gate of its own, and its agent is put into a mode in which it asks before the editor hears that it is there.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{amend_options, config, meta, record_initial_modes, servers};
use crate::cards;
use crate::host::{SessionRequest, SessionSetup};
use crate::in_flight::EditorAsk;
use crate::json_members::RawMembers;
use crate::line::{self, Id, Message, code};
use crate::session::{Session, SessionFamily};
use crate::shared::Shared;
use crate::splice::{TextEdit, apply_edits};
use mayi_acp_shared::AgentError;
use mayi_acp_shared::modes::{self, ModeSwitch};
use mayi_core::approval::escape_line;
use mayi_core::call::{SessionId, is_too_wide};
use mayi_core::gate;
use mayi_doors::task::SpawnBoxed as _;

/// How long an agent may take to go into the mode in which it asks.
const SWITCHING: Duration = Duration::from_secs(120);

/// A session that is being opened.
pub(crate) struct PendingSession {
    setup: SessionSetup,
    cwd: PathBuf,
    roots: Vec<PathBuf>,
    /// The session, where the editor has named it.
    named: Option<Arc<Session>>,
    /// What was open under its id before.
    before: Option<Arc<SessionFamily>>,
    /// Modes of the agent's that the person has chosen with it.
    chosen: Vec<(Option<String>, String)>,
}

/// Whether a request puts MCP servers somewhere, whatever it is called.
pub(super) fn has_servers(message: &Message<'_>) -> bool {
    if !message.raw_params().starts_with('{') {
        return false;
    }
    let parts = RawMembers::parse(message.raw_params());
    let some = |parts: &RawMembers<'_>| parts.get("mcpServers").is_some_and(|servers| servers != "null");
    parts.map_or(true, |parts| some(&parts) || parts.confusable_name(&["mcpServers"]).is_some())
}

/// Whether it has some elsewhere, where nothing can stand before them.
pub(super) fn hides_servers(message: &Message<'_>) -> bool {
    meta::has_servers(message.raw_params())
}

/// Opens a session: its gate first, then the agent hears of it.
///
/// # Errors
/// What is wrong with it; the agent does not hear of it then.
pub(super) async fn open(
    shared: &Arc<Shared>,
    message: &Message<'_>,
    params: &Value,
) -> Result<Option<(EditorAsk, String)>, String> {
    let cwd = resolve_cwd(shared, params)?;
    let mut folders =
        vec![PathBuf::from(params.get("cwd").and_then(Value::as_str).unwrap_or_default()), cwd.clone()];
    for more in params.get("additionalDirectories").and_then(Value::as_array).into_iter().flatten() {
        let more = Path::new(more.as_str().unwrap_or_default());
        match more.canonicalize() {
            Ok(real) if more.is_absolute() && (!is_too_wide(&real) || shared.host.is_named(&real)) => {
                folders.push(more.to_owned())
            }
            _ => shared.log_notice(format!(
                "{} is no folder of the session for mayi",
                escape_line(&more.to_string_lossy())
            )),
        }
    }
    let roots = mayi_doors::folders::session_roots(&folders);
    let mut servers = servers::read(params)?;
    let beside = meta::read(message.raw_params())?;
    for server in &beside.servers {
        if servers.iter().any(|other| other.name == server.name) {
            return Err(format!("two MCP servers are called {}", escape_line(&server.name)));
        }
        servers.push(server.clone());
    }
    let some = !servers.is_empty();
    let opening = shared.host.open(SessionRequest { cwd: &cwd, roots: &roots, servers }).await?;
    let roots = opening.roots.clone();
    let asking = opening.asking_mode.as_ref().map(|mode| mode.0.as_str());
    let note = |text: String| shared.log_notice(text);
    let mut edits = beside.make_edits(message.line, asking, note).ok_or("its `_meta` can't be changed")?;
    match (&opening.servers, some) {
        (None, false) => {}
        (None, true) => return Err("nothing stands before the MCP servers of the session".to_owned()),
        (Some(before), _) => {
            let relays = servers::relays_to_json(&before.relays(), shared.is_v2()).to_string();
            let parts = RawMembers::parse(message.raw_params()).map_err(|error| error.to_string())?;
            let put = TextEdit::set_member(message.line, message.raw_params(), &parts, "mcpServers", &relays);
            edits.push(put.ok_or("the MCP servers could not be put behind the gate")?);
        }
    }
    let line = apply_edits(message.line, edits).ok_or("the MCP servers could not be put behind the gate")?;
    let mut chosen: Vec<_> = beside.chosen_modes(asking).into_iter().map(|mode| (None, mode)).collect();
    chosen.extend(config::initial_options(params)?);
    // Of these the editor knows the id already, and what the agent says of them before it answers.
    let loads = matches!(&*message.method, "session/load" | "session/resume");
    let mut opens = PendingSession { setup: opening, cwd, roots, named: None, before: None, chosen };
    if loads {
        let id = line::session_of(params);
        if id.is_empty() {
            return Err("it needs a sessionId".to_owned());
        }
        match shared.find_session(id) {
            Some(before) if !before.is_root() => {
                return Err("this is the session of a sub-agent, which its agent opens and ends".to_owned());
            }
            Some(before) => {
                shared.set_aside(&before.family);
                opens.before = Some(Arc::clone(&before.family));
            }
            None => {}
        }
        let session = register_session(shared, &opens, id, false)?;
        // Version 2 has one method for both.
        let replayed = shared.is_v2() && params.get("replayFrom").is_some_and(|from| !from.is_null());
        session.lock_state().replays = replayed || message.method == "session/load";
        opens.named = Some(session);
    }
    Ok(Some((EditorAsk::Open(Box::new(opens)), line)))
}

/// D1.27: `/`, the home folder and its ancestors are never roots without being named.
fn resolve_cwd(shared: &Shared, params: &Value) -> Result<PathBuf, String> {
    let given = params.get("cwd").and_then(Value::as_str).unwrap_or_default();
    let shown = escape_line(given);
    if !Path::new(given).is_absolute() {
        return Err("the folder (cwd) has to be an absolute path".to_owned());
    }
    let cwd = Path::new(given).canonicalize().map_err(|error| format!("can't work in {shown}: {error}"))?;
    if !cwd.is_dir() {
        return Err(format!("can't work in {shown}: it is not a folder"));
    }
    if is_too_wide(&cwd) && !shared.host.is_named(&cwd) {
        return Err(format!(
            "an agent would be let work in all of {shown}: open the folder of a project, or say --cwd {shown} in mayi's command if you mean it"
        ));
    }
    Ok(cwd)
}

/// Makes a session known, here and at its gate.
fn register_session(
    shared: &Arc<Shared>,
    opens: &PendingSession,
    id: &str,
    held: bool,
) -> Result<Arc<Session>, String> {
    let SessionSetup { gate, agent, mode, least, asking_mode, on_unasked, servers, .. } = &opens.setup;
    let id = SessionId(id.to_owned());
    let core = gate::Session {
        id: id.clone(),
        agent: agent.clone(),
        parent: None,
        roots: opens.roots.clone(),
        cwd: opens.cwd.clone(),
        mode: *mode,
    };
    let family = Arc::new(SessionFamily {
        gate: gate.clone(),
        servers: servers.clone(),
        on_unasked: *on_unasked,
        least: *least,
        asking_mode: asking_mode.as_ref().map(|mode| mode.0.clone()),
        v2: shared.is_v2(),
        turns: std::sync::Mutex::default(),
    });
    let session = Arc::new(Session::new(core.clone(), family, held));
    {
        let mut sessions = shared.lock_sessions();
        if sessions.contains_key(&id.0) {
            return Err("the agent calls a new session like another one".to_owned());
        }
        sessions.insert(id.0.clone(), Arc::clone(&session));
    }
    gate.open_session(core);
    if let Some(servers) = servers {
        gate.set_own_servers(&id, servers.server_names());
        gate.set_session_gateway(&id, servers.tool_lookup());
        servers.belong_to(&id);
    }
    cards::spawn_event_pump(shared, &session);
    Ok(session)
}

/// Takes the agent's answer to an opening. Gives it back where it goes on as it came.
pub(crate) fn route_open_response(
    shared: &Arc<Shared>,
    id: Id,
    opens: PendingSession,
    message: &Message<'_>,
) -> Option<String> {
    let Some(result) = message.parts.get("result") else {
        give_up(shared, &opens);
        return Some(message.line.to_owned());
    };
    let session = match opened_session(shared, &opens, result) {
        Ok(session) => session,
        Err(why) => {
            give_up(shared, &opens);
            return Some(line::format_error(Some(&id), code::INTERNAL, &why));
        }
    };
    session.lock_state().replays = false;
    opens.before.iter().for_each(|before| shared.end_aside(before));
    let read = config::normalize_options(serde_json::from_str(result).unwrap_or_default(), shared.is_v2());
    let (shared_of, line) = (Arc::clone(shared), message.line.to_owned());
    let cancelled = CancellationToken::new();
    shared.lock_flight().opening.insert(id.clone(), cancelled.clone());
    // What has to be asked of the agent is asked while other messages pass.
    shared.answers.spawn_boxed(async move {
        let finished = tokio::select! {
            biased;
            () = cancelled.cancelled() => None,
            line = finish_open(&shared_of, &id, &opens, &session, &read, &line) => Some(line),
        };
        shared_of.lock_flight().opening.remove(&id);
        let line = finished.unwrap_or_else(|| cancel_open(&shared_of, &id, &session));
        shared_of.editor.push(line);
        session.release_held(|held| shared_of.editor.push(held));
    });
    None
}

/// The editor does not want the session any more: nobody is to wait until the agent is in its mode, and nothing is to go on in it.
fn cancel_open(shared: &Arc<Shared>, id: &Id, session: &Arc<Session>) -> String {
    shared.close(session);
    if shared.can_close_sessions() {
        let (of, params) = (Arc::clone(shared), json!({"sessionId": session.id.0}));
        shared.answers.spawn_boxed(async move {
            let _ = of.ask_agent("session/close", &params, crate::agent::SETTING).await;
        });
    }
    line::format_error(Some(id), code::CANCELLED, "cancelled")
}

/// The session that the agent has opened.
fn opened_session(
    shared: &Arc<Shared>,
    opens: &PendingSession,
    result: &str,
) -> Result<Arc<Session>, String> {
    let parts = match (&opens.named, result) {
        // Of a session that the editor has named there may be nothing to say.
        (Some(session), "null") => return Ok(Arc::clone(session)),
        _ => RawMembers::parse(result).map_err(|_| "the agent's answer can be read in two ways")?,
    };
    if parts.confusable_name(&["sessionId", "modes", "configOptions"]).is_some() {
        return Err("the agent's answer can be read in two ways".to_owned());
    }
    let told = parts.text_member("sessionId").filter(|id| !id.is_empty());
    match (&opens.named, told) {
        (Some(session), Some(told)) if session.id.0 != *told => {
            Err("the agent answered with another session than it was asked for".to_owned())
        }
        (Some(session), _) => Ok(Arc::clone(session)),
        (None, Some(told)) => register_session(shared, opens, &told, true),
        (None, None) => Err("the agent opened a session and did not say which".to_owned()),
    }
}

/// It was not opened after all.
pub(super) fn give_up(shared: &Shared, opens: &PendingSession) {
    if let Some(session) = &opens.named {
        shared.close(session);
        opens.before.iter().for_each(|before| shared.put_back(before));
        return;
    }
    let (gate, servers) = (opens.setup.gate.clone(), opens.setup.servers.clone());
    shared.answers.spawn_boxed(async move {
        if let Some(servers) = servers {
            servers.end().await;
        }
        let _ = tokio::task::spawn_blocking(move || gate.shut_down()).await;
    });
}

/// Puts the agent into the mode in which it asks; what the editor is told.
async fn finish_open(
    shared: &Arc<Shared>,
    id: &Id,
    opens: &PendingSession,
    session: &Arc<Session>,
    read: &Value,
    line: &str,
) -> String {
    let mut switched = switch_to_asking_mode(shared, opens, session, read).await;
    for (option, mode) in &opens.chosen {
        if switched.is_ok()
            && option.as_deref().is_none_or(|option| config::is_guarded(read, option))
            && let Err((_, why)) = config::record_chosen_mode(shared, session, mode)
        {
            switched = Err(why);
        }
    }
    match switched {
        Ok(mode) => {
            record_initial_modes(session, read, listed_options(line), mode.as_deref());
            let version = shared.version.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
            let opening = &opens.setup;
            if let Some(doubt) = mayi_acp_shared::describe_doubt(
                &opening.agent,
                opening.asks,
                mode.as_deref(),
                version.as_deref(),
            ) {
                shared.log_notice(doubt);
            }
            opened_line(session, line, mode.as_deref()).unwrap_or_else(|| line.to_owned())
        }
        Err(why) => {
            shared.close(session);
            line::format_error(Some(id), code::INTERNAL, &why)
        }
    }
}

/// The options that the agent has told, as they stand in its answer.
fn listed_options(line: &str) -> Option<String> {
    let message = line::read(line).ok()?;
    let parts = RawMembers::parse(message.parts.get("result")?).ok()?;
    parts.get("configOptions").filter(|list| list.starts_with('[')).map(str::to_owned)
}

/// The mode of its own that the agent is in from now on.
async fn switch_to_asking_mode(
    shared: &Shared,
    opens: &PendingSession,
    session: &Session,
    read: &Value,
) -> Result<Option<String>, String> {
    let wanted = opens.setup.asking_mode.as_ref();
    let (method, params, mode) = match modes::plan_mode_switch(read, wanted) {
        ModeSwitch::Already => return Ok(wanted.map(|mode| mode.0.clone())),
        ModeSwitch::NotWanted(current) => return Ok(current),
        ModeSwitch::SetMode(mode) => {
            ("session/set_mode", json!({"sessionId": session.id.0, "modeId": mode}), mode)
        }
        ModeSwitch::SetOption { id, value } => (
            "session/set_config_option",
            config::set_params(session, &id, &Value::from(value.as_str())),
            value,
        ),
        ModeSwitch::Missing(modes) => {
            let error = AgentError::NoAskingMode {
                agent: opens.setup.agent.to_string(),
                wanted: modes::quote_mode_name(wanted.map(|mode| mode.0.as_str()).unwrap_or_default()),
                has: modes.describe_choices(),
            };
            return Err(error.to_string());
        }
    };
    // What it says of that itself is what was asked of it.
    session.lock_state().agent_mode = Some(mode.clone());
    let answer = shared.ask_agent(method, &params, SWITCHING).await;
    let answer =
        answer.map_err(|error| format!("the agent did not go into the mode in which it asks: {error}"))?;
    if let Some(now) = value_of(&answer, &params, session.family.v2).filter(|now| *now != json!(mode)) {
        let now = escape_line(&now.to_string()).to_string();
        return Err(format!(
            "the agent did not go into the mode in which it asks: it says that it is in {now}"
        ));
    }
    if let Some(options) =
        RawMembers::parse(&answer).ok().and_then(|parts| parts.get("configOptions").map(str::to_owned))
    {
        session.lock_state().listed_options = Some(options);
    }
    Ok(Some(mode))
}

/// The value of the option that was set, as an answer has it; none, where it says nothing of it.
fn value_of(answer: &str, set: &Value, v2: bool) -> Option<Value> {
    let id = set.get("configId")?;
    let answer = config::normalize_options(serde_json::from_str(answer).ok()?, v2);
    let listed = answer.get("configOptions")?.as_array()?;
    listed.iter().find(|option| option.get("id") == Some(id))?.get("currentValue").cloned()
}

/// The answer to an opening, with the mode that the agent is in now, and with mayi's own option.
fn opened_line(session: &Session, text: &str, mode: Option<&str>) -> Option<String> {
    let message = line::read(text).ok()?;
    let result = message.parts.get("result")?;
    let options = amend_options(session, None);
    if result == "null" {
        return apply_edits(
            text,
            vec![TextEdit::replace(text, result, format!(r#"{{"configOptions":{options}}}"#))?],
        );
    }
    let parts = RawMembers::parse(result).ok()?;
    let mut edits = vec![TextEdit::set_member(text, result, &parts, "configOptions", &options)?];
    if let (Some(modes), Some(mode)) = (parts.get("modes"), mode)
        && let Ok(members) = RawMembers::parse(modes)
        && members.get("currentModeId").is_some()
    {
        edits.push(TextEdit::set_member(text, modes, &members, "currentModeId", &json!(mode).to_string())?);
    }
    apply_edits(text, edits)
}
