//! Lines in, lines out, and the requests that are open.

use std::collections::VecDeque;
use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// The rogue agent's end of the connection.
#[derive(Default)]
pub(crate) struct Agent {
    /// The folder of the newest session.
    pub(crate) cwd: String,
    /// The session of the newest prompt.
    pub(crate) session: String,
    /// Whether this turn was cancelled.
    pub(crate) cancelled: bool,
    next_id: u64,
    /// Own requests without an answer.
    open: Vec<u64>,
    /// Messages that came while an answer was awaited.
    waiting: VecDeque<Value>,
}

/// Ends the process, with a word on standard error.
pub(crate) fn quit(code: i32, why: &str) -> ! {
    if !why.is_empty() {
        let _ = writeln!(std::io::stderr(), "{why}");
    }
    std::process::exit(code)
}

impl Agent {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The next request or notification of the client; `None` at the end of the input.
    pub(crate) fn next_message(&mut self) -> Option<Value> {
        loop {
            let message = match self.waiting.pop_front() {
                Some(message) => message,
                None => self.read()?,
            };
            if message.get("method").is_some() {
                return Some(message);
            }
        }
    }

    /// Reads one message, and notes if it is `session/cancel`. Lines that are not JSON are skipped.
    fn read(&mut self) -> Option<Value> {
        loop {
            let mut line = Vec::new();
            match std::io::stdin().lock().read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
            if let Ok(message) = serde_json::from_slice::<Value>(&line) {
                self.cancelled |= message.get("method").is_some_and(|method| method == "session/cancel");
                return Some(message);
            }
        }
    }

    /// Sends bytes as one line.
    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let mut line = line.to_vec();
        line.push(b'\n');
        let mut out = std::io::stdout().lock();
        if out.write_all(&line).and_then(|()| out.flush()).is_err() {
            quit(0, "");
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and gives its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.take_id();
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// An id for a request that is about to be sent.
    pub(crate) fn take_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.open.push(id);
        id
    }

    /// Waits for the answer to any open request. The end of the input ends the process.
    pub(crate) fn next_answer(&mut self) -> (u64, Value) {
        loop {
            let Some(message) = self.read() else { quit(0, "") };
            if message.get("method").is_some() {
                self.waiting.push_back(message);
            } else if let Some(id) = message.get("id").and_then(Value::as_u64)
                && let Some(at) = self.open.iter().position(|open| *open == id)
            {
                self.open.swap_remove(at);
                return (id, message);
            }
        }
    }

    /// Sends a request, waits for its answer, tells it as `METHOD -> RESULT`, and gives the result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        loop {
            let (answered, answer) = self.next_answer();
            if answered == id {
                self.say(&format!("{method} -> {}", shown(&answer, "/result")));
                return answer.pointer("/result").cloned().unwrap_or_default();
            }
        }
    }

    /// Tells the answers to that many permission requests, as they come.
    pub(crate) fn tell_answers(&mut self, count: usize) {
        for _ in 0..count {
            let (id, answer) = self.next_answer();
            self.say(&format!("ask {id} -> {}", shown(&answer, "/result/outcome")));
        }
    }

    /// Waits for `session/cancel`.
    pub(crate) fn wait_for_cancel(&mut self) {
        while !self.cancelled {
            let Some(message) = self.read() else { quit(0, "") };
            self.waiting.push_back(message);
        }
    }

    /// Sends a message chunk.
    pub(crate) fn say(&mut self, text: &str) {
        self.update(json!({
            "sessionUpdate": "agent_message_chunk",
            "content": { "type": "text", "text": text },
        }));
    }

    pub(crate) fn update(&mut self, update: Value) {
        let params = json!({ "sessionId": self.session, "update": update });
        self.notify("session/update", params);
    }

    pub(crate) fn answer(&mut self, id: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// Answers that there is no such method.
    pub(crate) fn refuse(&mut self, id: &Value) {
        let error = json!({ "code": -32601, "message": "Method not found" });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    }

    /// Answers the prompt.
    pub(crate) fn end_turn(&mut self, prompt: &Value) {
        let reason = if self.cancelled { "cancelled" } else { "end_turn" };
        self.answer(prompt, json!({ "stopReason": reason }));
    }
}

/// A part of an answer as JSON, or its error's code.
fn shown(answer: &Value, pointer: &str) -> String {
    match answer.pointer("/error/code") {
        Some(code) => format!("error {code}"),
        None => answer.pointer(pointer).unwrap_or(&Value::Null).to_string(),
    }
}
