//! What the gate makes entries with: every text in them is redacted.

mod parts;
mod texts;

use std::sync::Mutex;

use hmac::{Hmac, KeyInit};
use jiff::Timestamp;
use serde_json::Value;
use sha2::Sha256;

use crate::approval::{ApprovalResolved, ApprovalResponse, Card, Outcome, Remember, State};
use crate::record::entry_details::{self, VERSION};
use crate::record::preview::{preview_call, redact_and_cut};
use crate::record::{CallId, CallSecrets, Entry, Kind, Redactor};
use crate::store::{Item, StoredApproval, StoredGrant};
use mayi_call::{AgentId, Call, Digest, SessionId};
use mayi_policy::{Decision, Effect, Mode, SessionStanding};
use parts::{deciding_access, freeze_call, milliseconds_between, named_servers, to_json};
use texts::CallTexts;

/// One text of an entry, such as an access: what is longer is cut, and says so.
const LONGEST_TEXT: usize = 4096;
/// As many accesses of one call are written out.
const MOST_ACCESSES: usize = 64;
/// A frozen call of more bytes than this is not kept.
const LARGEST_FROZEN: usize = 128 * 1024;

/// The members of a card that say what would be done.
const DONE: &[&str] = &["toolCall", "cwd", "env", "server", "accesses"];
/// What a kept card says where something of that is hidden.
const HIDDEN: &str = "what looks like a secret is hidden here: look at it where the agent runs";

/// What becomes of a call that was judged.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// What becomes of the call.
    pub effect: Effect,
    /// Who or what made that of it: `policy`, `covered`, `nobody`, ...
    pub by: &'static str,
    /// What stood when it was judged.
    pub circumstances: Circumstances,
}

/// What a call was judged by, besides the policy.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The session's mode.
    pub mode: Mode,
    /// The agent is bypassed.
    pub bypass: bool,
    /// The servers that mayi itself put into the session, of those that the call is about: no others have a part in it.
    pub servers: Vec<String>,
    /// A remembered answer covers a part of the call.
    pub granted: bool,
}

impl Circumstances {
    /// As things stand for `call`.
    #[must_use]
    pub fn new(call: &Call, standing: &SessionStanding<'_>) -> Self {
        let grants = standing.grants;
        Self {
            mode: standing.mode,
            bypass: standing.bypass,
            servers: named_servers(call, standing.servers),
            granted: call.accesses.iter().any(|access| grants.covering_grant(call, access).is_some()),
        }
    }
}

/// Makes entries. No text gets into one but through the redactor.
pub struct EntryWriter {
    redactor: Redactor,
    keyed: Option<Hmac<Sha256>>,
    /// The secrets of the call that was proposed last: it is mostly decided right after.
    last: Mutex<Option<(CallId, CallSecrets)>>,
}

impl std::fmt::Debug for EntryWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl EntryWriter {
    /// Writes with `redactor`, and makes digests of arguments with `digest_key`.
    #[must_use]
    pub fn new(digest_key: impl Into<Vec<u8>>, redactor: Redactor) -> Self {
        // A key may have any length.
        Self { redactor, keyed: Hmac::new_from_slice(&digest_key.into()).ok(), last: Mutex::default() }
    }

    /// What takes the secrets out.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The access that `decision` about `call` turned on, or its first one, as entries have it: what [`Entry::access`]
    /// and a query for it hold.
    #[must_use]
    pub fn deciding_access(&self, call: &Call, decision: Option<&Decision>) -> Option<String> {
        deciding_access(&CallTexts::for_call(self, call), call, decision)
    }

    /// A text that belongs to no call, as entries have it.
    fn redact_text(&self, text: &str) -> String {
        redact_and_cut(&self.redactor.without_call(), text, LONGEST_TEXT)
    }

    /// A keyed digest of the arguments of an MCP tool: the same at every door, where none is the same as none in braces.
    #[must_use]
    pub fn arguments_digest(&self, arguments: &Value) -> String {
        let none = Value::Object(serde_json::Map::new());
        let given = if arguments.is_null() { &none } else { arguments };
        // In a list: never the digest of a call's input.
        self.keyed_digest(&[&Value::from("arguments of a tool"), given])
    }

    /// The card for `call` as it may be kept: every text redacted. Where that hides something of what would be done,
    /// the card says so: who answers by it sees not all of it.
    #[must_use]
    pub fn stored_card(&self, call: &Call, card: &Card) -> Value {
        let texts = CallTexts::for_call(self, call);
        let mut kept = to_json(card);
        let Value::Object(members) = &mut kept else { return kept };
        let mut hides = false;
        for (name, value) in members.iter_mut() {
            hides |= texts.redact_member(call, name, value) && DONE.contains(&name.as_str());
        }
        if hides && let Some(Value::Array(not_shown)) = members.get_mut("notShown") {
            not_shown.push(Value::from(HIDDEN));
        }
        kept
    }

    /// Everything that `call` would touch, as entries have it.
    #[must_use]
    pub fn access_texts(&self, call: &Call) -> Vec<String> {
        CallTexts::for_call(self, call).redact_accesses(call)
    }

    /// A call came in.
    #[must_use]
    pub fn proposed_entry(&self, id: CallId, call: &Call, at: Timestamp) -> Entry {
        let texts = CallTexts::for_new_call(self, id, call);
        let text = |text: &str| texts.redact_text(text);
        let accesses = texts.redact_accesses(call);
        let first = accesses.first().cloned();
        let mut detail = to_json(&entry_details::Proposed {
            v: VERSION,
            door: call.door,
            title: text(&call.title),
            kind: text(&call.kind),
            name: call.name.as_deref().map(text),
            tool_call_id: call.tool_call_id.as_deref().map(text),
            parent: call.parent.as_ref().map(|parent| text(&parent.id)),
            cwd: text(&call.cwd.to_string_lossy()),
            env: call.env.keys().map(|name| text(name)).collect(),
            accesses,
            raw_digest: self.raw_digest(call),
            preview: None,
            not_shown: call.not_shown.iter().take(MOST_ACCESSES).map(|what| text(what)).collect(),
            frozen: None,
            not_replayable: None,
        });
        // Both are redacted already; a frozen call is kept only if there was nothing to redact in it.
        let (frozen, why) = freeze_call(&texts, call);
        let parts = [
            ("preview", preview_call(&texts.within, call).map(|preview| to_json(&preview))),
            ("frozen", frozen),
            ("notReplayable", why.map(Value::from)),
        ];
        if let Value::Object(members) = &mut detail {
            members.extend(parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?))));
        }
        Entry { access: first, ..self.call_entry(call, id, at, Kind::Proposed, detail) }
    }

    /// What was decided about it: `ruling` says what became of that.
    #[must_use]
    pub fn decided_entry(
        &self,
        id: CallId,
        call: &Call,
        decision: &Decision,
        ruling: &Ruling,
        at: Timestamp,
    ) -> Entry {
        let texts = CallTexts::for_known_call(self, id, call);
        let Ruling { effect, by, circumstances } = ruling;
        let detail = to_json(&entry_details::Decided {
            v: VERSION,
            effect: decision.effect,
            by: texts.redact_text(by),
            mode: Some(circumstances.mode),
            bypass: circumstances.bypass,
            servers: texts.redact_all(&circumstances.servers),
            granted: circumstances.granted,
            categories: decision.categories.clone(),
            trail: texts.redact_trail(&decision.trail),
        });
        Entry {
            effect: Some(*effect),
            access: deciding_access(&texts, call, Some(decision)),
            ..self.call_entry(call, id, at, Kind::Decided, detail)
        }
    }

    /// A person is asked.
    #[must_use]
    pub fn asked_entry(
        &self,
        id: CallId,
        call: &Call,
        decision: &Decision,
        card: &Card,
        at: Timestamp,
    ) -> Entry {
        let texts = CallTexts::for_known_call(self, id, call);
        let detail = to_json(&entry_details::Asked {
            v: VERSION,
            digest: card.digest.clone(),
            options: card.options.iter().map(|option| texts.redact_text(&option.option_id)).collect(),
            suggestions: card
                .suggestions
                .iter()
                .map(|suggestion| texts.redact_all(&suggestion.patterns))
                .collect(),
            expires_at: card.expires_at,
            trail: texts.redact_trail(&decision.trail),
        });
        Entry {
            approval: Some(card.approval_id),
            effect: Some(Effect::Ask),
            access: deciding_access(&texts, call, Some(decision)),
            ..self.call_entry(call, id, at, Kind::Asked, detail)
        }
    }

    /// A person answered: `answered`, or `cancelled` if the person cancelled the turn.
    #[must_use]
    pub fn answered_entry(
        &self,
        id: CallId,
        call: &Call,
        decision: &Decision,
        response: &ApprovalResponse,
        resolved: &ApprovalResolved,
    ) -> Entry {
        let option = match &response.response {
            Outcome::Selected { option_id } => Some(option_id.clone()),
            Outcome::Cancelled => None,
        };
        let texts = CallTexts::for_call(self, call);
        let remember = response
            .remember
            .clone()
            .map(|remember| Remember { patterns: texts.redact_all(&remember.patterns), ..remember });
        self.question_end_entry(id, call, (resolved, &texts), Some(decision), |detail| {
            entry_details::Answered {
                person: true,
                option,
                remember,
                granted: texts.redact_all(&resolved.granted_permissions),
                bypass_all: response.bypass_all,
                reason: response
                    .reason
                    .as_deref()
                    .map(|reason| texts.redact_text(reason))
                    .or(detail.reason.clone()),
                ..detail
            }
        })
    }

    /// A question ended by something else than an answer: `expired`, `cancelled`, or `answered` by a rule
    /// or a grant.
    #[must_use]
    pub fn settled_entry(&self, id: CallId, call: &Call, resolved: &ApprovalResolved) -> Entry {
        self.question_end_entry(id, call, (resolved, &CallTexts::for_call(self, call)), None, |detail| detail)
    }

    /// A question whose process is gone: `cancelled`, with the reason `interrupted_entry`.
    #[must_use]
    pub fn interrupted_entry(&self, approval: &StoredApproval, at: Timestamp) -> Entry {
        let detail = self.redacted_json(&entry_details::Answered {
            v: VERSION,
            state: State::Cancelled,
            by: "mayi".to_owned(),
            person: false,
            took: milliseconds_between(approval.asked_at, at),
            option: None,
            remember: None,
            granted: Vec::new(),
            bypass_all: false,
            reason: Some("interrupted".to_owned()),
        });
        Entry {
            approval: Some(approval.id),
            session: Some(SessionId(self.redact_text(&approval.session.0))),
            agent: Some(approval.agent.clone()),
            workspace: approval.workspace.as_deref().map(|folder| self.redact_text(folder)),
            ..Entry::new(at, Kind::Cancelled, detail)
        }
    }

    /// It began.
    #[must_use]
    pub fn started_entry(&self, id: CallId, agent: &AgentId, session: &SessionId, at: Timestamp) -> Entry {
        self.done_entry(id, agent, session, at, Kind::Started, None)
    }

    /// It ended, as `how` says.
    #[must_use]
    pub fn finished_entry(
        &self,
        id: CallId,
        agent: &AgentId,
        session: &SessionId,
        how: &str,
        at: Timestamp,
    ) -> Entry {
        self.done_entry(id, agent, session, at, Kind::Finished, Some(self.redact_text(how)))
    }

    fn done_entry(
        &self,
        id: CallId,
        agent: &AgentId,
        session: &SessionId,
        at: Timestamp,
        kind: Kind,
        how: Option<String>,
    ) -> Entry {
        Entry {
            call: Some(id),
            agent: Some(agent.clone()),
            session: Some(SessionId(self.redact_text(&session.0))),
            ..Entry::new(at, kind, self.redacted_json(&entry_details::Done { v: VERSION, how }))
        }
    }

    /// An agent did it without asking; `decision` is what it would have got.
    #[must_use]
    pub fn unasked_entry(&self, id: CallId, call: &Call, decision: &Decision, at: Timestamp) -> Entry {
        let texts = CallTexts::for_call(self, call);
        let detail = to_json(&entry_details::Decided {
            v: VERSION,
            effect: decision.effect,
            by: String::new(),
            mode: None,
            bypass: false,
            servers: Vec::new(),
            granted: false,
            categories: decision.categories.clone(),
            trail: texts.redact_trail(&decision.trail),
        });
        Entry {
            effect: Some(decision.effect),
            access: deciding_access(&texts, call, Some(decision)),
            ..self.call_entry(call, id, at, Kind::Unasked, detail)
        }
    }

    /// An answer about `call` is remembered.
    #[must_use]
    pub fn granted_entry(&self, call: &Call, grant: &StoredGrant, at: Timestamp) -> Entry {
        let texts = CallTexts::for_call(self, call);
        let pattern = grant.pattern.as_deref().map(|pattern| texts.redact_text(pattern));
        self.grant_entry(grant, pattern, at, Kind::Granted, None)
    }

    /// A session is bypassed from here on, as somebody said by a command and not by an answer.
    #[must_use]
    pub fn bypassed_entry(&self, grant: &StoredGrant, at: Timestamp) -> Entry {
        self.grant_entry(grant, grant.pattern.clone(), at, Kind::Granted, None)
    }

    /// A remembered answer was ended, by `by`.
    #[must_use]
    pub fn revoked_entry(&self, grant: &StoredGrant, by: &str, at: Timestamp) -> Entry {
        self.grant_entry(grant, grant.pattern.clone(), at, Kind::Revoked, Some(by.to_owned()))
    }

    /// The configuration that holds from here on.
    #[must_use]
    pub fn config_entry(&self, config: &entry_details::Config, at: Timestamp) -> Entry {
        Entry::new(
            at,
            Kind::Config,
            self.redacted_json(&entry_details::Config { v: VERSION, ..config.clone() }),
        )
    }

    /// What a person said of what an MCP server says of itself, by the command `by`: `how` is `accepted` or `forgotten`.
    #[must_use]
    pub fn repinned_entry(
        &self,
        server: &str,
        how: &str,
        items: &[(Item, Digest)],
        by: &str,
        at: Timestamp,
    ) -> Entry {
        let item = |(item, digest): &(Item, Digest)| entry_details::RepinnedItem {
            item: self.redact_text(&item.to_string()),
            digest: (how == "accepted").then(|| digest.to_string()),
        };
        let pins = entry_details::Repinned {
            server: self.redact_text(server),
            how: how.to_owned(),
            items: items.iter().map(item).collect(),
            by: by.to_owned(),
        };
        let entry = self.config_entry(
            &entry_details::Config { pins: Some(pins), ..entry_details::Config::default() },
            at,
        );
        Entry { access: Some(self.redact_text(&format!("mcp({server}/*)"))), ..entry }
    }
}

#[cfg(test)]
mod tests;
