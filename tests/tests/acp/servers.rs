//! MCP servers that an editor puts into a session stand behind the session's gate (S4.3).

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::scene::{Scene, machine};

const MINI: &str = env!("CARGO_BIN_EXE_mini_mcp");

/// Attack 398: a server that nothing can stand before is passed on to nobody, whatever the request is called.
#[test]
fn given_servers_that_nothing_can_stand_before_then_the_agent_gets_none_of_it() {
    let mut scene = Scene::open(machine(), &[]);
    let cwd = scene.machine.work();
    let servers = [
        json!([{"type": "ws", "name": "x", "url": "http://127.0.0.1:9/", "headers": []}]),
        json!([{"type": "sse", "name": "x", "headers": []}]),
        json!([{"type": "acp", "name": "x", "id": "1"}]),
        json!([{"name": "x"}]),
        json!("all"),
        json!([{"name": "a", "command": "x", "args": [], "env": []}, {"name": "a", "command": "y", "args": [], "env": []}]),
    ];
    let mut id = 0;
    for method in
        ["session/new", "session/load", "session/resume", "session/fork", "session/invented", "_vendor/open"]
    {
        for servers in &servers {
            id += 1;
            scene.ask(id, method, &json!({"sessionId": "s2", "cwd": cwd, "mcpServers": servers}));
            assert!(scene.editor.answer(id)["error"]["code"].is_i64(), "{method} {servers}");
        }
    }
    scene.ask(
        "x",
        "session/new",
        &json!({"cwd": cwd, "mcpServers": [], "McpServers": [{"name": "x", "command": "evil"}]}),
    );
    assert!(scene.editor.answer("x")["error"]["code"].is_i64());
    scene.nothing_for_agent();
}

/// Environment kept, and a tool's call gated though the agent never asks.
#[test]
fn given_a_server_of_the_editors_then_the_agent_starts_a_relay_and_its_calls_are_asked_about_in_the_editor() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let server =
        json!({"name": "mini", "command": MINI, "args": [], "env": [{"name": "SECRET", "value": "s3cret"}]});
    scene.ask(
        "n",
        "session/new",
        &json!({"cwd": scene.machine.work(), "mcpServers": [server], "x-new": 1.5}),
    );
    let asked = scene.agent.until("session/new");
    let relay = asked["params"]["mcpServers"][0].clone();
    assert_eq!(relay["name"], "mini");
    assert!(!relay.to_string().contains("s3cret") && !relay.to_string().contains("mini_mcp"), "{relay}");
    assert_eq!(asked["params"]["x-new"], 1.5);
    scene.agent_answers("n", &json!({"sessionId": "s"}));
    scene.editor.answer("n");
    let mut relay = Relay::start(&scene, &relay);
    let file = scene.machine.work().join("made");
    relay.says(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "plain", "arguments": {"path": file}}}));
    let question = scene.editor.until("session/request_permission");
    assert_eq!(question["params"]["sessionId"], "s");
    assert!(question.to_string().contains("mcp(mini/plain"), "{question}");
    assert!(!file.exists());
    scene.pick(&question, "mayi-once");
    let answer = relay.answer(2);
    assert!(answer["result"]["isError"] != json!(true) && file.exists(), "{answer}");
    relay.says(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "plain", "arguments": {"path": file}}}));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    assert_eq!(relay.answer(3)["result"]["isError"], json!(true));
    drop(relay);
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0));
    scene.machine.is_quiet();
}

/// What the agent can do with servers is what mayi can: editors offer nothing that would not be opened.
#[test]
fn given_what_an_agent_says_it_can_do_then_the_editor_hears_what_mayi_can_stand_before() {
    let mut scene = Scene::begin(machine(), &[]);
    scene.ask(1, "initialize", &json!({"protocolVersion": 1}));
    scene.agent.until("initialize");
    scene.agent_answers(1, &json!({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"http": false, "sse": false, "acp": true, "x": 1}, "y": 2.5}}));
    let told = scene.editor.answer(1);
    assert_eq!(
        told["result"]["agentCapabilities"],
        json!({"mcpCapabilities": {"http": true, "sse": true, "acp": false, "x": 1}, "y": 2.5})
    );
}

/// S4.13: whatever opens a session, its servers stand behind the gate; and each gets the environment that the editor gives it.
#[test]
fn given_a_session_that_is_loaded_or_forked_then_its_servers_stand_behind_the_gate_with_their_environment() {
    for method in ["session/load", "session/resume", "session/fork"] {
        let mut scene = Scene::open(machine(), &[]);
        let log = scene.machine.outside("started");
        let env = json!([{"name": "MINI_MCP_LOG", "value": log}]);
        let server = json!({"name": "mini", "command": MINI, "args": [], "env": env});
        let params = json!({"sessionId": "s", "cwd": scene.machine.work(), "mcpServers": [server]});
        scene.ask("n", method, &params);
        let asked = scene.agent.until(method);
        let relay = asked["params"]["mcpServers"][0].clone();
        assert!(!relay.to_string().contains("mini_mcp") && !relay.to_string().contains("started"), "{relay}");
        let id = if method == "session/fork" { "forked" } else { "s" };
        scene.agent_answers("n", &json!({"sessionId": id}));
        scene.editor.answer("n");
        let mut relay = Relay::start(&scene, &relay);
        let file = scene.machine.work().join("made");
        relay.says(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "plain", "arguments": {"path": file}}}));
        let question = scene.editor.until("session/request_permission");
        assert_eq!(question["params"]["sessionId"], id, "{method}");
        scene.pick(&question, "mayi-deny");
        assert_eq!(relay.answer(2)["result"]["isError"], json!(true), "{method}");
        assert!(std::fs::read_to_string(&log).unwrap().contains("start"), "{method}");
        assert!(!file.exists(), "{method}");
    }
}

/// A name that no rule can allow: each call is asked about, and a denial holds for it.
#[test]
fn given_a_server_whose_name_has_parentheses_then_its_calls_are_asked_about_and_can_be_denied() {
    let allowed = ["--allow", "mcp(My server (dev)/*)", "--allow", "mcp(*)", "--deny", "mcp(* (dev)/wipe)"];
    let mut scene = Scene::begin(machine(), &allowed);
    scene.initialize();
    let server = json!({"name": "My server (dev)", "command": MINI, "args": [], "env": []});
    scene.ask("n", "session/new", &json!({"cwd": scene.machine.work(), "mcpServers": [server]}));
    let relay = scene.agent.until("session/new")["params"]["mcpServers"][0].clone();
    assert_eq!(relay["name"], "My server (dev)");
    scene.agent_answers("n", &json!({"sessionId": "s"}));
    scene.editor.answer("n");
    let mut relay = Relay::start(&scene, &relay);
    let file = scene.machine.work().join("made");
    relay.says(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "plain", "arguments": {"path": file}}}));
    let question = scene.editor.until("session/request_permission");
    assert!(question.to_string().contains("mcp(My server (dev)/plain"), "{question}");
    scene.pick(&question, "mayi-once");
    assert!(relay.answer(2)["result"]["isError"] != json!(true) && file.exists());
    relay.says(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "wipe", "arguments": {"path": file}}}));
    assert_eq!(relay.answer(3)["result"]["isError"], json!(true));
}

/// An HTTP server with headers: its secrets stay with mayi, and its calls are asked about.
#[test]
fn given_an_http_server_with_headers_then_it_stands_behind_the_gate_and_gets_them() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (to, requests) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let to = to.clone();
            std::thread::spawn(move || serve_http(stream, &to));
        }
    });
    let mut scene = Scene::begin(machine(), &[]);
    scene.initialize();
    let headers = json!([{"name": "X-Secret", "value": "s3cret"}]);
    let server = json!({"type": "http", "name": "web", "url": url, "headers": headers});
    scene.ask("n", "session/new", &json!({"cwd": scene.machine.work(), "mcpServers": [server]}));
    let asked = scene.agent.until("session/new");
    let relay = asked["params"]["mcpServers"][0].clone();
    assert!(!relay.to_string().contains("s3cret") && !relay.to_string().contains(&url), "{relay}");
    scene.agent_answers("n", &json!({"sessionId": "s"}));
    scene.editor.answer("n");
    let mut relay = Relay::start(&scene, &relay);
    relay.says(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "deploy", "arguments": {}}}));
    let question = scene.editor.until("session/request_permission");
    assert!(question.to_string().contains("mcp(web/deploy"), "{question}");
    scene.pick(&question, "mayi-once");
    assert!(relay.answer(2).to_string().contains("deployed"));
    let call = loop {
        let request: String = requests.recv_timeout(mayi_tests::LIMIT).unwrap();
        if request.contains("tools/call") {
            break request;
        }
    };
    assert!(call.to_lowercase().contains("x-secret: s3cret"), "{call}");
}

/// One connection of a server with one tool, `deploy`; each request with its headers goes to `to`.
fn serve_http(stream: std::net::TcpStream, to: &std::sync::mpsc::Sender<String>) {
    use std::io::Read;
    let mut out = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            head.push_str(&line);
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let _ = to.send(format!("{head}{message}"));
        let result = match message["method"].as_str() {
            Some("initialize") => {
                json!({"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}})
            }
            Some("tools/list") => json!({"tools": [{"name": "deploy", "inputSchema": {"type": "object"}}]}),
            Some("tools/call") => json!({"content": [{"type": "text", "text": "deployed"}]}),
            _ => json!({}),
        };
        let answer = match (head.starts_with("POST"), message["id"].is_null()) {
            (false, _) => "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n".to_owned(),
            (true, true) => "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
            (true, false) => {
                let text = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
                    text.len()
                )
            }
        };
        if out.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// What the agent starts in the place of a server.
pub(crate) struct Relay {
    child: std::process::Child,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Relay {
    /// Begun, and its answer read.
    pub(crate) fn start(scene: &Scene, relay: &Value) -> Self {
        let mut relay = Self::begin(scene, relay);
        relay.answer(1);
        relay.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        relay
    }

    /// Started, and asked to begin: its answer has the id 1.
    pub(crate) fn begin(scene: &Scene, relay: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut command = Command::new(text(&relay["command"]));
        command.env_clear().envs(scene.machine.environment());
        command.args(relay["args"].as_array().unwrap().iter().map(text));
        for pair in relay["env"].as_array().unwrap() {
            command.env(text(&pair["name"]), text(&pair["value"]));
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (to, lines) = std::sync::mpsc::channel();
        let out = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| to.send(line))
        });
        let mut relay = Self { child, lines };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        relay.says(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}));
        relay
    }

    pub(crate) fn says(&mut self, message: &Value) {
        let to = self.child.stdin.as_mut().unwrap();
        writeln!(to, "{message}").unwrap();
        to.flush().unwrap();
    }

    #[track_caller]
    pub(crate) fn answer(&self, id: u64) -> Value {
        loop {
            let line = self.lines.recv_timeout(mayi_tests::LIMIT).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
