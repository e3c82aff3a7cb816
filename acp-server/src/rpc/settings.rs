//! `mayi/initialize`, `settings/*` and `ui/pair`.

use std::path::Path;

use jsonrpsee::server::RpcModule;
use mayi_core::call::Names;
use mayi_core::config::{AgentCommand, AgentLaunch, EditorSettings, EditorTool, LoadedConfig, edit};
use mayi_core::policy::aliases::agent_called;
use mayi_core::policy::{Approval, Mode};
use serde_json::Value;

use super::{RegisterResult, RpcContext, add_answer_method, add_ask_method};
use crate::api::{
    AgentInfo, Initialize, Initialized, ModeInfo, PROTOCOL_VERSION, Pairing, Place, ServerName, SettingInfo,
    SettingsUpdate, SettingsView,
};
use crate::backend::Backend;
use crate::credentials::Credential;
use crate::error::RpcError;

const AUTO: &str = "Asks only where a rule or protection says so, and before what destroys elsewhere";

const MODES: [ModeInfo; 3] = [
    ModeInfo { id: Mode::Plan, name: "Plan", description: "Reads only; everything else is blocked" },
    ModeInfo { id: Mode::Default, name: "Default", description: "Reads; asks before anything else" },
    ModeInfo { id: Mode::Auto, name: "Auto (dangerous)", description: AUTO },
];

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    add_ask_method(module, "mayi/initialize", |context, peer, wanted: Initialize| {
        let backend = &context.backend;
        if wanted.protocol_version != PROTOCOL_VERSION {
            return Err(RpcError::Params(format!(
                "this is mayi {} with version {PROTOCOL_VERSION} of its API, and the client speaks version {}: install the \
                 same version of both",
                env!("CARGO_PKG_VERSION"),
                wanted.protocol_version
            )));
        }
        if !Names::is_plain(&wanted.client.name) {
            return Err(RpcError::Params("a client's name has letters, digits, `.`, `_` and `-`".to_owned()));
        }
        tracing::info!(client = %wanted.client.name, version = %mayi_core::approval::escape_line(&wanted.client.version), "connected");
        peer.set_name(wanted.client.name);
        if peer.credential == Credential::Answer
            && let Some(settings) = &wanted.settings
        {
            peer.require_person()?;
            backend.set_editor(EditorSettings::read(settings)?)?;
            backend.reload_gates();
        }
        let loaded = backend.load(&backend.options.cwd)?;
        Ok(Initialized {
            protocol_version: PROTOCOL_VERSION,
            server: ServerName { name: "mayi", version: env!("CARGO_PKG_VERSION") },
            instance: backend.events.instance().to_owned(),
            credential: peer.credential.as_str(),
            agents: agent_infos(&loaded),
            modes: MODES.to_vec(),
            mode: loaded.policy.mode,
            notices: loaded.policy.notices.clone(),
            ui: backend.options.ui.clone(),
        })
    })?;
    add_answer_method(module, "settings/get", |context, _, place: Place| {
        settings_view(&context.backend, place.cwd.as_deref())
    })?;
    add_answer_method(module, "settings/update", |context, peer, wanted: SettingsUpdate| {
        peer.require_person()?;
        let done = update_settings(&context.backend, &peer.name(), wanted);
        // What was written counts, also where a file could not be changed after that.
        context.backend.reload_gates();
        done?;
        settings_view(&context.backend, None)
    })?;
    add_answer_method(module, "ui/pair", |context, peer, _: Value| {
        peer.require_person()?;
        let no = || RpcError::Params("the page is not served: start mayi serve with --ui".to_owned());
        let pairing = context.pairing.as_ref().ok_or_else(no)?;
        let (code, expires_at) =
            pairing.offer_code().map_err(|error| RpcError::Internal(error.to_string()))?;
        let url = context.backend.options.ui.clone().ok_or_else(no)?;
        Ok(Pairing { code, url, expires_at })
    })
}

fn settings_view(backend: &Backend, cwd: Option<&Path>) -> Result<SettingsView, RpcError> {
    let loaded = backend.load(cwd.unwrap_or(&backend.options.cwd))?;
    Ok(SettingsView {
        mode: loaded.policy.mode,
        agents: agent_infos(&loaded),
        editor: backend.editor_settings(),
        settings: loaded.settings.iter().map(SettingInfo::from).collect(),
        notices: loaded.policy.notices.clone(),
    })
}

fn agent_infos(loaded: &LoadedConfig) -> Vec<AgentInfo> {
    let shown = loaded.agents.values().filter(|agent| !is_covered(agent, loaded));
    let mut infos: Vec<AgentInfo> = shown.map(|agent| agent_info(agent, loaded)).collect();
    let titles: Vec<String> = infos.iter().map(|info| info.title.clone()).collect();
    for info in &mut infos {
        // Two that are called the same are told apart by what they are written under.
        if titles.iter().filter(|title| **title == info.title).count() > 1 && info.title != info.name {
            info.title = format!("{} ({})", info.title, info.name);
        }
    }
    infos
}

/// Whether an agent that mayi knows stands behind one that the user starts in another way under its long name: that is the one
/// that is meant then, unless something is said of the other by itself.
fn is_covered(agent: &AgentLaunch, loaded: &LoadedConfig) -> bool {
    let stands_for = |other: &AgentLaunch| !other.preset && agent_called(&other.name) == agent.name;
    agent.preset
        && !loaded.policy.agents.contains_key(&agent.name)
        && loaded.agents.values().any(|other| other.name != agent.name && stands_for(other))
}

fn agent_info(agent: &AgentLaunch, loaded: &LoadedConfig) -> AgentInfo {
    let settings = loaded.policy.agents.get(&agent.name);
    let found = agent.command.as_ref().and_then(AgentCommand::program_path).is_some();
    let hint = match (&agent.command, agent.install) {
        _ if found => None,
        (None, _) => Some("write its command in the setting mayi.agents".to_owned()),
        (Some(_), Some(install)) => Some(install.to_owned()),
        (Some(command), None) => {
            let words = command.words();
            Some(format!("{} is not in PATH", words.first().map_or("its program", String::as_str)))
        }
    };
    AgentInfo {
        name: agent.name.clone(),
        title: agent.title.clone(),
        found,
        hint,
        mode: settings.and_then(|settings| settings.mode),
        bypass_permissions: settings.is_some_and(|settings| settings.bypass_permissions),
        bypass_locked: loaded.locks.bypass_lock(&agent.name).map(Path::to_owned),
    }
}

/// Nothing is written unless all of it makes sense.
fn update_settings(backend: &Backend, by: &str, wanted: SettingsUpdate) -> Result<(), RpcError> {
    let editor = wanted.editor.as_ref().map(EditorSettings::read).transpose()?;
    let loaded = backend.load_with(editor.as_ref())?;
    check_update(&loaded, &wanted)?;
    if let Some(settings) = editor {
        backend.set_editor(settings)?;
    }
    for (name, change) in wanted.agents {
        let Some(on) = change.bypass_permissions else { continue };
        // As the caller calls it; it is written under its id, or as the file or the settings have it.
        let id = loaded.find_agent(&name).map_or(name.as_str(), |agent| agent.name.as_str());
        let set = |settings: &mut EditorSettings| {
            let name = loaded.name_of(id, settings.agents.keys().map(String::as_str)).to_owned();
            settings.agents.entry(name).or_default().bypass_permissions = Some(on);
        };
        if !backend.change_editor(by, set) {
            let (file, places) = user_config_file(backend)?;
            edit::set_bypass(&file, &places, &loaded, id, on).map_err(edit_error)?;
        }
    }
    for (name, change) in wanted.servers {
        let of_editor = backend.editor_settings().is_some_and(|editor| editor.servers.contains_key(&name));
        if of_editor {
            backend.change_editor(by, |settings| {
                let Some(server) = settings.servers.get_mut(&name) else { return };
                if let Some(approval) = change.approval {
                    server.approval = (approval != Approval::Default).then_some(approval);
                }
                server.grant = change.grant.or(server.grant);
                server.trust_annotations = change.trust_annotations.or(server.trust_annotations);
                for tool in change.tools.keys().chain(change.categories.keys()) {
                    let tools = server.tools.get_or_insert_default();
                    // What is not changed stays: whether a tool asks says nothing of what it does.
                    let mut parts = tools.get(tool).copied().map(EditorTool::parts).unwrap_or_default();
                    parts.approval = change.tools.get(tool).copied().or(parts.approval);
                    parts.category = change.categories.get(tool).copied().unwrap_or(parts.category);
                    match parts.shortest() {
                        Some(said) => drop(tools.insert(tool.clone(), said)),
                        None => drop(tools.remove(tool)),
                    }
                }
            });
            continue;
        }
        let (file, places) = user_config_file(backend)?;
        if let Some(approval) = change.approval {
            let approval = (approval != Approval::Default).then_some(approval);
            edit::set_server_approval(&file, &places, &name, approval).map_err(edit_error)?;
        }
        if let Some(level) = change.grant {
            edit::set_server_level(&file, &places, &name, level).map_err(edit_error)?;
        }
        if let Some(on) = change.trust_annotations {
            edit::set_trust_annotations(&file, &places, &name, on).map_err(edit_error)?;
        }
        for (tool, approval) in &change.tools {
            edit::set_tool_approval(&file, &places, &name, tool, *approval).map_err(edit_error)?;
        }
        for (tool, category) in &change.categories {
            edit::set_tool_category(&file, &places, &name, tool, *category).map_err(edit_error)?;
        }
    }
    Ok(())
}

/// Whether it is about what there is, and about nothing that is locked.
fn check_update(loaded: &LoadedConfig, wanted: &SettingsUpdate) -> Result<(), RpcError> {
    let unknown = |kind: &str, name: &str| {
        RpcError::Params(format!("no {kind} is called `{}`", mayi_core::approval::escape_line(name)))
    };
    for (name, change) in &wanted.agents {
        let Some(on) = change.bypass_permissions else { continue };
        if loaded.find_agent(name).is_none() {
            return Err(unknown("agent", name));
        }
        if let Some(by) = loaded.locks.bypass_lock(name).filter(|_| on) {
            return Err(RpcError::Params(format!("{} locks the bypass of {name}", by.display())));
        }
    }
    for name in wanted.servers.keys() {
        if !loaded.servers.contains_key(name) && !loaded.policy.servers.contains_key(name) {
            return Err(unknown("server", name));
        }
    }
    Ok(())
}

pub(super) fn user_config_file(
    backend: &Backend,
) -> Result<(std::path::PathBuf, mayi_core::policy::pattern::PatternBases), RpcError> {
    let sources = backend.sources_for(&backend.options.cwd);
    let file = sources.own_file().map(Path::to_owned);
    let no = || RpcError::Config("there is no home folder to keep a configuration in".to_owned());
    Ok((file.ok_or_else(no)?, sources.pattern_bases()))
}

pub(super) fn edit_error(error: edit::EditError) -> RpcError {
    match error {
        edit::EditError::Config(errors) => errors.into(),
        other => RpcError::Config(other.to_string()),
    }
}
