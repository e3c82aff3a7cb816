//! Changes, all of them or none.

use std::sync::{MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::entries::{self, Appending};
use super::head::Head;
use super::owners::Life;
use super::value::count;
use super::{SqliteStore, Writer, approvals, check, error, grants, passes, pins};
use crate::record::{Cell, Checker, Keys, Link, PART, Place};
use crate::store::{Change, Conflict, OwnerId, StoreError};

/// No commit has more entries than this.
const MOST_BEHIND: u64 = 4096;

impl SqliteStore {
    /// Makes all of `changes`, or none of them.
    pub(super) fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        let appends = changes.iter().filter(|change| matches!(change, Change::Append(_))).count();
        self.transact(appends > 0, |work| {
            let mut counted = false;
            for change in changes {
                work.make(change)?;
                counted |= !matches!(change, Change::Append(_));
            }
            if counted { work.count() } else { Ok(()) }
        })?;
        if let Some(tending) = &self.tending {
            tending.wrote(appends as u64);
        }
        Ok(())
    }

    /// One transaction, under the lock; the head follows it.
    pub(super) fn transact(
        &self,
        appends: bool,
        work: impl FnOnce(&mut Work<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut writer = self.writer()?;
        let Writer { connection, lock, head } = &mut *writer;
        let _held = lock.hold(self.files.options.busy)?;
        self.files.is_still_there()?;
        let keys = self.keys.as_ref().ok_or_else(|| self.only_read())?;
        let mut head = match appends {
            true => Some(Head::again(head, &self.files.folder, &keys.head)?),
            false => None,
        };
        let failed = |error| error::sqlite(&self.files.path, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let appending = match &mut head {
            Some(head) => Some(self.appending(head, &transaction, keys)?),
            None => None,
        };
        let mut making = Work { store: self, transaction: &transaction, appending };
        work(&mut making)?;
        let newest = making.appending.as_ref().map(|appending| appending.before);
        drop(making);
        transaction.commit().map_err(failed)?;
        if let (Some(head), Some(newest)) = (&mut head, newest) {
            self.name(head, keys, newest);
        }
        Ok(())
    }

    /// Where the record goes on: after the head, unless a process was ended before it could write that.
    fn appending<'t>(
        &self,
        head: &mut Head,
        transaction: &'t Transaction<'_>,
        keys: &'t Keys,
    ) -> Result<Appending<'t>, StoreError> {
        let failed = |error| error::sqlite(&self.files.path, error);
        let mut before = head.newest;
        match entries::newest(transaction).map_err(failed)? {
            Some((seq, mac)) if seq > before.seq => {
                let mac = mac.ok_or_else(|| StoreError::Damaged {
                    path: self.files.path.clone(),
                    reason: format!("entry {seq} of the record was changed: see `mayi log verify`"),
                })?;
                self.is_ours(transaction, before, seq, keys)?;
                before = Link { seq, mac };
                // Mended before there is more to mend: at most one commit is ever without its head.
                head.write(&keys.head, before, self.files.options.durability)
                    .map_err(|error| error::io(head.path(), &error))?;
            }
            newest => {
                let last = newest.map_or(0, |(seq, _)| seq);
                if last < before.seq {
                    tracing::warn!(from = last + 1, to = before.seq, "the record's end is missing");
                }
            }
        }
        Appending::after(before, transaction, &keys.chain).map_err(failed)
    }

    /// What stands behind the head was written by mayi, in one commit, which is what a process that was ended leaves. The head
    /// never names what somebody else put there; and behind an older head that was put back stand more commits, whose end may
    /// have been removed: mended, that would never show again.
    fn is_ours(
        &self,
        connection: &Connection,
        head: Link,
        newest: u64,
        keys: &Keys,
    ) -> Result<(), StoreError> {
        let mut checker = Checker::new(keys.chain.clone(), Place::Record, head, None);
        let few = newest - head.seq <= MOST_BEHIND;
        let from = i64::try_from(head.seq).unwrap_or(i64::MAX).saturating_add(1);
        let (mut parts, mut one_commit) = (0_i64.., true);
        if few {
            check::each(connection, from, newest, |row| {
                let part = row.iter().find(|(name, _)| *name == PART).map(|(_, cell)| *cell);
                one_commit &= part == parts.next().map(Cell::Integer);
                checker.row(row);
            })
            .map_err(|error| error::sqlite(&self.files.path, error))?;
        }
        let sound = checker.at().seq == newest && checker.end().0.is_empty();
        let wrong = match (few && sound, one_commit) {
            (true, true) => return Ok(()),
            (true, false) => "more than one commit stands",
            (false, _) => "somebody else than mayi wrote",
        };
        let reason = format!("{wrong} behind entry {} of the record: see `mayi log verify`", head.seq);
        Err(StoreError::Damaged { path: self.files.path.clone(), reason })
    }

    /// The head names `newest`. What it names is in the database by now: if the head can't be written, it is
    /// behind, and the next commit mends it.
    fn name(&self, head: &mut Head, keys: &Keys, newest: Link) {
        if head.newest == newest {
            return;
        }
        if let Err(error) = head.write(&keys.head, newest, self.files.options.durability) {
            tracing::warn!(%error, path = %head.path().display(), "the record's head can't be written");
        }
    }

    pub(super) fn writer(&self) -> Result<MutexGuard<'_, Writer>, StoreError> {
        let writer = self.writer.as_ref().ok_or_else(|| self.only_read())?;
        Ok(writer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn may_write(&self) -> Result<(), StoreError> {
        if self.writer.is_some() { Ok(()) } else { Err(self.only_read()) }
    }

    pub(super) fn only_read(&self) -> StoreError {
        StoreError::ReadOnly { path: self.files.path.clone(), reason: "it was opened to be read".to_owned() }
    }

    /// Forgets the session's grants of processes that have ended; and what else is too old, if there is a time.
    pub(super) fn forget(&self, gone: &[OwnerId], now: Option<Timestamp>) -> Result<(), StoreError> {
        let failed = |error| error::sqlite(&self.files.path, error);
        let of_theirs = |connection: &Connection| -> rusqlite::Result<bool> {
            Ok(grants::owners(connection)?.iter().any(|owner| gone.contains(owner)))
        };
        let old =
            |connection: &Connection| now.map_or(Ok(false), |now| approvals::forgettable(connection, now));
        if !self.read(|connection| Ok(of_theirs(connection)? || old(connection)?))? {
            return Ok(());
        }
        self.transact(false, |work| {
            for owner in gone {
                grants::forget(work.transaction, *owner).map_err(failed)?;
            }
            if let Some(now) = now {
                approvals::forget(work.transaction, now).map_err(failed)?;
            }
            work.count()
        })
    }

    /// Forgets what is left of processes that have ended, and what is too old.
    pub(super) fn forget_the_dead(&self, now: Timestamp) -> Result<(), StoreError> {
        let (_, mut gone) = self.owners.list(now)?;
        for owner in self.read(grants::owners)? {
            if !gone.contains(&owner) && self.owners.life(owner, now)? == Life::Gone {
                gone.push(owner);
            }
        }
        self.forget(&gone, Some(now))?;
        for owner in gone {
            self.owners.detach(owner)?;
        }
        Ok(())
    }
}

/// A transaction, and where the record goes on in it.
pub(super) struct Work<'a> {
    store: &'a SqliteStore,
    pub(super) transaction: &'a Transaction<'a>,
    appending: Option<Appending<'a>>,
}

impl Work<'_> {
    fn make(&mut self, change: &Change) -> Result<(), StoreError> {
        let (path, transaction) = (&self.store.files.path, self.transaction);
        let failed = |error| error::sqlite(path, error);
        match change {
            Change::Append(entry) => match &mut self.appending {
                Some(appending) => appending.append(entry).map_err(failed),
                None => Ok(()),
            },
            Change::Use { id, at } => match grants::spend(transaction, *id, *at).map_err(failed)? {
                true => Ok(()),
                false => Err(Conflict::Ended(*id).into()),
            },
            Change::Grant(grant) => grants::insert(transaction, grant).map_err(failed),
            Change::Revoke { id, at } => grants::revoke(transaction, *id, *at).map_err(failed),
            Change::Ask(asked) => approvals::insert(transaction, asked).map_err(failed),
            Change::Update { id, digest, card } => {
                self.standing(*id)?.waits(*id)?;
                approvals::update(transaction, *id, digest, card).map_err(failed)
            }
            Change::Settle { id, state, by, reason, at } => {
                self.standing(*id)?.waits(*id)?;
                approvals::settle(transaction, *id, *state, by, reason.as_deref(), *at).map_err(failed)
            }
            Change::Offer { id, response, by, at } => {
                let approval = response.approval_id;
                let standing = self.standing(approval)?;
                standing.waits(approval)?;
                standing.is_about(approval, &response.digest)?;
                if self.store.owners.life(standing.owner, *at)? == Life::Gone {
                    return Err(Conflict::Abandoned(approval).into());
                }
                approvals::offer(transaction, *id, standing.owner, response, by, *at).map_err(failed)
            }
            Change::Reply { id, refused } => {
                match approvals::reply(transaction, *id, refused.as_deref()).map_err(failed)? {
                    true => Ok(()),
                    false => Err(Conflict::Replied(*id).into()),
                }
            }
            Change::Pin { server, item, said, at } => {
                pins::say(transaction, server, item, said, *at).map_err(failed)
            }
            Change::AcceptPin { server, item, digest, at } => {
                match pins::accept(transaction, server, item, digest, *at).map_err(failed)? {
                    true => Ok(()),
                    false => Err(Conflict::Repinned(item.clone(), server.clone()).into()),
                }
            }
            Change::ForgetPins { server } => pins::forget(transaction, server).map_err(failed),
            Change::LeavePass(pass) => passes::leave(transaction, pass).map_err(failed),
            Change::TakePass { id, at } => match passes::take(transaction, *id, *at).map_err(failed)? {
                true => Ok(()),
                false => Err(Conflict::Passed(*id).into()),
            },
        }
    }

    fn standing(&self, id: crate::approval::ApprovalId) -> Result<approvals::Standing, StoreError> {
        let found = approvals::standing(self.transaction, id);
        let found = found.map_err(|error| error::sqlite(&self.store.files.path, error))?;
        found.ok_or_else(|| Conflict::Unknown(id).into())
    }

    /// Others see that something changed that is not in the record.
    fn count(&self) -> Result<(), StoreError> {
        let counted = self
            .transaction
            .prepare_cached("UPDATE changes SET count = count + 1")
            .and_then(|mut statement| statement.execute(()));
        counted.map(|_| ()).map_err(|error| error::sqlite(&self.store.files.path, error))
    }
}

/// The number of changes to what is not in the record.
pub(super) fn stamp(connection: &Connection) -> rusqlite::Result<u64> {
    connection.prepare_cached("SELECT count FROM changes")?.query_row((), |row| count(row.get(0)?))
}
