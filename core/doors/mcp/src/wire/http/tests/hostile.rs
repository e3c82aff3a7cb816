//! Servers that mean no good, or are broken.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::*;

/// What a request to a server that answers like this becomes; the wire works on.
async fn told(script: impl Fn() -> Response<Body> + Send + Sync + 'static) -> (i64, String) {
    let (url, _got) = server(move |got| {
        let response = match got.body["id"].as_u64() {
            Some(1) => script(),
            _ => result(&got.body["id"], json!({})),
        };
        async move { response }
    })
    .await;
    let mut wire = wire(&url);
    wire.send(modern(1, "tools/list", json!({}))).await;
    let failed = wire.failed(1).await;
    wire.send(modern(2, "tools/list", json!({}))).await;
    assert_eq!(wire.frame().await.1, Some(2), "the connection stands");
    failed
}

/// Attack: a server that fills the memory.
#[tokio::test]
async fn given_answers_that_are_too_long_then_only_their_request_fails() {
    let long = "x".repeat(2 << 20);
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"{long}\"}}");
    let (_, message) = told(move || answer(200, "application/json", body.clone())).await;
    assert_eq!(message, "the answer is longer than 1048576 bytes");
    let event = || {
        let endless =
            futures::stream::repeat_with(|| Ok::<_, std::io::Error>("data: xxxxxxxxxxxxxxxx\n".repeat(100)));
        answer(200, "text/event-stream", Body::from_stream(endless))
    };
    assert_eq!(told(event).await.1, "the answer is longer than 1048576 bytes");
}

/// MCP: each request gets one answer, and it is to it.
#[tokio::test]
async fn given_answers_that_are_none_then_the_request_fails() {
    for (kind, body, said) in [
        ("application/json", r#"{"jsonrpc":"2.0","id":9,"result":{}}"#, "to another request"),
        ("application/json", r#"{"jsonrpc":"2.0","method":"x"}"#, "to another request"),
        ("application/json", "[]", "no message"),
        ("application/json", "hello\u{1b}[2J", "no message"),
        ("text/html", "<h1>", "text/html"),
        ("text/event-stream", "", "ended before the answer"),
        ("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "ended before"),
        ("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n\n", "ended before"),
        ("text/event-stream", "data: nonsense\n\n", "no message"),
    ] {
        let (code, message) = told(move || answer(200, kind, body)).await;
        assert!(message.contains(said) && !message.contains('\u{1b}'), "{body}: {message}");
        assert_eq!(code, -32603);
    }
}

/// MCP, transports: an error's status may come with the response.
#[tokio::test]
async fn given_an_error_status_then_its_response_or_its_reason_comes() {
    let mine = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let (url, _got) = server(move |_| async move { answer(404, "application/json", mine) }).await;
    let mut wire = wire(&url);
    wire.send(modern(1, "x", json!({}))).await;
    assert_eq!(wire.frame().await.0["error"]["code"], -32601);

    let nobodys = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"old\u001b[2J"}}"#;
    let (code, message) = told(move || answer(400, "application/json", nobodys)).await;
    assert_eq!(code, -32022);
    assert!(message.contains("old") && !message.contains('\u{1b}'), "{message}");
    let (code, message) = told(|| answer(500, "text/html", "<h1>")).await;
    assert_eq!((code, message.contains("500")), (-32603, true), "{message}");
}

/// Attack: a redirect that takes the token elsewhere.
#[tokio::test]
async fn given_a_redirect_to_another_origin_then_nothing_is_sent_there() {
    let (elsewhere, mut got) = server(|got| async move { result(&got.body["id"], json!({})) }).await;
    let to = elsewhere.clone();
    let (url, _here) = server(move |got| {
        let to = match got.body["id"].as_u64() {
            Some(1) => to.clone(),
            _ => "/moved".to_owned(),
        };
        let moved = got.header("mcp-name") == Some("moved");
        async move {
            let mut response = answer(307, "text/plain", "");
            response.headers_mut().insert("location", to.parse().unwrap());
            if moved { result(&got.body["id"], json!({})) } else { response }
        }
    })
    .await;
    let bearer = Some(Arc::new(Tokens(vec!["secret"])) as Arc<dyn Bearer>);
    let mut wire = connect(Remote { bearer, ..remote(&url) }).unwrap();
    wire.send(modern(1, "tools/list", json!({}))).await;
    let (_, message) = wire.failed(1).await;
    assert!(message.contains(&elsewhere), "{message}");
    assert!(got.try_recv().is_err());
    // Within the origin it is followed, so often.
    wire.send(modern(2, "tools/list", json!({}))).await;
    assert!(wire.failed(2).await.1.contains("/moved"));
}

/// Nobody listens, or the connection breaks.
#[tokio::test]
async fn given_no_server_then_the_request_fails() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp?key=secret", listener.local_addr().unwrap());
    let breaking = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        assert!(connection.read(&mut buffer).await.unwrap() > 0);
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{\"js";
        connection.write_all(head).await.unwrap();
    });
    let mut wire = wire(&url);
    wire.send(modern(1, "x", json!({}))).await;
    let (_, message) = wire.failed(1).await;
    assert!(message.starts_with("the answer broke off"), "{message}");
    breaking.await.unwrap();
    wire.send(modern(2, "x", json!({}))).await;
    let (code, message) = wire.failed(2).await;
    assert!(message.starts_with("can't reach the server docs: "), "{message}");
    assert!(!message.contains("secret"), "{message}");
    assert_eq!(code, -32603);
}

/// A server that never answers holds up nothing, and its connection ends with the wire.
#[tokio::test]
async fn given_a_server_that_never_answers_then_dropping_the_wire_ends_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (came, coming) = oneshot::channel();
    let silent = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        let _ = connection.read(&mut buffer).await;
        came.send(()).unwrap();
        while connection.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
    });
    let wire = wire(&url);
    wire.send(initialize()).await;
    coming.await.unwrap();
    drop(wire);
    silent.await.unwrap();
}

#[tokio::test]
async fn given_addresses_and_headers_that_are_none_then_there_is_no_wire() {
    for url in ["ftp://a.example", "mcp", "file:///etc/passwd", "https://user:secret@a.example/"] {
        let error = connect(remote(url)).err().unwrap();
        assert!(!error.contains("secret"), "{error}");
    }
    let headers = BTreeMap::from([("X".to_owned(), "a\r\nEvil: secret".to_owned())]);
    let error = connect(Remote { headers, ..remote("https://a.example") }).err().unwrap();
    assert!(!error.contains("secret"), "{error}");
}
