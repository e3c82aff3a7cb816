//! Giving back what a snapshot has.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::SnapshotError;
use crate::changes::{Change, Changes, Since, What};
use crate::limits::Limits;
use crate::restore::Restorer;
use crate::snapshot::{LeftOut, SnapshotId};
use crate::store::Snapshots;
use crate::take::Taken;

/// What of the changes is to be undone.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// These files, and what is in these folders: absolute paths. None: all.
    pub paths: Vec<PathBuf>,
    /// Also remove what was created.
    pub remove_created: bool,
    /// Also what was changed after the command, or where that can't be told; and where what is there now can't be kept first.
    pub force: bool,
}

/// What an undo does with which changes.
#[derive(Clone, Debug, Default)]
pub struct Plan<'a> {
    /// These are restored.
    pub restore: Vec<&'a Change>,
    /// These are removed.
    pub remove: Vec<&'a Change>,
    /// These stay as they are, and why.
    pub left: Vec<LeftOut>,
}

/// What came of an undo.
#[derive(Clone, Debug, Default)]
pub struct Undone {
    /// What is again as it was.
    pub restored: Vec<PathBuf>,
    /// What was created, and is removed.
    pub removed: Vec<PathBuf>,
    /// What stays as it is, since nobody has said otherwise, or it was not kept.
    pub left: Vec<LeftOut>,
    /// What could not be done, or not wholly, and why.
    pub failed: Vec<LeftOut>,
    /// The snapshot by which this can be undone; none if nothing was done, or it could not be taken.
    pub redo: Option<SnapshotId>,
}

impl Selection {
    fn includes(&self, path: &Path) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|selected| path.starts_with(selected))
    }

    /// What would be done with which changes.
    #[must_use]
    pub fn plan<'a>(&self, changes: &'a Changes) -> Plan<'a> {
        let mut plan = Plan::default();
        for change in changes.list.iter().filter(|change| self.includes(&change.path)) {
            let why = match (change.since, change.what) {
                (_, What::Created) if !self.remove_created => Some("it was created, and stays"),
                (Since::Later, _) if !self.force => Some("it was changed after the command"),
                (Since::Unknown, _) if !self.force => {
                    Some("it may have been changed by somebody else than the command")
                }
                _ => change.lost,
            };
            match why {
                Some(why) => plan.left.push(LeftOut { path: change.path.clone(), why: why.to_owned() }),
                None if change.what == What::Created => plan.remove.push(change),
                None => plan.restore.push(change),
            }
        }
        plan
    }
}

impl Snapshots {
    /// Restores what `selection` says, and keeps what is there now in a snapshot before: `label` says of that one what is about to be
    /// done. What can't be restored is left, and hides nothing else.
    ///
    /// # Errors
    /// If there is no such snapshot, it can't be read, or what is there now can't be kept: then nothing is changed.
    pub fn undo(&self, id: SnapshotId, selection: &Selection, label: &str) -> Result<Undone, SnapshotError> {
        let lock = self.lock()?;
        let compared = self.compare(id)?;
        let plan = selection.plan(&compared.changes);
        if plan.restore.is_empty() && plan.remove.is_empty() {
            return Ok(Undone { left: plan.left, ..Undone::default() });
        }
        let redo = self.keep_what_is_there(id, selection.force, label)?;
        let mut undone = Undone { left: plan.left, redo, ..Undone::default() };
        let mut restorer = Restorer::new(self.objects(&self.unfinished()), &compared.tree, &compared.now);
        for change in plan.remove.iter().rev() {
            match restorer.remove(&change.key) {
                Ok(()) => undone.removed.push(change.path.clone()),
                Err(error) => undone.fail(change, &error),
            }
        }
        for change in &plan.restore {
            match restorer.restore(&change.key) {
                Ok(()) => undone.restored.push(change.path.clone()),
                Err(error) => undone.fail(change, &error),
            }
        }
        for (key, error) in restorer.end() {
            undone.failed.push(LeftOut { path: compared.tree.path_of(&key), why: error.to_string() });
        }
        if let Some(redo) = redo {
            self.finish(redo)?;
        }
        drop(lock);
        Ok(undone)
    }

    fn keep_what_is_there(
        &self,
        id: SnapshotId,
        force: bool,
        label: &str,
    ) -> Result<Option<SnapshotId>, SnapshotError> {
        let roots = self.describe(id)?.roots;
        // A folder that is gone has nothing that could be kept.
        let roots: Vec<PathBuf> = roots.into_iter().filter(|root| root.is_dir()).collect();
        match self.take_at(&roots, &Limits::default(), (label, Some(id)), SystemTime::now())? {
            Taken::Done(snapshot) => Ok(Some(snapshot.id)),
            Taken::TooLarge { .. } if force => Ok(None),
            Taken::TooLarge { what } => Err(SnapshotError::NothingToReturnTo(what)),
        }
    }
}

impl Undone {
    fn fail(&mut self, change: &Change, error: &std::io::Error) {
        self.failed.push(LeftOut { path: change.path.clone(), why: error.to_string() });
    }
}
