//! `grants/*`, `log/query` and `check`.

use jiff::Timestamp;
use jsonrpsee::server::RpcModule;
use mayi_check::{Checker, Request};
use mayi_core::call::AgentId;
use mayi_core::grant::Scope;
use mayi_core::store::{Change, EntryQuery, GrantQuery, OwnerId, StoredGrant};
use serde_json::Value;

use super::{Context, Registered, for_all, method};
use crate::api::{Event, GrantInfo, LogQuery, Revoke, Revoked};
use crate::backend::Backend;
use crate::error::Refused;

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    method(module, "grants/list", |context, _, _: Value| {
        let live = live(&context.backend)?;
        // The very call, where the same answer covers more: not another line for people.
        let covered = |grant: &StoredGrant| {
            grant.fingerprint.is_some()
                && live.iter().any(|other| other.fingerprint.is_none() && other.of_one_answer(grant))
        };
        Ok(live.iter().filter(|grant| !covered(grant)).map(info).collect::<Vec<GrantInfo>>())
    })?;
    method(module, "grants/revoke", |context, peer, wanted: Revoke| {
        revoke(&context.backend, &wanted, &peer.name())
    })?;
    method(module, "log/query", |context, _, wanted: LogQuery| query(&context.backend, wanted))?;
    for_all(module, "check", |context, _, wanted: Value| check(&context.backend, &wanted))
}

/// Those that count now: one for a session ends with the process that has the session.
fn live(backend: &Backend) -> Result<Vec<StoredGrant>, Refused> {
    let (store, now) = (&backend.options.store, Timestamp::now());
    let asking: Vec<OwnerId> = store.owners(now)?.into_iter().map(|owner| owner.id).collect();
    let grants = store.grants(&GrantQuery { live_at: Some(now), ..GrantQuery::default() })?;
    let over = |grant: &StoredGrant| grant.owner.is_some_and(|owner| !asking.contains(&owner));
    Ok(grants.into_iter().filter(|grant| !over(grant)).collect())
}

fn info(grant: &StoredGrant) -> GrantInfo {
    let level = grant.level.as_ref().map(|(_, level)| level.as_str());
    let what = match (&grant.pattern, &grant.level) {
        (Some(pattern), _) => pattern.clone(),
        (None, Some((server, level))) => format!("mcp({server}/*), level {}", level.as_str()),
        (None, None) => "exactly one call".to_owned(),
    };
    GrantInfo {
        id: grant.id.to_string(),
        effect: grant.effect,
        agent: grant.agent.as_str().to_owned(),
        scope: match grant.scope {
            Scope::Session => "session",
            Scope::Workspace => "workspace",
            Scope::User => "user",
        },
        session: grant.session.as_ref().map(|session| session.0.clone()),
        workspace: grant.workspace.clone(),
        what,
        server: grant.about_server().map(str::to_owned),
        level,
        created_at: grant.created_at,
        expires_at: grant.expires_at,
        uses_left: grant.uses_left,
        used: grant.used,
    }
}

fn revoke(backend: &Backend, wanted: &Revoke, by: &str) -> Result<Revoked, Refused> {
    if wanted.ids.is_empty() && wanted.server.is_none() {
        return Err(Refused::Params("which? name ids, or a server".to_owned()));
    }
    let writer = (backend.options.writer)().map_err(Refused::Internal)?;
    let now = Timestamp::now();
    let live = live(backend)?;
    let named = |grant: &&StoredGrant| {
        wanted.ids.contains(&grant.id.to_string())
            || wanted.server.as_deref().is_some_and(|server| grant.about_server() == Some(server))
    };
    let named: Vec<&StoredGrant> = live.iter().filter(named).collect();
    // An answer ends as a whole.
    let chosen: Vec<&StoredGrant> = live
        .iter()
        .filter(|grant| named.iter().any(|named| named.id == grant.id || named.of_one_answer(grant)))
        .collect();
    let mut changes = Vec::new();
    for grant in &chosen {
        changes.push(Change::Revoke { id: grant.id, at: now });
        changes.push(Change::Append(writer.revoked(grant, by, now)));
    }
    if !changes.is_empty() {
        backend.options.store.commit(changes)?;
        backend.events.push(&Event::GrantsChanged);
    }
    Ok(Revoked { revoked: named.len() })
}

/// So many entries, if it is not said how many; and so many at most.
const ENTRIES: u32 = 100;
const MOST: u32 = 1000;

fn query(backend: &Backend, wanted: LogQuery) -> Result<Vec<Value>, Refused> {
    let query = EntryQuery {
        limit: Some(wanted.limit.unwrap_or(ENTRIES).min(MOST)),
        before: wanted.before,
        after: wanted.after,
        agent: wanted.agent.as_deref().map(AgentId::named),
        kinds: wanted.kinds,
        contains: wanted.contains,
        ..EntryQuery::default()
    };
    let entries = backend.options.store.entries(&query)?;
    let shown = entries.into_iter().map(|mut recorded| {
        // How a call is kept to be judged again is mayi's own.
        if let Some(detail) = recorded.entry.detail.as_object_mut() {
            detail.shift_remove("frozen");
        }
        serde_json::to_value(recorded).map_err(|error| Refused::Internal(error.to_string()))
    });
    shown.collect()
}

fn check(backend: &Backend, wanted: &Value) -> Result<Value, Refused> {
    let request = request(wanted)?;
    let mut checker = Checker::new(backend.sources(&backend.options.cwd), false);
    let decision = checker.decide(&request).map_err(|error| Refused::Params(error.to_string()))?;
    serde_json::to_value(decision).map_err(|error| Refused::Internal(error.to_string()))
}

/// The member `call`, as a line of `mayi check --stdin`.
pub(super) fn request(wanted: &Value) -> Result<Request, Refused> {
    let call = wanted
        .get("call")
        .ok_or_else(|| Refused::Params("what should be checked? there is no `call`".to_owned()))?;
    Request::from_json(&call.to_string()).map_err(|error| Refused::Params(error.to_string()))
}
