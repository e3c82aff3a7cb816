//! A client that knows only lines: what a server answered is kept as it was written.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::program::Program;

/// What one request came to, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Result(String),
    Error(String),
}

#[derive(Deserialize)]
struct Message<'m> {
    #[serde(default)]
    id: Value,
    #[serde(borrow)]
    method: Option<&'m RawValue>,
    #[serde(borrow)]
    result: Option<&'m RawValue>,
    #[serde(borrow)]
    error: Option<&'m RawValue>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        let (Self::Result(text) | Self::Error(text)) = self;
        text
    }

    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(self.text()).unwrap()
    }
}

/// Begins a session of 2025-11-25, asks one request after another, and ends it. The first answer is the greeting.
pub(crate) fn session(mut program: Program, requests: &[(&str, Value)]) -> Vec<Answer> {
    let greeting = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "lines", "version": "1" },
    });
    let mut answers = vec![ask(&mut program, 0, "initialize", &greeting)];
    program.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    for (id, (method, params)) in (1..).zip(requests) {
        answers.push(ask(&mut program, id, method, params));
    }
    answers
}

fn ask(program: &mut Program, id: i64, method: &str, params: &Value) -> Answer {
    program.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
    loop {
        let line = program.line().unwrap_or_else(|| panic!("{method} got no answer: {}", program.errors()));
        let message: Message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        // Notifications come in between.
        if message.method.is_none() && message.id == id {
            return match (message.result, message.error) {
                (Some(result), None) => Answer::Result(result.get().to_owned()),
                (None, Some(error)) => Answer::Error(error.get().to_owned()),
                _ => panic!("neither a result nor an error: {line}"),
            };
        }
    }
}
