//! What is appended is there, and found again.

use serde_json::json;

use super::{Place, append, entry, second, verify};
use crate::record::{Entry, HeadState, Kind};
use crate::store::{Change, Conflict, EntryQuery, GrantId, Order, Store, StoreError};
use mayi_call::{AgentId, SessionId};
use mayi_policy::Effect;

fn numbers(store: &impl Store, query: &EntryQuery) -> Vec<u64> {
    store.query_entries(query).unwrap().into_iter().map(|found| found.seq).collect()
}

/// D7.2: Each has time, ids, ..., the accesses as judged: it comes back as it was written.
#[test]
fn given_entries_then_they_come_back_as_they_were_in_their_order() {
    let place = Place::new();
    let store = place.open();
    let bare = Entry::new(second(9), Kind::Config, json!({}));
    let written = vec![entry(1), bare, entry(2)];
    store.commit(written.iter().cloned().map(Change::Append).collect()).unwrap();
    let query = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
    let found = store.query_entries(&query).unwrap();
    assert_eq!(found.iter().map(|found| found.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(found.into_iter().map(|found| found.entry).collect::<Vec<_>>(), written);
    assert_eq!(store.newest_time().unwrap(), Some(second(2)));
}

/// D6.14: in one transaction with the answer, the revocation check and the `decided` entry.
#[test]
fn given_one_change_that_cant_be_made_then_none_is() {
    let place = Place::new();
    let store = place.open();
    let id = GrantId::new();
    let outcome = store.commit(vec![Change::Append(entry(1)), Change::Use { id, at: second(0) }]);
    assert!(matches!(outcome, Err(StoreError::Conflict(Conflict::Ended(ended))) if ended == id));
    assert_eq!(numbers(&store, &EntryQuery::default()), [0; 0]);
    append(&store, [1]);
    assert_eq!(numbers(&store, &EntryQuery::default()), [1]);
    assert!(verify(&store).is_sound());
}

type Case<'a> = (EntryQuery, &'a dyn Fn(&Entry) -> bool);

fn cases<const N: usize>(cases: [Case<'_>; N]) -> [Case<'_>; N] {
    cases
}

/// Each filter by itself and some together, against looking at every entry.
#[test]
fn given_a_query_then_just_what_it_asks_for_is_found() {
    let place = Place::new();
    let store = place.open();
    append(&store, 1..=60);
    store.commit(vec![Change::Append(Entry::new(second(61), Kind::Config, json!({})))]).unwrap();
    let all = store.query_entries(&EntryQuery::default()).unwrap();
    let wanted = |holds: &dyn Fn(&Entry) -> bool| -> Vec<u64> {
        all.iter().filter(|found| holds(&found.entry)).map(|found| found.seq).collect()
    };
    let plain = EntryQuery::default;
    let codex = AgentId::from_name("codex");
    let session = SessionId("session-1".to_owned());
    let (call, approval) = (all[20].entry.call, all[30].entry.approval);
    for (query, holds) in cases([
        (plain(), &|_| true),
        (EntryQuery { kinds: vec![Kind::Config], ..plain() }, &|e| e.kind == Kind::Config),
        (EntryQuery { kinds: vec![Kind::Config, Kind::Decided], ..plain() }, &|e| {
            matches!(e.kind, Kind::Config | Kind::Decided)
        }),
        (EntryQuery { effects: vec![Effect::Deny], ..plain() }, &|e| e.effect == Some(Effect::Deny)),
        (EntryQuery { effects: vec![Effect::Deny], kinds: vec![Kind::Answered], ..plain() }, &|e| {
            e.effect == Some(Effect::Deny) && e.kind == Kind::Answered
        }),
        (EntryQuery { agent: Some(codex.clone()), ..plain() }, &|e| e.agent.as_ref() == Some(&codex)),
        (EntryQuery { agent: Some(codex.clone()), kinds: vec![Kind::Decided], ..plain() }, &|e| {
            e.agent.as_ref() == Some(&codex) && e.kind == Kind::Decided
        }),
        (EntryQuery { session: Some(session.clone()), ..plain() }, &|e| e.session.as_ref() == Some(&session)),
        (EntryQuery { call, ..plain() }, &|e| e.call == call),
        (EntryQuery { approval, ..plain() }, &|e| e.approval == approval),
        (EntryQuery { workspace: Some("/w".to_owned()), ..plain() }, &|e| e.workspace.is_some()),
        (EntryQuery { since: Some(second(20)), until: Some(second(30)), ..plain() }, &|e| {
            e.at >= second(20) && e.at <= second(30)
        }),
        (EntryQuery { access_prefix: Some("shell(make 1".to_owned()), ..plain() }, &|e| {
            e.access.as_deref() == Some("shell(make 1)")
        }),
        (EntryQuery { access_prefix: Some("SHELL(".to_owned()), ..plain() }, &|_| false),
        (EntryQuery { contains: Some("\"number\":7,".to_owned()), ..plain() }, &|e| e.detail["number"] == 7),
        (EntryQuery { contains: Some("make 2".to_owned()), agent: Some(codex.clone()), ..plain() }, &|e| {
            e.access.as_deref() == Some("shell(make 2)") && e.agent.as_ref() == Some(&codex)
        }),
    ]) {
        let expected = wanted(holds);
        assert_eq!(numbers(&store, &query), expected, "{query:?}");
        let some: Vec<u64> = expected.iter().copied().filter(|seq| (10..50).contains(seq)).take(3).collect();
        let page = EntryQuery { limit: Some(3), after: Some(9), before: Some(50), ..query.clone() };
        assert_eq!(numbers(&store, &page), some, "{page:?}");
        let mut oldest = expected;
        oldest.reverse();
        oldest.truncate(4);
        let first = EntryQuery { limit: Some(4), order: Order::OldestFirst, ..query };
        assert_eq!(numbers(&store, &first), oldest, "{first:?}");
    }
}

/// "How the like was answered before": counted from the answers, by agent and access.
#[test]
fn given_answers_then_they_are_counted_for_their_agent_and_access() {
    let place = Place::new();
    let store = place.open();
    let answer = |number, agent: &str, effect| Entry {
        agent: Some(AgentId::from_name(agent)),
        access: Some("shell(make)".to_owned()),
        effect: Some(effect),
        ..Entry::new(second(number), Kind::Answered, json!({}))
    };
    for (number, agent, effect) in [
        (5, "claude", Effect::Allow),
        (3, "claude", Effect::Deny),
        (6, "claude", Effect::Allow),
        (7, "codex", Effect::Deny),
    ] {
        store.commit(vec![Change::Append(answer(number, agent, effect))]).unwrap();
    }
    let decided = Entry { kind: Kind::Decided, ..answer(8, "claude", Effect::Deny) };
    store.commit(vec![Change::Append(decided)]).unwrap();
    let claude = store.answer_history(&AgentId::from_name("claude"), "shell(make)").unwrap();
    assert_eq!((claude.allowed, claude.denied, claude.first_seen), (2, 1, Some(second(3))));
    let other = store.answer_history(&AgentId::from_name("claude"), "shell(make x)").unwrap();
    assert_eq!((other.allowed, other.denied, other.first_seen), (0, 0, None));
}

/// Several processes: each continues the chain where the others have left it.
#[test]
fn given_two_stores_of_one_folder_then_they_share_one_record() {
    let place = Place::new();
    let (one, other) = (place.open(), place.open());
    for number in 1..=10 {
        append(&one, [number]);
        append(&other, [number]);
    }
    let report = verify(&one);
    assert_eq!((report.entries, report.first, report.last), (20, Some(1), Some(20)));
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.head, HeadState::Current);
}
