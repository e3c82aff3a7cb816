//! Questions, the processes that ask them, and answers from others.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Place, second};
use crate::approval::{ApprovalId, ApprovalResponse, Outcome, State};
use crate::store::{
    ApprovalQuery, Change, Conflict, OfferId, Owner, OwnerId, SqliteStore, Store, StoreError, StoredApproval,
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

fn offer(id: ApprovalId, digest: Digest) -> (OfferId, Change) {
    let response = ApprovalResponse {
        approval_id: id,
        digest,
        response: Outcome::Selected { option_id: "allow_once".to_owned() },
        bypass_all: false,
        bypass_session: false,
        remember: None,
        reason: Some("because".to_owned()),
    };
    let offer = OfferId(Uuid::now_v7());
    let change = Change::Offer {
        id: offer,
        response: Box::new(response),
        by: "inbox".to_owned(),
        at: Timestamp::now(),
    };
    (offer, change)
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

/// D6.2: if the call has changed since, the answer is refused.
#[test]
fn given_another_digest_then_an_offered_answer_is_refused() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let owner = Owner::this_process();
    store.attach_owner(&owner).unwrap();
    let asked = ask(&store, owner.id);
    let card = json!({ "title": "y" });
    store.commit(vec![Change::Update { id: asked.id, digest: digest(2), card: card.clone() }]).unwrap();
    let (_, old) = offer(asked.id, digest(1));
    assert_eq!(conflict(other.commit(vec![old])), Conflict::Changed(asked.id));
    let (id, new) = offer(asked.id, digest(2));
    other.commit(vec![new]).unwrap();
    assert_eq!(other.offer_reply(id).unwrap(), None);
    let offers = store.pending_offers(owner.id).unwrap();
    assert_eq!(offers.iter().map(|offer| offer.id).collect::<Vec<_>>(), [id]);
    assert_eq!(offers[0].response.reason.as_deref(), Some("because"));
    store.commit(vec![settle(asked.id, "inbox"), Change::Reply { id, refused: None }]).unwrap();
    assert_eq!(other.offer_reply(id).unwrap(), Some(Ok(())));
    assert_eq!(store.pending_offers(owner.id).unwrap(), []);
    let (_, late) = offer(asked.id, digest(2));
    assert!(matches!(conflict(other.commit(vec![late])), Conflict::Settled { .. }));
}

/// A refusal reaches whoever answered, with its reason.
#[test]
fn given_an_offer_that_is_not_taken_then_it_says_why() {
    let place = Place::new();
    let store = place.open();
    let owner = Owner::this_process();
    store.attach_owner(&owner).unwrap();
    let asked = ask(&store, owner.id);
    let (id, change) = offer(asked.id, digest(1));
    store.commit(vec![change]).unwrap();
    store.commit(vec![Change::Reply { id, refused: Some("no such choice".to_owned()) }]).unwrap();
    assert_eq!(store.offer_reply(id).unwrap(), Some(Err("no such choice".to_owned())));
    assert_eq!(pending(&store), [asked.id], "it still waits");
}

/// D6.4: First answer wins: an answer that was withdrawn is taken by nobody, in whatever order the two
/// processes come to it. Attack 17.
#[test]
fn given_an_offer_that_is_withdrawn_then_it_can_not_be_taken_and_the_other_way_round() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let owner = Owner::this_process();
    store.attach_owner(&owner).unwrap();
    let asked = ask(&store, owner.id);
    let (id, change) = offer(asked.id, digest(1));
    other.commit(vec![change]).unwrap();
    let withdrawn = || Change::Reply { id, refused: Some("withdrawn".to_owned()) };
    other.commit(vec![withdrawn()]).unwrap();
    let taken = |id| vec![settle(asked.id, "inbox"), Change::Reply { id, refused: None }];
    assert_eq!(conflict(store.commit(taken(id))), Conflict::Replied(id));
    assert_eq!(pending(&store), [asked.id], "nothing of it was done");
    let (next, change) = offer(asked.id, digest(1));
    other.commit(vec![change]).unwrap();
    store.commit(taken(next)).unwrap();
    let late = Change::Reply { id: next, refused: Some("withdrawn".to_owned()) };
    assert_eq!(conflict(other.commit(vec![late])), Conflict::Replied(next));
    assert_eq!(other.offer_reply(next).unwrap(), Some(Ok(())));
}

/// Attack 17: "an orphaned approval is answered later": refused, and it shows among those without an owner.
#[test]
fn given_a_process_that_has_ended_then_its_questions_are_abandoned_and_take_no_answer() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let (here, there) = (Owner::this_process(), Owner::this_process());
    store.attach_owner(&here).unwrap();
    other.attach_owner(&there).unwrap();
    let (own, orphan) = (ask(&store, here.id), ask(&other, there.id));
    let (waiting, change) = offer(orphan.id, digest(1));
    store.commit(vec![change]).unwrap();
    let now = Timestamp::now();
    assert_eq!(store.live_owners(now).unwrap().len(), 2);
    assert_eq!(store.abandoned_approvals(now).unwrap(), []);
    drop(other);
    assert_eq!(store.live_owners(now).unwrap(), std::slice::from_ref(&here));
    assert_eq!(store.abandoned_approvals(now).unwrap(), std::slice::from_ref(&orphan));
    let (_, late) = offer(orphan.id, digest(1));
    assert_eq!(conflict(store.commit(vec![late])), Conflict::Abandoned(orphan.id));
    assert!(matches!(store.offer_reply(waiting), Ok(Some(Err(_)))), "nobody would ever reply");
    let (_, good) = offer(own.id, digest(1));
    store.commit(vec![good]).unwrap();
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
