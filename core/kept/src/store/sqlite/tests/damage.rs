//! Databases with a page that can't be read.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;

use super::{Place, entry, quick, second};
use crate::record::{Entry, Recorded};
use crate::store::{Change, EntryGap, EntryQuery, Order, SqliteStore, Store};

/// The size of a page, in bytes: SQLite's own.
const PAGE: usize = 4096;

/// Number of entries: enough for two pages with pointers to others.
const ENTRIES: u64 = 300;

/// A database without a log, of which some entries fill pages of their own.
fn written() -> (Place, Vec<u8>) {
    let place = Place::new();
    let store = place.open();
    for number in 1..=ENTRIES {
        let text = if number.is_multiple_of(50) { 9_000 } else { 300 };
        let entry = Entry { detail: json!({ "number": number, "text": "x".repeat(text) }), ..entry(number) };
        store.commit(vec![Change::Append(entry)]).unwrap();
    }
    drop(store);
    assert!(!place.at("store.db-wal").exists(), "all of it is in the database");
    let bytes = fs::read(place.at("store.db")).unwrap();
    assert_eq!(bytes.len() % PAGE, 0);
    (place, bytes)
}

/// The database with other bytes, opened to be read.
fn opened(place: &Place, bytes: &[u8]) -> Option<SqliteStore> {
    for name in ["store.db-wal", "store.db-shm"] {
        let _ = fs::remove_file(place.at(name));
    }
    fs::write(place.at("store.db"), bytes).unwrap();
    SqliteStore::open_existing(&place.data, quick()).ok().flatten()
}

fn numbers(found: &[Recorded]) -> BTreeSet<u64> {
    found.iter().map(|recorded| recorded.seq).collect()
}

fn in_gap(gaps: &[EntryGap], number: u64) -> bool {
    gaps.iter().any(|gap| {
        gap.after.is_none_or(|after| after < number) && gap.before.is_none_or(|before| number < before)
    })
}

/// D7.7: Of a damaged database, what can be read is shown, and between which entries it can't be is said: whichever page it is,
/// one at a time.
#[test]
fn given_any_page_that_is_damaged_then_all_other_entries_are_found_and_the_gap_is_named() {
    let (place, whole) = written();
    let all: BTreeSet<u64> = (1..=ENTRIES).collect();
    let (mut damaged, mut most_lost, mut unopened) = (0, 0, 0);
    for page in 1..whole.len() / PAGE {
        let mut bytes = whole.clone();
        // The head of a page says what it is: it is none of SQLite's kinds then.
        for byte in &mut bytes[page * PAGE..page * PAGE + 8] {
            *byte ^= 0xff;
        }
        // What the tables are stands on the first page, and on one or two more: without it, nothing can be read at all.
        let Some(store) = opened(&place, &bytes) else {
            unopened += 1;
            continue;
        };
        for order in [Order::NewestFirst, Order::OldestFirst] {
            let query = EntryQuery { order, ..EntryQuery::default() };
            let found = store.query_entries(&query).unwrap_or_else(|error| panic!("page {page}: {error}"));
            let gaps = store.gaps();
            let lost: BTreeSet<u64> = all.iter().copied().filter(|number| in_gap(&gaps, *number)).collect();
            assert_eq!(numbers(&found), &all - &lost, "page {page}: {gaps:?}");
            let sorted = match order {
                Order::NewestFirst => found.is_sorted_by_key(|recorded| u64::MAX - recorded.seq),
                Order::OldestFirst => found.is_sorted_by_key(|recorded| recorded.seq),
            };
            assert!(sorted, "page {page}");
            if lost.len() < all.len() {
                most_lost = most_lost.max(lost.len());
            }
        }
        let (check, quick) = store.damage_check();
        assert!(quick);
        if !store.gaps().is_empty() {
            damaged += 1;
            assert!(check.run().is_some(), "page {page}: whoever writes it is told");
        }
        // What is asked for by more than its number, a page at a time.
        let of_agent = EntryQuery { limit: Some(7), since: Some(second(290)), ..EntryQuery::default() };
        let gaps = store.gaps();
        let found = store.query_entries(&of_agent).unwrap_or_else(|error| panic!("page {page}: {error}"));
        let wanted: BTreeSet<u64> =
            all.iter().copied().rev().filter(|number| !in_gap(&gaps, *number)).take(7).collect();
        if wanted.first().is_some_and(|first| *first >= 290) {
            assert_eq!(numbers(&found), wanted, "page {page}");
        }
    }
    assert!(unopened < 4, "{unopened} pages hide all others");
    assert!(damaged > 20, "{damaged} pages of {} hold entries", whole.len() / PAGE);
    assert!(most_lost < 30, "{most_lost} were lost by one page");
}

/// The first page is the head of all: what it says is wrong, and nothing hangs or panics.
#[test]
fn given_a_first_page_that_is_damaged_then_that_is_said() {
    let (place, whole) = written();
    for at in (0..PAGE).step_by(64) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        let Some(store) = opened(&place, &bytes) else { continue };
        if let Ok(found) = store.query_entries(&EntryQuery::default()) {
            let gaps = store.gaps();
            assert!(found.len() as u64 == ENTRIES || !gaps.is_empty(), "byte {at}: {} found", found.len());
        }
    }
}

/// Single bytes within pages: nothing hangs or panics, and what can be read is found.
#[test]
fn given_bytes_that_are_damaged_then_nearly_all_is_found() {
    let (place, whole) = written();
    let mut unopened = 0;
    for at in (PAGE..whole.len()).step_by(1_777) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        let Some(store) = opened(&place, &bytes) else {
            unopened += 1;
            continue;
        };
        let found = store.query_entries(&EntryQuery::default());
        let found = found.unwrap_or_else(|error| panic!("byte {at}: {error}"));
        let gaps = store.gaps();
        let known = (1..=ENTRIES).filter(|number| !in_gap(&gaps, *number)).count();
        assert!(found.len() + 30 >= known, "byte {at}: {} of {known}, {gaps:?}", found.len());
    }
    assert!(unopened < 8, "{unopened} bytes hide all others");
}

/// A database that is as mayi wrote it has no gaps, and nobody is warned.
#[test]
fn given_a_sound_database_then_nothing_is_missing() {
    let (place, whole) = written();
    let store = opened(&place, &whole).unwrap();
    assert_eq!(store.query_entries(&EntryQuery::default()).unwrap().len() as u64, ENTRIES);
    assert_eq!(store.gaps(), []);
    assert!(store.damage_check().0.run().is_none());
}
