//! What is different from a snapshot.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use similar::TextDiff;

use crate::SnapshotError;
use crate::folder::Folder;
use crate::limits::Limits;
use crate::snapshot::{SnapshotId, why_not_kept};
use crate::state::{After, Entry, Key, Kind, Tree, parent_of};
use crate::store::Snapshots;

/// How much is looked at when a person asks: more than a snapshot may be, since a command may have made more.
const LOOK: Limits = Limits { entries: 200_000, bytes: 2 << 30, depth: 200, time: Duration::from_secs(60) };

/// Maximum size of a text that is compared line by line, in bytes.
const LONGEST_TEXT: u64 = 1 << 20;

/// Time after which a diff of texts is finished coarsely.
const PATIENCE: Duration = Duration::from_millis(200);

/// Why a folder that was created stays.
const NOT_LOOKED_AT: &str = "what is in it was not looked at: delete it yourself";

/// How something is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It was not there.
    Created,
    /// It is something else, holds something else, or may be used by others.
    Changed,
    /// It is not there any more.
    Deleted,
}

/// Who made something different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// The command: it is as the command left it.
    Command,
    /// Somebody, after the command had ended.
    Later,
    /// It can't be told: nobody has said that the command ended, or it left more than was looked at.
    Unknown,
}

/// What lies at a path, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// `file`, `link`, `folder`, or what it is else.
    pub kind: &'static str,
    /// Bytes, of a file.
    pub size: Option<u64>,
    /// Permission bits.
    pub mode: u32,
}

/// Something that is different.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where: an absolute path.
    pub path: PathBuf,
    /// How.
    pub what: What,
    /// By whom.
    pub since: Since,
    /// What was there.
    pub before: Option<Brief>,
    /// What is there.
    pub now: Option<Brief>,
    /// Why it can't be restored.
    pub lost: Option<&'static str>,
    pub(crate) key: Key,
}

/// All that is different.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Each path with what is different there. A folder comes before what is in it.
    pub list: Vec<Change>,
    /// More was created than is listed.
    pub truncated: bool,
}

/// What is known of a snapshot, and of what is there now.
pub(crate) struct Compared {
    pub(crate) tree: Tree,
    pub(crate) now: Tree,
    pub(crate) changes: Changes,
}

impl Snapshots {
    /// What is different now from a snapshot.
    ///
    /// # Errors
    /// If there is no such snapshot, or it can't be read.
    pub fn changes(&self, id: SnapshotId) -> Result<Changes, SnapshotError> {
        let _lock = self.lock()?;
        Ok(self.compare(id)?.changes)
    }

    pub(crate) fn compare(&self, id: SnapshotId) -> Result<Compared, SnapshotError> {
        let tree = self.tree_of(id)?;
        let after = self.after_of(id)?;
        let mut known = tree.clone();
        for (key, entry) in after.iter().flat_map(|after| &after.differs) {
            match entry {
                Some(entry) => known.entries.insert(key.clone(), entry.clone()),
                None => known.entries.remove(key),
            };
        }
        let (found, _) = self.look(&tree, &known, &LOOK)?;
        let list = differences(&tree, &found.tree).into_iter().map(|(key, now)| {
            let before = tree.entries.get(&key);
            let now = now.as_ref();
            Change {
                path: tree.path_of(&key),
                what: match (before, now) {
                    (None, _) => What::Created,
                    (_, None) => What::Deleted,
                    _ => What::Changed,
                },
                since: since(after.as_ref(), &key, before, now),
                before: before.map(Entry::brief),
                now: now.map(Entry::brief),
                lost: match (before, now) {
                    (None, Some(Entry { kind: Kind::PassedOver, .. })) => Some(NOT_LOOKED_AT),
                    _ => before.and_then(|before| why_not_kept(&before.kind)),
                },
                key,
            }
        });
        let changes = Changes { list: list.collect(), truncated: found.truncated };
        Ok(Compared { now: found.tree, changes, tree })
    }

    /// What is different in a text, as a unified diff; none if it is no text, was no text, or is longer than 1 MiB. It has what the
    /// files have, secrets too.
    ///
    /// # Errors
    /// If there is no such snapshot, or it can't be read.
    pub fn text_diff(&self, id: SnapshotId, change: &Change) -> Result<Option<String>, SnapshotError> {
        let _lock = self.lock()?;
        let tree = self.tree_of(id)?;
        let old = match tree.entries.get(&change.key).map(|entry| &entry.kind) {
            Some(Kind::File { digest, size }) if *size <= LONGEST_TEXT => {
                let read = self.objects(&self.unfinished()).open(digest).and_then(text_in);
                read.map_err(|error| self.error(error))?
            }
            Some(_) => None,
            None => Some(String::new()),
        };
        let new = match change.what {
            What::Deleted => Some(String::new()),
            _ => text_now(&tree, &change.key).ok().flatten(),
        };
        let (Some(old), Some(new)) = (old, new) else { return Ok(None) };
        if old == new {
            return Ok(None);
        }
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&old, &new);
        Ok(Some(diff.unified_diff().context_radius(3).to_string()))
    }
}

impl Entry {
    fn brief(&self) -> Brief {
        let (kind, size) = match &self.kind {
            Kind::File { size, .. } | Kind::Unread { size, .. } => ("file", Some(*size)),
            Kind::Link(_) => ("link", None),
            Kind::Folder | Kind::PassedOver => ("folder", None),
            Kind::Unreadable => ("unreadable", None),
            Kind::Special => ("special", None),
        };
        Brief { kind, size, mode: self.mode }
    }
}

/// What differs between two trees of the same folders: what is there now, or nothing.
pub(crate) fn differences(before: &Tree, now: &Tree) -> BTreeMap<Key, Option<Entry>> {
    let gone = before.entries.keys().filter(|key| !now.entries.contains_key(*key));
    let mut found: BTreeMap<Key, Option<Entry>> = gone.map(|key| (key.clone(), None)).collect();
    for (key, entry) in &now.entries {
        if !before.entries.get(key).is_some_and(|before| before.is_same(entry)) {
            found.insert(key.clone(), Some(entry.clone()));
        }
    }
    found
}

fn since(after: Option<&After>, key: &Key, before: Option<&Entry>, now: Option<&Entry>) -> Since {
    let Some(after) = after else { return Since::Unknown };
    let left = match after.differs.get(key) {
        Some(left) => left.as_ref(),
        None if before.is_none() && after.truncated => return Since::Unknown,
        None => before,
    };
    match (left, now) {
        (None, None) => Since::Command,
        (Some(left), Some(now)) if left.is_same(now) => Since::Command,
        _ => Since::Later,
    }
}

fn text_in(file: std::fs::File) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    file.take(LONGEST_TEXT + 1).read_to_end(&mut bytes)?;
    let short = u64::try_from(bytes.len()).is_ok_and(|length| length <= LONGEST_TEXT);
    let text = short && !bytes.contains(&0);
    Ok(text.then_some(bytes).and_then(|bytes| String::from_utf8(bytes).ok()))
}

fn text_now(tree: &Tree, key: &Key) -> io::Result<Option<String>> {
    let Some((folder, name)) = parent_of(key) else { return Ok(None) };
    let root = tree.path_of(&(key.0, Vec::new()));
    text_in(Folder::open(&root)?.open_below(&folder.1)?.open_file(name)?.0)
}
