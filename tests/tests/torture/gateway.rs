//! A `mayi mcp` with a client that asks as fast as it can, and notes what it was told.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use mayi_tests::{LIMIT, Machine, mayi_program};
use serde_json::{Value, json};

use crate::SERVER;

pub(super) struct Gateway {
    child: Child,
    stdin: Option<ChildStdin>,
    /// What it said: none at its end.
    lines: Receiver<Value>,
}

impl Gateway {
    /// Starts one that allows every call, and whose server tells of each.
    pub(super) fn start(machine: &Machine, options: &[&str]) -> Self {
        let mut command = Command::new(mayi_program());
        command.args(["mcp", "--name", "s", "--allow", "mcp(s/*)"]).args(options).args(["--", SERVER]);
        command.current_dir(machine.work()).env_clear().envs(machine.environment());
        command.env("MINI_MCP_LOG", machine.outside("calls.jsonl"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (to, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // What a kill cuts in two was not told.
                let Ok(message) = serde_json::from_str(&line) else { return };
                let _ = to.send(message);
            }
        });
        let stdin = child.stdin.take();
        let mut gateway = Self { child, stdin, lines };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        gateway.send(&json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello }));
        gateway.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        gateway
    }

    /// Whether it took the line.
    fn send(&mut self, message: &Value) -> bool {
        self.stdin.as_mut().is_some_and(|stdin| writeln!(stdin, "{message}").is_ok())
    }

    /// Calls a tool with this token, which is the request's id too; whether it took that.
    pub(super) fn call(&mut self, token: &str) -> bool {
        let params = json!({ "name": "echo", "arguments": { "message": token } });
        self.send(&json!({ "jsonrpc": "2.0", "id": token, "method": "tools/call", "params": params }))
    }

    /// The next answer: its token, and whether the call went through. None once it has ended.
    pub(super) fn answer(&mut self) -> Option<(String, bool)> {
        loop {
            match self.lines.recv_timeout(LIMIT) {
                Ok(message) => {
                    let Some(id) = message["id"].as_str().filter(|id| *id != "hello") else { continue };
                    return Some((id.to_owned(), message["result"]["isError"] == json!(false)));
                }
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("no answer in {LIMIT:?}"),
            }
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, as nothing that it could notice, and gives what it had answered by then.
    pub(super) fn kill(mut self) -> Vec<(String, bool)> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.answer()).collect()
    }

    /// Ends it by the end of its input.
    pub(super) fn end(mut self) {
        self.stdin = None;
        while self.answer().is_some() {}
        assert!(self.child.wait().unwrap().success());
    }
}
