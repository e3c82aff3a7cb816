//! What outlives a process: the record, remembered answers, and the queue of what waits.
//!
//! [`Store`] is all that the rest of mayi knows of it. What has to happen whole or not at all is one
//! [`Store::commit`]; SQL, transactions and how one process hears of another stay behind the trait, so
//! that another database can be put in its place.

mod approval;
mod error;
mod grant;
mod item;
mod may_change;
mod pass;
mod pinned;
mod query;
mod sqlite;
mod write_queue;

pub use self::grant::StoredGrant;
pub use approval::{Owner, OwnerId, StoredApproval};
pub use error::{Conflict, StoreError};
pub use item::{Item, TOOL_MEMBERS};
pub use may_change::{ChangingPart, MayChange};
pub use pass::{Pass, PassId, PassedCall};
pub use pinned::{Definition, PinnedItem};
pub use query::{ApprovalQuery, EntryGap, EntryQuery, GrantQuery, Order};
pub use sqlite::{
    DamageCheck, Durability, Limits, Options, Presence, SqliteStore, Surfaces, compiled_key, present_in,
    surfaces_open,
};
pub use write_queue::{PendingWrite, WriteQueue};

use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::Value;

use crate::approval::{ApprovalId, History, State};
use crate::record::{Entry, Recorded};
use mayi_call::{AgentId, Digest};
pub use mayi_policy::grant::GrantId;

/// One thing that changes. What is committed together happens whole or not at all.
#[derive(Clone, Debug)]
pub enum Change {
    /// The entry comes to the end of the record.
    Append(Entry),
    /// A grant is used for one call: it must be live at `at`, and loses one of its uses if they are
    /// counted (D6.14).
    Use {
        /// Which.
        id: GrantId,
        /// When.
        at: Timestamp,
    },
    /// An answer is remembered.
    Grant(Box<StoredGrant>),
    /// A remembered answer ends. Nothing happens to one that has ended.
    Revoke {
        /// Which.
        id: GrantId,
        /// When.
        at: Timestamp,
    },
    /// A question waits from now on.
    Ask(Box<StoredApproval>),
    /// What waits has changed: its card and digest are others now.
    Update {
        /// Which.
        id: ApprovalId,
        /// The new digest.
        digest: Digest,
        /// The new card: redacted.
        card: Value,
    },
    /// A question is settled: it must wait still.
    Settle {
        /// Which.
        id: ApprovalId,
        /// How: never `Pending`.
        state: State,
        /// Who or what settled it.
        by: String,
        /// Why.
        reason: Option<String>,
        /// When.
        at: Timestamp,
    },
    /// An MCP server said this of itself: trusted if it is the first word, kept beside what is trusted if it is
    /// another (`PinnedItem::updated_with`).
    Pin {
        /// The server's name in the configuration.
        server: String,
        /// Of what.
        item: Item,
        /// What it said.
        said: Box<Definition>,
        /// When.
        at: Timestamp,
    },
    /// A person accepts what has changed: it must be pending still.
    AcceptPin {
        /// The server's name in the configuration.
        server: String,
        /// Which.
        item: Item,
        /// What the person looked at.
        digest: Digest,
        /// When.
        at: Timestamp,
    },
    /// All that a server said is forgotten: what it says next is trusted.
    ForgetPins {
        /// The server's name in the configuration.
        server: String,
    },
    /// A call was allowed, and goes through once where it is met again.
    LeavePass(Box<Pass>),
    /// A pass is used: it must be live at `at`. It is gone by it.
    TakePass {
        /// Which.
        id: PassId,
        /// When.
        at: Timestamp,
    },
}

/// Where it is all kept. Cheap to share between threads; several processes may use the same store.
pub trait Store: Send + Sync {
    /// Makes all of `changes`, or none of them. Entries get their places in the order given; when this
    /// returns, they survive the death of this process.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if one of them can't be made any more; else why the store could not be
    /// written, after a bounded time.
    fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError>;

    /// A number that is another one after grants or approvals have changed, by any process.
    /// Cheap enough for every call.
    ///
    /// # Errors
    /// If the store can't be read.
    fn change_stamp(&self) -> Result<u64, StoreError>;

    /// Remembered answers, newest first.
    ///
    /// # Errors
    /// If the store can't be read.
    fn query_grants(&self, query: &GrantQuery) -> Result<Vec<StoredGrant>, StoreError>;

    /// What MCP servers said of themselves: of one, or of all; by server, then in the order of [`Item`].
    ///
    /// # Errors
    /// If the store can't be read.
    fn read_pins(&self, server: Option<&str>) -> Result<Vec<PinnedItem>, StoreError>;

    /// A pass for `call` that counts at `now`, if there is one: one that a person's answer left comes first.
    ///
    /// # Errors
    /// If the store can't be read.
    fn find_pass(&self, call: &PassedCall, now: Timestamp) -> Result<Option<Pass>, StoreError>;

    /// Questions, oldest first.
    ///
    /// # Errors
    /// If the store can't be read.
    fn query_approvals(&self, query: &ApprovalQuery) -> Result<Vec<StoredApproval>, StoreError>;

    /// Where the process `owner` takes the answers of others: a socket, if it listens there. It goes when the process is
    /// forgotten.
    fn answer_socket(&self, owner: OwnerId) -> PathBuf;

    /// Makes a process known as one that asks. It counts as gone when it has ended, or when it was not
    /// heard of for [`Owner::LEASE`].
    ///
    /// # Errors
    /// If the store can't be written.
    fn attach_owner(&self, owner: &Owner) -> Result<(), StoreError>;

    /// The process is alive at `now`.
    ///
    /// # Errors
    /// If the store can't be written.
    fn renew_lease(&self, owner: OwnerId, now: Timestamp) -> Result<(), StoreError>;

    /// The process asks nothing any more.
    ///
    /// # Errors
    /// If the store can't be written.
    fn detach_owner(&self, owner: OwnerId) -> Result<(), StoreError>;

    /// Processes that ask and are alive at `now`.
    ///
    /// # Errors
    /// If the store can't be read.
    fn live_owners(&self, now: Timestamp) -> Result<Vec<Owner>, StoreError>;

    /// Processes that run an agent and have not ended at `now`, also those that were not heard of.
    ///
    /// # Errors
    /// If the store can't be read.
    fn present_owners(&self, now: Timestamp) -> Result<Vec<Owner>, StoreError>;

    /// Questions that still wait though their owner is gone at `now`, oldest first. What is forgotten of
    /// dead processes otherwise is forgotten here.
    ///
    /// # Errors
    /// If the store can't be read.
    fn abandoned_approvals(&self, now: Timestamp) -> Result<Vec<StoredApproval>, StoreError>;

    /// Entries of the record: of one that is damaged, those that can be read.
    ///
    /// # Errors
    /// If the store can't be read.
    fn query_entries(&self, query: &EntryQuery) -> Result<Vec<Recorded>, StoreError>;

    /// The time of the newest entry. A clock that is behind it has been turned back.
    ///
    /// # Errors
    /// If the store can't be read.
    fn newest_time(&self) -> Result<Option<Timestamp>, StoreError>;

    /// How `agent`'s wish for `access` was answered before.
    ///
    /// # Errors
    /// If the store can't be read.
    fn answer_history(&self, agent: &AgentId, access: &str) -> Result<History, StoreError>;
}
