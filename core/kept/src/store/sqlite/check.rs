//! Goes through the record.

use rusqlite::Connection;

use super::connect::{self, ConnectionUse};
use super::folder::{self, OpenMode, name};
use super::head::{HeadFile, HeadProblem};
use super::lock::FileLock;
use super::value::to_count;
use super::{SqliteStore, archive, entries, error, schema, spans};
use crate::record::{
    Anchor, Archive, ChainChecker, HeadState, Link, Mac, RecordFault, RecordFinding, RecordKeys, RecordPlace,
    Row, VerifyReport,
};
use crate::store::StoreError;

/// Hears how many entries were gone through, of how many.
type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// So many entries are gone through before progress is told.
const STEP: u64 = 1_000;
/// After so many places that can't be read, the rest counts as unreadable.
const FAILURES: u32 = 1_000;

impl SqliteStore {
    /// Goes through all of the record, and what of it went to archives, and says what is not as mayi wrote it.
    /// `progress` hears how many entries were gone through, of how many.
    ///
    /// # Errors
    /// If it can't be read at all, or there is no key. What is wrong with the record is no error.
    pub fn verify_record(&self, progress: Progress<'_>) -> Result<VerifyReport, StoreError> {
        let keys = self.keys.as_ref().ok_or_else(|| StoreError::Damaged {
            path: self.files.folder.clone(),
            reason: "the record's key is missing, so that nothing in it can be checked".to_owned(),
        })?;
        let connection = connect::open(&self.files.path, self.reading, &self.files.options)?;
        let failed = |error| error::from_sqlite(&self.files.path, error);
        // The head and the entries have to be of the same moment.
        let (head, all) = {
            let lock = match self.reading {
                ConnectionUse::Frozen => None,
                _ => self.lock_to_read()?,
            };
            let _held = lock.as_ref().map(|lock| lock.lock_within(self.files.options.busy)).transpose()?;
            connection.execute_batch("BEGIN").map_err(failed)?;
            let all = connection.query_row("SELECT count(*) FROM record", (), |row| to_count(row.get(0)?));
            (HeadFile::open(&self.files.folder, &keys.head, OpenMode::Read)?, all.unwrap_or(0))
        };
        let (anchors, mut findings) = read_anchors(&connection, keys).unwrap_or_else(|error| {
            let what = RecordFault::Damaged { reason: error.to_string() };
            (Vec::new(), vec![RecordFinding { from: 0, to: 0, place: RecordPlace::Record, what }])
        });
        let archived: u64 = anchors
            .iter()
            .filter(|anchor| archive::path(&self.files.folder, anchor.first, anchor.last.seq).exists())
            .map(|anchor| anchor.last.seq.saturating_sub(anchor.link_before().seq))
            .sum();
        let all = all.saturating_add(archived);
        let start = anchors.last().map_or(Link::START, |anchor| anchor.last);
        let newest = head.as_ref().ok().map(|head| head.newest);
        let mut checker = ChainChecker::new(keys.chain.clone(), RecordPlace::Record, start, newest);
        self.check_rows(&connection, &mut checker, all, progress);
        let (counted, first) = checker.entry_counts();
        let last = checker.position().seq;
        let (found, mut state) = checker.finish();
        findings.extend(found);
        if let Err(wrong) = &head {
            let what = match wrong {
                HeadProblem::Missing if counted == 0 && start == Link::START => None,
                HeadProblem::Missing => Some(RecordFault::HeadMissing),
                HeadProblem::Damaged => Some(RecordFault::HeadDamaged),
            };
            state = if what.is_some() { HeadState::Wrong } else { HeadState::None };
            findings.extend(what.map(|what| RecordFinding {
                from: last,
                to: last,
                place: RecordPlace::Record,
                what,
            }));
        }
        // An entry that was changed is not where its span says.
        let sound = findings.is_empty();
        findings.extend(
            check_structure(&connection).or_else(|| find_hidden_entry(&connection).filter(|_| sound)),
        );
        let archives =
            self.check_archives(keys, &anchors, &mut findings, &mut |more| progress(counted + more, all));
        findings.sort_by_key(|finding| finding.from);
        let last = (counted > 0).then_some(last);
        Ok(VerifyReport { entries: counted, first, last, head: state, findings, archives })
    }

    /// Goes through the archives that are still there.
    fn check_archives(
        &self,
        keys: &RecordKeys,
        anchors: &[Anchor],
        findings: &mut Vec<RecordFinding>,
        progress: &mut dyn FnMut(u64),
    ) -> Vec<Archive> {
        let mut done = 0;
        let each = anchors.iter().map(|anchor| {
            let found = archive::check_archive(&self.files.folder, &keys.chain, anchor, &mut |more| {
                done += more;
                if done % STEP == 0 {
                    progress(done);
                }
            });
            let present = found.is_some();
            findings.extend(found.into_iter().flatten());
            let (first, last) = (anchor.first, anchor.last.seq);
            Archive { first, last, path: archive::path(&self.files.folder, first, last), present }
        });
        let archives = each.collect();
        progress(done);
        archives
    }

    /// Goes through the rows; past those that can't be read, as well as that can be done.
    fn check_rows(
        &self,
        connection: &Connection,
        checker: &mut ChainChecker,
        all: u64,
        progress: Progress<'_>,
    ) {
        let mut done = 0;
        let mut from = i64::MIN;
        for _ in 0..FAILURES {
            let outcome = for_each_row(connection, from, u64::MAX, |row| {
                checker.check_row(row);
                done += 1;
                if done % STEP == 0 {
                    progress(done, all);
                }
            });
            let Err(error) = outcome else { break };
            let lost = checker.position().seq;
            let next = readable_after(connection, lost);
            checker.skip_unreadable(next.map_or(0, |seq| seq - 1), error.to_string());
            match next.map(i64::try_from) {
                Some(Ok(seq)) => from = seq,
                _ => break,
            }
        }
    }

    /// The lock, without making it.
    fn lock_to_read(&self) -> Result<Option<FileLock>, StoreError> {
        let path = self.files.folder.join(name::LOCK);
        Ok(folder::open(&path, OpenMode::Read)?.map(|file| FileLock::new(file, path)))
    }
}

/// The entries from `from` to `to`, by their numbers.
pub(super) fn for_each_row(
    connection: &Connection,
    from: i64,
    to: u64,
    mut with: impl FnMut(Row<'_>),
) -> rusqlite::Result<()> {
    let to = i64::try_from(to).unwrap_or(i64::MAX);
    let mut statement =
        connection.prepare("SELECT * FROM record WHERE seq >= ?1 AND seq <= ?2 ORDER BY seq")?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([from, to])?;
    while let Some(row) = rows.next()? {
        let mut cells = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            cells.push((name.as_str(), entries::to_cell(row.get_ref(at)?)));
        }
        with(&cells);
    }
    Ok(())
}

/// The number of the first entry after `lost` that can be read.
pub(super) fn readable_after(connection: &Connection, lost: u64) -> Option<u64> {
    let first_from = |from: u64| {
        connection.query_row(
            "SELECT * FROM record WHERE seq >= ?1 ORDER BY seq LIMIT 1",
            [i64::try_from(from).unwrap_or(i64::MAX)],
            |row| to_count(row.get("seq")?),
        )
    };
    let (mut bad, mut found) = (lost, None);
    for step in 0..62 {
        let from = lost.checked_add(1 << step)?;
        match first_from(from) {
            Ok(seq) => {
                found = Some((from, seq));
                break;
            }
            // Behind the last one; what can be read may lie before.
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                found = Some((from, u64::MAX));
                break;
            }
            Err(_) => bad = from,
        }
    }
    let (mut good, mut seq) = found?;
    while good.saturating_sub(bad) > 1 {
        let middle = bad + (good - bad) / 2;
        match first_from(middle) {
            Ok(first) => (good, seq) = (middle, first),
            Err(rusqlite::Error::QueryReturnedNoRows) => good = middle,
            Err(_) => bad = middle,
        }
    }
    (seq < u64::MAX).then_some(seq)
}

/// What is left of archived entries, oldest first, and what is wrong with that.
pub(super) fn read_anchors(
    connection: &Connection,
    keys: &RecordKeys,
) -> rusqlite::Result<(Vec<Anchor>, Vec<RecordFinding>)> {
    let mut statement =
        connection.prepare("SELECT first, last, prev, mac, seal FROM anchors ORDER BY first")?;
    let mac = |value: rusqlite::types::ValueRef<'_>| value.as_blob().ok().and_then(Mac::from_bytes);
    let rows = statement.query_map((), |row| {
        let (first, last) = (to_count(row.get(0)?).unwrap_or(0), to_count(row.get(1)?).unwrap_or(0));
        let (prev, end, seal) = (mac(row.get_ref(2)?), mac(row.get_ref(3)?), mac(row.get_ref(4)?));
        let anchor = prev.zip(end).map(|(prev, mac)| Anchor { first, prev, last: Link { seq: last, mac } });
        Ok((first, last, anchor.filter(|anchor| seal == Some(anchor.compute_seal(&keys.anchors)))))
    })?;
    let (mut anchors, mut findings) = (Vec::<Anchor>::new(), Vec::new());
    let mut wrong = |from: u64, to: u64| {
        findings.push(RecordFinding {
            from,
            to,
            place: RecordPlace::Record,
            what: RecordFault::AnchorDamaged,
        });
    };
    for row in rows {
        let (first, last, anchor) = row?;
        let before = anchors.last().map_or(Link::START, |anchor| anchor.last);
        match anchor {
            Some(anchor) => {
                if anchor.link_before() != before {
                    wrong(before.seq.saturating_add(1), first.saturating_sub(1));
                }
                anchors.push(anchor);
            }
            None => wrong(first, last),
        }
    }
    Ok((anchors, findings))
}

/// What is wrong with the database itself: its tables, and how its pages hang together.
fn check_structure(connection: &Connection) -> Option<RecordFinding> {
    let reason = schema::tables_difference(connection).or_else(|| {
        let said = connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get::<_, String>(0));
        match said {
            Ok(said) if said == "ok" => None,
            Ok(said) => Some(said),
            Err(error) => Some(error.to_string()),
        }
    });
    let what = RecordFault::Damaged { reason: reason? };
    Some(RecordFinding { from: 0, to: 0, place: RecordPlace::Record, what })
}

/// Whether a query would pass by an entry that it asks for.
fn find_hidden_entry(connection: &Connection) -> Option<RecordFinding> {
    let reason = match spans::first_hidden_entry(connection) {
        Ok(hidden) => format!("entry {} is not found by all that it should be found by", hidden?),
        Err(error) => error.to_string(),
    };
    Some(RecordFinding { from: 0, to: 0, place: RecordPlace::Record, what: RecordFault::Damaged { reason } })
}
