//! Stores of every version that there was.

use std::fs;

use rusqlite::Connection;
use serde_json::json;

use super::super::{folder, schema};
use super::{Place, append, second, verify};
use crate::record::Kind;
use crate::store::{
    ApprovalQuery, Change, Definition, EntryQuery, GrantQuery, Item, PinnedItem, Store, StoreError,
};

/// A store of each version, as SQL text; its key and head are in the first lines. One more goes here with every new
/// version, written by the one before.
const STORES: &[&str] = &[
    include_str!("versions/1.sql"),
    include_str!("versions/2.sql"),
    include_str!("versions/3.sql"),
    include_str!("versions/4.sql"),
    include_str!("versions/5.sql"),
];

/// Puts a store of an earlier version in a folder.
fn lay(text: &str) -> Place {
    let place = Place::new();
    folder::make_folder(&place.data).unwrap();
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
        let entries = store.query_entries(&EntryQuery::default()).unwrap();
        let kinds: Vec<Kind> = entries.iter().map(|found| found.entry.kind).collect();
        assert_eq!(kinds, [Kind::Answered, Kind::Decided, Kind::Proposed]);
        let grants = store.query_grants(&GrantQuery::default()).unwrap();
        assert_eq!(grants.len(), 1);
        assert_eq!(grants[0].scripts.len(), usize::from(at > 0), "the first version had none");
        assert_eq!(grants[0].server.is_some(), at > 1, "the first two knew of none");
        let pins = store.read_pins(None).unwrap();
        assert_eq!(pins.len(), usize::from(at > 1));
        assert!(pins.iter().all(|pin| pin.is_changed() && pin.trusted.is_some()));
        assert_eq!(store.query_approvals(&ApprovalQuery::default()).unwrap().len(), 1);
        append(&store, [4]);
        assert!(verify(&store).is_sound());
    }
}

/// Found in review: of a server that was known before and gave no instructions, that is pinned now, as if it
/// had been noticed then; and an answer that was remembered for a server goes on counting for it. Attack 287.
#[test]
fn given_servers_that_were_known_before_then_those_that_gave_no_instructions_are_held_to_it() {
    let place = lay(STORES[2]);
    let row = |server: &str, kind: &str| {
        let insert = r#"INSERT INTO pins (server, kind, name, trusted, first_seen)
            VALUES (?1, ?2, '', '{"value":"x","digest":"dd"}', 1800000000000000000)"#;
        place.database().execute(insert, (server, kind)).unwrap();
    };
    for (server, kind) in [("quiet", "launch"), ("speaks", "launch"), ("speaks", "instructions")] {
        row(server, kind);
    }
    let store = place.open();
    let instructions = |server: &str| {
        let of = |pin: &PinnedItem| pin.item == Item::Instructions;
        store.read_pins(Some(server)).unwrap().into_iter().find(of).and_then(|pin| pin.trusted)
    };
    let none = Definition::from_value(serde_json::Value::Null);
    let quiet = instructions("quiet").unwrap();
    assert_eq!((&quiet.value, &quiet.digest), (&none.value, &none.digest));
    assert_eq!(instructions("speaks").unwrap().value, "x");
    assert_eq!(instructions("github"), None, "nobody knows how it is started");
    assert_eq!(store.query_grants(&GrantQuery::default()).unwrap().len(), 1);
}

/// Found in review: what was pinned by the program's path and without `_meta` counts by what is
/// pinned now, if it is the same; and only once, so that nothing else can slip in behind it. Attacks 119, 288.
#[test]
fn given_pins_of_an_earlier_version_then_the_same_words_stay_trusted_and_others_do_not() {
    let place = lay(STORES[2]);
    let plain = json!({"name": "a", "description": "x", "inputSchema": {"type": "object"}});
    let with_meta = |n: u64| {
        let mut tool = plain.clone();
        tool["_meta"] = json!({"n": n});
        tool
    };
    let resolved = json!({"command": ["/usr/bin/python3.11", "srv.py"], "env": ["KEY"]});
    for server in ["same", "other", "late"] {
        for (kind, name, value) in [("launch", "", &resolved), ("tool", "a", &plain)] {
            let trusted = json!({"value": value, "digest": mayi_call::digest_of(value)}).to_string();
            let insert =
                "INSERT INTO pins (server, kind, name, trusted, first_seen) VALUES (?1, ?2, ?3, ?4, 1)";
            place.database().execute(insert, (server, kind, name, trusted)).unwrap();
        }
    }
    let store = place.open();
    let says = |server: &str, program: &str, listed: &serde_json::Value| {
        let program = json!({"program": program, "scripts": {}});
        let said = [
            (Item::Launch, json!({"command": ["python3", "srv.py"], "env": ["KEY"]})),
            (Item::Program, program.clone()),
            (Item::Tool("a".to_owned()), listed.clone()),
        ];
        let pin = |(item, value): (Item, serde_json::Value)| Change::Pin {
            server: server.to_owned(),
            said: Box::new(Definition::from_server(value, Some(&program), &Default::default())),
            item,
            at: second(1),
        };
        store.commit(said.map(pin).into()).unwrap();
        let pins = store.read_pins(Some(server)).unwrap();
        let blocked = |item: &Item| pins.iter().any(|pin| pin.item == *item && pin.is_blocked());
        [!blocked(&Item::Launch), !blocked(&Item::Tool("a".to_owned()))]
    };
    assert_eq!(says("same", "/usr/bin/python3.11", &with_meta(1)), [true, true]);
    assert_eq!(says("same", "/other/python3", &with_meta(1)), [true, true], "it is by the words now");
    assert_eq!(says("same", "/usr/bin/python3.11", &with_meta(2)), [true, false]);
    assert!(!says("other", "/tmp/python3", &with_meta(1))[0]);
    assert_eq!(says("late", "/usr/bin/python3.11", &plain), [true, true]);
    assert_eq!(says("late", "/usr/bin/python3.11", &with_meta(1)), [true, false], "added later");
    // The second form had no icons, and nothing that nobody knew.
    let with_icons = |n: u64| {
        let mut tool = with_meta(n);
        tool["icons"] = json!([{"src": "https://x.example/i.png"}]);
        tool
    };
    let trusted =
        json!({"value": with_meta(1), "digest": mayi_call::digest_of(&with_meta(1)), "form": 1}).to_string();
    let insert =
        "INSERT INTO pins (server, kind, name, trusted, first_seen) VALUES ('second', 'tool', 'a', ?1, 1)";
    place.database().execute(insert, [trusted]).unwrap();
    assert_eq!(says("second", "/usr/bin/python3.11", &with_icons(1)), [true, true]);
    assert_eq!(says("second", "/usr/bin/python3.11", &with_meta(1)), [true, false], "once");
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
    assert!(schema::migrate_tables(&mut connection, &path, &broken).is_err());
    assert_eq!(version(&connection), schema::STEPS.len());
    assert!(connection.prepare("SELECT note FROM grants").is_err());
    let good = steps("ALTER TABLE grants ADD COLUMN note TEXT;");
    schema::migrate_tables(&mut connection, &path, &good).unwrap();
    schema::migrate_tables(&mut connection, &path, &good).unwrap();
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
