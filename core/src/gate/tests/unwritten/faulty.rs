//! A store that fails when a test says so.

use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;

use super::super::memory::{Kept, options};
use super::{Arc, Change, StdMutex, Store, StoreError};
use crate::approval::History;
use crate::call::AgentId;
use crate::record::Recorded;
use crate::store::{
    ApprovalQuery, EntryQuery, GrantQuery, Owner, OwnerId, Pass, PassedCall, PinnedItem, SqliteStore,
    StoredApproval, StoredGrant,
};

type Result<T> = std::result::Result<T, StoreError>;

type Fault = Box<dyn Fn(&[Change]) -> Option<StoreError> + Send>;

/// A store as it is, but for what a test has ordered.
pub(in super::super) struct Faulty {
    store: SqliteStore,
    commit: StdMutex<Option<Fault>>,
    grants: AtomicBool,
}

/// What a store says that failed.
pub(in super::super) fn broken() -> StoreError {
    StoreError::Other { path: "the store".into(), reason: "it failed once".to_owned() }
}

impl Faulty {
    pub(in super::super) fn on(kept: &Kept) -> Arc<Self> {
        let store = SqliteStore::open(&kept.folder.path().join("mayi"), options()).unwrap();
        Arc::new(Self { store, commit: StdMutex::default(), grants: AtomicBool::new(false) })
    }

    /// `fault` looks at what is written, until it has found something to fail at.
    pub(in super::super) fn before_commit(
        &self,
        fault: impl Fn(&[Change]) -> Option<StoreError> + Send + 'static,
    ) {
        *self.commit.lock().unwrap() = Some(Box::new(fault));
    }

    /// The next look at remembered answers fails.
    pub(in super::super) fn fails_to_read_grants(&self) {
        self.grants.store(true, Ordering::SeqCst);
    }
}

impl Store for Faulty {
    fn commit(&self, changes: Vec<Change>) -> Result<()> {
        // Taken out meanwhile: one that panics is gone, and leaves no lock behind.
        let fault = self.commit.lock().unwrap().take();
        if let Some(fault) = fault {
            if let Some(error) = fault(&changes) {
                return Err(error);
            }
            *self.commit.lock().unwrap() = Some(fault);
        }
        self.store.commit(changes)
    }

    fn change_stamp(&self) -> Result<u64> {
        self.store.change_stamp()
    }

    fn query_grants(&self, query: &GrantQuery) -> Result<Vec<StoredGrant>> {
        if self.grants.swap(false, Ordering::SeqCst) {
            return Err(broken());
        }
        self.store.query_grants(query)
    }

    fn read_pins(&self, server: Option<&str>) -> Result<Vec<PinnedItem>> {
        self.store.read_pins(server)
    }

    fn find_pass(&self, call: &PassedCall, now: Timestamp) -> Result<Option<Pass>> {
        self.store.find_pass(call, now)
    }

    fn query_approvals(&self, query: &ApprovalQuery) -> Result<Vec<StoredApproval>> {
        self.store.query_approvals(query)
    }

    fn answer_socket(&self, owner: OwnerId) -> std::path::PathBuf {
        self.store.answer_socket(owner)
    }

    fn attach_owner(&self, owner: &Owner) -> Result<()> {
        self.store.attach_owner(owner)
    }

    fn renew_lease(&self, owner: OwnerId, now: Timestamp) -> Result<()> {
        self.store.renew_lease(owner, now)
    }

    fn detach_owner(&self, owner: OwnerId) -> Result<()> {
        self.store.detach_owner(owner)
    }

    fn live_owners(&self, now: Timestamp) -> Result<Vec<Owner>> {
        self.store.live_owners(now)
    }

    fn present_owners(&self, now: Timestamp) -> Result<Vec<Owner>> {
        self.store.present_owners(now)
    }

    fn abandoned_approvals(&self, now: Timestamp) -> Result<Vec<StoredApproval>> {
        self.store.abandoned_approvals(now)
    }

    fn query_entries(&self, query: &EntryQuery) -> Result<Vec<Recorded>> {
        self.store.query_entries(query)
    }

    fn newest_time(&self) -> Result<Option<Timestamp>> {
        self.store.newest_time()
    }

    fn answer_history(&self, agent: &AgentId, access: &str) -> Result<History> {
        self.store.answer_history(agent, access)
    }
}
