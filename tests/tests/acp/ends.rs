//! Whatever ends, nobody hangs, and nothing is left.

use rustix::process::Signal;
use serde_json::json;

use crate::scene::{Scene, machine};

/// Attack 406: the agent dies.
#[test]
fn given_an_agent_that_dies_then_all_that_waits_gets_an_error_and_the_exit_code_says_so() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.ask("n", "session/new", &json!({"cwd": scene.machine.work(), "mcpServers": []}));
    scene.ask("x", "_vendor/ask", &json!({}));
    scene.agent.until("_vendor/ask");
    scene.agent_wants(1, "t", "make");
    let question = scene.editor.until("session/request_permission");
    scene.agent_leaves();
    let rest = scene.editor.rest();
    for id in ["p", "n", "x"] {
        let answer = rest.iter().find(|message| message["id"] == id).unwrap();
        assert!(answer["error"]["message"].as_str().unwrap().contains("the agent ended"), "{answer}");
    }
    let withdrawn = rest.iter().find(|message| message["method"] == "$/cancel_request").unwrap();
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    assert_eq!(scene.end().0, Some(4));
    scene.machine.is_quiet();
}

/// Attack 406: the editor goes.
#[test]
fn given_an_editor_that_closes_its_side_then_the_agent_and_all_it_started_end_and_the_record_says_so() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "t", "make");
    scene.editor.until("session/request_permission");
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
    scene.machine.is_quiet();
    scene.record("cancelled", 1);
}

/// Attack 406: mayi is asked to end, or killed.
#[test]
fn given_a_signal_then_nothing_is_left_of_what_the_agent_started() {
    for (signal, code) in [(Signal::TERM, Some(130)), (Signal::INT, Some(130)), (Signal::KILL, None)] {
        let mut scene = Scene::open(machine(), &[]);
        scene.prompt("p", "go");
        scene.signal(signal);
        if code.is_some() {
            assert!(scene.editor.answer("p")["error"].is_object());
        }
        assert_eq!(scene.end().0, code);
        scene.machine.is_quiet();
    }
}

/// An agent that can't be started is exit code 4, and one that nobody knows is a mistake in the command.
#[test]
fn given_an_agent_that_can_not_be_started_then_the_exit_code_and_the_log_say_so() {
    let machine = machine();
    let ended = machine.mayi(["acp", "--", "/no/such/program"]).end().exits(4);
    assert!(ended.err.contains("was not found"), "{ended}");
    let ended = machine.mayi(["acp", "nobody"]).end().exits(2);
    assert!(ended.err.contains("no agent is called"), "{ended}");
    // Without any, with what to write and the names that there are.
    let ended = machine.mayi(["acp"]).end().exits(2);
    for said in ["which agent?", "claude", "codex", "mayi acp -- CMD", "\"args\": [\"acp\""] {
        assert!(ended.err.contains(said), "{said}: {ended}");
    }
    let _ = machine.user("version = 1\nnonsense = 1\n").mayi(["acp", "demo"]).end().exits(3);
}

/// A line that never ends does not fill the memory.
#[test]
fn given_a_line_longer_than_any_then_the_agent_is_ended() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    let part = vec![b'x'; 1024 * 1024];
    scene.agent_floods(&part, 66);
    let answer = scene.editor.answer("p");
    assert!(answer["error"]["message"].as_str().unwrap().contains("longer than"), "{answer}");
    assert_eq!(scene.end().0, Some(4));
}

/// Attack 498: the editor goes while the agent does not read.
#[test]
fn given_an_agent_that_does_not_read_then_mayi_ends_with_the_editor_all_the_same() {
    let mut scene = Scene::open(machine(), &[]);
    let reads = scene.agent.stop_reading();
    let stopped = reads.lock().unwrap();
    let text = "x".repeat(3 * 1024 * 1024);
    for number in 0..4 {
        let prompt = json!([{"type": "text", "text": text}]);
        scene.ask(number, "session/prompt", &json!({"sessionId": "s", "prompt": prompt}));
    }
    // What the person ends, ends at once.
    scene.agent_wants("k", "t", "make");
    let question = scene.editor.until("session/request_permission");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], question["id"]);
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
    drop(stopped);
    scene.machine.is_quiet();
}

/// The last words of an agent that ends arrive, however slow the editor is.
#[test]
fn given_an_agent_that_ends_and_a_slow_editor_then_its_last_words_arrive() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    let reads = scene.editor.stop_reading();
    let stopped = reads.lock().unwrap();
    let text = "x".repeat(1024 * 1024);
    for _ in 0..3 {
        let content = json!({"type": "text", "text": text});
        scene.agent_tells(&json!({"sessionUpdate": "agent_message_chunk", "content": content}));
    }
    scene.agent_answers("p", &json!({"stopReason": "end_turn"}));
    scene.agent_leaves();
    // Longer than mayi waits for whoever is gone.
    let waited = std::time::Instant::now();
    while waited.elapsed() < std::time::Duration::from_secs(4) {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    drop(stopped);
    let rest = scene.editor.rest();
    assert_eq!(rest.iter().filter(|message| message["method"] == "session/update").count(), 3);
    let answer = rest.iter().find(|message| message["id"] == "p").unwrap();
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert_eq!(scene.end().0, Some(4));
}
