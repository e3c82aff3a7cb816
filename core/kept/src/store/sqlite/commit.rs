//! Changes, all of them or none.

use std::sync::{MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::entries::{self, EntryAppender};
use super::head::HeadFile;
use super::owners::OwnerLife;
use super::value::to_count;
use super::{SqliteStore, WriteConnection, approvals, check, error, grants, passes, pins};
use crate::record::{Cell, ChainChecker, Link, PART, RecordKeys, RecordPlace};
use crate::store::{Change, Conflict, OwnerId, StoreError};

/// No commit has more entries than this.
const MOST_BEHIND: u64 = 4096;

impl SqliteStore {
    /// Makes all of `changes`, or none of them.
    pub(super) fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        let appends = changes.iter().filter(|change| matches!(change, Change::Append(_))).count();
        self.run_transaction(appends > 0, |work| {
            let mut counted = false;
            for change in changes {
                work.apply_change(change)?;
                counted |= !matches!(change, Change::Append(_));
            }
            if counted { work.bump_stamp() } else { Ok(()) }
        })?;
        if let Some(tending) = &self.tending {
            tending.count_written(appends as u64);
        }
        Ok(())
    }

    /// One transaction, under the lock; the head follows it.
    pub(super) fn run_transaction(
        &self,
        appends: bool,
        work: impl FnOnce(&mut TransactionWork<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut writer = self.lock_writer()?;
        let WriteConnection { connection, lock, head } = &mut *writer;
        let _held = lock.lock_within(self.files.options.busy)?;
        self.files.check_file_exists()?;
        let keys = self.keys.as_ref().ok_or_else(|| self.read_only_error())?;
        let mut head = match appends {
            true => Some(HeadFile::current_head(head, &self.files.folder, &keys.head)?),
            false => None,
        };
        let failed = |error| error::from_sqlite(&self.files.path, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let appending = match &mut head {
            Some(head) => Some(self.begin_appending(head, &transaction, keys)?),
            None => None,
        };
        let mut making = TransactionWork { store: self, transaction: &transaction, appending };
        work(&mut making)?;
        let newest = making.appending.as_ref().map(|appending| appending.previous);
        drop(making);
        transaction.commit().map_err(failed)?;
        if let (Some(head), Some(newest)) = (&mut head, newest) {
            self.write_head(head, keys, newest);
        }
        Ok(())
    }

    /// Where the record goes on: after the head, unless a process was ended before it could write that.
    fn begin_appending<'t>(
        &self,
        head: &mut HeadFile,
        transaction: &'t Transaction<'_>,
        keys: &'t RecordKeys,
    ) -> Result<EntryAppender<'t>, StoreError> {
        let failed = |error| error::from_sqlite(&self.files.path, error);
        let mut before = head.newest;
        match entries::newest_entry(transaction).map_err(failed)? {
            Some((seq, mac)) if seq > before.seq => {
                let mac = mac.ok_or_else(|| StoreError::Damaged {
                    path: self.files.path.clone(),
                    reason: format!("entry {seq} of the record was changed: see `mayi log verify`"),
                })?;
                self.check_tail_is_ours(transaction, before, seq, keys)?;
                before = Link { seq, mac };
                // Mended before there is more to mend: at most one commit is ever without its head.
                head.write(&keys.head, before, self.files.options.durability)
                    .map_err(|error| error::from_io(head.path(), &error))?;
            }
            newest => {
                let last = newest.map_or(0, |(seq, _)| seq);
                if last < before.seq {
                    tracing::warn!(from = last + 1, to = before.seq, "the record's end is missing");
                }
            }
        }
        EntryAppender::after_link(before, transaction, &keys.chain).map_err(failed)
    }

    /// What stands behind the head was written by mayi, in one commit, which is what a process that was ended leaves. The head
    /// never names what somebody else put there; and behind an older head that was put back stand more commits, whose end may
    /// have been removed: mended, that would never show again.
    fn check_tail_is_ours(
        &self,
        connection: &Connection,
        head: Link,
        newest: u64,
        keys: &RecordKeys,
    ) -> Result<(), StoreError> {
        let mut checker = ChainChecker::new(keys.chain.clone(), RecordPlace::Record, head, None);
        let few = newest - head.seq <= MOST_BEHIND;
        let from = i64::try_from(head.seq).unwrap_or(i64::MAX).saturating_add(1);
        let (mut parts, mut one_commit) = (0_i64.., true);
        if few {
            check::for_each_row(connection, from, newest, |row| {
                let part = row.iter().find(|(name, _)| *name == PART).map(|(_, cell)| *cell);
                one_commit &= part == parts.next().map(Cell::Integer);
                checker.check_row(row);
            })
            .map_err(|error| error::from_sqlite(&self.files.path, error))?;
        }
        let sound = checker.position().seq == newest && checker.finish().0.is_empty();
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
    fn write_head(&self, head: &mut HeadFile, keys: &RecordKeys, newest: Link) {
        if head.newest == newest {
            return;
        }
        if let Err(error) = head.write(&keys.head, newest, self.files.options.durability) {
            tracing::warn!(%error, path = %head.path().display(), "the record's head can't be written");
        }
    }

    pub(super) fn lock_writer(&self) -> Result<MutexGuard<'_, WriteConnection>, StoreError> {
        let writer = self.writer.as_ref().ok_or_else(|| self.read_only_error())?;
        Ok(writer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn check_writable(&self) -> Result<(), StoreError> {
        if self.writer.is_some() { Ok(()) } else { Err(self.read_only_error()) }
    }

    pub(super) fn read_only_error(&self) -> StoreError {
        StoreError::ReadOnly { path: self.files.path.clone(), reason: "it was opened to be read".to_owned() }
    }

    /// Forgets the session's grants of processes that have ended; and what else is too old, if there is a time.
    pub(super) fn forget_gone(&self, gone: &[OwnerId], now: Option<Timestamp>) -> Result<(), StoreError> {
        let failed = |error| error::from_sqlite(&self.files.path, error);
        let of_theirs = |connection: &Connection| -> rusqlite::Result<bool> {
            Ok(grants::grant_owners(connection)?.iter().any(|owner| gone.contains(owner)))
        };
        let old = |connection: &Connection| {
            now.map_or(Ok(false), |now| approvals::has_forgettable(connection, now))
        };
        if !self.read(|connection| Ok(of_theirs(connection)? || old(connection)?))? {
            return Ok(());
        }
        self.run_transaction(false, |work| {
            for owner in gone {
                grants::forget_grants_of(work.transaction, *owner).map_err(failed)?;
            }
            if let Some(now) = now {
                approvals::forget_settled(work.transaction, now).map_err(failed)?;
            }
            work.bump_stamp()
        })
    }

    /// Forgets what is left of processes that have ended, and what is too old.
    pub(super) fn forget_dead_owners(&self, now: Timestamp) -> Result<(), StoreError> {
        let (_, mut gone) = self.owners.alive_and_gone(now)?;
        for owner in self.read(grants::grant_owners)? {
            if !gone.contains(&owner) && self.owners.life_of(owner, now)? == OwnerLife::Gone {
                gone.push(owner);
            }
        }
        self.forget_gone(&gone, Some(now))?;
        for owner in gone {
            self.owners.detach_owner(owner)?;
        }
        Ok(())
    }
}

/// A transaction, and where the record goes on in it.
pub(super) struct TransactionWork<'a> {
    store: &'a SqliteStore,
    pub(super) transaction: &'a Transaction<'a>,
    appending: Option<EntryAppender<'a>>,
}

impl TransactionWork<'_> {
    fn apply_change(&mut self, change: &Change) -> Result<(), StoreError> {
        let (path, transaction) = (&self.store.files.path, self.transaction);
        let failed = |error| error::from_sqlite(path, error);
        match change {
            Change::Append(entry) => match &mut self.appending {
                Some(appending) => appending.append(entry).map_err(failed),
                None => Ok(()),
            },
            Change::Use { id, at } => match grants::spend_grant(transaction, *id, *at).map_err(failed)? {
                true => Ok(()),
                false => Err(Conflict::Ended(*id).into()),
            },
            Change::Grant(grant) => grants::insert(transaction, grant).map_err(failed),
            Change::Revoke { id, at } => grants::revoke_grant(transaction, *id, *at).map_err(failed),
            Change::Ask(asked) => approvals::insert(transaction, asked).map_err(failed),
            Change::Update { id, digest, card } => {
                self.question_state(*id)?.check_waiting(*id)?;
                approvals::update_card(transaction, *id, digest, card).map_err(failed)
            }
            Change::Settle { id, state, by, reason, at } => {
                self.question_state(*id)?.check_waiting(*id)?;
                approvals::settle_question(transaction, *id, *state, by, reason.as_deref(), *at)
                    .map_err(failed)
            }
            Change::Pin { server, item, said, at } => {
                pins::record_definition(transaction, server, item, said, *at).map_err(failed)
            }
            Change::AcceptPin { server, item, digest, at } => {
                match pins::accept_pending(transaction, server, item, digest, *at).map_err(failed)? {
                    true => Ok(()),
                    false => Err(Conflict::Repinned(item.clone(), server.clone()).into()),
                }
            }
            Change::ForgetPins { server } => pins::forget_server(transaction, server).map_err(failed),
            Change::LeavePass(pass) => passes::leave_pass(transaction, pass).map_err(failed),
            Change::TakePass { id, at } => match passes::take_pass(transaction, *id, *at).map_err(failed)? {
                true => Ok(()),
                false => Err(Conflict::Passed(*id).into()),
            },
        }
    }

    fn question_state(
        &self,
        id: crate::approval::ApprovalId,
    ) -> Result<approvals::QuestionState, StoreError> {
        let found = approvals::question_state(self.transaction, id);
        let found = found.map_err(|error| error::from_sqlite(&self.store.files.path, error))?;
        found.ok_or_else(|| Conflict::Unknown(id).into())
    }

    /// Others see that something changed that is not in the record.
    fn bump_stamp(&self) -> Result<(), StoreError> {
        let counted = self
            .transaction
            .prepare_cached("UPDATE changes SET count = count + 1")
            .and_then(|mut statement| statement.execute(()));
        counted.map(|_| ()).map_err(|error| error::from_sqlite(&self.store.files.path, error))
    }
}

/// The number of changes to what is not in the record.
pub(super) fn read_stamp(connection: &Connection) -> rusqlite::Result<u64> {
    connection.prepare_cached("SELECT count FROM changes")?.query_row((), |row| to_count(row.get(0)?))
}
