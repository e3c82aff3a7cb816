//! How a store is opened: what a commit survives, and when entries go to an archive.

use std::time::Duration;

/// What survives once a commit has returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// What was committed survives the death of this process, however it dies. If the power fails or the system
    /// crashes, the database stays sound, and may lose what was committed in the last moments; `mayi log verify`
    /// then tells of these entries as missing, since the head may have been kept.
    #[default]
    Process,
    /// It survives a failure of the power too: each commit waits for the disk, twice.
    Power,
}

/// When the record's oldest entries go to an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the database has more bytes than this, until it has no more.
    pub max_bytes: u64,
    /// When they are older than this: by the clock, and by the time of the oldest of those that are young by their number.
    pub max_age: Option<Duration>,
    /// So many of the newest are young by their number, and stay whatever the clock says.
    pub young: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 512 * 1024 * 1024, max_age: None, young: 10_000 }
    }
}

/// How a store is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What survives once a commit has returned.
    pub durability: Durability,
    /// So long is waited for another process that holds the store.
    pub busy: Duration,
    /// What is too much for the database. Looked at when the store is opened, and again after so many entries; `None`: nothing
    /// is.
    pub limits: Option<Limits>,
    /// Reads go by the connection that writes: for a process that does one thing at a time, since a second one takes as long to
    /// open as the first.
    pub one_connection: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            busy: Duration::from_secs(5),
            limits: Some(Limits::default()),
            one_connection: false,
        }
    }
}
