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
    let told = || gate.waiting_cards()[0].history.clone().map(|history| (history.allowed, history.denied));
    assert_eq!(told(), Some((2, 0)));
    gate.revise_call(asked.approval_id().unwrap(), run("4", "rm x"));
    assert_eq!(told(), Some((0, 1)));
    gate.revise_call(asked.approval_id().unwrap(), run("4", "cargo build"));
    assert_eq!(told(), None);
    gate.revise_call(asked.approval_id().unwrap(), run("4", "make"));
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

/// D4.15: what may be granted to a server is what would let this call through by the rules of now.
#[tokio::test]
async fn given_other_rules_then_the_card_offers_the_levels_that_allow_it_by_these() {
    let gate = gate();
    gate.set_own_servers(&SessionId("s".into()), vec![("s".to_owned(), ServerId::from_launch(&json!("s")))]);
    gate.replace_policy(server(Category::Read));
    let tool = vec![("s".to_owned(), "get".to_owned())];
    let asked = gate.submit(call("1", Access::Mcp(McpAccess::new(tool, Value::Null, Path::new("/w")))), &[]);
    let offered = || gate.waiting_cards()[0].levels.clone();
    let all = [Level::Read, Level::Write, Level::All];
    assert_eq!(offered(), all);
    gate.replace_policy(server(Category::Read));
    assert_eq!(offered(), all, "the same rules as before");
    gate.replace_policy(server(Category::Write));
    assert_eq!(offered(), all[1..]);
    let level =
        |level| Remember { level: Some(level), ..Remember::of_patterns(RememberScope::Session, Vec::new()) };
    let given = |of| gate.answer(remembering(&gate, &asked, choice::ALLOW_SESSION, level(of)), "test");
    assert!(
        matches!(given(Level::Read), Err(AnswerError::Remember(_))),
        "it was offered before, and is not now"
    );
    given(Level::Write).unwrap();
}

/// What could not be shown is said once, however often the call changes.
#[tokio::test]
async fn given_a_call_that_changes_often_then_what_is_not_shown_is_said_once() {
    let gate = gate();
    let mut events = gate.subscribe();
    let with = |text: &str, not_shown: &[&str]| {
        let mut call = write("1", "/w/a", text);
        call.not_shown = not_shown.iter().map(ToString::to_string).collect();
        call
    };
    let ticket = gate.submit(with("a", &["an image", "an image", "a sound"]), &[]);
    for text in ["b", "c", "d"] {
        gate.revise_call(ticket.approval_id().unwrap(), with(text, &["an image", "an image", "a sound"]));
    }
    assert_eq!(gate.waiting_cards()[0].not_shown, ["an image", "an image", "a sound"]);
    // In another order it is the same.
    while events.try_recv().is_ok() {}
    gate.revise_call(ticket.approval_id().unwrap(), with("d", &["a sound", "an image"]));
    assert!(events.try_recv().is_err(), "nothing has changed");
}

/// A change is one too where nothing of it can be shown: the card says that there is more, and an answer to the one before
/// is refused. Attack 4.
#[tokio::test]
async fn given_a_change_that_cannot_be_shown_then_the_card_says_so_and_the_old_answer_is_refused() {
    let gate = gate();
    let ticket = gate.submit(write("1", "/w/a", "x"), &[]);
    let old = pick(&gate, &ticket, choice::ALLOW_ONCE);
    let mut more = write("1", "/w/a", "x");
    more.not_shown = vec!["an image".to_owned()];
    gate.revise_call(ticket.approval_id().unwrap(), more);
    assert_eq!(gate.waiting_cards()[0].not_shown, ["an image"]);
    assert_eq!(gate.answer(old, "test").unwrap_err(), AnswerError::Changed);
}
