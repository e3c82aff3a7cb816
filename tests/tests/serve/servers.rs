//! MCP servers of a tab are behind its own gate, whatever its agent asks about or does not (S4.3).

use mayi_tests::Machine;
use serde_json::{Value, json};

use super::scene::{Backend, Client, Events};

/// A backend with an agent that never asks, a server whose tools need approval, and one whose tools do not.
async fn backend() -> Backend {
    let (agent, mini) = (env!("CARGO_BIN_EXE_server_agent"), env!("CARGO_BIN_EXE_mini_mcp"));
    let toml = format!(
        "version = 1\n[agents.bold]\ncommand = [{agent:?}]\n\
         [servers.mini]\ncommand = [{mini:?}]\napproval = \"required\"\n\
         [servers.free]\ncommand = [{mini:?}]\napproval = \"not_required\"\n"
    );
    Backend::on(Machine::new().user(&toml), &[]).await
}

async fn tab(client: &Client, machine: &Machine, more: Value) -> String {
    let mut wanted = json!({ "agent": "bold", "cwd": machine.work() });
    wanted.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.tab(wanted).await
}

fn call(server: &str, machine: &Machine, file: &str) -> String {
    format!("call {server} plain {}", json!({ "path": machine.work().join(file) }))
}

/// Seed 0: "A tool call is not run without permission". Found in review: with approval required, a tool ran
/// in the editor without a card and without an entry. Attack 293.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_agent_that_never_asks_then_a_card_of_its_tab_decides_and_the_record_has_it() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = tab(&client, machine, json!({})).await;
    client
        .prompt(&tab, &format!("do: {} ;; {}", call("free", machine, "b"), call("mini", machine, "a")))
        .await;
    let card = events.until("approval-request").await;
    assert_eq!((&card["tabId"], &card["agentName"]), (&json!(tab), &json!("bold")));
    // What the server says of itself and of its tool, and never what the agent does.
    assert_eq!(
        (&card["server"]["name"], &card["server"]["tool"]),
        (&json!("mini"), &json!("plain")),
        "{card}"
    );
    assert!(machine.text("a").is_none() && machine.text("b").is_some());
    client.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    assert_eq!(machine.text("a").as_deref(), Some("plain"));
    assert_eq!(unasked(&events), 0, "{:?}", events.seen);
    // Its tools are known at once.
    let listed = client.ask("servers/list", json!({})).await;
    let mini = listed.as_array().unwrap().iter().find(|server| server["name"] == "mini").unwrap();
    let tools: Vec<&str> =
        mini["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(tools, ["echo", "peek", "plain", "wipe"]);
    let log = client.ask("log/query", json!({})).await.to_string();
    assert!(log.contains("mcp(mini/plain)") && log.contains("mcp(free/plain)"), "{log}");
    client.ask("session/close", json!({ "tabId": tab })).await;
    backend.stop().await.is_quiet();
}

/// S2.11: the card has what server and tool say of themselves, also where the agent asks before it calls; and what
/// was asked about there is not asked about again where it runs.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_agent_that_asks_first_then_its_card_says_what_the_server_does_and_there_is_one() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = tab(&client, machine, json!({})).await;
    let ask = call("mini", machine, "a").replacen("call", "ask", 1).replacen("plain", "wipe", 1);
    client.prompt(&tab, &format!("do: list mini ;; {ask}")).await;
    let card = events.until("approval-request").await;
    assert_eq!(
        (&card["server"]["name"], &card["server"]["tool"]),
        (&json!("mini"), &json!("wipe")),
        "{card}"
    );
    assert_eq!(card["tool"]["description"], "Removes a thing", "{card}");
    assert!(card["why"].to_string().contains("the server itself calls this tool destructive"), "{card}");
    client.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    assert_eq!((machine.text("a").as_deref(), events.count("approval-request")), (Some("wipe"), 1));
    assert_eq!(unasked(&events), 0, "{:?}", events.seen);
}

/// The same for a tool that nobody listed before: the card waits for the list, and says what is in it.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_agent_that_asks_for_a_tool_that_was_not_listed_then_its_card_says_what_it_is() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = tab(&client, machine, json!({})).await;
    client.prompt(&tab, &format!("do: {}", call("mini", machine, "a").replacen("call", "ask", 1))).await;
    let card = events.until("approval-request").await;
    assert_eq!(
        (&card["server"]["name"], &card["server"]["tool"]),
        (&json!("mini"), &json!("plain")),
        "{card}"
    );
    client.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    assert_eq!(
        (machine.text("a").as_deref(), events.count("approval-request"), unasked(&events)),
        (Some("plain"), 1, 0),
        "{:?}",
        events.seen
    );
}

/// Seed 4: "The mode holds for every tool of the session", also where it changes while a card waits. Attack 293.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_mode_that_changes_then_the_servers_calls_are_judged_by_it() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = tab(&client, machine, json!({ "mode": "plan" })).await;
    client.prompt(&tab, &format!("do: {}", call("free", machine, "a"))).await;
    events.until("turn-ended").await;
    assert_eq!((events.count("approval-request"), machine.text("a")), (0, None));
    for (mode, ran) in [("plan", false), ("auto", true)] {
        client.ask("session/setMode", json!({ "tabId": tab, "mode": "default" })).await;
        client.prompt(&tab, &format!("do: {}", call("mini", machine, mode))).await;
        events.until("approval-request").await;
        client.ask("session/setMode", json!({ "tabId": tab, "mode": mode })).await;
        events.until("turn-ended").await;
        assert_eq!(machine.text(mode).is_some(), ran, "{mode}");
    }
    let resolved: Vec<&Value> =
        events.seen.iter().filter(|event| event["type"] == "approval-resolved").collect();
    let states: Vec<&Value> = resolved.iter().map(|event| &event["state"]).collect();
    assert_eq!(states, [&json!("denied"), &json!("approved")]);
}

/// S4.3: a session has one gate: an answer for the session counts at its servers, and in no other tab.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_answer_for_the_session_then_it_counts_for_the_tab_alone() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let (one, other) = (tab(&client, machine, json!({})).await, tab(&client, machine, json!({})).await);
    client
        .prompt(&one, &format!("do: {} ;; {}", call("mini", machine, "a"), call("mini", machine, "b")))
        .await;
    let card = events.until("approval-request").await;
    client.answer(&card, "allow_session").await.unwrap();
    events.until("turn-ended").await;
    assert!(machine.text("a").is_some() && machine.text("b").is_some());
    client.prompt(&other, &format!("do: {}", call("mini", machine, "c"))).await;
    let card = events.until("approval-request").await;
    assert_eq!(card["tabId"], json!(other));
    client.answer(&card, "deny").await.unwrap();
    events.until("turn-ended").await;
    assert!(machine.text("c").is_none());
}

/// D6.22: `session/cancel` ... cancel what waits, also what waits at a server.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_cancel_while_a_servers_call_waits_then_it_does_not_run() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = tab(&client, machine, json!({})).await;
    client.prompt(&tab, &format!("do: {}", call("mini", machine, "a"))).await;
    let card = events.until("approval-request").await;
    client.ask("session/cancel", json!({ "tabId": tab })).await;
    let resolved = events.until("approval-resolved").await;
    assert_eq!((&resolved["approvalId"], &resolved["state"]), (&card["approvalId"], &json!("cancelled")));
    assert!(client.answer(&card, "allow_once").await.is_err());
    events.until("turn-ended").await;
    assert!(machine.text("a").is_none());
}

/// S4.5: `--no-gateway` is a warned exception: in the tab, and in the record. Attack 293.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_tab_without_the_gateway_then_it_is_warned_of_and_what_runs_is_unasked() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = tab(&client, machine, json!({ "gateway": false })).await;
    let warned = "no gateway: the agent reaches free, mini without mayi";
    let notice = events.until("notice").await;
    assert!(notice["text"].as_str().unwrap().starts_with(warned), "{notice}");
    client.prompt(&tab, &format!("do: {}", call("mini", machine, "a"))).await;
    events.until("turn-ended").await;
    assert_eq!((machine.text("a").as_deref(), unasked(&events)), (Some("plain"), 1), "{:?}", events.seen);
    let log = client.ask("log/query", json!({})).await.to_string();
    assert!(log.contains(warned), "{log}");
}

/// S5.10: `--toolbelt` offers `find_tools` and `run_tool`, here for one tab.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_tab_with_a_toolbelt_then_its_card_is_about_the_tool_that_runs() {
    let backend = backend().await;
    let machine = &backend.machine;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = tab(&client, machine, json!({ "toolbelt": true })).await;
    let arguments = json!({ "name": "mini__plain", "arguments": { "path": machine.work().join("a") } });
    client.prompt(&tab, &format!("do: list toolbelt ;; call toolbelt run_tool {arguments}")).await;
    let card = events.until("approval-request").await;
    assert_eq!(
        (&card["server"]["name"], &card["server"]["tool"]),
        (&json!("mini"), &json!("plain")),
        "{card}"
    );
    client.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    assert!(events.said().starts_with("toolbelt -> find_tools, run_tool"), "{}", events.said());
    assert_eq!(machine.text("a").as_deref(), Some("plain"));
}

/// How much is said to have run without asking.
fn unasked(events: &Events) -> usize {
    events.seen.iter().filter(|event| event["type"] == "unasked").count()
}
