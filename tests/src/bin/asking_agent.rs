//! An agent that asks what only a person answers, and notes when it asked and when it was answered: the agent's side of
//! the benches of the editors' backend.
//!
//! Raw lines of JSON on standard input and output, no SDK, no threads: nothing of its own is in what it measures. The
//! clock is the machine's (nanoseconds since 1970), which other processes read too, a browser among them. It is read
//! just before a request is written and just after its answer was read; requests are made before, answers are looked at
//! after.
//!
//! usage: `asking_agent --out FILE [--calls N] [--at-once N] [--pause-us N]`
//!
//! | option | |
//! |---|---|
//! | `--out FILE` | the times of a prompt go there when its turn is over: `[{"call": "call-0", "asked": NANOS, "answered": NANOS, "allowed": true}, ...]` |
//! | `--calls N` | that many requests for each prompt; 100 unless told |
//! | `--at-once N` | so many are open at a time; 1 unless told |
//! | `--pause-us N` | waits between an answer and the next request |

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
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
        let answer = match method {
            "initialize" => json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [] }),
            "session/new" => {
                cwd = message.pointer("/params/cwd").and_then(Value::as_str).unwrap_or_default().to_owned();
                json!({ "sessionId": SESSION })
            }
            "session/prompt" => {
                let noted = ask(&mut client, &options, &cwd)?;
                // It is there as a whole as soon as it is there.
                let fresh = format!("{}.fresh", options.out);
                std::fs::write(&fresh, Value::from(noted).to_string())?;
                std::fs::rename(&fresh, &options.out)?;
                json!({ "stopReason": "end_turn" })
            }
            other => {
                let error = json!({ "code": -32601, "message": format!("Method not found: {other}") });
                client.write(&line_of(&json!({ "jsonrpc": "2.0", "id": id, "error": error })))?;
                continue;
            }
        };
        client.write(&line_of(&json!({ "jsonrpc": "2.0", "id": id, "result": answer })))?;
    }
    Ok(())
}

const SESSION: &str = "asking-1";

struct Options {
    out: String,
    calls: usize,
    at_once: usize,
    pause: Option<Duration>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut options = Self { out: String::new(), calls: 100, at_once: 1, pause: None };
        while let Some(argument) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
            match argument.as_str() {
                "--out" => options.out = value,
                "--calls" => options.calls = value.parse()?,
                "--at-once" => options.at_once = value.parse()?,
                "--pause-us" => options.pause = Some(Duration::from_micros(value.parse()?)),
                other => return Err(format!("there is no option {other}").into()),
            }
        }
        if options.out.is_empty() {
            return Err("--out FILE is missing".into());
        }
        Ok(options)
    }
}

/// When a call was asked about and answered, and whether it may be made.
#[derive(Clone, Copy, Default)]
struct Noted {
    asked: u64,
    answered: u64,
    allowed: bool,
}

/// All calls of a turn.
fn ask(client: &mut Client<impl BufRead, impl Write>, options: &Options, cwd: &str) -> Outcome<Vec<Value>> {
    let requests: Vec<String> = (0..options.calls).map(|number| request(cwd, number)).collect();
    let mut noted = vec![Noted::default(); requests.len()];
    let mut next = requests.iter().zip(0..);
    let mut open = 0;
    let mut answered = 0;
    while answered < requests.len() {
        while open < options.at_once.max(1)
            && let Some((request, number)) = next.next()
        {
            let asked = now()?;
            client.write(request)?;
            open += 1;
            if let Some(noted) = noted.get_mut::<usize>(number) {
                noted.asked = asked;
            }
        }
        let line = client.read()?.ok_or("the client went away")?;
        let at = now()?;
        let message: Value = serde_json::from_str(&line)?;
        if message.get("method").is_some() {
            // A cancel, or something else that is no answer.
            continue;
        }
        let number = message.get("id").and_then(Value::as_u64).and_then(|id| usize::try_from(id).ok());
        let noted = number.and_then(|number| noted.get_mut(number)).filter(|noted| noted.answered == 0);
        let noted = noted.ok_or_else(|| format!("this answers nothing that was asked: {message}"))?;
        noted.answered = at;
        noted.allowed = message.pointer("/result/outcome/optionId").and_then(Value::as_str) == Some("allow");
        answered += 1;
        open -= 1;
        if let Some(pause) = options.pause {
            std::thread::sleep(pause);
        }
    }
    let written = |(number, noted): (usize, &Noted)| json!({ "call": id(number), "asked": noted.asked, "answered": noted.answered, "allowed": noted.allowed });
    Ok(noted.iter().enumerate().map(written).collect())
}

fn now() -> Outcome<u64> {
    Ok(u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos())?)
}

fn id(number: usize) -> String {
    format!("call-{number}")
}

/// The line that asks to change some lines of one of twenty files: no rule of the benches is about them.
fn request(cwd: &str, number: usize) -> String {
    let name = format!("notes/part{}.md", number % 20);
    let path = Path::new(cwd).join(&name);
    let text =
        |word: &str| format!("# Part {number}\n\nWhat it {word}, and why.\n\n- one\n- two\n").repeat(4);
    let (old, new) = (text("was"), text("is"));
    line_of(&json!({
        "jsonrpc": "2.0", "id": number, "method": "session/request_permission",
        "params": {
            "sessionId": SESSION,
            "toolCall": {
                "toolCallId": id(number), "title": format!("Edit {name}, change {number}"), "kind": "edit",
                "status": "pending",
                "rawInput": { "file_path": path, "old_string": old, "new_string": new },
                "locations": [{ "path": path }],
                "content": [{ "type": "diff", "path": path, "oldText": old, "newText": new }],
            },
            "options": [
                { "optionId": "allow", "name": "Allow", "kind": "allow_once" },
                { "optionId": "allow-always", "name": "Always allow", "kind": "allow_always" },
                { "optionId": "reject", "name": "Reject", "kind": "reject_once" },
            ],
        },
    }))
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
