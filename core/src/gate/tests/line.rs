//! Many questions at once (D6.5).

use super::memory::Kept as Stored;
use super::*;
use crate::gate::in_view;
use crate::store::{ApprovalQuery, Store};

fn asked(gate: &Gate, many: usize) -> Vec<Ticket> {
    (0..many).map(|n| gate.submit(run(&n.to_string(), &format!("make {n}")), &[])).collect()
}

/// "64 cards of a session are shown at once; up to 500 more wait in line, unanswered and counted aloud on every surface; past
/// that they are denied with a reason." Attack 25.
#[tokio::test]
async fn given_many_that_wait_then_64_are_shown_500_stand_in_line_and_more_are_denied() {
    let gate = gate();
    let mut events = gate.subscribe();
    let mut tickets = asked(&gate, 564);
    let one_more = gate.submit(run("more", "make"), &[]);
    assert!(matches!(one_more.verdict().await, Verdict::Denied(r) if r.reason.contains("too many")));
    assert_eq!((gate.waiting_cards().len(), gate.count_waiting(), gate.count_queued()), (64, 564, 500));
    // Another session has its own.
    gate.open_session(session("t", None));
    let other = gate.submit(Call { session: SessionId("t".into()), ..run("other", "make") }, &[]);
    assert_eq!(gate.waiting_cards().len(), 65);
    // The next in line is shown once there is room for it, and heard of then.
    let next = tickets[64].approval_id().unwrap();
    answer(&gate, &tickets[3], choice::DENY).unwrap();
    assert!(gate.waiting_cards().iter().any(|card| card.approval_id == next));
    assert_eq!((gate.waiting_cards().len(), gate.count_queued()), (65, 499));
    let mut heard = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let GateEvent::Asked(card) = event {
            heard.push(card.approval_id);
        }
    }
    assert_eq!((heard.len(), heard.last()), (66, Some(&next)));
    // One that is withdrawn in line makes no room.
    drop(tickets.pop());
    assert_eq!((gate.waiting_cards().len(), gate.count_queued()), (65, 498));
    gate.cancel_turn(&SessionId("s".into()));
    for ticket in tickets.into_iter().enumerate().filter(|(at, _)| *at != 3).map(|(_, ticket)| ticket) {
        assert!(matches!(ticket.verdict().await, Verdict::Cancelled));
    }
    assert_eq!((gate.count_waiting(), gate.count_queued()), (1, 0));
    assert!(!matches!(events.try_recv(), Ok(GateEvent::Asked(_))), "none is shown for a moment");
    drop(other);
}

/// A grant answers what it covers in line too, and other processes show the same ones and count the others.
#[tokio::test]
async fn given_a_line_then_a_grant_reaches_it_and_other_processes_count_it() {
    let kept = Stored::new();
    let gate = kept.gate();
    let first = gate.submit(run("first", "make"), &[]);
    let tickets = asked(&gate, 64);
    let like = gate.submit(run("like", "make"), &[]);
    let seen = || {
        let query = ApprovalQuery { pending: true, ..ApprovalQuery::default() };
        in_view(kept.store.query_approvals(&query).unwrap())
    };
    let (shown, line) = seen();
    let own: Vec<_> = gate.waiting_cards().iter().map(|card| card.approval_id).collect();
    assert_eq!((shown.iter().map(|approval| approval.id).collect::<Vec<_>>(), line), (own, 2));
    answer(&gate, &first, choice::ALLOW_SESSION).unwrap();
    assert!(matches!(like.verdict().await, Verdict::Allowed(a) if a.decided_by() == DecidedBy::Grant));
    assert_eq!((gate.waiting_cards().len(), gate.count_queued(), seen().1), (64, 0, 0));
    drop(tickets);
}
