//! An agent that calls tools of the MCP servers of its session, and asks about none of them unless it is told to.
//!
//! Raw lines of JSON on standard input and output. With `--eager` it starts the servers before it answers `session/new`,
//! as some agents do, and lists their tools. A block of a prompt that begins with `do:` is a script; its steps stand between
//! `;;`, and what becomes of each is told in a message chunk of its own, on one line:
//!
//! | step | does | tells |
//! |---|---|---|
//! | `call SERVER TOOL JSON` | calls, and reports the call when it has ended | `SERVER/TOOL -> TEXT`, `SERVER/TOOL -> refused: TEXT` or `SERVER/TOOL -> error: MESSAGE` |
//! | `hide SERVER TOOL JSON` | calls, and reports nothing | the same |
//! | `ask SERVER TOOL JSON` | asks for permission, calls if that is given, and reports | the same, or `SERVER/TOOL -> not allowed` |
//! | `list SERVER` | lists the tools | `SERVER -> NAME, NAME` |
//! | `show SERVER` | nothing | `SERVER = JSON`: what the session was given of it |
//! | `wait FILE` | waits until there is such a file | nothing |

#![allow(clippy::indexing_slicing, reason = "what is not there is null")]

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let eager = std::env::args().any(|word| word == "--eager");
    let mut agent = Agent { given: BTreeMap::new(), servers: BTreeMap::new(), asked: 0 };
    while let Some(message) = read()? {
        let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Value::as_str))
        else {
            continue;
        };
        let result = match method {
            "initialize" => json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [] }),
            "session/new" => {
                let given = message.pointer("/params/mcpServers").and_then(Value::as_array);
                for server in given.into_iter().flatten() {
                    let name = server["name"].as_str().unwrap_or_default().to_owned();
                    agent.given.insert(name, server.clone());
                }
                if eager {
                    for name in agent.given.keys().cloned().collect::<Vec<_>>() {
                        agent.server(&name)?.ask("tools/list", &json!({}))?;
                    }
                }
                json!({ "sessionId": "server-agent-1" })
            }
            "session/prompt" => {
                let blocks = message.pointer("/params/prompt").and_then(Value::as_array);
                let texts = blocks.into_iter().flatten().filter_map(|block| block["text"].as_str());
                for script in
                    texts.filter_map(|text| text.strip_prefix("do:")).map(str::to_owned).collect::<Vec<_>>()
                {
                    for step in script.split(";;") {
                        agent.step(step.trim())?;
                    }
                }
                json!({ "stopReason": "end_turn" })
            }
            other => {
                let error = json!({ "code": -32601, "message": format!("Method not found: {other}") });
                write(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))?;
                continue;
            }
        };
        write(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))?;
    }
    Ok(())
}

struct Agent {
    given: BTreeMap<String, Value>,
    servers: BTreeMap<String, Server>,
    asked: u64,
}

impl Agent {
    fn step(&mut self, step: &str) -> Outcome<()> {
        let mut words = step.splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (how, name, tool, arguments) = (word(), word(), word(), word());
        match how {
            "show" => return say(&format!("{name} = {}", self.given.get(name).unwrap_or(&Value::Null))),
            "list" => {
                let listed = self.server(name)?.ask("tools/list", &json!({}))?;
                let tools = listed.pointer("/result/tools").and_then(Value::as_array);
                let names: Vec<&str> =
                    tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
                return say(&format!("{name} -> {}", names.join(", ")));
            }
            "wait" => {
                while !std::path::Path::new(name).exists() {
                    std::thread::sleep(Duration::from_millis(10));
                }
                return Ok(());
            }
            _ => {}
        }
        self.asked += 1;
        let id = format!("call-{}", self.asked);
        let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
        let known = json!({
            "toolCallId": id, "title": format!("mcp__{name}__{tool}"), "kind": "other", "rawInput": input,
            "_meta": { "claudeCode": { "toolName": format!("mcp__{name}__{tool}") } },
        });
        if how == "ask" && !permitted(&known)? {
            return say(&format!("{name}/{tool} -> not allowed"));
        }
        let answer = self.server(name)?.ask("tools/call", &json!({ "name": tool, "arguments": input }))?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_default();
        let refused = answer.pointer("/result/isError") == Some(&json!(true));
        let said = match answer.pointer("/error/message").and_then(Value::as_str) {
            Some(message) => format!("error: {message}"),
            None if refused => format!("refused: {text}"),
            None => text.to_owned(),
        };
        if how != "hide" {
            let mut update = known;
            update["sessionUpdate"] = json!("tool_call");
            update["status"] =
                json!(if said.starts_with("error: ") || refused { "failed" } else { "completed" });
            notify(&update)?;
        }
        say(&format!("{name}/{tool} -> {}", said.replace('\n', " ")))
    }

    /// A server of the session; started where it does not run.
    fn server(&mut self, name: &str) -> Outcome<&mut Server> {
        if !self.servers.contains_key(name) {
            let given = self.given.get(name).ok_or("no such server")?;
            self.servers.insert(name.to_owned(), Server::start(given)?);
        }
        Ok(self.servers.get_mut(name).ok_or("no such server")?)
    }
}

struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(given: &Value) -> Outcome<Self> {
        let mut command = Command::new(given["command"].as_str().unwrap_or_default());
        command.args(given["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
        for variable in given["env"].as_array().into_iter().flatten() {
            command.env(
                variable["name"].as_str().unwrap_or_default(),
                variable["value"].as_str().unwrap_or_default(),
            );
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes".into());
        };
        let mut server = Self { child, to, from: BufReader::new(from), next: 0 };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "agent", "version": "1" } });
        server.ask("initialize", &hello)?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Outcome<()> {
        writeln!(self.to, "{message}")?;
        Ok(self.to.flush()?)
    }

    /// Asks, and returns the whole response.
    fn ask(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line)? == 0 {
                return Ok(json!({ "error": { "message": "the server is gone" } }));
            }
            let said: Value = serde_json::from_str(&line)?;
            if said["id"] == json!(id) && said.get("method").is_none() {
                return Ok(said);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks the client for permission.
fn permitted(call: &Value) -> Outcome<bool> {
    let options = json!([
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" }, { "optionId": "no", "name": "No", "kind": "reject_once" },
    ]);
    let params = json!({ "sessionId": "server-agent-1", "toolCall": call, "options": options });
    write(
        &json!({ "jsonrpc": "2.0", "id": "ask", "method": "session/request_permission", "params": params }),
    )?;
    while let Some(message) = read()? {
        if message["id"] == json!("ask") {
            return Ok(message.pointer("/result/outcome/optionId") == Some(&json!("yes")));
        }
    }
    Ok(false)
}

fn say(text: &str) -> Outcome<()> {
    notify(
        &json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": format!("{text}\n") } }),
    )
}

fn notify(update: &Value) -> Outcome<()> {
    let params = json!({ "sessionId": "server-agent-1", "update": update });
    write(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }))
}

fn read() -> Outcome<Option<Value>> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line)?;
    Ok((read > 0).then(|| serde_json::from_str(&line)).transpose()?)
}

fn write(message: &Value) -> Outcome<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{message}")?;
    Ok(stdout.flush()?)
}
