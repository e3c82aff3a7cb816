//! What an editor says to its agent beside the protocol (S4.17): in `_meta`, and in members that the protocol does not have.

use serde_json::{Value, json};

use crate::scene::{Scene, machine, outcome, wants};

const MINI: &str = env!("CARGO_BIN_EXE_mini_mcp");

fn claude(options: Value) -> Value {
    json!({"claudeCode": {"options": options}, "other": {"n": 1.5}})
}

/// Attack 436: servers in an editor's own words for one agent. They stand behind the gate like the others.
#[test]
fn given_servers_in_the_words_of_one_agent_then_they_stand_behind_the_gate_too() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let one = json!({"name": "one", "command": MINI, "args": [], "env": []});
    let meta = claude(
        json!({"mcpServers": {"two": {"command": MINI, "args": [], "env": {"SECRET": "s3cret"}}}, "model": "m"}),
    );
    let cwd = scene.machine.work();
    scene.ask("n", "session/new", &json!({"cwd": cwd, "mcpServers": [one], "_meta": meta}));
    let asked = scene.agent.until("session/new");
    let servers = asked["params"]["mcpServers"].as_array().unwrap();
    let names: Vec<&Value> = servers.iter().map(|server| &server["name"]).collect();
    assert_eq!(names, ["one", "two"]);
    let options = &asked["params"]["_meta"]["claudeCode"]["options"];
    assert_eq!(options, &json!({"mcpServers": {}, "model": "m"}));
    assert_eq!(asked["params"]["_meta"]["other"]["n"], 1.5);
    assert!(!asked.to_string().contains("s3cret") && !asked.to_string().contains("mini_mcp"), "{asked}");
    scene.agent_answers("n", &json!({"sessionId": "s"}));
    scene.editor.answer("n");
}

/// Attack 436: servers elsewhere, and what answers in a person's place: nothing is opened, and the text says what to do.
#[test]
fn given_what_would_go_past_the_gate_then_nothing_is_opened_and_the_text_says_what_to_do() {
    let mut scene = Scene::open(machine(), &[]);
    let cwd = scene.machine.work();
    let server = json!({"command": "x", "args": []});
    let twice = json!([{"name": "a", "command": "x", "args": [], "env": []}]);
    let mut id = 0;
    for (params, says) in [
        (json!({"_meta": {"mcp_servers": {"a": server}}}), "goes past mayi"),
        (json!({"mcp_servers": [server]}), "goes past mayi"),
        (
            json!({"_meta": claude(json!({"agents": {"x": {"mcpServers": [{"a": server}]}}}))}),
            "goes past mayi",
        ),
        (
            json!({"_meta": claude(json!({"extraArgs": {"permission-mode": "x"}}))}),
            "rules in mayi's configuration",
        ),
        (
            json!({"_meta": claude(json!({"settings": {"hooks": {"PreToolUse": [1]}}}))}),
            "rules in mayi's configuration",
        ),
        (
            json!({"_meta": claude(json!({"mcpServers": {"a": {"type": "ws", "url": "http://x/"}}}))}),
            "can't stand before",
        ),
        (
            json!({"_meta": claude(json!({"mcpServers": {"a": server}})), "mcpServers": twice}),
            "two MCP servers",
        ),
    ] {
        for method in ["session/new", "session/load", "session/resume", "session/fork"] {
            id += 1;
            let mut all = json!({"sessionId": "s2", "cwd": cwd, "mcpServers": []});
            all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
            scene.ask(id, method, &all);
            let answer = scene.editor.answer(id);
            assert!(answer["error"]["message"].as_str().unwrap().contains(says), "{method}: {answer}");
        }
    }
    // The same where the protocol has no servers at all.
    for (method, params) in [
        ("session/prompt", json!({"sessionId": "s", "prompt": [], "_meta": {"mcpServers": {"a": server}}})),
        ("_vendor/open", json!({"deep": [{"options": {"mcpServers": {"a": server}}}]})),
    ] {
        id += 1;
        scene.ask(id, method, &params);
        assert_eq!(scene.editor.answer(id)["error"]["code"], -32602, "{method}");
    }
    scene.nothing_for_agent();
}

/// A mode in the editor's settings is the mode in which the agent asks, where one is known; tools that it may use unasked are none.
#[test]
fn given_a_mode_and_free_tools_of_the_editors_then_the_agent_begins_in_the_one_in_which_it_asks() {
    let mut scene = Scene::puppet(machine(), "asking_mode = \"ask\"\n", &[]);
    scene.initialize();
    let meta =
        claude(json!({"permissionMode": "yolo", "allowedTools": ["Bash"], "disallowedTools": ["Web"]}));
    let cwd = scene.machine.work();
    scene.ask("n", "session/new", &json!({"cwd": cwd, "mcpServers": [], "_meta": meta}));
    let asked = scene.agent.until("session/new");
    assert_eq!(
        asked["params"]["_meta"]["claudeCode"]["options"],
        json!({"permissionMode": "ask", "allowedTools": [], "disallowedTools": ["Web"]})
    );
    let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "ask"}, {"id": "yolo"}]});
    scene.agent_answers("n", &json!({"sessionId": "s", "modes": modes}));
    scene.editor.answer("n");
    let log = scene.log();
    assert!(log.contains("allowedTools") && log.contains("yolo"), "{log}");
}

/// Where no such mode is known it is the person's choice: recorded, and held to the rules.
#[test]
fn given_a_mode_of_the_editors_and_no_asking_mode_then_it_is_the_persons_recorded_choice() {
    let mut scene = Scene::begin(machine(), &["--deny", "mode(forbidden)"]);
    scene.initialize();
    let cwd = scene.machine.work();
    let open =
        |mode: &str| json!({"cwd": cwd, "mcpServers": [], "_meta": claude(json!({"permissionMode": mode}))});
    scene.ask("n", "session/new", &open("yolo"));
    scene.agent.until("session/new");
    scene.agent_answers("n", &json!({"sessionId": "s"}));
    assert!(scene.editor.answer("n")["result"].is_object());
    let answered = scene.record("answered", 1);
    assert!(answered[0].to_string().contains("editor"), "{answered:?}");
    scene.ask("m", "session/new", &open("forbidden"));
    scene.agent.until("session/new");
    scene.agent_answers("m", &json!({"sessionId": "t"}));
    assert!(scene.editor.answer("m")["error"].is_object());
    // With a prompt too.
    let prompt = json!({"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "_meta": {"permissionMode": "forbidden"}});
    scene.ask("p", "session/prompt", &prompt);
    assert_eq!(scene.editor.answer("p")["error"]["code"], -32003);
    scene.nothing_for_agent();
}

/// Attack 437: a number that readers take for different ones in what a call is to do. A person sees its digits, and decides once.
#[test]
fn given_a_number_that_readers_disagree_on_then_it_is_asked_about_by_hand_with_its_digits() {
    let mut scene = Scene::open(machine(), &["--allow", "shell(cargo test)", "--mode", "auto"]);
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": wants("t", "cargo test")}).to_string();
    let line =
        line.replace("\"command\":\"cargo test\"", "\"command\":\"cargo test\",\"n\":9007199254740993");
    scene.agent_says(&line);
    let question = scene.editor.line();
    assert!(question.contains("\"n\":9007199254740993"), "{question}");
    let question: Value = serde_json::from_str(&question).unwrap();
    assert_eq!(crate::scene::options(&question), ["once", "no"]);
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    // It is not remembered.
    scene.agent_says(line.replace("\"id\":1", "\"id\":2"));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    // Elsewhere in a question it is refused, as everywhere.
    scene.agent_says(line.replace("\"id\":1", "\"id\":3").replace(
        "\"kind\":\"execute\"",
        "\"kind\":\"execute\",\"locations\":[{\"path\":\"/x\",\"line\":9007199254740993}]",
    ));
    assert_eq!(scene.agent.answer(3)["error"]["code"], -32602);
}

/// The same in what the two say of themselves: nothing of it is judged.
#[test]
fn given_such_a_number_in_initialize_then_it_passes_to_the_byte() {
    let mut scene = Scene::begin(machine(), &[]);
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"_meta":{"n":123456789012345678901234567890}}}"#;
    scene.says(line);
    assert_eq!(scene.agent.line(), line);
    scene.agent_says(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}},"_meta":{"n":9007199254740993}}}"#);
    assert!(scene.editor.line().contains(r#""_meta":{"n":9007199254740993}"#));
}

/// What the editor says beside an option of the agent's goes to the agent, and to nobody else.
#[test]
fn given_what_an_editor_says_with_its_answer_then_the_agent_gets_it_with_its_own_option_alone() {
    let mut scene = Scene::open(machine(), &[]);
    for (id, option, told) in [(1, "once", true), (2, "no", true), (3, "mayi-session", false)] {
        scene.agent_wants(id, &format!("t{id}"), &format!("make {id}"));
        let question = scene.editor.until("session/request_permission");
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"outcome":{{"outcome":"selected","optionId":"{option}","_meta":{{"o":1.0}}}},"_meta":{{"why":1.10,"mayi":{{"denied":"no"}}}}}}}}"#,
            question["id"]
        );
        scene.says(line);
        let mut answer = scene.agent.line();
        while !answer.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)) {
            answer = scene.agent.line();
        }
        assert_eq!(answer.contains(r#""why":1.10"#), told, "{answer}");
        assert_eq!(answer.contains(r#"{"o":1.0}"#), told, "{answer}");
    }
}
