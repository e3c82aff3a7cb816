//! Room for new snapshots: the oldest are dropped, and contents deleted that no snapshot needs.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::snapshot::{Head, SnapshotId};
use crate::state::{ContentDigest, Kind};
use crate::store::{HEAD, Snapshots, TREE};

/// What the contents take that snapshots added which were dropped since, in bytes: a number as text.
const RESIDUE: &str = "residue";

/// What stays when a limit is passed, in eighths: making room goes through all snapshots, and should not be due each time.
const STAYS: u32 = 6;

impl Snapshots {
    /// Drops what the limits of the store say, oldest first, if nobody else uses the store now.
    pub(crate) fn make_room(&self, now: SystemTime) -> io::Result<()> {
        let ids = self.ids()?;
        let kept: Vec<Head> = ids.iter().filter_map(|id| self.read(*id, HEAD).ok()).collect();
        let left_behind = fs::read_dir(self.unfinished())?.next().is_some();
        let damaged = kept.len() < ids.len();
        if !left_behind && !damaged && !self.is_over(&kept, now) {
            return Ok(());
        }
        // Others will be there again when a snapshot is taken.
        let Some(_alone) = self.lock_alone()? else { return Ok(()) };
        let needed = self.drop_old(&ids, now)?;
        for entry in fs::read_dir(self.unfinished())? {
            fs::remove_dir_all(entry?.path())?;
        }
        let size = sweep(&self.objects_folder(), &needed)?;
        let added: u64 =
            self.ids()?.iter().filter_map(|id| Some(self.read::<Head>(*id, HEAD).ok()?.added)).sum();
        let mut options = File::options();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(self.path_of(RESIDUE))?;
        write!(file, "{}", size.saturating_sub(added))
    }

    fn is_over(&self, kept: &[Head], now: SystemTime) -> bool {
        let residue = fs::read_to_string(self.path_of(RESIDUE)).ok();
        let residue = residue.and_then(|text| text.parse().ok()).unwrap_or(0_u64);
        let bytes = kept.iter().fold(residue, |sum, head| sum.saturating_add(head.added));
        let oldest = kept.last().is_some_and(|head| age_of(head, now) > self.limits.age);
        kept.len() > self.limits.snapshots || bytes > self.limits.bytes || (oldest && kept.len() > 1)
    }

    /// Drops snapshots from the oldest, and gives the contents that the others need.
    fn drop_old(&self, ids: &[SnapshotId], now: SystemTime) -> io::Result<HashSet<ContentDigest>> {
        let mut needed = HashSet::new();
        let (mut bytes, mut count) = (0_u64, 0_usize);
        let part = |whole: u64| whole / 8 * u64::from(STAYS);
        let heads: Vec<Option<Head>> = ids.iter().map(|id| self.read(*id, HEAD).ok()).collect();
        let newest = heads.iter().position(Option::is_some);
        // Where a limit is not passed by all of them, that limit drops none.
        let over_count = ids.len() > self.limits.snapshots;
        let most = self.limits.snapshots / 8 * usize::try_from(STAYS).unwrap_or(1);
        let most = if over_count { most.max(1) } else { ids.len() };
        let over_age = heads.iter().flatten().any(|head| age_of(head, now) > self.limits.age);
        let oldest = if over_age { self.limits.age / 8 * STAYS } else { Duration::MAX };
        let mut full = false;
        for (at, (id, head)) in ids.iter().zip(&heads).enumerate() {
            let is_newest = Some(at) == newest;
            let tree = head.as_ref().and_then(|_| self.tree_of(*id).ok());
            let (Some(head), Some(tree)) = (head, tree) else {
                drop_snapshot(self, *id)?;
                continue;
            };
            let own = fs::metadata(self.folder_of(*id).join(TREE)).map_or(0, |found| found.len());
            let mut added = own;
            let mut new = Vec::new();
            for entry in tree.entries.values() {
                if let Kind::File { digest, size } = entry.kind
                    && !needed.contains(&digest)
                {
                    new.push(digest);
                    added = added.saturating_add(size);
                }
            }
            let limit = if at == 0 { self.limits.bytes } else { part(self.limits.bytes) };
            full |= bytes.saturating_add(added) > limit;
            if !is_newest && (full || count >= most || age_of(head, now) > oldest) {
                drop_snapshot(self, *id)?;
                continue;
            }
            needed.extend(new);
            bytes = bytes.saturating_add(added);
            count += 1;
        }
        Ok(needed)
    }
}

fn age_of(head: &Head, now: SystemTime) -> Duration {
    let taken = SystemTime::UNIX_EPOCH.checked_add(head.taken_at).unwrap_or(SystemTime::UNIX_EPOCH);
    now.duration_since(taken).unwrap_or_default()
}

/// Takes a snapshot away in one step: one that is there is whole.
pub(crate) fn drop_snapshot(store: &Snapshots, id: SnapshotId) -> io::Result<()> {
    let gone = store.unfinished().join(format!("dropped-{id}"));
    fs::rename(store.folder_of(id), &gone)?;
    match fs::remove_dir_all(gone) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Deletes contents that nobody needs, and gives the number of bytes of the others.
fn sweep(objects: &Path, needed: &HashSet<ContentDigest>) -> io::Result<u64> {
    let mut size = 0_u64;
    for entry in fs::read_dir(objects)? {
        let entry = entry?;
        for object in fs::read_dir(entry.path())? {
            let object = object?;
            let digest = digest_of(&entry.file_name(), &object.file_name());
            if digest.is_some_and(|digest| needed.contains(&digest)) {
                size = size.saturating_add(object.metadata()?.size());
            } else {
                fs::remove_file(object.path())?;
            }
        }
    }
    Ok(size)
}

fn digest_of(start: &std::ffi::OsStr, rest: &std::ffi::OsStr) -> Option<ContentDigest> {
    let name = format!("{}{}", start.to_str()?, rest.to_str()?);
    let mut digest = ContentDigest::default();
    if name.len() != digest.len() * 2 || !name.is_ascii() {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(name.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(digest)
}
