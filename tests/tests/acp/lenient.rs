//! What only tightens or only tells needs no more than one reading, and nobody is left waiting for what can't be read. Attacks 497
//! and 499.

use serde_json::{Value, json};

use crate::scene::{Scene, machine, outcome};

/// The person's cancel counts whatever stands beside the session's id. Attack 497.
#[test]
fn given_a_cancel_that_can_not_be_read_as_a_whole_then_the_turn_is_cancelled() {
    for params in [
        r#"{"sessionId":"s","_meta":{"ts":1764000000000000000}}"#,
        r#"{"sessionId":"s","sessionID":"s"}"#,
        r#"{"sessionId":"s","sessionId":"other"}"#,
        r#"{"session_id":"s"}"#,
        r#"["s"]"#,
        "null",
    ] {
        let mut scene = Scene::open(machine(), &[]);
        scene.prompt("p", "go");
        scene.agent_wants(1, "t", "make");
        scene.editor.until("session/request_permission");
        scene.says(format!(r#"{{"jsonrpc":"2.0","method":"session/cancel","params":{params}}}"#));
        // The agent hears of both, in any order.
        let (mut answered, mut told) = (false, false);
        while !(answered && told) {
            let message = scene.agent.next();
            answered |= message["id"] == 1 && outcome(&message) == "cancelled";
            told |= message["method"] == "session/cancel";
        }
        scene.agent_wants(2, "u", "cargo test");
        assert_eq!(outcome(&scene.agent.answer(2)), "cancelled", "{params}");
    }
}

/// The same where the message as a whole is refused. Attack 497.
#[test]
fn given_a_cancel_that_is_refused_as_a_message_then_the_turn_is_cancelled_all_the_same() {
    for line in [
        br#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"},"params":{}}"#.as_slice(),
        br#"{"jsonrpc":"2.0","method":"Session/Cancel","params":{"sessionId":"s"}}"#,
        br#"{"method":"session/cancel","params":{"sessionId":"s"}}"#,
        b"{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\",\"x\":\"\xff\"}}",
    ] {
        let mut scene = Scene::open(machine(), &[]);
        scene.prompt("p", "go");
        scene.says(line);
        assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
        scene.agent_wants(1, "u", "cargo test");
        assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    }
}

/// A line that is not UTF-8: whoever waits for it hears of it. Attack 499.
#[test]
fn given_lines_that_are_not_utf_8_then_nobody_waits_for_them() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_says(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\",\"x\":\"\xff\"}}");
    assert_eq!(scene.agent.answer(1)["error"]["code"], -32600);
    scene.agent_wants(2, "t", "make");
    let question = scene.editor.until("session/request_permission");
    let id = question["id"].as_str().unwrap();
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":"{id}","result":{{"outcome":{{"outcome":"selected","optionId":"once"}},"x":"#
    );
    scene.says([answer.as_bytes(), b"\"\xff\"}}"].concat());
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    scene.says(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_x\",\"params\":{\"x\":\"\xff\"}}");
    assert_eq!(scene.editor.answer(7)["error"]["code"], -32600);
    scene.agent_says(
        b"{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{\"stopReason\":\"end_turn\",\"x\":\"\xff\"}}",
    );
    assert!(scene.editor.answer("p")["error"].is_object());
}

/// A call that ended with such a line has ended. Attack 499.
#[test]
fn given_a_call_that_ends_in_a_line_that_is_not_utf_8_then_it_counts() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_tells(&json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "rm", "kind": "execute", "rawInput": {"command": "rm -rf x"}, "status": "pending"}));
    scene.agent_says(b"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"status\":\"completed\",\"rawOutput\":\"\xff\"}}}");
    scene.agent.until("session/cancel");
    scene.record("unasked", 1);
}

/// What came out of an approved call hides its end from nobody, and makes no other call of it. Attack 499.
#[test]
fn given_an_approved_call_then_its_end_passes_whatever_came_out_of_it_and_is_not_counted() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    let file = scene.machine.work();
    let place =
        format!(r#""locations":[{{"path":{:?},"line":1764000000000000000}}]"#, file.to_str().unwrap());
    let ends = [
        r#""content":[{"type":"content","content":{"type":"text","text":"cut \ud83d"}}]"#,
        r#""content":[{"type":"content","content":{"type":"text","text":"ok","n":1764000000000000000}}]"#,
        &place,
        r#""_meta":{"ns":1764000000000000000}"#,
        r#""rawInput":{"command":"cargo test","n":1e400}"#,
        r#""rawInput":{"command":"cargo test","n":[1764000000000000000]}"#,
        r#""title":"cut \ud83d""#,
    ];
    for (number, end) in ends.iter().enumerate() {
        scene.agent_wants(number, &format!("t{number}"), "cargo test");
        assert_eq!(outcome(&scene.agent.answer(number)), "once");
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call_update","toolCallId":"t{number}","status":"completed",{end}}}}}}}"#
        );
        scene.agent_says(&line);
        assert_eq!(scene.editor.line(), line);
    }
    scene.nothing_for_agent();
    scene.record("unasked", 0);
    // What it says besides is looked at as ever.
    scene.agent_wants(90, "u", "cargo test");
    scene.agent.answer(90);
    scene.agent_says(r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"u","status":"completed","rawInput":{"command":"rm -rf x","n":1e400}}}}"#);
    scene.agent.until("session/cancel");
    scene.record("unasked", 1);
}

/// An editor that says a large number beside its answer has answered.
#[test]
fn given_an_answer_with_a_large_number_beside_it_then_it_counts() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "t", "make");
    let question = scene.editor.until("session/request_permission");
    let id = question["id"].as_str().unwrap();
    scene.says(format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{{"outcome":{{"outcome":"selected","optionId":"once"}},"_meta":{{"ts":1764000000000000000}}}}}}"#));
    let answer = scene.agent.line();
    assert!(answer.contains(r#""optionId":"once""#) && answer.contains("1764000000000000000"), "{answer}");
}

/// What the agent says of a call while it is asked about is kept by its size; more than that is said, and the call is denied.
/// Attack 499.
#[test]
fn given_much_that_is_said_of_a_call_that_is_asked_about_then_none_of_it_is_lost_in_silence() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "t", "make");
    let question = scene.editor.until("session/request_permission");
    let update =
        |text: &str| json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawOutput": text});
    for number in 0..1500 {
        scene.agent_tells(&update(&number.to_string()));
    }
    scene.nothing_for_editor();
    scene.pick(&question, "once");
    scene.agent.answer(1);
    for number in 0..1500 {
        let told = scene.editor.until("session/update");
        assert_eq!(told["params"]["update"]["rawOutput"], number.to_string());
    }
    scene.agent_wants(2, "t", "make");
    scene.editor.until("session/request_permission");
    let much = update(&"x".repeat(1024 * 1024));
    for _ in 0..17 {
        scene.agent_tells(&much);
    }
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    let said = |message: &Value| message["params"]["update"]["rawOutput"].is_string();
    for _ in 0..17 {
        scene.editor.find(said, "update");
    }
    assert!(scene.log().contains("more of the call than is kept"), "{}", scene.log());
}

/// What stands beside a call, in `_meta`, says nothing of it: a time in nanoseconds is no reason to refuse it, and goes on to the byte.
/// Anywhere else it is. Attack 521.
#[test]
fn given_a_large_number_beside_what_the_agent_asks_then_it_is_judged_and_passes_to_the_byte() {
    let machine = machine().file("a.txt", "x");
    let mut scene = Scene::open(machine, &[]);
    let path = scene.machine.work().join("a.txt");
    let meta = r#""_meta":{"ts":1764000000000000000,"e":1e400,"n":1.0}"#;
    let read = |id: u64, more: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"fs/read_text_file","params":{{"sessionId":"s","path":{path:?},{more}}}}}"#
        )
    };
    scene.agent_says(read(1, meta));
    assert_eq!(scene.editor.line(), read(1, meta));
    scene.editor_answers(&json!(1), &json!({"content": "x"}));
    scene.agent.answer(1);
    for (id, more) in [
        (2, r#""limit":1764000000000000000"#.to_owned()),
        (3, format!(r#""limit":1764000000000000000,{meta}"#)),
        (4, r#""_meta":{"ts":1764000000000000000,"ts":1}"#.to_owned()),
    ] {
        scene.agent_says(read(id, &more));
        assert_eq!(scene.agent.answer(id)["error"]["code"], -32602, "{more}");
    }
    // A question is as quiet as without it: the rule allows it, and it is no call that could be read in two ways.
    let meta = r#""_meta":{"ts":1764000000000000000,"n":1.0}"#;
    let wants = |id: u64, command: &str| {
        let call = format!(
            r#"{{"toolCallId":"t{id}","title":"{command}","kind":"execute","rawInput":{{"command":"{command}"}},{meta}}}"#
        );
        let option = format!(r#"{{"optionId":"once","name":"Yes","kind":"allow_once",{meta}}}"#);
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{{"sessionId":"s","toolCall":{call},"options":[{option}],{meta}}}}}"#
        )
    };
    scene.agent_says(wants(5, "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(5)), "once");
    scene.agent_says(wants(6, "make"));
    let question = scene.editor.until("session/request_permission");
    assert!(crate::scene::options(&question).contains(&"mayi-session".to_owned()), "{question}");
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(6)), "once");
}

/// What can't be read is said as what it is.
#[test]
fn given_a_request_with_too_many_members_or_no_servers_then_what_is_said_of_it_is_true() {
    let mut scene = Scene::open(machine(), &[]);
    scene.ask(1, "_x", &json!({"mcpServers": null}));
    assert_eq!(scene.agent.until("_x")["params"], json!({"mcpServers": null}));
    let many: serde_json::Map<String, Value> = (0..1001).map(|n| (format!("k{n}"), json!(n))).collect();
    scene.ask(2, "_x", &Value::Object(many));
    let answer = scene.editor.answer(2);
    assert!(answer["error"]["message"].as_str().unwrap().contains("members"), "{answer}");
}
