//! What the wire does, as a server sees it.

use tokio::sync::Notify;

use super::*;

/// MCP 2025-11-25, transports: session and version in every request, GET after `initialized`, DELETE in the end.
#[tokio::test]
async fn given_a_session_then_every_request_names_it_and_it_is_ended() {
    let (url, mut got) = server(|got| async move {
        opening(&got).unwrap_or_else(|| match got.method.as_str() {
            "GET" => answer(405, "text/plain", ""),
            _ => result(&got.body["id"], json!({"n": got.body["params"]["arguments"]})),
        })
    })
    .await;
    let mut wire = wire(&url);
    wire.opened().await;
    let first = got.recv().await.unwrap();
    assert_eq!(first.header("mcp-session-id"), None);
    assert_eq!(got.recv().await.unwrap().body["method"], "notifications/initialized");
    wire.send(call(2)).await;
    assert_eq!(wire.frame().await.1, Some(2));
    let mut methods = Vec::new();
    drop(wire);
    while methods.last().is_none_or(|method| method != "DELETE") {
        let one = got.recv().await.unwrap();
        assert_eq!(one.header("mcp-session-id"), Some("s1"), "{}", one.method);
        assert_eq!(one.header("mcp-protocol-version"), Some("2025-11-25"), "{}", one.method);
        assert_eq!(one.header("mcp-method"), None);
        methods.push(one.method.clone());
    }
    methods.sort();
    assert_eq!(methods, ["DELETE", "GET", "POST"]);
}

/// Nothing overtakes `initialize`, and later requests don't wait for each other.
#[tokio::test]
async fn given_requests_then_only_the_first_ones_hold_up_the_others() {
    let (go, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (going, gating) = (Arc::clone(&go), Arc::clone(&gate));
    let (url, mut got) = server(move |got| {
        let (go, gate) = (Arc::clone(&going), Arc::clone(&gating));
        async move {
            match (got.body["method"].as_str(), got.body["id"].as_u64()) {
                (Some("initialize"), _) => go.notified().await,
                (_, Some(2)) => gate.notified().await,
                _ => {}
            }
            opening(&got).unwrap_or_else(|| result(&got.body["id"], json!({})))
        }
    })
    .await;
    let mut wire = wire(&url);
    for frame in [initialize(), call(2), call(3)] {
        wire.send(frame).await;
    }
    assert_eq!(got.recv().await.unwrap().body["method"], "initialize");
    assert!(got.try_recv().is_err());
    go.notify_one();
    assert_eq!(wire.frame().await.1, Some(1));
    assert_eq!(wire.frame().await.1, Some(3), "two still waits");
    gate.notify_one();
    assert_eq!(wire.frame().await.1, Some(2));
}

/// MCP 2025-11-25, "Resumability and redelivery", and SEP-1699: a server may close a stream and have it asked for.
#[tokio::test]
async fn given_a_stream_that_ends_early_then_it_is_read_on_where_it_was() {
    let (url, mut got) = server(|got| async move {
        let back = got.header("last-event-id").map(str::to_owned);
        opening(&got).unwrap_or_else(|| match (got.method.as_str(), back.as_deref()) {
            ("GET", Some("a-0")) => answer(
                200,
                "text/event-stream",
                "id: a-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n",
            ),
            ("GET", Some("a-1")) => {
                answer(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
            }
            ("GET", _) => answer(405, "text/plain", ""),
            _ => answer(200, "text/event-stream", "id: a-0\nretry: 1\ndata:\n\n"),
        })
    })
    .await;
    let mut wire = wire(&url);
    wire.opened().await;
    wire.send(call(2)).await;
    let (progress, about) = wire.frame().await;
    assert_eq!((progress["method"].as_str(), about), (Some("notifications/progress"), Some(2)));
    assert_eq!(wire.frame().await.0["id"], 2);
    let mut gets = 0;
    while let Ok(one) = got.try_recv() {
        gets += usize::from(one.method == "GET" && one.header("last-event-id").is_some());
    }
    assert_eq!(gets, 2);
}

/// MCP 2025-11-25: messages that belong to no request come from the GET stream.
#[tokio::test]
async fn given_a_get_stream_then_its_messages_belong_to_no_request() {
    let (url, mut got) = server(|got| async move {
        opening(&got).unwrap_or_else(|| match (got.method.as_str(), got.header("last-event-id")) {
            ("GET", None) => answer(
                200,
                "text/event-stream",
                "id: 7\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\n",
            ),
            _ => answer(405, "text/plain", ""),
        })
    })
    .await;
    let mut wire = wire(&url);
    wire.opened().await;
    let (asked, about) = wire.frame().await;
    assert_eq!((asked["id"].as_str(), about), (Some("q"), None));
    wire.send(Frame::parse(r#"{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}"#).unwrap()).await;
    loop {
        let one = got.recv().await.unwrap();
        if one.body["id"] == "q" {
            assert_eq!(one.header("mcp-session-id"), Some("s1"));
            break;
        }
    }
}

/// MCP 2025-11-25: a server that has forgotten the session says 404.
#[tokio::test]
async fn given_a_session_that_is_gone_then_that_is_the_last_that_comes() {
    let (url, _got) = server(|got| async move {
        opening(&got).unwrap_or_else(|| answer(if got.method == "GET" { 405 } else { 404 }, "text/plain", ""))
    })
    .await;
    let mut wire = wire(&url);
    wire.opened().await;
    wire.send(call(2)).await;
    assert!(matches!(wire.incoming.recv().await, Some(Incoming::Ended(why)) if why == "the session ended"));
    assert!(wire.incoming.recv().await.is_none());
}

/// A body that never ends, and tells when nobody reads it any more.
fn endless(first: &'static str) -> (Body, Arc<Notify>) {
    struct Tells(Arc<Notify>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let left = Arc::new(Notify::new());
    let tells = Tells(Arc::clone(&left));
    let body = futures::stream::unfold((Some(first), tells), |(first, tells)| async move {
        match first {
            Some(first) => Some((Ok::<_, std::io::Error>(first), (None, tells))),
            None => std::future::pending().await,
        }
    });
    (Body::from_stream(body), left)
}

const NEWS: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n";

/// MCP 2026-07-28: a request is cancelled by closing its stream; before, by a notification.
#[tokio::test]
async fn given_a_cancelled_request_then_its_era_says_how() {
    let left = Arc::new(std::sync::Mutex::new(None));
    let leaving = Arc::clone(&left);
    let (url, mut got) = server(move |got| {
        let leaving = Arc::clone(&leaving);
        async move {
            opening(&got).unwrap_or_else(|| {
                let (body, left) = endless(NEWS);
                *leaving.lock().unwrap() = Some(left);
                answer(200, "text/event-stream", body)
            })
        }
    })
    .await;
    let cancel = |id: u64| Frame::notification("notifications/cancelled", &json!({"requestId": id}));
    let mut newer = wire(&url);
    newer.send(modern(5, "tools/call", json!({"name": "t"}))).await;
    assert_eq!(newer.frame().await.1, Some(5));
    newer.send(cancel(5)).await;
    let gone = left.lock().unwrap().take().unwrap();
    gone.notified().await;
    // What is sent next is the next that the server gets.
    newer.send(modern(6, "tools/list", json!({}))).await;
    assert_eq!(got.recv().await.unwrap().body["id"], 5);
    assert_eq!(got.recv().await.unwrap().body["id"], 6);

    let (url, mut got) = server(|got| async move {
        opening(&got).unwrap_or_else(|| match got.method.as_str() {
            "GET" => answer(405, "text/plain", ""),
            _ => answer(200, "text/event-stream", endless(NEWS).0),
        })
    })
    .await;
    let mut older = wire(&url);
    older.opened().await;
    older.send(call(2)).await;
    older.frame().await;
    older.send(cancel(2)).await;
    while got.recv().await.unwrap().body["method"] != "notifications/cancelled" {}
}

/// MCP 2026-07-28, SEP-2243: headers that say what the message says, those of annotated arguments too.
#[tokio::test]
async fn given_a_stateless_request_then_its_headers_are_made_from_what_is_sent() {
    let (url, mut got) = server(|got| async move {
        let schema = json!({"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
        result(&got.body["id"], json!({"tools": [{"name": "deploy", "inputSchema": schema}]}))
    })
    .await;
    let mut wire = wire(&url);
    wire.send(modern(1, "tools/list", json!({}))).await;
    wire.frame().await;
    wire.send(modern(2, "tools/call", json!({"name": "deploy", "arguments": {"region": "eu\r\nX: 1"}})))
        .await;
    wire.frame().await;
    let list = got.recv().await.unwrap();
    assert_eq!(list.header("mcp-method"), Some("tools/list"));
    assert_eq!(list.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(list.header("mcp-session-id"), None);
    let call = got.recv().await.unwrap();
    assert_eq!(call.header("mcp-name"), Some("deploy"));
    assert_eq!(call.header("mcp-param-region"), Some("=?base64?ZXUNClg6IDE=?="));
    assert_eq!(call.header("x"), None);
}

/// MCP, authorization: a token that is refused is replaced once.
#[tokio::test]
async fn given_a_token_that_is_refused_then_another_one_is_sent_once() {
    let (url, mut got) = server(|got| async move {
        match got.header("authorization") {
            Some("Bearer new") => result(&got.body["id"], json!({})),
            _ => answer(401, "text/plain", ""),
        }
    })
    .await;
    let with = |tokens: Vec<&'static str>| {
        let bearer = Some(Arc::new(Tokens(tokens)) as Arc<dyn Bearer>);
        connect(Remote { bearer, ..remote(&url) }).unwrap()
    };
    let mut good = with(vec!["old", "new"]);
    good.send(modern(1, "tools/list", json!({}))).await;
    assert_eq!(good.frame().await.1, Some(1));
    for tokens in [vec![], vec!["old"], vec!["old", "older", "new"]] {
        let mut bad = with(tokens);
        bad.send(modern(1, "tools/list", json!({}))).await;
        let (_, message) = bad.failed(1).await;
        assert_eq!(message, "the server docs wants a login: run `mayi mcp login docs`");
    }
    let sent: Vec<_> = std::iter::from_fn(|| got.try_recv().ok())
        .map(|got| got.header("authorization").unwrap_or("").to_owned())
        .collect();
    assert_eq!(sent, ["Bearer old", "Bearer new", "", "Bearer old", "", "Bearer old", "Bearer older"]);
}

/// Found in review: in 2025-03-26 several messages may come at once; in any other version the request hears
/// that it has no answer.
#[tokio::test]
async fn given_several_messages_at_once_then_they_count_in_the_version_that_has_that() {
    for (version, counts) in [("2025-03-26", true), ("2025-11-25", false)] {
        let (url, _got) = server(move |got| async move {
            if got.body["method"] == "initialize" {
                return result(&got.body["id"], json!({"protocolVersion": version, "capabilities": {}}));
            }
            if got.method == "GET" {
                return answer(405, "text/plain", "");
            }
            opening(&got).unwrap_or_else(|| {
                let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
                let said = json!([note, {"jsonrpc": "2.0", "id": got.body["id"], "result": {}}]).to_string();
                match got.body["id"].as_u64() {
                    Some(2) => answer(200, "application/json", said),
                    _ => answer(200, "text/event-stream", format!("data: {said}\n\n")),
                }
            })
        })
        .await;
        let mut wire = wire(&url);
        wire.send(initialize()).await;
        assert_eq!(wire.frame().await.0["result"]["protocolVersion"], version);
        wire.send(initialized()).await;
        for id in [2, 3] {
            wire.send(call(id)).await;
            if !counts {
                let (_, why) = wire.failed(id).await;
                assert!(why.contains("batches are not taken"), "{why}");
                continue;
            }
            assert_eq!(wire.frame().await.0["method"], "notifications/message");
            assert_eq!(wire.frame().await.0["id"], id);
        }
    }
}
