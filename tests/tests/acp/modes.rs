//! The agent's own modes, where the agent changes them by itself.

use serde_json::{Value, json};

use crate::scene::{Scene, machine, options};

fn with_modes() -> Scene {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "yolo", "name": "Yolo"}]});
    scene.session_with("s", &json!({"sessionId": "s", "modes": modes}));
    scene
}

fn yolo() -> Value {
    json!({"sessionUpdate": "current_mode_update", "currentModeId": "yolo"})
}

/// An agent's own change of mode is recorded and set back until the person agrees. Attack 403.
#[test]
fn given_an_agent_that_goes_into_another_mode_by_itself_then_it_is_set_back_until_the_person_agrees() {
    let mut scene = with_modes();
    scene.prompt("p", "go");
    scene.agent_tells(&yolo());
    let back = scene.agent.until("session/set_mode");
    assert_eq!(back["params"], json!({"sessionId": "s", "modeId": "ask"}));
    scene.agent_answers(back["id"].clone(), &json!({}));
    scene.agent_tells(&json!({"sessionUpdate": "current_mode_update", "currentModeId": "ask"}));
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["mayi-switch", "mayi-stay"]);
    scene.pick(&question, "mayi-stay");
    // Until the answer is in, the question that waits is the one about any other such change.
    scene.editor.find(|message| message["params"]["update"]["status"] == "failed", "end of the question");
    scene.agent_tells(&yolo());
    let back = scene.agent.until("session/set_mode");
    assert_eq!(back["params"]["modeId"], "ask");
    scene.agent_answers(back["id"].clone(), &json!({}));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-switch");
    let there = scene.agent.until("session/set_mode");
    assert_eq!(there["params"]["modeId"], "yolo");
    scene.agent_answers(there["id"].clone(), &json!({}));
    let told = scene.editor.find(|message| message["params"]["update"] == yolo(), "mode");
    assert_eq!(told["params"]["sessionId"], "s");
    scene.record("unasked", 2);
}

/// "where it can't be set back, the turn is cancelled". Attack 403.
#[test]
fn given_a_mode_that_can_not_be_set_back_then_the_turn_is_cancelled_and_the_editor_hears_why() {
    let mut scene = with_modes();
    scene.prompt("p", "go");
    scene.agent_tells(&yolo());
    let back = scene.agent.until("session/set_mode");
    scene.agent_says(
        json!({"jsonrpc": "2.0", "id": back["id"], "error": {"code": -32601, "message": "no"}}).to_string(),
    );
    let said = scene.editor.until("session/update");
    assert!(said.to_string().contains("can't be set back"), "{said}");
    assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
    scene.agent_answers("p", &json!({"stopReason": "cancelled"}));
    scene.editor.answer("p");
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(7));
}

/// What the person sets in the editor is the person's choice, and is recorded as that.
#[test]
fn given_a_mode_that_the_person_sets_then_it_passes_and_stays() {
    let mut scene = with_modes();
    scene.ask(1, "session/set_mode", &json!({"sessionId": "s", "modeId": "yolo"}));
    scene.agent.until("session/set_mode");
    scene.agent_tells(&yolo());
    assert_eq!(scene.editor.next()["params"]["update"], yolo());
    scene.agent_answers(1, &json!({}));
    scene.editor.answer(1);
    let answered = scene.record("answered", 1);
    assert!(answered[0].to_string().contains("editor"), "{answered:?}");
}

/// The same for an option that could have the agent ask less; one for the model is none. Attack 403.
#[test]
fn given_an_option_that_the_agent_changes_by_itself_then_it_is_set_back_unless_it_is_for_the_model() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let list = |brave: bool, model: &str| {
        json!([
            {"id": "brave", "name": "Brave", "type": "boolean", "currentValue": brave},
            {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": model, "options": []},
        ])
    };
    scene.session_with("s", &json!({"sessionId": "s", "configOptions": list(false, "a")}));
    scene.agent_tells(&json!({"sessionUpdate": "config_option_update", "configOptions": list(false, "b")}));
    assert_eq!(scene.editor.next()["params"]["update"]["configOptions"][1]["currentValue"], "b");
    scene.agent_tells(&json!({"sessionUpdate": "config_option_update", "configOptions": list(true, "b")}));
    let back = scene.agent.until("session/set_config_option");
    assert_eq!(
        back["params"],
        json!({"sessionId": "s", "configId": "brave", "type": "boolean", "value": false})
    );
    scene.agent_answers(back["id"].clone(), &json!({"configOptions": list(false, "b")}));
    assert_eq!(scene.editor.next()["params"]["update"]["configOptions"][0]["currentValue"], false);
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-stay");
}

/// A known agent is put into the mode in which it asks before the editor hears of its session; one without it is not opened.
#[test]
fn given_an_agent_with_an_asking_mode_then_its_session_begins_there_or_not_at_all() {
    let mut scene = Scene::puppet(machine(), "asking_mode = \"ask\"\n", &[]);
    scene.initialize();
    let params = json!({"cwd": scene.machine.work(), "mcpServers": []});
    let modes = json!({"currentModeId": "yolo", "availableModes": [{"id": "ask"}, {"id": "yolo"}]});
    scene.ask("n", "session/new", &params);
    scene.agent.until("session/new");
    scene.agent_answers("n", &json!({"sessionId": "s", "modes": modes}));
    // What the agent says of it before the editor knows it waits until then.
    scene.agent_tells(&json!({"sessionUpdate": "available_commands_update", "availableCommands": []}));
    let set = scene.agent.until("session/set_mode");
    assert_eq!(set["params"]["modeId"], "ask");
    scene.agent_answers(set["id"].clone(), &json!({}));
    let answer = scene.editor.next();
    assert_eq!(answer["result"]["modes"]["currentModeId"], "ask", "{answer}");
    assert_eq!(scene.editor.next()["params"]["update"]["sessionUpdate"], "available_commands_update");
    scene.ask("m", "session/new", &params);
    scene.agent.until("session/new");
    scene.agent_answers(
        "m",
        &json!({"sessionId": "t", "modes": {"currentModeId": "yolo", "availableModes": [{"id": "yolo"}]}}),
    );
    assert!(scene.editor.answer("m")["error"]["message"].as_str().unwrap().contains("no mode `ask`"));
}

/// An option that is there only later is put where it would have been put when the session began.
#[test]
fn given_new_options_that_could_have_the_agent_ask_less_then_they_are_set_as_at_the_opening() {
    let mut scene = Scene::puppet(machine(), "asking_mode = \"ask\"\n", &[]);
    scene.initialize();
    let mode = |value: &str| json!({"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": value, "options": [{"value": "ask"}, {"value": "yolo"}]});
    scene.session_with("s", &json!({"sessionId": "s", "configOptions": [mode("ask")]}));
    let brave = |on: bool| json!({"id": "brave", "name": "Brave", "type": "boolean", "currentValue": on});
    let told = json!({"sessionUpdate": "config_option_update", "configOptions": [mode("ask"), brave(true)]});
    scene.agent_tells(&told);
    let back = scene.agent.until("session/set_config_option");
    assert_eq!(
        back["params"],
        json!({"sessionId": "s", "configId": "brave", "type": "boolean", "value": false})
    );
    scene.agent_answers(back["id"].clone(), &json!({"configOptions": [mode("ask"), brave(false)]}));
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["mayi-switch", "mayi-stay"]);
    scene.pick(&question, "mayi-stay");
    let other = |value: &str| json!({"id": "other", "name": "Other", "type": "select", "currentValue": value, "options": [{"group": "g", "name": "G", "options": [{"value": "yolo"}, {"value": "ask"}]}]});
    let told =
        json!({"sessionUpdate": "config_option_update", "configOptions": [mode("ask"), other("yolo")]});
    scene.agent_tells(&told);
    let back = scene.agent.until("session/set_config_option");
    assert_eq!(back["params"], json!({"sessionId": "s", "configId": "other", "value": "ask"}));
}
