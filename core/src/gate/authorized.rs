//! Verdicts. Execution needs an [`Authorized`] call, which only the gate can make.

use crate::approval::{suggestions, visible};
use crate::call::{Call, SessionId};
use crate::policy::{Decision, Effect};
use crate::record::CallId;

/// Who allowed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The policy, a grant or a mode, without asking.
    Policy,
    /// An approved call that announced exactly this: of the same session, or of the same agent at another door.
    Covered,
    /// A person, at a surface.
    Person,
    /// A grant that was given while it waited.
    Grant,
}

impl By {
    /// The word for it in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Covered => "covered",
            Self::Person => "person",
            Self::Grant => "grant",
        }
    }
}

/// Something that may be done: made by the gate alone.
#[must_use]
#[derive(Debug)]
pub struct Authorized<T> {
    /// What the record calls it.
    id: CallId,
    what: T,
    decision: Decision,
    by: By,
    picked: Option<String>,
}

impl Authorized<Call> {
    pub(super) fn new(id: CallId, what: Call, decision: Decision, by: By, picked: Option<String>) -> Self {
        Self { id, what, decision, by, picked }
    }

    /// What the record calls it.
    pub(super) fn id(&self) -> CallId {
        self.id
    }

    /// The call that may be done.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.what
    }

    /// Why.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Who allowed it.
    #[must_use]
    pub fn by(&self) -> By {
        self.by
    }

    /// The agent's own option that a person picked by hand.
    #[must_use]
    pub fn picked(&self) -> Option<&str> {
        self.picked.as_deref()
    }
}

/// Something that may not be done.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Why it was asked about or denied.
    pub decision: Decision,
    /// The session.
    pub session: SessionId,
    /// The protocol's id of the tool call.
    pub tool_call_id: Option<String>,
    /// The agent's title: data.
    pub title: String,
    /// What the agent is told, one line.
    pub reason: String,
    /// Nobody was there to answer, or nobody did in time.
    pub unanswered: bool,
    /// A person said no.
    pub by_person: bool,
    /// The agent's own option that a person picked by hand.
    pub picked: Option<String>,
    /// Patterns that would have allowed it: empty if nothing but a person could.
    pub would_allow: Vec<String>,
}

impl Refusal {
    fn new(call: Option<&Call>, decision: Decision, reason: String) -> Self {
        Self {
            session: call.map_or_else(|| SessionId(String::new()), |call| call.session.clone()),
            tool_call_id: call.and_then(|call| call.tool_call_id.clone()),
            title: call.map(|call| call.title.clone()).unwrap_or_default(),
            decision,
            reason,
            unanswered: false,
            by_person: false,
            picked: None,
            would_allow: Vec::new(),
        }
    }

    /// Denied by the policy.
    pub(super) fn policy(call: &Call, decision: Decision) -> Self {
        let because =
            decision.because().map_or_else(|| "denied".to_owned(), |finding| finding.relayed().to_owned());
        Self::new(Some(call), decision, format!("denied by policy: {because}"))
    }

    /// It needed an answer, and there is nobody to ask.
    pub(super) fn nobody(call: &Call, decision: Decision) -> Self {
        let would_allow = would_allow(call, &decision);
        let because = decision.because().map(|finding| finding.relayed().to_owned()).unwrap_or_default();
        let mut refusal = Self::new(
            Some(call),
            decision,
            format!("this needs a person's answer and nobody is here to give one ({because})"),
        );
        refusal.unanswered = true;
        refusal.would_allow = would_allow;
        refusal
    }

    /// Nobody answered in time.
    pub(super) fn expired(call: &Call, decision: Decision) -> Self {
        let would_allow = would_allow(call, &decision);
        let mut refusal = Self::new(Some(call), decision, "nobody answered in time".to_owned());
        refusal.unanswered = true;
        refusal.would_allow = would_allow;
        refusal
    }

    /// Too many wait already.
    pub(super) fn full(call: &Call, decision: Decision) -> Self {
        Self::new(Some(call), decision, "too many approvals of this session wait already".to_owned())
    }

    /// A change of policy or a denial by a person.
    pub(super) fn of(call: &Call, decision: Decision, reason: Option<&str>) -> Self {
        let reason = reason.map_or_else(|| "denied".to_owned(), str::to_owned);
        Self::new(Some(call), decision, reason)
    }

    /// Whether the policy itself denies it.
    #[must_use]
    pub fn is_policy(&self) -> bool {
        self.decision.effect == Effect::Deny
    }
}

/// The narrowest rules that would have allowed it: none if only a person could, or if they can't be
/// written so that what is read is what is there.
fn would_allow(call: &Call, decision: &Decision) -> Vec<String> {
    let patterns =
        suggestions(call, decision).into_iter().next().map(|first| first.patterns).unwrap_or_default();
    if patterns.iter().all(|pattern| visible(pattern) == *pattern) { patterns } else { Vec::new() }
}

/// The one answer to a call.
#[must_use]
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each call, and it is moved once")]
pub enum Verdict {
    /// It may be done.
    Allowed(Authorized<Call>),
    /// It may not.
    Denied(Refusal),
    /// The turn is gone.
    Cancelled,
}
