//! How the record is kept: `[record]`.

use std::time::Duration;

use super::Layer;
use super::read::RecordEntry;

/// What an entry survives once it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The death of mayi and of every other process.
    #[default]
    Process,
    /// Also the loss of power: each entry waits for the disk.
    Power,
}

/// How the record is kept.
#[derive(Clone, Debug)]
pub struct RecordSettings {
    /// What an entry survives.
    pub durable: Durability,
    /// From this size on, in bytes, the oldest entries go to the archive.
    pub max_size: u64,
    /// Older entries go to the archive.
    pub max_age: Duration,
    /// What a secret looks like, besides what mayi knows.
    pub redact: Vec<regex::Regex>,
    managed: ManagedFields,
}

/// What the administrator has said: it counts whatever else is said.
#[derive(Clone, Copy, Debug, Default)]
struct ManagedFields {
    durable: bool,
    max_size: bool,
    max_age: bool,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            durable: Durability::Process,
            max_size: 1_000_000_000,
            max_age: Duration::from_secs(365 * 24 * 3600),
            redact: Vec::new(),
            managed: ManagedFields::default(),
        }
    }
}

impl RecordSettings {
    /// Takes over what a file of `layer` says. What a managed file says holds; patterns add up.
    pub(super) fn apply_entry(&mut self, layer: Layer, entry: RecordEntry) {
        let managed = layer == Layer::Managed;
        if let Some(durable) = entry.durable.filter(|_| !self.managed.durable) {
            self.durable = durable;
            self.managed.durable |= managed;
        }
        if let Some(size) = entry.max_size.filter(|_| !self.managed.max_size) {
            self.max_size = size;
            self.managed.max_size |= managed;
        }
        if let Some(age) = entry.max_age.filter(|_| !self.managed.max_age) {
            self.max_age = age;
            self.managed.max_age |= managed;
        }
        self.redact.extend(entry.redact);
    }
}
