//! The card: one shape on every surface (S2.1).

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::History;
use super::card_options::card_options;
use super::card_size::bound_card;
use super::input_changes::{open_input, tells_no_change};
use super::look_alikes::look_alike_notes;
use super::{Suggestion, suggest_patterns};
use mayi_call::{Call, Category, Digest, ToolAbout};
use mayi_policy::{Decision, Finding, Level};

/// The id of an approval: a UUIDv7, so that ids sort by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(transparent)]
#[ts(type = "string")]
pub struct ApprovalId(Uuid);

impl ApprovalId {
    /// A new one.
    #[must_use]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// When it was made: the id says so.
    #[must_use]
    pub fn made_at(&self) -> Option<Timestamp> {
        let (seconds, nanoseconds) = self.0.get_timestamp()?.to_unix();
        Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanoseconds).ok()?).ok()
    }
}

impl Default for ApprovalId {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Where an approval stands. It leaves `Pending` once, and never comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for an answer.
    Pending,
    /// It may run.
    Approved,
    /// It may not.
    Denied,
    /// The turn is gone.
    Cancelled,
    /// The time limit passed; a denial for the agent.
    Expired,
}

impl std::str::FromStr for ApprovalId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl State {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }
}

/// mayi's own choices, by their `optionId`.
pub mod choice {
    /// Allow this call, and nothing else.
    pub const ALLOW_ONCE: &str = "allow_once";
    /// Allow the like until the session ends.
    pub const ALLOW_SESSION: &str = "allow_session";
    /// Write a rule to the user's file: `remember` holds the pattern.
    pub const ALLOW_ALWAYS: &str = "allow_always";
    /// Do not run this call.
    pub const DENY: &str = "deny";
    /// Before an option's id: one of the agent's own options, picked by hand.
    pub const AGENT: &str = "agent:";
}

/// What an option does, by the protocol's word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionKind {
    /// Allows this call.
    AllowOnce,
    /// Allows it, and is remembered.
    AllowAlways,
    /// Denies this call.
    RejectOnce,
    /// Denies it, and is remembered.
    RejectAlways,
    /// A word that is not known, as another version may have written it: it allows nothing.
    #[serde(other)]
    Unknown,
}

impl OptionKind {
    /// By the protocol's word. What is not known is [`OptionKind::Unknown`].
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        let known = [Self::AllowOnce, Self::AllowAlways, Self::RejectOnce, Self::RejectAlways];
        known.into_iter().find(|kind| kind.as_str() == word).unwrap_or(Self::Unknown)
    }

    /// The protocol's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow_once",
            Self::AllowAlways => "allow_always",
            Self::RejectOnce => "reject_once",
            Self::RejectAlways => "reject_always",
            Self::Unknown => "unknown",
        }
    }

    /// Whether it allows the call.
    #[must_use]
    pub fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }

    /// Whether it denies the call.
    #[must_use]
    pub fn rejects(self) -> bool {
        matches!(self, Self::RejectOnce | Self::RejectAlways)
    }

    /// Whether whoever offers it remembers it.
    #[must_use]
    pub fn lasts(self) -> bool {
        matches!(self, Self::AllowAlways | Self::RejectAlways)
    }
}

/// One of the agent's options (ACP `PermissionOption`): its id and its label verbatim. A kind that the protocol does not know
/// allows nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentOption {
    /// The protocol's id.
    pub option_id: String,
    /// The agent's label: shown as data.
    pub name: String,
    /// What it does.
    #[ts(as = "String")]
    pub kind: OptionKind,
    /// What a person should know before picking it: it switches modes, it is remembered by the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub danger: Option<String>,
}

/// One choice on the card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct CardOption {
    /// One of [`choice`], or [`choice::AGENT`] and the agent's id.
    pub option_id: String,
    /// mayi's label, or the agent's for its own options.
    pub name: String,
    /// What it does.
    #[ts(as = "String")]
    pub kind: OptionKind,
    /// `once`, `session`, `user`, or `agent` where the agent remembers.
    pub scope: Cow<'static, str>,
    /// What to know before picking it.
    pub danger: Option<String>,
    /// For `allow_session`: what an answer for the session grants, as it is remembered: patterns, or `exactly this call`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub grants: Vec<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub covers: Option<String>,
}

/// The tool call, as the agent described it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct CardToolCall {
    /// The protocol's id.
    pub tool_call_id: Option<String>,
    /// The agent's title.
    pub title: String,
    /// The programmatic name.
    pub name: Option<String>,
    /// The protocol's kind word.
    pub kind: String,
    /// The input as it was sent.
    #[ts(type = "unknown")]
    pub raw_input: Value,
    /// Where the agent says that it works, as it sent it.
    #[serde(default)]
    #[ts(type = "unknown[]")]
    pub locations: Vec<Value>,
    /// Diffs and texts.
    #[ts(type = "unknown")]
    pub content: Value,
    /// What of the input of a change neither the first line nor the diffs say: it stands open (S2.13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "unknown", optional)]
    pub open_input: Option<Value>,
    /// It changes a file, and nothing tells what of it, or not all of it is shown: no key allows it (S2.14).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub untold: bool,
}

/// What a card says of a change that nothing tells.
const UNTOLD: &str = "what would change: the agent does not tell";

/// The MCP server a tool belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct CardServer {
    /// Its name in the configuration.
    pub name: String,
    /// The tool's name.
    pub tool: String,
    /// What it calls itself: the server's words, as everything below.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub title: Option<String>,
    /// What it says it is for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub description: Option<String>,
    /// Its icons: those that hold their picture, so that nothing is fetched to show them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[ts(type = "unknown[]")]
    pub icons: Vec<Value>,
}

impl CardServer {
    /// The server of `call`, with what it says of itself.
    fn from_call(call: &Call) -> Option<Self> {
        let (name, tool) = call.accesses.iter().find_map(|access| match access {
            mayi_call::Access::Mcp(mcp) => mcp.readings.first().cloned(),
            _ => None,
        })?;
        let about = call.about.as_ref();
        let held = |icon: &&Value| {
            let src = icon.get("src").and_then(Value::as_str);
            src.is_some_and(|src| src.starts_with("data:image/"))
        };
        Some(Self {
            name,
            tool,
            title: about.and_then(|about| about.title.clone()),
            description: about.and_then(|about| about.description.clone()),
            icons: about.map(|about| about.icons.iter().filter(held).cloned().collect()).unwrap_or_default(),
        })
    }
}

/// One access, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct CardAccess {
    /// The selector's word.
    pub access: String,
    /// What is touched. Not escaped: surfaces do that.
    pub display: String,
    /// The row of the matrix.
    pub category: Option<Category>,
}

/// The level that the call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum PermissionType {
    /// Only reads.
    Read,
    /// Writes, and no more.
    Write,
    /// Runs something or reaches out.
    All,
}

impl PermissionType {
    /// The level that a call with these categories asks for: the highest, and all where none is known.
    #[must_use]
    pub fn of_categories(categories: &[Category]) -> Self {
        let level = |category: &Category| match category {
            Category::Read => Self::Read,
            Category::Write => Self::Write,
            Category::Execute | Category::External => Self::All,
        };
        categories.iter().map(level).max().unwrap_or(Self::All)
    }
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// Always `approval-request`.
    #[serde(rename = "type")]
    #[ts(type = "\"approval-request\" | \"approval-updated\"")]
    pub message: Cow<'static, str>,
    /// Its id.
    pub approval_id: ApprovalId,
    /// The session that asks.
    pub session_id: String,
    /// The agent's identity.
    pub agent_name: String,
    /// For a sub-agent: the session that started the one that asks, or the tool call that did, as the agent tells.
    #[serde(default)]
    pub parent: Option<String>,
    /// The title of that tool call, in the agent's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_title: Option<String>,
    /// The tool call.
    pub tool_call: CardToolCall,
    /// The folder that relative names start from.
    pub cwd: String,
    /// Variables that the call sets.
    pub env: std::collections::BTreeMap<String, String>,
    /// The MCP server, if it is a call to one.
    #[serde(default)]
    pub server: Option<CardServer>,
    /// What that server says of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<ToolAbout>,
    /// What the answer is bound to: it is echoed with the answer.
    pub digest: Digest,
    /// The agent's own options.
    pub agent_options: Vec<AgentOption>,
    /// What would be touched.
    pub accesses: Vec<CardAccess>,
    /// The level asked for.
    pub permission_type: PermissionType,
    /// The choices.
    pub options: Vec<CardOption>,
    /// Patterns for "Always ...".
    pub suggestions: Vec<Suggestion>,
    /// Levels that could be granted to the tool's server instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Why it is asked.
    pub why: Vec<Finding>,
    /// How the like was answered before, as far as it is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub history: Option<History>,
    /// What the request held that is not on the card, or is there and can't be seen.
    pub not_shown: Vec<String>,
    /// When it was asked.
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// When it expires, if ever.
    #[ts(type = "string | null")]
    pub expires_at: Option<Timestamp>,
    /// Where it stands.
    pub state: State,
}

impl Card {
    /// The card for `call`, which `decision` asks about.
    #[must_use]
    pub fn new(
        call: &Call,
        decision: &Decision,
        options: &[AgentOption],
        epoch: u64,
        now: Timestamp,
    ) -> Self {
        let suggestions = suggest_patterns(call, decision);
        let open_input = open_input(call);
        let untold = tells_no_change(call, open_input.as_ref());
        let content = call
            .diffs
            .iter()
            .map(|diff| serde_json::json!({"type": "diff", "path": diff.path, "oldText": diff.old_text, "newText": diff.new_text}))
            .chain(call.notes.iter().map(|note| serde_json::json!({"type": "content", "content": {"type": "text", "text": note}})))
            .collect();
        let mut card = Self {
            message: Cow::Borrowed("approval-request"),
            approval_id: ApprovalId::new(),
            session_id: call.session.to_string(),
            agent_name: call.agent.to_string(),
            parent: call.parent.as_ref().map(|parent| parent.id.clone()),
            parent_title: call.parent.as_ref().map(|of| of.title.clone()).filter(|title| !title.is_empty()),
            tool_call: CardToolCall {
                tool_call_id: call.tool_call_id.clone(),
                title: call.title.clone(),
                name: call.name.clone(),
                kind: call.kind.clone(),
                raw_input: call.raw_input.clone(),
                locations: call.locations.clone(),
                content,
                open_input,
                untold,
            },
            cwd: call.cwd.display().to_string(),
            env: call.env.clone(),
            server: CardServer::from_call(call),
            tool: call.about.as_ref().and_then(|about| about.tool.clone()),
            digest: call.digest(epoch),
            agent_options: options.to_vec(),
            accesses: call
                .accesses
                .iter()
                .map(|access| CardAccess {
                    access: access.selector().to_string(),
                    display: access.object(),
                    category: access.category(),
                })
                .collect(),
            permission_type: PermissionType::of_categories(&decision.categories),
            options: card_options(call, decision, &suggestions, options),
            suggestions,
            why: decision.trail.clone(),
            history: None,
            levels: Vec::new(),
            not_shown: untold
                .then(|| UNTOLD.to_owned())
                .into_iter()
                .chain(call.not_shown.iter().cloned())
                .chain(look_alike_notes(call))
                .collect(),
            created_at: now,
            expires_at: None,
            state: State::Pending,
        };
        bound_card(&mut card);
        card
    }
}
