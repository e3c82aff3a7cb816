//! Clients that should not be served, and those that take more than their share.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

/// Sends `head` and `body` as they are; what comes until `enough` of it is there.
async fn raw(port: u16, text: &str, enough: &str) -> String {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    connection.write_all(text.as_bytes()).await.unwrap();
    let mut got = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = connection.read(&mut buffer).await.unwrap_or(0);
        got.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&got).into_owned();
        if read == 0 || text.contains(enough) {
            return text;
        }
    }
}

/// Attack: DNS rebinding, and a web page that calls what listens on the user's machine.
#[tokio::test]
async fn given_a_web_page_or_a_rebound_name_then_it_is_refused() {
    let mut front = served(HttpOptions::for_localhost()).await;
    let port = front.port;
    for (host, origin, status) in [
        ("evil.example", None, 403),
        ("evil.example:80", None, 403),
        ("localhost", Some("https://evil.example"), 403),
        ("localhost", Some("null"), 403),
        ("localhost", Some("http://localhost:3000"), 403),
        ("localhost", None, 200),
    ] {
        let mut asked = front.post(initialize("2025-06-18")).header("host", host);
        if let Some(origin) = origin {
            asked = asked.header("origin", origin);
        }
        assert_eq!(asked.send().await.unwrap().status(), status, "{host} {origin:?}");
    }
    let twice = format!("GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n{port}");
    let answer = raw(port, &twice, "HTTP/1.1 4").await;
    assert!(answer.contains("HTTP/1.1 4"), "{answer}");
    assert!(matches!(front.see().await, Seen::Opened(..)));
    front.stop().await;
}

/// A page that is allowed can read what it gets; its browser is told so, and no other page's is.
#[tokio::test]
async fn given_an_allowed_origin_then_its_pages_are_served() {
    let mut options = HttpOptions::for_localhost();
    options.origins = vec!["http://localhost:3000".to_owned()];
    options.token = Some("secret".to_owned());
    let front = served(options).await;
    let before = |origin: &'static str| {
        front.http.request(reqwest::Method::OPTIONS, &front.url).header("origin", origin).send()
    };
    let allowed = before("http://localhost:3000").await.unwrap();
    assert_eq!(allowed.status(), 204);
    assert_eq!(allowed.headers()["access-control-allow-origin"], "http://localhost:3000");
    let other = before("http://localhost:3001").await.unwrap();
    assert_eq!(other.status(), 403);
    assert!(other.headers().get("access-control-allow-origin").is_none());
    front.stop().await;
}

/// MCP, authorization: 401 with a challenge.
#[tokio::test]
async fn given_a_token_then_nobody_gets_in_without_it() {
    let mut options = HttpOptions::for_localhost();
    options.token = Some("right".to_owned());
    let mut front = served(options).await;
    for (sent, status) in [
        (None, 401),
        (Some("Bearer wrong"), 401),
        (Some("Bearer righ"), 401),
        (Some("Bearer"), 401),
        (Some("Basic right"), 401),
        (Some("bearer right"), 200),
    ] {
        let mut asked = front.post(initialize("2025-06-18"));
        if let Some(sent) = sent {
            asked = asked.header("authorization", sent);
        }
        let answer = asked.send().await.unwrap();
        assert_eq!(answer.status(), status, "{sent:?}");
        assert_eq!(answer.headers().contains_key("www-authenticate"), status == 401);
    }
    let Seen::Opened(Caller(caller), ClientCount::One) = front.see().await else { panic!() };
    assert!(caller.starts_with("token:") && !caller.contains("right"), "{caller}");
    front.stop().await;
}

/// Attack: a client that fills the memory.
#[tokio::test]
async fn given_a_body_of_64_mib_then_it_is_refused_unread() {
    let front = served(HttpOptions::for_localhost()).await;
    let size = 64 * 1024 * 1024;
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\n";
    let said = format!("{head}Content-Length: {size}\r\n\r\n");
    assert!(raw(front.port, &said, "HTTP/1.1 413").await.contains("HTTP/1.1 413"));
    // Without saying how much it is.
    let mut unsaid = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    let mut options = HttpOptions::for_localhost();
    options.body = 1000;
    let small = served(options).await;
    unsaid.push_str(&format!("7d0\r\n{}\r\n", " ".repeat(2000)));
    assert!(raw(small.port, &unsaid, "HTTP/1.1 413").await.contains("HTTP/1.1 413"));
    let headers = format!("{head}X: {}\r\n\r\n", "x".repeat(100_000));
    assert!(raw(front.port, &headers, "HTTP/1.1 4").await.contains("HTTP/1.1 4"));
    front.stop().await;
    small.stop().await;
}

/// MCP, transports: 406 and 415; other methods and paths.
#[tokio::test]
async fn given_other_content_then_the_status_says_what_is_wanted() {
    let front = served(HttpOptions::for_localhost()).await;
    let body = initialize("2025-06-18");
    let plain = front.http.post(&front.url).header("accept", "text/html").body(body.clone());
    assert_eq!(plain.send().await.unwrap().status(), 406);
    let json_only = front.http.post(&front.url).header("accept", "application/json").body(body.clone());
    assert_eq!(json_only.send().await.unwrap().status(), 406);
    let form = front.http.post(&front.url).header("accept", "*/*").header("content-type", "text/plain");
    assert_eq!(form.body(body.clone()).send().await.unwrap().status(), 415);
    let packed = front.post(body).header("content-encoding", "gzip");
    assert_eq!(packed.send().await.unwrap().status(), 415);
    assert_eq!(front.http.put(&front.url).send().await.unwrap().status(), 405);
    let elsewhere = front.url.replace("/mcp", "/");
    assert_eq!(front.http.get(elsewhere).send().await.unwrap().status(), 404);
    front.stop().await;
}

/// Goals: hundreds of clients at a time.
#[tokio::test]
async fn given_300_connections_then_all_are_answered() {
    // The bound is on sessions, which nobody's token is asked for; this is about connections.
    let many = HttpOptions { sessions: 300, ..HttpOptions::for_localhost() };
    let front = served(many).await;
    let clients = (0..300).map(|n| {
        // Each request that is under way has a connection of its own.
        let http = front.http.clone();
        let asked = front.post(initialize("2025-06-18")).build().unwrap();
        let url = front.url.clone();
        async move {
            let opened = http.execute(asked).await.unwrap();
            let id = opened.headers()["mcp-session-id"].clone();
            let asked = http.post(url).header("mcp-session-id", id).header("accept", "*/*");
            let asked = asked.header("content-type", "application/json").body(call(n, "echo"));
            let answer = asked.send().await.unwrap().text().await.unwrap();
            assert!(answer.contains(&format!("\"id\":{n}")), "{answer}");
        }
    });
    futures::future::join_all(clients).await;
    front.stop().await;
}

/// D0.13: sends never block; what waits is bounded.
#[tokio::test]
async fn given_a_client_that_does_not_read_then_only_its_stream_ends() {
    let mut front = served(HttpOptions::for_localhost()).await;
    let id = front.initialize("2025-06-18").await;
    let hold = front.post(call(2, "hold")).header("mcp-session-id", &id).send();
    let slow = tokio::spawn(hold);
    let key = front.held().await;
    let client = front.client(0);
    let big = Frame::notification("notifications/progress", &json!({"message": "x".repeat(1024 * 1024)}));
    // Far more than sockets and the stream hold: it returns at once each time.
    for _ in 0..90 {
        client.send(big.clone(), Some(key));
    }
    let answer = front.post(call(3, "echo")).header("mcp-session-id", &id).send().await.unwrap();
    assert!(answer.text().await.unwrap().contains("\"id\":3"));
    let mut slow = slow.await.unwrap().unwrap();
    let mut got = 0;
    while let Ok(Some(chunk)) = slow.chunk().await {
        got += chunk.len();
    }
    assert!(got < 80 * 1024 * 1024, "{got}");
    front.stop().await;
}
