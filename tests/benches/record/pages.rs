//! The first page of a long record: opened anew each time, as `mayi log` does.

use std::time::{Duration, Instant};

use criterion::Criterion;
use jiff::{SignedDuration, Timestamp};
use mayi_core::approval::ApprovalId;
use mayi_core::call::{AgentId, SessionId};
use mayi_core::policy::Effect;
use mayi_core::record::{CallId, Entry, Kind};
use mayi_core::store::{Change, Durability, EntryQuery, SqliteStore, Store};
use serde_json::json;

use crate::{Outcome, options};

/// As many entries are shown at once.
const PAGE: u32 = 50;

/// A record of so many entries. Every 10,000th or so is of an agent, a kind and a session that are rare.
fn build(store: &SqliteStore, entries: u64) -> Outcome<Vec<CallId>> {
    let begin = Instant::now();
    let mut calls = Vec::new();
    let now = Timestamp::now();
    for chunk in 0..entries / 10_000 {
        let mut changes = Vec::with_capacity(10_000);
        for number in 0..10_000 {
            let number = chunk * 10_000 + number;
            let rare = number % 10_000 == 7_777;
            let call = CallId::new();
            if rare {
                calls.push(call);
            }
            let (kind, effect) = match number % 20 {
                _ if rare => (Kind::Revoked, None),
                0 => (Kind::Asked, Some(Effect::Ask)),
                1 => (Kind::Answered, Some(if number % 3 == 0 { Effect::Deny } else { Effect::Allow })),
                number if number % 2 == 0 => (Kind::Proposed, None),
                _ => (Kind::Decided, Some(Effect::Allow)),
            };
            let entry = Entry {
                call: Some(call),
                approval: (number % 20 < 2).then(ApprovalId::new),
                session: Some(SessionId(format!("session-{}", number / 1_000))),
                agent: Some(AgentId::from_name(if rare { "rare" } else { "claude" })),
                workspace: Some(format!("/home/me/work{}", number % 7)),
                effect,
                access: Some(format!("shell(cargo test -p crate-{})", number % 100)),
                ..Entry::new(
                    now - SignedDuration::from_secs((entries - number).cast_signed()),
                    kind,
                    json!({ "number": number, "preview": "x".repeat(1_000) }),
                )
            };
            changes.push(Change::Append(entry));
        }
        store.commit(changes)?;
    }
    println!("built {entries} entries in {:.1?}", begin.elapsed());
    Ok(calls)
}

pub(crate) fn reading(criterion: &mut Criterion, entries: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("mayi");
    let calls = {
        let store = SqliteStore::open(&data, options(Durability::Process))?;
        build(&store, entries)?
    };
    let bytes = std::fs::metadata(data.join("store.db"))?.len();
    println!("{} MiB, {} bytes an entry", bytes >> 20, bytes / entries);
    let page = || EntryQuery { limit: Some(PAGE), ..EntryQuery::default() };
    let agent = |name: &str| Some(AgentId::from_name(name));
    let day = Timestamp::now() - SignedDuration::from_hours(24);
    let queries = [
        ("newest", page()),
        ("agent, rare", EntryQuery { agent: agent("rare"), ..page() }),
        ("agent, common", EntryQuery { agent: agent("claude"), ..page() }),
        ("kind, rare", EntryQuery { kinds: vec![Kind::Revoked], ..page() }),
        ("kinds, rare and common", EntryQuery { kinds: vec![Kind::Revoked, Kind::Decided], ..page() }),
        ("effect", EntryQuery { effects: vec![Effect::Deny], ..page() }),
        ("agent and kind", EntryQuery { agent: agent("claude"), kinds: vec![Kind::Revoked], ..page() }),
        ("session", EntryQuery { session: Some(SessionId("session-3".to_owned())), ..page() }),
        ("call", EntryQuery { call: calls.first().copied(), ..page() }),
        ("last day", EntryQuery { since: Some(day), ..page() }),
        ("before the last day", EntryQuery { until: Some(day), ..page() }),
    ];
    let mut group = criterion.benchmark_group("first page");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for (what, query) in queries {
        let open = || -> Outcome<usize> {
            let store = SqliteStore::open_existing(&data, options(Durability::Process))?;
            Ok(store.ok_or("no store")?.query_entries(&query)?.len())
        };
        println!("{what}: {} entries", open()?);
        group.bench_function(what, |bencher| bencher.iter(open));
    }
    group.finish();
    let store = SqliteStore::open_existing(&data, options(Durability::Process))?.ok_or("no store")?;
    let begin = Instant::now();
    let report = store.verify_record(&mut |_, _| {})?;
    println!("verify: {} entries in {:.1?}, sound: {}", report.entries, begin.elapsed(), report.is_sound());
    let begin = Instant::now();
    for _ in 0..10_000 {
        store.change_stamp()?;
    }
    println!("stamp: {:.2?}", begin.elapsed() / 10_000);
    Ok(())
}
