//! Taking a snapshot, and noting what the command left.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::SnapshotError;
use crate::changes::differences;
use crate::limits::Limits;
use crate::objects::{DigestOnly, Objects, Reader, SizeOnly, make_folder};
use crate::scan::{Found, Scan, Stop};
use crate::snapshot::{Head, Outcome, Snapshot, SnapshotId, left_out_of};
use crate::state::{After, Tree};
use crate::store::{AFTER, HEAD, Snapshots, TREE, normalize, write};

/// What came of taking a snapshot.
#[derive(Clone, Debug)]
pub enum Taken {
    /// It is taken.
    Done(Snapshot),
    /// There is more than the limits say, and nothing is kept.
    TooLarge {
        /// What is too large, as part of a sentence.
        what: String,
    },
}

impl Snapshots {
    /// Keeps what is in `roots`, within `limits`. `label` says what is about to run, without secrets. Files that are as at the last
    /// snapshot of these folders are not read again.
    ///
    /// Older snapshots may be dropped afterwards, to stay within the limits of the store.
    ///
    /// # Errors
    /// If the folders are none, and if the store can't be written. Files that can't be read are none: they are left out.
    pub fn take(&self, roots: &[PathBuf], limits: &Limits, label: &str) -> Result<Taken, SnapshotError> {
        self.take_at(roots, limits, (label, None), SystemTime::now())
    }

    /// The same, at another time. `why`: the label, and what is about to be undone.
    pub(crate) fn take_at(
        &self,
        roots: &[PathBuf],
        limits: &Limits,
        why: (&str, Option<SnapshotId>),
        now: SystemTime,
    ) -> Result<Taken, SnapshotError> {
        let roots = normalize(roots)?;
        let lock = self.lock()?;
        let known = self.last_tree_of(&roots);
        // The first time, nothing is copied before it is known that all of it is within the limits.
        if known.is_none()
            && let Err(Stop::TooLarge(what)) = self.scan(SizeOnly, limits, None, now).run(&roots)
        {
            return Ok(Taken::TooLarge { what });
        }
        let id = SnapshotId::new();
        // Where mayi is killed, this stays behind, and says that contents may be there that nobody needs.
        let work = self.unfinished().join(id.to_string());
        make_folder(&work).map_err(|error| self.error(error))?;
        let scan = self.scan(self.objects(&work), limits, known.as_ref(), now);
        let done = match scan.run(&roots) {
            Ok((found, objects)) => self.publish(id, &work, why, (found, objects), now).map(Taken::Done),
            Err(Stop::TooLarge(what)) => Ok(Taken::TooLarge { what }),
            Err(Stop::Store(error)) => Err(self.error(error)),
        };
        drop(lock);
        // Without a snapshot it stays: what was kept for it is deleted with it.
        self.make_room(now).map_err(|error| self.error(error))?;
        done
    }

    fn scan<'a, R: Reader>(
        &self,
        reader: R,
        limits: &'a Limits,
        known: Option<&'a Tree>,
        now: SystemTime,
    ) -> Scan<'a, R> {
        Scan { limits, reader, known, reference: None, store: self.place(), now }
    }

    fn publish(
        &self,
        id: SnapshotId,
        work: &Path,
        (label, undo_of): (&str, Option<SnapshotId>),
        (found, objects): (Found, Objects),
        now: SystemTime,
    ) -> Result<Snapshot, SnapshotError> {
        let (left_out, left_out_count) = left_out_of(&found.tree);
        let taken = write(work, TREE, &found.tree).and_then(|size| {
            let head = Head {
                label: label.to_owned(),
                roots: found.tree.roots.clone(),
                taken_at: now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
                entries: found.tree.entries.len(),
                bytes: found.bytes,
                added: objects.added.saturating_add(size),
                read: found.read,
                left_out,
                left_out_count,
                undo_of,
            };
            write(work, HEAD, &head)?;
            fs::rename(work, self.folder_of(id))?;
            Ok(head)
        });
        Ok(taken.map_err(|error| self.error(error))?.describe(id, Outcome::Unfinished))
    }

    /// The last snapshot of the same folders, if there is one that can be read.
    fn last_tree_of(&self, roots: &[PathBuf]) -> Option<Tree> {
        let last = self.list().ok()?.into_iter().find(|snapshot| snapshot.roots == roots)?;
        self.tree_of(last.id).ok()
    }

    /// Notes what the command left that ran after a snapshot, so that what the person changes later is told from it. Gives the number
    /// of files, folders and links that it created, changed or deleted.
    ///
    /// # Errors
    /// If the snapshot was dropped meanwhile, or can't be read or written.
    pub fn finish(&self, id: SnapshotId) -> Result<usize, SnapshotError> {
        let lock = self.lock()?;
        let tree = self.tree_of(id)?;
        let (found, _) = self.look(&tree, &tree, &Limits::default())?;
        let after = After { differs: differences(&tree, &found.tree), truncated: found.truncated };
        write(&self.folder_of(id), AFTER, &after).map_err(|error| self.error(error))?;
        drop(lock);
        if after.differs.is_empty() && !after.truncated {
            self.drop_other_empty_ones(id)?;
        }
        Ok(after.differs.len())
    }

    /// What is there now, where a snapshot was taken. `known` has what was known last.
    pub(crate) fn look(
        &self,
        reference: &Tree,
        known: &Tree,
        limits: &Limits,
    ) -> Result<(Found, DigestOnly), SnapshotError> {
        let scan = self.scan(DigestOnly, limits, Some(known), SystemTime::now());
        let scan = Scan { reference: Some(reference), ..scan };
        let roots: Vec<PathBuf> = reference.roots().map(|(_, root)| root.to_owned()).collect();
        scan.run(&roots).map_err(|stop| match stop {
            Stop::Store(error) => self.error(error),
            // A walk with a reference does not end early.
            Stop::TooLarge(what) => self.error(std::io::Error::other(what)),
        })
    }

    /// Of snapshots of the same folders after which nothing was changed, the newest alone is needed: by it the next one is quick.
    fn drop_other_empty_ones(&self, id: SnapshotId) -> Result<(), SnapshotError> {
        let all = self.list()?;
        let Some(own) = all.iter().find(|snapshot| snapshot.id == id) else { return Ok(()) };
        let empty = |snapshot: &&Snapshot| {
            snapshot.id < id
                && snapshot.roots == own.roots
                && snapshot.outcome == Outcome::Finished { changed: 0 }
        };
        for snapshot in all.iter().filter(empty) {
            match self.forget(snapshot.id) {
                // Somebody else was quicker.
                Ok(()) | Err(SnapshotError::Unknown(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
