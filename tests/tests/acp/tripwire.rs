//! What ran without asking (D7.9), and what has changed since it was approved.

use serde_json::{Value, json};

use crate::scene::{Scene, machine, outcome};

fn ran(call: &str, command: &str, status: &str) -> Value {
    json!({"sessionUpdate": "tool_call", "toolCallId": call, "title": command, "kind": "execute", "rawInput": {"command": command}, "status": status})
}

/// "what ran unasked is said and recorded as D7.9 has it; stop is the default here".
#[test]
fn given_something_that_ran_without_asking_and_is_denied_then_the_turn_is_cancelled_and_the_editor_hears_why()
{
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_tells(&ran("a", "make", "completed"));
    scene.agent_tells(&ran("t", "rm -rf x", "completed"));
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
    let said = scene.editor.find(|message| message.to_string().contains("[mayi]"), "word of mayi's");
    assert!(said.to_string().contains("rm -rf x") && said.to_string().contains("denies"), "{said}");
    // What it asks until its turn has ended belongs to a turn that is gone.
    scene.agent_wants(1, "u", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    scene.agent_answers("p", &json!({"stopReason": "cancelled"}));
    scene.editor.answer("p");
    scene.record("unasked", 2);
    scene.editor_leaves();
    let (code, log) = scene.end();
    assert_eq!(code, Some(7));
    assert!(log.contains("without asking"), "{log}");
}

/// An agent that does not end a turn that was stopped is ended.
#[test]
fn given_an_agent_that_goes_on_after_it_was_stopped_then_it_is_ended_and_nobody_waits() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_tells(&ran("t", "rm -rf x", "completed"));
    scene.agent.until("session/cancel");
    assert!(scene.editor.answer("p")["error"].is_object());
    assert_eq!(scene.end().0, Some(4));
    scene.machine.is_quiet();
}

/// `on_unasked = "record"` is the user's word for it.
#[test]
fn given_a_user_who_wants_it_recorded_then_the_turn_goes_on() {
    let machine = machine().user("version = 1\non_unasked = \"record\"\n[rules]\ndeny = [\"shell(rm *)\"]\n");
    let mut scene = Scene::open(machine, &[]);
    scene.prompt("p", "go");
    scene.agent_tells(&ran("t", "rm -rf x", "completed"));
    scene.editor.until("session/update");
    scene.nothing_for_agent();
    scene.agent_answers("p", &json!({"stopReason": "end_turn"}));
    assert_eq!(scene.editor.answer("p")["result"]["stopReason"], "end_turn");
}

/// Attack 405: approved as one thing, done as another.
#[test]
fn given_a_call_that_changes_after_its_approval_then_it_is_judged_again_and_covers_nothing() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "t", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    scene.agent_tells(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "in_progress", "rawInput": {"command": "rm -rf x"}}));
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
    let said = scene.editor.find(|message| message.to_string().contains("[mayi]"), "word of mayi's");
    assert!(said.to_string().contains("denies"), "{said}");
}

/// Refused, and done all the same.
#[test]
fn given_a_call_that_was_refused_and_is_told_as_done_then_the_turn_is_cancelled() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "t", "rm -rf x");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene
        .agent_tells(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}));
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
}

/// The same call with the same input, told as agents do, is the one that was approved.
#[test]
fn given_a_call_that_goes_on_as_it_was_approved_then_nothing_is_said() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "t", "cargo test");
    scene.agent.answer(1);
    scene.agent_tells(&ran("t", "cargo test", "in_progress"));
    scene.agent_tells(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "ok"}}]}));
    scene.editor.until("session/update");
    scene.editor.until("session/update");
    scene.nothing_for_editor();
    scene.record("unasked", 0);
}

/// Attack 397: evidence that can be read in two ways counts against the call that it is about, and is not passed on.
#[test]
fn given_an_update_that_can_be_read_in_two_ways_then_its_call_is_asked_about_by_hand() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_says(r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","kind":"execute","rawInput":{"command":"cargo test","command":"rm -rf x"}}}}"#);
    scene.agent_wants(1, "t", "cargo test");
    let question = scene.editor.next();
    assert_eq!(question["method"], "session/request_permission", "{question}");
    assert_eq!(crate::scene::options(&question), ["once", "no"]);
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
}

/// Attack 400: something done in a session that the editor has not opened is recorded, and that session is cancelled.
#[test]
fn given_a_tool_call_in_a_session_that_is_not_open_then_it_is_recorded_and_that_session_is_cancelled() {
    let mut scene = Scene::open(machine(), &["--mode", "auto"]);
    let params = json!({"sessionId": "other", "update": ran("t", "ls", "completed")});
    scene.agent_says(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string());
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "other");
    scene.record("unasked", 1);
}

/// D7.9, attack 766: a command that the editor ran in a terminal which was judged has not run unasked, however the agent shows it; and
/// a terminal explains one call, that does just what was judged.
#[test]
fn given_a_call_that_shows_an_approved_terminal_then_it_did_not_run_unasked() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_asks(1, "terminal/create", &json!({"sessionId": "s", "command": "cargo", "args": ["test"]}));
    scene.editor.until("terminal/create");
    scene.editor_answers(&json!(1), &json!({"terminalId": "term-1"}));
    scene.agent.answer(1);
    let shows = |call: &str, input: Value, status: &str| {
        json!({"sessionUpdate": "tool_call", "toolCallId": call, "title": "Tests", "kind": "execute", "status": status,
            "rawInput": input, "content": [{"type": "terminal", "terminalId": "term-1"}]})
    };
    scene.agent_tells(&shows("a", json!(null), "in_progress"));
    scene.agent_tells(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed",
        "rawInput": {"command": "cargo test"}, "content": [{"type": "content", "content": {"type": "text", "text": "ok"}}]}));
    // Neither another command nor a second call.
    scene.agent_tells(&shows("b", json!({"command": "make"}), "completed"));
    scene.agent_tells(&shows("c", json!(null), "completed"));
    scene.record("unasked", 2);
    scene.agent_answers("p", &json!({"stopReason": "end_turn"}));
    scene.editor.answer("p");
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(7));
}

/// D7.9: what failed was tried, and is told as that; it is no reason to say that something ran.
#[test]
fn given_a_call_that_failed_then_it_was_tried_and_the_code_is_0() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_tells(&ran("t", "rm -rf x", "in_progress"));
    scene.agent_tells(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "failed"}));
    // Nothing was told of this one before.
    scene.agent_tells(&ran("u", "rm -rf y", "failed"));
    scene.record("unasked", 2);
    scene.record("finished", 2);
    scene.agent_answers("p", &json!({"stopReason": "end_turn"}));
    assert_eq!(scene.editor.answer("p")["result"]["stopReason"], "end_turn");
    scene.editor_leaves();
    let (code, log) = scene.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("tried this without asking, and it failed"), "{log}");
}
