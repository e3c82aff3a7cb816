//! What subscribers hear.

use mayi_core::approval::Card;
use mayi_core::config::EditorSettings;
use mayi_core::policy::{Effect, Finding};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answered, SessionInfo, TabCard};

/// A place in what happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Cursor {
    /// Which backend: another one after each start.
    pub instance: String,
    /// The number of the last event that was heard.
    pub seq: u64,
}

/// `events/subscribe`.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default)]
pub struct Subscribe {
    /// After which event; none: from the first one that is kept.
    pub cursor: Option<Cursor>,
}

/// One notification of the subscription.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct Batch<E> {
    /// The place after these events: what a later subscription begins with.
    pub cursor: Cursor,
    /// What happened, in order.
    pub events: Vec<E>,
}

impl Event {
    /// Whether it is about a question or an answer.
    pub(crate) fn is_of_inbox(&self) -> bool {
        matches!(self, Self::Asked(_) | Self::InLine { .. } | Self::Updated(_) | Self::Resolved(_))
    }

    /// The card that it shows.
    pub(crate) fn shown_card(&self) -> Option<&Card> {
        match self {
            Self::Asked(shown) | Self::Updated(shown) => Some(&shown.card),
            _ => None,
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// Everything as it is now: first of all where the cursor is none, too old, or another backend's.
    Snapshot {
        /// The tabs.
        sessions: Vec<SessionInfo>,
        /// What waits, oldest first.
        waiting: Vec<TabCard>,
        /// How many more wait in line.
        in_line: usize,
        /// Events after the cursor are gone.
        lost: bool,
    },
    /// Another number of questions waits in line, behind those that are shown.
    InLine {
        /// How many, of all tabs and of other processes.
        count: usize,
    },
    /// A tab is new, or something about it has changed.
    SessionChanged {
        /// As it is now.
        session: SessionInfo,
    },
    /// A tab is gone.
    SessionClosed {
        /// Which.
        tab_id: String,
    },
    /// A person said something.
    Prompt {
        /// In which tab.
        tab_id: String,
        /// The turn that it began.
        turn: u64,
        /// What.
        text: String,
    },
    /// ACP's `session/update`, as it came.
    SessionUpdate {
        /// The tab.
        tab_id: String,
        /// The session: a sub-agent's is another one than the tab's.
        session_id: String,
        /// The `update` object.
        #[ts(type = "unknown")]
        update: Value,
    },
    /// A call was decided without asking anybody.
    Decided {
        /// The tab.
        tab_id: String,
        /// The session.
        session_id: String,
        /// The protocol's id of the tool call.
        tool_call_id: Option<String>,
        /// The agent's title: data.
        title: String,
        /// What was decided.
        effect: Effect,
        /// Who or what allowed it.
        by: Option<&'static str>,
        /// Why.
        why: Vec<Finding>,
    },
    /// A tool call ran without asking, which the policy asks about or denies. Nothing was decided of it: it has run, or was tried.
    Unasked {
        /// The tab.
        tab_id: String,
        /// The session.
        session_id: String,
        /// The protocol's id of the tool call.
        tool_call_id: String,
        /// The agent's title: data.
        title: String,
        /// What the policy says of it.
        policy: Effect,
        /// Why.
        why: Vec<Finding>,
        /// It was tried, and failed.
        failed: bool,
    },
    /// A turn is over.
    TurnEnded {
        /// The tab.
        tab_id: String,
        /// Which turn.
        turn: u64,
        /// The agent's reason, in the protocol's words.
        stop_reason: Option<String>,
        /// What went wrong: for people.
        error: Option<String>,
    },
    /// Something to know, one line.
    Notice {
        /// The tab, if it is about one.
        tab_id: Option<String>,
        /// The line: data.
        text: String,
    },
    /// The editor's own settings have changed by an answer: the editor should write them.
    SettingsChanged {
        /// All of them.
        editor: EditorSettings,
        /// Who changed them.
        origin: String,
    },
    /// Remembered answers have changed.
    GrantsChanged,
    /// A card is to be shown.
    #[serde(untagged)]
    Asked(Box<TabCard>),
    /// A card has changed, and its old digest is void: a card whose `type` is `approval-updated`.
    #[serde(untagged)]
    Updated(Box<TabCard>),
    /// A card is settled.
    #[serde(untagged)]
    Resolved(Answered),
}
