//! `servers/list`: each server and tool, and whether it is asked about.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use jsonrpsee::server::RpcModule;
use mayi_core::call::{
    Access, AgentId, Call, Category, Door, McpAccess, ServerAbout, SessionId, ToolAbout, claimed_category,
};
use mayi_core::config::{ServerLaunch, Transport};
use mayi_core::grant::{Grant, Grants};
use mayi_core::pin::{Item, PinnedItem};
use mayi_core::policy::{Approval, Effect, Level, Policy, SessionStanding, decide};
use mayi_core::store::{GrantQuery, StoredGrant};
use serde_json::Value;

use super::{RegisterResult, RpcContext, add_answer_method};
use crate::api::{OriginInfo, Place, ServerInfo, ToolInfo};
use crate::backend::Backend;
use crate::error::RpcError;

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    add_answer_method(module, "servers/list", |context, _, place: Place| {
        list_servers(&context.backend, place)
    })
}

fn list_servers(backend: &Backend, place: Place) -> Result<Vec<ServerInfo>, RpcError> {
    let cwd = place.cwd.as_deref().unwrap_or(&backend.options.cwd);
    let loaded = backend.load(cwd)?;
    let store = &backend.options.store;
    let pins = store.read_pins(None)?;
    let grants =
        store.query_grants(&GrantQuery { live_at: Some(Timestamp::now()), ..GrantQuery::default() })?;
    // What the settings of single tools say, left out: what "server default" means.
    let mut plain = loaded.policy.clone();
    for tool in plain.servers.values_mut().flat_map(|server| server.tools.values_mut()) {
        tool.approval = Approval::Default;
    }
    let servers = loaded.servers.values().map(|server| {
        let pins: Vec<&PinnedItem> = pins.iter().filter(|pin| pin.server == server.name).collect();
        let level = granted_level(server, &grants);
        ServerListing { server, level, cwd, policy: &loaded.policy, plain: &plain }.server_info(&pins)
    });
    Ok(servers.collect())
}

/// A server while it is looked at.
struct ServerListing<'a> {
    server: &'a ServerLaunch,
    /// The level that answers grant.
    level: Level,
    cwd: &'a Path,
    policy: &'a Policy,
    plain: &'a Policy,
}

impl ServerListing<'_> {
    fn server_info(&self, pins: &[&PinnedItem]) -> ServerInfo {
        let Self { server, policy, .. } = self;
        let settings = policy.servers.get(&server.name).cloned().unwrap_or_default();
        let mut tools: BTreeMap<&str, Option<&PinnedItem>> =
            settings.tools.keys().map(|tool| (tool.as_str(), None)).collect();
        for pin in pins {
            if let Item::Tool(name) = &pin.item {
                tools.insert(name, Some(pin));
            }
        }
        let tools = tools.into_iter().map(|(name, pin)| {
            let own = settings.tools.get(name);
            let described = pin.and_then(|pin| pin.trusted.as_ref().or(pin.pending.as_ref()));
            let hints = described.and_then(|said| said.value.get("annotations"));
            let claims = category_from_hints(hints).filter(|_| settings.trust_annotations);
            ToolInfo {
                name: name.to_owned(),
                description: described
                    .and_then(|said| said.value.get("description"))
                    .and_then(|text| text.as_str().map(str::to_owned)),
                approval: own.map_or(Approval::Default, |own| own.approval),
                effective: self.effective_approval(policy, name, hints, claims),
                by_default: self.effective_approval(self.plain, name, hints, claims),
                category: own.and_then(|own| own.category).or(claims).map(Category::as_str),
                own_category: own.and_then(|own| own.category),
                blocked: pin.is_some_and(|pin| pin.pending.is_some()),
            }
        });
        ServerInfo {
            name: server.name.clone(),
            address: match &server.transport {
                Transport::Stdio { command, .. } => mayi_core::call::shell::join_words(command),
                Transport::Http { url, .. } | Transport::Sse { url, .. } => url.clone(),
            },
            origin: OriginInfo::from(&server.origin),
            approval: settings.approval.unwrap_or(Approval::Default),
            // A tool that no setting names.
            by_default: self.effective_approval(self.plain, "-", None, None),
            level: self.level.max(settings.grant).as_str(),
            grant: settings.grant,
            trust_annotations: settings.trust_annotations,
            changed: pins.iter().any(|pin| pin.is_blocked()),
            tools: tools.collect(),
        }
    }

    /// Whether a call of a tool would be asked about, or denied, for an agent that no rule names.
    fn effective_approval(
        &self,
        policy: &Policy,
        tool: &str,
        hints: Option<&Value>,
        claims: Option<Category>,
    ) -> Approval {
        let readings = vec![(self.server.name.clone(), tool.to_owned())];
        let mut access = McpAccess::new(readings, Value::Null, self.cwd);
        access.claims = claims;
        let said =
            ToolAbout { title: None, description: None, annotations: hints.cloned().unwrap_or_default() };
        let about = ServerAbout {
            name: self.server.name.clone(),
            title: None,
            description: None,
            icons: Vec::new(),
            tool: Some(said),
        };
        let session = SessionId("settings".to_owned());
        let identity = self.server.transport.server_id();
        let agent = AgentId::from_name("-");
        let mut grants = Grants::default();
        grants.add(Grant {
            level: Some((self.server.name.clone(), self.level)),
            server: Some(identity.clone()),
            ..Grant::of_session(agent.clone(), session.clone())
        });
        let call = Call {
            door: Door::Check,
            agent,
            session,
            tool_call_id: None,
            parent: None,
            roots: vec![self.cwd.to_owned()],
            cwd: self.cwd.to_owned(),
            env: BTreeMap::new(),
            title: String::new(),
            kind: "mcp".to_owned(),
            name: Some(tool.to_owned()),
            raw_input: Value::Null,
            diffs: Vec::new(),
            notes: Vec::new(),
            locations: Vec::new(),
            accesses: vec![Access::Mcp(access)],
            not_shown: Vec::new(),
            by_hand: None,
            server: Some(identity),
            blocked: None,
            cautions: Vec::new(),
            flagged: Vec::new(),
            about: Some(about),
            held: false,
        };
        let servers = [self.server.name.clone()];
        let standing =
            SessionStanding { mode: policy.mode, bypass: false, grants: &grants, servers: &servers };
        match decide(policy, &call, &standing).effect {
            Effect::Allow => Approval::NotRequired,
            Effect::Ask | Effect::Deny => Approval::Required,
        }
    }
}

/// The category that a server claims for a tool by its hints.
fn category_from_hints(hints: Option<&Value>) -> Option<Category> {
    let hint = |hint: &str| hints?.get(hint)?.as_bool();
    claimed_category(hint("readOnlyHint"), hint("destructiveHint"), hint("openWorldHint"))
}

/// The highest level that an answer grants.
fn granted_level(server: &ServerLaunch, grants: &[StoredGrant]) -> Level {
    let identity = server.transport.server_id();
    let granted = grants.iter().filter_map(|grant| {
        let (name, level) = grant.level.as_ref()?;
        let same = grant.server.as_ref().is_none_or(|of| *of == identity);
        (*name == server.name && same && grant.effect == Effect::Allow).then_some(*level)
    });
    granted.max().unwrap_or_default()
}
