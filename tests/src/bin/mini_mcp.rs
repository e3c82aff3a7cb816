//! A tiny MCP server on stdio, whose tools differ in what they say about themselves.
//!
//! | tool | says | does |
//! |---|---|---|
//! | `wipe` | `destructiveHint` | creates the file `path`, with its own name in it |
//! | `plain` | nothing | creates the file `path`, with its own name in it |
//! | `peek` | `readOnlyHint` | nothing |
//! | `echo` | `readOnlyHint` | says `message` back |
//!
//! So a test sees on disk whether a call got through. With `MINI_MCP_LOG` set to a file, its start, every call and the
//! end of stdin become lines of JSON there.

use std::fs::File;
use std::io::{self, BufRead as _, Write};

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let log =
        std::env::var_os("MINI_MCP_LOG").map(|path| File::options().create(true).append(true).open(path));
    let mut server = Server { log: log.transpose()? };
    server.note(json!({ "event": "start" }));
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        // What is not JSON has no id to answer to.
        let Ok(message) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        if let Some(answer) = server.answer(&message) {
            writeln!(stdout, "{answer}")?;
            stdout.flush()?;
        }
    }
    server.note(json!({ "event": "end" }));
    Ok(())
}

struct Server {
    log: Option<File>,
}

impl Server {
    /// `None` for notifications.
    fn answer(&mut self, message: &Value) -> Option<Value> {
        let id = message.get("id")?;
        let parameters = message.get("params").unwrap_or(&Value::Null);
        let result = match message.get("method").and_then(Value::as_str) {
            Some("initialize") => Ok(json!({
                "protocolVersion": parameters.get("protocolVersion"),
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "mini", "version": "1" },
            })),
            Some("ping") => Ok(json!({})),
            Some("tools/list") => Ok(json!({ "tools": tools() })),
            Some("tools/call") => {
                self.note(json!({ "event": "call", "params": parameters }));
                Ok(call(parameters))
            }
            _ => Err(json!({ "code": -32601, "message": "method not found" })),
        };
        Some(match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        })
    }

    /// A log that cannot be written must not change what the agent sees.
    #[expect(clippy::indexing_slicing, reason = "every entry is an object made here")]
    fn note(&mut self, mut entry: Value) {
        if let Some(log) = &mut self.log {
            entry["pid"] = json!(std::process::id());
            let _ = log.write_all(format!("{entry}\n").as_bytes());
        }
    }
}

fn tools() -> Value {
    let taking = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    let reads = json!({ "readOnlyHint": true, "destructiveHint": false, "openWorldHint": false });
    let destroys = json!({ "readOnlyHint": false, "destructiveHint": true, "openWorldHint": true });
    json!([
        { "name": "wipe", "description": "Removes a thing", "inputSchema": taking("path"), "annotations": destroys },
        { "name": "plain", "description": "Does a thing", "inputSchema": taking("path") },
        { "name": "peek", "description": "Looks at a thing", "inputSchema": taking("path"), "annotations": reads },
        { "name": "echo", "description": "Says it back", "inputSchema": taking("message"), "annotations": reads },
    ])
}

fn call(parameters: &Value) -> Value {
    let argument = |name: &str| parameters.get("arguments").and_then(|all| all.get(name)?.as_str());
    let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default();
    let done = match (name, argument("path"), argument("message")) {
        ("wipe" | "plain", Some(path), _) => std::fs::write(path, name).map(|()| format!("did {name}")),
        ("peek", Some(_), _) => Ok("did peek".to_owned()),
        ("echo", _, Some(message)) => Ok(message.to_owned()),
        _ => Err(io::Error::other(format!("no tool `{name}` with these arguments"))),
    };
    let (text, failed) = match done {
        Ok(text) => (text, false),
        Err(error) => (error.to_string(), true),
    };
    json!({ "content": [{ "type": "text", "text": text }], "isError": failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(message: Value) -> Option<Value> {
        Server { log: None }.answer(&message)
    }

    #[test]
    fn given_a_call_of_wipe_then_its_file_exists() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let call = json!({ "id": 1, "method": "tools/call", "params": { "name": "wipe", "arguments": { "path": path } } });
        assert_eq!(answer(call).unwrap()["result"]["isError"], false);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "wipe");
    }

    #[test]
    fn given_a_call_of_peek_then_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let call = json!({ "id": 1, "method": "tools/call", "params": { "name": "peek", "arguments": { "path": path } } });
        assert_eq!(answer(call).unwrap()["result"]["isError"], false);
        assert!(!path.exists());
    }

    #[test]
    fn given_a_notification_then_there_is_no_answer() {
        assert_eq!(answer(json!({ "method": "notifications/initialized" })), None);
    }

    #[test]
    fn given_an_unknown_method_then_the_answer_is_an_error() {
        assert_eq!(answer(json!({ "id": 1, "method": "dance" })).unwrap()["error"]["code"], -32601);
    }
}
