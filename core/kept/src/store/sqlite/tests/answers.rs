//! Remembered answers, and their uses.

use jiff::Timestamp;

use super::{Place, append, second};
use crate::store::{
    Change, Conflict, GrantId, GrantQuery, Owner, OwnerId, SqliteStore, Store, StoreError, StoredGrant,
};
use mayi_call::shell::Script;
use mayi_call::{AgentId, SessionId};
use mayi_policy::grant::Scope;
use mayi_policy::{Effect, Level};

fn grant(created: i64) -> StoredGrant {
    StoredGrant {
        id: GrantId::new(),
        effect: Effect::Allow,
        agent: AgentId::from_name("claude"),
        scope: Scope::User,
        owner: None,
        session: None,
        workspace: None,
        pattern: Some("shell(make *)".to_owned()),
        fingerprint: None,
        level: None,
        server: None,
        scripts: Vec::new(),
        created_at: second(created),
        expires_at: None,
        uses_left: None,
        used: 0,
        used_at: None,
        revoked_at: None,
        approval: None,
    }
}

fn given(store: &SqliteStore, grant: &StoredGrant) {
    store.commit(vec![Change::Grant(Box::new(grant.clone()))]).unwrap();
}

fn uses(store: &SqliteStore, grant: &StoredGrant, at: Timestamp) -> bool {
    match store.commit(vec![Change::Use { id: grant.id, at }]) {
        Ok(()) => true,
        Err(StoreError::Conflict(Conflict::Ended(id))) if id == grant.id => false,
        Err(error) => panic!("{error}"),
    }
}

fn all(store: &SqliteStore, query: &GrantQuery) -> Vec<StoredGrant> {
    store.query_grants(query).unwrap()
}

/// D6.13: Scopes once, session, workspace, user; time and use limits: all of it comes back.
#[test]
fn given_grants_then_they_come_back_as_they_were_newest_first() {
    let place = Place::new();
    let store = place.open();
    let plain = grant(1);
    let full = StoredGrant {
        effect: Effect::Deny,
        scope: Scope::Session,
        owner: Some(Owner::this_process().id),
        session: Some(SessionId("s".to_owned())),
        workspace: Some("/w".to_owned()),
        pattern: None,
        fingerprint: Some(mayi_call::digest_of(&serde_json::json!(1))),
        level: Some(("github".to_owned(), Level::Write)),
        scripts: vec![Script {
            path: "/w/run.sh".to_owned(),
            digest: Some(mayi_call::digest_of_bytes(b"x")),
        }],
        expires_at: Some(second(9)),
        uses_left: Some(3),
        used: 4,
        used_at: Some(second(5)),
        revoked_at: Some(second(6)),
        approval: Some(crate::approval::ApprovalId::new()),
        ..grant(2)
    };
    given(&store, &plain);
    given(&store, &full);
    assert_eq!(all(&store, &GrantQuery::default()), [full.clone(), plain.clone()]);
    let live = GrantQuery { live_at: Some(second(3)), ..GrantQuery::default() };
    assert_eq!(all(&store, &live), std::slice::from_ref(&plain));
    let other = GrantQuery { agent: Some(AgentId::from_name("codex")), ..GrantQuery::default() };
    assert_eq!(all(&store, &other), []);
    let elsewhere = GrantQuery { owner: Some(OwnerId(uuid::Uuid::now_v7())), ..GrantQuery::default() };
    assert_eq!(all(&store, &elsewhere), std::slice::from_ref(&plain));
    let here = GrantQuery { owner: full.owner, ..GrantQuery::default() };
    assert_eq!(all(&store, &here), [full, plain]);
}

/// D6.14: a use is spent per call, in one transaction.
#[test]
fn given_a_grant_with_uses_then_it_ends_with_the_last() {
    let place = Place::new();
    let store = place.open();
    let twice = StoredGrant { uses_left: Some(2), ..grant(1) };
    given(&store, &twice);
    assert!(uses(&store, &twice, second(2)));
    assert!(uses(&store, &twice, second(3)));
    assert!(!uses(&store, &twice, second(4)));
    let left = &all(&store, &GrantQuery::default())[0];
    assert_eq!((left.uses_left, left.used, left.used_at), (Some(0), 2, Some(second(3))));
}

/// D6.14: the revocation check is part of the same transaction.
#[test]
fn given_a_revoked_grant_then_it_cant_be_used() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let good = grant(1);
    given(&store, &good);
    assert!(uses(&other, &good, second(2)));
    other.commit(vec![Change::Revoke { id: good.id, at: second(3) }]).unwrap();
    assert!(!uses(&store, &good, second(4)));
    other.commit(vec![Change::Revoke { id: good.id, at: second(9) }]).unwrap();
    assert_eq!(all(&store, &GrantQuery::default())[0].revoked_at, Some(second(3)), "the first time counts");
}

/// Attack 17: "the clock goes back": it ends grants that are limited in time, and no others.
#[test]
fn given_a_clock_behind_the_newest_entry_then_timed_grants_have_ended() {
    let place = Place::new();
    let store = place.open();
    let (timed, untimed) = (StoredGrant { expires_at: Some(second(100)), ..grant(1) }, grant(1));
    given(&store, &timed);
    given(&store, &untimed);
    assert!(uses(&store, &timed, second(50)));
    append(&store, [80]);
    assert!(!uses(&store, &timed, second(50)));
    assert!(uses(&store, &untimed, second(50)));
    let live = GrantQuery { live_at: Some(second(50)), ..GrantQuery::default() };
    assert_eq!(all(&store, &live), [StoredGrant { used: 1, used_at: Some(second(50)), ..untimed }]);
    assert!(uses(&store, &timed, second(80)), "a clock that is right again is believed again");
    assert!(!uses(&store, &timed, second(100)), "it has expired");
}

/// "Forgets dead owners and their session grants": what is for a session ends with the process that had it.
#[test]
fn given_a_process_that_has_ended_then_its_sessions_grants_are_gone() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let owner = Owner::this_process();
    other.attach_owner(&owner).unwrap();
    let of_session = StoredGrant { scope: Scope::Session, owner: Some(owner.id), ..grant(1) };
    let for_good = grant(2);
    given(&other, &of_session);
    given(&other, &for_good);
    store.abandoned_approvals(Timestamp::now()).unwrap();
    assert_eq!(all(&store, &GrantQuery::default()).len(), 2);
    drop(other);
    store.abandoned_approvals(Timestamp::now()).unwrap();
    assert_eq!(all(&store, &GrantQuery::default()), [for_good]);
}

/// "A number that is another one after grants or approvals have changed, by any process", and only then.
#[test]
fn given_changes_then_the_stamp_is_another_one_and_entries_leave_it() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let first = store.change_stamp().unwrap();
    append(&store, [1]);
    append(&other, [2]);
    assert_eq!(store.change_stamp().unwrap(), first);
    given(&other, &grant(1));
    let second = store.change_stamp().unwrap();
    assert_ne!(second, first);
    given(&store, &grant(2));
    assert_ne!(store.change_stamp().unwrap(), second);
    assert_eq!(store.change_stamp().unwrap(), other.change_stamp().unwrap());
}
