//! An MCP server that misbehaves. It is told where its folder is, and how it behaves (`Behaviour`); what its tools do is
//! told by their names (`calls`).
//!
//! Every line that it gets is appended to `log` in its folder, as it came, and each start to `starts`. If there is a file
//! `tools.json` there, that text is its list of tools (`prompts.json`, `resources.json` and `templates.json`: of those); a file `instructions` is what it tells the model, and `dead` keeps
//! it from starting. They are read anew each time, so that a test can change its mind.

mod calls;
mod lists;

use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

/// What it does besides its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Both eras, and nothing odd.
    Plain,
    /// Only `initialize`.
    Older,
    /// `tools/list` is never answered.
    Mute,
    /// The second page of its tools is followed by itself, for ever.
    EndlessPages,
    /// Every page is followed by another one.
    MorePages,
    /// It has 100,000 tools, on one page.
    ManyTools,
    /// It has 100,000 tools on each page, and every page is followed by another one.
    ManyPages,
}

pub(crate) struct Server {
    folder: PathBuf,
    behaviour: Behaviour,
    /// It was sent `initialize`.
    begun: Cell<bool>,
}

/// Where a request of 2026-07-28 says which version it is of.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().unwrap_or_default());
    let behaviour = match words.next().as_deref() {
        None | Some("plain") => Behaviour::Plain,
        Some("older") => Behaviour::Older,
        Some("mute") => Behaviour::Mute,
        Some("endless-pages") => Behaviour::EndlessPages,
        Some("more-pages") => Behaviour::MorePages,
        Some("many-tools") => Behaviour::ManyTools,
        Some("many-pages") => Behaviour::ManyPages,
        Some(other) => return Err(io::Error::other(format!("no behaviour is called {other}"))),
    };
    let server = Server { folder, behaviour, begun: Cell::new(false) };
    server.append("starts", &std::process::id().to_string())?;
    if server.folder.join("dead").exists() {
        return Ok(());
    }
    for line in io::stdin().lock().lines() {
        let line = line?;
        server.append("log", &line)?;
        // What is no JSON has no id to answer to.
        if let Ok(message) = serde_json::from_str::<Value>(&line) {
            server.take(&message)?;
        }
    }
    Ok(())
}

impl Server {
    fn append(&self, name: &str, line: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.folder.join(name))?;
        // In one piece: a test may look at any time.
        file.write_all(format!("{line}\n").as_bytes())
    }

    fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(name)).ok()
    }

    fn take(&self, message: &Value) -> io::Result<()> {
        let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Value::as_str))
        else {
            return Ok(());
        };
        let parameters = message.get("params").unwrap_or(&Value::Null);
        let instructions = self.text("instructions");
        // It holds others to the protocol.
        let stamped = parameters.get("_meta").and_then(|meta| meta.get(VERSION)).is_some();
        let begins = matches!(method, "initialize" | "server/discover" | "ping");
        self.begun.set(self.begun.get() || method == "initialize");
        if !begins && !stamped && !self.begun.get() {
            return say(&error(id, -32600, "nothing has begun"));
        }
        let list = list_file(method).and_then(|(member, file)| Some((member, self.text(file)?)));
        if let Some((member, text)) = list {
            return say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","ttlMs":0,"cacheScope":"private","{member}":{}}}}}"#,
                text.trim().replace('\n', " ")
            ));
        }
        match method {
            "initialize" => {
                let mut hello = json!({
                    "protocolVersion": parameters.get("protocolVersion"),
                    "capabilities": capabilities(),
                    "serverInfo": { "name": "rogue", "version": "1" },
                });
                if let (Some(text), Some(hello)) = (instructions, hello.as_object_mut()) {
                    hello.insert("instructions".to_owned(), json!(text));
                }
                say(&result(id, &hello))
            }
            "server/discover" if self.behaviour != Behaviour::Older => {
                let mut hello = json!({
                    "resultType": "complete",
                    "supportedVersions": ["2026-07-28"],
                    "capabilities": capabilities(),
                    "ttlMs": 0, "cacheScope": "private",
                    "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "rogue", "version": "1" } },
                });
                if let (Some(text), Some(hello)) = (instructions, hello.as_object_mut()) {
                    hello.insert("instructions".to_owned(), json!(text));
                }
                say(&result(id, &hello))
            }
            "ping" => say(&result(id, &json!({}))),
            "tools/list" => self.list(id, parameters),
            "tools/call" => self.call(id, parameters),
            "prompts/list" => say(&result(
                id,
                &json!({ "prompts": [{ "name": "greet" }], "resultType": "complete", "ttlMs": 0,
                    "cacheScope": "private" }),
            )),
            "prompts/get" => {
                let text = json!({ "type": "text", "text": format!("greetings from {}", self.name()) });
                say(&result(
                    id,
                    &json!({ "messages": [{ "role": "user", "content": text }], "resultType": "complete" }),
                ))
            }
            "resources/list" => {
                let uri = format!("rogue://{}/one", self.name());
                say(&result(id, &json!({ "resources": [{ "name": "one", "uri": uri }] })))
            }
            "resources/read" => self.read(id, parameters),
            _ => say(&error(id, -32601, "method not found")),
        }
    }

    /// The last part of its folder.
    fn name(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn read(&self, id: &Value, parameters: &Value) -> io::Result<()> {
        let own = format!("rogue://{}/one", self.name());
        match parameters.get("uri").and_then(Value::as_str) {
            Some(uri) if uri == own => {
                say(&result(id, &json!({ "contents": [{ "uri": uri, "text": self.name() }] })))
            }
            _ => say(&error(id, -32002, "no such resource")),
        }
    }
}

/// The member of a list's result, and the file with the list.
fn list_file(method: &str) -> Option<(&'static str, &'static str)> {
    match method {
        "prompts/list" => Some(("prompts", "prompts.json")),
        "resources/list" => Some(("resources", "resources.json")),
        "resources/templates/list" => Some(("resourceTemplates", "templates.json")),
        _ => None,
    }
}

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": true }, "prompts": {}, "resources": {} })
}

/// A response that says yes.
pub(crate) fn result(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

/// A response that says no.
pub(crate) fn error(id: &Value, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

/// Writes one line.
pub(crate) fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}
