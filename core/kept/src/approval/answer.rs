//! Answers, and what becomes of an approval (S2.2).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{ApprovalId, State};
use mayi_call::Digest;
use mayi_policy::Level;

/// How long an answer is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum RememberScope {
    /// Until the session ends.
    Session,
    /// In this folder, for good or until a limit.
    Workspace,
    /// For good: a rule in the user's file; with a limit, kept in the store.
    User,
}

/// What to remember of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Remember {
    /// How long.
    pub scope: RememberScope,
    /// The patterns; empty: what "Allow for this session" covers by itself.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// For so long: `30m`, `2h`, `1d`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub expires_in: Option<String>,
    /// For so many calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uses: Option<u32>,
    /// In place of patterns, for a tool of an MCP server: this level, for all its tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub level: Option<Level>,
}

impl Remember {
    /// `patterns` for `scope`, without limits.
    #[must_use]
    pub fn of_patterns(scope: RememberScope, patterns: Vec<String>) -> Self {
        Self { scope, patterns, expires_in: None, uses: None, level: None }
    }

    /// Whether it ends before its scope does.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.expires_in.is_some() || self.uses.is_some()
    }
}

/// ACP's form of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// One of the card's options.
    Selected {
        /// Its id.
        #[serde(rename = "optionId")]
        option_id: String,
    },
    /// The person cancelled the turn.
    Cancelled,
}

/// ACP's `RequestPermissionResponse` has the outcome as a member.
mod nested {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Outcome;

    #[derive(Serialize)]
    struct Ref<'o> {
        outcome: &'o Outcome,
    }

    #[derive(Deserialize)]
    struct Owned {
        outcome: Outcome,
    }

    pub(super) fn serialize<S: Serializer>(outcome: &Outcome, to: S) -> Result<S::Ok, S::Error> {
        Ref { outcome }.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Outcome, D::Error> {
        Owned::deserialize(from).map(|owned| owned.outcome)
    }
}

/// An answer to a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResponse {
    /// Which card.
    pub approval_id: ApprovalId,
    /// The digest that was shown.
    pub digest: Digest,
    /// What was chosen: `{"outcome": ...}`, as ACP's `RequestPermissionResponse`.
    #[serde(with = "nested")]
    #[ts(type = "{ outcome: Outcome }")]
    pub response: Outcome,
    /// Bypass the agent from now on; the surface has asked twice.
    #[serde(default)]
    pub bypass_all: bool,
    /// Bypass it in this session, until that ends; the surface has asked twice. A member of its own, so that a version
    /// that does not know it allows one call, and not all of them for good.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub bypass_session: bool,
    /// What to remember.
    #[serde(default)]
    pub remember: Option<Remember>,
    /// Why, in the person's words: passed on to the agent.
    #[serde(default)]
    pub reason: Option<String>,
}

impl ApprovalResponse {
    /// Picks `option` of the card, and nothing more.
    #[must_use]
    pub fn pick(card: &super::Card, option: &str) -> Self {
        Self {
            approval_id: card.approval_id,
            digest: card.digest.clone(),
            response: Outcome::Selected { option_id: option.to_owned() },
            bypass_all: false,
            bypass_session: false,
            remember: None,
            reason: None,
        }
    }
}

/// What became of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// Always `approval-resolved`.
    #[serde(rename = "type")]
    #[ts(type = "\"approval-resolved\"")]
    pub message: &'static str,
    /// Which card.
    pub approval_id: ApprovalId,
    /// How it ended.
    pub state: State,
    /// Which surface or rule ended it: `terminal`, `policy`, `agent`, ...
    pub by: String,
    /// When.
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The person's reason.
    pub reason: Option<String>,
    /// What was granted with the answer beyond this one call, for people: `shell(cargo test) (session)`. Not escaped:
    /// surfaces do that.
    pub granted_permissions: Vec<String>,
}

impl ApprovalResolved {
    /// An approval that ended so, and granted nothing more.
    #[must_use]
    pub fn new(
        approval_id: ApprovalId,
        state: State,
        by: String,
        at: Timestamp,
        reason: Option<String>,
    ) -> Self {
        Self {
            message: "approval-resolved",
            approval_id,
            state,
            by,
            at,
            reason,
            granted_permissions: Vec::new(),
        }
    }
}

/// Why an answer was refused. The approval is as it was.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerError {
    /// No such approval.
    #[error("no approval has this id")]
    Unknown,
    /// First answer wins.
    #[error("already answered by {by}: {state:?}")]
    Settled {
        /// Who answered.
        by: String,
        /// With what.
        state: State,
    },
    /// What would run is not what was shown.
    #[error("the call has changed since it was shown; look at it again")]
    Changed,
    /// Not one of the card's options.
    #[error("`{0}` is not one of the choices")]
    Option(String),
    /// Whoever answers is not the person, or can't be told to be.
    #[error("{0}")]
    Refused(String),
    /// The process that asks did not take it: it was withdrawn.
    #[error("the process that asks does not take the answer, it may be stopped; the answer is withdrawn")]
    Unheard,
    /// What should be remembered could not be.
    #[error("{0}")]
    Remember(String),
    /// The answer could not be written down.
    #[error("nothing runs that can't be recorded: {0}")]
    Store(String),
}
