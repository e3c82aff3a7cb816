//! Calls that come many at a time share a commit, and each is written before anybody hears of it.

use std::sync::mpsc;
use std::thread;

use jiff::Timestamp;

use super::memory::Kept as Stored;
use super::unwritten::faulty::{Faulty, broken};
use super::*;
use crate::record::{Entry, Kind};
use crate::store::{Change, PendingWrite, StoreError, WriteQueue};

/// As many calls come while one is being written.
const CALLS: usize = 16;

fn read(number: usize) -> Call {
    let access = Access::Read(PathAccess::new(Path::new("/w"), "a"));
    Call { door: Door::Mcp, ..call(&number.to_string(), access) }
}

/// Hands in one call, and [`CALLS`] more while that is being written; says what became of them, and how many commits there were
/// besides the first. `fault` looks at these.
async fn hand_in(
    store: &Arc<Faulty>,
    gate: &Gate,
    fault: impl Fn() -> Option<StoreError> + Send + 'static,
) -> (Vec<Verdict>, usize) {
    let (begun, began) = mpsc::channel();
    let (goes_on, go_on) = mpsc::channel::<()>();
    store.before_commit(move |changes| {
        begun.send(changes.len()).unwrap();
        // The first waits here until all others have come; then this is over at once.
        go_on.recv().is_err().then(&fault).flatten()
    });
    let first = gate.submit_together(read(0), &[], || None);
    let first = thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(first.verdict())
    });
    assert_eq!(began.recv().unwrap(), 2, "one that is alone is written at once");
    let mut tickets: Vec<Ticket> =
        (1..=CALLS).map(|number| gate.submit_together(read(number), &[], || None)).collect();
    for ticket in &mut tickets {
        assert!(ticket.approval_id().is_none() && ticket.at_once().is_none(), "nothing of it is written yet");
    }
    goes_on.send(()).unwrap();
    drop(goes_on);
    let mut verdicts = vec![first.join().unwrap()];
    for ticket in tickets {
        verdicts.push(ticket.verdict().await);
    }
    (verdicts, began.try_iter().count())
}

/// What comes while one commit is being written goes with the next one; an allow stands in the record before
/// anybody hears of it, each call's entries beside each other.
#[tokio::test]
async fn given_calls_that_come_while_one_is_written_then_they_share_the_next_commit() {
    let kept = Stored::new();
    let store = Faulty::on(&kept);
    let gate = kept.gate_on(store.clone());
    let mut heard = gate.subscribe();
    let (verdicts, commits) = hand_in(&store, &gate, || None).await;
    assert_eq!(commits, 1, "the others are one commit");
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Allowed(_))), "{verdicts:?}");
    assert_eq!(kept.kinds(), [Kind::Proposed, Kind::Decided].repeat(CALLS + 1));
    assert_eq!(gate.tally().allowed, CALLS as u64 + 1);
    let events = std::iter::from_fn(|| heard.try_recv().ok()).count();
    assert_eq!(events, CALLS + 1);
}

/// "Nothing runs that can't be written down": a commit that fails fails for all that are in it, and for nobody else.
#[tokio::test]
async fn given_a_shared_commit_that_fails_then_none_of_its_calls_runs() {
    let kept = Stored::new();
    let store = Faulty::on(&kept);
    let gate = kept.gate_on(store.clone());
    let (mut verdicts, _) = hand_in(&store, &gate, || Some(broken())).await;
    assert!(matches!(verdicts.remove(0), Verdict::Allowed(_)));
    for verdict in verdicts {
        let Verdict::Denied(refusal) = verdict else { panic!("{verdict:?}") };
        assert!(refusal.reason.starts_with("nothing runs that can't be recorded"), "{}", refusal.reason);
    }
    assert_eq!(kept.kinds(), [Kind::Proposed, Kind::Decided]);
    assert_eq!((gate.tally().allowed, gate.tally().denied), (1, CALLS as u64));
}

/// A call that is withdrawn while it waits to be written stands in the record all the same, and does not run.
#[tokio::test]
async fn given_a_ticket_that_is_dropped_then_what_was_decided_is_written() {
    let kept = Stored::new();
    let gate = kept.gate();
    drop(gate.submit_together(read(1), &[], || None));
    while kept.kinds().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(kept.kinds(), [Kind::Proposed, Kind::Decided]);
    assert_eq!(gate.tally().allowed, 0);
}

/// What is written by itself (a question) comes behind what was decided before it, and overtakes nothing; a gate that is left
/// writes what waits, and its verdicts come.
#[tokio::test]
async fn given_what_is_decided_then_it_is_written_in_that_order_whatever_way_it_goes() {
    let kept = Stored::new();
    let gate = kept.gate();
    let first = gate.submit_together(read(1), &[], || None);
    let asked = gate.submit_together(run("2", "make"), &[], || None);
    assert!(asked.approval_id().is_some(), "a person is asked as ever");
    let last = gate.submit_together(read(3), &[], || None);
    gate.shut_down();
    let kinds = [Kind::Proposed, Kind::Decided];
    let asking = [Kind::Proposed, Kind::Decided, Kind::Asked];
    assert_eq!(kept.kinds()[..7], [&kinds[..], &asking, &kinds].concat());
    assert!(matches!(first.verdict().await, Verdict::Allowed(_)));
    assert!(matches!(last.verdict().await, Verdict::Allowed(_)));
    assert!(matches!(asked.verdict().await, Verdict::Cancelled));
    let late = gate.submit_together(read(4), &[], || None);
    assert!(matches!(late.verdict().await, Verdict::Denied(_)), "nothing can be written any more");
}

/// An entry that can't be made is the one call's that it is about, which does not run: those that are written with it are.
#[test]
fn given_an_entry_that_cannot_be_made_then_only_its_own_call_does_not_run() {
    let kept = Stored::new();
    let later = WriteQueue::new(Faulty::on(&kept));
    let (told, outcomes) = mpsc::channel();
    let tells = |name| {
        let told = told.clone();
        move |written| drop(told.send((name, written)))
    };
    let entry = |kind| vec![Change::Append(Entry::new(Timestamp::now(), kind, serde_json::json!({})))];
    later.enqueue(move || entry(Kind::Started));
    let pending = [
        later.enqueue_awaited(move || entry(Kind::Proposed), tells("sound")),
        later.enqueue_awaited(|| panic!("a mistake in mayi"), tells("broken")),
        later.enqueue_awaited(move || entry(Kind::Decided), tells("last")),
    ];
    pending.iter().for_each(PendingWrite::write);
    let mut outcomes: Vec<_> = outcomes.iter().take(3).collect();
    outcomes.sort_by_key(|(name, _)| *name);
    assert!(matches!(
        outcomes.as_slice(),
        [("broken", Err(StoreError::Other { .. })), ("last", Ok(())), ("sound", Ok(()))]
    ));
    assert_eq!(kept.kinds(), [Kind::Started, Kind::Proposed, Kind::Decided]);
}

/// Whether somebody is there to be asked is looked up only for what is asked about.
#[tokio::test]
async fn given_a_call_that_is_allowed_then_it_is_not_looked_up_who_could_be_asked() {
    let kept = Stored::new();
    let gate = kept.gate();
    let ticket = gate.submit_together(read(1), &[], || panic!("nobody is asked"));
    assert!(matches!(ticket.verdict().await, Verdict::Allowed(_)));
    let ticket = gate.submit_together(run("2", "make"), &[], || Some(OnAsk::Deny));
    assert!(matches!(ticket.verdict().await, Verdict::Denied(refusal) if refusal.unanswered));
}
