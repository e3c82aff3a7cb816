//! Whatever is done to the record shows, with its place (D7.7).

use std::fs;
use std::sync::OnceLock;

use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;

use super::super::entries::COLUMNS;
use super::{Place, append, entry, findings, second, verify};
use crate::record::{Entry, HeadState, Kind, RecordFault, VerifyReport};
use crate::store::{Change, Store};

/// So many entries has the record that is tampered with.
const ALL: u64 = 14;

/// Files of a record, and its head after each entry.
struct Files {
    database: Vec<u8>,
    key: Vec<u8>,
    heads: Vec<Vec<u8>>,
}

/// The record: every fourth entry has values in few columns only.
fn files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let place = Place::new();
        let mut heads = Vec::new();
        {
            let store = place.open();
            heads.push(fs::read(place.at("head")).unwrap());
            for number in 1..=ALL {
                let bare = || Entry::new(second(number.cast_signed()), Kind::Config, json!({}));
                let entry = if number.is_multiple_of(4) { bare() } else { entry(number) };
                store.commit(vec![Change::Append(entry)]).unwrap();
                heads.push(fs::read(place.at("head")).unwrap());
            }
        }
        let read = |name| fs::read(place.at(name)).unwrap();
        Files { database: read("store.db"), key: read("key"), heads }
    })
}

/// A copy of the record, after `tamper` was at it.
fn tampered(tamper: impl FnOnce(&Connection)) -> (Place, VerifyReport) {
    let place = Place::new();
    super::super::folder::make_folder(&place.data).unwrap();
    let files = files();
    for (name, bytes) in [
        ("store.db", &files.database),
        ("key", &files.key),
        ("head", files.heads.last().unwrap()),
        ("lock", &Vec::new()),
    ] {
        fs::write(place.at(name), bytes).unwrap();
        #[cfg(unix)]
        fs::set_permissions(place.at(name), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    let database = place.database();
    database.pragma_update(None, "synchronous", "off").unwrap();
    tamper(&database);
    drop(database);
    let report = place.verify();
    (place, report)
}

/// What was found: where, and what.
fn found(report: &VerifyReport) -> Vec<(u64, u64, RecordFault)> {
    report.findings.iter().map(|finding| (finding.from, finding.to, finding.what.clone())).collect()
}

fn value(connection: &Connection, column: &str, seq: u64) -> Value {
    connection
        .query_row(&format!("SELECT {column} FROM record WHERE seq = ?1"), [seq.cast_signed()], |row| {
            row.get(0)
        })
        .unwrap()
}

/// Changes one byte or bit; `None` becomes an empty text.
fn edited(value: Value, at: usize, bit: u32) -> (Value, &'static str) {
    let flip = |mut bytes: Vec<u8>| {
        if bytes.is_empty() {
            bytes.push(b' ');
        } else {
            let at = at % bytes.len();
            bytes[at] ^= 1 << (bit % 8);
        }
        bytes
    };
    match value {
        Value::Null => (Value::Text(String::new()), "?1"),
        Value::Integer(number) => (Value::Integer(number ^ (1 << (bit % 62))), "?1"),
        Value::Text(text) => (Value::Blob(flip(text.into_bytes())), "CAST(?1 AS TEXT)"),
        Value::Blob(bytes) => (Value::Blob(flip(bytes)), "?1"),
        Value::Real(_) => unreachable!("no column holds such a number"),
    }
}

/// The record that all of these are about is as it should be.
#[test]
fn given_nothing_was_done_then_nothing_is_found() {
    let (_place, report) = tampered(|_| {});
    assert_eq!(report.findings, []);
    assert_eq!(
        (report.entries, report.first, report.last, report.head),
        (ALL, Some(1), Some(ALL), HeadState::Current)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Attack 22: any byte of any column of any entry, its MAC and its link too, and a value where there was none.
    #[test]
    fn given_any_edit_of_one_entry_then_it_is_found_there_and_nowhere_else(
        seq in 1..=ALL, column in 1..COLUMNS.len(), at in any::<usize>(), bit in 0_u32..64,
    ) {
        let column = COLUMNS[column];
        let (_place, report) = tampered(|connection| {
            let (value, place) = edited(value(connection, column, seq), at, bit);
            let sql = format!("UPDATE record SET {column} = {place} WHERE seq = ?2");
            assert_eq!(connection.execute(&sql, (value, seq.cast_signed())).unwrap(), 1);
        });
        prop_assert_eq!(found(&report), [(seq, seq, RecordFault::Changed)], "{}", column);
    }

    /// Attack 22: entries that are gone, from the middle, the beginning or the end.
    #[test]
    fn given_removed_entries_then_it_is_found_which(from in 1..=ALL, more in 0_u64..5) {
        let to = (from + more).min(ALL);
        let (_place, report) = tampered(|connection| {
            connection.execute("DELETE FROM record WHERE seq BETWEEN ?1 AND ?2", (from.cast_signed(), to.cast_signed())).unwrap();
        });
        let what = if to == ALL { RecordFault::EndRemoved } else { RecordFault::Missing };
        prop_assert_eq!(found(&report), [(from, to, what)]);
    }

    /// Attack 22: entries that were exchanged for each other.
    #[test]
    fn given_swapped_entries_then_both_are_found(one in 1..=ALL, other in 1..=ALL) {
        prop_assume!(one < other);
        let (_place, report) = tampered(|connection| {
            let (one, other) = (one.cast_signed(), other.cast_signed());
            for (from, to) in [(one, 1_000), (other, one), (1_000, other)] {
                connection.execute("UPDATE record SET seq = ?2 WHERE seq = ?1", (from, to)).unwrap();
            }
        });
        let (first, second) = (RecordFault::OutOfPlace { belongs: other }, RecordFault::OutOfPlace { belongs: one });
        prop_assert_eq!(found(&report), [(one, one, first), (other, other, second)]);
    }

    /// Attack 22: an entry that mayi did not write, among the others or at the end.
    #[test]
    fn given_an_added_entry_then_it_is_found_and_so_is_what_it_moved(after in 0..=ALL, like in 1..=ALL) {
        let (_place, report) = tampered(|connection| {
            let columns = COLUMNS[1..].join(", ");
            let text = format!(
                "CREATE TEMP TABLE forged AS SELECT {columns} FROM record WHERE seq = {like};
                 UPDATE record SET seq = -seq WHERE seq > {after};
                 UPDATE record SET seq = 1 - seq WHERE seq < 0;
                 INSERT INTO record (seq, {columns}) SELECT {after} + 1, {columns} FROM forged;
                 UPDATE record SET detail = '{{\"forged\":1}}' WHERE seq = {after} + 1",
            );
            connection.execute_batch(&text).unwrap();
        });
        let added = after + 1;
        if after == ALL {
            prop_assert_eq!(found(&report), [(added, added, RecordFault::Added)]);
        } else {
            let moved = RecordFault::OutOfPlace { belongs: added };
            prop_assert_eq!(found(&report), [(added, added, RecordFault::Changed), (added + 1, ALL + 1, moved)]);
        }
    }

    /// Attack 22: an older head. One that is one commit behind is what a killed process leaves.
    #[test]
    fn given_an_older_head_then_it_is_found(named in 0..ALL) {
        let (place, _) = tampered(|_| {});
        fs::write(place.at("head"), &files().heads[usize::try_from(named).unwrap()]).unwrap();
        let report = place.verify();
        if named + 1 == ALL {
            prop_assert_eq!(found(&report), []);
            prop_assert_eq!(report.head, HeadState::Behind { entries: 1 });
        } else {
            prop_assert_eq!(found(&report), [(named + 1, ALL, RecordFault::HeadOlder)]);
        }
    }

    /// Attack 22: a head with anything changed is no head.
    #[test]
    fn given_an_edited_head_then_it_is_found(at in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let (place, _) = tampered(|_| {});
        let mut head = files().heads.last().unwrap().clone();
        let at = at.index(head.len());
        head[at] ^= 1 << bit;
        fs::write(place.at("head"), head).unwrap();
        prop_assert_eq!(found(&place.verify()), [(ALL, ALL, RecordFault::HeadDamaged)]);
    }

    /// A disk that gives back something else: said, never a panic, and never taken for sound.
    #[test]
    fn given_a_page_of_garbage_then_it_is_found_or_nothing_opens(page in 1_usize..20, seed in any::<u8>()) {
        let (place, _) = tampered(|_| {});
        let mut bytes = files().database.clone();
        let pages = bytes.len() / 4096;
        let start = (page % pages) * 4096;
        for (at, byte) in bytes[start..start + 4096].iter_mut().enumerate() {
            *byte = u8::try_from(at % 251).unwrap().wrapping_mul(7).wrapping_add(seed);
        }
        fs::write(place.at("store.db"), bytes).unwrap();
        match crate::store::SqliteStore::open_existing(&place.data, super::quick()) {
            Ok(store) => prop_assert!(!verify(&store.unwrap()).is_sound()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// D7.7: type changes: a number that became text is not the same.
#[test]
fn given_a_table_that_takes_any_type_then_another_type_is_found() {
    let (_place, report) = tampered(|connection| {
        let columns = COLUMNS.join(", ");
        let rebuilt = format!(
            "CREATE TABLE other (seq INTEGER PRIMARY KEY, {});
             INSERT INTO other SELECT {columns} FROM record;
             DROP TABLE record; ALTER TABLE other RENAME TO record;
             UPDATE record SET at = CAST(at AS TEXT) WHERE seq = 3;
             UPDATE record SET mac = CAST(mac AS TEXT) WHERE seq = 7;
             UPDATE record SET detail = CAST(detail AS BLOB) WHERE seq = 11;",
            COLUMNS[1..].join(", ")
        );
        connection.execute_batch(&rebuilt).unwrap();
    });
    let entries: Vec<u64> = report.findings.iter().map(|finding| finding.from).collect();
    assert_eq!(entries, [0, 3, 7, 11]);
    assert!(findings(&report)[0].ends_with("is not as mayi made it"), "{:?}", findings(&report));
}

/// D7.7: all columns: also one that somebody added.
#[test]
fn given_a_column_more_then_a_value_in_it_is_found() {
    let (_place, report) = tampered(|connection| {
        connection
            .execute_batch(
                "ALTER TABLE record ADD COLUMN more TEXT; UPDATE record SET more = '' WHERE seq = 4",
            )
            .unwrap();
    });
    assert_eq!(found(&report)[1], (4, 4, RecordFault::Changed));
}

/// D7.7: `mayi log verify` finds any ... removed end: and goes on finding it after more was written.
/// Attack 22.
#[test]
fn given_a_removed_end_then_what_is_appended_does_not_hide_it() {
    let (place, report) = tampered(|connection| {
        connection.execute("DELETE FROM record WHERE seq > 9", ()).unwrap();
    });
    assert_eq!(findings(&report), ["the end was removed: entries from 10 to 14 are missing"]);
    append(&place.open(), [1, 2]);
    let report = place.verify();
    assert_eq!(found(&report), [(10, 14, RecordFault::Missing)]);
    assert_eq!((report.last, report.head), (Some(16), HeadState::Current));

    // Also where nothing at all is left.
    let (place, _) = tampered(|_| {});
    fs::remove_file(place.at("store.db")).unwrap();
    let store = place.open();
    assert_eq!(found(&verify(&store)), [(1, 14, RecordFault::EndRemoved)]);
    append(&store, [1]);
    assert_eq!(found(&verify(&store)), [(1, 14, RecordFault::Missing)]);
}

/// Attack 22: another end with the same numbers, written when the head was brought back once: only that one of them
/// counts that the head names.
#[test]
fn given_another_end_with_the_same_numbers_then_it_is_found_and_stays_so() {
    let (place, _) = tampered(|_| {});
    let read = |name| fs::read(place.at(name)).unwrap();
    let begin = read("store.db");
    append(&place.open(), [20, 21]);
    let one_end = read("store.db");
    fs::write(place.at("store.db"), begin).unwrap();
    fs::write(place.at("head"), files().heads.last().unwrap()).unwrap();
    append(&place.open(), [30, 31]);
    assert!(place.verify().is_sound());
    fs::write(place.at("store.db"), one_end).unwrap();
    assert_eq!(found(&place.verify()), [(16, 16, RecordFault::Replaced)]);
    append(&place.open(), [40]);
    assert_eq!(found(&place.verify()), [(16, 16, RecordFault::Replaced)]);
}

/// Attack 310: an older head put back, and the end removed, so that the rest stands behind that head: nothing is appended,
/// and it is found as long as it is so. One commit behind is what a killed process leaves: it is mended.
#[test]
fn given_an_older_head_and_a_removed_end_then_nothing_is_appended_and_it_is_found_again_and_again() {
    for (named, last) in [(4, 6), (4, 9), (0, 2), (9, ALL)] {
        let (place, _) = tampered(|connection| {
            connection.execute("DELETE FROM record WHERE seq > ?1", [last.cast_signed()]).unwrap();
        });
        let named_at = usize::try_from(named).unwrap();
        fs::write(place.at("head"), &files().heads[named_at]).unwrap();
        for _ in 0..3 {
            // Each opens the store anew, as the next run does.
            let refused = place.open().commit(vec![Change::Append(entry(20))]).unwrap_err().to_string();
            assert!(
                refused.contains(&format!("more than one commit stands behind entry {named}")),
                "{refused}"
            );
            assert_eq!(found(&place.verify()), [(named + 1, last, RecordFault::HeadOlder)]);
        }
        assert_eq!(fs::read(place.at("head")).unwrap(), files().heads[named_at]);
    }
    for named in [0_u64, 4, 9] {
        let (place, _) = tampered(|connection| {
            connection.execute("DELETE FROM record WHERE seq > ?1", [named.cast_signed() + 1]).unwrap();
        });
        fs::write(place.at("head"), &files().heads[usize::try_from(named).unwrap()]).unwrap();
        append(&place.open(), [20]);
        let report = place.verify();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!((report.last, report.head), (Some(named + 2), HeadState::Current));
    }
}

/// The limit that THREATS.md tells of: a record and its head, brought back together, are a record and its head.
#[test]
fn given_an_end_removed_and_its_head_brought_back_then_nothing_shows() {
    let (place, _) = tampered(|connection| {
        connection.execute("DELETE FROM record WHERE seq > 9", ()).unwrap();
    });
    fs::write(place.at("head"), &files().heads[9]).unwrap();
    assert!(place.verify().is_sound());
}

/// "A head that lags must verify as fine with a note; the next append mends it."
#[test]
fn given_a_process_that_was_ended_before_its_head_then_it_is_no_finding_and_is_mended() {
    let place = Place::new();
    let store = place.open();
    append(&store, [1, 2]);
    let head = fs::read(place.at("head")).unwrap();
    store.commit((3..=5).map(|number| Change::Append(entry(number))).collect()).unwrap();
    fs::write(place.at("head"), &head).unwrap();
    let report = verify(&store);
    assert_eq!((report.findings.len(), report.head), (0, HeadState::Behind { entries: 3 }));
    append(&store, [6]);
    let report = verify(&store);
    assert_eq!((report.findings.len(), report.head), (0, HeadState::Current));
    // A commit that fails mends it too: it is never two commits behind.
    let head = fs::read(place.at("head")).unwrap();
    append(&store, [7]);
    fs::write(place.at("head"), &head).unwrap();
    let (id, at) = (crate::store::GrantId::new(), second(8));
    store.commit(vec![Change::Append(entry(8)), Change::Use { id, at }]).unwrap_err();
    let report = verify(&store);
    assert_eq!((report.findings.len(), report.last, report.head), (0, Some(7), HeadState::Current));
    append(&store, [8]);
    assert!(verify(&store).is_sound());
}
