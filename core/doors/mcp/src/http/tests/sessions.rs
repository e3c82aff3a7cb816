//! The older era: sessions, streams that can be come back to.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::http::sessions::Sessions;

/// MCP 2025-11-25, transports, "Session management".
#[tokio::test]
async fn given_a_session_then_its_requests_are_answered_until_it_is_ended() {
    let mut front = served(HttpOptions::for_localhost()).await;
    let id = front.initialize("2025-11-25").await;
    assert_eq!(front.see().await, Seen::Opened(Caller("anybody".to_owned()), ClientCount::One));

    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let told = front.post(initialized).header("mcp-session-id", &id).send().await.unwrap();
    assert_eq!(told.status(), 202);
    assert_eq!(front.see().await, Seen::Told("notifications/initialized".to_owned()));

    let asked = front.post(
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"n":1.10}}}"#,
    );
    let answer = asked.header("mcp-session-id", &id).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/json");
    let answer: Value = answer.json_text().await;
    assert_eq!(answer["id"], "a");
    assert_eq!(answer["result"]["content"][0]["text"], "{\"n\":1.10}");

    let ended = front.http.delete(&front.url).header("mcp-session-id", &id).send().await.unwrap();
    assert_eq!(ended.status(), 200);
    assert_eq!(front.see().await, Seen::Closed);
    let gone = front.post(call(2, "echo")).header("mcp-session-id", &id).send().await.unwrap();
    assert_eq!(gone.status(), 404);
    front.stop().await;
}

/// MCP 2025-11-25: 400 without a session, 404 for one that is not there, 400 for a version that nobody knows.
#[tokio::test]
async fn given_no_session_or_a_wrong_version_then_the_status_says_so() {
    let front = served(HttpOptions::for_localhost()).await;
    assert_eq!(front.post(call(2, "echo")).send().await.unwrap().status(), 400);
    let unknown = front.post(call(2, "echo")).header("mcp-session-id", "x");
    assert_eq!(unknown.send().await.unwrap().status(), 404);
    let id = front.initialize("2025-06-18").await;
    for (version, status) in [("2025-06-18", 200), ("2025-99-99", 400), ("1", 400)] {
        let asked = front.post(call(2, "echo")).header("mcp-session-id", &id);
        let asked = asked.header("mcp-protocol-version", version).send().await.unwrap();
        assert_eq!(asked.status(), status, "{version}");
    }
    // A session that was refused is none.
    let refused = front.post(initialize("no")).send().await.unwrap();
    assert!(refused.headers().get("mcp-session-id").is_none());
    for (body, status) in [("{", 400), ("[]", 400), (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 400)] {
        let asked = front.post(body).header("mcp-session-id", &id).send().await.unwrap();
        assert_eq!(asked.status(), status);
        let answer = asked.json_text().await;
        assert_eq!(answer["id"], Value::Null);
        assert_eq!(answer["error"]["code"], if body == "{" { -32700 } else { -32600 });
    }
    front.stop().await;
}

/// MCP 2025-11-25, "Resumability and redelivery" and SEP-1699: a client that loses its connection has not cancelled.
#[tokio::test]
async fn given_a_broken_connection_then_the_client_reads_on_where_it_was() {
    let mut front = served(HttpOptions::for_localhost()).await;
    let id = front.initialize("2025-11-25").await;
    let held = front.post(call(2, "hold")).header("mcp-session-id", &id).send();
    let (held, key) = tokio::join!(held, async {
        front.seen.recv().await;
        front.seen.recv().await
    });
    let Some(Seen::Held(key)) = key else { panic!("{key:?}") };
    let mut held = held.unwrap();
    assert_eq!(held.headers()["content-type"], "text/event-stream");
    let primer = until(&mut held, "\n\n").await;
    assert!(primer.contains(&format!("id: {}-0", key.0)) && primer.contains("retry: "), "{primer}");
    let client = front.client(0);
    client.send(Frame::notification("notifications/progress", &json!({"progress": 1})), Some(key));
    let first = until(&mut held, "progress").await;
    assert!(first.contains(&format!("id: {}-1", key.0)), "{first}");
    drop(held);
    client.send(Frame::notification("notifications/progress", &json!({"progress": 2})), Some(key));
    client.send(
        Frame::result(&serde_json::value::to_raw_value(&2).unwrap(), &json!({"done": true})),
        Some(key),
    );

    let back = front.http.get(&front.url).header("accept", "text/event-stream").header("mcp-session-id", &id);
    let back = back.header("last-event-id", format!("{}-1", key.0)).send().await.unwrap();
    let rest = back.text().await.unwrap();
    assert!(!rest.contains("\"progress\":1") && rest.contains("\"progress\":2"), "{rest}");
    assert!(rest.contains("\"done\":true"), "{rest}");
    // Of a stream that never was, there is nothing, and no error.
    let nothing =
        front.http.get(&front.url).header("accept", "text/event-stream").header("mcp-session-id", &id);
    let nothing = nothing.header("last-event-id", "999999-1").send().await.unwrap();
    assert_eq!((nothing.status().as_u16(), nothing.text().await.unwrap().as_str()), (200, ""));
    // Nothing was abandoned.
    front.stop().await;
}

/// MCP 2025-11-25, "Listening for messages from the server".
#[tokio::test]
async fn given_a_get_stream_then_what_belongs_to_no_request_comes_there() {
    let front = served(HttpOptions::for_localhost()).await;
    let id = front.initialize("2025-06-18").await;
    let client = front.client(0);
    client.send(Frame::notification("notifications/tools/list_changed", &json!({})), None);
    let page = front.http.get(&front.url).header("mcp-session-id", &id).header("accept", "text/html");
    assert_eq!(page.send().await.unwrap().status(), 405);
    let get = front.http.get(&front.url).header("accept", "text/event-stream").header("mcp-session-id", &id);
    let mut stream = get.send().await.unwrap();
    let text = until(&mut stream, "list_changed").await;
    assert!(!text.contains("data: \n"), "older clients know no empty events: {text}");
    client.send(Frame::request(9, "elicitation/create", &json!({})), None);
    until(&mut stream, "elicitation/create").await;
    front.stop().await;
    // The front ends its streams when it ends.
    while stream.chunk().await.unwrap().is_some() {}
}

/// MCP 2025-11-25, "Cancellation": there is no response, so nothing is waited for.
#[tokio::test]
async fn given_a_cancelled_request_then_its_stream_ends() {
    let mut front = served(HttpOptions::for_localhost()).await;
    let id = front.initialize("2025-06-18").await;
    let held = tokio::spawn(front.post(call(2, "hold")).header("mcp-session-id", &id).send());
    front.held().await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    let told = front.post(cancel).header("mcp-session-id", &id).send().await.unwrap();
    assert_eq!(told.status(), 202);
    assert_eq!(front.see().await, Seen::Told("notifications/cancelled".to_owned()));
    let held = held.await.unwrap().unwrap();
    assert_eq!((held.status().as_u16(), held.text().await.unwrap().as_str()), (200, ""));
    front.stop().await;
}

/// D0.13: what waits is bounded; sessions that nobody uses end.
#[tokio::test]
async fn given_a_session_that_nobody_uses_then_it_ends_and_a_used_one_does_not() {
    let (seen, mut seeing) = mpsc::unbounded_channel();
    let echo = Echo { seen, clients: Mutex::default() };
    let sessions = Sessions::default();
    let caller = || Caller("c".to_owned());
    let idle = sessions.open(&echo, caller(), 2, Instant::now()).unwrap();
    let used = sessions.open(&echo, caller(), 2, Instant::now()).unwrap();
    let stream = used.streams.open(RequestKey::next(), None).unwrap();
    assert!(sessions.open(&echo, caller(), 2, Instant::now()).is_none(), "there are two");
    let later = Instant::now() + Duration::from_secs(3600);
    sessions.end_idle(later, Duration::from_secs(1800));
    assert!(sessions.get(&idle.id).is_none());
    assert!(sessions.get(&used.id).is_some(), "a request waits in it");
    stream.end();
    sessions.end_idle(later, Duration::from_secs(1800));
    assert!(sessions.get(&used.id).is_none());
    seeing.close();
    let mut closed = 0;
    while let Some(seen) = seeing.recv().await {
        closed += usize::from(seen == Seen::Closed);
    }
    assert_eq!(closed, 2);
}

/// Found in review: 395 `initialize` within 15 s started 397 server processes, of any local program that
/// has no token. Attack 289.
#[tokio::test]
async fn given_a_flood_of_sessions_without_a_token_then_few_are_opened_and_those_in_use_stay() {
    let front = served(HttpOptions::for_localhost()).await;
    let own = front.initialize("2025-11-25").await;
    assert_eq!(
        front.post(call(2, "echo")).header("mcp-session-id", &own).send().await.unwrap().status(),
        200
    );
    let mut opened = 1;
    for _ in 0..200 {
        match front.post(initialize("2025-11-25")).send().await.unwrap().status().as_u16() {
            200 => opened += 1,
            status => assert_eq!(status, 503),
        }
    }
    assert_eq!(opened, 32);
    assert_eq!(
        front.post(call(3, "echo")).header("mcp-session-id", &own).send().await.unwrap().status(),
        200
    );
    front.stop().await;
    let mut options = HttpOptions::for_localhost();
    options.require_token("t".repeat(16));
    assert_eq!(options.sessions, 128, "whoever has the token is somebody");
}

/// Found in review: sessions that were only begun make room first, so that whoever floods the gateway
/// does not end those of others.
#[tokio::test]
async fn given_no_room_then_a_session_that_nobody_came_back_to_goes_first() {
    let (seen, _seeing) = mpsc::unbounded_channel();
    let echo = Echo { seen, clients: Mutex::default() };
    let sessions = Sessions::default();
    let began = Instant::now();
    let open = |after: u64| {
        sessions
            .open(&echo, Caller("c".to_owned()), 2, began + Duration::from_secs(after))
            .map(|session| session.id.clone())
    };
    let used = open(0).unwrap();
    assert!(sessions.get(&used).is_some());
    let begun = open(1).unwrap();
    assert_eq!(open(5), None, "it may come back still");
    let next = open(30).unwrap();
    assert!(sessions.get(&used).is_some() && sessions.get(&begun).is_none());
    // Both are in use now: the one that was away longer goes, after a minute.
    assert!(sessions.get(&next).is_some());
    assert_eq!(open(40), None);
    assert!(open(90).is_some());
}

pub(super) trait JsonText {
    async fn json_text(self) -> Value;
}

impl JsonText for Response {
    async fn json_text(self) -> Value {
        serde_json::from_str(&self.text().await.unwrap()).unwrap()
    }
}
