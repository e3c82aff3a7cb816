//! A session whose MCP servers are reached through mayi alone: what its agent has asked about, and what then comes in where
//! the tool runs (S4.3).

use super::memory::Kept;
use super::*;
use crate::call::{Category, McpAccess, ServerId};
use crate::gate::{ReportedEnd, ToolFactsSource};

/// Knows nothing of any tool.
#[derive(Debug)]
struct Nothing;

impl ToolFactsSource for Nothing {
    fn add_tool_facts(&self, _: &mut Call, _: &Policy) {}
}

fn server() -> ServerId {
    ServerId::from_launch(&json!({"command": ["github"]}))
}

/// A gate that stands before the servers `gh` and `other`, which are one program, in a session.
fn standing(kept: &Kept) -> Gate {
    let gate = kept.gate();
    let session = SessionId("s".into());
    gate.set_own_servers(&session, vec![("gh".to_owned(), server()), ("other".to_owned(), server())]);
    gate.set_session_gateway(&session, Arc::new(Nothing));
    gate
}

/// A call of a tool as the agent asks for it.
fn asked(id: &str, name: &str) -> Call {
    let readings = vec![(name.to_owned(), "push".to_owned())];
    call(id, Access::Mcp(McpAccess::new(readings, json!({"to": 1}), Path::new("/w"))))
}

/// The same where it runs.
fn met(name: &str) -> Call {
    Call { door: Door::Mcp, server: Some(server()), tool_call_id: None, ..asked("", name) }
}

async fn covered(gate: &Gate, call: Call) -> bool {
    let ticket = gate.submit_as(call, &[], OnAsk::Deny);
    matches!(ticket.verdict().await, Verdict::Allowed(authorized) if authorized.decided_by() == DecidedBy::Covered)
}

/// A person allows this call once.
fn allowed_by_a_person(gate: &Gate, call: Call) {
    let ticket = gate.submit_as(call, &[], OnAsk::Wait);
    let id = ticket.approval_id().unwrap();
    let card = gate.waiting_cards().into_iter().find(|card| card.approval_id == id).unwrap();
    gate.answer(ApprovalResponse::pick(&card, crate::approval::choice::ALLOW_ONCE), "test").unwrap();
}

/// Attack 297. "What ACP has just approved is not asked about twice": one call of just that server, and no other.
#[tokio::test]
async fn given_one_approval_then_one_call_of_that_server_is_covered() {
    let kept = Kept::new();
    let gate = standing(&kept);
    allowed_by_a_person(&gate, asked("1", "gh"));
    // The same program under another name is another server of the session.
    assert!(!covered(&gate, met("other")).await);
    assert!(covered(&gate, met("gh")).await);
    assert!(!covered(&gate, met("gh")).await, "it counts once");
    // Nothing of it is left for another process or session.
    let elsewhere = kept.gate();
    elsewhere.set_own_servers(&SessionId("s".into()), vec![("gh".to_owned(), server())]);
    allowed_by_a_person(&gate, asked("2", "gh"));
    assert!(!covered(&elsewhere, met("gh")).await, "another session has nothing of it");
    assert!(covered(&gate, met("gh")).await);
}

/// Attack 297: it ends with its call, and with its turn.
#[tokio::test]
async fn given_an_approval_whose_call_or_turn_is_over_then_it_covers_nothing() {
    let kept = Kept::new();
    let gate = standing(&kept);
    let session = SessionId("s".into());
    allowed_by_a_person(&gate, asked("1", "gh"));
    gate.report_finished(&session, "1", "completed");
    assert!(!covered(&gate, met("gh")).await);
    allowed_by_a_person(&gate, asked("2", "gh"));
    gate.end_turn(&session);
    assert!(!covered(&gate, met("gh")).await);
    allowed_by_a_person(&gate, asked("3", "gh"));
    gate.cancel_turn(&session);
    assert!(!covered(&gate, met("gh")).await);
}

/// Attack 297: what nobody answered counts while the mode and the policy that allowed it hold.
#[tokio::test]
async fn given_an_approval_by_mode_then_it_ends_with_the_mode() {
    let kept = Kept::new();
    let gate = standing(&kept);
    let session = SessionId("s".into());
    gate.set_mode(&session, Mode::Auto);
    let approved = gate.submit_as(asked("1", "gh"), &[], OnAsk::Deny).verdict().await;
    assert!(matches!(approved, Verdict::Allowed(_)));
    gate.set_mode(&session, Mode::Default);
    assert!(!covered(&gate, met("gh")).await);
}

/// Attack 297: a person has to have seen what is odd about a tool.
#[tokio::test]
async fn given_a_flag_that_the_card_did_not_show_then_the_answer_does_not_cover_it() {
    let kept = Kept::new();
    let gate = standing(&kept);
    let flagged = |call: Call| Call { flagged: vec!["hidden characters".to_owned()], ..call };
    allowed_by_a_person(&gate, asked("1", "gh"));
    assert!(!covered(&gate, flagged(met("gh"))).await);
    allowed_by_a_person(&gate, flagged(asked("2", "gh")));
    assert!(covered(&gate, flagged(met("gh"))).await);
}

/// D7.9: what was refused where it runs does not hide what ran elsewhere.
#[tokio::test]
async fn given_a_refused_call_then_a_report_of_another_is_still_unasked() {
    let kept = Kept::new();
    let gate = standing(&kept);
    assert!(!covered(&gate, met("gh")).await);
    let mut report = asked("9", "gh");
    report.door = Door::AcpReported;
    let mut other = report.clone();
    if let Some(Access::Mcp(mcp)) = other.accesses.first_mut() {
        mcp.arguments = json!({"to": 2});
    }
    assert!(gate.judge_reported(&other, ReportedEnd::Ran).is_some());
    assert!(gate.judge_reported(&report, ReportedEnd::Ran).is_none(), "its own report is no news");
    assert!(gate.judge_reported(&report, ReportedEnd::Ran).is_some(), "once");
}

/// D7.9, attack 767: whatever the agent calls it, what was judged at the gateway is known by its arguments; each such call answers for
/// one report, and a report of something else is still one.
#[tokio::test]
async fn given_a_report_that_names_no_tool_then_it_is_known_by_its_arguments() {
    let kept = Kept::new();
    let gate = standing(&kept);
    assert!(!covered(&gate, met("gh")).await);
    let report = |kind: &str, input: serde_json::Value| {
        let mut report = call("9", Access::Tool { name: kind.to_owned(), category: Category::Execute });
        (report.door, report.kind, report.raw_input) = (Door::AcpReported, kind.to_owned(), input);
        report.title = "gh_create (gh MCP Server)".to_owned();
        report.session = met("gh").session;
        report
    };
    let Some(Access::Mcp(mcp)) = met("gh").accesses.pop() else { panic!("a tool") };
    let arguments = mcp.arguments;
    assert!(gate.judge_reported(&report("other", json!({"to": 7})), ReportedEnd::Ran).is_some());
    assert!(gate.judge_reported(&report("execute", arguments.clone()), ReportedEnd::Ran).is_some());
    assert!(gate.judge_reported(&report("other", json!(null)), ReportedEnd::Ran).is_some());
    assert!(gate.judge_reported(&report("other", arguments.clone()), ReportedEnd::Ran).is_none());
    assert!(gate.judge_reported(&report("other", arguments), ReportedEnd::Ran).is_some(), "once");
}
