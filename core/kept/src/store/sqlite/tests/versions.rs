//! Stores of every version that there was.

use std::fs;

use rusqlite::Connection;

use super::super::{folder, schema};
use super::{Place, append, verify};
use crate::record::Kind;
use crate::store::{ApprovalQuery, EntryQuery, GrantQuery, Store, StoreError};

/// A store of each version, as SQL text; its key and head are in the first lines. One more goes here with every new
/// version, written by the one before.
const STORES: &[&str] =
    &[include_str!("versions/1.sql"), include_str!("versions/2.sql"), include_str!("versions/3.sql")];

/// Puts a store of an earlier version in a folder.
fn lay(text: &str) -> Place {
    let place = Place::new();
    folder::make(&place.data).unwrap();
    let said = |name: &str| text.lines().find_map(|line| line.strip_prefix(&format!("-- {name}: "))).unwrap();
    for name in ["key", "head"] {
        fs::write(place.at(name), format!("{}\n", said(name))).unwrap();
    }
    fs::write(place.at("store.db"), "").unwrap();
    place.database().execute_batch(text).unwrap();
    #[cfg(unix)]
    for name in ["key", "head", "store.db"] {
        fs::set_permissions(place.at(name), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    place
}

/// Rule: a store of every earlier version opens, and says what it said.
#[test]
fn given_a_store_of_any_version_then_it_opens_with_all_that_was_in_it() {
    assert_eq!(STORES.len(), schema::STEPS.len(), "each version has its store here");
    for (at, text) in STORES.iter().enumerate() {
        let place = lay(text);
        let store = place.open();
        let report = verify(&store);
        assert!(report.is_sound(), "version {}: {report:?}", at + 1);
        let entries = store.entries(&EntryQuery::default()).unwrap();
        let kinds: Vec<Kind> = entries.iter().map(|found| found.entry.kind).collect();
        assert_eq!(kinds, [Kind::Answered, Kind::Decided, Kind::Proposed]);
        let grants = store.grants(&GrantQuery::default()).unwrap();
        assert_eq!(grants.len(), 1);
        assert_eq!(grants[0].scripts.len(), usize::from(at > 0), "the first version had none");
        assert_eq!(grants[0].server.is_some(), at > 1, "the first two knew of none");
        let pins = store.pins(None).unwrap();
        assert_eq!(pins.len(), usize::from(at > 1));
        assert!(pins.iter().all(|pin| pin.is_changed() && pin.trusted.is_some()));
        assert_eq!(store.approvals(&ApprovalQuery::default()).unwrap().len(), 1);
        append(&store, [4]);
        assert!(verify(&store).is_sound());
    }
}

/// Rule: a version is reached by its step, whole or not at all, and an older mayi leaves it alone then.
#[test]
fn given_one_step_more_then_it_is_taken_once_or_not_at_all() {
    let steps = |last| [schema::STEPS, &[last]].concat();
    let place = lay(STORES[STORES.len() - 1]);
    let path = place.at("store.db");
    let version = |connection: &Connection| -> usize {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap() as usize
    };
    let mut connection = place.database();
    let broken = steps("ALTER TABLE grants ADD COLUMN note TEXT; SELECT * FROM nothing;");
    assert!(schema::migrate(&mut connection, &path, &broken).is_err());
    assert_eq!(version(&connection), schema::STEPS.len());
    assert!(connection.prepare("SELECT note FROM grants").is_err());
    let good = steps("ALTER TABLE grants ADD COLUMN note TEXT;");
    schema::migrate(&mut connection, &path, &good).unwrap();
    schema::migrate(&mut connection, &path, &good).unwrap();
    assert_eq!(version(&connection), schema::STEPS.len() + 1);
    assert!(connection.prepare("SELECT note FROM grants").is_ok());
    drop(connection);
    assert!(matches!(place.try_open(), Err(StoreError::Newer { .. })));
}

/// A later version may add columns to the record: what was sealed without them stays as it was.
#[test]
fn given_a_column_that_a_later_version_adds_then_older_entries_stay_sealed() {
    let place = lay(STORES[0]);
    place.database().execute_batch("ALTER TABLE record ADD COLUMN later TEXT").unwrap();
    let report = place.verify();
    let found: Vec<u64> = report.findings.iter().map(|finding| finding.from).collect();
    assert_eq!(found, [0], "the table is another one, and its entries are the same");
}
