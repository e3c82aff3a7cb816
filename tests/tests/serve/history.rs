//! What the record says and comes to, templates, and whose work a question is about.

use serde_json::json;

use super::scene::{Backend, demo};

/// `log/query`, `stats` and templates are in the editor's API.
#[tokio::test(flavor = "multi_thread")]
async fn given_calls_then_entries_and_figures_tell_of_them_and_templates_are_there() {
    let backend = Backend::new().await;
    let client = backend.client("editor").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    client.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    let stats = client.ask("log/stats", json!({"agent": "demo", "days": 1})).await;
    assert_eq!((&stats["all"]["asked"], &stats["all"]["approved"]), (&json!(1), &json!(1)), "{stats}");
    assert_eq!(stats["agents"][0]["name"], "demo");
    let none = client.ask("log/stats", json!({"agent": "nobody"})).await;
    assert_eq!(none["all"]["calls"], 0);
    let found = client.ask("log/query", json!({"kinds": ["answered"], "contains": "a.txt"})).await;
    assert_eq!(
        (found[0]["kind"].as_str(), found[0]["agent"].as_str()),
        (Some("answered"), Some("demo")),
        "{found}"
    );
    let templates = client.ask("templates/list", json!({"cwd": backend.machine.work()})).await;
    let names: Vec<&str> =
        templates.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["everyday", "careful", "trusting", "read-only", "ci"]);
    assert!(templates[0]["text"].as_str().unwrap().contains("[rules]"));
    assert_eq!(templates[0]["about"], "mayi, for everyday work.");
}

/// Seed 4: a sub-agent is visible as such: its card names the call that started it, and so does the record.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_sub_agent_then_its_card_and_its_entry_name_the_call_that_started_it() {
    let backend = Backend::new().await;
    let client = backend.client("editor").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: subagent").await;
    let card = events.until("approval-request").await;
    assert_eq!(card["parentTitle"], "Sub-agent", "{card}");
    client.answer(&card, "deny").await.unwrap();
    events.until("turn-ended").await;
    let found = client.ask("log/query", json!({"kinds": ["proposed"], "contains": "sub.txt"})).await;
    assert_eq!(found[0]["detail"]["parent"], card["parent"], "{found}");
}
