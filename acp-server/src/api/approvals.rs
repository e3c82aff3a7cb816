//! Questions and answers.

use jiff::Timestamp;
use mayi_core::approval::{ApprovalId, ApprovalResolved, ApprovalResponse, Card, State};
use mayi_core::policy::Finding;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A card, and where it belongs.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct TabCard {
    /// The card (S2.1).
    #[serde(flatten)]
    pub card: Card,
    /// The tab that asks; none: another process of mayi.
    pub tab_id: Option<String>,
    /// The app and the chat that ask, where an app with a loop of its own does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub host: Option<HostCall>,
    /// Cards of the same key may be answered together; none: only by itself.
    pub alike: Option<String>,
    /// For each of its changes the line at which the old text begins in the file as it is now; none: it is not there just once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Option<u32>>>", optional)]
    pub lines: Vec<Option<u32>>,
}

/// A call of an app with a loop of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct HostCall {
    /// The app's name, as it says.
    pub app: String,
    /// Its own id of the chat.
    pub chat: String,
    /// Its own id of the call.
    pub call_id: String,
}

/// What became of a card.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// How it was settled.
    #[serde(flatten)]
    pub resolved: ApprovalResolved,
    /// The tab that asked; none: another process of mayi.
    pub tab_id: Option<String>,
}

/// `approval/list`.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ApprovalList {
    /// Only what waits: oldest first. Else the newest first.
    pub pending: bool,
    /// Only these.
    pub ids: Vec<ApprovalId>,
    /// At most so many.
    pub limit: Option<u32>,
}

/// One question of the list.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct ApprovalEntry {
    /// What is or was asked.
    pub card: TabCard,
    /// Where it stands.
    pub state: State,
    /// Who or what settled it.
    pub by: Option<String>,
    /// When.
    #[ts(type = "string | null")]
    pub at: Option<Timestamp>,
    /// Why.
    pub reason: Option<String>,
}

/// `approval/respond`.
pub type Respond = ApprovalResponse;

/// `approval/respondMany`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
pub struct RespondMany {
    /// One answer a card, each with the digest that was shown.
    pub responses: Vec<ApprovalResponse>,
}

/// What became of one answer of several.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "AnswerOutcome")]
pub struct Outcome {
    /// Which card.
    pub approval_id: ApprovalId,
    /// How it was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub resolved: Option<Answered>,
    /// Why the answer was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<String>,
}

/// `approval/request`: another program asks whether it may.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// The call, as a line of `mayi check --stdin`, without what would say how to judge it.
    #[ts(type = "unknown")]
    pub call: Value,
    /// What it is called: data.
    #[serde(default)]
    pub title: Option<String>,
    /// After so many seconds without an answer it is denied.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
}

/// The answer to `approval/request`.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct AskedOutcome {
    /// `allowed` or `denied`.
    pub outcome: &'static str,
    /// The card, if somebody was asked.
    pub approval_id: Option<ApprovalId>,
    /// Who or what decided it.
    pub by: Option<String>,
    /// Why not.
    pub reason: Option<String>,
    /// Every finding.
    pub why: Vec<Finding>,
}
