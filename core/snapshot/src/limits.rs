//! How much is kept.

use std::time::Duration;

/// How much one snapshot may be. What is larger is not taken at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of files, folders and links.
    pub entries: usize,
    /// Maximum number of bytes in files, whether they are kept already or not.
    pub bytes: u64,
    /// Maximum depth of folders.
    pub depth: usize,
    /// Maximum time that a snapshot takes. One file is read to its end.
    pub time: Duration,
}

impl Default for Limits {
    /// 100,000 entries, 1 GiB, 100 folders deep, 20 seconds.
    fn default() -> Self {
        Self { entries: 100_000, bytes: 1 << 30, depth: 100, time: Duration::from_secs(20) }
    }
}

/// How much all snapshots together may be. The oldest ones are dropped first; the newest stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// Maximum number of bytes on the disk.
    pub bytes: u64,
    /// Maximum number of snapshots.
    pub snapshots: usize,
    /// How long a snapshot is kept.
    pub age: Duration,
}

impl Default for StoreLimits {
    /// 4 GiB, 100 snapshots, 7 days.
    fn default() -> Self {
        Self { bytes: 4 << 30, snapshots: 100, age: Duration::from_secs(7 * 24 * 60 * 60) }
    }
}
