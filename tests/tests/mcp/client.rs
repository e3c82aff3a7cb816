//! A client that knows only lines, with the gateway as its child.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Nothing that is waited for takes longer, even on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A `mayi mcp`, and what it has said that nobody has looked at yet.
pub(crate) struct Gateway {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    unread: VecDeque<Value>,
    errors: Arc<Mutex<String>>,
    stateless: bool,
}

impl Gateway {
    /// Starts it, as a client would.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let (to, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = to.send(line);
            }
        });
        let errors = Arc::new(Mutex::new(String::new()));
        let (mut stderr, kept) = (child.stderr.take().unwrap(), Arc::clone(&errors));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = stderr.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { child, stdin, lines, unread: VecDeque::new(), errors, stateless: false }
    }

    /// Begins as a client of 2025-11-25 that can show forms.
    pub(crate) fn older(mut self) -> Self {
        let hello = self.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "elicitation": { "form": {} } },
                "clientInfo": { "name": "lines", "version": "1" },
            }),
        );
        assert!(hello["result"].is_object(), "{hello}; {}", self.errors());
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        self
    }

    /// The same, where its server may be dead.
    pub(crate) fn older_or_dead(mut self) -> Self {
        let client = json!({ "name": "lines", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.ask("initialize", &hello);
        self
    }

    /// Speaks as a client of 2026-07-28 that can show forms.
    pub(crate) fn stateless(mut self) -> Self {
        self.stateless = true;
        self
    }

    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes, whatever they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    /// Asks, under an id of its own.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> i64 {
        static NEXT: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(1);
        let id = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut params = params.clone();
        if self.stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "lines", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
            });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// The same, and waits for the response.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.answer(&json!(id))
    }

    /// Calls a tool, without waiting.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> i64 {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin(tool, arguments);
        self.answer(&json!(id))
    }

    /// Answers a request.
    pub(crate) fn reply(&mut self, request: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string());
    }

    /// Waits for a message that fits; what comes before it is kept for later.
    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&fits) {
            return self.unread.remove(at).unwrap();
        }
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let message: Value =
                        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                    if fits(&message) {
                        return message;
                    }
                    self.unread.push_back(message);
                }
                Err(why) => {
                    let gone =
                        if why == RecvTimeoutError::Disconnected { "it has ended" } else { "too long" };
                    panic!("waited for {what} in vain: {gone}; {:?}; {}", self.unread, self.errors());
                }
            }
        }
    }

    /// The response to `id`.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        self.until(&format!("the answer to {id}"), |message| {
            message.get("method").is_none() && message.get("id") == Some(id)
        })
    }

    /// A request of the gateway's.
    #[track_caller]
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        self.until(method, |message| message["method"] == method && message.get("id").is_some())
    }

    /// Everything that was said and not looked at, up to the answer to a ping: so what has not come by then was not
    /// sent for anything before it.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        self.ask("ping", &json!({}));
        self.unread.drain(..).collect()
    }

    /// What it wrote on standard error.
    pub(crate) fn errors(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    /// Waits until it has said `what` on standard error: an answer may arrive before what was written ahead of it there.
    #[track_caller]
    pub(crate) fn tells(&self, what: &str) {
        let deadline = Instant::now() + LIMIT;
        while !self.errors().contains(what) {
            assert!(Instant::now() < deadline, "waited for {what:?} in vain: {}", self.errors());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its input ends.
    pub(crate) fn close(&mut self) {
        drop(self.stdin.take());
    }

    /// Its input ends, and so does it.
    #[track_caller]
    pub(crate) fn end(mut self) {
        self.close();
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}: {}", self.errors());
                assert!(!self.errors().contains("panicked"), "{}", self.errors());
                return;
            }
            assert!(Instant::now() < deadline, "it does not end: {}", self.errors());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a result of a call.
pub(crate) fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}")).to_owned()
}

/// The call was refused, with words for the model.
#[track_caller]
pub(crate) fn is_refused(answer: &Value, why: &str) {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(text(answer).contains(why), "expected {why:?}: {answer}");
}

/// The request was refused as one that is wrong.
#[track_caller]
pub(crate) fn is_wrong(answer: &Value, why: &str) {
    let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("no error: {answer}"));
    assert!(message.contains(why), "expected {why:?}: {answer}");
}

/// The tool ran.
#[track_caller]
pub(crate) fn ran(answer: &Value, what: &str) {
    assert!(answer["result"]["isError"] != true && text(answer).contains(&format!("ran {what}")), "{answer}");
}
