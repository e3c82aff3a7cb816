//! What happens while an agent is being started, or between its prompts; and what its name stands for afterwards.

use std::time::Duration;

use mayi_tests::Machine;
use serde_json::{Value, json};

use super::scene::{Backend, Client, Events, code};

fn agent(words: &[&str]) -> Value {
    json!({"command": words[0], "args": words[1..]})
}

/// A client with these settings of its editor.
async fn editor(backend: &Backend, settings: Value) -> Client {
    let client = backend.client("editor").await;
    client.ask("settings/update", json!({"editor": settings})).await;
    client
}

/// The tab that is being started, once it is told of.
async fn starting(events: &mut Events) -> Value {
    loop {
        let session = events.until("session-changed").await["session"].clone();
        if session["state"] == "starting" {
            return session;
        }
    }
}

/// D4.25: plan mode never runs a non-read, also where it was chosen before there was a session.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_mode_that_is_chosen_while_the_agent_is_started_then_it_holds() {
    let backend = Backend::new().await;
    let gate = backend.machine.outside("gate");
    let script = "until [ -e \"$0\" ]; do sleep 0.05; done; exec \"$1\" demo-agent";
    let mayi = mayi_tests::mayi_program();
    let words = ["sh", "-c", script, gate.to_str().unwrap(), mayi.to_str().unwrap()];
    let client = editor(&backend, json!({"agents": {"slow": agent(&words)}})).await;
    let other = backend.client("other").await;
    let mut events = other.events(None).await;
    let (opened, set) = tokio::join!(
        client.ask("session/new", json!({"agent": "slow", "cwd": backend.machine.work()})),
        async {
            let tab = starting(&mut events).await["tabId"].clone();
            let set = other.ask("session/setMode", json!({"tabId": tab, "mode": "plan"})).await;
            std::fs::write(&gate, "").unwrap();
            set
        }
    );
    assert_eq!((&set["mode"], &opened["mode"]), (&json!("plan"), &json!("plan")));
    client.prompt(opened["tabId"].as_str().unwrap(), "demo: write a.txt x").await;
    assert_eq!(events.until("decided").await["effect"], "deny");
    events.until("turn-ended").await;
    assert!(backend.machine.text("a.txt").is_none());
}

/// An agent that does not answer yet ends with its tab, and with the backend: nothing of it runs on without a gate.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_agent_that_is_being_started_then_it_ends_with_its_tab_and_with_the_backend() {
    let backend = Backend::new().await;
    let client = editor(&backend, json!({"agents": {"stuck": agent(&["sleep", "600"])}})).await;
    let other = backend.client("other").await;
    let mut events = other.events(None).await;
    let ends = |machine: &Machine| {
        let stuck =
            || machine.programs().into_iter().filter(|program| program.contains("600")).collect::<Vec<_>>();
        // What is killed is gone a moment later.
        mayi_tests::until(Duration::from_secs(5), || match stuck() {
            programs if programs.is_empty() => Ok(()),
            programs => Err(format!("left behind: {programs:?}")),
        });
    };
    let new = json!({"agent": "stuck", "cwd": backend.machine.work()});
    let (opened, ()) = tokio::join!(client.call("session/new", new.clone()), async {
        let tab = starting(&mut events).await["tabId"].clone();
        other.ask("session/close", json!({"tabId": tab})).await;
        ends(&backend.machine);
    });
    assert_eq!(code(&opened.unwrap_err()).0, -32010);
    events.until("session-closed").await;
    assert_eq!(events.count("session-closed"), 1);
    let opening = tokio::spawn(async move { client.call("session/new", new).await });
    starting(&mut events).await;
    let machine = backend.stop().await;
    ends(&machine);
    assert!(opening.await.unwrap().is_err());
}

/// `session/cancel` ends the turn, also where the agent has answered its prompt and would be told of a refusal next.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_cancel_between_two_prompts_of_a_turn_then_no_more_is_sent() {
    let backend = Backend::new().await;
    let rogue = env!("CARGO_BIN_EXE_rogue_agent");
    let client = editor(&backend, json!({"agents": {"late": agent(&[rogue, "late-ask"])}})).await;
    let mut events = client.events(None).await;
    let opened = client.ask("session/new", json!({"agent": "late", "cwd": backend.machine.work()})).await;
    let tab = opened["tabId"].as_str().unwrap();
    client.prompt(tab, "go").await;
    let card = events.until("approval-request").await;
    let mut answer = super::scene::pick(&card, "deny");
    answer["reason"] = json!("not this one");
    client.ask("approval/respond", answer).await;
    client.ask("session/cancel", json!({"tabId": tab})).await;
    let ended = events.until("turn-ended").await;
    assert_eq!((&ended["stopReason"], &ended["error"]), (&json!("cancelled"), &Value::Null));
    assert_eq!(events.count("approval-request"), 1, "there was no follow-up");
    let sessions = client.ask("session/list", json!({})).await;
    assert_eq!(sessions[0]["state"], "idle");
}

/// Attacks 7 and 143: what is configured for another server, or another program, under the name of one that runs allows
/// that one nothing.
#[tokio::test(flavor = "multi_thread")]
async fn given_another_server_or_agent_under_a_name_that_runs_then_its_settings_allow_nothing() {
    let backend = Backend::new().await;
    let mayi = mayi_tests::mayi_program();
    let demo = |more: Value| {
        let mut demo = agent(&[mayi.to_str().unwrap(), "demo-agent"]);
        demo.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"mine": demo})
    };
    let server = |url: &str, approval: &str| json!({"s": {"url": url, "approval": approval}});
    let (old, new) = ("http://127.0.0.1:9/old", "http://127.0.0.1:9/new");
    let settings = json!({"agents": demo(json!({})), "servers": server(old, "required")});
    let client = editor(&backend, settings).await;
    let mut events = client.events(None).await;
    let opened = client.ask("session/new", json!({"agent": "mine", "cwd": backend.machine.work()})).await;
    let tab = opened["tabId"].as_str().unwrap();
    let update = |agents: Value, servers: Value| json!({"editor": {"agents": agents, "servers": servers}});
    let not_required = |url| server(url, "not_required");
    client.ask("settings/update", update(demo(json!({})), not_required(new))).await;
    client.prompt(tab, "demo: mcp s do {}").await;
    let card = events.until("approval-request").await;
    client.answer(&card, "deny").await.unwrap();
    events.until("turn-ended").await;
    // The same server's own setting counts.
    client.ask("settings/update", update(demo(json!({})), not_required(old))).await;
    client.prompt(tab, "demo: mcp s do {\"other\":1}").await;
    events.until("turn-ended").await;
    assert_eq!(events.count("approval-request"), 1);
    let bypassed =
        demo(json!({"bypassPermissions": true, "mode": "auto", "args": ["demo-agent", "--other"]}));
    client.ask("settings/update", update(bypassed, not_required(old))).await;
    client.prompt(tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    // Nor is what is said of this one written for that one.
    let mut answer = super::scene::pick(&card, "allow_once");
    answer["bypassAll"] = json!(true);
    let refused = client.call("approval/respond", answer).await.unwrap_err();
    assert!(refused.to_string().contains("another program"), "{refused}");
    client.answer(&card, "deny").await.unwrap();
    events.until("turn-ended").await;
    client.ask("settings/update", update(demo(json!({"bypassPermissions": true})), not_required(old))).await;
    client.prompt(tab, "demo: write b.txt x").await;
    events.until("turn-ended").await;
    assert_eq!(events.count("approval-request"), 2);
    assert_eq!(backend.machine.text("b.txt").as_deref(), Some("x\n"));
}
