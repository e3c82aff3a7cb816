//! The parts that entries are made of.

use std::collections::BTreeMap;

use hmac::Mac;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::texts::Texts;
use super::{LARGEST_FROZEN, Writer};
use crate::approval::{ApprovalResolved, State};
use crate::record::detail::{self, VERSION};
use crate::record::{CallId, Entry, Frozen, Kind, hex};
use crate::store::StoredGrant;
use mayi_call::{Access, Call, Diff, SessionId};
use mayi_policy::{Decision, Effect};

impl Writer {
    pub(super) fn about(&self, call: &Call, id: CallId, at: Timestamp, kind: Kind, detail: Value) -> Entry {
        Entry {
            call: Some(id),
            session: Some(SessionId(self.text(&call.session.0))),
            agent: Some(call.agent.clone()),
            workspace: call.roots.first().map(|root| self.text(&root.to_string_lossy())),
            ..Entry::new(at, kind, detail)
        }
    }

    pub(super) fn ended(
        &self,
        id: CallId,
        call: &Call,
        (resolved, texts): (&ApprovalResolved, &Texts<'_>),
        decision: Option<&Decision>,
        with: impl FnOnce(detail::Answered) -> detail::Answered,
    ) -> Entry {
        let (kind, effect) = match resolved.state {
            State::Approved => (Kind::Answered, Some(Effect::Allow)),
            State::Denied => (Kind::Answered, Some(Effect::Deny)),
            State::Expired => (Kind::Expired, Some(Effect::Deny)),
            State::Cancelled | State::Pending => (Kind::Cancelled, None),
        };
        let detail = self.clean(&with(detail::Answered {
            v: VERSION,
            state: resolved.state,
            by: resolved.by.clone(),
            person: false,
            took: resolved.approval_id.made_at().and_then(|asked| milliseconds(asked, resolved.at)),
            option: None,
            remember: None,
            granted: Vec::new(),
            bypass_all: false,
            reason: resolved.reason.as_deref().map(|reason| texts.text(reason)),
        }));
        Entry {
            approval: Some(resolved.approval_id),
            effect,
            access: turned_on(texts, call, decision),
            ..self.about(call, id, resolved.at, kind, detail)
        }
    }

    /// An entry about `grant`; its pattern as it is given here.
    pub(super) fn grant(
        &self,
        grant: &StoredGrant,
        pattern: Option<String>,
        at: Timestamp,
        kind: Kind,
        by: Option<String>,
    ) -> Entry {
        let detail = self.clean(&detail::Granted {
            v: VERSION,
            grant: grant.id,
            scope: grant.scope,
            pattern: pattern.clone(),
            fingerprint: grant.fingerprint.clone(),
            level: grant.level.clone(),
            expires_at: grant.expires_at,
            uses_left: grant.uses_left,
            used: (kind == Kind::Revoked).then_some(grant.used),
            by,
        });
        Entry {
            approval: grant.approval,
            session: grant.session.as_ref().map(|session| SessionId(self.text(&session.0))),
            agent: Some(grant.agent.clone()),
            workspace: grant.workspace.as_deref().map(|folder| self.text(folder)),
            effect: Some(grant.effect),
            access: pattern.map(|pattern| self.text(&pattern)),
            ..Entry::new(at, kind, detail)
        }
    }

    /// A keyed digest of all that was sent with `call`: input, changes and variables.
    #[must_use]
    pub fn raw_digest(&self, call: &Call) -> String {
        #[derive(Serialize)]
        struct Raw<'a> {
            input: &'a Value,
            diffs: &'a [Diff],
            env: &'a BTreeMap<String, String>,
        }
        let raw = Raw { input: &call.raw_input, diffs: &call.diffs, env: &call.env };
        self.keyed(&raw)
    }

    /// A keyed digest of `value`'s canonical JSON, in hexadecimal.
    pub(super) fn keyed(&self, value: &impl Serialize) -> String {
        let Some(mut mac) = self.keyed.clone() else { return String::new() };
        match serde_json_canonicalizer::to_vec(value) {
            Ok(bytes) => mac.update(&bytes),
            Err(_) => mac.update(json(value).to_string().as_bytes()),
        }
        hex(&mac.finalize().into_bytes())
    }

    /// JSON without a secret in it.
    pub(super) fn clean(&self, value: &impl Serialize) -> Value {
        let mut value = json(value);
        self.redactor.redact_value(&mut value);
        value
    }
}

/// The access that decided, or the first one.
pub(super) fn turned_on(texts: &Texts<'_>, call: &Call, decision: Option<&Decision>) -> Option<String> {
    match decision.and_then(Decision::because) {
        Some(finding) => Some(texts.access(&finding.access)),
        None => call.accesses.first().map(|access| texts.access(&access.text())),
    }
}

/// The frozen call, or why there is none.
pub(super) fn frozen(texts: &Texts<'_>, call: &Call) -> (Option<Value>, Option<&'static str>) {
    let mut frozen = json(&Frozen::of(call));
    if texts.within.redact_value(&mut frozen) {
        return (None, Some("redacted"));
    }
    if size(&frozen) > LARGEST_FROZEN { (None, Some("too large")) } else { (Some(frozen), None) }
}

/// Those of `servers` that the call is about.
pub(super) fn named_servers(call: &Call, servers: &[String]) -> Vec<String> {
    let named = |server: &&String| {
        call.accesses.iter().any(|access| match access {
            Access::Mcp(mcp) => mcp.readings.iter().any(|(name, _)| name == *server),
            _ => false,
        })
    };
    servers.iter().filter(named).cloned().collect()
}

pub(super) fn milliseconds(from: Timestamp, to: Timestamp) -> Option<u64> {
    u64::try_from(to.as_millisecond().checked_sub(from.as_millisecond())?).ok()
}

/// A value as JSON. What can't be written says so: a file of a rule whose name is no text.
pub(super) fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| {
        let mut members = serde_json::Map::new();
        members.insert("v".to_owned(), Value::from(VERSION));
        members.insert("unwritten".to_owned(), Value::from(error.to_string()));
        Value::Object(members)
    })
}

/// About as many bytes as it takes.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + 4 + size(value)).sum::<usize>() + 2
        }
        _ => 5,
    }
}
