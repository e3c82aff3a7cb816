//! Questions, and the processes that ask them.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Place, second};
use crate::approval::{ApprovalId, State};
use crate::store::{
    ApprovalQuery, Change, Conflict, Owner, OwnerId, SqliteStore, Store, StoreError, StoredApproval,
    Surfaces, surfaces_open,
};
use mayi_call::{AgentId, Digest, SessionId, digest_of};

fn digest(number: u64) -> Digest {
    digest_of(&json!(number))
}

fn question(owner: OwnerId) -> StoredApproval {
    StoredApproval {
        id: ApprovalId::new(),
        owner,
        agent: AgentId::from_name("claude"),
        session: SessionId("s".to_owned()),
        workspace: Some("/w".to_owned()),
        digest: digest(1),
        card: json!({ "title": "x" }),
        state: State::Pending,
        asked_at: second(1),
        settled_at: None,
        by: None,
        reason: None,
    }
}

fn ask(store: &SqliteStore, owner: OwnerId) -> StoredApproval {
    let asked = question(owner);
    store.commit(vec![Change::Ask(Box::new(asked.clone()))]).unwrap();
    asked
}

fn settle(id: ApprovalId, by: &str) -> Change {
    Change::Settle { id, state: State::Denied, by: by.to_owned(), reason: None, at: second(2) }
}

fn pending(store: &SqliteStore) -> Vec<ApprovalId> {
    let query = ApprovalQuery { pending: true, ..ApprovalQuery::default() };
    store.query_approvals(&query).unwrap().into_iter().map(|asked| asked.id).collect()
}

#[track_caller]
fn conflict(outcome: Result<(), StoreError>) -> Conflict {
    match outcome {
        Err(StoreError::Conflict(conflict)) => conflict,
        other => panic!("{other:?}"),
    }
}

/// D6.1: `pending`, then exactly one of: the second is told who was first.
#[test]
fn given_a_settled_question_then_it_cant_be_settled_again_and_its_card_is_kept_if_it_is_short() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let owner = Owner::this_process();
    store.attach_owner(&owner).unwrap();
    let asked = ask(&store, owner.id);
    let one = |id| ApprovalQuery { id: Some(id), ..ApprovalQuery::default() };
    assert_eq!(other.query_approvals(&one(asked.id)).unwrap(), std::slice::from_ref(&asked));
    store.commit(vec![settle(asked.id, "terminal")]).unwrap();
    let again = conflict(other.commit(vec![settle(asked.id, "policy")]));
    assert_eq!(again, Conflict::Settled { id: asked.id, state: State::Denied, by: "terminal".to_owned() });
    let settled = &other.query_approvals(&one(asked.id)).unwrap()[0];
    assert_eq!((settled.state, settled.settled_at), (State::Denied, Some(second(2))));
    assert_eq!(settled.card, asked.card);
    assert_eq!(pending(&store), []);
    let long = json!({ "title": "x".repeat(70_000) });
    let second = ask(&store, owner.id);
    store.commit(vec![Change::Update { id: second.id, digest: digest(2), card: long }]).unwrap();
    store.commit(vec![settle(second.id, "terminal")]).unwrap();
    assert_eq!(other.query_approvals(&one(second.id)).unwrap()[0].card, Value::Null);
    let unknown = ApprovalId::new();
    assert_eq!(conflict(store.commit(vec![settle(unknown, "x")])), Conflict::Unknown(unknown));
}

/// Attack 17: "an orphaned approval is answered later": it shows among those without an owner, and where its process took
/// answers there is nothing any more.
#[test]
fn given_a_process_that_has_ended_then_its_questions_are_abandoned_and_nobody_listens() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let (here, there) = (Owner::this_process(), Owner::this_process());
    store.attach_owner(&here).unwrap();
    other.attach_owner(&there).unwrap();
    ask(&store, here.id);
    let orphan = ask(&other, there.id);
    let sockets = [here.id, there.id].map(|owner| store.answer_socket(owner));
    for socket in &sockets {
        std::fs::write(socket, "").unwrap();
    }
    let now = Timestamp::now();
    assert_eq!(store.live_owners(now).unwrap().len(), 2);
    assert_eq!(store.abandoned_approvals(now).unwrap(), []);
    drop(other);
    assert_eq!(store.live_owners(now).unwrap(), std::slice::from_ref(&here));
    assert_eq!(store.abandoned_approvals(now).unwrap(), std::slice::from_ref(&orphan));
    store.commit(vec![settle(orphan.id, "mayi")]).unwrap();
    assert_eq!(store.abandoned_approvals(now).unwrap(), []);
    assert_eq!(sockets.map(|socket| socket.exists()), [true, false]);
    store.detach_owner(here.id).unwrap();
    assert!(!store.answer_socket(here.id).exists());
}

/// D6.16: Waiting approvals hold leases; unowned ones expire: also of a process that hangs.
#[test]
fn given_a_process_that_was_not_heard_of_then_it_counts_as_gone_until_it_is_heard_again() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let owner = Owner::this_process();
    other.attach_owner(&owner).unwrap();
    let asked = ask(&other, owner.id);
    let late = Timestamp::now() + SignedDuration::try_from(Owner::LEASE * 2).unwrap();
    assert_eq!(store.abandoned_approvals(late).unwrap(), std::slice::from_ref(&asked));
    assert_eq!(store.live_owners(late).unwrap(), []);
    assert_eq!(store.present_owners(late).unwrap(), std::slice::from_ref(&owner), "it has not ended");
    other.renew_lease(owner.id, late).unwrap();
    assert_eq!(store.abandoned_approvals(late).unwrap(), []);
    assert_eq!(store.live_owners(late).unwrap(), std::slice::from_ref(&owner));
    other.detach_owner(owner.id).unwrap();
    assert_eq!(store.live_owners(late).unwrap(), []);
    assert!(other.renew_lease(owner.id, late).is_err());
}

/// Attack 2: "the agent runs `mayi inbox approve`": also where its own run keeps no record.
#[test]
fn given_a_process_without_a_store_then_it_is_known_while_it_runs() {
    let place = Place::new();
    let store = place.open();
    let now = Timestamp::now();
    let presence = crate::store::Presence::in_folder(store.folder()).unwrap();
    let present: Vec<u32> = store.present_owners(now).unwrap().iter().map(|owner| owner.pid).collect();
    assert_eq!(present, [std::process::id()]);
    drop(presence);
    assert_eq!(store.present_owners(now).unwrap(), []);
}

/// Settled questions are kept for a bounded time.
#[test]
fn given_an_old_settled_question_then_it_is_forgotten() {
    let place = Place::new();
    let store = place.open();
    let owner = Owner::this_process();
    store.attach_owner(&owner).unwrap();
    let (old, waiting) = (ask(&store, owner.id), ask(&store, owner.id));
    store.commit(vec![settle(old.id, "x")]).unwrap();
    let known = |id| {
        !store.query_approvals(&ApprovalQuery { id: Some(id), ..Default::default() }).unwrap().is_empty()
    };
    store.abandoned_approvals(second(3)).unwrap();
    assert!(known(old.id));
    store.abandoned_approvals(second(3) + SignedDuration::from_hours(24 * 31)).unwrap();
    assert!(!known(old.id) && known(waiting.id));
}

/// S5.4: a person at another surface of mayi if one is connected: a killed one is none.
#[test]
fn given_surfaces_then_one_is_open_while_it_is_held() {
    let place = Place::new();
    assert!(!surfaces_open(&place.data), "there is nothing yet");
    let first = Surfaces::in_folder(&place.data).unwrap();
    let second = Surfaces::in_folder(&place.data).unwrap();
    assert!(surfaces_open(&place.data));
    drop(first);
    assert!(surfaces_open(&place.data));
    drop(second);
    assert!(!surfaces_open(&place.data));
    // What a killed process leaves has no lock any more, and goes when the next one opens.
    let left = place.at("surfaces").join(uuid::Uuid::now_v7().to_string());
    std::fs::write(&left, "{}").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&left, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert!(!surfaces_open(&place.data));
    let third = Surfaces::in_folder(&place.data).unwrap();
    assert!(surfaces_open(&place.data) && !left.exists());
    drop(third);
}
