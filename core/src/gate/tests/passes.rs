//! MCP servers by their identity, and what one door has allowed for another.

use super::memory::Kept;
use super::*;
use crate::call::{McpAccess, ServerId};
use crate::gate::judge::Sessions;
use crate::policy::{Approval, Level, ServerSettings};
use crate::record::{Kind, entry_details};
use crate::store::{Change, Pass, Store};

fn github() -> ServerId {
    ServerId::from_launch(&json!({"command": ["github"]}))
}

fn other() -> ServerId {
    ServerId::from_launch(&json!({"command": ["other"]}))
}

/// A call of a tool as the agent asks for it.
fn asked(id: &str, server: &str, tool: &str, arguments: Value) -> Call {
    let readings = vec![(server.to_owned(), tool.to_owned())];
    call(id, Access::Mcp(McpAccess::new(readings, arguments, Path::new("/w"))))
}

/// The same as the gateway meets it.
fn met(id: &str, server: Option<ServerId>, tool: &str, arguments: Value) -> Call {
    Call { door: Door::Mcp, server, ..asked(id, "gh", tool, arguments) }
}

/// A gate for an agent into whose session mayi put the server `gh`.
fn acp(kept: &Kept) -> Gate {
    let gate = kept.gate();
    gate.set_own_servers(&SessionId("s".into()), vec![("gh".to_owned(), github())]);
    gate
}

fn allows(text: &str) -> Policy {
    let mut policy = Policy::default();
    policy.rules.push(Rule {
        effect: Effect::Allow,
        pattern: Pattern::parse(text, &PatternBases::default()).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: "user" },
    });
    policy
}

async fn covered(gate: &Gate, call: Call) -> bool {
    let ticket = gate.submit_as(call, &[], OnAsk::Deny);
    matches!(ticket.verdict().await, Verdict::Allowed(authorized) if authorized.decided_by() == DecidedBy::Covered)
}

/// D6.17: No session scope where the protocol has no session.
#[tokio::test]
async fn given_requests_that_stand_for_themselves_then_nothing_is_remembered_for_a_session() {
    let kept = Kept::new();
    let gate = kept.gate();
    gate.mark_requests_independent(&SessionId("s".into()));
    let ticket = gate.submit(met("1", Some(github()), "get", json!({})), &[]);
    let card = gate.waiting_cards().remove(0);
    assert!(!card.options.iter().any(|option| option.scope == "session"));
    assert!(
        !card.suggestions.iter().any(|suggestion| suggestion.scopes.iter().any(|scope| scope == "session"))
    );
    for (option, patterns) in
        [(choice::ALLOW_SESSION, Vec::new()), (choice::ALLOW_ALWAYS, vec!["mcp(gh/*)".to_owned()])]
    {
        let mut response = ApprovalResponse::pick(&card, option);
        response.remember = Some(Remember::of_patterns(RememberScope::Session, patterns));
        assert!(gate.answer(response, "test").is_err(), "{option}");
    }
    answer(&gate, &ticket, choice::ALLOW_ONCE).unwrap();
    assert!(matches!(ticket.verdict().await, Verdict::Allowed(_)));
}

/// S5.5: A call that ACP has just approved for the same server, tool and arguments is not asked about
/// again; once, and no other. Attack 122.
#[tokio::test]
async fn given_an_approved_call_then_the_gateway_lets_exactly_that_through_once() {
    let kept = Kept::new();
    let (first, second) = (acp(&kept), kept.gate());
    let ticket = first.submit(asked("1", "gh", "issue", json!({"n": 1, "m": 2})), &[]);
    let said = || json!({"m": 2, "n": 1});
    assert!(!covered(&second, met("1", Some(github()), "issue", said())).await, "nobody has answered yet");
    answer(&first, &ticket, choice::ALLOW_ONCE).unwrap();
    assert!(!covered(&second, met("1", Some(github()), "issue", json!({"n": 2, "m": 2}))).await, "arguments");
    assert!(!covered(&second, met("1", Some(github()), "pull", said())).await, "tool");
    assert!(!covered(&second, met("1", Some(other()), "issue", said())).await, "server");
    assert!(!covered(&second, met("1", None, "issue", said())).await, "nobody knows which server");
    let stranger = Call { agent: AgentId::from_name("b"), ..met("1", Some(github()), "issue", said()) };
    assert!(!covered(&second, stranger).await, "agent");
    assert!(
        !covered(&second, Call { door: Door::AcpPermission, ..met("1", Some(github()), "issue", said()) })
            .await
    );
    assert!(covered(&second, met("1", Some(github()), "issue", said())).await);
    assert!(!covered(&second, met("1", Some(github()), "issue", said())).await, "once");
    let last = kept.entries().into_iter().rev().find(|of| of.entry.effect == Some(Effect::Allow)).unwrap();
    assert_eq!(last.entry.kind, Kind::Decided);
    assert_eq!(entry_details::read::<entry_details::Decided>(&last.entry).unwrap().by, "covered");
}

/// A pass is taken in one piece with the entry: two processes never go through by one.
/// Attack 122.
#[tokio::test]
async fn given_two_processes_then_one_pass_is_taken_by_one_of_them() {
    let kept = Kept::new();
    let first = acp(&kept);
    first.replace_policy(allows("mcp(gh/*)"));
    let gates = [kept.gate(), kept.gate(), kept.gate()];
    for round in 0..4 {
        let ticket = first.submit(asked("1", "gh", "issue", json!({ "n": round })), &[]);
        assert!(matches!(ticket.verdict().await, Verdict::Allowed(_)));
        let threads: Vec<_> = gates
            .iter()
            .map(|gate| {
                let gate = gate.clone();
                std::thread::spawn(move || {
                    let call = met("1", Some(github()), "issue", json!({ "n": round }));
                    let mut ticket = gate.submit_as(call, &[], OnAsk::Deny);
                    matches!(ticket.at_once(), Some(Verdict::Allowed(_)))
                })
            })
            .collect();
        let through = threads.into_iter().map(|thread| thread.join().unwrap());
        assert_eq!(through.filter(|through| *through).count(), 1);
    }
}

/// D4.21: A deny is never discharged by anything; and what was not allowed leaves nothing.
/// Attack 122.
#[tokio::test]
async fn given_a_denied_call_then_no_pass_lets_it_through_and_none_is_left() {
    let kept = Kept::new();
    let (first, second) = (acp(&kept), kept.gate());
    let ticket = first.submit(asked("1", "gh", "issue", json!({})), &[]);
    answer(&first, &ticket, choice::DENY).unwrap();
    assert!(!covered(&second, met("1", Some(github()), "issue", json!({}))).await);
    let ticket = first.submit(asked("2", "gh", "pull", Value::Null), &[]);
    answer(&first, &ticket, choice::ALLOW_ONCE).unwrap();
    let blocked = Call { blocked: Some("changed".into()), ..met("2", Some(github()), "pull", json!({})) };
    assert!(!covered(&second, blocked).await);
    assert!(
        covered(&second, met("2", Some(github()), "pull", json!({}))).await,
        "no arguments are no arguments"
    );
}

/// A pass that nobody looked at covers nothing that is always asked about. Attack 122.
#[tokio::test]
async fn given_an_automatic_allow_then_its_pass_covers_nothing_that_always_asks() {
    let kept = Kept::new();
    let (first, second) = (acp(&kept), kept.gate());
    let by_hand = |mut call: Call| {
        call.by_hand = Some("looked at each time".into());
        call
    };
    first.replace_policy(allows("mcp(gh/*)"));
    let _ = first.submit(asked("1", "gh", "issue", json!({})), &[]);
    assert!(!covered(&second, by_hand(met("1", Some(github()), "issue", json!({})))).await);
    assert!(covered(&second, met("1", Some(github()), "issue", json!({}))).await);
    first.replace_policy(Policy::default());
    let ticket = first.submit(asked("2", "gh", "issue", json!({})), &[]);
    answer(&first, &ticket, choice::ALLOW_ONCE).unwrap();
    assert!(covered(&second, by_hand(met("2", Some(github()), "issue", json!({})))).await, "a person saw it");
}

/// A pass ends by itself, and with a clock that was turned back. Attack 122.
#[tokio::test]
async fn given_a_pass_that_has_ended_then_it_counts_no_more() {
    let kept = Kept::new();
    let first = acp(&kept);
    let ticket = first.submit(asked("1", "gh", "issue", json!({})), &[]);
    answer(&first, &ticket, choice::ALLOW_ONCE).unwrap();
    let state = first.lock();
    let memory = state.ledger.memory().unwrap();
    let mut call = asked("1", "gh", "issue", json!({}));
    call.server = Some(github());
    let Some(Change::LeavePass(left)) =
        crate::gate::ledger::pass_change(memory, &Sessions::default(), &call, true, Timestamp::now())
    else {
        panic!()
    };
    let found = |at| kept.store.find_pass(&left.call, at).unwrap();
    let now = Timestamp::now();
    let pass = found(now).unwrap();
    assert!(pass.person);
    assert!(found(now + Pass::LIFE).is_none(), "expired");
    assert!(found(pass.at - jiff::SignedDuration::from_secs(1)).is_none(), "before it was left");
    let newest = Some(now + jiff::SignedDuration::from_secs(60));
    assert!(pass.is_live(now, Some(now)) && !pass.is_live(now, newest), "the clock was turned back");
    let late = vec![Change::TakePass { id: pass.id, at: now + Pass::LIFE }];
    assert!(kept.store.commit(late).is_err());
    assert!(found(now).is_some(), "nothing was taken by what could not be");
}

/// D1.21: a server of another identity under a known name has no settings, grants or trust.
/// Attack 120.
#[tokio::test]
async fn given_a_grant_for_a_server_then_it_counts_for_no_other_under_its_name() {
    let kept = Kept::new();
    let gate = acp(&kept);
    let ticket = gate.submit(asked("1", "gh", "issue", json!({"n": 1})), &[]);
    let remember = Remember::of_patterns(RememberScope::Workspace, vec!["mcp(gh/issue)".into()]);
    let response =
        ApprovalResponse { remember: Some(remember), ..pick(&gate, &ticket, choice::ALLOW_ALWAYS) };
    gate.answer(response, "test").unwrap();
    let again = kept.gate();
    let allowed = async |server: Option<ServerId>| {
        let call = Call { server, ..asked("2", "gh", "issue", json!({"n": 2})) };
        matches!(again.submit_as(call, &[], OnAsk::Deny).verdict().await, Verdict::Allowed(_))
    };
    assert!(allowed(Some(github())).await);
    assert!(!allowed(Some(other())).await);
    assert!(!allowed(None).await, "nobody knows which server it is");
    // A denial holds for all of them.
    let ticket = gate.submit(asked("3", "gh", "drop", json!({})), &[]);
    let remember = Remember::of_patterns(RememberScope::Workspace, vec!["mcp(gh/drop)".into()]);
    gate.answer(super::memory::remembering(&gate, &ticket, choice::DENY, remember), "test").unwrap();
    for server in [Some(github()), Some(other()), None] {
        let call = Call { server, ..asked("4", "gh", "drop", json!({})) };
        let Verdict::Denied(refusal) = kept.gate().submit(call, &[]).verdict().await else { panic!() };
        assert!(refusal.is_policy());
    }
}

/// The same, of the levels of a server. Attack 120.
#[tokio::test]
async fn given_a_level_for_a_server_then_it_counts_for_no_other_under_its_name() {
    let kept = Kept::new();
    let mut policy = Policy::default();
    let settings = ServerSettings { approval: Some(Approval::Required), ..ServerSettings::default() };
    policy.servers.insert("gh".into(), settings);
    let gate = acp(&kept);
    gate.replace_policy(policy.clone());
    let ticket = gate.submit(asked("1", "gh", "issue", json!({})), &[]);
    let level =
        Remember { level: Some(Level::All), ..Remember::of_patterns(RememberScope::Workspace, Vec::new()) };
    gate.answer(super::memory::remembering(&gate, &ticket, choice::ALLOW_ALWAYS, level), "test").unwrap();
    let again = acp(&kept);
    again.replace_policy(policy);
    let by = async |server: ServerId| {
        let call = Call { server: Some(server), ..asked("2", "gh", "pull", json!({})) };
        matches!(again.submit_as(call, &[], OnAsk::Deny).verdict().await, Verdict::Allowed(_))
    };
    assert!(by(github()).await);
    assert!(!by(other()).await);
}

/// A call of a server that mayi put into the session is about that one, whatever the door said; a name that may be
/// two servers is none.
#[tokio::test]
async fn given_a_server_that_was_passed_then_its_calls_have_its_identity() {
    let gate = gate();
    let twice = vec![("a".to_owned(), github()), ("b".to_owned(), github()), ("b".to_owned(), other())];
    gate.set_own_servers(&SessionId("s".into()), twice);
    let server = |mut call: Call| {
        gate.lock().judge.add_session_tool_facts(&mut call);
        call.server
    };
    assert_eq!(server(asked("1", "a", "t", json!({}))), Some(github()));
    assert_eq!(server(asked("1", "b", "t", json!({}))), None);
    assert_eq!(server(asked("1", "c", "t", json!({}))), None);
    assert_eq!(server(Call { session: SessionId("t".into()), ..asked("1", "a", "t", json!({})) }), None);
    let mut unsure = asked("1", "a", "t", json!({}));
    let readings = vec![("a".into(), "b__t".into()), ("a__b".into(), "t".into())];
    unsure.accesses = vec![Access::Mcp(McpAccess::new(readings, json!({}), Path::new("/w")))];
    assert_eq!(server(unsure), None);
}

/// An ask of one call may have another fate than those of the gate.
#[tokio::test]
async fn given_nobody_for_one_call_then_only_that_one_is_denied() {
    let kept = Kept::new();
    let gate = kept.gate();
    let denied = gate.submit_as(run("1", "make"), &[], OnAsk::Deny);
    assert!(matches!(denied.verdict().await, Verdict::Denied(refusal) if refusal.unanswered));
    assert!(gate.submit(run("2", "make"), &[]).approval_id().is_some());
}
