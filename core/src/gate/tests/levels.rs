//! Levels of servers and denials in a session, as answers give and end them.

use super::memory::remembering;
use super::*;
use crate::call::{Category, McpAccess, ServerId};
use crate::policy::{Level, ServerSettings, ToolSettings};

fn uses(id: &str, tool: &str) -> Call {
    let readings = vec![("s".to_owned(), tool.to_owned())];
    call(id, Access::Mcp(McpAccess::new(readings, Value::Null, Path::new("/w"))))
}

fn with_server(gate: &Gate) {
    gate.set_own_servers(&SessionId("s".into()), vec![("s".to_owned(), ServerId::from_launch(&json!("s")))]);
}

fn level(of: Level) -> Remember {
    Remember { level: Some(of), ..Remember::of_patterns(RememberScope::Session, Vec::new()) }
}

/// Seed 3: "all: everything of one server", also of one that has nothing but its command.
#[tokio::test]
async fn given_a_server_without_settings_then_all_of_it_is_offered_and_taken() {
    let gate = gate();
    with_server(&gate);
    let asked = gate.submit(uses("1", "get"), &[]);
    assert_eq!(gate.waiting_cards()[0].levels, [Level::All]);
    gate.answer(remembering(&gate, &asked, choice::ALLOW_SESSION, level(Level::All)), "test").unwrap();
    assert!(matches!(asked.verdict().await, Verdict::Allowed(_)));
    assert!(matches!(gate.submit(uses("2", "drop"), &[]).verdict().await, Verdict::Allowed(_)));
    assert!(gate.waiting_cards().is_empty());
}

/// Seed 3: "session: the permission lasts the session". A denial of something else does not end it; one of a tool that
/// it covered does, and another tool of a higher level does not.
#[tokio::test]
async fn given_a_denial_of_something_else_then_a_level_stays() {
    let gate = gate();
    with_server(&gate);
    let tool =
        |category| ToolSettings { approval: crate::policy::Approval::Default, category: Some(category) };
    let tools = [("put", tool(Category::Write)), ("send", tool(Category::External))];
    let tools = tools.map(|(name, tool)| (name.to_owned(), tool)).into();
    let settings = ServerSettings { tools, ..ServerSettings::default() };
    gate.replace_policy(Policy { servers: BTreeMap::from([("s".into(), settings)]), ..Policy::default() });
    let asked = gate.submit(uses("1", "put"), &[]);
    gate.answer(remembering(&gate, &asked, choice::ALLOW_SESSION, level(Level::Write)), "test").unwrap();
    for (id, other) in [("2", run("2", "touch z")), ("3", uses("3", "send"))] {
        let asked = gate.submit(other, &[]);
        answer(&gate, &asked, choice::DENY).unwrap();
        let still = gate.submit(uses(&format!("{id}-again"), "put"), &[]).verdict().await;
        assert!(matches!(still, Verdict::Allowed(_)), "after {id}");
    }
}

/// Seed 3: "choices can be remembered: deny". The same is denied then, without a question.
#[tokio::test]
async fn given_a_denial_that_is_remembered_for_the_session_then_the_same_is_denied_unasked() {
    let gate = gate();
    let asked = gate.submit(run("1", "make"), &[]);
    let remember = Remember::of_patterns(RememberScope::Session, Vec::new());
    gate.answer(remembering(&gate, &asked, choice::DENY, remember), "test").unwrap();
    let Verdict::Denied(refusal) = gate.submit(run("2", "make"), &[]).verdict().await else { panic!() };
    assert!(refusal.reason.contains("denied before"), "{}", refusal.reason);
    let other = gate.submit(run("3", "make x"), &[]);
    assert_eq!(gate.waiting_cards().len(), 1, "other words are asked about");
    drop(other);
}
