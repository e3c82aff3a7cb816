//! `mayi mcp` and `mayi responses`: this program is the client and what stands behind. One exchange after the other, to the end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use mayi_tests::endpoint::{Endpoint, KEY};
use mayi_tests::heavy::{Input, TOOLS};
use serde_json::{Value, json};

use crate::common::Outcome;
use crate::running::Running;
use crate::watch::{Told, Watch};
use crate::{Bench, Door, PUPPET};

/// What mayi serves over HTTP.
struct Served {
    running: Running,
    at: String,
    token: String,
}

impl Served {
    fn start(bench: &Bench, words: &[&str], folder: &Path) -> Outcome<Self> {
        let mut command = bench.mayi(words, folder);
        command.env("UPSTREAM_KEY", KEY);
        let mut running = Running::start(command)?;
        let (stdin, stdout) = running.streams()?;
        running.keep(stdin);
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line).map_err(|error| format!("{line:?}: {error}"))?;
        let text = |key: &str| told.get(key).and_then(Value::as_str).ok_or("it does not say where it is");
        let at = text("url")?.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
        let token = std::fs::read_to_string(text("tokenFile")?)?.trim().to_owned();
        Ok(Self { running, at, token })
    }

    /// Posts a body; what comes back, and when all of it was there.
    fn post(&self, path: &str, headers: &str, body: &str) -> Outcome<(Value, Instant)> {
        let mut stream = TcpStream::connect(&self.at)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        // This version has no chunks.
        let head = format!(
            "POST {path} HTTP/1.0\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n",
            self.at,
            self.token,
            body.len()
        );
        // Who refuses it may not have read all of it.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        let mut bytes = Vec::new();
        let ended = stream.read_to_end(&mut bytes);
        let at = Instant::now();
        let answer = String::from_utf8(bytes)?;
        let (head, body) =
            answer.split_once("\r\n\r\n").ok_or_else(|| format!("no answer: {answer:?}, {ended:?}"))?;
        let json = |line: &str| {
            serde_json::from_str::<Value>(line.strip_prefix("data:").unwrap_or(line).trim()).ok()
        };
        let found = body.lines().filter_map(json).find(Value::is_object);
        let said = || head.lines().next().unwrap_or_default().to_owned();
        Ok((found.or_else(|| json(body)).ok_or_else(|| format!("{}: {body:.300}", said()))?, at))
    }
}

struct Gateway(Served);

pub(crate) fn mcp(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let socket = folder.join("socket");
    let listener = UnixListener::bind(&socket)?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    let (rules, socket) = (rules.display().to_string(), socket.display().to_string());
    let words = [
        "mcp",
        "--config",
        &rules,
        "--name",
        "s",
        "--agent",
        "bot",
        "--http",
        "127.0.0.1:0",
        "--",
        PUPPET,
        &socket,
    ];
    let gateway = Gateway(Served::start(bench, &words, folder)?);
    // Its tools are asked for with the first call.
    gateway.call("t", &json!({}), None)?;
    Ok(Box::new(gateway))
}

/// A server of tools, each of which says that it ran.
fn serve(stream: UnixStream) -> Outcome<()> {
    let mut writer = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Value::as_str))
        else {
            continue;
        };
        let tools = || -> Vec<Value> {
            let tool = |name| json!({ "name": name, "description": "Does a thing", "inputSchema": { "type": "object" } });
            TOOLS.iter().map(tool).collect()
        };
        let result = match method {
            "initialize" => json!({
                "protocolVersion": message.pointer("/params/protocolVersion"), "capabilities": { "tools": {} },
                "serverInfo": { "name": "s", "version": "1" },
            }),
            "tools/list" => json!({ "tools": tools() }),
            "tools/call" => json!({ "content": [{ "type": "text", "text": "ran" }] }),
            _ => json!({}),
        };
        writeln!(writer, "{}", json!({ "jsonrpc": "2.0", "id": id, "result": result }))?;
    }
    Ok(())
}

impl Gateway {
    /// Calls a tool, or comes back with an answer to what was asked about it.
    fn call(&self, tool: &str, arguments: &Value, state: Option<&Value>) -> Outcome<(Value, Instant)> {
        let (headers, body) = Self::message(tool, arguments, state);
        self.0.post("/mcp", &headers, &body)
    }

    fn message(tool: &str, arguments: &Value, state: Option<&Value>) -> (String, String) {
        let mut params = json!({
            "name": tool, "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bytes", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
            },
        });
        if let (Some(state), Some(params)) = (state, params.as_object_mut()) {
            params.insert("requestState".to_owned(), state.clone());
            params.insert("inputResponses".to_owned(), json!({ "mayi": { "action": "decline" } }));
        }
        let headers =
            format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n");
        (headers, json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string())
    }
}

impl Door for Gateway {
    fn tell(&mut self, input: &Input, _: usize) -> Outcome<Told> {
        let (tool, arguments) = input.call();
        let (headers, body) = Self::message(tool, &arguments, None);
        let watch = Watch::begin(self.0.running.id())?;
        let (answer, at) = self.0.post("/mcp", &headers, &body)?;
        let took = watch.took(at);
        let state = answer.pointer("/result/requestState");
        if state.is_some() {
            self.call(tool, &arguments, state)?;
        }
        watch.end(took, state.is_some())
    }

    /// Each request is a session of its own.
    fn ends_well(&mut self) -> Outcome<()> {
        self.tell(&Input::Line("ls src".to_owned()), 0).map(drop)
    }
}

struct Responses {
    served: Served,
    endpoint: Endpoint,
}

pub(crate) fn responses(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let endpoint = Endpoint::start();
    let rules = rules.display().to_string();
    let words = [
        "responses",
        "--upstream",
        &endpoint.url,
        "--key-env",
        "UPSTREAM_KEY",
        "--on-ask",
        "deny",
        "--config",
        &rules,
    ];
    let served = Served::start(bench, &words, folder)?;
    let mut door = Responses { served, endpoint };
    door.ends_well()?;
    Ok(Box::new(door))
}

impl Door for Responses {
    fn tell(&mut self, input: &Input, _: usize) -> Outcome<Told> {
        self.endpoint.gives(Some(input.call().1.to_string()));
        let server = json!({ "type": "mcp", "server_label": "docs", "server_url": "https://docs.example/mcp", "require_approval": "always" });
        let body = json!({ "model": "m", "input": "[[\"read\"]]", "tools": [server] }).to_string();
        let watch = Watch::begin(self.served.running.id())?;
        let (answer, at) = self.served.post("/v1/responses", "", &body)?;
        if answer.get("status").is_none_or(|status| status != "completed") {
            return Err(format!("it was not answered: {:.300}", answer.to_string()).into());
        }
        let took = watch.took(at);
        watch.end(took, false)
    }

    /// Each response is a session of its own.
    fn ends_well(&mut self) -> Outcome<()> {
        self.tell(&Input::Line("ls src".to_owned()), 0).map(drop)
    }
}
