//! The host door: an app with a model loop of its own opens a session for each of its chats, and asks in it whether a tool
//! may run.

use std::path::PathBuf;

use mayi_core::approval::{ApprovalId, ApprovalResolved, Card};
use mayi_core::call::Category;
use mayi_core::policy::{Effect, Finding, Mode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `host/open`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct HostOpen {
    /// The app's name, as in `[apps.NAME]`: letters, digits, `.`, `_` and `-`.
    pub app: String,
    /// The app's own id of the chat: at most 256 characters.
    pub chat: String,
    /// The folder that relative names start from: absolute. A sub-task may leave it out, and works where its parent does.
    pub cwd: Option<PathBuf>,
    /// Folders that the chat works in besides.
    #[serde(default)]
    #[ts(as = "Option<Vec<PathBuf>>", optional)]
    pub folders: Vec<PathBuf>,
    /// The key of this chat from an earlier time: what was remembered for it counts again. None: a new one is made.
    pub key: Option<String>,
    /// The key of the session that this one is a sub-task of: it is never freer than that.
    pub parent: Option<String>,
    /// The mode; none: as configured.
    pub mode: Option<Mode>,
}

/// Names a session of the host door.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostKey {
    /// Its key: a secret of the app's.
    pub key: String,
}

/// A session of the host door as it is now.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct HostSession {
    /// Names it in all that follows, and brings it back later: a secret of the app's.
    pub key: String,
    /// What cards and the record call it.
    pub session_id: String,
    /// The app.
    pub app: String,
    /// Who asks, for rules and the record: `host:NAME`; `open:host` for an app that may only ask.
    pub agent: String,
    /// The app's own id of the chat.
    pub chat: String,
    /// The mode that holds.
    pub mode: Mode,
    /// The file that locks the mode.
    pub mode_locked: Option<PathBuf>,
    /// What to tell the model about the mode.
    pub briefing: String,
    /// Whether the categories that the app gives its tools count.
    pub trust_categories: bool,
    /// The calls that wait, oldest first.
    pub waiting: Vec<HostOutcome>,
}

/// `host/setMode`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostSetMode {
    /// Of which session.
    pub key: String,
    /// The mode from now on.
    pub mode: Mode,
}

/// `host/tools`: the tools that the app offers its model.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostTools {
    /// Of which session.
    pub key: String,
    /// In place of those that were told before: at most 1,000.
    pub tools: Vec<HostTool>,
}

/// One tool of an app.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct HostTool {
    /// The MCP server that has it; none: the app itself.
    pub server: Option<String>,
    /// Its name.
    pub name: String,
    /// What it does, as the app's user configured it. It counts where `[apps.NAME] trust_categories` says so.
    pub category: Option<Category>,
    /// MCP's `ToolAnnotations`: in place of a category, and under the same condition.
    #[ts(type = "unknown")]
    pub annotations: Option<Value>,
}

/// What holds for one tool, before its arguments are known.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct HostToolInfo {
    /// The MCP server that has it; none: the app itself.
    pub server: Option<String>,
    /// Its name.
    pub name: String,
    /// The row of the matrix that it is judged in.
    pub category: Category,
    /// What would become of a call without arguments. One with arguments may be judged more strictly.
    pub effect: Effect,
}

/// The answer to `host/tools`.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct HostToolbelt {
    /// One for each tool, in their order.
    pub tools: Vec<HostToolInfo>,
}

/// A change to a file, for the card.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostDiff {
    /// The file.
    pub path: String,
    /// Its text before; null: it is new.
    pub old_text: Option<String>,
    /// Its text after.
    pub new_text: String,
}

/// `host/ask`: may this call run?
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct HostAsk {
    /// In which session.
    pub key: String,
    /// The app's own id of the call, at most 256 characters: the same id with the same call is the same question.
    pub call_id: String,
    /// What would be done, as a line of `mayi check --stdin` without what would say how to judge it; or a list of these, where
    /// one call does several things.
    #[ts(type = "unknown")]
    pub call: Value,
    /// The name of the app's tool.
    pub tool: Option<String>,
    /// The tool's arguments as the model wrote them, where `call` does not have them already: shown.
    #[ts(type = "unknown")]
    pub input: Option<Value>,
    /// What changes in files: shown, and judged as writes too.
    #[serde(default)]
    #[ts(as = "Option<Vec<HostDiff>>", optional)]
    pub diffs: Vec<HostDiff>,
    /// What it is called: data.
    pub title: Option<String>,
    /// As in `host/tools`; none: as there.
    pub category: Option<Category>,
    /// Whether to answer only when it is decided. Else a question is answered with `asked` and its card at once. Default: true.
    pub wait: Option<bool>,
    /// After so many seconds without an answer it is denied.
    pub timeout_seconds: Option<u64>,
}

/// `host/outcome`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct HostAwait {
    /// In which session.
    pub key: String,
    /// Of which call.
    pub call_id: String,
    /// How many seconds to wait for it; none: until it is decided.
    pub wait_seconds: Option<u64>,
    /// The digest of the card that was shown last, empty where none was: another card is told as soon as there is one.
    pub seen: Option<String>,
}

/// `host/withdraw`: nobody wants to know any more.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct HostWithdraw {
    /// In which session.
    pub key: String,
    /// Which call; none: all that wait.
    pub call_id: Option<String>,
}

/// What became of a call, or that it waits.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct HostOutcome {
    /// The app's own id of the call.
    pub call_id: String,
    /// `allowed`, `denied`, `cancelled`, or `asked` while it waits.
    pub outcome: HostVerdict,
    /// The card, if somebody was asked.
    pub approval_id: Option<ApprovalId>,
    /// Who or what decided it.
    pub by: Option<String>,
    /// Why not: what to tell the model.
    pub reason: Option<String>,
    /// What was granted along with it, as people read it.
    pub granted: Vec<String>,
    /// Every finding.
    pub why: Vec<Finding>,
    /// What is asked, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub card: Option<Box<Card>>,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum HostVerdict {
    /// It waits for a person.
    Asked,
    /// It may run, once.
    Allowed,
    /// It may not.
    Denied,
    /// It was withdrawn, or its session has ended: it may not.
    Cancelled,
}

/// `host/report`: what the app did with a call that was allowed.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostReport {
    /// In which session.
    pub key: String,
    /// Which call.
    pub call_id: String,
    /// What became of it.
    pub status: HostStatus,
}

/// What became of a call that was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum HostStatus {
    /// It runs.
    Started,
    /// It has run.
    Completed,
    /// It has failed.
    Failed,
}

/// `host/revoke`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct HostRevoke {
    /// Of which session.
    pub key: String,
    /// Which of its remembered answers; none: all of them.
    pub ids: Option<Vec<String>>,
}

/// `host/close`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostClose {
    /// Which session.
    pub key: String,
    /// Whether the chat is gone for good: what was remembered for it is forgotten. Else its key brings it back.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub forget: bool,
}

/// `host/subscribe`: what happens in a session.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum HostEvent {
    /// The session as it is now: first of all, after a change of its mode, and where whoever reads was too slow.
    Session {
        /// It, with what waits.
        session: Box<HostSession>,
    },
    /// A card is to be shown, or has changed: an earlier one of the same call is void.
    Asked {
        /// The app's own id of the call.
        call_id: String,
        /// The card.
        card: Box<Card>,
    },
    /// A card is settled.
    Resolved {
        /// The app's own id of the call.
        call_id: String,
        /// How.
        resolved: ApprovalResolved,
    },
    /// What became of a call.
    Outcome {
        /// It.
        outcome: Box<HostOutcome>,
    },
    /// The session is closed: nothing more comes.
    Closed,
}
