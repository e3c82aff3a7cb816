//! What people have asked of others that show permission requests of this protocol, and where those broke: each issue of theirs as
//! a law here. `docs/acp.md` lists those that can't be put as one.

use std::sync::Arc;

use mayi_core::approval::{ApprovalResponse, choice};
use mayi_core::gate::{Questions, RemoteQuestions};
use mayi_core::record::Redactor;
use mayi_core::store::{Options, SqliteStore};
use mayi_core::writer::EntryWriter;
use mayi_tests::Machine;
use serde_json::{Value, json};

use crate::scene::{Scene, machine, options, outcome, wants};

const PUPPET: &str = env!("CARGO_BIN_EXE_puppet_agent");

/// Another surface of mayi's, in a process of its own.
fn elsewhere(scene: &Scene) -> RemoteQuestions {
    let options = Options { limits: None, ..Options::default() };
    let store = SqliteStore::open(&scene.machine.outside("data/mayi"), options).unwrap();
    RemoteQuestions::new(Arc::new(store), Arc::new(EntryWriter::new([0; 0], Redactor::default())))
}

/// Ends a scene, and keeps its machine for the next one.
fn again(mut scene: Scene) -> Machine {
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
    std::fs::remove_file(scene.machine.outside("socket")).unwrap();
    std::mem::take(&mut scene.machine)
}

/// deepchat#1881: after a cancel, the agent hung on a permission that nobody answered any more.
#[test]
fn given_a_turn_that_is_cancelled_under_a_question_then_the_agent_is_answered_and_the_next_turn_goes_on() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "a", "make a");
    let question = scene.editor.until("session/request_permission");
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], question["id"]);
    scene.agent_answers("p", &json!({"stopReason": "cancelled"}));
    scene.editor.answer("p");
    scene.prompt("q", "again");
    scene.agent_wants(2, "b", "make b");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
}

/// factory-factory#1337: a limit of five minutes took away the questions of who was not at the desk.
#[test]
fn given_no_limit_then_a_question_in_the_editor_has_none() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make a");
    let question = scene.editor.until("session/request_permission");
    let card = elsewhere(&scene).waiting_cards().pop().unwrap();
    assert!(card.expires_at.is_none(), "{card:?}");
    scene.pick(&question, "no");
    scene.agent.answer(1);
}

/// hermes#88611: a person said yes to a diff that was still shown after its time was over. The issue of
/// selfdrivingwiki, #606, wants the limit.
#[test]
fn given_a_limit_then_a_question_is_taken_back_when_it_is_over_and_a_late_yes_is_void() {
    let mut scene = Scene::open(machine(), &["--approval-timeout", "300ms"]);
    scene.agent_wants(1, "a", "make a");
    let question = scene.editor.until("session/request_permission");
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], question["id"]);
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.pick(&question, "once");
    scene.nothing_for_agent();
}

/// chatcli#1307: the model is told that nobody answered; agenthub#555: an option that rejects, not `cancelled`, which many
/// agents take for the end of the turn.
#[test]
fn given_nobody_who_answers_then_the_agent_gets_its_own_reject_and_hears_that_nobody_did() {
    let mut scene = Scene::open(machine(), &["--approval-timeout", "300ms"]);
    scene.agent_wants(1, "a", "make a");
    let answer = scene.agent.answer(1);
    assert_eq!(outcome(&answer), "no", "{answer}");
    assert_eq!(answer["result"]["_meta"]["mayi"]["unanswered"], true, "{answer}");
    scene.nothing_for_agent();
}

/// qwen-code#5260: a limit of 3,000,000 seconds overflowed, and was one millisecond.
#[test]
fn given_a_limit_longer_than_timers_count_then_it_is_no_short_one() {
    for limit in ["3000000s", "100000h", "9000000000000000s"] {
        let mut scene = Scene::open(machine(), &["--approval-timeout", limit]);
        scene.agent_wants(1, "a", "make a");
        let question = scene.editor.until("session/request_permission");
        // Longer than any timer that was cut short: a whole exchange in both directions.
        for _ in 0..200 {
            scene.nothing_for_editor();
            scene.nothing_for_agent();
        }
        scene.pick(&question, "once");
        assert_eq!(outcome(&scene.agent.answer(1)), "once", "{limit}");
    }
}

/// OpenACP#226: "always" was not remembered; opencode#10753: it was never written.
#[test]
fn given_always_then_it_is_written_and_the_next_process_does_not_ask() {
    let mut scene = Scene::puppet(machine(), "", &["--wide-scopes"]);
    scene.initialize();
    scene.session("s");
    scene.agent_wants(1, "a", "cargo build");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-user");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    let machine = again(scene);
    let mut scene = Scene::named_with(machine, &["puppet"]);
    scene.initialize();
    scene.session("s");
    scene.agent_wants(2, "b", "cargo build");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
    scene.nothing_for_editor();
}

/// open-science#62 and #315: what an answer is kept by. An answer is about this command, and not about its kind.
#[test]
fn given_an_answer_for_the_session_then_it_is_about_the_command_and_not_about_its_kind() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make all");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-session");
    scene.agent.answer(1);
    for (id, command) in
        ["make install", "make all; make install", "make", "sh -c 'make all'"].iter().enumerate()
    {
        let id = id + 10;
        scene.agent_wants(id, &format!("t{id}"), command);
        let question = scene.editor.until("session/request_permission");
        scene.pick(&question, "no");
        assert_eq!(outcome(&scene.agent.answer(id)), "no", "{command}");
    }
}

/// opencode#9554: "always" for one agent was one for all of them.
#[test]
fn given_always_in_a_session_of_one_agent_then_another_agent_is_asked_about() {
    let machine = machine();
    let socket = machine.outside_text("socket");
    let agent = |name: &str| format!("[agents.{name}]\ncommand = [{PUPPET:?}, {socket:?}]\n");
    let machine = machine.user(&format!("version = 1\n{}{}", agent("one"), agent("two")));
    let mut scene = Scene::named_with(machine, &["--wide-scopes", "one"]);
    scene.initialize();
    scene.session("s");
    scene.agent_wants(1, "a", "make all");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-workspace");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    let machine = again(scene);
    let mut scene = Scene::named_with(machine, &["two"]);
    scene.initialize();
    scene.session("s");
    scene.agent_wants(2, "b", "make all");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    let machine = again(scene);
    let mut scene = Scene::named_with(machine, &["one"]);
    scene.initialize();
    scene.session("s");
    scene.agent_wants(3, "c", "make all");
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
}

/// opencode#48351: what is permitted differs from session to session.
#[test]
fn given_two_sessions_then_each_has_permissions_of_its_own() {
    let mut scene = Scene::open(machine(), &[]);
    scene.session("other");
    scene.ask(
        1,
        "session/set_config_option",
        &json!({"sessionId": "other", "configId": "mayi-permissions", "value": "plan"}),
    );
    scene.editor.answer(1);
    let mut params = wants("t", "cargo test");
    params["sessionId"] = json!("other");
    scene.agent_asks(2, "session/request_permission", &params);
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    scene.agent_wants(3, "t", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
}

/// fountain#999: nobody knew what "always" grants. zed#60427: or where it is kept.
#[test]
fn given_an_answer_for_longer_then_its_name_says_what_it_grants_and_the_record_where_it_is_kept() {
    let mut scene = Scene::puppet(machine(), "", &["--wide-scopes"]);
    scene.initialize();
    scene.session("s");
    scene.agent_wants(1, "a", "cargo build");
    let question = scene.editor.until("session/request_permission");
    let lasting = question["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|option| option["kind"] == "allow_always");
    let names: Vec<&str> = lasting.map(|option| option["name"].as_str().unwrap()).collect();
    // The agent's own: what it grants, the agent knows.
    let says = |name: &&str| name.contains("cargo build") || name.contains("where mayi can't see it");
    assert!(names.len() >= 4 && names.iter().all(says), "{names:?}");
    let user = question["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .find(|option| option["optionId"] == "mayi-user")
        .unwrap();
    let pattern = user["name"].as_str().unwrap().trim_start_matches("Always: ").to_owned();
    scene.pick(&question, "mayi-user");
    scene.agent.answer(1);
    let file = scene.machine.outside("config/mayi/config.toml");
    assert!(std::fs::read_to_string(&file).unwrap().contains(&pattern), "{pattern}");
    let granted = scene.record("answered", 1)[0]["detail"]["granted"].to_string();
    assert!(granted.contains(&format!("{pattern} (user)")), "{granted}");
}

/// fountain#939: the answer was a constant that threw away what the request said; #645: governance as a proxy.
#[test]
fn given_three_calls_of_one_turn_then_each_is_decided_by_what_it_is() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_wants(1, "a", "cargo test");
    scene.agent_wants(2, "b", "rm -rf x");
    scene.agent_wants(3, "c", "make");
    assert_eq!(outcome(&scene.agent.find(|message| message["id"] == 1, "answer")), "once");
    assert_eq!(outcome(&scene.agent.find(|message| message["id"] == 2, "answer")), "no");
    let question = scene.editor.until("session/request_permission");
    assert_eq!(question["params"]["toolCall"]["toolCallId"], "c");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(3)), "no");
}

/// spyc#57: a view of what was approved, and a log of it.
#[test]
fn given_answers_then_the_record_has_what_was_asked_who_answered_and_how() {
    let mut scene = Scene::open(machine(), &[]);
    for (id, option) in [(1, "once"), (2, "no")] {
        scene.agent_wants(id, &format!("t{id}"), &format!("make {option}"));
        let question = scene.editor.until("session/request_permission");
        scene.pick(&question, option);
        scene.agent.answer(id);
    }
    scene.editor_leaves();
    scene.end();
    let record = scene.record("answered", 2);
    let answered: Vec<String> =
        record.iter().filter(|entry| entry["kind"] == "answered").map(Value::to_string).collect();
    assert_eq!(answered.len(), 2, "{answered:?}");
    assert!(answered.iter().all(|entry| entry.contains("editor")), "{answered:?}");
    let all = scene.machine.mayi(["log", "--json"]).end().exits(0).text();
    assert!(all.contains("make once") && all.contains("make no"), "{all}");
}

/// repowire#216: a request reaches every surface that a person looks at, with what it is, where, and the
/// options; a decision at any of them counts.
#[test]
fn given_a_question_in_the_editor_then_the_inbox_has_it_too_and_can_answer_it() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make all");
    let question = scene.editor.until("session/request_permission");
    let listed = scene.machine.mayi(["inbox", "list", "--json"]).end().exits(0).lines().pop().unwrap();
    let text = listed.to_string();
    assert!(text.contains("make all") && text.contains(scene.machine.work().to_str().unwrap()), "{text}");
    let card = elsewhere(&scene).waiting_cards().pop().unwrap();
    elsewhere(&scene).answer(ApprovalResponse::pick(&card, choice::ALLOW_ONCE), "inbox").unwrap();
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], question["id"]);
}

/// kimi-code#3106: the command was cut after 50 characters, before what mattered.
#[test]
fn given_a_long_command_then_the_whole_of_it_is_shown() {
    let mut scene = Scene::open(machine(), &[]);
    let command = format!("make {} && make deploy-to-production", "target ".repeat(500));
    scene.agent_wants(1, "a", &command);
    let question = scene.editor.until("session/request_permission");
    assert_eq!(question["params"]["toolCall"]["rawInput"]["command"], command);
    let shown = question["params"]["toolCall"]["content"].to_string();
    assert!(shown.contains("deploy-to-production"), "{shown}");
    scene.pick(&question, "no");
    scene.agent.answer(1);
}

/// ai-gateway#2073: an approval is bound to the arguments that it was given for.
#[test]
fn given_an_approval_then_it_covers_these_arguments_and_no_others() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "t", "make a");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "once");
    scene.agent.answer(1);
    scene.agent_asks(2, "terminal/create", &json!({"sessionId": "s", "command": "make", "args": ["b"]}));
    let question = scene.editor.until("session/request_permission");
    assert!(question.to_string().contains("make b"), "{question}");
    scene.pick(&question, "mayi-deny");
    assert_eq!(scene.agent.answer(2)["error"]["code"], -32003);
}

/// The same and to the policy that it was asked under. A rule that forbids it meanwhile counts.
#[test]
fn given_a_rule_that_is_written_while_a_question_waits_then_a_yes_does_not_go_against_it() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "t", "make a");
    let question = scene.editor.until("session/request_permission");
    scene.machine.configuration(
        "config/mayi/config.toml",
        "version = 1\n[rules]\ndeny = [\"shell(make *)\", \"shell(rm *)\"]\n",
    );
    mayi_tests::until(mayi_tests::LIMIT, || {
        let log = scene.log();
        if log.contains("the configuration has changed") { Ok(()) } else { Err(log) }
    });
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
}

/// goose#11640 and #10699: modes of one name that mean different things on the two sides.
#[test]
fn given_an_agent_with_modes_of_the_names_of_mayis_then_neither_changes_the_other() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let mode = |id: &str| json!({"id": id, "name": id});
    let modes =
        json!({"currentModeId": "default", "availableModes": [mode("plan"), mode("default"), mode("auto")]});
    scene.session_with("s", &json!({"sessionId": "s", "modes": modes}));
    scene.ask(1, "session/set_mode", &json!({"sessionId": "s", "modeId": "auto"}));
    scene.agent.until("session/set_mode");
    scene.agent_answers(1, &json!({}));
    scene.editor.answer(1);
    scene.agent_wants(2, "t", "make");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "no");
    scene.agent.answer(2);
    scene.ask(
        3,
        "session/set_config_option",
        &json!({"sessionId": "s", "configId": "mayi-permissions", "value": "plan"}),
    );
    scene.editor.answer(3);
    scene.nothing_for_agent();
}

/// oh-my-pi#1189 (#1190 belongs to it): the request for permission says less than the tool call did, and editors showed nothing.
#[test]
fn given_a_request_that_names_only_its_call_then_the_question_has_what_was_told_of_that_call() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_tells(&json!({
        "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Build it", "kind": "execute", "status": "pending",
        "rawInput": {"command": "make all"},
    }));
    let mut params = wants("t", "");
    params["toolCall"] = json!({"toolCallId": "t"});
    scene.agent_asks(1, "session/request_permission", &params);
    let call = scene.editor.until("session/request_permission")["params"]["toolCall"].clone();
    assert_eq!((&call["kind"], &call["title"]), (&json!("execute"), &json!("shell(make all)")), "{call}");
    assert_eq!(call["rawInput"]["command"], "make all");
    let said = call["content"].to_string();
    assert!(said.contains("shell(make all)") && said.contains("The agent says: Build it"), "{call}");
}

/// kit#191: `"deny"` in a file was still read, and meant "allow" from then on.
#[test]
fn given_a_setting_that_is_not_understood_then_nothing_is_allowed_by_the_rest() {
    for file in [
        "[rules]\ndeny = \"shell(rm *)\"\n",
        "[[rule]]\neffect = \"denied\"\npattern = \"shell(rm *)\"\n",
        "permissions = \"deny\"\n",
        "mode = \"deny\"\n",
    ] {
        let ended = machine().user(&format!("version = 1\n{file}")).mayi(["acp", "--", "true"]).end();
        assert_eq!(ended.code, Some(3), "{file}: {ended}");
    }
    // The folder's own settings are read when a session is opened in it: all is asked about there, also what the user allows.
    let machine = machine();
    let folder = machine.outside("folder");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join(".mayi.toml"),
        "version = 1\n[[rule]]\neffect = \"denied\"\npattern = \"shell(rm *)\"\n",
    )
    .unwrap();
    let mut scene = Scene::begin(machine, &[]);
    scene.initialize();
    scene.ask("n", "session/new", &json!({"cwd": folder, "mcpServers": []}));
    scene.agent.until("session/new");
    scene.agent_answers("n", &json!({"sessionId": "s"}));
    scene.editor.answer("n");
    scene.agent_wants(1, "a", "cargo test");
    let question = scene.editor.until("session/request_permission");
    assert!(question.to_string().contains("was not understood"), "{question}");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
}

/// Kilo#6803 and #14277: a view that was not told of an answer elsewhere went on showing its question.
#[test]
fn given_two_questions_and_an_answer_elsewhere_then_just_that_one_is_taken_back() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "a", "make a");
    scene.agent_wants(2, "b", "make b");
    let first = scene.editor.until("session/request_permission");
    let second = scene.editor.until("session/request_permission");
    let remote = elsewhere(&scene);
    let card = remote
        .waiting_cards()
        .into_iter()
        .find(|card| card.tool_call.tool_call_id.as_deref() == Some("a"))
        .unwrap();
    remote.answer(ApprovalResponse::pick(&card, choice::DENY), "inbox").unwrap();
    assert_eq!(scene.editor.until("$/cancel_request")["params"]["requestId"], first["id"]);
    assert_eq!(outcome(&scene.agent.answer(1)), "no");
    scene.nothing_for_editor();
    scene.pick(&second, "once");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
}

/// omnigent#5051, of the facts on option lists: "always" of three widths and a bypass, all of one kind. None of them is
/// picked or offered by mayi.
#[test]
fn given_options_of_one_kind_and_of_many_widths_then_none_but_the_narrowest_goes_back() {
    let mut scene = Scene::open(machine(), &[]);
    let kinds = [
        ("allow_once", "allow_once"),
        ("allow_session", "allow_always"),
        ("allow_always", "allow_always"),
        ("allow_always_global", "allow_always"),
        ("switch_bypass", "allow_always"),
        ("reject_once", "reject_once"),
    ];
    let list: Vec<Value> =
        kinds.iter().rev().map(|(id, kind)| json!({"optionId": id, "name": id, "kind": kind})).collect();
    for (id, command) in [(1, "cargo test"), (2, "make")] {
        let mut params = wants(&format!("t{id}"), command);
        params["options"] = json!(list);
        scene.agent_asks(id, "session/request_permission", &params);
    }
    assert_eq!(outcome(&scene.agent.answer(1)), "allow_once");
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["allow_once", "mayi-session", "reject_once"]);
    scene.pick(&question, "mayi-session");
    assert_eq!(outcome(&scene.agent.answer(2)), "allow_once");
}
