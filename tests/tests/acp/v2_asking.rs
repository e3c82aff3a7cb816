//! Version 2 of the protocol: questions, what they are about, and what ran without one (S4.18).

use serde_json::{Value, json};

use crate::scene::{Scene, machine, options, outcome};

fn choices() -> Value {
    json!([
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "once", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
        {"optionId": "new", "name": "Allow", "kind": "_allow_new"},
    ])
}

/// The parameters of a request to run a command as a tool call.
pub(crate) fn wants(call: &str, command: &str) -> Value {
    asks(
        &json!({"type": "tool_call", "toolCall": {"toolCallId": call, "title": command, "kind": "execute", "rawInput": {"command": command}}}),
    )
}

fn asks(subject: &Value) -> Value {
    json!({"sessionId": "s", "title": "May I?", "description": "It is harmless", "subject": subject, "options": choices()})
}

/// A tool call that is told of.
pub(crate) fn ran(call: &str, command: &str, status: &str) -> Value {
    json!({"sessionUpdate": "tool_call_update", "toolCallId": call, "title": command, "kind": "execute", "rawInput": {"command": command}, "status": status})
}

fn command(line: &str, cwd: &str, call: Value) -> Value {
    asks(&json!({"type": "command", "command": line, "cwd": cwd, "toolCallId": call}))
}

/// Both kinds of subject are judged at once where a rule speaks. D6.26: mayi's own allow picks only `allow_once`.
#[test]
fn given_rules_then_tool_calls_and_commands_are_answered_at_once() {
    let mut scene = Scene::open_v2(machine(), &[]);
    let work = scene.machine.work().to_str().unwrap().to_owned();
    for (id, params, told) in [
        (1, wants("a", "cargo test"), "once"),
        (2, wants("b", "rm -rf x"), "no"),
        (3, command("cargo test", &work, Value::Null), "once"),
        (4, command("cargo test && rm -rf x", &work, Value::Null), "no"),
        (5, command("cargo test", &work, json!("c")), "once"),
    ] {
        scene.agent_asks(id, "session/request_permission", &params);
        assert_eq!(outcome(&scene.agent.answer(id)), told, "{params}");
    }
    scene.nothing_for_editor();
}

/// The question has mayi's words for a title, what the agent says is marked as that, and its subject stays to the byte.
#[test]
fn given_what_is_asked_about_then_the_question_has_mayis_words_and_the_agents_subject() {
    let mut scene = Scene::open_v2(machine(), &[]);
    let work = scene.machine.work().to_str().unwrap().to_owned();
    let subject =
        format!(r#"{{ "type":"command","command":"make all","cwd":"{work}","terminalId":"x","n":1.10 }}"#);
    scene.agent_says(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{{"sessionId":"s","title":"Just a read\u202e","subject":{subject},"options":{},"_new":{{"n":1e2}}}}}}"#,
        choices()
    ));
    let line = scene.editor.line();
    assert!(line.contains(&subject) && line.contains(r#""_new":{"n":1e2}"#), "{line}");
    let question: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(question["params"]["title"], "shell(make all)");
    let said = question["params"]["description"].as_str().unwrap();
    assert!(said.starts_with("mayi asks:\nshell(make all)"), "{said}");
    assert!(said.contains("The agent says: Just a read") && !said.contains('\u{202e}'), "{said}");
    assert_eq!(options(&question)[0], "once");
    assert!(!options(&question).contains(&"new".to_owned()), "{question}");
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    // What was approved is what is told of, once.
    scene.agent_tells(&ran("t", "make all", "completed"));
    scene.editor.until("session/update");
    scene.record("unasked", 0);
    scene.agent_tells(&ran("u", "make all", "completed"));
    scene.record("unasked", 1);
}

/// Attack 438: a command in a question that is another one than its tool call says. The stricter counts.
#[test]
fn given_a_command_and_a_tool_call_that_disagree_then_the_stricter_counts() {
    let mut scene = Scene::open_v2(machine(), &["--allow", "shell(cargo build)"]);
    let work = scene.machine.work().to_str().unwrap().to_owned();
    scene.agent_tells(&ran("t", "rm -rf x", "pending"));
    scene.agent_asks(1, "session/request_permission", &command("cargo test", &work, json!("t")));
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.agent_tells(&ran("u", "make evil", "pending"));
    scene.agent_asks(2, "session/request_permission", &command("cargo test", &work, json!("u")));
    let question = scene.editor.until("session/request_permission");
    assert!(question["params"]["description"].as_str().unwrap().contains("shell(make evil)"), "{question}");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    // Approved as one thing, done as another.
    scene.agent_asks(3, "session/request_permission", &command("cargo build", &work, json!("v")));
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
    scene.prompt("p", "go");
    scene.agent_tells(&ran("v", "rm -rf x", "in_progress"));
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
}

/// Attack 440: a question about something that mayi does not know, or about nothing. It is a person's, once.
#[test]
fn given_a_subject_that_is_not_known_then_it_is_asked_by_hand_and_once_only() {
    let mut scene = Scene::open_v2(machine(), &["--mode", "auto", "--allow", "*"]);
    for (id, subject) in
        [(1, Value::Null), (2, json!({"type": "_spend", "amount": 5})), (3, json!({"type": "future"}))]
    {
        scene.agent_asks(id, "session/request_permission", &asks(&subject));
        let question = scene.editor.until("session/request_permission");
        assert_eq!(options(&question), ["once", "no"], "{subject}");
        if !subject.is_null() {
            assert_eq!(question["params"]["subject"], subject);
        }
        // An outcome that nobody knows allows nothing.
        scene.editor_answers(
            &question["id"],
            &json!({"outcome": {"outcome": "_approved", "optionId": "once"}}),
        );
        assert_eq!(outcome(&scene.agent.answer(id)), "no", "{subject}");
    }
    scene.agent_asks(9, "session/request_permission", &asks(&json!({"type": "_bad", "command": "rm -rf x"})));
    assert_eq!(outcome(&scene.agent.answer(9)), "no");
}

/// Attack 438: shapes of both versions in one request.
#[test]
fn given_shapes_of_both_versions_then_they_are_refused_or_judged_by_the_version_that_is_spoken() {
    let mut scene = Scene::open_v2(machine(), &["--mode", "auto"]);
    let mut both = wants("t", "ls");
    both["toolCall"] = json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": "rm -rf x"}});
    let old = crate::scene::wants("t", "ls");
    let mut two = wants("t", "ls");
    two["subject"]["command"] = json!("ls");
    let mut cased = wants("t", "ls");
    cased["Subject"] = json!({"type": "command", "command": "rm", "cwd": "/"});
    for (id, params) in [(1, both), (2, old), (3, two), (4, cased)] {
        scene.agent_asks(id, "session/request_permission", &params);
        assert_eq!(scene.agent.answer(id)["error"]["code"], -32602, "{params}");
    }
    // In version 1 a subject says nothing, and is not shown.
    let mut scene = Scene::open(machine(), &[]);
    let mut mixed = crate::scene::wants("t", "make");
    mixed["subject"] = json!({"type": "command", "command": "harmless", "cwd": "/"});
    scene.agent_asks(1, "session/request_permission", &mixed);
    let question = scene.editor.until("session/request_permission");
    assert!(!question.to_string().contains("harmless"), "{question}");
    scene.pick(&question, "no");
    scene.agent_asks(
        2,
        "session/request_permission",
        &asks(&json!({"type": "command", "command": "cargo test", "cwd": "/"})),
    );
    assert_eq!(scene.agent.answer(2)["error"]["code"], -32602);
}

/// A diff of version 2 is judged by all files that it and its patch name, and is shown.
#[test]
fn given_a_diff_of_version_two_then_each_file_of_it_and_of_its_patch_counts() {
    let mut scene = Scene::open_v2(machine(), &["--allow", "write(src/**)", "--deny", "write(**/secret)"]);
    let work = scene.machine.work();
    let diff = |changes: Value, patch: &str| {
        let item = json!({"type": "diff", "changes": changes.clone(), "patch": {"format": "git_patch", "text": patch}});
        asks(
            &json!({"type": "tool_call", "toolCall": {"toolCallId": format!("t{changes}{patch}"), "kind": "edit", "title": "Edit", "content": [item]}}),
        )
    };
    let patch = |file: &str| format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-a\n+b\n");
    let modify = |file: &str| json!({"operation": "modify", "path": work.join(file)});
    scene.agent_asks(1, "session/request_permission", &diff(json!([modify("src/a")]), &patch("src/a")));
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    scene.agent_asks(2, "session/request_permission", &diff(json!([modify("src/a"), modify("secret")]), ""));
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    scene.agent_asks(3, "session/request_permission", &diff(json!([modify("src/a")]), &patch("secret")));
    assert_eq!(outcome(&scene.agent.answer(3)), "no");
    let moved = json!([{"operation": "move", "oldPath": work.join("secret"), "path": work.join("src/b")}]);
    scene.agent_asks(4, "session/request_permission", &diff(moved, "x"));
    assert_eq!(outcome(&scene.agent.answer(4)), "no");
    let asked = diff(json!([modify("other")]), &patch("other"));
    scene.agent_asks(5, "session/request_permission", &asked);
    let question = scene.editor.until("session/request_permission");
    assert_eq!(question["params"]["subject"], asked["subject"]);
    assert!(question["params"]["title"].as_str().unwrap().ends_with("/other)"), "{question}");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(5)), "no");
}

/// `requires_action` stands behind the question that it is about, and before it where the agent has it so.
#[test]
fn given_an_agent_that_waits_then_its_state_and_its_question_keep_their_order() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.prompt("p", "go");
    scene.takes("p");
    for id in 1..=20 {
        let before = id % 2 == 0;
        if before {
            scene.agent_is("requires_action");
        }
        scene.agent_asks(id, "session/request_permission", &wants(&format!("t{id}"), &format!("make {id}")));
        if !before {
            scene.agent_is("requires_action");
        }
        let (first, second) = (scene.editor.next(), scene.editor.next());
        let (question, state) = if before { (second, first) } else { (first, second) };
        assert_eq!(state["params"]["update"]["state"], "requires_action", "{id}: {question}");
        scene.pick(&question, "no");
        scene.agent.answer(id);
        scene.agent_is("running");
        assert_eq!(scene.editor.next()["params"]["update"]["state"], "running");
    }
}

/// What the agent says of a call while that is asked about comes after the answer; a piece of content is such a word too.
#[test]
fn given_a_call_that_is_asked_about_then_pieces_of_its_content_wait_and_a_change_is_asked_anew() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.agent_asks(1, "session/request_permission", &wants("t", "make"));
    let first = scene.editor.until("session/request_permission");
    let piece = json!({"type": "diff", "changes": [{"operation": "delete", "path": "/etc/hosts"}]});
    scene.agent_tells(
        &json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", "content": piece}),
    );
    assert_eq!(scene.editor.next()["method"], "$/cancel_request");
    let second = scene.editor.next();
    assert_eq!(second["method"], "session/request_permission", "{second}");
    assert!(second["params"]["description"].as_str().unwrap().contains("/etc/hosts"), "{second}");
    assert_eq!(second["params"]["subject"]["toolCall"]["toolCallId"], "t");
    scene.pick(&first, "once");
    scene.nothing_for_agent();
    scene.pick(&second, "no");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene
        .editor
        .find(|message| message["params"]["update"]["sessionUpdate"] == "tool_call_content_chunk", "piece");
}

/// What ran without asking is told by upserts, and by terminals of the agent's own. Attack 441.
#[test]
fn given_what_ran_without_asking_then_upserts_and_terminals_tell_of_it() {
    for told in [
        vec![
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "kind": "execute", "rawInput": {"command": "rm -rf x"}}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": null, "status": "in_progress"}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "cancelled"}),
        ],
        vec![
            json!({"sessionUpdate": "terminal_update", "terminalId": "x", "command": "rm -rf x"}),
            json!({"sessionUpdate": "terminal_update", "terminalId": "x", "exitStatus": {"exitCode": 0}}),
        ],
        vec![
            json!({"sessionUpdate": "terminal_update", "terminalId": "x", "command": "rm -rf x"}),
            json!({"sessionUpdate": "terminal_update", "terminalId": "x", "command": "cargo test"}),
        ],
    ] {
        let mut scene = Scene::open_v2(machine(), &[]);
        scene.prompt("p", "go");
        scene.takes("p");
        for update in &told {
            scene.agent_tells(update);
        }
        assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
        scene.agent_tells(
            &json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "cancelled"}),
        );
        scene.record("unasked", 1);
        scene.editor_leaves();
        assert_eq!(scene.end().0, Some(7));
    }
}

/// A terminal that a tool call tells of is that call, whichever comes first.
#[test]
fn given_a_terminal_of_a_tool_call_then_it_is_judged_once() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.agent_tells(&ran("t", "make", "in_progress"));
    scene.agent_tells(&json!({"sessionUpdate": "terminal_update", "terminalId": "x", "command": "make"}));
    scene.agent_tells(
        &json!({"sessionUpdate": "terminal_update", "terminalId": "x", "exitStatus": {"exitCode": 0}}),
    );
    scene.agent_tells(&ran("t", "make", "completed"));
    scene.record("unasked", 1);
}

fn runs_in(scene: &mut Scene, terminal: &str, command: &str) {
    for more in [json!({"command": command}), json!({"exitStatus": {"exitCode": 0}})] {
        let mut update = json!({"sessionUpdate": "terminal_update", "terminalId": terminal});
        update.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        scene.agent_tells(&update);
    }
}

/// Attack 494: what was refused, or only announced, explains no terminal; neither does one approval explain two.
#[test]
fn given_a_terminal_then_only_a_call_that_is_under_way_or_one_approval_explains_it() {
    let working = || {
        let mut scene = Scene::open_v2(machine(), &[]);
        scene.prompt("p", "go");
        scene.takes("p");
        scene
    };
    let mut scene = working();
    scene.agent_asks(1, "session/request_permission", &wants("t", "rm -rf x"));
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    runs_in(&mut scene, "x", "rm -rf x");
    scene.agent.until("session/cancel");
    scene.record("unasked", 1);

    let mut scene = working();
    scene.agent_tells(&ran("t", "rm -rf x", "pending"));
    runs_in(&mut scene, "x", "rm -rf x");
    scene.agent.until("session/cancel");
    scene.record("unasked", 1);

    let mut scene = working();
    scene.agent_asks(1, "session/request_permission", &wants("t", "make"));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    for terminal in ["x", "y", "z"] {
        runs_in(&mut scene, terminal, "make");
    }
    scene.agent_tells(&ran("t", "make", "completed"));
    scene.record("unasked", 2);
}

/// Attack 442: an agent that says its work is over, so that what was refused is forgotten.
#[test]
fn given_a_refused_call_and_work_that_is_said_to_be_over_then_doing_it_is_told_all_the_same() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.prompt("p", "go");
    scene.takes("p");
    scene.agent_asks(1, "session/request_permission", &wants("t", "rm -rf x"));
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.agent_is("idle");
    scene.agent_is("running");
    scene
        .agent_tells(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}));
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
}

/// The same with what was approved as something else. Attack 442.
#[test]
fn given_an_approved_call_and_work_that_is_said_to_be_over_then_doing_another_thing_is_told_all_the_same() {
    let mut scene = Scene::open_v2(machine(), &[]);
    scene.prompt("p", "go");
    scene.takes("p");
    scene.agent_asks(1, "session/request_permission", &wants("t", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    scene.agent_is("idle");
    scene.agent_is("running");
    scene.agent_tells(&ran("t", "rm -rf x", "completed"));
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
    // What mayi says is a message of its own.
    let said = scene.editor.find(|message| message.to_string().contains("[mayi]"), "word of mayi's");
    assert!(said["params"]["update"]["messageId"].is_string(), "{said}");
}
