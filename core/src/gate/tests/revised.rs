//! What a card says that is shown again, after its call or the rules have changed.

use super::memory::{Kept as Stored, remembering};
use super::*;
use crate::call::{Category, McpAccess, ServerId};
use crate::policy::{Approval, Level, ServerSettings, ToolSettings};

/// "Allowed twice" is said of the command that is on the card.
#[tokio::test]
async fn given_a_call_that_changes_then_its_card_says_how_the_like_of_it_was_answered() {
    let kept = Stored::new();
    let gate = kept.gate();
    for (id, line, option) in
        [("1", "make", choice::ALLOW_ONCE), ("2", "make", choice::ALLOW_ONCE), ("3", "rm x", choice::DENY)]
    {
        let asked = gate.submit(run(id, line), &[]);
        answer(&gate, &asked, option).unwrap();
    }
    let asked = gate.submit(run("4", "make"), &[]);
    let told = || gate.waiting()[0].history.clone().map(|history| (history.allowed, history.denied));
    assert_eq!(told(), Some((2, 0)));
    gate.revise(asked.approval().unwrap(), run("4", "rm x"));
    assert_eq!(told(), Some((0, 1)));
    gate.revise(asked.approval().unwrap(), run("4", "cargo build"));
    assert_eq!(told(), None);
    gate.revise(asked.approval().unwrap(), run("4", "make"));
    gate.replace_policy(Policy::default());
    assert_eq!(told(), Some((2, 0)), "rules change nothing about it");
}

fn server(category: Category) -> Policy {
    let tool = ToolSettings { approval: Approval::Default, category: Some(category) };
    let settings = ServerSettings {
        approval: Some(Approval::Required),
        tools: BTreeMap::from([("get".to_owned(), tool)]),
        ..ServerSettings::default()
    };
    Policy { servers: BTreeMap::from([("s".into(), settings)]), ..Policy::default() }
}

/// Decisions, 4.3: what may be granted to a server is what would let this call through by the rules of now.
#[tokio::test]
async fn given_other_rules_then_the_card_offers_the_levels_that_allow_it_by_these() {
    let gate = gate();
    gate.pass_servers(&SessionId("s".into()), vec![("s".to_owned(), ServerId::of(&json!("s")))]);
    gate.replace_policy(server(Category::Read));
    let tool = vec![("s".to_owned(), "get".to_owned())];
    let asked = gate.submit(call("1", Access::Mcp(McpAccess::new(tool, Value::Null, Path::new("/w")))), &[]);
    let offered = || gate.waiting()[0].levels.clone();
    let all = [Level::Read, Level::Write, Level::All];
    assert_eq!(offered(), all);
    gate.replace_policy(server(Category::Read));
    assert_eq!(offered(), all, "the same rules as before");
    gate.replace_policy(server(Category::Write));
    assert_eq!(offered(), all[1..]);
    let level =
        |level| Remember { level: Some(level), ..Remember::patterns(RememberScope::Session, Vec::new()) };
    let given = |of| gate.answer(remembering(&gate, &asked, choice::ALLOW_SESSION, level(of)), "test");
    assert!(
        matches!(given(Level::Read), Err(AnswerError::Remember(_))),
        "it was offered before, and is not now"
    );
    given(Level::Write).unwrap();
}
