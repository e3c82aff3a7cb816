//! Version 2 of the protocol: what is negotiated, sessions, options, servers and turns (S4.16, S4.18).

use serde_json::{Value, json};

use crate::scene::{Scene, machine, options, outcome};

/// Each hop speaks what both of its ends do, and 2 only where the user wants it.
#[test]
fn given_the_setting_then_version_two_is_spoken_where_both_do_and_one_otherwise() {
    let setting = "version = 1\n[acp]\nprotocol_v2 = true\n";
    for (machine, words, offered, passed, answered) in [
        (machine(), vec![], 2, 1, 1),
        (machine(), vec!["--protocol-v2"], 2, 2, 2),
        (machine().user(setting), vec![], 2, 2, 2),
        (machine(), vec!["--protocol-v2"], 3, 2, 2),
        (machine(), vec!["--protocol-v2"], 1, 1, 1),
        (machine(), vec!["--protocol-v2"], 2, 2, 1),
    ] {
        let mut scene = Scene::begin(machine, &words);
        scene.ask(1, "initialize", &json!({"protocolVersion": offered, "x": 1.5}));
        assert_eq!(scene.agent.next()["params"], json!({"protocolVersion": passed, "x": 1.5}));
        scene.agent_answers(1, &json!({"protocolVersion": answered}));
        assert_eq!(scene.editor.answer(1)["result"]["protocolVersion"], answered);
        // Once it is settled, it stays.
        scene.ask(2, "initialize", &json!({"protocolVersion": 2}));
        assert_eq!(scene.agent.next()["params"]["protocolVersion"], answered);
    }
}

/// An agent that answers with what was not offered, or with another version than before, is ended.
#[test]
fn given_an_agent_with_another_version_than_was_offered_then_it_is_ended() {
    for (offered, answered) in [(1, json!(2)), (2, json!(3)), (2, json!("2")), (2, json!(2.0)), (2, json!(0))]
    {
        let mut scene = Scene::begin(machine(), &["--protocol-v2"]);
        scene.ask(1, "initialize", &json!({"protocolVersion": offered}));
        scene.agent.next();
        scene.agent_answers(1, &json!({"protocolVersion": answered}));
        assert!(scene.editor.answer(1)["error"].is_object(), "{answered}");
        assert_eq!(scene.end().0, Some(4));
    }
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.ask(1, "initialize", &json!({"protocolVersion": 2}));
    scene.agent.until("initialize");
    scene.agent_answers(1, &json!({"protocolVersion": 1}));
    assert_eq!(scene.end().0, Some(4));
}

/// Servers are reached by mayi: programs and HTTP, for an agent that can start a program; an agent that can't has none.
#[test]
fn given_what_an_agent_says_of_its_servers_then_the_editor_hears_what_it_has_behind_the_gate() {
    for (told, heard) in [
        (json!({"stdio": {}, "acp": {}, "_x": 1}), json!({"stdio": {}, "acp": null, "_x": 1, "http": {}})),
        (json!({"stdio": {}, "http": {"_meta": {}}}), json!({"stdio": {}, "http": {"_meta": {}}})),
        (json!({"http": {}}), Value::Null),
        (Value::Null, Value::Null),
    ] {
        let mut scene = Scene::begin(machine(), &["--protocol-v2"]);
        scene.ask(1, "initialize", &json!({"protocolVersion": 2}));
        scene.agent.next();
        scene.agent_answers(1, &json!({"protocolVersion": 2, "capabilities": {"session": {"mcp": told}}}));
        let answer = scene.editor.answer(1);
        assert_eq!(answer["result"]["capabilities"], json!({"session": {"mcp": heard}}));
    }
}

/// MCP servers of version 2 stand behind the gate, and what the agent starts in their place is one of version 2.
#[test]
fn given_servers_of_version_two_then_they_stand_behind_the_gate() {
    let mut scene = Scene::begin(machine(), &["--protocol-v2"]);
    scene.initialize_v2();
    let mini = env!("CARGO_BIN_EXE_mini_mcp");
    let server = json!({"type": "stdio", "name": "mini", "command": mini});
    let cwd = scene.machine.work();
    scene.ask("n", "session/resume", &json!({"sessionId": "s", "cwd": cwd, "mcpServers": [server]}));
    let relay = scene.agent.until("session/resume")["params"]["mcpServers"][0].clone();
    assert_eq!((&relay["type"], &relay["name"]), (&json!("stdio"), &json!("mini")));
    assert!(!relay.to_string().contains("mini_mcp"), "{relay}");
    scene.agent_answers("n", &json!({}));
    scene.editor.answer("n");
    for (id, server) in
        [(1, json!({"type": "_other", "name": "x"})), (2, json!({"type": "acp", "name": "x"}))]
    {
        scene.ask(id, "session/new", &json!({"cwd": cwd, "mcpServers": [server]}));
        assert!(scene.editor.answer(id)["error"].is_object());
    }
    scene.nothing_for_agent();
}

/// Attack 439: what the protocol has not any more in version 2.
#[test]
fn given_files_and_terminals_of_the_editors_then_version_two_has_none_of_them() {
    let mut scene = Scene::open_v2(machine(), &["--mode", "auto"]);
    let path = scene.machine.work().join("a.txt");
    for (id, method) in [
        (1, "fs/read_text_file"),
        (2, "fs/write_text_file"),
        (3, "terminal/create"),
        (4, "terminal/kill"),
        (5, "FS/read_text_file"),
    ] {
        let params =
            json!({"sessionId": "s", "path": path, "content": "x", "command": "ls", "terminalId": "t"});
        scene.agent_asks(id, method, &params);
        assert_eq!(scene.agent.answer(id)["error"]["code"], -32601, "{method}");
    }
    scene.nothing_for_editor();
    // What ends a terminal of the agent's own is the editor's to send.
    let line =
        r#"{"jsonrpc":"2.0","id":9,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"t"}}"#;
    scene.says(line);
    assert_eq!(scene.agent.line(), line);
}

fn mode(value: &str) -> Value {
    json!({"configId": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": value, "options": [{"value": "ask", "name": "A"}, {"value": "yolo", "name": "Y"}], "n": 1.5})
}

/// Modes are options in version 2: the one in which the agent asks is set at the opening, and its own switch is set back.
#[test]
fn given_a_mode_that_is_an_option_then_it_is_set_at_the_opening_and_set_back_later() {
    let mut scene = Scene::puppet(machine(), "asking_mode = \"ask\"\n", &["--protocol-v2"]);
    scene.initialize_v2();
    scene.ask("n", "session/new", &json!({"cwd": scene.machine.work()}));
    scene.agent.until("session/new");
    // Modes of version 1 mean nothing here.
    let old = json!({"currentModeId": "ask", "availableModes": [{"id": "ask"}]});
    scene.agent_answers("n", &json!({"sessionId": "s", "configOptions": [mode("yolo")], "modes": old}));
    let set = scene.agent.until("session/set_config_option");
    let asked = json!({"sessionId": "s", "configId": "mode", "type": "id", "value": "ask"});
    assert_eq!(set["params"], asked);
    scene.agent_answers(set["id"].clone(), &json!({"configOptions": [mode("ask")]}));
    let told = scene.editor.answer("n")["result"]["configOptions"].clone();
    assert_eq!(told[0], mode("ask"));
    let own = &told[1];
    assert_eq!((&own["name"], &own["configId"]), (&json!("Permissions"), &json!("mayi-permissions")));
    assert!(own.get("id").is_none(), "{own}");
    scene.ask(
        1,
        "session/set_config_option",
        &json!({"sessionId": "s", "configId": "mayi-permissions", "type": "id", "value": "plan"}),
    );
    let set = scene.editor.answer(1);
    assert_eq!(set["result"]["configOptions"][1]["currentValue"], "plan");
    scene.agent_tells(&json!({"sessionUpdate": "config_option_update", "configOptions": [mode("yolo")]}));
    let back = scene.agent.until("session/set_config_option");
    assert_eq!(back["params"], asked);
    scene.agent_answers(back["id"].clone(), &json!({"configOptions": [mode("ask")]}));
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["mayi-switch", "mayi-stay"]);
    assert_eq!(question["params"]["title"], "mode(yolo)");
    scene.pick(&question, "mayi-stay");
}

/// Options that the editor sets with a session are the person's choice: held to the rules like any other.
#[test]
fn given_options_that_come_with_a_session_then_a_rule_against_a_mode_holds() {
    let mut scene = Scene::begin(machine(), &["--protocol-v2", "--deny", "mode(yolo)"]);
    scene.initialize_v2();
    let cwd = scene.machine.work();
    for (key, value, opens) in [("a", "yolo", false), ("b", "ask", true)] {
        let set = json!([{"configId": "mode", "type": "id", "value": value}]);
        scene.ask(key, "session/new", &json!({"cwd": cwd, "configOptions": set}));
        scene.agent.until("session/new");
        scene.agent_answers(key, &json!({"sessionId": key, "configOptions": [mode(value)]}));
        assert_eq!(scene.editor.answer(key)["result"].is_object(), opens, "{value}");
    }
}

/// A prompt's answer says only that it was taken: the turn ends where the agent says so, and a cancel holds until then.
#[test]
fn given_a_cancel_then_what_is_asked_until_the_work_is_over_is_answered_as_cancelled() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.prompt("p", "go");
    scene.takes("p");
    scene.agent_asks(1, "session/request_permission", &crate::v2_asking::wants("t", "make"));
    scene.editor.until("session/request_permission");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    scene.agent_asks(2, "session/request_permission", &crate::v2_asking::wants("u", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(2)), "cancelled");
    scene.agent_tells(&json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "cancelled"}));
    // Work that goes on behind a turn that is over is judged as ever.
    scene.agent_asks(3, "session/request_permission", &crate::v2_asking::wants("v", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
    // A turn that was over before its prompt was answered leaves nothing behind.
    scene.prompt("q", "more");
    scene.agent_is("running");
    scene.agent_is("idle");
    scene.agent_answers("q", &json!({"messageId": "q"}));
    scene.editor.answer("q");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    scene.agent.until("session/cancel");
    // Where nothing is under way, a cancel holds until the person prompts.
    scene.agent_asks(4, "session/request_permission", &crate::v2_asking::wants("w", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(4)), "cancelled");
    scene.prompt("r", "more");
    scene.agent_asks(5, "session/request_permission", &crate::v2_asking::wants("x", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(5)), "once");
}

/// Work that the agent began by itself is cancelled as well, and a prompt that it refuses is no turn.
#[test]
fn given_work_without_a_prompt_then_a_cancel_holds_for_it_too() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_says(r#"{"jsonrpc":"2.0","id":"p","error":{"code":-32800,"message":"cancelled"}}"#);
    scene.editor.answer("p");
    scene.agent_is("running");
    scene.editor.until("session/update");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    scene.agent.until("session/cancel");
    scene.agent_asks(1, "session/request_permission", &crate::v2_asking::wants("t", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    scene.agent_is("idle");
    scene.agent_asks(2, "session/request_permission", &crate::v2_asking::wants("u", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
}

/// An agent that does not end the work that was stopped is ended (S4.15).
#[test]
fn given_work_that_goes_on_after_a_stop_then_the_agent_is_ended() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.prompt("p", "go");
    scene.takes("p");
    scene.agent_tells(&crate::v2_asking::ran("t", "rm -rf x", "completed"));
    scene.agent.until("session/cancel");
    assert_eq!(scene.end().0, Some(4));
    scene.machine.is_quiet();
}

/// Unknown kinds of update, states and members pass to the byte, in both directions.
#[test]
fn given_what_mayi_has_no_part_in_then_it_passes_to_the_byte_in_version_two() {
    let mut scene = Scene::open_v2(machine(), &[]);
    for line in [
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"_new","n":1.10}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"paused","title":null,"capabilities":{"cancel":{}},"n":1.0}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"_new","n":1e2}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x","command":"cargo test","size":{"columns":80.0}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"\/"}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"sessionId":"s","mode":"form"}}"#,
    ] {
        scene.agent_says(line);
        assert_eq!(scene.editor.line(), line);
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"t","n":1.0}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/options","params":{"cwd":"/","n":1.0}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"auth/login","params":{"methodId":"x"}}"#,
    ] {
        scene.says(line);
        assert_eq!(scene.agent.line(), line);
    }
}
