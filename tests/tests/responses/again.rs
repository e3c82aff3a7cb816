//! Clients that come back with the same request, and approvals of an app's own: one question, and nothing runs twice.

use mayi_tests::endpoint::Trouble;
use mayi_tests::{LIMIT, until};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::scene::{Scene, message, wants};

/// Waits until a tool has run.
#[track_caller]
fn ran(scene: &Scene) {
    until(LIMIT, || if scene.ran().is_empty() { Err("it has not run".to_owned()) } else { Ok(()) });
}

/// S6.12, attack 513: a client's own limit of time after an approval, and the same request again.
#[test]
fn given_a_client_that_gives_up_after_an_approval_then_its_retry_gets_that_answer() {
    let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
    scene.endpoint.trouble(Trouble::Waits);
    let body = wants(&json!([["search"]]), false);
    let first = scene.begin(&body);
    ran(&scene);
    first.abort();
    let again = scene.begin(&body);
    scene.endpoint.release();
    assert_eq!(message(&again.end().json()), "search ran");
    assert_eq!((scene.ran().len(), scene.endpoint.requests().len()), (1, 2));
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

/// A request with an approval of the app's own, which waits for a person.
fn own(scene: &Scene, stream: bool) -> Value {
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
        } else {
            reading.abort();
            reading = scene.begin(&body);
            assert_eq!(scene.waits(1)[0]["approvalId"], before[0]["approvalId"]);
        }
        scene.person("approve", "search");
        let got = reading.end();
        let response = if stream { got.response() } else { got.json() };
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
    for trouble in [Trouble::Status(429), Trouble::Status(500), Trouble::BreaksOff(3)] {
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
