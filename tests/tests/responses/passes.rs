//! What mayi has no business with passes as it came.

use mayi_tests::endpoint::{BYTES, KEY};
use serde_json::{Value, json};

use crate::scene::{Scene, message, wants};

/// Passes everything through (SSE and JSON, headers, errors, unknown events): to the byte.
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

/// Hosted shell or computer tools with their own safety checks: handled, or passed and named as ungated in the docs:
/// passed, and what the app acknowledges too.
#[test]
fn given_hosted_tools_with_checks_of_their_own_then_they_are_the_apps() {
    let scene = Scene::new(&[]);
    for stream in [true, false] {
        let got = scene.create(&json!({ "model": "m", "input": "computer", "stream": stream }));
        let response = if stream { got.response() } else { got.json() };
        let output = &response["output"];
        assert_eq!(output[0]["pending_safety_checks"][0]["id"], "cu_sc_1");
        assert_eq!(output[1]["action"]["commands"], json!(["ls"]));
        let acknowledged = json!({
            "type": "computer_call_output", "call_id": "call_1", "output": {"type": "computer_screenshot", "image_url": "x"},
            "acknowledged_safety_checks": output[0]["pending_safety_checks"],
        });
        let next = json!({ "model": "m", "input": [acknowledged], "previous_response_id": response["id"] });
        assert_eq!(scene.create(&next).status, 200);
        assert_eq!(scene.endpoint.requests().last().unwrap(), &next);
    }
    assert!(scene.inbox().is_empty());
}

/// `background` with its polling: the app fetches what it was given, approvals and all, streaming or not.
#[test]
fn given_a_background_response_then_the_app_polls_it_as_it_is() {
    let scene = Scene::new(&[]);
    for stream in [true, false] {
        let mut body = wants(&json!([["search"]]), stream);
        body["background"] = json!(true);
        let got = scene.create(&body);
        assert!(got.body.contains("mcp_approval_request"), "{got:?}");
        let id = got.body.split("\"id\":\"resp").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let polled = scene.send("GET", &format!("/v1/responses/resp{id}"), "", "").end().json();
        assert!(polled["output"].to_string().contains("mcp_approval_request"), "{polled}");
    }
    assert!(scene.inbox().is_empty() && scene.ran().is_empty());
}

/// Seed 1, "Without approval": nothing is asked where nothing is called, streaming and not; a failed response stays one.
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
