//! Answers, and what becomes of an approval (surfaces, section 2).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{ApprovalId, State};
use crate::call::Digest;

/// How long an answer is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RememberScope {
    /// Until the session ends.
    Session,
    /// For good: a rule in the user's file.
    User,
}

/// What to remember of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remember {
    /// How long.
    pub scope: RememberScope,
    /// The patterns; empty: what "Allow for this session" covers by itself.
    #[serde(default)]
    pub patterns: Vec<String>,
}

/// ACP's form of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// An answer to a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResponse {
    /// Which card.
    pub approval_id: ApprovalId,
    /// The digest that was shown.
    pub digest: Digest,
    /// What was chosen.
    pub response: Outcome,
    /// Bypass the agent from now on; the surface has asked twice.
    #[serde(default)]
    pub bypass_all: bool,
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
            remember: None,
            reason: None,
        }
    }
}

/// What became of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// Always `approval-resolved`.
    #[serde(rename = "type")]
    pub message: &'static str,
    /// Which card.
    pub approval_id: ApprovalId,
    /// How it ended.
    pub state: State,
    /// Which surface or rule ended it: `terminal`, `policy`, `agent`, ...
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// The person's reason.
    pub reason: Option<String>,
}

/// Why an answer was refused. The approval is as it was.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
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
    /// What should be remembered could not be.
    #[error("{0}")]
    Remember(String),
}
