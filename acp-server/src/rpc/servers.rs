//! `servers/list`: each server and tool, and whether it is asked about.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jsonrpsee::server::RpcModule;
use mayi_core::call::Category;
use mayi_core::config::{ServerLaunch, Transport};
use mayi_core::pin::{Item, Pinned};
use mayi_core::policy::{Approval, Effect, Level, Matrix, Mode, ServerSettings};
use mayi_core::store::{GrantQuery, StoredGrant};

use super::{Context, Registered, method};
use crate::api::{OriginInfo, Place, ServerInfo, ToolInfo};
use crate::backend::Backend;
use crate::error::Refused;

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    method(module, "servers/list", |context, _, place: Place| list(&context.backend, place))
}

fn list(backend: &Backend, place: Place) -> Result<Vec<ServerInfo>, Refused> {
    let loaded = backend.load(place.cwd.as_deref().unwrap_or(&backend.options.cwd))?;
    let store = &backend.options.store;
    let pins = store.pins(None)?;
    let grants = store.grants(&GrantQuery { live_at: Some(Timestamp::now()), ..GrantQuery::default() })?;
    let none = ServerSettings::default();
    let servers = loaded.servers.values().map(|server| {
        let settings = loaded.policy.servers.get(&server.name).unwrap_or(&none);
        let pins: Vec<&Pinned> = pins.iter().filter(|pin| pin.server == server.name).collect();
        info(server, settings, &pins, &grants, &loaded.policy.matrix, loaded.policy.mode)
    });
    Ok(servers.collect())
}

fn info(
    server: &ServerLaunch,
    settings: &ServerSettings,
    pins: &[&Pinned],
    grants: &[StoredGrant],
    matrix: &Matrix,
    mode: Mode,
) -> ServerInfo {
    let mut tools: BTreeMap<&str, Option<&Pinned>> =
        settings.tools.keys().map(|tool| (tool.as_str(), None)).collect();
    for pin in pins {
        if let Item::Tool(name) = &pin.item {
            tools.insert(name, Some(pin));
        }
    }
    let level = level(server, settings, grants);
    let tools = tools.into_iter().map(|(name, pin)| {
        let own = settings.tools.get(name);
        let approval = own.map_or(Approval::Default, |own| own.approval);
        let category = own.and_then(|own| own.category).unwrap_or(Category::External);
        let effective = match (approval, settings.approval) {
            (Approval::Required | Approval::NotRequired, _) => approval,
            (Approval::Default, Some(Approval::Required)) if level.covers(category) => Approval::NotRequired,
            (Approval::Default, Some(of_server @ (Approval::Required | Approval::NotRequired))) => of_server,
            // Where no setting speaks, the matrix does.
            _ if matrix.row(mode).of(category) == Effect::Allow => Approval::NotRequired,
            _ => Approval::Required,
        };
        let described = pin.and_then(|pin| pin.trusted.as_ref().or(pin.pending.as_ref()));
        ToolInfo {
            name: name.to_owned(),
            description: described
                .and_then(|said| said.value.get("description"))
                .and_then(|text| text.as_str().map(str::to_owned)),
            approval,
            effective,
            category: own.and_then(|own| own.category).map(Category::as_str),
            blocked: pin.is_some_and(|pin| pin.pending.is_some()),
        }
    });
    ServerInfo {
        name: server.name.clone(),
        address: match &server.transport {
            Transport::Stdio { command, .. } => mayi_core::call::shell::join(command),
            Transport::Http { url, .. } => url.clone(),
        },
        origin: OriginInfo::from(&server.origin),
        approval: settings.approval.unwrap_or(Approval::Default),
        level: level.as_str(),
        changed: pins.iter().any(|pin| pin.is_blocked()),
        tools: tools.collect(),
    }
}

/// The highest level that a setting or an answer grants.
fn level(server: &ServerLaunch, settings: &ServerSettings, grants: &[StoredGrant]) -> Level {
    let identity = server.transport.identity();
    let granted = grants.iter().filter_map(|grant| {
        let (name, level) = grant.level.as_ref()?;
        let same = grant.server.as_ref().is_none_or(|of| *of == identity);
        (*name == server.name && same && grant.effect == Effect::Allow).then_some(*level)
    });
    granted.chain([settings.grant]).max().unwrap_or_default()
}
