//! What holds where the store fails in the middle, and after the process has left it.

pub(super) mod faulty;

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::memory::Kept as Stored;
use super::*;
use crate::approval::{Remember, RememberScope};
use crate::store::{Change, Store, StoreError};
use faulty::{Faulty, broken};

fn read(id: &str) -> Call {
    call(id, Access::Read(PathAccess::new(Path::new("/w"), "a")))
}

/// A process may live on after its gate was left: what comes then is neither allowed unrecorded nor does it wait for
/// somebody who will never see it. Attack 262.
#[tokio::test]
async fn given_a_gate_that_was_left_then_nothing_runs_and_nothing_waits() {
    let kept = Stored::new();
    for gate in [kept.gate(), gate()] {
        let waiting = gate.submit(run("1", "make"), &[]);
        gate.shut_down();
        assert!(matches!(waiting.verdict().await, Verdict::Cancelled));
        let Verdict::Denied(refusal) = gate.submit(read("2"), &[]).verdict().await else {
            panic!("it ran, and no record says so")
        };
        assert!(refusal.reason.starts_with("nothing runs that can't be recorded"), "{}", refusal.reason);
        let asked = gate.submit(run("3", "make"), &[]);
        assert_eq!(asked.approval_id(), None, "nobody is here to answer it");
        assert!(matches!(asked.verdict().await, Verdict::Denied(_)));
        let asked = gate.submit_as(run("4", "make"), &[], OnAsk::Wait);
        assert_eq!(asked.approval_id(), None, "also where the door would wait");
    }
}

/// What could not be read once is read the next time, though nothing in the store has changed since.
#[tokio::test]
async fn given_answers_that_cannot_be_read_once_then_they_count_the_next_time() {
    let kept = Stored::new();
    let (store, other) = (Faulty::on(&kept), kept.gate());
    let gate = kept.gate_on(store.clone());
    let asked = gate.submit(run("1", "make"), &[]);
    gate.poll_store();
    let elsewhere = other.submit(run("2", "make"), &[]);
    let remember = Remember::of_patterns(RememberScope::Workspace, vec!["shell(make)".to_owned()]);
    let response = pick(&other, &elsewhere, choice::ALLOW_ALWAYS);
    other.answer(ApprovalResponse { remember: Some(remember), ..response }, "test").unwrap();
    store.fails_to_read_grants();
    gate.poll_store();
    assert_eq!(gate.waiting_cards().len(), 1, "it could not be read");
    gate.poll_store();
    assert!(gate.waiting_cards().is_empty(), "it could be read");
    assert!(matches!(asked.verdict().await, Verdict::Allowed(_)));
}

/// What would be allowed by now, and can't be written down, waits as it was asked about: an answer to it is remembered
/// like any other.
#[tokio::test]
async fn given_an_allow_that_cannot_be_written_then_the_question_waits_on_as_it_was() {
    let kept = Stored::new();
    let store = Faulty::on(&kept);
    let gate = kept.gate_on(store.clone());
    let first = gate.submit(run("1", "make"), &[]);
    let second = gate.submit(run("2", "make"), &[]);
    let id = second.approval_id().unwrap();
    store.before_commit(move |changes| {
        let settles = |change: &Change| matches!(change, Change::Settle { id: other, .. } if *other == id);
        changes.iter().any(settles).then(broken)
    });
    answer(&gate, &first, choice::ALLOW_SESSION).unwrap();
    assert_eq!(gate.waiting_cards().len(), 1, "what it allows could not be written");
    let resolved = answer(&gate, &second, choice::ALLOW_SESSION).unwrap();
    assert_eq!(resolved.granted_permissions, ["shell(make) (session)"]);
}

/// A call and its card are put in together: whatever breaks in between, no answer to one card allows another call.
/// Attack 264.
#[tokio::test]
async fn given_a_change_that_breaks_off_then_the_old_card_allows_the_old_call_alone() {
    let kept = Stored::new();
    let store = Faulty::on(&kept);
    let gate = kept.gate_on(store.clone());
    let ticket = gate.submit(write("1", "/w/a", "shown"), &[]);
    let id = ticket.approval_id().unwrap();
    store.before_commit(|changes| {
        let updates = changes.iter().any(|change| matches!(change, Change::Update { .. }));
        updates.then(|| panic!("the store breaks"))
    });
    let changed = write("1", "/w/a", "swapped");
    catch_unwind(AssertUnwindSafe(|| gate.revise_call(id, changed))).unwrap_err();
    answer(&gate, &ticket, choice::ALLOW_ONCE).unwrap();
    let Verdict::Allowed(authorized) = ticket.verdict().await else { panic!("a person allowed it") };
    assert_eq!(authorized.call().diffs[0].new_text, "shown");
}
