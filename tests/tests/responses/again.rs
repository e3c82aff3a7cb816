//! Clients that come back with the same request, and approvals of an app's own: one question, and nothing runs twice.

use mayi_tests::endpoint::Trouble;
use mayi_tests::{LIMIT, until};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::scene::{Got, Scene, message, wants};

/// The response that an app got.
fn response(got: &Got, stream: bool) -> Value {
    if stream { got.response() } else { got.json() }
}

/// Waits until a tool has run.
#[track_caller]
fn ran(scene: &Scene) {
    until(LIMIT, || if scene.ran().is_empty() { Err("it has not run".to_owned()) } else { Ok(()) });
}

/// S6.12, attack 513: a client's own limit of time after an approval, and the same request again.
#[test]
fn given_a_client_that_gives_up_after_an_approval_then_its_retry_gets_that_answer() {
    for stream in [true, false] {
        let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
        scene.endpoint.trouble(Trouble::Waits);
        let body = wants(&json!([["search"]]), stream);
        let first = scene.begin(&body);
        ran(&scene);
        first.abort();
        let again = scene.begin(&body);
        scene.endpoint.release();
        assert_eq!(message(&response(&again.end(), stream)), "search ran");
        assert_eq!((scene.ran().len(), scene.endpoint.requests().len()), (1, 2));
        // What is asked afterwards is asked anew.
        assert_eq!(message(&response(&scene.create(&body), stream)), "search ran");
        assert_eq!(scene.ran().len(), 2);
    }
}

/// S6.12, attack 513: a stream that comes once more while the first one waits; both apps read all of it.
#[test]
fn given_a_stream_that_is_asked_for_while_the_same_waits_then_both_have_the_same_answer() {
    let scene = Scene::new(&[]);
    let body = wants(&json!([["search"]]), true);
    let mut both = vec![scene.begin(&body)];
    scene.waits(1);
    both.push(scene.begin(&body));
    for reading in &mut both {
        reading.until("response.created");
    }
    assert_eq!((scene.waits(1).len(), scene.endpoint.requests().len()), (1, 1));
    scene.person("approve", "search");
    let got: Vec<Value> = both.into_iter().map(|reading| reading.end().response()).collect();
    assert_eq!(got[0], got[1]);
    assert_eq!((message(&got[0]).as_str(), scene.ran().len()), ("search ran", 1));
    scene.waits(0);
}

/// S6.12, attack 513: the same request twice at once.
#[test]
fn given_the_same_request_twice_at_once_then_there_is_one_question() {
    let scene = Scene::new(&[]);
    let body = wants(&json!([["search"]]), false);
    let both = [scene.begin(&body), scene.begin(&body)];
    scene.waits(1);
    // Either the later one joined at once, or it had a response made before it did.
    assert!((1..=2).contains(&scene.endpoint.requests().len()));
    scene.person("approve", "search");
    for reading in both {
        assert_eq!(message(&reading.end().json()), "search ran");
    }
    assert_eq!(scene.ran().len(), 1);
    scene.waits(0);
}

/// S6.12: what was cancelled is nobody's answer to what is asked afterwards. Attack 513.
#[test]
fn given_a_stream_that_is_cancelled_when_its_app_is_gone_then_the_next_one_is_asked_about_anew() {
    let scene = Scene::new(&[]);
    let body = wants(&json!([["search"]]), true);
    let mut first = scene.begin(&body);
    let before = scene.waits(1);
    first.until("response.created");
    first.until("\n\n");
    let id = first.response_id();
    first.abort();
    assert_eq!(scene.send("POST", &format!("/v1/responses/{id}/cancel"), "", "").end().status, 200);
    let next = scene.begin(&body);
    until(LIMIT, || match scene.inbox().as_slice() {
        [card] if card["approvalId"] != before[0]["approvalId"] => Ok(()),
        cards => Err(format!("{cards:?}")),
    });
    scene.person("approve", "search");
    assert_eq!(message(&next.end().response()), "search ran");
}

/// A request with an approval of the app's own, which waits for a person.
pub(crate) fn own(scene: &Scene, stream: bool) -> Value {
    let mut body = wants(&json!([["search"]]), false);
    body["background"] = json!(true);
    let first = scene.create(&body).json();
    let asked =
        first["output"].as_array().unwrap().iter().find(|item| item["type"] == "mcp_approval_request");
    let mut body = wants(&json!(""), stream);
    body["input"] = json!([{ "type": "mcp_approval_response", "approval_request_id": asked.unwrap()["id"], "approve": true }]);
    body["previous_response_id"] = first["id"].clone();
    body
}

/// S6.12: an approval of the app's own waits as any other: the stream has begun, a retry joins, SIGTERM is told. Attack 513.
#[test]
fn given_an_approval_of_the_apps_own_then_it_waits_as_any_other() {
    for stream in [true, false] {
        let mut scene = Scene::new(&[]);
        let body = own(&scene, stream);
        let mut reading = scene.begin(&body);
        let before = scene.waits(1);
        if stream {
            reading.until("text/event-stream");
        }
        reading.abort();
        reading = scene.begin(&body);
        if stream {
            reading.until("text/event-stream");
        }
        assert_eq!(scene.waits(1)[0]["approvalId"], before[0]["approvalId"]);
        scene.person("approve", "search");
        let response = response(&reading.end(), stream);
        assert_eq!((message(&response).as_str(), scene.ran().len()), ("search ran", 1));

        let body = own(&scene, stream);
        let mut reading = scene.begin(&body);
        scene.waits(1);
        if stream {
            reading.until("text/event-stream");
        }
        assert_eq!(scene.signal(Signal::TERM).code(), Some(130));
        let got = reading.end();
        assert!(got.body.contains("mayi_ended"), "{got:?}");
        assert_eq!(scene.ran().len(), 1);
    }
}

/// S6.7, attack 511: once an approval of the app's own was sent, an error tells as little as any other.
#[test]
fn given_an_error_after_an_approval_of_the_apps_own_then_the_outcome_is_unknown() {
    for trouble in [Trouble::Status(408), Trouble::Status(500), Trouble::BreaksOff(3)] {
        for stream in [true, false] {
            let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
            let body = own(&scene, stream);
            scene.endpoint.trouble(trouble.clone());
            let got = scene.create(&body);
            assert!(got.body.contains("mayi_outcome_unknown"), "{trouble:?} {got:?}");
            if got.status != 200 {
                assert!(got.status == 502 && got.head.contains("x-should-retry: false"), "{got:?}");
            }
            assert_eq!(scene.endpoint.requests().len(), 2);
            scene.recorded("the outcome is unknown");
        }
    }
}
