//! Calls that wait for a person, and those that do not.

use serde_json::json;

use crate::client::{is_refused, ran};
use crate::pty::Terminal;
use crate::scene::Scene;

fn cancelled(id: i64) -> String {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
        .to_string()
}

/// S5.3: a call that is cancelled while somebody is asked. The question goes, and a late answer is none.
#[test]
fn given_a_call_that_is_cancelled_then_its_question_is_withdrawn_and_a_late_answer_is_refused() {
    let scene = Scene::new("");
    let mut gateway = scene.for_another("plain", &["--on-ask", "wait"]).older();
    let id = gateway.begin("echo", &json!({}));
    let waiting = scene.waits(1);
    let known = waiting[0]["approvalId"].as_str().unwrap_or_else(|| panic!("{waiting:?}")).to_owned();
    let listed = String::from_utf8(scene.mayi(&["inbox"]).output().unwrap().stdout).unwrap();
    let short = listed.lines().nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    gateway.send(&cancelled(id));
    scene.waits(0);
    for late in [known, short] {
        let terminal = Terminal::start(scene.mayi(&["inbox", "approve", &late]), (24, 100), false);
        assert!(!terminal.exit().success(), "{}", terminal.screen());
        // Not because of who answers.
        assert!(!terminal.screen().contains("can't answer for the person"), "{}", terminal.screen());
    }
    let rest = gateway.rest();
    assert!(rest.iter().all(|message| message["id"] != id), "{rest:?}");
    scene.nothing_ran();
    gateway.end();
}

/// S5.3: Only `tools/call` waits; everything else passes unchanged.
#[test]
fn given_a_call_that_waits_then_all_else_goes_on() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(&["--on-ask", "wait", "--allow", "mcp(rogue/list)"]).older();
    let waits = gateway.begin("echo", &json!({}));
    scene.waits(1);
    ran(&gateway.call("list", &json!({})), "list");
    assert!(gateway.ask("prompts/list", &json!({}))["result"]["prompts"].is_array());
    let second = gateway.begin("delete", &json!({}));
    scene.waits(2);
    ran(&gateway.call("list", &json!({})), "list");
    assert_eq!(scene.ran(), ["list", "list"]);
    gateway.send(&cancelled(waits));
    gateway.send(&cancelled(second));
    scene.waits(0);
    gateway.end();
    assert_eq!(scene.ran(), ["list", "list"]);
}

/// S5.4: Who is asked, in this order: a person at another surface of mayi if one is connected. By
/// itself nobody is there; once somebody watches, the call waits for them.
#[test]
fn given_a_person_who_watches_then_the_call_waits_for_them_and_runs_once() {
    let scene = Scene::new("[agents.bot]\ntrust_elicitation = true\n");
    let mut gateway = scene.for_another("plain", &[]).older();
    is_refused(&gateway.call("echo", &json!({})), "mayi inbox watch");
    scene.nothing_ran();

    let terminal = Terminal::start(scene.mayi(&["inbox", "watch"]), (50, 120), false);
    terminal.sees("waiting for questions");
    // A surface comes before a client that is trusted.
    let mut trusted = scene.for_another("plain", &["--agent", "bot"]).older();
    let allowed = trusted.begin("echo", &json!({ "n": 1 }));
    terminal.sees("› n  Deny");
    assert!(terminal.screen().contains("echo"), "{}", terminal.screen());
    assert!(scene.ran().is_empty());
    terminal.send("y");
    ran(&trusted.answer(&json!(allowed)), "echo");
    terminal.sees("allowed once");
    let denied = gateway.begin("delete", &json!({}));
    terminal.until("the second card", |screen| {
        let screen = screen.contents();
        screen.contains("› n  Deny") && screen.contains("delete")
    });
    terminal.send("n");
    is_refused(&gateway.answer(&json!(denied)), "mayi did not let");
    assert_eq!(scene.ran(), ["echo"]);
    assert!(trusted.rest().is_empty());
    terminal.kill();
}

/// A question that nobody answers in time is denied.
#[test]
fn given_a_time_limit_then_a_question_that_nobody_answers_is_denied() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(&["--on-ask", "wait", "--approval-timeout", "1s"]).older();
    is_refused(&gateway.call("echo", &json!({})), "mayi did not let");
    scene.waits(0);
    scene.nothing_ran();
}
