//! What a person types or allows may hold a secret: it counts, and is not written.

use super::memory::{Kept, remembering};
use super::*;
use crate::grant::Scope;
use crate::store::{ApprovalQuery, GrantQuery, Store};

const SECRET: &str = "hunter2hunter2";

/// A command with a secret.
fn deploy(id: &str) -> Call {
    run(id, &format!("deploy --password {SECRET}"))
}

fn stored(kept: &Kept) -> String {
    let approvals = kept.store.query_approvals(&ApprovalQuery::default()).unwrap();
    let grants = kept.store.query_grants(&GrantQuery::default()).unwrap();
    format!("{approvals:?} {grants:?} {:?}", kept.entries())
}

/// Attack 22: "secrets in a command ... of the record": D7.3, every stored string redacted. The
/// agent is told what was typed.
#[tokio::test]
async fn given_a_reason_with_a_secret_then_the_agent_hears_it_and_the_store_does_not_hold_it() {
    let kept = Kept::new();
    let gate = kept.gate();
    let asked = gate.submit(run("1", "make"), &[]);
    let typed = format!("use --token {SECRET} for it");
    let response = ApprovalResponse { reason: Some(typed.clone()), ..pick(&gate, &asked, choice::DENY) };
    gate.answer(response, "test").unwrap();
    let Verdict::Denied(refusal) = asked.verdict().await else { panic!("it was denied") };
    assert!(refusal.reason.contains(&typed), "{}", refusal.reason);
    let stored = stored(&kept);
    assert!(stored.contains("for it") && !stored.contains(SECRET), "{stored}");
}

/// Attack 22: a pattern that holds a secret counts for the session, and is written nowhere.
#[tokio::test]
async fn given_a_pattern_with_a_secret_then_it_counts_in_this_session_alone() {
    let kept = Kept::new();
    let gate = kept.gate();
    let asked = gate.submit(deploy("1"), &[]);
    answer(&gate, &asked, choice::ALLOW_SESSION).unwrap();
    // Others are remembered beside it, and read back.
    let make = gate.submit(run("2", "make"), &[]);
    answer(&gate, &make, choice::ALLOW_SESSION).unwrap();
    let mut again = deploy("3");
    again.title = "the same argv in another call".into();
    again.raw_input = json!({"a": 1});
    for call in [again, deploy("4"), run("5", "make")] {
        assert!(matches!(gate.submit(call, &[]).verdict().await, Verdict::Allowed(_)));
    }
    let stored = stored(&kept);
    assert!(stored.contains("shell(make)") && !stored.contains(SECRET), "{stored}");
    let denied = gate.submit(run("6", &format!("login --password {SECRET}")), &[]);
    let remember = Remember::of_patterns(RememberScope::Session, Vec::new());
    gate.answer(remembering(&gate, &denied, choice::DENY, remember), "test").unwrap();
    let next = gate.submit(run("7", &format!("login --password {SECRET}")), &[]);
    assert!(matches!(next.verdict().await, Verdict::Denied(_)));
    let mut other = session("t", None);
    other.agent = AgentId::from_name("a");
    gate.open_session(other);
    let elsewhere = Call { session: SessionId("t".into()), ..deploy("8") };
    assert!(gate.submit(elsewhere, &[]).approval_id().is_some());
    drop((asked, make, denied));
}

/// Attack 22: the same for longer: refused, and why.
#[tokio::test]
async fn given_a_pattern_with_a_secret_for_longer_than_the_session_then_it_is_refused() {
    let kept = Kept::new();
    let without = gate();
    for gate in [kept.gate(), without] {
        let asked = gate.submit(deploy("1"), &[]);
        let pattern = format!("shell(deploy --password {SECRET})");
        let like = |scope| Remember::of_patterns(scope, vec![pattern.clone()]);
        let limited = Remember { uses: Some(3), ..like(RememberScope::Session) };
        let stores = !kept.kinds().is_empty() && gate.lock().ledger.memory().is_some();
        let mut cases = vec![(choice::ALLOW_ALWAYS, like(RememberScope::User), "allow it for this session,")];
        if stores {
            cases.extend([
                (choice::ALLOW_ALWAYS, like(RememberScope::Workspace), "allow it for this session,"),
                (choice::ALLOW_SESSION, limited, "allow it for this session without limits,"),
                (choice::DENY, like(RememberScope::User), "deny it for this session,"),
            ]);
        }
        for (option, remember, why) in cases {
            let refused = gate.answer(remembering(&gate, &asked, option, remember), "test").unwrap_err();
            let text = refused.to_string();
            assert!(text.contains("this pattern holds a secret") && text.contains(why), "{text}");
        }
        assert_eq!(gate.waiting_cards().len(), 1, "it still waits");
        drop(asked);
    }
    let grants = kept.store.query_grants(&GrantQuery::default()).unwrap();
    assert!(grants.iter().all(|grant| grant.scope == Scope::Session) && !stored(&kept).contains(SECRET));
}
