//! Tabs: chatting, and what an agent may do.

use serde_json::json;

use mayi_tests::Machine;

use super::scene::{Backend, code, demo};

/// S3.5: a chat tab with an agent behind it: what the agent says is told as it comes, and what it asks is
/// a card of the tab; allowed, it happens.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_prompt_then_its_card_is_told_and_an_allow_lets_it_happen() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    assert_eq!(events.next().await["type"], "snapshot");
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt hello").await;
    let card = events.until("approval-request").await;
    assert_eq!(card["tabId"], tab.as_str());
    assert_eq!(card["agentName"], "demo");
    assert!(backend.machine.text("a.txt").is_none());
    let resolved = client.answer(&card, "allow_once").await.unwrap();
    assert_eq!((&resolved["state"], &resolved["by"]), (&json!("approved"), &json!("test")));
    let ended = events.until("turn-ended").await;
    assert_eq!(ended["stopReason"], "end_turn");
    assert_eq!(backend.machine.text("a.txt").as_deref(), Some("hello\n"));
    let settled: Vec<_> = events.seen.iter().filter(|event| event["type"] == "approval-resolved").collect();
    assert_eq!(settled.len(), 1);
    assert_eq!(settled[0]["tabId"], tab.as_str());
    let machine = backend.stop().await;
    machine.is_quiet();
}

/// S4.8: sends a denial's reason ... when the turn has ended, as a follow-up prompt.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_denial_with_a_reason_then_nothing_happens_and_the_agent_is_told_why() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt hello").await;
    let card = events.until("approval-request").await;
    let mut answer = super::scene::pick(&card, "deny");
    answer["reason"] = json!("no\ndemo: say that it is not wanted");
    client.ask("approval/respond", answer).await;
    events.until("turn-ended").await;
    assert!(backend.machine.text("a.txt").is_none());
    assert!(events.said().contains("not wanted"), "{}", events.said());
    assert_eq!(events.count("turn-ended"), 1, "the follow-up belongs to the turn");
}

/// Seed 4: in plan mode, everything but reading is blocked.
#[tokio::test(flavor = "multi_thread")]
async fn given_plan_mode_then_nobody_is_asked_and_nothing_is_written() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    let info = client.ask("session/setMode", json!({"tabId": tab, "mode": "plan"})).await;
    assert_eq!(info["mode"], "plan");
    client.prompt(&tab, "demo: write a.txt hello").await;
    let decided = events.until("decided").await;
    assert_eq!(decided["effect"], "deny");
    events.until("turn-ended").await;
    assert_eq!(events.count("approval-request"), 0);
    assert!(backend.machine.text("a.txt").is_none());
    // New tabs are at Default again.
    let other = demo(&client, &backend.machine).await;
    let sessions = client.ask("session/list", json!({})).await;
    let of = |tab: &str| {
        sessions.as_array().unwrap().iter().find(|one| one["tabId"] == tab).unwrap()["mode"].clone()
    };
    assert_eq!((of(&tab), of(&other)), (json!("plan"), json!("default")));
}

/// D6.22: `session/cancel` ... cancel what waits.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_cancel_then_what_waits_is_cancelled_and_the_turn_ends() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: two").await;
    events.until("approval-request").await;
    let card = events.until("approval-request").await;
    client.ask("session/cancel", json!({"tabId": tab})).await;
    assert_eq!(events.until("approval-resolved").await["state"], "cancelled");
    assert_eq!(events.until("approval-resolved").await["state"], "cancelled");
    assert_eq!(events.until("turn-ended").await["stopReason"], "cancelled");
    let late = client.answer(&card, "allow_once").await.unwrap_err();
    assert_eq!(code(&late).0, -32020);
    assert!(backend.machine.files().is_empty());
    client.prompt(&tab, "demo: say it goes on").await;
    events.until("turn-ended").await;
    assert!(events.said().contains("it goes on"));
}

/// One tab's agent is nobody else's: closing it ends it, and the others go on.
#[tokio::test(flavor = "multi_thread")]
async fn given_two_tabs_then_closing_one_cancels_its_cards_and_leaves_the_other() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let (one, two) = (demo(&client, &backend.machine).await, demo(&client, &backend.machine).await);
    client.prompt(&one, "demo: write one.txt x").await;
    let first = events.until("approval-request").await;
    client.prompt(&two, "demo: write two.txt x").await;
    let second = events.until("approval-request").await;
    client.ask("session/close", json!({"tabId": first["tabId"]})).await;
    let resolved = events.until("approval-resolved").await;
    assert_eq!((&resolved["approvalId"], &resolved["state"]), (&first["approvalId"], &json!("cancelled")));
    events.until("session-closed").await;
    client.answer(&second, "allow_once").await.unwrap();
    while events.until("turn-ended").await["tabId"] != second["tabId"] {}
    assert_eq!(backend.machine.files().into_iter().collect::<Vec<_>>(), ["two.txt"]);
}

/// D3.21: `on_unasked = "stop"`: what ran can't be undone, but nothing comes after it. Attack 24.
#[tokio::test(flavor = "multi_thread")]
async fn given_on_unasked_stop_then_a_call_that_never_asked_ends_the_turn() {
    let backend = Backend::on(Machine::new().user("on_unasked = \"stop\"\n"), &[]).await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: unasked out.txt ;; demo: write a.txt x").await;
    events.until("unasked").await;
    let said = loop {
        let notice = events.until("notice").await["text"].as_str().unwrap().to_owned();
        if notice.contains("on_unasked") {
            break notice;
        }
    };
    assert!(said.ends_with("the turn is cancelled"), "{said}");
    assert_eq!(events.until("turn-ended").await["stopReason"], "cancelled", "{:?}", events.seen);
    assert_eq!(backend.machine.files().into_iter().collect::<Vec<_>>(), ["out.txt"]);
}

/// "Bad input gets a clear error that says what to do".
#[tokio::test(flavor = "multi_thread")]
async fn given_what_makes_no_sense_then_the_error_says_what_to_do() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let work = backend.machine.work();
    for (method, params, says) in [
        ("session/new", json!({"agent": "demmo", "cwd": work}), "did you mean `demo`?"),
        ("session/new", json!({"agent": "demo", "cwd": "work"}), "absolute"),
        (
            "session/new",
            json!({"agent": "demo", "cwd": backend.machine.outside("home")}),
            "open the folder of a project",
        ),
        ("session/new", json!({"agent": "demo", "cwd": "/"}), "open the folder of a project"),
        ("session/new", json!({"agent": "demo", "cwd": work, "tabId": "../x"}), "letters, digits"),
        ("session/new", json!({"agent": "demo"}), "missing field `cwd`"),
        ("session/new", json!({"agent": "kimi", "cwd": work}), "not found"),
        ("session/prompt", json!({"tabId": "none", "text": "hi"}), "no such tab"),
        (
            "mayi/initialize",
            json!({"protocolVersion": 2, "client": {"name": "x"}}),
            "install the same version",
        ),
        (
            "mayi/initialize",
            json!({"protocolVersion": 1, "client": {"name": "a\u{202e}b"}}),
            "letters, digits",
        ),
        ("no/such", json!({}), "not found"),
    ] {
        let error = client.call(method, params.clone()).await.unwrap_err().to_string();
        assert!(error.to_lowercase().contains(&says.to_lowercase()), "{method} {params}: {error}");
    }
    // An agent that is not there leaves no tab behind.
    assert_eq!(client.ask("session/list", json!({})).await, json!([]));
}
