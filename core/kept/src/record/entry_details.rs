//! What entries say besides what all of them have: the shapes of [`Entry::detail`](super::Entry), by kind.
//!
//! JSON in camelCase, as cards are. Each shape has a version `v`, which goes up when a member changes its
//! meaning; members may be added to it. Every text is redacted, and cut where it says so.

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Entry, FrozenCall};
use crate::approval::{Remember, State};
use mayi_call::{Category, Digest, Door};
use mayi_policy::grant::GrantId;
use mayi_policy::grant::Scope;
use mayi_policy::{Effect, Finding, Level, Mode};

/// The version of all shapes here.
pub const VERSION: u32 = 1;

/// Why a detail can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetailError {
    /// A later mayi wrote it.
    #[error("written in version {0}, which this mayi does not know")]
    Newer(u64),
    /// It has another shape.
    #[error("damaged: {0}")]
    Damaged(String),
}

/// The detail of `entry` in the shape of its kind.
///
/// # Errors
/// If a later mayi wrote it, or if it has another shape.
pub fn read<T: DeserializeOwned>(entry: &Entry) -> Result<T, DetailError> {
    match entry.detail.get("v").and_then(Value::as_u64) {
        Some(version) if version > u64::from(VERSION) => Err(DetailError::Newer(version)),
        _ => T::deserialize(&entry.detail).map_err(|error| DetailError::Damaged(error.to_string())),
    }
}

/// `proposed`: a call as it came in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposed {
    /// [`VERSION`].
    pub v: u32,
    /// Where it came in.
    pub door: Door,
    /// The agent's title: data.
    pub title: String,
    /// The protocol's kind word: the agent's claim.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub kind: String,
    /// The programmatic name of the tool.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The protocol's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_call_id: Option<String>,
    /// Of a sub-agent's call: the one that started it, as the agent tells.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// The folder that relative names start from.
    pub cwd: String,
    /// The names of variables that it sets; their values are not kept.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub env: Vec<String>,
    /// Everything it would touch, as findings write it.
    pub accesses: Vec<String>,
    /// HMAC-SHA256 with the record's key over the canonical JSON of input, changes and variables, in
    /// hexadecimal: who has the key can tell whether it was this.
    pub raw_digest: String,
    /// What can be shown of input and changes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub preview: Option<Preview>,
    /// What the request held that could not be shown or understood.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_shown: Vec<String>,
    /// The call, so that it can be judged again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub frozen: Option<FrozenCall>,
    /// Why it can't be judged again, where it can't.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_replayable: Option<String>,
}

/// The beginning of what was sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// The input.
    #[serde(skip_serializing_if = "Value::is_null", default)]
    pub raw_input: Value,
    /// Changes to files.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub diffs: Vec<DiffPreview>,
    /// So many bytes of text, or members and items, are left out.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub left_out: usize,
}

/// The beginning of a change to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffPreview {
    /// The file, as the agent wrote it.
    pub path: String,
    /// The text before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub old_text: Option<String>,
    /// The text after.
    pub new_text: String,
}

/// `decided` and `unasked`: what was decided, and why. The entry's own effect is what became of the call;
/// here is what the policy said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// [`VERSION`].
    pub v: u32,
    /// The strictest over all accesses.
    pub effect: Effect,
    /// Who or what made of it what the entry says: `policy`, `covered`, `nobody`, ...
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub by: String,
    /// The mode of the session; none for what was not gated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mode: Option<Mode>,
    /// Whether the agent was bypassed.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub bypass: bool,
    /// The servers that mayi itself had put into the session.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub servers: Vec<String>,
    /// Whether a remembered answer covered a part of it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub granted: bool,
    /// The categories touched.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub categories: Vec<Category>,
    /// The findings that stand, strictest first: as on the card and in `mayi check`.
    pub trail: Vec<Finding>,
}

/// `asked`: what a person was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// [`VERSION`].
    pub v: u32,
    /// What the answer is bound to.
    pub digest: Digest,
    /// The choices, by their ids.
    pub options: Vec<String>,
    /// Patterns that were offered.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub suggestions: Vec<Vec<String>>,
    /// When it expires, if ever.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<Timestamp>,
    /// Why it was asked.
    pub trail: Vec<Finding>,
}

/// `answered`, `expired` and `cancelled`: how a question ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// [`VERSION`].
    pub v: u32,
    /// How it ended.
    pub state: State,
    /// Which surface, rule or process ended it.
    pub by: String,
    /// Whether a person did.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub person: bool,
    /// So many milliseconds after it was asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took: Option<u64>,
    /// The choice, by its id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub option: Option<String>,
    /// What was to be remembered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remember: Option<Remember>,
    /// What was granted with it, as people read it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub granted: Vec<String>,
    /// The agent was bypassed by it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub bypass_all: bool,
    /// Why, in a person's words or mayi's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// `started` and `finished`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// [`VERSION`].
    pub v: u32,
    /// How it ended: `completed`, `failed`, an exit code, ...
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub how: Option<String>,
}

/// `granted` and `revoked`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Granted {
    /// [`VERSION`].
    pub v: u32,
    /// Which.
    pub grant: GrantId,
    /// How long it is remembered, and where it counts.
    pub scope: Scope,
    /// What it is about, as a rule would write it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pattern: Option<String>,
    /// Exactly this call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fingerprint: Option<Digest>,
    /// A level for all tools of a server.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub level: Option<(String, Level)>,
    /// When it ends by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<Timestamp>,
    /// How often it can be used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub uses_left: Option<u32>,
    /// Of one that was revoked: how often it was used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub used: Option<u64>,
    /// Of one that was revoked: by whom.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<String>,
}

/// `config`: what holds from here on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// [`VERSION`].
    pub v: u32,
    /// The policy's number in its process.
    pub epoch: u64,
    /// The mode that sessions start in.
    pub mode: Mode,
    /// The files it was read from.
    pub files: Vec<ConfigFile>,
    /// What was told about it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notices: Vec<String>,
    /// It is about this alone, and not about a policy: what a person said of an MCP server's pins.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pins: Option<Repinned>,
}

/// What a person said of what an MCP server says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Repinned {
    /// The server's name in the configuration.
    pub server: String,
    /// `accepted`, or `forgotten`.
    pub how: String,
    /// Which items: `launch`, `instructions`, `tool NAME`.
    pub items: Vec<RepinnedItem>,
    /// By which command.
    pub by: String,
}

/// One item of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepinnedItem {
    /// Which, escaped.
    pub item: String,
    /// SHA-256 of what is trusted now, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
}

/// A file of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigFile {
    /// Where it is.
    pub path: String,
    /// SHA-256 of its content, in hexadecimal.
    pub digest: String,
    /// Its layer: `managed`, `user`, `workspace`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub layer: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
