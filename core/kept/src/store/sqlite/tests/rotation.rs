//! The oldest entries go to archives, and the record stays one.

use std::fs;
use std::time::Duration;

use jiff::SignedDuration;

use super::{Place, append, findings, second, verify};
use crate::record::{RecordFault, VerifyReport};
use crate::store::{EntryQuery, Limits, Store};

const AGE: Duration = Duration::from_secs(100);

/// Moves entries up to `last` of those that [`append`] wrote.
fn rotate(place: &Place, last: u64) -> u64 {
    let now = second(last.cast_signed() + 1) + SignedDuration::try_from(AGE).unwrap();
    place.open().rotate_record(Limits { max_bytes: u64::MAX, max_age: Some(AGE), young: 0 }, now).unwrap()
}

fn archived(report: &VerifyReport) -> Vec<(u64, u64, bool)> {
    report.archives.iter().map(|archive| (archive.first, archive.last, archive.present)).collect()
}

/// A record of 30 entries, of which 12 went to two archives.
fn rotated() -> Place {
    let place = Place::new();
    append(&place.open(), 1..=30);
    assert_eq!(rotate(&place, 5), 5);
    assert_eq!(rotate(&place, 12), 7);
    place
}

/// D7.5: moving entries is no gap: the chain goes on, and the archives are checked along.
#[test]
fn given_archives_then_they_and_the_rest_are_one_chain() {
    let place = rotated();
    let report = place.verify();
    assert_eq!(report.findings, []);
    assert_eq!((report.entries, report.first, report.last), (18, Some(13), Some(30)));
    assert_eq!(archived(&report), [(1, 5, true), (6, 12, true)]);
    let mut names: Vec<_> =
        fs::read_dir(place.at("archive")).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["lock", "record-1-5.jsonl", "record-6-12.jsonl"]);
    #[cfg(unix)]
    assert_eq!(super::mode(&place.at("archive/record-1-5.jsonl")), 0o600);
    append(&place.open(), [31]);
    assert!(place.verify().is_sound());
    assert_eq!(rotate(&place, 12), 0, "nothing is old enough");
}

/// "Archives that the user deleted" are a note: the anchor proves where the record goes on.
#[test]
fn given_a_deleted_archive_then_it_is_noted_and_nothing_is_wrong() {
    let place = rotated();
    fs::remove_file(place.at("archive/record-1-5.jsonl")).unwrap();
    let report = place.verify();
    assert!(report.is_sound());
    assert_eq!(archived(&report), [(1, 5, false), (6, 12, true)]);
}

/// Attack 22: an archive is part of the record: any byte of it counts.
#[test]
fn given_any_byte_of_an_archive_changed_then_it_is_found() {
    let place = rotated();
    let path = place.at("archive/record-6-12.jsonl");
    let text = fs::read(&path).unwrap();
    let line = |at: usize| 6 + text[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
    for at in (0..text.len()).step_by(41) {
        let mut bytes = text.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let report = place.verify();
        let first = report.findings.first().unwrap_or_else(|| panic!("byte {at}"));
        assert_eq!(first.from, line(at), "byte {at}: {report:?}");
    }
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    for (parts, what) in [
        (lines[..5].concat(), "the end of"),
        ([&lines[..2], &lines[3..]].concat().concat(), "entry 8"),
        ([&lines[..], &lines[..1]].concat().concat(), "entry 13"),
    ] {
        fs::write(&path, parts).unwrap();
        let found = findings(&place.verify());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(what), "{found:?}");
    }
}

/// Attack 22: without a key, nobody makes the record begin later.
#[test]
fn given_a_changed_or_removed_anchor_then_it_is_found() {
    for (sql, from, to) in [
        ("UPDATE anchors SET last = 13 WHERE first = 6; DELETE FROM record WHERE seq = 13", 6, 13),
        ("UPDATE anchors SET mac = zeroblob(32) WHERE first = 6", 6, 12),
        ("UPDATE anchors SET prev = zeroblob(32) WHERE first = 6", 6, 12),
        ("DELETE FROM anchors WHERE first = 1", 1, 5),
        ("DELETE FROM anchors", 1, 12),
    ] {
        let place = rotated();
        place.database().execute_batch(sql).unwrap();
        let report = place.verify();
        let first = &report.findings[0];
        assert_eq!((first.from, first.to), (from, to), "{sql}: {report:?}");
        assert!(matches!(first.what, RecordFault::AnchorDamaged | RecordFault::Missing), "{report:?}");
    }
}

/// "Crash-safe at every step": ended after the file was there and before the entries were gone, and in between.
#[test]
fn given_a_process_that_was_ended_while_it_archived_then_the_next_one_does_it_again() {
    let place = rotated();
    let file = fs::read(place.at("archive/record-6-12.jsonl")).unwrap();
    fs::write(place.at("archive/record-13-14.jsonl"), &file[..40]).unwrap();
    fs::write(place.at("archive/.new-abc"), "half").unwrap();
    assert!(place.verify().is_sound(), "what has no anchor is no archive");
    assert_eq!(rotate(&place, 20), 8);
    assert!(!place.at("archive/record-13-14.jsonl").exists());
    assert!(!place.at("archive/.new-abc").exists());
    let report = place.verify();
    assert_eq!((report.findings.len(), report.archives.len()), (0, 3));
}

/// A record that is too large becomes smaller, also on the disk; its newest entry stays.
#[test]
fn given_too_many_bytes_then_the_oldest_entries_go() {
    let place = Place::new();
    let store = place.open();
    let changes = (1..=3_000).map(|number| crate::store::Change::Append(super::entry(number))).collect();
    store.commit(changes).unwrap();
    drop(store);
    let size = || fs::metadata(place.at("store.db")).unwrap().len();
    let before = size();
    let store = place.open();
    let moved =
        store.rotate_record(Limits { max_bytes: before / 2, max_age: None, young: 0 }, second(0)).unwrap();
    assert!(moved > 1_000 && moved < 3_000, "{moved}");
    assert!(size() <= before / 2, "{before} {}", size());
    assert!(verify(&store).is_sound());
    store.rotate_record(Limits { max_bytes: 0, max_age: None, young: 0 }, second(0)).unwrap();
    let left = store.query_entries(&EntryQuery::default()).unwrap();
    assert_eq!(left.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [3_000]);
    let report = verify(&store);
    assert!(report.is_sound(), "{report:?}");
}

/// Found in review: a clock that jumps ahead archives nothing that is young by its number, neither while it
/// is ahead nor when it is right again.
#[test]
fn given_a_clock_that_jumps_ahead_then_what_is_young_by_its_number_stays() {
    let years = 10 * 365 * 24 * 3600;
    let limits = |young| Limits { max_bytes: u64::MAX, max_age: Some(AGE), young };
    let place = Place::new();
    let store = place.open();
    append(&store, 1..=50);
    let ahead = second(years);
    assert_eq!(store.rotate_record(limits(60), ahead).unwrap(), 0, "all are young by their number");
    assert_eq!(
        store.rotate_record(limits(20), ahead).unwrap(),
        0,
        "the twentieth from the end is hardly younger"
    );
    // What a process with that clock wrote, and what was written once it was right again.
    append(&store, years.cast_unsigned()..years.cast_unsigned() + 5);
    assert_eq!(store.rotate_record(limits(20), ahead).unwrap(), 0);
    append(&store, 51..=80);
    for now in [ahead, second(81)] {
        assert_eq!(store.rotate_record(limits(20), now).unwrap(), 0);
    }
    // What is old by both goes, and what the other clock wrote keeps nothing behind it.
    append(&store, 1_001..=1_020);
    assert_eq!(store.rotate_record(limits(20), second(1_021)).unwrap(), 85);
    let report = verify(&store);
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.entries, 20);
}

/// Who opens a store for a moment brings nothing to the disk, unless something is to be archived.
#[test]
fn given_entries_then_they_may_be_old_where_some_are_and_not_where_all_are_young() {
    let limits = |young| Limits { max_bytes: u64::MAX, max_age: Some(AGE), young };
    let place = Place::new();
    let old =
        |young, now| super::super::rotate::may_be_old(&place.database(), limits(young), second(now)).unwrap();
    let day = i64::try_from(AGE.as_secs()).unwrap();
    let store = place.open();
    assert!(!old(0, day), "there are none");
    append(&store, 1..=50);
    assert!(!old(0, day), "the oldest is just as old as it may be");
    assert!(old(0, day + 2));
    assert!(old(49, day + 2));
    assert!(!old(50, day + 2), "all are young by their number");
    // A clock that was ahead at first hides no older ones behind its entries.
    let place = Place::new();
    let store = place.open();
    append(&store, (1..=5).map(|number| number + 100 * day.cast_unsigned()));
    append(&store, 1..=50);
    let old = super::super::rotate::may_be_old(&place.database(), limits(0), second(day + 100)).unwrap();
    assert!(old);
}

/// What is missing before entries are archived is missing afterwards.
#[test]
fn given_a_gap_then_archiving_does_not_hide_it() {
    let place = rotated();
    place.database().execute("DELETE FROM record WHERE seq BETWEEN 13 AND 14", ()).unwrap();
    place.database().execute("DELETE FROM record WHERE seq = 17", ()).unwrap();
    rotate(&place, 20);
    let report = place.verify();
    let found: Vec<_> = report.findings.iter().map(|finding| (finding.from, finding.to)).collect();
    assert_eq!(found, [(13, 14), (17, 17)], "{report:?}");
}
