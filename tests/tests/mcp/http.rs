//! A client over Streamable HTTP that knows only bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::scene::Scene;

/// A `mayi mcp --http`.
pub(crate) struct Served {
    child: Child,
    at: String,
    /// Where the token is that it asks for.
    token_file: Option<String>,
}

impl Served {
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let url = told["url"].as_str().unwrap();
        let at = url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        let token_file = told["tokenFile"].as_str().map(str::to_owned);
        Self { child, at, token_file }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.at
    }

    /// A request of 2026-07-28.
    pub(crate) fn ask(&self, method: &str, name: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bytes", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        self.send(method, name, &body)
    }

    /// Sends a body, and returns the message that answers it.
    pub(crate) fn send(&self, method: &str, name: &str, body: &str) -> Value {
        let headers =
            format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: {name}\r\n");
        let answer = self.post(&self.at, &headers, body);
        // Plain or as an event, in chunks or not: the message is on one line.
        let message = answer.lines().find_map(|line| {
            let line = line.strip_prefix("data:").unwrap_or(line).trim();
            serde_json::from_str::<Value>(line).ok().filter(|message| message["jsonrpc"] == "2.0")
        });
        message.unwrap_or_else(|| panic!("no message: {answer}"))
    }

    /// Sends a body to somebody, with more headers; returns all that comes back.
    fn post(&self, host: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\naccept: application/json, \
             text/event-stream\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Attack 23: a web page, a name that leads to this machine, no token, one in the address, headers that name another
/// call than the body.
#[test]
fn given_a_web_page_or_no_token_or_other_headers_then_no_call_reaches_a_server() {
    let scene = Scene::new("");
    let token = scene.machine.outside_text("token");
    let mut command = scene.mayi(&[
        "mcp",
        "--name",
        "rogue",
        "--allow",
        "mcp(rogue/*)",
        "--allow",
        "mcp(rogue/delete)",
        "--http",
        "127.0.0.1:0",
    ]);
    command.args(["--no-record", "--token-file", &token, "--"]).args(scene.command("rogue", "plain"));
    let served = Served::start(command);
    let token = std::fs::read_to_string(token).unwrap().trim().to_owned();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"delete","arguments":{}}}"#;
    let version = "mcp-protocol-version: 2026-07-28\r\n";
    let call = format!("{version}mcp-method: tools/call\r\nmcp-name: delete\r\n");
    let own = format!("authorization: Bearer {token}\r\n");
    let at = served.at.as_str();
    for (host, headers) in [
        (at, format!("{call}{own}origin: https://evil.example\r\n")),
        (at, format!("{call}{own}origin: null\r\n")),
        ("evil.example", format!("{call}{own}")),
        (at, call.clone()),
        (at, format!("{call}authorization: Bearer {token}x\r\n")),
        (at, format!("{call}authorization: Basic {token}\r\n")),
        (at, format!("{call}cookie: token={token}\r\n")),
        (at, format!("{version}{own}mcp-method: tools/call\r\nmcp-name: list\r\n")),
        (at, format!("{version}{own}mcp-method: ping\r\nmcp-name: delete\r\n")),
        (at, format!("{version}{own}mcp-name: delete\r\n")),
    ] {
        let answer = served.post(host, &headers, body);
        let status = answer.split_whitespace().nth(1).unwrap_or_default();
        assert!(["400", "401", "403"].contains(&status), "{headers}: {answer}");
    }
    scene.nothing_ran();
    let answer = served.post(at, &format!("{call}{own}"), body);
    assert!(answer.contains("ran delete"), "{answer}");
}

/// Found in review: 1,100 requests without a token that are half sent, again and again: whoever has the token is
/// answered at once, and nobody else has a server started. Attacks 298, 299.
#[test]
fn given_strangers_without_a_token_then_others_are_answered_and_no_server_is_started() {
    let scene = Scene::new("");
    let mut command =
        scene.mayi(&["mcp", "--name", "rogue", "--allow", "mcp(rogue/*)", "--http", "127.0.0.1:0", "--"]);
    command.args(scene.command("rogue", "plain"));
    let served = Served::start(command);
    // Without a word about tokens there is one, which only this user can read.
    let file = served.token_file.clone().unwrap();
    let meta = std::fs::metadata(&file).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777, 0o600);
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bytes", "version": "1" },
    } });
    let at = served.at.as_str();
    let mut half: Vec<TcpStream> = Vec::new();
    for number in 0..1100 {
        let mut stream = TcpStream::connect(at).unwrap();
        let _ = match number % 3 {
            0 => stream.write_all(b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: "),
            1 => Ok(()),
            _ => stream.write_all(b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n{"),
        };
        half.push(stream);
        if number % 50 == 0 {
            let refused = served.post(at, "", &hello.to_string());
            assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
        }
    }
    assert_eq!(scene.lines("rogue"), [""; 0], "no server was started");
    let own = format!("authorization: Bearer {token}\r\n");
    let answer = served.post(at, &own, &hello.to_string());
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(!scene.lines("rogue").is_empty());
    drop(half);
}

/// S5.12: `--open` at loopback only, and said. Attack 299.
#[test]
fn given_open_then_no_token_is_asked_for_and_only_at_loopback() {
    let scene = Scene::new("");
    let mut command = scene.mayi(&[
        "mcp",
        "--name",
        "rogue",
        "--allow",
        "mcp(rogue/*)",
        "--allow",
        "mcp(rogue/delete)",
        "--http",
        "127.0.0.1:0",
        "--open",
    ]);
    command.arg("--").args(scene.command("rogue", "plain"));
    let served = Served::start(command);
    assert_eq!(served.token_file, None);
    let answer = served.ask("tools/call", "delete", json!({ "name": "delete", "arguments": {} }));
    assert!(answer.to_string().contains("ran delete"), "{answer}");
    let mut command = scene.mayi(&["mcp", "--name", "rogue", "--http", "0.0.0.0:0", "--open", "--"]);
    let refused = command.args(scene.command("rogue", "plain")).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("leave out --open"), "{said}");
}
