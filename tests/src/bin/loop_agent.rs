//! An agent that asks again and again, and notes how long each answer took: the agent's side of the overhead bench.
//!
//! Raw lines of JSON on standard input and output, no SDK, no threads: nothing of its own is in what it measures. The
//! clock starts just before a request is written and stops just after its answer was read; requests are made before,
//! answers are looked at after.
//!
//! usage: `loop_agent --out FILE [--calls N] [--what write|shell] [--announce] [--pause-us N]`
//!
//! | option | |
//! |---|---|
//! | `--out FILE` | the times go there: `{"calls": N, "allowed": N, "nanos": [...]}` |
//! | `--calls N` | that many requests for each prompt; 1000 unless told |
//! | `--what WHAT` | `write` a file below `src`, or run the `shell` command `cargo test ...`; write unless told |
//! | `--announce` | as most agents do: a `tool_call` before each request, which the time includes, and an update after |
//! | `--pause-us N` | waits between calls |

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::read(std::env::args().skip(1))?;
    let mut client = Client { input: io::stdin().lock(), output: io::stdout().lock() };
    let mut cwd = String::new();
    while let Some(line) = client.read()? {
        let message: Value = serde_json::from_str(&line)?;
        // Notifications, and answers that nobody waits for.
        let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Value::as_str))
        else {
            continue;
        };
        let result = match method {
            "initialize" => json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [] }),
            "session/new" => {
                cwd = message.pointer("/params/cwd").and_then(Value::as_str).unwrap_or_default().to_owned();
                json!({ "sessionId": SESSION })
            }
            "session/prompt" => {
                let noted = ask_again_and_again(&mut client, &options, &cwd)?;
                std::fs::write(&options.out, noted.to_string())?;
                json!({ "stopReason": "end_turn" })
            }
            other => {
                let error = json!({ "code": -32601, "message": format!("Method not found: {other}") });
                client.write(&line_of(&json!({ "jsonrpc": "2.0", "id": id, "error": error })))?;
                continue;
            }
        };
        client.write(&line_of(&json!({ "jsonrpc": "2.0", "id": id, "result": result })))?;
    }
    Ok(())
}

const SESSION: &str = "loop-1";

struct Options {
    out: String,
    calls: usize,
    shell: bool,
    announce: bool,
    pause: Option<Duration>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn std::error::Error>> {
        let mut options =
            Self { out: String::new(), calls: 1000, shell: false, announce: false, pause: None };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--out" => options.out = value()?,
                "--calls" => options.calls = value()?.parse()?,
                "--what" => {
                    options.shell = match value()?.as_str() {
                        "shell" => true,
                        "write" => false,
                        other => return Err(format!("--what can't be {other}: write or shell").into()),
                    }
                }
                "--announce" => options.announce = true,
                "--pause-us" => options.pause = Some(Duration::from_micros(value()?.parse()?)),
                other => return Err(format!("there is no option {other}").into()),
            }
        }
        if options.out.is_empty() {
            return Err("--out FILE is missing".into());
        }
        Ok(options)
    }
}

/// The lines of one call.
struct Call {
    before: Option<String>,
    request: String,
    after: Option<String>,
}

fn ask_again_and_again(
    client: &mut Client<impl BufRead, impl Write>,
    options: &Options,
    cwd: &str,
) -> Result<Value, Box<dyn std::error::Error>> {
    let calls: Vec<Call> = (0..options.calls).map(|number| call(options, cwd, number)).collect();
    let mut nanos = Vec::with_capacity(calls.len());
    let mut allowed = 0;
    for (number, call) in calls.iter().enumerate() {
        let begin = Instant::now();
        if let Some(line) = &call.before {
            client.write(line)?;
        }
        client.write(&call.request)?;
        let answer = client.read()?;
        nanos.push(u64::try_from(begin.elapsed().as_nanos())?);
        let answer: Value = serde_json::from_str(&answer.ok_or("the client went away")?)?;
        if answer.get("id").and_then(Value::as_u64) != u64::try_from(number).ok() {
            return Err(format!("this is not the answer to request {number}: {answer}").into());
        }
        if answer.pointer("/result/outcome/optionId").and_then(Value::as_str) == Some("allow") {
            allowed += 1;
        }
        if let Some(line) = &call.after {
            client.write(line)?;
        }
        if let Some(pause) = options.pause {
            std::thread::sleep(pause);
        }
    }
    Ok(json!({ "calls": calls.len(), "allowed": allowed, "nanos": nanos }))
}

fn call(options: &Options, cwd: &str, number: usize) -> Call {
    let id = format!("call-{number}");
    let mut tool_call = if options.shell { shell(&id) } else { write(&id, cwd, number) };
    let request = json!({
        "jsonrpc": "2.0", "id": number, "method": "session/request_permission",
        "params": {
            "sessionId": SESSION,
            "toolCall": tool_call,
            "options": [
                { "optionId": "allow", "name": "Allow", "kind": "allow_once" },
                { "optionId": "allow-always", "name": "Always allow", "kind": "allow_always" },
                { "optionId": "reject", "name": "Reject", "kind": "reject_once" },
            ],
        },
    });
    let update = |update: Value| {
        let params = json!({ "sessionId": SESSION, "update": update });
        line_of(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }))
    };
    let (mut before, mut after) = (None, None);
    if options.announce {
        if let Some(fields) = tool_call.as_object_mut() {
            fields.insert("sessionUpdate".to_owned(), json!("tool_call"));
        }
        before = Some(update(tool_call));
        after = Some(update(
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed" }),
        ));
    }
    Call { before, request: line_of(&request), after }
}

/// Writes one of twenty files anew, with some lines of text.
fn write(id: &str, cwd: &str, number: usize) -> Value {
    let name = format!("src/part{}/lines.rs", number % 20);
    let path = Path::new(cwd).join(&name);
    let text =
        format!("//! Number {number}.\n\n/// What it is.\npub fn number() -> usize {{\n    {number}\n}}\n")
            .repeat(4);
    json!({
        "toolCallId": id, "title": format!("Write {name}"), "kind": "edit", "status": "pending",
        "rawInput": { "file_path": path, "content": text },
        "locations": [{ "path": path }],
        "content": [{ "type": "diff", "path": path, "oldText": null, "newText": text }],
    })
}

fn shell(id: &str) -> Value {
    json!({
        "toolCallId": id, "title": "Run the tests", "kind": "execute", "status": "pending",
        "rawInput": { "command": "cargo test --workspace --quiet -- --nocapture gate", "description": "Run the tests" },
    })
}

fn line_of(message: &Value) -> String {
    format!("{message}\n")
}

struct Client<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Client<R, W> {
    /// The next line; none at the end.
    fn read(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        Ok((self.input.read_line(&mut line)? > 0).then_some(line))
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.output.write_all(line.as_bytes())?;
        self.output.flush()
    }
}
