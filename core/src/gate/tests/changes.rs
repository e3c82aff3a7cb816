//! What changes while it waits, and how far answers reach.

use super::*;

/// Attack 4: "a `tool_call_update` swaps the diff while the card is open; the answer comes for the old
/// one: refused, the card shows the change". Attack 51.
#[tokio::test]
async fn given_a_call_that_changes_while_it_waits_then_the_old_answer_is_refused() {
    let gate = gate();
    let mut events = gate.subscribe();
    let ticket = gate.submit(write("1", "/w/a", "shown"), &[]);
    let old = pick(&gate, &ticket, choice::ALLOW_ONCE);
    gate.revise_call(ticket.approval_id().unwrap(), write("1", "/w/a", "swapped"));
    assert_eq!(gate.answer(old, "test").unwrap_err(), AnswerError::Changed);
    assert!(matches!(events.recv().await, Some(GateEvent::Asked(_))));
    let Some(GateEvent::Updated(card)) = events.recv().await else { panic!() };
    assert!(card.tool_call.content.to_string().contains("swapped"));
    answer(&gate, &ticket, choice::ALLOW_ONCE).unwrap();
    let Verdict::Allowed(authorized) = ticket.verdict().await else { panic!() };
    assert_eq!(authorized.call().diffs[0].new_text, "swapped");
}

/// A change never allows anything, also where the policy would allow what it has become. Attack 51.
#[tokio::test]
async fn given_a_call_that_changes_into_an_allowed_one_then_it_still_waits() {
    let gate = gate();
    let ticket = gate.submit(write("1", "/w/a", "x"), &[]);
    gate.revise_call(
        ticket.approval_id().unwrap(),
        call("1", Access::Read(PathAccess::new(Path::new("/w"), "/w/a"))),
    );
    assert_eq!(gate.waiting_cards().len(), 1);
    drop(ticket);
}

/// D6.19: `bypassAll` ... does not answer what is already pending, also not by way of
/// a later grant.
#[tokio::test]
async fn given_bypass_and_then_a_session_grant_then_the_others_still_wait() {
    let gate = gate_with(OnAsk::Wait, None, Box::<Kept>::default());
    let ticket = gate.submit(run("1", "make"), &[]);
    let other = gate.submit(run("2", "rm x"), &[]);
    let third = gate.submit(run("3", "cargo build"), &[]);
    let mut response = pick(&gate, &ticket, choice::ALLOW_ONCE);
    response.bypass_all = true;
    gate.answer(response, "test").unwrap();
    answer(&gate, &third, choice::ALLOW_SESSION).unwrap();
    assert_eq!(gate.waiting_cards().len(), 1);
    drop(other);
}

/// Attack 53.
#[tokio::test]
async fn given_bypass_with_a_denial_then_it_is_refused() {
    let gate = gate_with(OnAsk::Wait, None, Box::<Kept>::default());
    let ticket = gate.submit(run("1", "make"), &[]);
    let mut response = pick(&gate, &ticket, choice::DENY);
    response.bypass_all = true;
    assert!(matches!(gate.answer(response, "test"), Err(AnswerError::Remember(_))));
}

/// An approved part of a file does not cover replacing the whole file by that part. Attack 62.
#[tokio::test]
async fn given_an_approved_part_then_writing_only_that_part_is_asked_about() {
    let gate = gate();
    let mut announced = write("1", "/w/a", "bar");
    announced.diffs[0].old_text = Some("foo".into());
    let ticket = gate.submit(announced, &[]);
    answer(&gate, &ticket, choice::ALLOW_ONCE).unwrap();
    let mut side = write("side", "/w/a", "bar");
    side.door = Door::AcpFs;
    side.diffs[0].old_text = Some("a long file with foo in it".into());
    assert!(gate.submit(side, &[]).approval_id().is_some());
}

/// What was approved in a turn covers nothing once that turn is over. Attack 62.
#[tokio::test]
async fn given_a_turn_that_is_over_then_its_approvals_cover_nothing() {
    let gate = gate();
    let session = SessionId("s".into());
    for end in [Gate::cancel_turn as fn(&Gate, &SessionId), Gate::end_turn] {
        let ticket = gate.submit(write("1", "/w/a", "new"), &[]);
        answer(&gate, &ticket, choice::ALLOW_ONCE).unwrap();
        end(&gate, &session);
        let mut side = write("side", "/w/a", "new");
        side.door = Door::AcpFs;
        assert!(gate.submit(side, &[]).approval_id().is_some());
    }
}

/// A tool whose input is not understood: a session's answer covers exactly this call. Attack 44.
#[tokio::test]
async fn given_an_unknown_tool_then_a_session_grant_covers_the_same_input_alone() {
    let gate = gate();
    let tool = |id: &str, input: Value| {
        let mut call =
            call(id, Access::Tool { name: "execute".into(), category: crate::call::Category::Execute });
        call.raw_input = input;
        call
    };
    let ticket = gate.submit(tool("1", json!({"program": "true"})), &[]);
    answer(&gate, &ticket, choice::ALLOW_SESSION).unwrap();
    let same = gate.submit(tool("2", json!({"program": "true"})), &[]);
    assert!(matches!(same.verdict().await, Verdict::Allowed(_)));
    assert!(gate.submit(tool("3", json!({"program": "rm"})), &[]).approval_id().is_some());
}

/// A later denial takes back what was allowed before.
#[tokio::test]
async fn given_a_denial_after_a_grant_then_the_grant_is_gone() {
    let gate = gate();
    let ticket = gate.submit(write("1", "/w/a", "x"), &[]);
    answer(&gate, &ticket, choice::ALLOW_SESSION).unwrap();
    gate.lock().judge.grants.record_denial(&write("2", "/w/a", "y"), &[crate::call::Category::Write]);
    assert!(gate.submit(write("3", "/w/a", "x"), &[]).approval_id().is_some());
}

/// A star among the words is no wildcard that somebody asked for. Attack 56.
#[tokio::test]
async fn given_a_star_among_the_words_then_no_rule_is_suggested() {
    let gate = gate();
    let words = vec!["python3".to_owned(), "*".to_owned()];
    let _ticket = gate.submit(
        call("1", shell::argv_accesses(&words, &Surroundings::new(Path::new("/w"), &[])).remove(0)),
        &[],
    );
    assert!(gate.waiting_cards()[0].suggestions.is_empty());
    let _other = gate.submit(run("2", "npm exec thing"), &[]);
    assert_eq!(gate.waiting_cards()[1].suggestions[0].patterns, ["shell(npm exec thing)"]);
    assert_eq!(gate.waiting_cards()[1].suggestions.len(), 1);
}

/// What a door can do about a question that it gets no answer to. Attack 263.
#[tokio::test]
async fn given_a_door_without_an_answer_then_it_denies_and_no_more() {
    let gate = gate();
    let ticket = gate.submit(run("1", "make"), &[]);
    let late = pick(&gate, &ticket, choice::ALLOW_ONCE);
    gate.deny_waiting(ticket.approval_id().unwrap(), "mayi", "the client can't ask");
    let error = gate.answer(late, "test").unwrap_err();
    assert_eq!(error, AnswerError::Settled { by: "mayi".into(), state: State::Denied });
    let Verdict::Denied(refusal) = ticket.verdict().await else { panic!("a door allowed it") };
    assert_eq!((refusal.reason.as_str(), refusal.by_person), ("the client can't ask", false));
}

/// What a front end hears of may come by one channel, and stands there in the order in which it happened.
#[tokio::test]
async fn given_one_channel_for_both_sides_then_what_happens_stands_in_its_order() {
    #[derive(Debug)]
    enum Heard {
        Gate(GateEvent),
        Agent(&'static str),
    }
    impl From<GateEvent> for Heard {
        fn from(event: GateEvent) -> Self {
            Self::Gate(event)
        }
    }
    let gate = gate();
    let (events, mut heard) = tokio::sync::mpsc::unbounded_channel();
    gate.forward_events(events.clone());
    events.send(Heard::Agent("tool_call")).unwrap();
    let ticket = gate.submit(write("1", "/w/a", "x"), &[]);
    let agent = events.clone();
    let pick = pick(&gate, &ticket, choice::ALLOW_ONCE);
    let asking = tokio::spawn(async move {
        let verdict = ticket.verdict().await;
        agent.send(Heard::Agent("agent_message_chunk")).unwrap();
        verdict
    });
    gate.answer(pick, "test").unwrap();
    assert!(matches!(asking.await.unwrap(), Verdict::Allowed(_)));
    let order: Vec<_> = std::iter::from_fn(|| heard.try_recv().ok())
        .map(|heard| match heard {
            Heard::Agent(what) => what,
            Heard::Gate(GateEvent::Asked(_)) => "asked",
            Heard::Gate(GateEvent::Resolved(_)) => "resolved",
            Heard::Gate(_) => "other",
        })
        .collect();
    assert_eq!(order, ["tool_call", "asked", "resolved", "agent_message_chunk"]);
}
