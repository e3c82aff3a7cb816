//! Queries go by spans, and find what looking at every entry would find.

use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use super::super::spans;
use super::{Place, findings, second, verify};
use crate::approval::ApprovalId;
use crate::record::{CallId, Entry, Kind, Recorded};
use crate::store::{Change, EntryQuery, Limits, Order, Store};
use mayi_call::{AgentId, SessionId};
use mayi_policy::Effect;

fn approval(number: u128) -> ApprovalId {
    Uuid::from_u128(number).to_string().parse().unwrap()
}

/// Entries of several spans: most are alike, and a few are rare in one way or several.
fn entry(number: u64) -> Entry {
    let rare = number % 401 == 7;
    let kind = if rare { Kind::Revoked } else { Kind::ALL[usize::try_from(number % 4).unwrap()] };
    Entry {
        call: Some(CallId(Uuid::from_u128((number / 4).into()))),
        approval: (number % 97 == 3).then(|| approval(number.into())),
        session: Some(SessionId(format!("session-{}", number / 150))),
        agent: Some(AgentId::from_name(if number % 613 == 12 { "codex" } else { "claude" })),
        workspace: Some(format!("/w{}", number / 700)),
        effect: (!rare).then_some(if number % 307 == 5 { Effect::Deny } else { Effect::Allow }),
        access: Some("shell(make)".to_owned()),
        ..Entry::new(second(number.cast_signed()), kind, json!({}))
    }
}

/// Of each kind of query one that finds much, one that finds little and one that finds nothing.
fn queries() -> Vec<EntryQuery> {
    let plain = EntryQuery::default;
    let call = |number| EntryQuery { call: Some(CallId(Uuid::from_u128(number))), ..plain() };
    let session = |name: &str| EntryQuery { session: Some(SessionId(name.to_owned())), ..plain() };
    let agent = |name: &str| EntryQuery { agent: Some(AgentId::from_name(name)), ..plain() };
    let about = |number| EntryQuery { approval: Some(approval(number)), ..plain() };
    let effect = |effect| EntryQuery { effects: vec![effect], ..plain() };
    vec![
        plain(),
        call(9),
        call(300),
        call(9_999),
        session("session-2"),
        session("session"),
        agent("claude"),
        agent("codex"),
        agent("nobody"),
        about(100),
        about(101),
        effect(Effect::Allow),
        effect(Effect::Deny),
        effect(Effect::Ask),
        EntryQuery { kinds: vec![Kind::Revoked], ..plain() },
        EntryQuery { kinds: vec![Kind::Revoked, Kind::Decided], ..agent("codex") },
        EntryQuery { kinds: vec![Kind::Config], ..plain() },
        EntryQuery { workspace: Some("/w1".to_owned()), ..plain() },
        EntryQuery { since: Some(second(700)), ..plain() },
        EntryQuery { until: Some(second(520)), ..effect(Effect::Deny) },
        EntryQuery { since: Some(second(255)), until: Some(second(257)), ..plain() },
    ]
}

fn holds(query: &EntryQuery, found: &Recorded) -> bool {
    let Recorded { seq, entry } = found;
    (query.kinds.is_empty() || query.kinds.contains(&entry.kind))
        && (query.effects.is_empty() || entry.effect.is_some_and(|effect| query.effects.contains(&effect)))
        && (query.agent.is_none() || query.agent == entry.agent)
        && (query.session.is_none() || query.session == entry.session)
        && (query.workspace.is_none() || query.workspace == entry.workspace)
        && (query.approval.is_none() || query.approval == entry.approval)
        && (query.call.is_none() || query.call == entry.call)
        && query.since.is_none_or(|since| entry.at >= since)
        && query.until.is_none_or(|until| entry.at <= until)
        && query.after.is_none_or(|after| *seq > after)
        && query.before.is_none_or(|before| *seq < before)
}

/// Every query, from both ends, with and without bounds, against looking at every entry.
fn check(place: &Place, what: &str) {
    let store = place.read();
    let oldest = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
    let all = store.query_entries(&oldest).unwrap();
    for query in queries() {
        for (after, before) in [(None, None), (Some(255), Some(513)), (Some(700), None), (None, Some(400))] {
            for (order, limit) in [
                (Order::OldestFirst, None),
                (Order::NewestFirst, None),
                (Order::OldestFirst, Some(3)),
                (Order::NewestFirst, Some(20)),
            ] {
                let query = EntryQuery { after, before, order, limit, ..query.clone() };
                let mut wanted: Vec<u64> =
                    all.iter().filter(|found| holds(&query, found)).map(|found| found.seq).collect();
                if order == Order::NewestFirst {
                    wanted.reverse();
                }
                wanted.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
                let found: Vec<u64> =
                    store.query_entries(&query).unwrap().into_iter().map(|found| found.seq).collect();
                assert_eq!(found, wanted, "{what}: {query:?}");
            }
        }
    }
}

/// Entries 1 to 1,300, in commits of several sizes.
fn filled() -> Place {
    let place = Place::new();
    let store = place.open();
    let mut next = 1;
    for size in [1_u64, 2, 7, 250, 400, 3, 636, 1] {
        store.commit((next..next + size).map(|number| Change::Append(entry(number))).collect()).unwrap();
        next += size;
    }
    place
}

/// Rule: a query finds what it asks for in a record of any length, also where its beginning went to archives, where entries are
/// missing, and where an earlier mayi wrote some that no span counts.
#[test]
fn given_many_spans_then_a_query_finds_just_what_looking_at_each_entry_finds() {
    let place = filled();
    check(&place, "as written");
    for (what, sql) in [
        ("a span that nobody counted", "DELETE FROM spans WHERE span = 2"),
        ("a span that was counted in part", "UPDATE spans SET last = last - 9, kinds = 0 WHERE span = 3"),
        ("a gap", "DELETE FROM record WHERE seq BETWEEN 600 AND 610"),
        ("no spans at all", "DELETE FROM spans"),
    ] {
        place.database().execute(sql, ()).unwrap();
        check(&place, what);
    }
    let place = filled();
    let limits = Limits { max_bytes: u64::MAX, max_age: Some(std::time::Duration::from_secs(100)), young: 0 };
    let now = second(301) + SignedDuration::from_secs(100);
    assert_eq!(place.open().rotate_record(limits, now).unwrap(), 300);
    check(&place, "archived");
}

/// A span is a page that a commit would have to write, so it is written once, with its last entry; until then its
/// entries are looked at.
#[test]
fn given_entries_then_their_span_is_written_with_the_last_of_them() {
    let place = Place::new();
    let store = place.open();
    let spans =
        || -> i64 { place.database().query_row("SELECT count(*) FROM spans", (), |row| row.get(0)).unwrap() };
    for (number, written) in [(253, 0), (1, 0), (1, 1), (1, 1)] {
        let next = store.query_entries(&EntryQuery::default()).unwrap().len() as u64 + 1;
        store.commit((next..next + number).map(|number| Change::Append(entry(number))).collect()).unwrap();
        assert_eq!(spans(), written, "{} entries", next + number - 1);
        check(&place, "while it fills");
    }
}

/// Rule: each kind has a bit, so that none is passed by.
#[test]
fn given_every_kind_then_it_has_a_bit() {
    assert!(Kind::ALL.iter().all(|kind| spans::KINDS.contains(kind)));
}

/// Rule: what is written behind entries that nobody counted is found, and so are those.
#[test]
fn given_entries_behind_others_that_were_not_counted_then_all_are_found() {
    let place = filled();
    // As an earlier mayi left it, which counted each commit's: then somebody wrote who counts none.
    let counted = "INSERT INTO spans VALUES (5, 1290, 0, 0, 0, zeroblob(512))";
    place.database().execute(counted, ()).unwrap();
    check(&place, "counted in part");
    let store = place.open();
    for number in 1_301..=1_600 {
        store.commit(vec![Change::Append(entry(number))]).unwrap();
    }
    check(&place, "behind them");
    assert!(verify(&store).is_sound());
}

/// Attack 22: a span that says too little would hide entries from every query: `verify` says so.
#[test]
fn given_a_span_that_hides_entries_then_verify_finds_it() {
    for (sql, at) in [
        ("UPDATE spans SET kinds = 0 WHERE span = 1", 256),
        ("UPDATE spans SET marks = zeroblob(512) WHERE span = 2", 512),
        ("UPDATE spans SET last_at = first_at WHERE span = 0", 2),
        ("UPDATE spans SET first_at = last_at WHERE span = 4", 1_024),
    ] {
        let place = filled();
        assert!(place.verify().is_sound());
        place.database().execute(sql, ()).unwrap();
        let found = findings(&place.verify());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(&format!("entry {at} is not found by all")), "{found:?}");
    }
}
