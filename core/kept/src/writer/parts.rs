//! The parts that entries are made of.

use std::collections::BTreeMap;

use hmac::Mac;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::texts::CallTexts;
use super::{EntryWriter, LARGEST_FROZEN};
use crate::approval::{ApprovalResolved, State};
use crate::record::entry_details::{self, VERSION};
use crate::record::{CallId, Entry, FrozenCall, Kind, encode_hex};
use crate::store::StoredGrant;
use mayi_call::{Access, Call, Diff, SessionId};
use mayi_policy::{Decision, Effect};

impl EntryWriter {
    pub(super) fn call_entry(
        &self,
        call: &Call,
        id: CallId,
        at: Timestamp,
        kind: Kind,
        detail: Value,
    ) -> Entry {
        Entry {
            call: Some(id),
            session: Some(SessionId(self.redact_text(&call.session.0))),
            agent: Some(call.agent.clone()),
            workspace: call.roots.first().map(|root| self.redact_text(&root.to_string_lossy())),
            ..Entry::new(at, kind, detail)
        }
    }

    pub(super) fn question_end_entry(
        &self,
        id: CallId,
        call: &Call,
        (resolved, texts): (&ApprovalResolved, &CallTexts<'_>),
        decision: Option<&Decision>,
        with: impl FnOnce(entry_details::Answered) -> entry_details::Answered,
    ) -> Entry {
        let (kind, effect) = match resolved.state {
            State::Approved => (Kind::Answered, Some(Effect::Allow)),
            State::Denied => (Kind::Answered, Some(Effect::Deny)),
            State::Expired => (Kind::Expired, Some(Effect::Deny)),
            State::Cancelled | State::Pending => (Kind::Cancelled, None),
        };
        let detail = self.redacted_json(&with(entry_details::Answered {
            v: VERSION,
            state: resolved.state,
            by: resolved.by.clone(),
            person: false,
            took: resolved.approval_id.made_at().and_then(|asked| milliseconds_between(asked, resolved.at)),
            option: None,
            remember: None,
            granted: Vec::new(),
            bypass_all: false,
            reason: resolved.reason.as_deref().map(|reason| texts.redact_text(reason)),
        }));
        Entry {
            approval: Some(resolved.approval_id),
            effect,
            access: deciding_access(texts, call, decision),
            ..self.call_entry(call, id, resolved.at, kind, detail)
        }
    }

    /// An entry about `grant`; its pattern as it is given here.
    pub(super) fn grant_entry(
        &self,
        grant: &StoredGrant,
        pattern: Option<String>,
        at: Timestamp,
        kind: Kind,
        by: Option<String>,
    ) -> Entry {
        let detail = self.redacted_json(&entry_details::Granted {
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
            session: grant.session.as_ref().map(|session| SessionId(self.redact_text(&session.0))),
            agent: Some(grant.agent.clone()),
            workspace: grant.workspace.as_deref().map(|folder| self.redact_text(folder)),
            effect: Some(grant.effect),
            access: pattern.map(|pattern| self.redact_text(&pattern)),
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
        self.keyed_digest(&raw)
    }

    /// A keyed digest of `value`'s canonical JSON, in hexadecimal.
    pub(super) fn keyed_digest(&self, value: &impl Serialize) -> String {
        let Some(mut mac) = self.keyed.clone() else { return String::new() };
        match serde_json_canonicalizer::to_vec(value) {
            Ok(bytes) => mac.update(&bytes),
            Err(_) => mac.update(to_json(value).to_string().as_bytes()),
        }
        encode_hex(&mac.finalize().into_bytes())
    }

    /// JSON without a secret in it.
    pub(super) fn redacted_json(&self, value: &impl Serialize) -> Value {
        let mut value = to_json(value);
        self.redactor.redact_value(&mut value);
        value
    }
}

/// The access that decided, or the first one.
pub(super) fn deciding_access(
    texts: &CallTexts<'_>,
    call: &Call,
    decision: Option<&Decision>,
) -> Option<String> {
    match decision.and_then(Decision::deciding_finding) {
        Some(finding) => Some(texts.redact_access(&finding.access)),
        None => call.accesses.first().map(|access| texts.redact_access(&access.text())),
    }
}

/// The frozen call, or why there is none.
pub(super) fn freeze_call(texts: &CallTexts<'_>, call: &Call) -> (Option<Value>, Option<&'static str>) {
    const TOO_LARGE: (Option<Value>, Option<&str>) = (None, Some("too large"));
    let arguments = call.accesses.iter().map(|access| match access {
        Access::Mcp(mcp) => json_size(&mcp.arguments),
        _ => 0,
    });
    if arguments.sum::<usize>() > LARGEST_FROZEN {
        return TOO_LARGE;
    }
    let mut frozen = to_json(&FrozenCall::freeze(call));
    if json_size(&frozen) > LARGEST_FROZEN {
        return TOO_LARGE;
    }
    if texts.within.redact_value(&mut frozen) { (None, Some("redacted")) } else { (Some(frozen), None) }
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

pub(super) fn milliseconds_between(from: Timestamp, to: Timestamp) -> Option<u64> {
    u64::try_from(to.as_millisecond().checked_sub(from.as_millisecond())?).ok()
}

/// A value as JSON. What can't be written says so: a file of a rule whose name is no text.
pub(super) fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| {
        let mut members = serde_json::Map::new();
        members.insert("v".to_owned(), Value::from(VERSION));
        members.insert("unwritten".to_owned(), Value::from(error.to_string()));
        Value::Object(members)
    })
}

/// About as many bytes as it takes.
fn json_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(items) => items.iter().map(json_size).sum::<usize>() + 2,
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + 4 + json_size(value)).sum::<usize>() + 2
        }
        _ => 5,
    }
}
