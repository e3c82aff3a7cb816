//! Questions of other processes, as a surface hears of them through the store.

use super::memory::{Kept, writer};
use super::*;
use crate::approval::ApprovalId;
use crate::gate::{QuestionEvent, Questions};
use crate::store::{OwnerId, SqliteStore};

fn remote(kept: &Kept) -> RemoteQuestions {
    let store = SqliteStore::open(&kept.folder.path().join("mayi"), Default::default()).unwrap();
    RemoteQuestions::new(Arc::new(store), Arc::new(writer()))
}

async fn next(events: &mut mpsc::UnboundedReceiver<QuestionEvent>) -> QuestionEvent {
    tokio::time::timeout(Duration::from_secs(20), events.recv()).await.unwrap().unwrap()
}

/// A backend asks through gates of its own and shows their questions directly: nobody is shown a question twice.
#[tokio::test]
async fn given_owners_that_are_left_out_then_only_the_others_questions_are_told() {
    let kept = Kept::new();
    let (own, other) = (kept.gate(), kept.gate());
    let mine = own.owner_id().unwrap();
    assert_ne!(Some(mine), other.owner_id());
    let all = remote(&kept);
    let remote = all.clone().without_owners(Arc::new(move |owner: OwnerId| owner == mine));
    let mut events = remote.subscribe_questions();
    let (first, second) = (own.submit(run("1", "make"), &[]), other.submit(run("2", "rm x"), &[]));
    assert_eq!(all.waiting_cards().len(), 2);
    let waiting = remote.waiting_cards();
    assert_eq!(waiting.iter().map(|card| Some(card.approval_id)).collect::<Vec<_>>(), [second.approval_id()]);
    assert!(
        matches!(next(&mut events).await, QuestionEvent::Asked(card) if card.approval_id == second.approval_id().unwrap())
    );
    // Settled before: if its end were told, it would be told first.
    answer(&own, &first, choice::ALLOW_ONCE).unwrap();
    answer(&other, &second, choice::DENY).unwrap();
    match next(&mut events).await {
        QuestionEvent::Resolved(resolved) => {
            assert_eq!(Some(resolved.approval_id), second.approval_id());
            assert_eq!((resolved.state, &*resolved.by), (State::Denied, "test"));
        }
        event => panic!("{event:?}"),
    }
    assert!(gate().owner_id().is_none(), "nothing is kept, and nobody else could ask for it");
}

/// D6.16: questions "whose agent is gone become `cancelled`": a surface that looks before anybody has
/// looked after them is not shown them as waiting.
#[tokio::test]
async fn given_a_process_that_died_while_it_asked_then_its_question_does_not_wait_for_whoever_looks_first() {
    let kept = Kept::new();
    let dead = kept.gate();
    let asked = dead.submit(run("1", "make"), &[]);
    let remote = remote(&kept);
    assert_eq!(remote.waiting_cards().len(), 1);
    dead.lock().queue = super::super::queue::Queue::default();
    drop(dead.lock().ledger.detach_memory());
    assert!(remote.waiting_cards().is_empty());
    let stored = remote.find_approval(asked.approval_id().unwrap()).unwrap().unwrap();
    assert_eq!((stored.state, stored.reason.as_deref()), (State::Cancelled, Some("interrupted")));
}

/// Whoever comes late hears how it ended, by whom, and of which process it was.
#[tokio::test]
async fn given_a_question_that_is_settled_then_it_is_found_by_its_id() {
    let kept = Kept::new();
    let gate = kept.gate();
    let ticket = gate.submit(run("1", "make"), &[]);
    answer(&gate, &ticket, choice::DENY).unwrap();
    let remote = remote(&kept).without_owners(Arc::new(|_| true));
    assert!(remote.waiting_cards().is_empty());
    let stored = remote.find_approval(ticket.approval_id().unwrap()).unwrap().unwrap();
    assert_eq!((stored.state, stored.by.as_deref()), (State::Denied, Some("test")));
    assert_eq!(Some(stored.owner), gate.owner_id());
    assert_eq!(
        parse_stored_card(&stored).map(|card| card.approval_id),
        Some(stored.id),
        "the recent past is shown too"
    );
    assert_eq!(remote.find_approval(ApprovalId::new()).unwrap(), None);
}

/// An answer from elsewhere is taken by the process that asks, and by nobody else.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_answer_then_the_process_that_asks_takes_it() {
    let kept = Kept::new();
    let gate = kept.gate();
    gate.watch_store();
    let ticket = gate.submit(run("1", "make"), &[]);
    let remote = remote(&kept);
    let response = ApprovalResponse::pick(&remote.waiting_cards().remove(0), choice::ALLOW_ONCE);
    let again = (remote.clone(), response.clone());
    tokio::task::spawn_blocking(move || remote.answer(response, "elsewhere")).await.unwrap().unwrap();
    assert!(matches!(ticket.verdict().await, Verdict::Allowed(a) if a.decided_by() == DecidedBy::Person));
    let (remote, response) = again;
    let refused = remote.answer(response, "late").unwrap_err();
    assert_eq!(refused, AnswerError::Settled { by: "elsewhere".to_owned(), state: State::Approved });
}
