//! What a tab's agent starts stays that agent's, however it forks.
#![cfg(target_os = "linux")]

use mayi_tests::{Loose, Machine};
use serde_json::json;

use super::scene::{Backend, demo};

const ROGUE: &str = env!("CARGO_BIN_EXE_rogue_agent");

/// D6.8: Answers from within an agent are refused: not at a terminal, not over the socket of the process that asks, and not with
/// the backend's token. Attack 178. Attack 780. Attack 785.
#[tokio::test(flavor = "multi_thread")]
async fn given_what_a_tabs_agent_lets_go_of_then_it_answers_for_nobody_and_ends_with_the_tab() {
    let machine = Machine::new();
    let loose = Loose::new(&machine);
    let line = loose.line(&format!("{ROGUE} many-asks 1"));
    let user = format!("version = 1\n[agents.loose]\ncommand = {:?}\n", ["sh", "-c", &line]);
    let backend = Backend::on(machine.user(&user), &[]).await;
    loose.know(&backend.text("url"));
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let other = demo(&client, &backend.machine).await;
    let cwd = backend.machine.work();
    let opened = client.ask("session/new", json!({"agent": "loose", "cwd": cwd})).await;
    let tab = opened["tabId"].as_str().unwrap();
    client.prompt(tab, "hi").await;
    let card = events.until("approval-request").await;
    tokio::task::block_in_place(|| {
        let ids = backend.machine.waiting(1);
        loose.are_refused(&ids[0]);
        assert_eq!(backend.machine.waiting(1), ids);
    });
    // The editor is listened to.
    client.answer(&card, "deny").await.unwrap();
    client.ask("session/close", json!({"tabId": tab})).await;
    let left = |what: &str| backend.machine.programs().iter().filter(|line| line.contains(what)).count();
    mayi_tests::until(mayi_tests::LIMIT, || match left("sleep 300") {
        0 => Ok(()),
        count => Err(format!("{count} are there still")),
    });
    // What another tab has started is that one's.
    client.prompt(&other, "demo: say still here").await;
    let _ = events.until("turn-ended").await;
    assert!(left("demo-agent") > 0);
    let machine = backend.stop().await;
    tokio::task::block_in_place(|| machine.is_quiet());
}

/// The same of an ordinary user, where the tests run as root. Attack 780.
#[test]
fn given_an_ordinary_user_then_what_a_tabs_agent_lets_go_of_answers_for_nobody_either() {
    mayi_tests::again_as_ordinary_user(
        "loose::given_what_a_tabs_agent_lets_go_of_then_it_answers_for_nobody_and_ends_with_the_tab",
    );
}
