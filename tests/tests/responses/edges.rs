//! The edge cases that seed document and issue list, each under its name.

use serde_json::{Value, json};

use crate::scene::{Scene, answers, message, wants};
use mayi_tests::endpoint::Trouble;

/// "Multiple pending approvals: User may need to approve multiple tool calls": all at once on cards, answered together.
#[test]
fn multiple_pending_approvals() {
    let scene = Scene::new(&[]);
    let reading = scene.begin(&wants(&json!([["search", "read", "write"]]), true));
    scene.waits(3);
    scene.person("approve", "read");
    scene.person("deny", "search");
    scene.waits(1);
    // Nothing runs before all of them are answered.
    assert!(scene.ran().is_empty());
    scene.person("approve", "write");
    assert_eq!(message(&reading.end().response()), "search was not approved, read ran, write ran");
    assert_eq!(scene.ran(), ["read", "write"]);
    assert_eq!(scene.endpoint.requests().len(), 2);
}

/// "approvals in parallel responses": each answer has its own.
#[test]
fn approvals_in_parallel_responses() {
    let scene = Scene::new(&[]);
    let first = scene.begin(&wants(&json!([["search"]]), true));
    let second = scene.begin(&wants(&json!([["read"]]), false));
    scene.waits(2);
    scene.person("deny", "search");
    scene.person("approve", "read");
    assert_eq!(message(&first.end().response()), "search was not approved");
    assert_eq!(message(&second.end().json()), "read ran");
    assert_eq!(scene.ran(), ["read"]);
}

/// "Approval timeout: Consider if approvals should expire": with a limit they do, into a denial.
#[test]
fn approval_timeout() {
    let scene = Scene::new(&["--approval-timeout", "200ms"]);
    let got = scene.create(&wants(&json!([["search"]]), true));
    assert_eq!(message(&got.response()), "search was not approved");
    assert!(scene.endpoint.requests()[1]["input"][0]["reason"].as_str().unwrap().contains("in time"));
    assert!(scene.ran().is_empty());
}

/// "Abort during approval: Handle if user stops streaming while approval is pending": the question goes, nothing is told
/// to the endpoint.
#[test]
fn abort_during_approval() {
    let scene = Scene::new(&[]);
    let mut reading = scene.begin(&wants(&json!([["search"]]), true));
    reading.until("response.in_progress");
    scene.waits(1);
    reading.abort();
    scene.waits(0);
    assert_eq!(scene.endpoint.requests().len(), 1);
    assert!(scene.ran().is_empty());
}

/// "the person aborts while pending (the app's connection closes, or `cancel`)": the card goes, and the app gets its answer.
#[test]
fn cancel_while_an_approval_waits() {
    for stream in [true, false] {
        let scene = Scene::new(&[]);
        let reading = scene.begin(&wants(&json!([["search"]]), stream));
        scene.waits(1);
        let id = scene.endpoint.last().unwrap();
        let cancelled = scene.send("POST", &format!("/v1/responses/{id}/cancel"), "", "").end();
        let got = reading.end();
        let response = if stream {
            let last = got.events().last().unwrap().clone();
            // An event that the official clients know: they have none for an answer that was cancelled.
            assert_eq!(last["type"], "response.incomplete", "{got:?}");
            assert_eq!(last["response"]["status"], "incomplete", "{got:?}");
            assert!(got.body.contains("event: response.incomplete"), "{got:?}");
            let mut response = last["response"].clone();
            response["status"] = json!("cancelled");
            response
        } else {
            got.json()
        };
        assert_eq!((&response["id"], &response["status"]), (&json!(id), &json!("cancelled")));
        assert!(!response.to_string().contains("mcp_approval_request"), "{response}");
        assert_eq!((cancelled.status, cancelled.json()), (200, response));
        scene.waits(0);
        assert_eq!((scene.ran().len(), scene.endpoint.requests().len()), (0, 1));
        // What does not wait is the endpoint's to cancel.
        assert_eq!(scene.send("POST", &format!("/v1/responses/{id}/cancel"), "", "").end().status, 404);
        let mut next = wants(&json!("next"), false);
        next["previous_response_id"] = json!(id);
        assert_eq!(message(&scene.create(&next).json()), "You said: \"next\"");
    }
}

/// After `mayi_outcome_unknown` the app goes on as it likes: nothing is kept of what it was told.
#[test]
fn going_on_after_an_outcome_that_is_unknown() {
    for stream in [true, false] {
        let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
        scene.endpoint.trouble(Trouble::BreaksOff(3));
        let body = wants(&json!([["search"]]), stream);
        assert!(scene.create(&body).body.contains("mayi_outcome_unknown"));
        let got = scene.create(&body);
        let response = if stream { got.response() } else { got.json() };
        assert_eq!((message(&response).as_str(), scene.ran().len()), ("search ran", 2));
        let mut next = wants(&json!("next"), false);
        next["previous_response_id"] = response["id"].clone();
        assert_eq!(message(&scene.create(&next).json()), "You said: \"next\"");
    }
}

/// A client's own retry (same body, same key) joins the waiting card, and never makes a second one.
#[test]
fn retry_joins_the_card_that_waits() {
    for stream in [true, false] {
        let scene = Scene::new(&[]);
        let body = wants(&json!([["search"]]), stream);
        let first = scene.begin(&body);
        let before = scene.waits(1);
        first.abort();
        let again = scene.begin(&body);
        let after = scene.waits(1);
        assert_eq!(before[0]["approvalId"], after[0]["approvalId"]);
        scene.person("approve", "search");
        let got = again.end();
        let response = if stream { got.response() } else { got.json() };
        assert_eq!(message(&response), "search ran");
        assert_eq!((scene.ran(), scene.endpoint.requests().len()), (vec!["search".to_owned()], 2));
        // Whoever gives up and does not come back has nobody's answer.
        let gone = scene.begin(&body);
        scene.waits(1);
        gone.abort();
        scene.waits(0);
    }
}

/// "Error after approval: Handle API errors gracefully, allow retry": sent again without asking again where nothing in it was
/// approved.
#[test]
fn error_after_a_denial_is_retried() {
    for stream in [true, false] {
        let scene = Scene::new(&["--deny", "mcp(docs/*)"]);
        scene.endpoint.trouble(Trouble::Status(429));
        let got = scene.create(&wants(&json!([["search"]]), stream));
        let response = if stream { got.response() } else { got.json() };
        assert_eq!(message(&response), "search was not approved");
        assert_eq!((scene.ran().len(), scene.endpoint.requests().len()), (0, 3));
        scene.endpoint.trouble(Trouble::Status(404));
        let refused = scene.create(&wants(&json!([["search"]]), false));
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (404, &json!("mayi_not_run")));
    }
}

/// Endpoints need not say which approval it was that a call ran by: it is the one that was approved in just these words. Any other
/// ran unasked.
#[test]
fn approval_of_a_call_that_names_none_is_found_by_what_ran() {
    for (arguments, unasked) in [("{ \"q\": 1 }", false), ("{\"q\":2}", true)] {
        let response = |item: Value| json!({ "id": "resp_1", "object": "response", "status": "completed", "output": [item] });
        let asks = response(json!({
            "id": "mcpr_1", "type": "mcp_approval_request", "server_label": "docs", "name": "search", "arguments": "{\"q\":1}",
        }));
        let ran = response(json!({
            "id": "mcp_1", "type": "mcp_call", "server_label": "docs", "name": "search", "arguments": arguments, "output": "x",
        }));
        let (at, served) =
            answers([asks, ran].map(|answer| ("application/json", answer.to_string())).into_iter().collect());
        let scene = Scene::before(&at, &["--allow", "mcp(docs/*)"]);
        let got = scene.create(&wants(&json!([["search"]]), false));
        assert_eq!(got.json()["output"][0]["type"], "mcp_call", "{got:?}");
        served.join().unwrap();
        scene.recorded(if unasked { "unasked" } else { "completed" });
        assert_eq!(scene.said().contains("without having been asked about"), unasked, "{}", scene.said());
    }
}

/// The same where there was no connection to send the approval on: it is certain that nothing ran. Attack 511.
#[test]
fn error_after_approval_that_could_not_be_sent_is_told_as_one() {
    let asks = json!({
        "id": "resp_1", "object": "response", "status": "completed", "output": [{
            "id": "mcpr_1", "type": "mcp_approval_request", "server_label": "docs", "name": "search", "arguments": "{}",
        }],
    });
    let (at, served) = answers(vec![("application/json", asks.to_string())]);
    let scene = Scene::before(&at, &["--allow", "mcp(docs/*)"]);
    let got = scene.create(&wants(&json!([["search"]]), false));
    served.join().unwrap();
    assert_eq!((got.status, &got.json()["error"]["code"]), (502, &json!("mayi_not_run")), "{got:?}");
    scene.recorded("it was never run");
}

/// The same: "else the app is told that the outcome is unknown", and no client sends it again by itself. Attack 16. Attack 511.
/// Attack 775.
#[test]
fn error_after_approval_whose_outcome_is_unknown_is_told() {
    for (trouble, ran) in [
        (Trouble::Status(500), 0),
        // A status is no evidence that nothing ran, but for 429, and for 503 that says when to come back: what stands between
        // may say 503 of itself behind what it has passed on.
        (Trouble::Status(503), 0),
        (Trouble::Full(503, Some(("x-should-retry", "false"))), 0),
        (Trouble::Status(408), 0),
        (Trouble::Status(404), 0),
        (Trouble::BreaksOff(3), 1),
        (Trouble::EndsEarly, 1),
    ] {
        for stream in [true, false] {
            let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
            scene.endpoint.trouble(trouble.clone());
            let got = scene.create(&wants(&json!([["search"]]), stream));
            let error = if stream {
                let last = got.events().last().unwrap().clone();
                assert_eq!(last["type"], "error", "{got:?}");
                last["error"].clone()
            } else {
                assert_eq!(got.status, 502, "{got:?}");
                assert!(got.head.contains("x-should-retry: false"), "{got:?}");
                got.json()["error"].clone()
            };
            assert_eq!(error["code"], "mayi_outcome_unknown", "{trouble:?} {error}");
            assert_eq!((scene.ran().len(), scene.endpoint.requests().len()), (ran, 2));
            // What the events have told is known, though the app did not get its answer.
            let told = stream && matches!(trouble, Trouble::EndsEarly);
            scene.recorded(if told { "completed" } else { "the outcome is unknown" });
        }
    }
}

/// S6.7, attack 775: an endpoint that says that it is full has not run anything. What was approved is sent again when it says, and
/// runs once; nobody is asked again.
#[test]
fn error_after_approval_that_says_when_to_come_back_is_retried() {
    let full = |status, name, value| Trouble::Full(status, Some((name, value)));
    let soon = [
        vec![full(429, "retry-after", "0")],
        vec![Trouble::Full(429, None)],
        vec![full(503, "retry-after", "0.05"), full(429, "retry-after-ms", "20")],
        vec![full(503, "retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")],
        vec![full(503, "x-should-retry", "true")],
    ];
    for troubles in soon {
        for stream in [true, false] {
            let scene = Scene::new(&[]);
            troubles.iter().for_each(|trouble| scene.endpoint.trouble(trouble.clone()));
            let reading = scene.begin(&wants(&json!([["search"]]), stream));
            scene.waits(1);
            scene.person("approve", "search");
            let got = reading.end();
            let response = if stream { got.response() } else { got.json() };
            assert_eq!((message(&response).as_str(), scene.ran().len()), ("search ran", 1), "{troubles:?}");
            assert_eq!(scene.endpoint.requests().len(), 2 + troubles.len());
            scene.waits(0);
        }
    }
}

/// S6.7, attack 775: where the endpoint stays full, or wants the app to come back itself, the app is told with that status that
/// nothing ran, so that official clients come back; what they send then is asked about anew.
#[test]
fn error_after_approval_that_stays_is_told_as_one_to_be_retried() {
    let full = |status, after| Trouble::Full(status, after);
    for (troubles, status, after, again) in [
        (vec![full(429, Some(("retry-after", "3600")))], 429, Some("3600"), true),
        (vec![full(503, Some(("retry-after", "3600")))], 503, Some("3600"), true),
        (vec![full(429, Some(("x-should-retry", "false")))], 429, None, false),
        (vec![full(429, Some(("retry-after", "0"))); 4], 429, Some("0"), true),
    ] {
        for own in [false, true] {
            let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
            let body =
                if own { crate::again::own(&scene, false) } else { wants(&json!([["search"]]), false) };
            let before = scene.endpoint.requests().len();
            troubles.iter().for_each(|trouble| scene.endpoint.trouble(trouble.clone()));
            let got = scene.create(&body);
            let error = got.json()["error"].clone();
            assert_eq!(
                (got.status, &error["code"]),
                (status, &json!("mayi_not_run")),
                "{troubles:?} {got:?}"
            );
            assert_eq!(got.head.contains("x-should-retry: false"), !again, "{got:?}");
            let says = after.map(|after| format!("retry-after: {after}"));
            assert!(says.is_none_or(|says| got.head.contains(&says)), "{got:?}");
            let sent = scene.endpoint.requests().len() - before;
            assert_eq!((sent, scene.ran().len()), (troubles.len() + usize::from(!own), 0));
            scene.recorded("it was never run");
            assert_eq!(message(&scene.create(&body).json()), "search ran", "the app comes back");
            assert_eq!(scene.ran().len(), 1);
        }
        let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
        troubles.iter().for_each(|trouble| scene.endpoint.trouble(trouble.clone()));
        let got = scene.create(&wants(&json!([["search"]]), true));
        let last = got.events().last().unwrap().clone();
        assert_eq!((&last["type"], &last["error"]["code"]), (&json!("error"), &json!("mayi_not_run")));
    }
}

/// "Conversation chain: Properly maintain `previous_response_id` through approval flow": from the id that the app saw, through
/// a restart, and looked at and deleted as one response.
#[test]
fn conversation_chain() {
    let mut scene = Scene::new(&["--allow", "mcp(docs/search)", "--deny", "mcp(docs/read)"]);
    let first = scene.create(&wants(&json!([["search"], ["read"]]), true)).response();
    let requests = scene.endpoint.requests();
    let last = requests[2]["previous_response_id"].clone();
    assert_ne!(last, first["id"]);
    scene.restart();
    for stream in [true, false] {
        let mut body = wants(&json!("next"), stream);
        body["previous_response_id"] = first["id"].clone();
        let got = scene.create(&body);
        let second = if stream { got.response() } else { got.json() };
        // The endpoint goes on from its last response, and the app from what it said.
        assert_eq!(second["previous_response_id"], first["id"]);
        let sent = scene.endpoint.requests().last().unwrap()["previous_response_id"].clone();
        assert!(sent != first["id"] && sent != last, "{sent}");
        if stream {
            assert_eq!(got.events()[0]["response"]["previous_response_id"], first["id"]);
        }
    }
    let path = format!("/v1/responses/{}", first["id"].as_str().unwrap());
    let seen = scene.send("GET", &path, "", "").end().json();
    assert_eq!(
        (&seen["id"], &seen["output"], &seen["usage"]),
        (&first["id"], &first["output"], &first["usage"])
    );
    let deleted = scene.send("DELETE", &path, "", "").end().json();
    assert_eq!((&deleted["id"], &deleted["deleted"]), (&first["id"], &json!(true)));
    assert_eq!(
        scene.send("GET", &format!("/v1/responses/{}", last.as_str().unwrap()), "", "").end().status,
        404
    );
}

/// Seed 1, after a denial: "Consider resetting `previous_response_id` to start fresh" (`--reset-on-deny`).
#[test]
fn denial_with_a_fresh_chain() {
    for stream in [true, false] {
        let scene =
            Scene::new(&["--allow", "mcp(docs/search)", "--deny", "mcp(docs/read)", "--reset-on-deny"]);
        let got = scene.create(&wants(&json!([["search", "read"]]), stream));
        let first = if stream { got.response() } else { got.json() };
        assert_eq!(first["status"], "completed");
        assert!(!first.to_string().contains("mcp_approval_request"));
        assert_eq!((scene.ran().len(), scene.endpoint.requests().len()), (0, 1));
        let mut body = wants(&json!("next"), false);
        body["previous_response_id"] = first["id"].clone();
        assert_eq!(message(&scene.create(&body).json()), "You said: \"next\"");
        assert_eq!(scene.endpoint.requests()[1]["previous_response_id"], Value::Null);
    }
}

/// The same in a conversation, which has the question in it: there the model is told, and goes on.
#[test]
fn denial_in_a_conversation_begins_nothing_anew() {
    let scene = Scene::new(&["--deny", "mcp(docs/*)", "--reset-on-deny"]);
    let mut body = wants(&json!([["search"]]), false);
    body["conversation"] = json!("conv_1");
    assert_eq!(message(&scene.create(&body).json()), "search was not approved");
    let mut next = wants(&json!("next"), false);
    next["conversation"] = json!("conv_1");
    assert_eq!(message(&scene.create(&next).json()), "You said: \"next\"");
}

/// Caps become what is left of them. Where nothing is left, nobody is asked for what could not go on.
#[test]
fn limits_of_the_app() {
    for stream in [true, false] {
        let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
        let mut body = wants(&json!([["search"], ["read"]]), stream);
        body["max_output_tokens"] = json!(22);
        body["max_tool_calls"] = json!(5);
        let got = scene.create(&body);
        let response = if stream {
            let last = got.events().last().unwrap().clone();
            assert_eq!(last["type"], "response.incomplete");
            last["response"].clone()
        } else {
            got.json()
        };
        assert_eq!(response["status"], "incomplete");
        assert_eq!(response["incomplete_details"]["reason"], "max_output_tokens");
        assert_eq!(response["max_output_tokens"], 22);
        assert_eq!(scene.endpoint.requests()[1]["max_output_tokens"], 17);
        assert_eq!(scene.ran(), ["search"]);

        let mut body = wants(&json!([["search"], ["read"]]), stream);
        body["max_tool_calls"] = json!(1);
        let got = scene.create(&body);
        let response = if stream { got.response() } else { got.json() };
        assert_eq!(message(&response), "read was not approved");
        assert_eq!(scene.ran(), ["search", "search"]);
    }
}
