//! Sessions: each has a gate of its own, and what comes for one that the editor has not opened is nobody's.

use serde_json::json;

use crate::scene::{Scene, machine, outcome, wants};

fn of(session: &str, call: &str, command: &str) -> serde_json::Value {
    let mut params = wants(call, command);
    params["sessionId"] = json!(session);
    params
}

/// Attack 400: a session that the editor never opened has no answers of another one, and none of its rules allows it anything.
#[test]
fn given_a_session_that_the_editor_has_not_opened_then_nothing_is_allowed_in_it() {
    let mut scene = Scene::open(machine(), &["--mode", "auto"]);
    scene.agent_asks(1, "session/request_permission", &of("other", "t", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    scene.agent_asks(
        2,
        "fs/read_text_file",
        &json!({"sessionId": "other", "path": scene.machine.work().join("a")}),
    );
    assert_eq!(scene.agent.answer(2)["error"]["code"], -32602);
    scene.agent_asks(3, "terminal/create", &json!({"command": "ls"}));
    assert_eq!(scene.agent.answer(3)["error"]["code"], -32602);
    scene.ask("p", "session/prompt", &json!({"sessionId": "other", "prompt": []}));
    assert_eq!(scene.editor.answer("p")["error"]["code"], -32602);
    scene.nothing_for_editor();
}

/// Attack 400: an agent that calls a new session like another one, to have its answers.
#[test]
fn given_a_new_session_under_the_id_of_another_then_it_is_not_opened() {
    let mut scene = Scene::open(machine(), &[]);
    let answer = scene.session_with("again", &json!({"sessionId": "s"}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("like another"), "{answer}");
    scene.agent_wants(1, "t", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
}

/// D6: for this session is for this one.
#[test]
fn given_two_sessions_then_neither_has_the_answers_of_the_other() {
    let mut scene = Scene::open(machine(), &[]);
    scene.session("other");
    scene.agent_wants(1, "t", "make");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-session");
    scene.agent.answer(1);
    scene.agent_asks(2, "session/request_permission", &of("other", "t", "make"));
    let question = scene.editor.until("session/request_permission");
    assert_eq!(question["params"]["sessionId"], "other");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    scene.agent_asks(3, "session/request_permission", &wants("u", "make"));
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
}

/// D4.26: a child session is judged by the strictest of its parent's mode and its own, and has its parent's answers.
#[test]
fn given_a_sub_agent_that_was_announced_then_it_has_the_gate_and_the_mode_of_its_parent() {
    let mut scene = Scene::open(machine(), &["--mode", "plan"]);
    scene.agent_tells(&json!({"sessionUpdate": "subagent_update", "sessionId": "child", "title": "helper"}));
    scene.editor.until("session/update");
    scene.agent_asks(1, "session/request_permission", &of("child", "t", "make"));
    let denied = scene.agent.answer(1);
    assert_eq!(outcome(&denied), "no");
    assert!(denied.to_string().contains("plan"), "{denied}");
    scene.prompt("p", "go");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    scene.agent.until("session/cancel");
    scene.agent_asks(2, "session/request_permission", &of("child", "u", "ls"));
    assert_eq!(outcome(&scene.agent.answer(2)), "cancelled");
}

/// D1: the home folder is no root without being named; a folder that is not there is none.
#[test]
fn given_a_folder_that_is_no_root_then_the_agent_hears_nothing_of_it() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    for (id, cwd) in [(1, "relative"), (2, "/"), (3, "/no/such/folder"), (4, "")] {
        scene.ask(id, "session/new", &json!({"cwd": cwd, "mcpServers": []}));
        assert_eq!(scene.editor.answer(id)["error"]["code"], -32602, "{cwd}");
    }
    scene.nothing_for_agent();
}

/// The settings of a folder count for the sessions in it, wherever mayi was started.
#[test]
fn given_a_folder_with_settings_of_its_own_then_they_count_in_its_sessions_alone() {
    let machine = machine();
    let strict = machine.outside("strict");
    std::fs::create_dir_all(&strict).unwrap();
    std::fs::write(strict.join(".mayi.toml"), "version = 1\n[rules]\ndeny = [\"shell(cargo test)\"]\n")
        .unwrap();
    let mut scene = Scene::open(machine, &[]);
    scene.ask("n", "session/new", &json!({"cwd": strict, "mcpServers": []}));
    scene.agent.until("session/new");
    scene.agent_answers("n", &json!({"sessionId": "strict"}));
    scene.editor.answer("n");
    scene.agent_asks(1, "session/request_permission", &of("strict", "t", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.agent_asks(2, "session/request_permission", &of("s", "t", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
}

/// What an agent says of a new session before the editor knows it waits until then, in its order.
#[test]
fn given_a_session_that_is_loaded_then_what_it_replays_passes_and_is_not_counted() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    scene.ask("l", "session/load", &json!({"sessionId": "s", "cwd": scene.machine.work(), "mcpServers": []}));
    scene.agent.until("session/load");
    scene.agent_tells(&json!({"sessionUpdate": "tool_call", "toolCallId": "t", "kind": "execute", "rawInput": {"command": "rm -rf x"}, "status": "completed"}));
    scene.editor.until("session/update");
    scene.agent_answers("l", &json!({}));
    let answer = scene.editor.answer("l");
    assert_eq!(answer["result"]["configOptions"][0]["id"], "mayi-permissions", "{answer}");
    scene.agent_wants(1, "u", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
}

/// The editor's version 2 is spoken as version 1 on both hops; an agent that speaks another one is not passed on.
#[test]
fn given_the_preview_of_version_2_then_version_1_is_spoken() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.ask(1, "initialize", &json!({"protocolVersion": 2, "clientCapabilities": {}, "x": 1}));
    let asked = scene.agent.until("initialize");
    assert_eq!((&asked["params"]["protocolVersion"], &asked["params"]["x"]), (&json!(1), &json!(1)));
    scene.agent_answers(1, &json!({"protocolVersion": 2}));
    assert!(scene.editor.answer(1)["error"]["message"].as_str().unwrap().contains("version"));
    assert_eq!(scene.end().0, Some(4));
}

/// Found in review: who does not want a session any more while mayi has its agent go into its mode hears so at once.
#[test]
fn given_an_opening_that_is_cancelled_while_the_agents_mode_is_set_then_the_editor_hears_at_once_and_it_is_closed()
 {
    let mut scene = Scene::puppet(machine(), "asking_mode = \"ask\"\n", &[]);
    let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
    scene.ask("init", "initialize", &params);
    scene.agent.until("initialize");
    let can = json!({"loadSession": true, "sessionCapabilities": {"close": {}}});
    scene.agent_answers("init", &json!({"protocolVersion": 1, "agentCapabilities": can}));
    scene.editor.answer("init");
    let modes = json!({"currentModeId": "yolo", "availableModes": [{"id": "ask"}, {"id": "yolo"}]});
    for method in ["session/new", "session/load"] {
        let params = json!({"sessionId": "s", "cwd": scene.machine.work(), "mcpServers": []});
        scene.ask(method, method, &params);
        scene.agent.until(method);
        scene.agent_answers(method, &json!({"sessionId": "s", "modes": modes}));
        let set = scene.agent.until("session/set_mode");
        // Its id is in use as long.
        scene.ask(method, "_vendor/ask", &json!({}));
        assert!(scene.editor.answer(method)["error"]["message"].as_str().unwrap().contains("in use"));
        scene.tell("$/cancel_request", &json!({"requestId": method}));
        assert_eq!(scene.editor.answer(method)["error"]["code"], -32800);
        assert_eq!(scene.agent.until("session/close")["params"]["sessionId"], "s");
        scene.agent_answers(set["id"].clone(), &json!({}));
        scene.agent_wants(method, "t", "cargo test");
        assert_eq!(crate::scene::outcome(&scene.agent.answer(method)), "cancelled");
    }
}

/// The same where the editor goes.
#[test]
fn given_an_editor_that_leaves_while_the_agents_mode_is_set_then_mayi_ends_at_once() {
    let mut scene = Scene::puppet(machine(), "asking_mode = \"ask\"\n", &[]);
    scene.initialize();
    scene.ask("n", "session/new", &json!({"cwd": scene.machine.work(), "mcpServers": []}));
    scene.agent.until("session/new");
    let modes = json!({"currentModeId": "yolo", "availableModes": [{"id": "ask"}, {"id": "yolo"}]});
    scene.agent_answers("n", &json!({"sessionId": "s", "modes": modes}));
    scene.agent.until("session/set_mode");
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
    scene.machine.is_quiet();
}

/// Attack 500: an agent that refuses to load a session leaves the one that is open as it was.
#[test]
fn given_a_load_that_the_agent_refuses_then_the_session_that_is_open_goes_on_with_what_was_answered_in_it() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make all");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-session");
    scene.agent.answer(1);
    scene.agent_wants(2, "b", "make install");
    let question = scene.editor.until("session/request_permission");
    let load = json!({"sessionId": "s", "cwd": scene.machine.work(), "mcpServers": []});
    scene.ask("l", "session/load", &load);
    scene.agent.until("session/load");
    scene.agent_says(r#"{"jsonrpc":"2.0","id":"l","error":{"code":-1,"message":"already open"}}"#);
    assert_eq!(scene.editor.answer("l")["error"]["code"], -1);
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
    scene.agent_wants(3, "c", "make all");
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
    // One that it does load begins anew.
    scene.ask("m", "session/load", &load);
    scene.agent.until("session/load");
    scene.agent_answers("m", &json!({}));
    scene.editor.answer("m");
    scene.agent_wants(4, "d", "make all");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(4)), "no");
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
}

/// What the agent asks in a session comes behind the answer that opens it, also what is allowed at once; where it is not opened,
/// nothing of it comes, and nobody waits.
#[test]
fn given_requests_before_the_editor_knows_the_session_then_they_come_behind_its_answer_or_not_at_all() {
    let mut scene = Scene::puppet(machine().file("a", "x"), "asking_mode = \"ask\"\n", &[]);
    scene.initialize();
    let modes = json!({"currentModeId": "yolo", "availableModes": [{"id": "ask"}, {"id": "yolo"}]});
    for opens in [false, true] {
        scene.ask("n", "session/new", &json!({"cwd": scene.machine.work(), "mcpServers": []}));
        scene.agent.until("session/new");
        scene.agent_answers("n", &json!({"sessionId": "s", "modes": modes}));
        let set = scene.agent.until("session/set_mode");
        scene.agent_wants(1, "t", "make");
        let read = json!({"sessionId": "s", "path": scene.machine.work().join("a")});
        scene.agent_asks(2, "fs/read_text_file", &read);
        scene.nothing_for_editor();
        let id = set["id"].clone();
        if opens {
            scene.agent_answers(id, &json!({}));
            assert_eq!(scene.editor.next()["id"], "n");
            let mut behind = [scene.editor.next(), scene.editor.next()].map(|one| one["method"].to_string());
            behind.sort();
            assert_eq!(behind, ["\"fs/read_text_file\"", "\"session/request_permission\""]);
        } else {
            scene.agent_says(
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -1, "message": "no"}}).to_string(),
            );
            assert!(scene.editor.answer("n")["error"].is_object());
            let mut answered = [scene.agent.next(), scene.agent.next()].map(|answer| answer["id"].clone());
            answered.sort_by_key(|id| id.as_u64());
            assert_eq!(answered, [json!(1), json!(2)]);
            scene.agent_says(r#"{"jsonrpc":"2.0","method":"_marker","params":{}}"#);
            let next = scene.editor.find(|message| message["method"] != "$/cancel_request", "marker");
            assert_eq!(next["method"], "_marker", "{next}");
        }
    }
}

/// A question in a session that nobody announced, as newer opencodes ask for a sub-agent.
fn asks_elsewhere(scene: &mut Scene, number: usize, session: &str, command: &str) {
    let mut params = wants(&format!("t{number}"), command);
    params["sessionId"] = json!(session);
    scene.agent_asks(number, "session/request_permission", &params);
}

/// D4.27, attack 765: it belongs to the session whose turn is under way, and is put there, where the editor shows it.
#[test]
fn given_a_question_in_a_session_that_was_not_announced_then_it_is_judged_and_put_in_the_one_that_works() {
    let mut scene = Scene::open(machine(), &[]);
    // Outside of a turn it is nobody's.
    asks_elsewhere(&mut scene, 1, "child", "make all");
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    scene.prompt("p", "go");
    asks_elsewhere(&mut scene, 2, "child", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(2)), "once", "a rule allows it");
    asks_elsewhere(&mut scene, 3, "child", "rm -rf x");
    assert_eq!(outcome(&scene.agent.answer(3)), "no", "a rule denies it");
    asks_elsewhere(&mut scene, 4, "child", "make all");
    let question = scene.editor.until("session/request_permission");
    assert_eq!(question["params"]["sessionId"], "s", "{question}");
    scene.pick(&question, "mayi-session");
    assert_eq!(outcome(&scene.agent.answer(4)), "once");
    // An answer for the session is for that one and its sub-agents.
    asks_elsewhere(&mut scene, 5, "other", "make all");
    assert_eq!(outcome(&scene.agent.answer(5)), "once");
    scene.agent_wants(6, "u", "make all");
    assert_eq!(outcome(&scene.agent.answer(6)), "once");
    // Who cancels the turn cancels it there.
    asks_elsewhere(&mut scene, 7, "child", "make install");
    scene.editor.until("session/request_permission");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    assert_eq!(outcome(&scene.agent.answer(7)), "cancelled");
}

/// D4.27, attack 765: where several sessions work, the strictest of them counts, for each question anew.
#[test]
fn given_two_turns_at_once_then_a_question_of_an_unannounced_session_is_put_to_the_stricter_one() {
    let mut scene = Scene::open(machine(), &[]);
    scene.session("z");
    scene.ask(
        "mode",
        "session/set_config_option",
        &json!({"sessionId": "s", "configId": "mayi-permissions", "value": "plan"}),
    );
    scene.editor.answer("mode");
    scene.prompt("p", "go");
    scene.ask("q", "session/prompt", &json!({"sessionId": "z", "prompt": [{"type": "text", "text": "go"}]}));
    scene.agent.until("session/prompt");
    for number in 1..4 {
        asks_elsewhere(&mut scene, number, "child", "make all");
        assert_eq!(outcome(&scene.agent.answer(number)), "no", "plan denies it");
    }
    asks_elsewhere(&mut scene, 4, "", "make all");
    assert_eq!(outcome(&scene.agent.answer(4)), "cancelled");
}
