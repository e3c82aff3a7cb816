//! An agent that says as much as it is told to: the agent's side of the benchmark of `mayi acp`. Raw lines of JSON, no SDK.
//!
//! | it gets | it does |
//! |---|---|
//! | `session/prompt` with the text `updates N` | says N `session/update`, and answers |
//! | `_bench/echo`, a request | answers |
//! | `_bench/tick` | says one `session/update` |
//! | `_bench/ask` | asks for permission to write a file, and says one `session/update` when it is answered |

use std::io::{self, BufRead, BufWriter, Write};

use serde_json::{Value, json};

const SESSION: &str = "bench-1";

/// What models stream: some words at a time.
const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bench-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"and then some more words of an answer, as models stream them "}}}}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut input = io::stdin().lock();
    let mut output = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    let mut line = String::new();
    let (mut cwd, mut asked) = (String::new(), 0_u64);
    while input.read_line(&mut line)? > 0 {
        let message: Value = serde_json::from_str(&line)?;
        line.clear();
        let id = message.get("id").cloned();
        match (message.get("method").and_then(Value::as_str), id) {
            (Some("initialize"), Some(id)) => {
                let result = json!({"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []});
                answer(&mut output, &id, &result)?;
            }
            (Some("session/new"), Some(id)) => {
                message
                    .pointer("/params/cwd")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .clone_into(&mut cwd);
                answer(&mut output, &id, &json!({"sessionId": SESSION}))?;
            }
            (Some("session/prompt"), Some(id)) => {
                let text =
                    message.pointer("/params/prompt/0/text").and_then(Value::as_str).unwrap_or_default();
                let count: usize = text.strip_prefix("updates ").unwrap_or("0").parse()?;
                for _ in 0..count {
                    writeln!(output, "{CHUNK}")?;
                }
                answer(&mut output, &id, &json!({"stopReason": "end_turn"}))?;
            }
            (Some("_bench/echo"), Some(id)) => answer(&mut output, &id, &json!({}))?,
            (Some("_bench/tick"), _) => writeln!(output, "{CHUNK}")?,
            (Some("_bench/ask"), _) => {
                asked += 1;
                let path = format!("{cwd}/src/part7/lines.rs");
                let call = json!({
                    "toolCallId": format!("call-{asked}"), "title": "Write lines.rs", "kind": "edit", "status": "pending",
                    "rawInput": {"file_path": path, "content": "pub fn number() -> usize {\n    7\n}\n"},
                    "content": [{"type": "diff", "path": path, "oldText": null, "newText": "pub fn number() -> usize {\n    7\n}\n"}],
                });
                let options = json!([
                    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
                    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
                ]);
                let params = json!({"sessionId": SESSION, "toolCall": call, "options": options});
                let request = json!({"jsonrpc": "2.0", "id": asked, "method": "session/request_permission", "params": params});
                writeln!(output, "{request}")?;
            }
            // Its answer.
            (None, Some(_)) => {
                if message.pointer("/result/outcome/optionId").and_then(Value::as_str) != Some("allow") {
                    return Err(format!("not allowed: {message}").into());
                }
                writeln!(output, "{CHUNK}")?;
            }
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}

fn answer(output: &mut impl Write, id: &Value, result: &Value) -> io::Result<()> {
    writeln!(output, "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
