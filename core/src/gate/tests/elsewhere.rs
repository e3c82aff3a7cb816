//! Questions of other processes, as a surface hears of them through the store.

use super::memory::{Kept, writer};
use super::*;
use crate::approval::ApprovalId;
use crate::gate::{QuestionEvent, Questions};
use crate::store::{OwnerId, SqliteStore, Store};

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

/// D6.2: if the call has changed since, the answer is refused; what can't be taken is told with its reason, and waits on.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_answer_that_can_not_be_taken_then_it_is_told_why_and_the_question_waits() {
    let kept = Kept::new();
    let gate = kept.gate();
    gate.watch_store();
    let ticket = gate.submit(run("1", "make"), &[]);
    let remote = remote(&kept);
    let good = ApprovalResponse::pick(&remote.waiting_cards().remove(0), choice::ALLOW_ONCE);
    let other = ApprovalResponse { digest: crate::call::digest_of(&json!("another")), ..good.clone() };
    let unknown = ApprovalResponse { approval_id: ApprovalId::new(), ..good.clone() };
    let no_option = ApprovalResponse {
        response: crate::approval::Outcome::Selected { option_id: "no such choice".to_owned() },
        ..good.clone()
    };
    for (response, error) in [
        (other, AnswerError::Changed),
        (unknown, AnswerError::Unknown),
        (no_option, AnswerError::Option("no such choice".to_owned())),
    ] {
        let remote = remote.clone();
        let told = tokio::task::spawn_blocking(move || remote.answer(response, "inbox")).await.unwrap();
        assert_eq!(told, Err(error));
    }
    assert_eq!(gate.waiting_cards().len(), 1);
    tokio::task::spawn_blocking(move || remote.answer(good, "inbox")).await.unwrap().unwrap();
    assert!(matches!(ticket.verdict().await, Verdict::Allowed(_)));
}

/// D6.4: "or withdrawn: then nobody takes it". Whoever does not wait any more for what becomes of the answer would not hear
/// that it was taken. Attack 17.
#[cfg(unix)]
#[tokio::test]
async fn given_an_answer_of_somebody_who_has_left_then_the_question_waits_on() {
    use std::io::Write;

    let kept = Kept::new();
    let gate = kept.gate();
    gate.watch_store();
    let ticket = gate.submit(run("1", "make"), &[]);
    let response = pick(&gate, &ticket, choice::ALLOW_ONCE);
    let answer = json!({"answer": {"response": response, "by": "inbox"}});
    let socket = kept.store.answer_socket(gate.owner_id().unwrap());
    // Nobody is let in while the gate is held, and by then they have left.
    let held = gate.lock();
    for _ in 0..3 {
        let mut left = std::os::unix::net::UnixStream::connect(&socket).unwrap();
        writeln!(left, "{answer}").unwrap();
    }
    drop(held);
    let waiting = gate.clone();
    let ask = move || {
        super::super::answering::ask_owner(
            &socket,
            &super::super::answering::Request::Look,
            Duration::from_secs(20),
        )
    };
    // Connections are taken in their order.
    assert_eq!(tokio::task::spawn_blocking(ask).await.unwrap().unwrap(), Some(Ok(())));
    assert_eq!(waiting.waiting_cards().len(), 1);
    gate.answer(response, "test").unwrap();
    assert!(matches!(ticket.verdict().await, Verdict::Allowed(_)));
}

/// A process that is stopped, or that takes no answers, is not waited for without end.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn given_a_process_that_does_not_listen_then_the_answer_is_told_to_be_unheard() {
    let kept = Kept::new();
    let gate = kept.gate();
    let ticket = gate.submit(run("1", "make"), &[]);
    let remote = remote(&kept);
    let response = ApprovalResponse::pick(&remote.waiting_cards().remove(0), choice::ALLOW_ONCE);
    // Nobody listens, and what is there is no socket.
    let socket = kept.store.answer_socket(gate.owner_id().unwrap());
    for there in [false, true] {
        if there {
            std::fs::write(&socket, "").unwrap();
        }
        let (remote, response) = (remote.clone(), response.clone());
        let told = tokio::task::spawn_blocking(move || remote.answer(response, "inbox")).await.unwrap();
        assert_eq!(told, Err(AnswerError::Unheard));
    }
    assert_eq!(gate.waiting_cards().len(), 1);
    drop(ticket);
}

/// The path of a socket is limited, and that of a folder is not.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn given_a_folder_with_a_long_name_then_answers_reach_the_process_that_asks() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a".repeat(200)).join("b".repeat(200));
    let open = || Arc::new(SqliteStore::open(&folder, Default::default()).unwrap());
    let memory = Memory::attach(open(), writer()).unwrap();
    let asking = Asking { on_ask: OnAsk::Wait, limit: None };
    let gate = Gate::with_memory(Policy::default(), asking, Box::new(NoPersistence), memory);
    gate.open_session(session("s", None));
    gate.watch_store();
    let ticket = gate.submit(run("1", "make"), &[]);
    let remote = RemoteQuestions::new(open(), Arc::new(writer()));
    let response = ApprovalResponse::pick(&remote.waiting_cards().remove(0), choice::ALLOW_ONCE);
    tokio::task::spawn_blocking(move || remote.answer(response, "inbox")).await.unwrap().unwrap();
    assert!(matches!(ticket.verdict().await, Verdict::Allowed(_)));
}
