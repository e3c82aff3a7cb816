//! `session/request_permission`: decided at once, or asked in the editor's own dialog.

use std::sync::Arc;

use mayi_core::approval::{ApprovalResponse, choice};
use mayi_core::gate::{Questions, RemoteQuestions};
use mayi_core::record::Redactor;
use mayi_core::store::{Options, SqliteStore};
use mayi_core::writer::EntryWriter;
use serde_json::json;

use crate::scene::{Scene, machine, options, outcome, wants};

/// Allowed and denied by policy at once. D6.26: mayi's own allow picks only `allow_once`.
#[test]
fn given_rules_then_the_agent_is_answered_at_once_and_the_editor_is_not_asked() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    scene.agent_wants(2, "b", "rm -rf x");
    let denied = scene.agent.answer(2);
    assert_eq!(outcome(&denied), "no");
    assert!(
        denied["result"]["_meta"]["mayi"]["denied"].as_str().unwrap().contains("denied by policy"),
        "{denied}"
    );
    scene.nothing_for_editor();
}

/// S4.12: the agent's allow-once first, nothing wider than the session; what is judged is what is shown.
#[test]
fn given_what_is_asked_about_then_the_editor_gets_the_agents_own_request_with_mayis_scopes() {
    let mut scene = Scene::open(machine(), &[]);
    let mut params = wants("t", "make all");
    params["toolCall"]["x-new"] = json!({"n": 1});
    params["x-new"] = json!(2);
    scene.agent_asks(1, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["once", "mayi-session", "no"]);
    assert_eq!(question["params"]["x-new"], 2);
    assert_eq!(question["params"]["toolCall"]["x-new"], json!({"n": 1}));
    let shown = question["params"]["toolCall"]["content"].to_string();
    assert!(shown.contains("shell(make all)") && shown.contains("default mode"), "{shown}");
    assert!(question["params"]["options"][1]["name"].as_str().unwrap().contains("shell(make all)"));
    scene.pick(&question, "mayi-session");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    // The same again is not asked about any more, another one is.
    scene.agent_wants(2, "u", "make all");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
    scene.agent_wants(3, "v", "make install");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(3)), "no");
}

/// S4.12: wider scopes than session only for clients that the user marked; D6: what is always asked
/// about can be allowed once.
#[test]
fn given_what_is_always_asked_about_then_only_once_is_offered_and_wider_scopes_need_a_mark() {
    let mut scene = Scene::puppet(machine(), "", &["--wide-scopes"]);
    scene.initialize();
    scene.session("s");
    scene.agent_wants(1, "a", "PATH=. make");
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question)[0], "once");
    assert!(!options(&question).iter().any(|option| option.starts_with("mayi-")), "{question}");
    scene.pick(&question, "no");
    scene.agent.answer(1);
    scene.agent_wants(2, "b", "cargo build");
    let question = scene.editor.until("session/request_permission");
    let ids = options(&question);
    assert!(ids.contains(&"mayi-user".to_owned()), "{ids:?}");
    scene.pick(&question, "mayi-user");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
    let written = std::fs::read_to_string(scene.machine.outside("config/mayi/config.toml")).unwrap();
    assert!(written.contains("cargo build"), "{written}");
}

/// Attack 399: what was not offered with just this question allows nothing, and neither does what is not understood.
#[test]
fn given_answers_that_were_not_offered_or_make_no_sense_then_nothing_is_allowed() {
    let mut scene = Scene::open(machine(), &[]);
    let answers = [
        json!({"outcome": {"outcome": "selected", "optionId": "always"}}),
        json!({"outcome": {"outcome": "selected", "optionId": "other"}}),
        json!({"outcome": {"outcome": "selected"}}),
        json!({"outcome": {"outcome": "approved", "optionId": "once"}}),
        json!({"outcome": {"outcome": "selected", "optionId": "no", "OptionId": "once"}}),
        json!({"outcome": "selected", "optionId": "once"}),
        json!({"Outcome": {"outcome": "selected", "optionId": "once"}}),
        json!(null),
        json!([]),
        json!("once"),
    ];
    for (number, answer) in answers.iter().enumerate() {
        scene.agent_wants(number, &format!("t{number}"), "make");
        let question = scene.editor.until("session/request_permission");
        scene.editor_answers(&question["id"], answer);
        assert_eq!(outcome(&scene.agent.answer(number)), "no", "{answer}");
    }
    scene.agent_wants(100, "e", "make");
    let question = scene.editor.until("session/request_permission");
    scene.says(json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "no such method"}}).to_string());
    assert_eq!(outcome(&scene.agent.answer(100)), "no");
    scene.agent_wants(101, "c", "make");
    let question = scene.editor.until("session/request_permission");
    scene.editor_answers(&question["id"], &json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(outcome(&scene.agent.answer(101)), "cancelled");
}

/// D6.28: mode switches are never picked by mayi; a person picks one by hand, and sees what it does.
#[test]
fn given_an_agent_that_asks_for_another_mode_then_its_own_options_are_offered_with_what_they_do() {
    let mut scene = Scene::open(machine(), &["--mode", "auto"]);
    let params = json!({
        "sessionId": "s",
        "toolCall": {"toolCallId": "t", "title": "Ready to code?", "kind": "switch_mode", "rawInput": {"plan": "p"}},
        "options": [
            {"optionId": "bypassPermissions", "name": "Yes, and bypass permissions", "kind": "allow_always"},
            {"optionId": "default", "name": "Yes, and ask", "kind": "allow_once"},
            {"optionId": "plan", "name": "No", "kind": "reject_once"},
        ],
    });
    scene.agent_asks(1, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["bypassPermissions", "default", "plan"]);
    assert!(question["params"]["options"][0]["name"].as_str().unwrap().contains("asks less"), "{question}");
    scene.pick(&question, "default");
    assert_eq!(outcome(&scene.agent.answer(1)), "default");
}

/// Options of one id, and kinds that nobody knows, are nobody's choice.
#[test]
fn given_options_of_one_id_or_of_an_unknown_kind_then_they_are_not_offered() {
    let mut scene = Scene::open(machine(), &[]);
    let mut params = wants("t", "make");
    params["options"] = json!([
        {"optionId": "x", "name": "Yes", "kind": "allow_once"},
        {"optionId": "x", "name": "No", "kind": "reject_once"},
        {"optionId": "f", "name": "Yes", "kind": "allow_forever"},
    ]);
    scene.agent_asks(1, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["mayi-deny"]);
    scene.pick(&question, "mayi-deny");
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
}

/// Both are asked and the first answer wins; the loser is withdrawn with `$/cancel_request`.
#[test]
fn given_an_answer_at_another_surface_then_the_editors_question_is_withdrawn_and_its_late_answer_is_void() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "t", "make all");
    let question = scene.editor.until("session/request_permission");
    let options = Options { limits: None, ..Options::default() };
    let store = SqliteStore::open(&scene.machine.outside("data/mayi"), options).unwrap();
    let remote =
        RemoteQuestions::new(Arc::new(store), Arc::new(EntryWriter::new([0; 0], Redactor::default())));
    let card = remote.waiting_cards().pop().unwrap();
    remote.answer(ApprovalResponse::pick(&card, choice::DENY), "inbox").unwrap();
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], question["id"]);
    scene.pick(&question, "once");
    scene.nothing_for_agent();
}

/// A person's cancel: all that waits is answered with that at once, also what comes until the turn has ended.
#[test]
fn given_a_cancelled_turn_then_all_that_waits_is_cancelled_at_once_and_late_answers_are_void() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "a", "make a");
    scene.agent_asks(
        2,
        "fs/write_text_file",
        &json!({"sessionId": "s", "path": scene.machine.work().join("f"), "content": "x"}),
    );
    let first = scene.editor.until("session/request_permission");
    scene.editor.until("session/request_permission");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    for _ in 0..2 {
        let answer = scene.agent.find(|message| message["id"] == 1 || message["id"] == 2, "answer");
        match answer["error"]["code"].as_i64() {
            Some(code) => assert_eq!((&answer["id"], code), (&json!(2), -32800)),
            None => assert_eq!((&answer["id"], &*outcome(&answer)), (&json!(1), "cancelled")),
        }
    }
    scene.editor.until("$/cancel_request");
    scene.pick(&first, "once");
    scene.agent_wants(3, "b", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(3)), "cancelled");
    scene.agent_answers("p", &json!({"stopReason": "cancelled"}));
    scene.editor.answer("p");
    scene.prompt("q", "again");
    scene.agent_wants(4, "c", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(4)), "once");
}

/// `$/cancel_request` is of one hop: the editor's of its prompt, the agent's of its question.
#[test]
fn given_a_request_that_is_withdrawn_then_its_question_is_too() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make a");
    let question = scene.editor.until("session/request_permission");
    scene.agent_says(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#);
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], question["id"]);
    scene.prompt("p", "go");
    scene.agent_wants(2, "b", "make b");
    scene.editor.until("session/request_permission");
    scene.tell("$/cancel_request", &json!({"requestId": "p"}));
    assert_eq!(outcome(&scene.agent.find(|message| message["id"] == 2, "answer")), "cancelled");
    // What nobody asked for is nobody's to withdraw.
    scene.agent_answers("p", &json!({"stopReason": "cancelled"}));
    scene.editor.answer("p");
    scene.tell("$/cancel_request", &json!({"requestId": "p"}));
    scene.editor_answers(&json!("nothing"), &json!({}));
    scene.says(r#"{"jsonrpc":"2.0","method":"_end","params":{}}"#);
    let rest = scene.agent.find(
        |message| {
            message["method"] == "_end"
                || message["params"]["requestId"] == "p" && message["method"] == "nothing"
        },
        "marker",
    );
    assert_eq!(rest["method"], "_end");
}

/// No person is awaited where messages are read: what the agent says goes on while a question waits.
#[test]
fn given_a_question_that_waits_then_updates_and_other_answers_pass() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make a");
    let question = scene.editor.until("session/request_permission");
    for number in 0..100 {
        scene.agent_tells(&json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": number.to_string()}}));
    }
    scene.agent_wants(2, "b", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
    for number in 0..100 {
        assert_eq!(scene.editor.next()["params"]["update"]["content"]["text"], number.to_string());
    }
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
}

/// A call that changes while its question is shown is another one: the old answer is void, and the new one is asked about.
#[test]
fn given_a_call_that_changes_under_its_question_then_it_is_asked_about_anew() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "t", "make a");
    let first = scene.editor.until("session/request_permission");
    scene.agent_tells(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": {"command": "make evil"}}));
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], first["id"]);
    let second = scene.editor.until("session/request_permission");
    assert!(second["params"]["toolCall"].to_string().contains("make evil"), "{second}");
    scene.pick(&first, "once");
    scene.nothing_for_agent();
    scene.pick(&second, "no");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
}

/// In version 1 the stable `name` of a tool call goes into rules and onto the card.
#[test]
fn given_the_stable_name_of_a_tool_then_rules_and_the_card_have_it() {
    let mut scene = Scene::open(machine(), &["--deny", "tool(wipe*)"]);
    let named = |call: &str, name: &str| {
        let mut params = wants(call, "");
        params["toolCall"] = json!({"toolCallId": call, "title": "Read files", "kind": "other", "name": name, "rawInput": {"x": 1}});
        params
    };
    scene.agent_asks(1, "session/request_permission", &named("a", "wipe_all"));
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.agent_asks(2, "session/request_permission", &named("b", "deploy"));
    let question = scene.editor.until("session/request_permission");
    let call = &question["params"]["toolCall"];
    assert_eq!(call["name"], "deploy");
    assert!(call["content"].to_string().contains("tool(deploy)"), "{call}");
    scene.pick(&question, "no");
    scene.agent.answer(2);
}

/// S2.13, attack 750: what only the input of an edit tells is a diff in the editor's dialog too, before the words of mayi's, and
/// what that does not say stands in them.
#[test]
fn given_an_edit_that_only_its_input_tells_then_the_editor_is_shown_a_diff() {
    for content in [json!([]), json!([{"type": "content", "content": {"type": "text", "text": "Edits it"}}])]
    {
        let mut scene = Scene::open(machine(), &[]);
        let path = scene.machine.work().join("a.js");
        let input = json!({"file_path": path, "old_string": "x", "new_string": "y", "then_run": "rm -rf /"});
        let mut asked = wants("t", "Edit");
        asked["toolCall"] = json!({"toolCallId": "t", "title": "Edit", "kind": "edit", "rawInput": input, "content": content});
        scene.agent_asks(1, "session/request_permission", &asked);
        let question = scene.editor.until("session/request_permission");
        let shown = question["params"]["toolCall"]["content"].as_array().unwrap().clone();
        let diffs: Vec<_> = shown.iter().filter(|item| item["type"] == "diff").collect();
        assert_eq!(diffs.len(), 1, "{question}");
        assert_eq!((&diffs[0]["oldText"], &diffs[0]["newText"]), (&json!("x"), &json!("y")));
        assert!(shown.iter().any(|item| item.to_string().contains("then_run")), "{question}");
        scene.pick(&question, "no");
    }
}
