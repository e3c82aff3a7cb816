//! What becomes of a call: it is judged, and then authorized or refused. Execution needs an [`Authorized`] call, which only
//! the gate can make.

use crate::approval::{escape_line, suggest_patterns};
use crate::call::{Call, SessionId};
use crate::policy::{Decision, Effect, Finding, Mode, Source};
use crate::record::CallId;
use crate::store::StoreError;
use crate::writer::Circumstances;

/// Who allowed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The policy, a grant or a mode, without asking.
    Policy,
    /// An approved call that announced exactly this: of the same session, or of the same agent at another door.
    Covered,
    /// A person, at a surface.
    Person,
    /// A grant that was given while it waited.
    Grant,
}

impl DecidedBy {
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

/// A call that was judged: it is authorized, refused, or waits.
#[derive(Clone, Debug)]
pub(super) struct JudgedCall {
    /// What the record calls it.
    pub(super) id: CallId,
    pub(super) call: Call,
    pub(super) decision: Decision,
    /// The number of the policy that it was judged by.
    pub(super) epoch: u64,
    /// What else it was judged by; none where its session is not known.
    pub(super) circumstances: Option<Circumstances>,
}

impl JudgedCall {
    /// What an approval of it is bound to.
    pub(super) fn basis(&self) -> ApprovalBasis {
        (self.epoch, self.circumstances.as_ref().map(|stood| stood.mode))
    }
}

/// What an approval that nobody gave is bound to: the policy's number, and the mode.
pub(super) type ApprovalBasis = (u64, Option<Mode>);

/// Something that may be done: made by the gate alone.
#[must_use]
#[derive(Debug)]
pub struct Authorized<T> {
    /// What the record calls it.
    id: CallId,
    what: T,
    decision: Decision,
    decided_by: DecidedBy,
    basis: ApprovalBasis,
    picked_option: Option<String>,
}

impl Authorized<Call> {
    pub(super) fn new(judged: JudgedCall, decided_by: DecidedBy, picked_option: Option<String>) -> Self {
        let basis = judged.basis();
        let JudgedCall { id, call: what, decision, .. } = judged;
        Self { id, what, decision, decided_by, basis, picked_option }
    }

    /// What the record calls it.
    pub(super) fn id(&self) -> CallId {
        self.id
    }

    /// What it was judged by.
    pub(super) fn basis(&self) -> ApprovalBasis {
        self.basis
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
    pub fn decided_by(&self) -> DecidedBy {
        self.decided_by
    }

    /// The agent's own option that a person picked by hand.
    #[must_use]
    pub fn picked_option(&self) -> Option<&str> {
        self.picked_option.as_deref()
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
    /// Nobody has said no: the agent's own prompt is to ask ([`OnAsk::Leave`](super::OnAsk::Leave)).
    pub left: bool,
    /// The agent's own option that a person picked by hand.
    pub picked_option: Option<String>,
    /// Patterns that would have allowed it: empty if nothing but a person could.
    pub would_allow: Vec<String>,
}

/// Why a call is refused without asking.
#[derive(Debug)]
pub(super) enum RefusalReason {
    /// The policy denies it.
    Policy,
    /// It needed an answer, and there is nobody to ask.
    Nobody,
    /// It needs an answer, which the agent's own prompt asks for.
    Left,
    /// Too many wait already.
    Full,
    /// It would have been allowed or asked about, and could not be written down.
    Unrecorded(StoreError),
}

impl Refusal {
    /// A denial by a person, by a change of policy, or for `reason`.
    pub(super) fn from_denial(judged: JudgedCall, reason: Option<&str>) -> Self {
        let JudgedCall { call, decision, .. } = judged;
        Self {
            session: call.session,
            tool_call_id: call.tool_call_id,
            title: call.title,
            decision,
            reason: reason.unwrap_or("denied").to_owned(),
            unanswered: false,
            by_person: false,
            left: false,
            picked_option: None,
            would_allow: Vec::new(),
        }
    }

    /// A denial without asking.
    pub(super) fn at_once(mut judged: JudgedCall, why: &RefusalReason) -> Self {
        let because = judged.decision.deciding_finding();
        let relayed = because.map(|finding| finding.reason_for_model());
        match why {
            RefusalReason::Policy => {
                let reason = format!("denied by policy: {}", relayed.unwrap_or("denied"));
                Self::from_denial(judged, Some(&reason))
            }
            RefusalReason::Nobody => {
                let because = relayed.unwrap_or_default();
                let reason =
                    format!("this needs a person's answer and nobody is here to give one ({because})");
                Self::from_unanswered(judged, &reason)
            }
            RefusalReason::Left => {
                let reason = format!("this needs a person's answer ({})", relayed.unwrap_or_default());
                Self { left: true, ..Self::from_unanswered(judged, &reason) }
            }
            RefusalReason::Full => Self::from_denial(
                judged,
                Some(
                    "too many questions of this session wait already: ask for less at once, or wait for the answers",
                ),
            ),
            // "An error while judging is a deny finding with the error as its reason" (D4.22).
            RefusalReason::Unrecorded(error) => {
                let reason = format!("nothing runs that can't be recorded: {error}");
                let access =
                    because.map_or_else(|| judged.call.title.clone(), |finding| finding.access.clone());
                judged.decision.effect = Effect::Deny;
                let finding = Finding::new(Effect::Deny, access, Source::Error, &*reason);
                judged.decision.trail.insert(0, finding);
                Self::from_denial(judged, Some(&reason))
            }
        }
    }

    /// Nobody answered in time.
    pub(super) fn from_expiry(judged: JudgedCall) -> Self {
        Self::from_unanswered(judged, "nobody answered in time")
    }

    fn from_unanswered(judged: JudgedCall, reason: &str) -> Self {
        let would_allow = would_allow(&judged.call, &judged.decision);
        Self { unanswered: true, would_allow, ..Self::from_denial(judged, Some(reason)) }
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
        suggest_patterns(call, decision).into_iter().next().map(|first| first.patterns).unwrap_or_default();
    if patterns.iter().all(|pattern| escape_line(pattern) == *pattern) { patterns } else { Vec::new() }
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
