//! `grants/*`, `log/query` and `check`.

use jiff::Timestamp;
use jsonrpsee::server::RpcModule;
use mayi_check::{Checker, Request};
use mayi_core::config::edit;
use mayi_core::grant::Scope;
use mayi_core::policy::Rule;
use mayi_core::store::{Change, EntryQuery, GrantQuery, OwnerId, StoredGrant};
use serde_json::Value;

use super::{RegisterResult, RpcContext, add_answer_method, add_ask_method};
use crate::api::{Event, GrantInfo, LogQuery, OriginInfo, Revoke, Revoked};
use crate::backend::Backend;
use crate::error::RpcError;

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    add_answer_method(module, "grants/list", |context, _, _: Value| {
        let live = live_grants(&context.backend)?;
        let answers = shown_grants(&live).map(grant_info);
        let rules = user_rules(&context.backend)?;
        Ok(answers.chain(rules.iter().map(rule_grant_info)).collect::<Vec<GrantInfo>>())
    })?;
    add_answer_method(module, "grants/revoke", |context, peer, wanted: Revoke| {
        peer.require_person()?;
        revoke(&context.backend, &wanted, &peer.name())
    })?;
    add_answer_method(module, "log/query", |context, _, wanted: LogQuery| {
        query_log(&context.backend, wanted)
    })?;
    add_ask_method(module, "check", |context, _, wanted: Value| check_call(&context.backend, &wanted))
}

/// What people read of these: the very call, where the same answer covers more, is not another line.
pub(super) fn shown_grants(live: &[StoredGrant]) -> impl Iterator<Item = &StoredGrant> {
    let covered = |grant: &StoredGrant| {
        grant.fingerprint.is_some()
            && live.iter().any(|other| other.fingerprint.is_none() && other.of_one_answer(grant))
    };
    live.iter().filter(move |grant| !covered(grant))
}

/// Those that count now: one for a session ends with the process that has the session.
pub(super) fn live_grants(backend: &Backend) -> Result<Vec<StoredGrant>, RpcError> {
    let (store, now) = (&backend.options.store, Timestamp::now());
    let asking: Vec<OwnerId> = store.live_owners(now)?.into_iter().map(|owner| owner.id).collect();
    let grants = store.query_grants(&GrantQuery { live_at: Some(now), ..GrantQuery::default() })?;
    let over = |grant: &StoredGrant| grant.owner.is_some_and(|owner| !asking.contains(&owner));
    Ok(grants.into_iter().filter(|grant| !over(grant)).collect())
}

/// What is remembered for good: the rules of the user's own file, those of answers among them.
fn user_rules(backend: &Backend) -> Result<Vec<Rule>, RpcError> {
    let sources = backend.sources_for(&backend.options.cwd);
    let file = sources.own_file();
    let loaded = backend.load(&backend.options.cwd)?;
    Ok(loaded.policy.rules.iter().filter(|rule| rule.origin.file.as_deref() == file).cloned().collect())
}

fn rule_grant_info(rule: &Rule) -> GrantInfo {
    let what = match &rule.unless {
        Some(unless) => format!("{}, unless {unless}", rule.pattern),
        None => rule.pattern.to_string(),
    };
    GrantInfo {
        id: edit::rule_id(rule),
        effect: rule.effect,
        agent: if rule.agents.is_empty() { "*".to_owned() } else { rule.agents.join(", ") },
        scope: "user",
        session: None,
        workspace: None,
        what,
        server: None,
        level: None,
        rule: Some(OriginInfo::from(&rule.origin)),
        created_at: None,
        expires_at: None,
        uses_left: None,
        used: 0,
    }
}

/// Takes rules out of the user's file. Returns how many.
fn remove_rules(backend: &Backend, ids: &[String]) -> Result<usize, RpcError> {
    let rules = user_rules(backend)?;
    let mut gone = 0;
    for rule in rules.iter().filter(|rule| ids.contains(&edit::rule_id(rule))) {
        let (file, places) = super::settings::user_config_file(backend)?;
        if !edit::remove_rule(&file, &places, rule).map_err(super::settings::edit_error)? {
            let line = rule.origin.line.map(|line| format!(", line {line}")).unwrap_or_default();
            return Err(RpcError::Config(format!(
                "this rule has limits of its own, or is about one folder: change it in {}{line}",
                file.display()
            )));
        }
        gone += 1;
    }
    if gone > 0 {
        backend.reload_gates();
        backend.events.push(&Event::GrantsChanged);
    }
    Ok(gone)
}

pub(super) fn grant_info(grant: &StoredGrant) -> GrantInfo {
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
        rule: None,
        created_at: Some(grant.created_at),
        expires_at: grant.expires_at,
        uses_left: grant.uses_left,
        used: grant.used,
    }
}

/// Takes back what is named, rules among it.
fn revoke(backend: &Backend, wanted: &Revoke, by: &str) -> Result<Revoked, RpcError> {
    if wanted.ids.is_empty() && wanted.server.is_none() {
        return Err(RpcError::Params("which? name ids, or a server".to_owned()));
    }
    let rules = remove_rules(backend, &wanted.ids)?;
    let named = |grant: &StoredGrant| {
        wanted.ids.contains(&grant.id.to_string())
            || wanted.server.as_deref().is_some_and(|server| grant.about_server() == Some(server))
    };
    let Revoked { revoked } = revoke_grants(backend, named, by)?;
    Ok(Revoked { revoked: revoked + rules })
}

/// Takes back those of the remembered answers that are `named`. An answer ends as a whole.
pub(super) fn revoke_grants(
    backend: &Backend,
    named: impl Fn(&StoredGrant) -> bool,
    by: &str,
) -> Result<Revoked, RpcError> {
    let writer = (backend.options.writer)().map_err(RpcError::Internal)?;
    let now = Timestamp::now();
    let live = live_grants(backend)?;
    let named: Vec<&StoredGrant> = live.iter().filter(|grant| named(grant)).collect();
    let chosen: Vec<&StoredGrant> = live
        .iter()
        .filter(|grant| named.iter().any(|named| named.id == grant.id || named.of_one_answer(grant)))
        .collect();
    let mut changes = Vec::new();
    for grant in &chosen {
        changes.push(Change::Revoke { id: grant.id, at: now });
        changes.push(Change::Append(writer.revoked_entry(grant, by, now)));
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

fn query_log(backend: &Backend, wanted: LogQuery) -> Result<Vec<Value>, RpcError> {
    let query = EntryQuery {
        limit: Some(wanted.limit.unwrap_or(ENTRIES).min(MOST)),
        before: wanted.before,
        after: wanted.after,
        agent: wanted.agent.as_deref().map(|name| backend.agent_id(name)),
        kinds: wanted.kinds,
        contains: wanted.contains,
        ..EntryQuery::default()
    };
    let entries = backend.options.store.query_entries(&query)?;
    let shown = entries.into_iter().map(|mut recorded| {
        // How a call is kept to be judged again is mayi's own.
        if let Some(detail) = recorded.entry.detail.as_object_mut() {
            detail.shift_remove("frozen");
        }
        serde_json::to_value(recorded).map_err(|error| RpcError::Internal(error.to_string()))
    });
    shown.collect()
}

fn check_call(backend: &Backend, wanted: &Value) -> Result<Value, RpcError> {
    let request = parse_check_request(wanted)?;
    let mut checker = Checker::new(backend.sources_for(&backend.options.cwd), false);
    let decision = checker.decide(&request).map_err(|error| RpcError::Params(error.to_string()))?;
    serde_json::to_value(decision).map_err(|error| RpcError::Internal(error.to_string()))
}

/// The member `call`, as a line of `mayi check --stdin`.
pub(super) fn parse_check_request(wanted: &Value) -> Result<Request, RpcError> {
    let call = wanted
        .get("call")
        .ok_or_else(|| RpcError::Params("what should be checked? there is no `call`".to_owned()))?;
    Request::from_json(&call.to_string()).map_err(|error| RpcError::Params(error.to_string()))
}
