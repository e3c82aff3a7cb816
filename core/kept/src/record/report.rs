//! What came of going through the record.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// What came of going through the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyReport {
    /// How many entries are in the database.
    pub entries: u64,
    /// The number of the first of them.
    pub first: Option<u64>,
    /// The number of the last of them.
    pub last: Option<u64>,
    /// What the head says.
    pub head: HeadState,
    /// What is wrong, in the order of the places; none: the record is as mayi wrote it.
    pub findings: Vec<RecordFinding>,
    /// What went to archives, oldest first.
    pub archives: Vec<Archive>,
}

impl VerifyReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

/// How the head stands to the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum HeadState {
    /// It names the last entry.
    Current,
    /// mayi was ended between an entry and its head: so many entries came after it, and they are valid. The
    /// next one mends it. Not a finding.
    Behind {
        /// How many.
        entries: u64,
    },
    /// There is neither a head nor anything that it could name.
    None,
    /// It does not fit: a finding says how.
    Wrong,
}

/// Entries that went to an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Archive {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// Its file.
    pub path: PathBuf,
    /// Whether it is there and was checked too. Without it, the anchor still proves where the record goes on:
    /// not a finding.
    pub present: bool,
}

/// Where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RecordPlace {
    /// In the database.
    Record,
    /// In an archive.
    Archive(PathBuf),
}

/// Something that is wrong with entries `from` to `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordFinding {
    /// The number of the first entry that it is about.
    pub from: u64,
    /// The number of the last.
    pub to: u64,
    /// Where they are, or should be.
    pub place: RecordPlace,
    /// What is wrong.
    #[serde(flatten)]
    pub what: RecordFault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum RecordFault {
    /// Something in these was changed; or all of it, or the key.
    Changed,
    /// These are not there.
    Missing,
    /// This is an entry that mayi wrote, with another number.
    OutOfPlace {
        /// The number it was written with; for several, that of the first.
        belongs: u64,
    },
    /// mayi did not write these.
    Added,
    /// This is another entry than the one that the next was written after.
    Replaced,
    /// These were at the end, and are not there.
    EndRemoved,
    /// The head is not there.
    HeadMissing,
    /// The head is none that mayi wrote.
    HeadDamaged,
    /// The head is an older one: entries after it were there for longer than a moment.
    HeadOlder,
    /// What says where the record begins is not what mayi wrote.
    AnchorDamaged,
    /// The database itself is not as mayi made it.
    Damaged {
        /// What the database says.
        reason: String,
    },
    /// These can't be read.
    Unreadable {
        /// What the database or the system said.
        reason: String,
    },
}

impl fmt::Display for RecordFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from, self.to);
        match &self.what {
            RecordFault::HeadMissing => {
                return f.write_str("the head is missing: a removed end would not show");
            }
            RecordFault::HeadDamaged => {
                return f.write_str("the head is damaged: a removed end would not show");
            }
            RecordFault::HeadOlder => {
                return write!(f, "the head is older than the record: it ends before entry {from}");
            }
            RecordFault::Damaged { reason } => {
                return write!(f, "the database is damaged or was changed: {reason}");
            }
            RecordFault::EndRemoved => {
                let of = match &self.place {
                    RecordPlace::Record => String::new(),
                    RecordPlace::Archive(path) => format!(" of {}", path.display()),
                };
                return write!(f, "the end{of} was removed: entries from {from} to {to} are missing");
            }
            _ => {}
        }
        let (entries, were, are) =
            if from == to { ("entry", "was", "is") } else { ("entries", "were", "are") };
        write!(f, "{entries} {from}")?;
        if from != to {
            write!(f, " to {to}")?;
        }
        if let RecordPlace::Archive(path) = &self.place {
            write!(f, " in {}", path.display())?;
        }
        match &self.what {
            RecordFault::Changed => write!(f, " {were} changed"),
            RecordFault::Missing => write!(f, " {are} missing"),
            RecordFault::OutOfPlace { belongs } => write!(f, " {were} moved: written as {belongs}"),
            RecordFault::Added => write!(f, " {were} not written by mayi"),
            RecordFault::Replaced => write!(f, " {were} replaced: the next was written after another one"),
            RecordFault::AnchorDamaged => {
                write!(f, " {were} archived, but what says so was changed or removed")
            }
            RecordFault::Unreadable { reason } => write!(f, " can't be read: {reason}"),
            RecordFault::HeadMissing
            | RecordFault::HeadDamaged
            | RecordFault::HeadOlder
            | RecordFault::EndRemoved
            | RecordFault::Damaged { .. } => Ok(()),
        }
    }
}
