//! Approve and deny, streaming and not: the app sees one answer.

use serde_json::{Value, json};

use crate::scene::{Got, Scene, message, server, wants};

fn response(got: &Got, stream: bool) -> Value {
    if stream { got.response() } else { got.json() }
}

/// Seed 1, "Approval": "The API executes the tool call; streaming continues with tool results and model's response". The
/// endpoint is told `approve: true` with the id of the response that asked and the same tools.
#[test]
fn given_a_call_that_a_person_approves_then_the_app_sees_one_answer() {
    for stream in [true, false] {
        let scene = Scene::new(&[]);
        let reading = scene.begin(&wants(&json!([["search"]]), stream));
        let [card] = <[Value; 1]>::try_from(scene.waits(1)).unwrap();
        // The card: server, tool, arguments, and where the server is; nothing of its credential.
        assert_eq!(card["toolCall"]["title"], "docs/search");
        assert_eq!(card["toolCall"]["rawInput"], json!({ "query": "what search is about" }));
        assert_eq!(card["server"]["name"], "docs");
        assert_eq!(card["tool"]["description"], "searchs documents");
        assert!(
            card.to_string().contains("https://docs.example/mcp") && !card.to_string().contains("secret-of")
        );
        assert!(scene.ran().is_empty());
        scene.person("approve", "search");
        let got = reading.end();
        let response = response(&got, stream);
        assert_eq!(message(&response), "search ran");
        assert_eq!(scene.ran(), ["search"]);
        // All of the usage, and what the app asked for.
        assert_eq!(response["usage"]["total_tokens"], 30);
        assert_eq!(response["usage"]["output_tokens_details"]["reasoning_tokens"], 4);
        assert_eq!(response["previous_response_id"], Value::Null);
        assert!(response["output"].as_array().unwrap().iter().any(|item| item["type"] == "mcp_call"));
        assert!(!got.body.contains("mcp_approval_request"));
        let [first, second] = <[Value; 2]>::try_from(scene.endpoint.requests()).unwrap();
        assert_eq!(second["previous_response_id"], response["id"]);
        assert_eq!((&second["tools"], &second["instructions"]), (&first["tools"], &first["instructions"]));
        let answer = &second["input"][0];
        assert_eq!((second["input"].as_array().unwrap().len(), &answer["approve"]), (1, &json!(true)));
    }
}

/// Seed 1, "Denial": "The tool call is not executed; the model receives context that the tool was denied; Model may respond".
#[test]
fn given_a_call_that_a_person_denies_then_the_model_goes_on_without_it() {
    for stream in [true, false] {
        let scene = Scene::new(&[]);
        let reading = scene.begin(&wants(&json!([["search"]]), stream));
        scene.waits(1);
        scene.person("deny", "search");
        let got = reading.end();
        assert_eq!(message(&response(&got, stream)), "search was not approved");
        assert!(scene.ran().is_empty());
        let sent = scene.endpoint.requests();
        let answer = &sent[1]["input"][0];
        assert_eq!(answer["approve"], false);
        assert!(answer["reason"].as_str().unwrap().contains("nothing was run"), "{answer}");
    }
}

/// Rules decide without anybody, and the reason of a denial reaches the model; several rounds are one answer.
#[test]
fn given_rules_then_nobody_is_asked_and_rounds_go_on() {
    for stream in [true, false] {
        let scene = Scene::new(&[
            "--allow",
            "mcp(docs/search)",
            "--allow",
            "mcp(docs/read)",
            "--deny",
            "mcp(docs/write)",
        ]);
        let rounds = json!([["search"], ["read", "write"], ["broken"]]);
        let mut body = wants(&rounds, stream);
        body["tools"][0]["require_approval"] = json!("never");
        body["tool_choice"] = json!("required");
        let got = scene.begin(&body);
        // A tool that no rule allows is asked about, whatever the app wants.
        scene.waits(1);
        scene.person("approve", "broken");
        let got = got.end();
        let response = response(&got, stream);
        assert_eq!(message(&response), "broken ran");
        assert_eq!(scene.ran(), ["search", "read", "broken"]);
        assert!(scene.endpoint.ran().iter().all(|call| call["approved"] == true));
        assert_eq!(response["usage"]["input_tokens"], 40);
        assert_eq!(response["tool_choice"], "required");
        let requests = scene.endpoint.requests();
        assert_eq!(requests.len(), 4);
        assert!(requests.iter().all(|request| request["tools"][0]["require_approval"] == "always"));
        assert!(requests[1..].iter().all(|request| request["tool_choice"] == "auto"));
        let denied = requests[2]["input"].as_array().unwrap().iter().find(|item| item["approve"] == false);
        assert!(denied.unwrap()["reason"].as_str().unwrap().contains("denied by policy"), "{requests:?}");
    }
}

/// D4.16: "always" of the app is an ask; "never" is no finding, and the object form by its lists; "`read_only`
/// counts only where the server's annotations are trusted".
#[test]
fn given_require_approval_in_its_forms_then_a_server_that_needs_no_approval_is_asked_about_as_the_app_wants()
{
    let server_of = |trust: bool| {
        format!(
            "[servers.docs]\nurl = \"https://docs.example/mcp\"\napproval = \"not_required\"\ntrust_annotations = {trust}\n"
        )
    };
    let trusting = Scene::with(&server_of(true), &["--on-ask", "deny"]);
    let scene = Scene::with(&server_of(false), &["--on-ask", "deny"]);
    for (scene, require, runs) in [
        (&scene, json!("never"), true),
        (&scene, json!("always"), false),
        (&scene, json!(null), false),
        (&scene, json!({ "never": { "tool_names": ["search"] } }), true),
        (&scene, json!({ "always": { "tool_names": ["read"] } }), false),
        (
            &scene,
            json!({ "always": { "tool_names": ["search"] }, "never": { "tool_names": ["search"] } }),
            false,
        ),
        // What a server says of itself is not believed by itself.
        (&scene, json!({ "never": { "read_only": true } }), false),
        (&trusting, json!({ "never": { "read_only": true } }), true),
        (&trusting, json!({ "never": { "read_only": false } }), false),
    ] {
        let mut body = wants(&json!([["search"]]), false);
        body["tools"] = json!([server("docs", require.clone())]);
        let said = message(&scene.create(&body).json());
        let expected = if runs { "search ran" } else { "search was not approved" };
        assert_eq!(said, expected, "{require}");
    }
}

/// D4.16: "never" is no finding unless `[apps.X] trust_require_approval`, and `read_only` counts only where
/// the server's annotations are trusted: for the app that is trusted, by its name, and never over what the user says.
#[test]
fn given_an_app_that_is_trusted_in_what_it_spares_then_only_that_runs_unasked() {
    let trusted = "[apps.chat]\ntrust_require_approval = true\n";
    let required =
        format!("{trusted}[servers.docs]\nurl = \"https://docs.example/mcp\"\napproval = \"required\"\n");
    let believed =
        format!("{trusted}[servers.docs]\nurl = \"https://docs.example/mcp\"\ntrust_annotations = true\n");
    let never = json!("never");
    let by_hint = json!({ "never": { "read_only": true } });
    for (user, options, require, runs) in [
        (trusted, &["--app", "chat"][..], &never, true),
        (trusted, &["--app", "chat"], &json!("always"), false),
        (trusted, &["--app", "chat"], &Value::Null, false),
        (trusted, &["--app", "chat"], &json!({ "never": { "tool_names": ["search"] } }), true),
        (trusted, &["--app", "chat"], &json!({ "never": { "tool_names": ["read"] } }), false),
        (trusted, &["--app", "chat"], &by_hint, false),
        (&*believed, &["--app", "chat"], &by_hint, true),
        (trusted, &["--app", "chat", "--ask", "mcp(docs/search)"], &never, false),
        (trusted, &["--app", "chat", "--mode", "plan"], &never, false),
        (&*required, &["--app", "chat"], &never, false),
        (trusted, &["--app", "other"], &never, false),
        (trusted, &[], &never, false),
        ("", &["--app", "chat"], &never, false),
    ] {
        let scene = Scene::with(user, &[options, &["--on-ask", "deny"]].concat());
        let mut body = wants(&json!([["search"]]), false);
        body["tools"] = json!([server("docs", require.clone())]);
        let said = message(&scene.create(&body).json());
        assert_eq!(said == "search ran", runs, "{user} {options:?} {require} {said}");
    }
}

/// Responses that the app itself sends to an approval are judged too: those of background responses, which the app
/// fetches itself, and those of an endpoint that keeps nothing. Attack 16.
#[test]
fn given_approvals_of_the_apps_own_then_they_are_judged() {
    let scene = Scene::new(&["--allow", "mcp(docs/search)", "--on-ask", "deny"]);
    let mut body = wants(&json!([["search", "read"]]), false);
    body["background"] = json!(true);
    let first = scene.create(&body).json();
    let output = first["output"].as_array().unwrap();
    let ids: Vec<&str> = output
        .iter()
        .filter(|item| item["type"] == "mcp_approval_request")
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2, "{first}");
    let answer =
        |id: &str| json!({ "type": "mcp_approval_response", "approval_request_id": id, "approve": true });
    let mut body = wants(&json!(""), false);
    body["input"] = json!([answer(ids[0]), answer(ids[1])]);
    body["previous_response_id"] = first["id"].clone();
    let second = scene.create(&body).json();
    assert_eq!(message(&second), "search ran, read was not approved");

    body["input"] = json!([answer("mcpr_none")]);
    let unknown = scene.create(&body);
    assert_eq!(unknown.status, 400, "{unknown:?}");
    let request = json!({
        "type": "mcp_approval_request", "id": "mcpr_own", "server_label": "docs", "name": "write", "arguments": "{}",
    });
    let mut body = wants(&json!(""), false);
    body["store"] = json!(false);
    body["input"] = json!([{ "role": "user", "content": "hi" }, request, answer("mcpr_own")]);
    assert_eq!(message(&scene.create(&body).json()), "write was not approved");
    assert_eq!(scene.ran(), ["search"]);
}

/// `store: false` and conversations are handled.
#[test]
fn given_an_endpoint_that_keeps_nothing_or_a_conversation_then_approvals_work_too() {
    for stream in [true, false] {
        let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
        let mut body = wants(&json!([["search"], ["read"]]), stream);
        body["store"] = json!(false);
        assert_eq!(message(&response(&scene.create(&body), stream)), "read ran");
        assert_eq!(scene.ran(), ["search", "read"], "each once");
        let mut body = wants(&json!([["search"]]), stream);
        body["conversation"] = json!(format!("conv_{stream}"));
        assert_eq!(message(&response(&scene.create(&body), stream)), "search ran");
    }
}
