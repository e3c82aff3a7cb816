//! What mayi has no business with passes as it came.

use mayi_tests::endpoint::{BYTES, KEY};
use serde_json::{Value, json};

use crate::scene::{Scene, message, wants};

/// Issue: "passes everything through (SSE and JSON, headers, errors, unknown events)": to the byte.
#[test]
fn given_a_stream_that_asks_nothing_then_its_bytes_are_the_endpoints() {
    let scene = Scene::new(&[]);
    let got = scene.create(&json!({ "model": "m", "input": "bytes", "stream": true }));
    assert_eq!((got.status, got.body.as_str()), (200, BYTES));
    assert!(
        got.head.contains("x-request-id: req_1") && got.head.contains("text/event-stream; charset=utf-8")
    );
}

/// The same: the rest of the API, its errors, and headers in both directions. The app's key is mayi's and stays here; the
/// endpoint's is sent and never seen by the app.
#[test]
fn given_any_other_request_then_it_passes_with_its_headers_and_errors() {
    let scene = Scene::new(&[]);
    let headers =
        "openai-organization: org_1\r\nx-new: 1\r\ncookie: a=b\r\nconnection: x-hop\r\nx-hop: 1\r\n";
    let got = scene.send("GET", "/v1/models?limit=2", headers, "").end();
    let seen = &got.json()["seen"];
    assert_eq!((&seen["openai-organization"], &seen["x-new"]), (&json!("org_1"), &json!("1")));
    assert_eq!(seen["authorization"], format!("Bearer {KEY}"));
    assert_eq!((&seen["cookie"], &seen["x-hop"]), (&Value::Null, &Value::Null));
    assert!(!seen.to_string().contains(scene.token()));

    let wrong = scene.create(&json!({ "model": "m", "input": "hi", "nonsense": 1 }));
    assert_eq!(
        (wrong.status, &wrong.json()["error"]["message"]),
        (400, &json!("Unknown parameter: 'nonsense'."))
    );
    let missing = scene.send("GET", "/v1/responses/resp_none", "", "").end();
    assert_eq!(missing.status, 404);
    assert!(!format!("{wrong:?}{missing:?}").contains(KEY));
}

/// Seed 001, "Without approval": nothing is asked where nothing is called, streaming and not; a failed response stays one.
#[test]
fn given_a_response_without_calls_then_nobody_is_asked() {
    let scene = Scene::new(&[]);
    for stream in [true, false] {
        let got = scene.create(&wants(&json!("hello"), stream));
        let response = if stream { got.response() } else { got.json() };
        assert_eq!(message(&response), "You said: \"hello\"");
    }
    let got = scene.create(&json!({ "model": "m", "input": "fail", "stream": true }));
    assert_eq!(got.events().last().unwrap()["type"], "response.failed");
    assert!(scene.ran().is_empty() && scene.inbox().is_empty());
}
