//! `mayi acp demo` from end to end: an editor of the test's own, mayi, and the demo agent, which knows nothing of the gate.

use std::process::Command;

use mayi_tests::{Machine, mayi_program};
use serde_json::{Value, json};

use crate::scene::start;

/// Puts `mayi acp claude` where the agent's command was, and gets one policy, one memory and one record.
#[test]
fn given_the_demo_agent_then_a_prompt_is_gated_asked_in_the_editor_and_recorded() {
    use std::io::Write;
    let machine = Machine::new()
        .user("version = 1\n[rules]\nallow = [\"write(free.txt)\"]\ndeny = [\"write(secret.txt)\"]\n");
    let mut command = Command::new(mayi_program());
    command.args(["acp", "demo"]);
    let (mut mayi, mut to, editor) = start(&machine, command);
    let mut ask = |id: u64, method: &str, params: Value| {
        writeln!(to, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).unwrap();
        to.flush().unwrap();
    };
    ask(1, "initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}));
    assert_eq!(editor.answer(1)["result"]["protocolVersion"], 1);
    ask(2, "session/new", json!({"cwd": machine.work(), "mcpServers": []}));
    let opened = editor.answer(2);
    let session = opened["result"]["sessionId"].clone();
    let text =
        "demo: write free.txt a ;; demo: write secret.txt b ;; demo: write asked.txt c ;; demo: say done";
    ask(3, "session/prompt", json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}));
    let question = editor.until("session/request_permission");
    assert!(question.to_string().contains("asked.txt"), "{question}");
    let once = question["params"]["options"][0].clone();
    assert_eq!(once["kind"], "allow_once");
    let answer = json!({"outcome": {"outcome": "selected", "optionId": once["optionId"]}});
    writeln!(to, "{}", json!({"jsonrpc": "2.0", "id": question["id"], "result": answer})).unwrap();
    to.flush().unwrap();
    assert_eq!(editor.answer(3)["result"]["stopReason"], "end_turn");
    drop(to);
    assert_eq!(mayi.wait().unwrap().code(), Some(0));
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["asked.txt", "free.txt"]);
    let log = std::fs::read_to_string(machine.outside("stderr")).unwrap();
    assert!(log.contains("1 allowed · 1 approved by you · 1 denied by the policy"), "{log}");
    let record = machine.mayi(["log", "--json"]).end().exits(0).lines();
    assert!(
        record.iter().any(|entry| entry["kind"] == "answered" && entry.to_string().contains("editor")),
        "{record:?}"
    );
    machine.is_quiet();
}

/// The help says what to write into an editor's settings.
#[test]
fn given_the_help_then_it_has_examples_for_an_editor() {
    let help = Machine::new().mayi(["acp", "--help"]).end().exits(0).text();
    assert!(
        help.contains("mayi acp claude") && help.contains("agent_servers") && help.contains("Exit codes"),
        "{help}"
    );
}
