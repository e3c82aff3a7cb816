//! The bypass of one session: for this session beside for good.

use super::memory::Kept as Stored;
use super::*;
use crate::grant::Scope;
use crate::store::{Change, GrantQuery, Store};

fn bypassing(gate: &Gate, ticket: &Ticket) -> ApprovalResponse {
    ApprovalResponse { bypass_session: true, ..pick(gate, ticket, choice::ALLOW_ONCE) }
}

fn elsewhere(id: &str, line: &str) -> Call {
    Call { session: SessionId("t".into()), ..run(id, line) }
}

async fn runs(ticket: Ticket) -> bool {
    matches!(ticket.verdict().await, Verdict::Allowed(_))
}

/// It answers what a bypass in the settings answers, from the next call on and in its own session: not what waits already,
/// what is protected, what another session asks. A denial of something else does not end it. Attack 336.
#[tokio::test]
async fn given_a_bypass_for_the_session_then_it_reaches_no_further() {
    let gate = gate();
    gate.open_session(session("t", None));
    let first = gate.submit(run("1", "make"), &[]);
    let waiting = gate.submit(run("2", "make"), &[]);
    let resolved = gate.answer(bypassing(&gate, &first), "test").unwrap();
    assert_eq!(resolved.granted_permissions, ["bypass a (session)"]);
    assert_eq!(gate.waiting_cards().len(), 1, "what waits already still waits");
    answer(&gate, &waiting, choice::DENY).unwrap();
    assert!(runs(gate.submit(run("3", "cargo build"), &[])).await);
    let always = gate.submit(run("4", "PATH=. make test"), &[]);
    assert!(always.approval_id().is_some(), "what is always asked about");
    let other = gate.submit(elsewhere("6", "cargo build"), &[]);
    assert!(other.approval_id().is_some());
    assert!(
        gate.is_session_bypassed(&SessionId("s".into())) && !gate.is_session_bypassed(&SessionId("t".into()))
    );
    // What was denied by hand is asked about again, as everywhere.
    assert!(gate.submit(run("7", "make"), &[]).approval_id().is_some());
    gate.close_session(&SessionId("s".into()));
    gate.open_session(session("s", None));
    assert!(gate.submit(run("8", "cargo build"), &[]).approval_id().is_some(), "it ends with its session");
}

/// "managed locks hold" (D5.3), also where nothing is written; a denial carries no bypass. Attack 336.
#[tokio::test]
async fn given_a_lock_or_a_denial_then_no_session_is_bypassed() {
    let gate = gate_with(OnAsk::Wait, None, Box::new(Kept { locked: true, ..Kept::default() }));
    let ticket = gate.submit(run("1", "make"), &[]);
    let error = gate.answer(bypassing(&gate, &ticket), "test").unwrap_err();
    assert_eq!(error, AnswerError::Remember("a file locks it".to_owned()));
    assert!(gate.bypass_session(&SessionId("s".into())).is_err());
    let denial = ApprovalResponse { bypass_session: true, ..pick(&gate, &ticket, choice::DENY) };
    assert!(matches!(gate.answer(denial, "test"), Err(AnswerError::Remember(_))));
    assert_eq!(gate.waiting_cards().len(), 1);
    let alone = super::gate();
    alone.mark_requests_independent(&SessionId("s".into()));
    assert!(
        alone.bypass_session(&SessionId("s".into())).is_err(),
        "there is no session that it could hold for"
    );
}

/// It is kept beside the other remembered answers: another process can list and end it, and none but the session's own is
/// bypassed by it, also not a later one that goes on with the session. Attack 336.
#[tokio::test]
async fn given_a_bypass_for_the_session_then_another_process_lists_it_and_ends_it() {
    let kept = Stored::new();
    let gate = kept.gate();
    let id = SessionId("s".into());
    gate.bypass_session(&id).unwrap();
    gate.bypass_session(&id).unwrap();
    let live = || {
        let query = GrantQuery { live_at: Some(Timestamp::now()), ..GrantQuery::default() };
        kept.store.query_grants(&query).unwrap()
    };
    let [listed] = live().try_into().unwrap();
    assert_eq!((listed.pattern.as_deref(), listed.scope), (Some("bypass"), Scope::Session));
    assert!(runs(gate.submit(run("1", "make"), &[])).await);
    let other = kept.gate();
    assert!(
        other.submit(run("2", "make"), &[]).approval_id().is_some(),
        "the same session in another process"
    );
    kept.store.commit(vec![Change::Revoke { id: listed.id, at: Timestamp::now() }]).unwrap();
    assert!(gate.submit(run("3", "make"), &[]).approval_id().is_some());
    gate.bypass_session(&id).unwrap();
    assert!(gate.end_session_bypass(&id, "test") && !gate.end_session_bypass(&id, "test"));
    assert!(live().is_empty() && gate.submit(run("4", "make"), &[]).approval_id().is_some());
}
