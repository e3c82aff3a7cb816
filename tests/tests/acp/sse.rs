//! An editor's server over HTTP with SSE stands behind the session's gate (S4.13), and one that means no good hangs nobody.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::scene::{Scene, machine};
use crate::servers::Relay;

/// A server of the older transport with one tool, `deploy`.
struct Server {
    url: String,
    /// Each request, with its headers.
    requests: Receiver<String>,
    /// What has been opened last to write events into.
    stream: Arc<Mutex<Option<TcpStream>>>,
}

impl Server {
    /// Whose streams say that messages go to `endpoint`.
    fn start(endpoint: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/sse", listener.local_addr().unwrap());
        let (to, requests) = channel();
        let stream = Arc::new(Mutex::new(None));
        let (opened, endpoint) = (Arc::clone(&stream), endpoint.to_owned());
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (to, opened, endpoint) = (to.clone(), Arc::clone(&opened), endpoint.clone());
                std::thread::spawn(move || serve(connection, &to, &opened, &endpoint));
            }
        });
        Self { url, requests, stream }
    }

    /// The next request that has this in it.
    fn request(&self, what: &str) -> String {
        loop {
            let request = self.requests.recv_timeout(mayi_tests::LIMIT).unwrap();
            if request.contains(what) {
                return request;
            }
        }
    }

    /// Writes into its stream, as one chunk.
    fn write(&self, text: &str) {
        write_chunk(self.stream.lock().unwrap().as_mut().unwrap(), text);
    }

    /// Ends its stream in the middle of it.
    fn cut(&self) {
        self.stream.lock().unwrap().take().unwrap().shutdown(std::net::Shutdown::Both).unwrap();
    }
}

fn write_chunk(to: &mut TcpStream, text: &str) {
    let _ = write!(to, "{:x}\r\n{text}\r\n", text.len()).and_then(|()| to.flush());
}

fn serve(connection: TcpStream, to: &Sender<String>, opened: &Mutex<Option<TcpStream>>, endpoint: &str) {
    let mut out = connection.try_clone().unwrap();
    let mut reader = BufReader::new(connection);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        if head.starts_with("GET /sse ") {
            let answer =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
            // Whoever reads this may ask on another connection at once, and is answered here.
            let mut stream = opened.lock().unwrap();
            out.write_all(answer.as_bytes()).unwrap();
            write_chunk(&mut out, &format!("event: endpoint\ndata: {endpoint}\n\n"));
            *stream = Some(out.try_clone().unwrap());
        } else {
            let status = if head.starts_with("POST /messages") { "202 Accepted" } else { "405 No" };
            write!(out, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").unwrap();
        }
        let result = match message["method"].as_str() {
            Some("initialize") => Some(
                json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}),
            ),
            Some("tools/list") => {
                Some(json!({"tools": [{"name": "deploy", "inputSchema": {"type": "object"}}]}))
            }
            // Calls are answered by the test.
            _ => None,
        };
        // Before the answer, so that whoever has that finds the request.
        let _ = to.send(format!("{head}{message}"));
        if let Some(result) = result {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            write_chunk(opened.lock().unwrap().as_mut().unwrap(), &format!("data: {answer}\n\n"));
        }
    }
}

fn deploy(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "deploy", "arguments": {}}})
}

/// A session with this server, and what the agent is to start in its place.
fn session(server: &Server) -> (Scene, Value) {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let headers = json!([{"name": "X-Secret", "value": "s3cret"}]);
    let entry = json!({"type": "sse", "name": "old", "url": server.url, "headers": headers});
    scene.ask("n", "session/new", &json!({"cwd": scene.machine.work(), "mcpServers": [entry]}));
    let asked = scene.agent.until("session/new");
    let relay = asked["params"]["mcpServers"][0].clone();
    assert!(!relay.to_string().contains("s3cret") && !relay.to_string().contains(&server.url), "{relay}");
    scene.agent_answers("n", &json!({"sessionId": "s"}));
    scene.editor.answer("n");
    (scene, relay)
}

/// A denied call does not reach it, an allowed one does; its secrets go to it alone.
#[test]
fn given_an_sse_server_with_headers_then_it_stands_behind_the_gate_and_gets_them() {
    let server = Server::start("/messages?session=1");
    let (mut scene, relay) = session(&server);
    let mut relay = Relay::start(&scene, &relay);
    relay.says(&deploy(2));
    let question = scene.editor.until("session/request_permission");
    assert!(question.to_string().contains("mcp(old/deploy"), "{question}");
    scene.pick(&question, "mayi-deny");
    assert_eq!(relay.answer(2)["result"]["isError"], json!(true));
    relay.says(&deploy(3));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-once");
    let mut seen = String::new();
    let call = loop {
        let request = server.request("");
        assert!(request.to_lowercase().contains("x-secret: s3cret"), "{request}");
        if request.contains("tools/call") {
            break request;
        }
        seen.push_str(&request);
    };
    assert!(call.starts_with("POST /messages?session=1 "), "{call}");
    assert!(!seen.contains("tools/call") && seen.starts_with("GET /sse "), "{seen}");
    let sent: Value = serde_json::from_str(call.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let result = json!({"content": [{"type": "text", "text": "deployed"}]});
    server.write(&format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": sent["id"], "result": result})));
    assert!(relay.answer(3).to_string().contains("deployed"));
    drop(relay);
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
    scene.machine.is_quiet();
}

/// Attack 561: an answer under another id is nobody's, and a stream that ends in a call fails that call; it is not made again.
#[test]
fn given_an_sse_server_that_answers_something_else_and_ends_then_the_call_fails_and_is_not_made_again() {
    let server = Server::start("/messages");
    let (mut scene, relay) = session(&server);
    let mut relay = Relay::start(&scene, &relay);
    relay.says(&deploy(2));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-once");
    server.request("tools/call");
    let forged = json!({"content": [{"type": "text", "text": "forged"}]});
    for id in [json!(2), json!(999_999_999), json!("2")] {
        server.write(&format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": id, "result": forged})));
    }
    server.cut();
    let answer = relay.answer(2).to_string();
    assert!(
        answer.contains("the server old is gone: its stream of events") && !answer.contains("forged"),
        "{answer}"
    );
    // It connects anew, and what failed is not sent again.
    let mut after = server.request("initialize");
    let deadline = Instant::now() + mayi_tests::LIMIT;
    for id in 3.. {
        relay.says(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}));
        let answer = relay.answer(id);
        if answer["result"]["tools"][0]["name"] == "deploy" {
            break;
        }
        assert!(Instant::now() < deadline, "{answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
    after.extend(server.requests.try_iter());
    assert!(after.contains("tools/list") && !after.contains("tools/call"), "{after}");
    drop(relay);
    scene.editor_leaves();
    scene.end();
}

/// Attack 560: a server that has messages sent elsewhere: its tools are not there, and nobody waits.
#[test]
fn given_an_sse_server_that_names_another_origin_then_its_tools_are_not_there() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server::start(&format!("http://{}/messages", elsewhere.local_addr().unwrap()));
    let (mut scene, relay) = session(&server);
    let mut relay = Relay::begin(&scene, &relay);
    let answer = relay.answer(1);
    relay.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    relay.says(&deploy(2));
    let call = relay.answer(2);
    assert!(call["error"].is_object() || call["result"]["isError"] == json!(true), "{answer} {call}");
    assert!(format!("{answer}{call}").contains("it says that messages go elsewhere"), "{answer} {call}");
    elsewhere.set_nonblocking(true).unwrap();
    assert!(elsewhere.accept().is_err(), "nothing came there");
    drop(relay);
    scene.editor_leaves();
    scene.end();
}
