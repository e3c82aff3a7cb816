//! A turn that was cancelled or stopped allows nothing, in the session that the editor has opened and in those of its sub-agents
//! (D6.22, S4.15). Attack 493.

use serde_json::{Value, json};

use crate::scene::{Scene, machine, outcome, wants};

fn of(session: &str, call: &str, command: &str) -> Value {
    let mut params = wants(call, command);
    params["sessionId"] = json!(session);
    params
}

fn ran(command: &str) -> Value {
    json!({"sessionUpdate": "tool_call", "toolCallId": command, "title": command, "kind": "execute", "rawInput": {"command": command}, "status": "completed"})
}

fn tells(scene: &mut Scene, session: &str, update: &Value) {
    let params = json!({"sessionId": session, "update": update});
    scene.agent_says(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string());
}

/// With a sub-agent's session `child`.
fn with_child() -> Scene {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_tells(&json!({"sessionUpdate": "subagent_update", "sessionId": "child"}));
    scene.editor.until("session/update");
    scene
}

/// The person cancels a sub-agent: the turn that it works in is cancelled with it, and the agent hears of both. Attack 493.
#[test]
fn given_a_sub_agent_that_the_person_cancels_then_its_turn_allows_nothing_until_it_has_ended() {
    let mut scene = with_child();
    scene.agent_asks(1, "session/request_permission", &of("child", "t", "make"));
    scene.editor.until("session/request_permission");
    scene.tell("session/cancel", &json!({"sessionId": "child"}));
    let mut told = [scene.agent.until("session/cancel"), scene.agent.until("session/cancel")]
        .map(|cancel| cancel["params"]["sessionId"].as_str().unwrap().to_owned());
    told.sort();
    assert_eq!(told, ["child", "s"]);
    for (id, session) in [(2, "child"), (3, "s")] {
        scene.agent_asks(id, "session/request_permission", &of(session, "u", "cargo test"));
        assert_eq!(outcome(&scene.agent.answer(id)), "cancelled", "{session}");
    }
    scene.agent_answers("p", &json!({"stopReason": "cancelled"}));
    scene.editor.answer("p");
    scene.prompt("q", "go on");
    scene.agent_asks(4, "session/request_permission", &of("child", "v", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(4)), "once");
}

/// Where no turn is under way, a cancel and a stop hold until the person prompts. Attack 493.
#[test]
fn given_a_cancel_or_a_stop_outside_of_a_turn_then_it_holds_until_the_person_prompts() {
    for stops in [false, true] {
        let mut scene = Scene::open(machine(), &[]);
        if stops {
            scene.agent_tells(&ran("rm -rf x"));
        } else {
            scene.tell("session/cancel", &json!({"sessionId": "s"}));
        }
        assert_eq!(scene.agent.until("session/cancel")["params"]["sessionId"], "s");
        scene.agent_wants(1, "t", "cargo test");
        assert_eq!(outcome(&scene.agent.answer(1)), "cancelled", "{stops}");
        scene.prompt("p", "go");
        scene.agent_wants(2, "u", "cargo test");
        assert_eq!(outcome(&scene.agent.answer(2)), "once", "{stops}");
        // What it does in the next turn stops that one.
        scene.agent_tells(&ran("rm -rf y"));
        scene.agent.until("session/cancel");
        scene.agent_wants(3, "v", "cargo test");
        assert_eq!(outcome(&scene.agent.answer(3)), "cancelled", "{stops}");
    }
}

/// Turns that overlap: the second one is stopped like the first. Attack 493.
#[test]
fn given_a_prompt_behind_a_stopped_one_then_its_turn_is_stopped_too() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    scene.agent_tells(&ran("rm -rf a"));
    scene.agent.until("session/cancel");
    scene.prompt("q", "go on");
    scene.agent_answers("p", &json!({"stopReason": "cancelled"}));
    scene.editor.answer("p");
    scene.agent_tells(&ran("rm -rf b"));
    scene.agent.until("session/cancel");
    scene.agent_wants(1, "t", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
}

/// A sub-agent that does what is denied: both sessions are cancelled, nothing is allowed in either, and an agent that goes on ends.
/// Attack 493.
#[test]
fn given_a_sub_agent_that_is_stopped_then_the_whole_turn_is_and_an_agent_that_goes_on_ends() {
    let mut scene = with_child();
    tells(&mut scene, "child", &ran("rm -rf x"));
    let told = [scene.agent.until("session/cancel"), scene.agent.until("session/cancel")]
        .map(|cancel| cancel["params"]["sessionId"].clone());
    assert_eq!(told, [json!("child"), json!("s")]);
    for (id, session) in [(1, "child"), (2, "s")] {
        scene.agent_asks(id, "session/request_permission", &of(session, "u", "cargo test"));
        assert_eq!(outcome(&scene.agent.answer(id)), "cancelled", "{session}");
    }
    assert_eq!(scene.end().0, Some(4));
    scene.machine.is_quiet();
}

/// What began without asking and was left so counts when the turn ends. Attack 493.
#[test]
fn given_a_call_that_is_in_progress_when_the_turn_ends_then_it_counts_as_what_ran() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "go");
    let mut begun = ran("rm -rf x");
    begun["status"] = json!("in_progress");
    scene.agent_tells(&begun);
    scene.agent_answers("p", &json!({"stopReason": "end_turn"}));
    scene.editor.answer("p");
    scene.agent.until("session/cancel");
    scene.record("unasked", 1);
}

/// The editor ends a sub-agent's session: the one that has started it goes on. Attack 500.
#[test]
fn given_a_sub_agents_session_that_is_closed_then_the_one_that_started_it_goes_on() {
    let mut scene = with_child();
    scene.ask("c", "session/close", &json!({"sessionId": "child"}));
    scene.agent.until("session/close");
    scene.agent_asks(1, "session/request_permission", &of("child", "t", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(1)), "cancelled");
    scene.agent_wants(2, "u", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(2)), "once");
    scene.agent_answers("c", &json!({}));
    scene.editor.answer("c");
    scene.agent_wants(3, "v", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
    scene.agent_asks(4, "session/request_permission", &of("child", "w", "cargo test"));
    assert_eq!(outcome(&scene.agent.answer(4)), "cancelled");
    scene.ask("q", "session/prompt", &json!({"sessionId": "s", "prompt": []}));
    scene.agent.until("session/prompt");
}

/// A card of mayi's own settles in the session in which it was asked.
#[test]
fn given_a_file_of_a_sub_agents_then_mayis_card_settles_in_its_session() {
    let mut scene = with_child();
    let path = scene.machine.work().join("a");
    scene.agent_asks(1, "fs/write_text_file", &json!({"sessionId": "child", "path": path, "content": "x"}));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    let settled = scene.editor.until("session/update");
    assert_eq!(settled["params"]["sessionId"], "child");
    let card = &question["params"]["toolCall"]["toolCallId"];
    assert_eq!(&settled["params"]["update"]["toolCallId"], card);
}

/// A sub-agent begins in its parent's mode of the agent's, and saying so is no change; saying another one is.
#[test]
fn given_a_sub_agent_that_tells_its_mode_then_only_another_one_than_its_parents_is_set_back() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "yolo", "name": "Yolo"}]});
    scene.session_with("s", &json!({"sessionId": "s", "modes": modes}));
    scene.agent_tells(&json!({"sessionUpdate": "subagent_update", "sessionId": "child"}));
    scene.editor.until("session/update");
    tells(&mut scene, "child", &json!({"sessionUpdate": "current_mode_update", "currentModeId": "ask"}));
    scene.editor.until("session/update");
    scene.nothing_for_agent();
    tells(&mut scene, "child", &json!({"sessionUpdate": "current_mode_update", "currentModeId": "yolo"}));
    let back = scene.agent.until("session/set_mode");
    assert_eq!(back["params"], json!({"sessionId": "child", "modeId": "ask"}));
}
