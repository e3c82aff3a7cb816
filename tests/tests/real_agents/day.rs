//! A day of a coding agent, and the next one: what is asked about, and what still is once `mayi log suggest` was applied.

use std::collections::BTreeSet;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::agent::{self, Agent};
use crate::scene::Scene;

with_both_agents!(
    given_a_day_of_answers_then_one_round_of_suggestions_spares_most_of_the_next_days_questions
);

/// The languages of a day: all of them with `MAYI_DAYS=all`, as `just day` has it.
fn languages() -> Vec<&'static str> {
    match std::env::var("MAYI_DAYS").as_deref() {
        Ok("all") => vec!["rust", "javascript", "python", "go"],
        _ => vec!["rust"],
    }
}

/// D0.11: If it asks too often, it is switched off: one round of suggestions spares at least four of five questions, and
/// none of them allows what the person has denied.
fn given_a_day_of_answers_then_one_round_of_suggestions_spares_most_of_the_next_days_questions(agent: Agent) {
    let scene = Scene::new(agent).named("real", "");
    let denied = denied();
    let (calls, before) = day(&scene, &denied);
    let suggested = scene.mayi(&["log", "suggest", "--apply", "--yes"]);
    assert!(suggested.contains("[[rule]]"), "{suggested}");
    let (_, after) = day(&scene, &denied);
    let _ = writeln!(std::io::stderr(), "{calls} calls: {} questions, then {}", before.len(), after.len());
    assert!(before.len() > 20, "{before:#?}");
    assert!(
        after.len() * 5 <= before.len(),
        "{} of {} are asked still: {after:#?}",
        after.len(),
        before.len()
    );
    let asked = |command: &String| after.iter().any(|asked| asked.contains(command.as_str()));
    let wanted: Vec<&String> =
        denied.iter().filter(|command| before.iter().any(|asked| asked.contains(command.as_str()))).collect();
    assert!(!wanted.is_empty() && wanted.into_iter().all(asked), "{after:#?}");
    assert_eq!(scene.file("notes.txt").as_deref(), Some(crate::scene::NOTES));
}

/// The commands that the person denies.
fn denied() -> BTreeSet<String> {
    let days: toml::Value = toml::from_str(include_str!("../../agents/day.toml")).unwrap();
    let days = days["day"].as_array().unwrap().iter();
    let texts = days.flat_map(|day| day["denied"].as_array().unwrap());
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Lets the agent work for a day: how many calls it made, and what was asked about.
fn day(scene: &Scene, denied: &BTreeSet<String>) -> (usize, Vec<String>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let backend = scene.backend().await;
        let client = backend.client("test").await;
        let mut events = client.events(None).await;
        let (mut asked, mut calls) = (Vec::new(), 0);
        for language in languages() {
            let tab = client.tab(json!({ "agent": "real", "cwd": scene.project() })).await;
            client.prompt(&tab, &scene.prompt(&format!("day of {language}"))).await;
            loop {
                let event = events.next().await;
                if event["type"] == "turn-ended" {
                    break;
                }
                if event["type"] != "approval-request" {
                    continue;
                }
                let command = command(&event);
                let says_no = denied.iter().any(|denied| command.contains(denied.as_str()));
                client.answer(&event, if says_no { "deny" } else { "allow_once" }).await.unwrap();
                asked.push(command);
            }
            client.ask("session/close", json!({ "tabId": tab })).await;
            calls += 40;
        }
        backend.stop().await;
        (calls, asked)
    })
}

/// The command that a card asks about.
fn command(card: &Value) -> String {
    let input = &card["toolCall"]["rawInput"]["command"];
    match input {
        Value::String(text) => text.clone(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => card["toolCall"]["title"].as_str().unwrap_or_default().to_owned(),
    }
}

impl Scene {
    /// What `mayi` prints, in this world.
    fn mayi(&self, words: &[&str]) -> String {
        let mut command = std::process::Command::new(agent::mayi());
        command.env_clear().current_dir(self.project()).env("HOME", self.home());
        let ended =
            command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).args(words).output().unwrap();
        let text =
            String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{text}");
        text
    }
}
