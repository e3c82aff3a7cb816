//! A client of the older era is asked by `elicitation/create`, and so can be a person elsewhere: the first answer counts.

use serde_json::{Value, json};

use crate::client::{Gateway, is_refused, ran};
use crate::scene::Scene;
use crate::state::{TRUSTED, allow};

/// Calls `echo`; returns its id and the question about it.
fn asked(gateway: &mut Gateway) -> (Value, Value) {
    let id = gateway.begin("echo", &json!({ "n": 1 }));
    let question = gateway.asked("elicitation/create");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("Run echo from rogue"), "{question}");
    (json!(id), question)
}

fn trusted(scene: &Scene) -> Gateway {
    scene.gateway(&["--agent", "bot"]).older()
}

/// Attack 15: scope once; a second answer to the same question, and one to a question that nobody asked.
#[test]
fn given_an_answer_that_allows_then_it_runs_once_and_is_asked_about_again() {
    let scene = Scene::new(TRUSTED);
    let mut gateway = trusted(&scene);
    let (id, question) = asked(&mut gateway);
    assert!(scene.ran().is_empty());
    gateway.reply(&question, &allow());
    ran(&gateway.answer(&id), "echo");
    let (id, again) = asked(&mut gateway);
    // Twice for the first question, once for none, and once under an id that only looks like it.
    gateway.reply(&question, &allow());
    gateway.reply(&json!({ "id": 424_242 }), &allow());
    gateway.reply(&json!({ "id": again["id"].to_string() }), &allow());
    gateway.rest();
    assert_eq!(scene.ran(), ["echo"]);
    gateway.reply(&again, &json!({ "action": "decline" }));
    gateway.reply(&again, &allow());
    is_refused(&gateway.answer(&id), "did not let this call");
    gateway.rest();
    assert_eq!(scene.ran(), ["echo"]);
    gateway.end();
}

/// What the model is told where a person said no, and where nobody did.
const NO: &str = "the user said no";
const DISMISSED: &str = "dismissed without an answer";

/// A form that is closed is no "no" of the user's. Attack 15: a client that accepts by itself, with the defaults of the form; errors; answers that are none.
#[test]
fn given_any_other_answer_then_it_is_denied() {
    let scene = Scene::new(TRUSTED);
    let mut gateway = trusted(&scene);
    for (said, why) in [
        (json!({ "action": "decline" }), NO),
        (json!({ "action": "cancel" }), DISMISSED),
        (json!({ "action": "accept", "content": { "answer": "deny" } }), NO),
        (json!({ "action": "accept", "content": {} }), DISMISSED),
        (json!({ "action": "accept" }), DISMISSED),
        (json!({}), DISMISSED),
        (json!([]), DISMISSED),
    ] {
        let (id, question) = asked(&mut gateway);
        gateway.reply(&question, &said);
        is_refused(&gateway.answer(&id), why);
    }
    let (id, question) = asked(&mut gateway);
    gateway.send(
        &json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -1, "message": "no" } })
            .to_string(),
    );
    is_refused(&gateway.answer(&id), "did not let this call");
    // Two readers would read it in two ways.
    for said in [
        r#"{"action":"decline","action":"accept","content":{"answer":"allow_once"}}"#,
        r#"{"action":"accept","content":{"answer":"deny","answer":"allow_once"}}"#,
    ] {
        let (id, question) = asked(&mut gateway);
        gateway.send(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{said}}}"#, question["id"]));
        is_refused(&gateway.answer(&id), "did not let this call");
    }
    assert!(scene.ran().is_empty());
}

/// A question whose call was given up is none any more: what comes later allows nothing, and nothing answers twice.
#[test]
fn given_a_call_that_is_cancelled_while_asked_then_a_late_answer_allows_nothing() {
    let scene = Scene::new(TRUSTED);
    let mut gateway = trusted(&scene);
    let (id, question) = asked(&mut gateway);
    scene.waits(1);
    gateway.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
            .to_string(),
    );
    scene.waits(0);
    gateway.reply(&question, &allow());
    let rest = gateway.rest();
    assert!(rest.iter().all(|message| message.get("id") != Some(&id)), "{rest:?}");
    scene.nothing_ran();
    gateway.end();
}

/// The client is gone while it is asked: the question goes with it.
#[test]
fn given_a_client_that_goes_while_it_is_asked_then_nothing_runs_and_nothing_waits() {
    let scene = Scene::new(TRUSTED);
    let mut gateway = trusted(&scene);
    asked(&mut gateway);
    scene.waits(1);
    gateway.end();
    scene.waits(0);
    scene.nothing_ran();
    scene.machine.is_quiet();
    // The same, killed: the question of a dead process is none.
    let mut gateway = trusted(&scene);
    asked(&mut gateway);
    scene.waits(1);
    drop(gateway);
    scene.waits(0);
    scene.nothing_ran();
}

/// S5.4: only where the user trusts that client to show it to a person.
#[test]
fn given_no_trust_then_the_client_is_not_asked_and_is_told_what_would_allow_it() {
    let scene = Scene::new(TRUSTED);
    let mut gateway = scene.gateway(&[]).older();
    let answer = gateway.call("echo", &json!({}));
    is_refused(&answer, "mayi inbox watch");
    is_refused(&answer, "allow = [");
    assert!(gateway.rest().is_empty());
    scene.nothing_ran();
}

/// A server that imitates mayi's question hears the answer itself, and nothing is approved by it; what it answers to
/// mayi's own question does not count.
#[test]
fn given_a_server_that_imitates_the_question_then_nothing_is_approved_by_it() {
    let scene = Scene::new(TRUSTED);
    let mut gateway = scene.gateway(&["--agent", "bot", "--allow", "mcp(rogue/imitate)"]).older();
    let id = gateway.begin("imitate", &json!({}));
    let theirs = gateway.asked("elicitation/create");
    ran(&gateway.answer(&json!(id)), "imitate");
    let (own, question) = asked(&mut gateway);
    gateway.reply(&theirs, &allow());
    gateway.rest();
    assert_eq!(scene.ran(), ["imitate"]);
    let heard = scene.lines("rogue");
    assert!(
        heard.iter().any(|line| line.contains(r#""id":"own""#) && line.contains("allow_once")),
        "{heard:?}"
    );
    gateway.reply(&question, &json!({ "action": "cancel" }));
    is_refused(&gateway.answer(&own), "did not let");
    assert_eq!(scene.ran(), ["imitate"]);
}
