//! What is made to be slow or large, from one session: the others go on.

use std::collections::BTreeSet;

use mayi_tests::heavy::Input;
use mayi_tests::random::Random;
use serde_json::{Value, json};

use crate::scene::{Scene, machine, outcome, wants};

/// Fewer than are shown at once.
const MANY: u64 = 60;

/// D2.40. Attack 731.
#[test]
fn given_calls_that_are_made_to_be_slow_or_large_then_each_is_settled_once_and_the_other_session_goes_on() {
    let mut scene = Scene::open(machine(), &[]);
    scene.session("other");
    scene.prompt("prompt", "do it");
    let (mut random, work) = (Random(7_311), scene.machine.work());
    for id in 0..MANY {
        let mut params = wants("", "");
        params["toolCall"] = Input::any(&mut random).acp(&format!("call-{id}"), &work);
        scene.agent_asks(id, "session/request_permission", &params);
    }
    let mut params = wants("innocent", "cargo test");
    params["sessionId"] = json!("other");
    scene.agent_asks(MANY, "session/request_permission", &params);
    let mut left: BTreeSet<u64> = (0..=MANY).collect();
    until_answered(&scene, &mut left, |left| !left.contains(&MANY));
    // What waits for the person is settled with the turn.
    scene.tell("session/cancel", &json!({"sessionId": "s"}));
    until_answered(&scene, &mut left, BTreeSet::is_empty);
}

/// Takes answers of the agent's until it is over; none is there twice.
fn until_answered(scene: &Scene, left: &mut BTreeSet<u64>, over: impl Fn(&BTreeSet<u64>) -> bool) {
    while !over(left) {
        let is_answer = |message: &Value| message["id"].is_u64() && message.get("method").is_none();
        let answer = scene.agent.find(is_answer, "answer");
        let id = answer["id"].as_u64().unwrap();
        assert!(left.remove(&id), "{id} is answered twice");
        if id == MANY {
            assert_eq!(outcome(&answer), "once");
        }
    }
}
