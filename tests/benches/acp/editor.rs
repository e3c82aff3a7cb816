//! A raw editor: no SDK, and no more JSON than it takes to see what a line is.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command};

use serde_json::json;

use crate::common::Outcome;
use crate::running::Running;

/// An editor with a session that is open.
pub(crate) struct Editor {
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
    line: Vec<u8>,
    id: u64,
    session: String,
    _running: Running,
}

impl Editor {
    pub(crate) fn open(command: Command, cwd: &Path) -> Outcome<Self> {
        let mut running = Running::start(command)?;
        let (stdin, stdout) = running.streams()?;
        let lines = BufReader::with_capacity(64 * 1024, stdout);
        let mut editor =
            Self { stdin, lines, line: Vec::new(), id: 0, session: String::new(), _running: running };
        editor.request("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}).to_string())?;
        editor.request("session/new", &json!({"cwd": cwd, "mcpServers": []}).to_string())?;
        let answer: serde_json::Value = serde_json::from_slice(&editor.line)?;
        let session = answer.pointer("/result/sessionId").and_then(serde_json::Value::as_str);
        editor.session = session.ok_or_else(|| format!("no session: {answer}"))?.to_owned();
        Ok(editor)
    }

    fn says(&mut self, line: &str) -> Outcome<()> {
        Ok(self.stdin.write_all(format!("{line}\n").as_bytes())?)
    }

    fn next(&mut self) -> Outcome<()> {
        self.line.clear();
        if self.lines.read_until(b'\n', &mut self.line)? == 0 {
            return Err("the other side has ended".into());
        }
        Ok(())
    }

    fn has(&self, part: &str) -> bool {
        self.line.windows(part.len()).any(|window| window == part.as_bytes())
    }

    /// Asks, and waits for the answer; what comes before it is passed over.
    fn request(&mut self, method: &str, params: &str) -> Outcome<()> {
        self.id += 1;
        let id = self.id;
        self.says(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))?;
        loop {
            self.next()?;
            if !self.has("\"method\"") && self.has(&format!("\"id\":{id}")) {
                break;
            }
        }
        if self.has("\"error\"") {
            Err(String::from_utf8_lossy(&self.line).into_owned().into())
        } else {
            Ok(())
        }
    }

    /// Waits for an update. It answers what it is asked on the way: without mayi, the question comes here.
    fn update(&mut self) -> Outcome<()> {
        loop {
            self.next()?;
            if self.has("session/update") {
                return Ok(());
            }
            if self.has("session/request_permission") {
                let question: serde_json::Value = serde_json::from_slice(&self.line)?;
                let id = question.get("id").cloned().unwrap_or_default();
                let outcome = json!({"outcome": {"outcome": "selected", "optionId": "allow"}});
                self.says(&json!({"jsonrpc": "2.0", "id": id, "result": outcome}).to_string())?;
            }
        }
    }

    /// A request and its answer.
    pub(crate) fn echo(&mut self) -> Outcome<()> {
        self.request("_bench/echo", r#"{"n":1.0,"text":"as it came"}"#)
    }

    /// A notification, and the update that the agent says to it.
    pub(crate) fn tick(&mut self) -> Outcome<()> {
        self.says(r#"{"jsonrpc":"2.0","method":"_bench/tick","params":{}}"#)?;
        self.update()
    }

    /// A notification, a permission that the agent asks for, and the update that it says when it is answered.
    pub(crate) fn ask(&mut self) -> Outcome<()> {
        self.says(r#"{"jsonrpc":"2.0","method":"_bench/ask","params":{}}"#)?;
        self.update()
    }

    /// So many updates, as fast as they come. `reads`: each line is read as JSON, as an editor has to.
    pub(crate) fn stream(&mut self, count: usize, reads: bool) -> Outcome<()> {
        self.id += 1;
        let prompt = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": format!("updates {count}")}]});
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": "session/prompt", "params": prompt});
        self.says(&request.to_string())?;
        let mut updates = 0;
        loop {
            self.next()?;
            if reads {
                let update: serde_json::Value = serde_json::from_slice(&self.line)?;
                std::hint::black_box(update);
            }
            // An answer is short, and an update is not.
            if self.line.len() < 120 && self.has("stopReason") {
                break;
            }
            updates += 1;
        }
        if updates == count { Ok(()) } else { Err(format!("{updates} of {count} updates").into()) }
    }
}
