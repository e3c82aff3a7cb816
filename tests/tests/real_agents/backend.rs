//! Real agents in the tabs of the editors' backend, over JSON-RPC: their servers are behind the tab's gate.

use mayi_tests::backend::Events;
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::scene::Scene;

with_both_agents!(
    given_a_server_that_needs_approval_then_cards_of_the_tab_decide,
    given_a_mode_then_it_decides_what_a_server_is_called_for_also_when_it_changes,
);

/// A backend with the agent, whose server needs approval.
fn scene(agent: Agent) -> Scene {
    Scene::new(agent).servers(&["mini"], "approval = \"required\"\n").named("real", "")
}

/// Seed 0: "A tool call is not run without permission"; S4.3: what was asked about at the agent's own
/// door is not asked about again where it runs.
fn given_a_server_that_needs_approval_then_cards_of_the_tab_decide(agent: Agent) {
    on(async {
        let scene = scene(agent);
        let backend = scene.backend().await;
        let client = backend.client("test").await;
        let mut events = client.events(None).await;
        for (tool, option, state, ran) in
            [("plain", "allow_once", "approved", Some("plain")), ("wipe", "deny", "denied", None)]
        {
            let tab = client.tab(json!({ "agent": "real", "cwd": scene.project() })).await;
            client.prompt(&tab, &scene.prompt(&format!("mcp {tool}"))).await;
            let card = events.until("approval-request").await;
            let server = (&card["tabId"], &card["server"]["name"], &card["server"]["tool"]);
            assert_eq!(server, (&json!(tab), &json!("mini"), &json!(tool)), "{card}");
            assert_eq!(scene.file(&format!("{tool}.txt")), None);
            client.answer(&card, option).await.unwrap();
            assert_eq!(events.until("approval-resolved").await["state"], state);
            events.until("turn-ended").await;
            assert_eq!(scene.file(&format!("{tool}.txt")).as_deref(), ran, "{:?}", events.seen);
            client.ask("session/close", json!({ "tabId": tab })).await;
        }
        assert_eq!(events.count("approval-request"), 2, "{:?}", events.seen);
        let log = client.ask("log/query", json!({})).await.to_string();
        assert!(log.contains("mcp(mini/plain)") && log.contains("mcp(mini/wipe)"), "{log}");
        is_told_right(&scene, &events, &["plain"]);
        backend.stop().await;
    });
}

/// Seed 4: "The mode holds for every tool of the session"; D4.28: what waits is judged again.
fn given_a_mode_then_it_decides_what_a_server_is_called_for_also_when_it_changes(agent: Agent) {
    on(async {
        let scene = scene(agent);
        let backend = scene.backend().await;
        let client = backend.client("test").await;
        let mut events = client.events(None).await;
        for (tool, before, after, state, ran) in [
            ("plain", "plan", None, None, false),
            ("plain", "default", Some("plan"), Some("denied"), false),
            // Not one that its server calls destructive: that is asked about in auto, too (D4.23).
            ("plain", "default", Some("auto"), Some("approved"), true),
        ] {
            let wanted = json!({ "agent": "real", "cwd": scene.project(), "mode": before });
            let tab = client.tab(wanted).await;
            client.prompt(&tab, &scene.prompt(&format!("mcp {tool}"))).await;
            if let (Some(after), Some(state)) = (after, state) {
                events.until("approval-request").await;
                client.ask("session/setMode", json!({ "tabId": tab, "mode": after })).await;
                assert_eq!(events.until("approval-resolved").await["state"], state);
            }
            events.until("turn-ended").await;
            assert_eq!(
                scene.file(&format!("{tool}.txt")).is_some(),
                ran,
                "{before} {after:?}: {:?}",
                events.seen
            );
            client.ask("session/close", json!({ "tabId": tab })).await;
        }
        assert_eq!(events.count("approval-request"), 2, "{:?}", events.seen);
        is_told_right(&scene, &events, &["plain"]);
        backend.stop().await;
    });
}

/// The server was called for `ran`, and nothing is said to have run without asking.
fn is_told_right(scene: &Scene, events: &Events, ran: &[&str]) {
    assert_eq!(scene.calls("mini").unwrap_or_default(), ran);
    let unasked: Vec<&Value> = events.seen.iter().filter(|event| event["type"] == "unasked").collect();
    assert!(unasked.is_empty(), "{unasked:?}");
}

fn on(test: impl Future<Output = ()>) {
    tokio::runtime::Runtime::new().unwrap().block_on(test);
}
