//! What is opened, made, and refused.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use super::{Options, Place, append, findings, quick, verify};
use crate::record::RecordFault;
use crate::store::{SqliteStore, Store, StoreError};

/// "`mayi log` where nothing is there yet": nothing is made by looking.
#[test]
fn given_no_store_then_reading_finds_none_and_makes_none() {
    let place = Place::new();
    assert!(SqliteStore::open_existing(&place.data, quick()).unwrap().is_none());
    assert_eq!(fs::metadata(&place.data).unwrap_err().kind(), ErrorKind::NotFound);
    fs::create_dir(&place.data).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&place.data, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    assert!(SqliteStore::open_existing(&place.data, quick()).unwrap().is_none());
    assert_eq!(fs::read_dir(&place.data).unwrap().count(), 0);
}

/// `mayi log --follow` beside the first run of all: a database without tables is one that is being made.
#[test]
fn given_a_database_that_is_half_made_then_reading_finds_none() {
    let place = Place::new();
    append(&place.open(), [1]);
    for name in ["store.db-wal", "store.db-shm", "key", "head"] {
        let _ = fs::remove_file(place.at(name));
    }
    fs::write(place.at("store.db"), "").unwrap();
    assert!(SqliteStore::open_existing(&place.data, quick()).unwrap().is_none());
    place.database().pragma_update(None, "journal_mode", "WAL").unwrap();
    assert!(SqliteStore::open_existing(&place.data, quick()).unwrap().is_none());
}

/// Attack 22: a record whose tables are gone, or can't be seen, is none that is being made.
#[test]
fn given_a_database_without_its_tables_beside_a_key_then_it_is_damaged() {
    let place = Place::new();
    append(&place.open(), [1]);
    place.database().pragma_update(None, "user_version", 0).unwrap();
    for what in ["hidden", "gone"] {
        let error = SqliteStore::open_existing(&place.data, quick()).err().unwrap();
        assert!(matches!(error, StoreError::Damaged { .. }), "{what}: {error}");
        for name in ["store.db-wal", "store.db-shm"] {
            let _ = fs::remove_file(place.at(name));
        }
        fs::write(place.at("store.db"), "").unwrap();
    }
    for name in ["key", "head"] {
        assert!(SqliteStore::open_existing(&place.data, quick()).is_err());
        fs::remove_file(place.at(name)).unwrap();
    }
    assert!(SqliteStore::open_existing(&place.data, quick()).unwrap().is_none());
}

/// D7.8: the key is the user's alone, and so is everything that it seals.
#[cfg(unix)]
#[test]
fn given_a_new_store_then_nobody_else_can_look_into_it() {
    use super::mode;
    let place = Place::new();
    let store = place.open();
    append(&store, [1]);
    assert_eq!(mode(&place.data), 0o700);
    let mut names: Vec<String> = fs::read_dir(&place.data)
        .unwrap()
        .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["head", "key", "lock", "store.db", "store.db-shm", "store.db-wal"]);
    for name in names {
        assert_eq!(mode(&place.at(&name)), 0o600, "{name}");
    }
}

/// Attack 22: whoever could read the key could write the record anew; whoever could write a file could exchange it.
#[cfg(unix)]
#[test]
fn given_a_file_that_is_open_to_others_then_nothing_is_opened() {
    use std::os::unix::fs::PermissionsExt;
    for (name, mode) in [("key", 0o640), ("key", 0o602), ("store.db", 0o604), ("head", 0o620), ("", 0o750)] {
        let place = Place::new();
        append(&place.open(), [1]);
        fs::set_permissions(place.at(name), fs::Permissions::from_mode(mode)).unwrap();
        let error = place.try_open().err().unwrap();
        assert!(matches!(error, StoreError::Unsafe { .. }), "{name}: {error}");
        assert!(error.to_string().contains("chmod go= "), "{error}");
        let reading = SqliteStore::open_existing(&place.data, quick());
        let refused = matches!(reading, Err(StoreError::Unsafe { .. }));
        assert_eq!(refused, name != "head", "the head is looked at when it is checked");
    }
}

/// A folder of somebody else's: only root can make one, to see that it is refused.
#[cfg(unix)]
#[test]
fn given_a_file_of_another_user_then_nothing_is_opened() {
    let place = Place::new();
    append(&place.open(), [1]);
    match std::os::unix::fs::chown(place.at("key"), Some(65_534), None) {
        Ok(()) => {
            let error = place.try_open().err().unwrap();
            assert!(matches!(error, StoreError::Unsafe { .. }), "{error}");
            assert!(error.to_string().contains("belongs to another user (uid 65534)"), "{error}");
        }
        // Not root: then root's own folder is the one of somebody else.
        Err(_) => {
            let refused = super::super::folder::check_safe(&place.data, &fs::metadata("/").unwrap());
            assert!(matches!(refused, Err(StoreError::Unsafe { .. })));
        }
    }
}

/// A link could lead into a folder of somebody else's, or be exchanged after it was looked at.
#[cfg(unix)]
#[test]
fn given_a_link_in_the_place_of_a_file_then_it_is_not_followed() {
    for name in ["key", "head", "store.db", "lock"] {
        let place = Place::new();
        append(&place.open(), [1]);
        let elsewhere = place.at("elsewhere");
        fs::rename(place.at(name), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, place.at(name)).unwrap();
        let error = place.try_open().err().unwrap();
        assert!(matches!(error, StoreError::Unsafe { .. }), "{name}: {error}");
    }
}

/// Attack 22: "a deleted head or key must be reported, never silently made anew".
#[test]
fn given_entries_and_no_key_or_head_then_nothing_is_appended_and_it_is_told() {
    for name in ["key", "head"] {
        let place = Place::new();
        let store = place.open();
        append(&store, [1, 2]);
        fs::remove_file(place.at(name)).unwrap();
        let error = place.try_open().err().unwrap();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains(&format!("the record's {name} is missing")), "{error}");
        assert!(!place.at(name).exists());
        if name == "head" {
            let change = crate::store::Change::Append(super::entry(3));
            assert!(matches!(store.commit(vec![change]), Err(StoreError::Damaged { .. })));
            let report = place.verify();
            assert_eq!(report.findings[0].what, RecordFault::HeadMissing);
        }
        assert_eq!(place.read().query_entries(&Default::default()).unwrap().len(), 2, "it can be read");
    }
}

/// "Key of the wrong length": said, and not mended.
#[test]
fn given_a_damaged_key_then_it_is_refused() {
    for bad in ["", "00", "zz", &"0".repeat(66), &"G".repeat(64)] {
        let place = Place::new();
        append(&place.open(), [1]);
        fs::write(place.at("key"), bad).unwrap();
        let error = place.try_open().err().unwrap();
        assert!(matches!(error, StoreError::Damaged { .. }), "{bad}: {error}");
        assert_eq!(fs::read_to_string(place.at("key")).unwrap(), bad);
    }
}

/// "Another key": everything was changed, and that is one finding.
#[test]
fn given_another_key_then_all_entries_count_as_changed() {
    let place = Place::new();
    append(&place.open(), 1..=200);
    fs::write(place.at("key"), format!("{}\n", "ab".repeat(32))).unwrap();
    let found = findings(&place.verify());
    assert_eq!(
        found,
        ["entries 1 to 200 were changed", "the head is damaged: a removed end would not show",]
    );
}

/// "Newer is refused without touching it."
#[test]
fn given_a_store_of_a_later_version_then_it_is_left_as_it_is() {
    let place = Place::new();
    append(&place.open(), [1]);
    place.database().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(place.at("store.db")).unwrap();
    let error = place.try_open().err().unwrap();
    assert!(matches!(error, StoreError::Newer { found: 99, known: 5, .. }), "{error}");
    assert!(SqliteStore::open_existing(&place.data, quick()).is_err());
    assert_eq!(fs::read(place.at("store.db")).unwrap(), before);
}

/// "Damaged database": said, and not mended.
#[test]
fn given_something_else_in_the_place_of_the_database_then_it_is_refused() {
    let place = Place::new();
    append(&place.open(), [1]);
    let mut bytes = fs::read(place.at("store.db")).unwrap();
    bytes[..16].fill(b'x');
    fs::write(place.at("store.db"), &bytes).unwrap();
    let error = place.try_open().err().unwrap();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert_eq!(fs::read(place.at("store.db")).unwrap(), bytes);

    let other = Place::new();
    append(&other.open(), [1]);
    other.database().pragma_update(None, "application_id", 7).unwrap();
    assert!(matches!(other.try_open(), Err(StoreError::Damaged { .. })));
}

/// "A trigger" of somebody else's would change what mayi writes.
#[test]
fn given_a_trigger_or_a_view_then_it_is_refused() {
    for sql in [
        "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END",
        "CREATE VIEW v AS SELECT * FROM record",
    ] {
        let place = Place::new();
        append(&place.open(), [1]);
        place.database().execute_batch(sql).unwrap();
        assert!(matches!(place.try_open(), Err(StoreError::Damaged { .. })), "{sql}");
    }
}

/// Rule: "lock waiting bounded, with an error naming the file".
#[test]
fn given_a_locked_store_then_it_gives_up_and_names_the_file() {
    let place = Place::new();
    let store = place.open();
    append(&store, [1]);
    let change = || vec![crate::store::Change::Append(super::entry(2))];
    let other = place.database();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.commit(change()).unwrap_err();
    assert!(matches!(&error, StoreError::Locked(path) if *path == place.at("store.db")), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    let lock = fs::File::open(place.at("lock")).unwrap();
    lock.lock().unwrap();
    let error = store.commit(change()).unwrap_err();
    assert!(matches!(&error, StoreError::Locked(path) if *path == place.at("lock")), "{error}");
    drop(lock);
    store.commit(change()).unwrap();
    assert_eq!(verify(&store).last, Some(2));
}

/// Whoever writes to a database that was removed writes into nothing.
#[test]
fn given_a_database_that_was_removed_while_mayi_runs_then_nothing_is_acknowledged() {
    let place = Place::new();
    let store = place.open();
    append(&store, [1]);
    fs::rename(place.at("store.db"), place.at("old.db")).unwrap();
    let change = vec![crate::store::Change::Append(super::entry(2))];
    assert!(matches!(store.commit(change), Err(StoreError::Other { .. })));
}

/// "Nothing is changed" where it was opened to be read.
#[test]
fn given_a_store_to_read_then_nothing_can_be_written() {
    let place = Place::new();
    append(&place.open(), [1]);
    let store = place.read();
    let change = vec![crate::store::Change::Append(super::entry(2))];
    assert!(matches!(store.commit(change), Err(StoreError::ReadOnly { .. })));
    assert!(matches!(
        store.attach_owner(&crate::store::Owner::this_process()),
        Err(StoreError::ReadOnly { .. })
    ));
    assert!(verify(&store).is_sound());
}

/// Rule: "no space left" is said, nothing is half there, and it goes on once there is space.
#[test]
fn given_no_space_then_it_is_said_and_nothing_is_half_there() {
    let place = Place::new();
    let store = place.open();
    append(&store, [1]);
    let pages = |most: i64| {
        let writer = store.lock_writer().unwrap();
        writer.connection.pragma_update_and_check(None, "max_page_count", most, |_| Ok(())).unwrap();
    };
    pages(1);
    let changes = || (2..=2_000).map(|number| crate::store::Change::Append(super::entry(number))).collect();
    let error = store.commit(changes()).unwrap_err();
    assert!(matches!(&error, StoreError::Full(path) if *path == place.at("store.db")), "{error}");
    let report = verify(&store);
    assert_eq!((report.findings.len(), report.last), (0, Some(1)));
    pages(1_000_000);
    store.commit(changes()).unwrap();
    assert_eq!(verify(&store).last, Some(2_000));
}

/// A process of one call: what it reads is what it and others have written so far.
#[test]
fn given_one_connection_then_it_reads_what_is_committed_and_others_read_what_it_commits() {
    let place = Place::new();
    let one = || SqliteStore::open(&place.data, Options { one_connection: true, ..quick() }).unwrap();
    let first = one();
    append(&first, [1]);
    let other = place.open();
    append(&other, [2]);
    let second = one();
    append(&second, [3]);
    let newest = Some(super::second(3));
    for store in [&first, &second, &other] {
        assert_eq!(store.newest_time().unwrap(), newest);
        assert_eq!(store.change_stamp().unwrap(), 0);
        assert_eq!(store.query_entries(&crate::store::EntryQuery::default()).unwrap().len(), 3);
    }
    assert_eq!(findings(&place.verify()), Vec::<String>::new());
}

/// A process that ends waits for no disk, and what it has told is there for the next one.
#[test]
fn given_a_store_that_is_left_then_its_entries_are_there_and_its_log_is_short() {
    let place = Place::new();
    let log = || place.at("store.db-wal").metadata().map_or(0, |meta| meta.len());
    let store = place.open();
    append(&store, 1..=3);
    SqliteStore::leave_unclosed(Arc::new(store));
    assert!(log() > 0, "it was closed");
    assert_eq!(place.verify().entries, 3);
    let other = Place::new();
    let store =
        Arc::new(SqliteStore::open(&other.data, Options { one_connection: true, ..quick() }).unwrap());
    append(&store, 1..=200);
    let log = || other.at("store.db-wal").metadata().unwrap().len();
    assert!(log() > 256 << 10, "the test needs a longer log: {}", log());
    // The gate that is not given back holds it too.
    let held = Arc::clone(&store);
    SqliteStore::leave_unclosed(store);
    assert_eq!(log(), 0, "each that opens it would read all of it");
    append(&held, [201]);
    assert_eq!(findings(&other.verify()), Vec::<String>::new());
    assert_eq!(other.verify().entries, 201);
}
