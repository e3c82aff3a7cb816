//! What broke in other clients and agents of this protocol, by whom: each as a law here. `docs/acp.md` lists what can't be put as one.

use serde_json::{Value, json};

use crate::scene::{Scene, machine, options, outcome, wants};

/// Symposium's extension: what waited was forgotten neither on a cancel nor when a tab was closed, and the agent hung.
#[test]
fn given_a_session_that_is_closed_under_its_question_then_the_agent_is_answered_and_the_question_taken_back()
{
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make");
    let question = scene.editor.until("session/request_permission");
    scene.ask("c", "session/close", &json!({"sessionId": "s"}));
    assert_eq!(outcome(&scene.agent.find(|message| message["id"] == 1, "answer")), "cancelled");
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], question["id"]);
    scene.agent_answers("c", &json!({}));
    scene.editor.answer("c");
    scene.agent_wants(2, "b", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(2)), "cancelled");
}

/// Symposium's extension put the title into Markdown as it came. What mayi itself says of a call is escaped, and the agent's words
/// stay the agent's.
#[test]
fn given_a_title_and_a_command_that_draw_over_what_is_shown_then_mayis_own_words_show_them_escaped() {
    let mut scene = Scene::open(machine(), &[]);
    let mut params = wants("a", "make \u{202e}tset\u{1b}[2K");
    params["toolCall"]["title"] = json!("**Allowed by mayi**\u{1b}[2K");
    scene.agent_asks(1, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    let content = question["params"]["toolCall"]["content"].as_array().unwrap();
    let said = content.last().unwrap()["content"]["text"].as_str().unwrap();
    assert!(said.contains("make") && !said.contains(['\u{202e}', '\u{1b}']), "{said:?}");
    for option in question["params"]["options"].as_array().unwrap() {
        assert!(!option["name"].as_str().unwrap().contains(['\u{202e}', '\u{1b}']), "{option}");
    }
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
}

/// acpx guessed the kind of a call from parts of words in its title: "thread" and "allocate" were reads.
#[test]
fn given_a_title_with_the_words_of_a_read_then_what_is_done_counts() {
    let mut scene = Scene::open(machine(), &["--allow", "read(**)"]);
    for (id, title, kind) in
        [(1, "Read the thread and allocate: cat", "execute"), (2, "read", "read"), (3, "search", "search")]
    {
        let mut params = wants(&format!("t{id}"), "make all");
        params["toolCall"]["title"] = json!(title);
        params["toolCall"]["kind"] = json!(kind);
        scene.agent_asks(id, "session/request_permission", &params);
        let question = scene.editor.until("session/request_permission");
        assert!(
            question["params"]["toolCall"]["content"].to_string().contains("shell(make all)"),
            "{question}"
        );
        scene.pick(&question, "no");
        assert_eq!(outcome(&scene.agent.answer(id)), "no", "{title}");
    }
}

/// acpx, with everything approved, picked the first option where none allowed, even if that was a rejection.
#[test]
fn given_a_rule_that_allows_and_no_option_that_allows_once_then_no_other_one_stands_for_it() {
    let mut scene = Scene::open(machine(), &["--mode", "auto"]);
    let lists = [
        json!([{"optionId": "no", "name": "No", "kind": "reject_once"}]),
        json!([{"optionId": "never", "name": "Never", "kind": "reject_always"}, {"optionId": "no", "name": "No", "kind": "reject_once"}]),
        json!([]),
    ];
    for (id, list) in lists.iter().enumerate() {
        let mut params = wants(&format!("t{id}"), "cargo test");
        params["options"] = list.clone();
        scene.agent_asks(id, "session/request_permission", &params);
        // A person is asked what is to become of it, and can't allow it either.
        let question = scene.editor.until("session/request_permission");
        let kinds = question["params"]["options"]
            .as_array()
            .unwrap()
            .iter()
            .map(|option| option["kind"].as_str().unwrap());
        assert!(kinds.clone().count() > 0 && kinds.clone().all(|kind| kind == "reject_once"), "{question}");
        let first = options(&question).remove(0);
        scene.pick(&question, &first);
        let got = scene.agent.answer(id);
        let picked = outcome(&got);
        assert!(picked == "cancelled" || picked == "no", "{list}: {got}");
    }
    // Where there is only one for good, a person has to pick it.
    let mut params = wants("g", "cargo test");
    params["options"] = json!([{"optionId": "always", "name": "Always", "kind": "allow_always"}, {"optionId": "no", "name": "No", "kind": "reject_once"}]);
    scene.agent_asks(10, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["always", "no"]);
    scene.pick(&question, "always");
    assert_eq!(outcome(&scene.agent.answer(10)), "always");
}

/// Zed: rules hold for its own agent, and for no external one.
#[test]
fn given_an_external_agent_in_an_editor_then_the_rules_of_its_user_hold_for_it() {
    let mut scene = Scene::open(machine(), &[]);
    for (id, command) in ["rm -rf /", "cargo test && rm -rf x", "echo $(rm x)"].iter().enumerate() {
        scene.agent_wants(id, &format!("t{id}"), command);
        assert_eq!(outcome(&scene.agent.answer(id)), "no", "{command}");
    }
    scene.nothing_for_editor();
}

/// claude-agent-acp#1068: the prompt had what the model said of a command, in place of the command.
#[test]
fn given_a_title_that_describes_another_command_then_the_command_itself_is_shown_and_judged() {
    let mut scene = Scene::open(machine(), &[]);
    let mut params = wants("a", "rm -rf x");
    params["toolCall"]["title"] = json!("List the files");
    params["toolCall"]["rawInput"]["description"] = json!("List the files");
    scene.agent_asks(1, "session/request_permission", &params);
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    params["toolCall"]["toolCallId"] = json!("b");
    params["toolCall"]["rawInput"]["command"] = json!("make clean");
    scene.agent_asks(2, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    assert!(
        question["params"]["toolCall"]["content"].to_string().contains("shell(make clean)"),
        "{question}"
    );
}

/// codex-acp has two options that reject once: one goes on without the call, one ends the turn. mayi's own denial goes on; a
/// person may pick either.
#[test]
fn given_two_options_that_reject_once_then_a_denial_goes_on_and_the_person_has_both() {
    let mut scene = Scene::open(machine(), &[]);
    let list = json!([
        {"optionId": "approved", "name": "Yes", "kind": "allow_once"},
        {"optionId": "denied", "name": "No, continue without running it", "kind": "reject_once"},
        {"optionId": "abort", "name": "No, and tell Codex what to do differently", "kind": "reject_once"},
    ]);
    for (id, command) in [(1, "rm -rf x"), (2, "make"), (3, "make all")] {
        let mut params = wants(&format!("t{id}"), command);
        params["options"] = list.clone();
        scene.agent_asks(id, "session/request_permission", &params);
    }
    assert_eq!(outcome(&scene.agent.answer(1)), "denied");
    for (id, pick) in [(2, "denied"), (3, "abort")] {
        let question = scene.editor.until("session/request_permission");
        let offered: Vec<&Value> = question["params"]["options"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|option| option["kind"] == "reject_once")
            .collect();
        assert_eq!(offered, [&list[1], &list[2]]);
        scene.pick(&question, pick);
        assert_eq!(outcome(&scene.agent.answer(id)), pick);
    }
}

/// codex-acp's tests: "blocked approval does not block follow-up events", and "shutdown bypasses blocked permission request".
#[test]
fn given_a_question_that_waits_then_events_pass_and_an_end_does_not_wait_for_it() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make");
    scene.editor.until("session/request_permission");
    scene.agent_tells(
        &json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "meanwhile"}}),
    );
    assert_eq!(scene.editor.next()["params"]["update"]["content"]["text"], "meanwhile");
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
    scene.machine.is_quiet();
}

/// goose#12336, and the protocol's own example of a plan, whose content has no wrapper: readers by type drop it, and the question
/// is shown without the plan.
#[test]
fn given_content_that_is_not_of_the_schema_then_it_is_still_in_the_question() {
    let mut scene = Scene::open(machine(), &[]);
    let mut params = wants("a", "make");
    params["toolCall"]["content"] =
        json!([{"type": "text", "text": "## The plan\nDelete all."}, {"type": "invented", "n": 1}, 7]);
    scene.agent_asks(1, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    let content = question["params"]["toolCall"]["content"].as_array().unwrap();
    assert!(content[0].to_string().contains("mayi asks"), "{question}");
    assert_eq!(content[1..], params["toolCall"]["content"].as_array().unwrap()[..], "{question}");
}

/// Toad let `fs/*` and `terminal/*` through without a question. formulahendry's vscode-acp too, with a shell.
#[test]
fn given_files_and_terminals_then_nothing_of_them_is_done_unasked() {
    let mut scene = Scene::open(machine(), &[]);
    let outside = scene.machine.outside_text("elsewhere.txt");
    let asked = [
        ("fs/write_text_file", json!({"sessionId": "s", "path": outside, "content": "x"})),
        (
            "fs/write_text_file",
            json!({"sessionId": "s", "path": scene.machine.work().join("a"), "content": "x"}),
        ),
        (
            "fs/read_text_file",
            json!({"sessionId": "s", "path": scene.machine.outside_text("home/.ssh/id_ed25519")}),
        ),
        ("terminal/create", json!({"sessionId": "s", "command": "make", "args": []})),
        ("terminal/create", json!({"sessionId": "s", "command": "make; curl x", "args": []})),
    ];
    for (id, (method, params)) in asked.iter().enumerate() {
        scene.agent_asks(id, method, params);
        let question = scene.editor.next();
        assert_eq!(question["method"], "session/request_permission", "{method}: {question}");
        scene.pick(&question, "mayi-deny");
        assert_eq!(scene.agent.answer(id)["error"]["code"], -32003, "{method} {params}");
        // The question is shown as a call of mayi's, and ends as one.
        scene.editor.until("session/update");
    }
    scene.nothing_for_editor();
}

/// agent-shell#432: a rejection was an interrupt of the turn.
#[test]
fn given_a_denial_then_the_turn_is_not_cancelled() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "a", "rm -rf x");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.agent_wants(2, "b", "make");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    scene.nothing_for_agent();
    scene.agent_wants(3, "c", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
}

/// formulahendry's vscode-acp, told to allow all, took the first option that allows: with Claude Code's plan, the one that asks
/// about nothing any more.
#[test]
fn given_everything_allowed_then_a_way_out_of_asking_is_not_picked() {
    let mut scene = Scene::open(machine(), &["--mode", "auto", "--allow", "*", "--allow", "mode(*)"]);
    let params = json!({
        "sessionId": "s",
        "toolCall": {"toolCallId": "t", "title": "Ready to code?", "kind": "switch_mode", "rawInput": {"plan": "p"}},
        "options": [
            {"optionId": "bypassPermissions", "name": "Yes, and bypass permissions", "kind": "allow_always"},
            {"optionId": "acceptEdits", "name": "Yes, and auto-accept edits", "kind": "allow_always"},
            {"optionId": "default", "name": "Yes, and manually approve edits", "kind": "allow_once"},
            {"optionId": "plan", "name": "No, keep planning", "kind": "reject_once"},
        ],
    });
    scene.agent_asks(1, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "plan");
    assert_eq!(outcome(&scene.agent.answer(1)), "plan");
}

/// CodeCompanion keyed options by kind: those of one kind became one, and its own labels stood for the agent's.
#[test]
fn given_options_with_labels_of_the_agents_then_each_keeps_its_members_and_its_label_behind_what_it_does() {
    let mut scene = Scene::open(machine(), &[]);
    let list = r#"[{"optionId":"y","name":"Ja, einmal \u2713","kind":"allow_once","x":1.0},{"kind":"reject_once","name":"Nein","optionId":"n1"},{"optionId":"n2","name":"Nein, und abbrechen","kind":"reject_once"}]"#;
    scene.agent_says(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{{"sessionId":"s","toolCall":{{"toolCallId":"t","kind":"execute","rawInput":{{"command":"make"}}}},"options":{list}}}}}"#
    ));
    let line = scene.editor.line();
    for option in [
        r#"{"optionId":"y","name":"Allow once (“Ja, einmal ✓”)","kind":"allow_once","x":1.0}"#,
        r#"{"kind":"reject_once","name":"Deny (“Nein”)","optionId":"n1"}"#,
    ] {
        assert!(line.contains(option), "{line}");
    }
    let question: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(options(&question), ["y", "mayi-session", "n1", "n2"]);
    scene.pick(&question, "n2");
    assert_eq!(outcome(&scene.agent.answer(1)), "n2");
}

/// omercnet's vscode-acp: an answer of a session that is gone, or to a question that is, allows nothing; each is answered once.
#[test]
fn given_two_answers_to_one_question_then_the_first_counts_and_the_agent_gets_one() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "no");
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.nothing_for_agent();
}
