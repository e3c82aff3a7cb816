//! mayi's own option in the editor, beside the agent's.

use serde_json::{Value, json};

use crate::scene::{Scene, machine, outcome};

fn own(options: &Value) -> Value {
    options.as_array().unwrap().iter().find(|option| option["name"] == "Permissions").unwrap().clone()
}

fn set(scene: &mut Scene, id: u64, option: &str, value: &str) {
    scene.ask(
        id,
        "session/set_config_option",
        &json!({"sessionId": "s", "configId": option, "value": value}),
    );
}

/// The config option \Permissions: Plan / Default / Auto\" in the editor"; the model is told with the next prompt.
#[test]
fn given_the_permissions_of_a_session_then_the_person_sets_them_and_the_agent_hears_only_of_the_mode() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let answer = scene.session("s");
    let option = own(&answer["result"]["configOptions"]);
    assert_eq!(option["currentValue"], "default");
    let values: Vec<&Value> =
        option["options"].as_array().unwrap().iter().map(|choice| &choice["value"]).collect();
    assert_eq!(values, ["plan", "default", "auto"]);
    set(&mut scene, 1, "mayi-permissions", "plan");
    assert_eq!(own(&scene.editor.answer(1)["result"]["configOptions"])["currentValue"], "plan");
    scene.nothing_for_agent();
    scene.agent_wants(2, "t", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
    let prompt = scene.prompt("p", "hello");
    assert!(prompt.to_string().contains("Mode: plan"), "{prompt}");
    scene.agent_answers("p", &json!({"stopReason": "end_turn"}));
    scene.editor.answer("p");
    set(&mut scene, 3, "mayi-permissions", "auto");
    scene.editor.answer(3);
    scene.agent_wants(4, "u", "make");
    assert_eq!(outcome(&scene.agent.answer(4)), "once");
    assert!(scene.prompt("q", "more").to_string().contains("Mode: auto"));
    set(&mut scene, 5, "mayi-permissions", "bypass");
    assert_eq!(scene.editor.answer(5)["error"]["code"], -32602);
}

/// Attack 407: an agent with an option under the name of mayi's. The agent's stays the agent's.
#[test]
fn given_an_agent_with_an_option_of_the_same_id_then_both_are_there_and_each_is_its_own() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let theirs = json!({"id": "mayi-permissions", "name": "Model", "category": "model", "type": "select", "currentValue": "plan", "options": [{"value": "plan", "name": "P"}], "x": 1.5});
    let answer = scene.session_with("s", &json!({"sessionId": "s", "configOptions": [theirs]}));
    let options = &answer["result"]["configOptions"];
    assert_eq!(options[0], theirs);
    let id = own(options)["id"].as_str().unwrap().to_owned();
    assert_ne!(id, "mayi-permissions");
    set(&mut scene, 1, "mayi-permissions", "plan");
    scene.agent.until("session/set_config_option");
    scene.agent_answers(1, &json!({"configOptions": [theirs]}));
    assert_eq!(own(&scene.editor.answer(1)["result"]["configOptions"])["currentValue"], "default");
    set(&mut scene, 2, &id, "plan");
    assert_eq!(own(&scene.editor.answer(2)["result"]["configOptions"])["currentValue"], "plan");
    scene.nothing_for_agent();
    // What the agent says of its options later comes with mayi's too.
    scene.agent_tells(&json!({"sessionUpdate": "config_option_update", "configOptions": [theirs]}));
    let told = scene.editor.until("session/update");
    assert_eq!(own(&told["params"]["update"]["configOptions"])["currentValue"], "plan");
}

/// Editors look at nothing but options once there are any: modes of the agent's stay within reach.
#[test]
fn given_an_agent_with_modes_alone_then_they_are_an_option_too() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]});
    let answer = scene.session_with("s", &json!({"sessionId": "s", "modes": modes}));
    assert_eq!(answer["result"]["modes"], modes);
    let mirror = answer["result"]["configOptions"][0].clone();
    assert_eq!((&mirror["category"], &mirror["currentValue"]), (&json!("mode"), &json!("ask")));
    set(&mut scene, 1, mirror["id"].as_str().unwrap(), "code");
    let asked = scene.agent.until("session/set_mode");
    assert_eq!(asked["params"], json!({"sessionId": "s", "modeId": "code"}));
    scene.agent_answers(asked["id"].clone(), &json!({}));
    assert_eq!(scene.editor.answer(1)["result"]["configOptions"][0]["currentValue"], "code");
}

/// A managed file's lock holds in the editor too: here, a rule against a mode of the agent's.
#[test]
fn given_a_rule_against_a_mode_of_the_agents_then_the_editor_can_not_set_it_either() {
    let mut scene = Scene::open(machine(), &["--deny", "mode(yolo)"]);
    scene.ask(1, "session/set_mode", &json!({"sessionId": "s", "modeId": "yolo"}));
    assert_eq!(scene.editor.answer(1)["error"]["code"], -32003);
    scene.nothing_for_agent();
    let line = json!({"jsonrpc": "2.0", "id": 2, "method": "session/set_mode", "params": {"sessionId": "s", "modeId": "code"}}).to_string();
    scene.says(&line);
    assert_eq!(scene.agent.line(), line);
}

/// D3.24: `[acp]` is never a repository's to set: version 1 is spoken, the person hears why, and what a rule of theirs allows is asked
/// about as long as the file is there.
#[test]
fn given_a_repository_that_sets_the_version_of_the_protocol_then_it_is_not_followed() {
    let machine = machine().file(".mayi.toml", "version = 1\n[acp]\nprotocol_v2 = true\n");
    let mut scene = Scene::begin(machine, &[]);
    scene.ask(1, "initialize", &json!({"protocolVersion": 2, "clientCapabilities": {}}));
    assert_eq!(scene.agent.until("initialize")["params"]["protocolVersion"], 1);
    scene.agent_answers(1, &json!({"protocolVersion": 1}));
    scene.editor.answer(1);
    scene.session("s");
    scene.agent_wants(2, "t", "cargo test");
    let question = scene.editor.until("session/request_permission");
    assert!(question.to_string().contains(".mayi.toml"), "{question}");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer(2)), "no");
}
