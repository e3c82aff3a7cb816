//! 2026-07-28: requests that stand for themselves.

use std::sync::Arc;

use serde_json::json;

use super::sessions::JsonText;
use super::*;

fn sent(front: &Served, method: &str, body: String) -> RequestBuilder {
    front.post(body).header("mcp-protocol-version", "2026-07-28").header("mcp-method", method)
}

fn options() -> HttpOptions {
    let mut options = HttpOptions::for_localhost();
    options.schemas = Arc::new(|name| (name == "echo").then(|| tool()["inputSchema"].clone()));
    options
}

/// MCP 2026-07-28: no sessions, one conversation for whoever has the credential.
#[tokio::test]
async fn given_requests_by_themselves_then_they_share_one_conversation_and_no_session() {
    let mut front = served(options()).await;
    for _ in 0..3 {
        let answer = sent(&front, "tools/list", modern("tools/list", json!({}))).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(answer.headers().get("mcp-session-id").is_none());
        assert_eq!(answer.json_text().await["result"]["tools"][0]["name"], "echo");
    }
    assert_eq!(front.see().await, Seen::Opened(Caller("anybody".to_owned()), ClientCount::Several));
    let told = front.post(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
    let told = told.header("mcp-protocol-version", "2026-07-28").header("mcp-method", "notifications/x");
    assert_eq!(told.send().await.unwrap().status(), 202);
    assert_eq!(front.see().await, Seen::Told("notifications/x".to_owned()), "it was not opened again");
    for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
        let other = front.http.request(method, &front.url).header("accept", "text/event-stream");
        let other = other.header("mcp-protocol-version", "2026-07-28").send().await.unwrap();
        assert_eq!(other.status(), 405);
    }
    front.stop().await;
}

/// MCP 2026-07-28, SEP-2243: headers that differ from the message are refused with 400 and -32020.
#[tokio::test]
async fn given_headers_that_say_something_else_then_it_is_refused() {
    let front = served(options()).await;
    let body = modern("tools/call", json!({"name": "echo", "arguments": {"region": "eu"}}));
    let good = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?ZWNobw==?="),
        ("mcp-param-region", "eu"),
    ];
    let send = async |headers: &[(&'static str, &'static str)]| {
        let asked =
            headers.iter().fold(front.post(body.clone()), |asked, (name, value)| asked.header(*name, *value));
        let answer = asked.send().await.unwrap();
        (answer.status().as_u16(), answer.json_text().await["error"]["code"].as_i64())
    };
    assert_eq!(send(&good).await, (200, None));
    for wrong in 0..good.len() {
        let without: Vec<_> =
            good.iter().copied().enumerate().filter(|(at, _)| *at != wrong).map(|(_, h)| h).collect();
        assert_eq!(send(&without).await, (400, Some(-32020)), "without {:?}", good[wrong]);
        let mut twice = good.to_vec();
        twice.push(good[wrong]);
        assert_eq!(send(&twice).await.0, 400, "{:?} twice", good[wrong]);
        let mut other = good;
        other[wrong].1 = "2027-01-01";
        assert_eq!(send(&other).await, (400, Some(-32020)), "{:?}", other[wrong]);
    }
    front.stop().await;
}

/// Found in review: any version was served. MCP 2026-07-28: one that is not spoken is 400 with -32022 and those that are.
#[tokio::test]
async fn given_a_version_that_nobody_speaks_then_it_is_a_400_that_says_which_are_spoken() {
    let front = served(options()).await;
    for version in ["9999-01-01", "2027-01-01", "1999-12-31", "latest"] {
        for method in ["tools/list", "server/discover"] {
            let named = modern(method, json!({})).replace("2026-07-28", version);
            for body in [named, request(7, method, json!({}))] {
                let asked =
                    front.post(body).header("mcp-protocol-version", version).header("mcp-method", method);
                let answer = asked.send().await.unwrap();
                assert_eq!(answer.status(), 400, "{version}");
                let error = answer.json_text().await;
                assert_eq!((&error["error"]["code"], &error["id"]), (&json!(-32022), &json!(7)), "{error}");
                assert_eq!(error["error"]["data"]["supported"][0], "2026-07-28", "{error}");
                assert_eq!(error["error"]["data"]["requested"], version, "{error}");
            }
        }
        for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
            let asked = front.http.request(method, &front.url).header("accept", "text/event-stream");
            let answer = asked.header("mcp-protocol-version", version).send().await.unwrap();
            assert!(answer.status().is_client_error(), "{}", answer.status());
        }
    }
    front.stop().await;
}

/// MCP 2026-07-28, transports: which errors have which status.
#[tokio::test]
async fn given_errors_then_the_status_says_which() {
    let front = served(options()).await;
    for (method, status) in [("nobody/knows", 404), ("old", 400), ("tools/list", 200)] {
        let answer = sent(&front, method, modern(method, json!({}))).send().await.unwrap();
        assert_eq!(answer.status(), status, "{method}");
        assert_eq!(answer.json_text().await["id"], 7);
    }
    let lacking = sent(&front, "tools/list", request(7, "tools/list", json!({}))).send().await.unwrap();
    assert_eq!(lacking.status(), 400);
    assert_eq!(lacking.json_text().await["error"]["code"], -32602);
    let discover = front.post(request(7, "server/discover", json!({}))).send().await.unwrap();
    assert_eq!(discover.status(), 400);
    let answer = sent(&front, "", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned()).send().await.unwrap();
    assert_eq!(answer.status(), 400, "nothing was asked");
    front.stop().await;
}

/// MCP 2026-07-28: a client that closes the stream has cancelled.
#[tokio::test]
async fn given_a_client_that_leaves_then_the_request_is_abandoned_and_others_are_not() {
    let mut front = served(options()).await;
    let hold = || {
        let body = modern("tools/call", json!({"name": "hold"}));
        sent(&front, "tools/call", body).header("mcp-name", "hold").send()
    };
    let (first, second) = (tokio::spawn(hold()), tokio::spawn(hold()));
    let (one, other) = (front.held().await, front.held().await);
    // It may leave before the stream has begun.
    first.abort();
    second.abort();
    let mut left = [front.see().await, front.see().await];
    left.sort_by_key(|seen| format!("{seen:?}"));
    let mut keys = [Seen::Abandoned(one), Seen::Abandoned(other)];
    keys.sort_by_key(|seen| format!("{seen:?}"));
    assert_eq!(left, keys);

    let body = modern("tools/call", json!({"name": "hold"}));
    let third = tokio::spawn(sent(&front, "tools/call", body).header("mcp-name", "hold").send());
    let key = front.held().await;
    let mut third = third.await.unwrap().unwrap();
    assert_eq!(third.headers()["content-type"], "text/event-stream");
    front.client(0).send(Frame::notification("notifications/progress", &json!({})), Some(key));
    until(&mut third, "progress").await;
    drop(third);
    assert_eq!(front.see().await, Seen::Abandoned(key));
    front.stop().await;
}

/// What comes before the response makes it a stream, with the response as its end.
#[tokio::test]
async fn given_news_before_the_response_then_it_is_a_stream() {
    let front = served(options()).await;
    let body = modern("tools/call", json!({"name": "news"}));
    let answer = sent(&front, "tools/call", body).header("mcp-name", "news").send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let text = answer.text().await.unwrap();
    assert_eq!(text.matches("data: ").count(), 2, "{text}");
    assert!(text.find("notifications/message") < text.find("\"result\""), "{text}");
    front.stop().await;
}

/// Found in review: a server that takes longer than a second had its refusal come with a status of 200.
/// What mayi can see by itself is refused before anybody is asked.
#[tokio::test]
async fn given_a_server_that_takes_its_time_then_a_request_without_what_it_needs_gets_its_400_at_once() {
    let mut front = served(options()).await;
    for missing in ["protocolVersion", "clientCapabilities"] {
        let mut body: Value = serde_json::from_str(&modern("tools/call", json!({"name": "hold"}))).unwrap();
        let name = format!("io.modelcontextprotocol/{missing}");
        body["params"]["_meta"].as_object_mut().unwrap().remove(&name);
        let asked = sent(&front, "tools/call", body.to_string()).header("mcp-name", "hold");
        let answer = asked.send().await.unwrap();
        assert_eq!(answer.status(), 400, "{missing}");
        let answer = answer.json_text().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32602), &json!(7)));
    }
    // The gateway has seen none of them: this is the first that it sees.
    let answer = sent(&front, "tools/list", modern("tools/list", json!({}))).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(front.see().await, Seen::Opened(Caller("anybody".to_owned()), ClientCount::Several));
    front.stop().await;
}
