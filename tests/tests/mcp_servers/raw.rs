//! A client that knows only lines: what a server answered is kept as it was written.

use std::collections::BTreeMap;

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
    let mut answers = vec![ask(&mut program, 0, "initialize", &greeting())];
    program.send(BEGUN);
    for (id, (method, params)) in (1..).zip(requests) {
        answers.push(ask(&mut program, id, method, params));
    }
    answers
}

/// Asks one request of 2026-07-28 after another, without a session.
pub(crate) fn stateless(mut program: Program, requests: &[(&str, Value)]) -> Vec<Answer> {
    let stamped = |params: &Value| {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "lines", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        params
    };
    let mut answer =
        |(id, (method, params)): (i64, &(&str, Value))| ask(&mut program, id, method, &stamped(params));
    (1..).zip(requests).map(&mut answer).collect()
}

/// Writes all of a session at once, as from a file, and reads what comes of it until the end: the answers, by id.
pub(crate) fn at_once(mut program: Program, requests: &[(&str, Value)]) -> BTreeMap<i64, Answer> {
    program.send(&request(0, "initialize", &greeting()));
    program.send(BEGUN);
    for (id, (method, params)) in (1..).zip(requests) {
        program.send(&request(id, method, params));
    }
    program.close();
    let mut answers = BTreeMap::new();
    while let Some(line) = program.line() {
        let message: Message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let (None, Some(id)) = (message.method, message.id.as_i64()) {
            answers.insert(id, message.answer().unwrap_or_else(|| panic!("no answer: {line}")));
        }
    }
    answers
}

const BEGUN: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "lines", "version": "1" },
    })
}

fn request(id: i64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn ask(program: &mut Program, id: i64, method: &str, params: &Value) -> Answer {
    program.send(&request(id, method, params));
    loop {
        let line = program.line().unwrap_or_else(|| panic!("{method} got no answer: {}", program.errors()));
        let message: Message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        // Notifications come in between.
        if message.method.is_none() && message.id == id {
            return message.answer().unwrap_or_else(|| panic!("neither a result nor an error: {line}"));
        }
    }
}

impl Message<'_> {
    fn answer(&self) -> Option<Answer> {
        match (self.result, self.error) {
            (Some(result), None) => Some(Answer::Result(result.get().to_owned())),
            (None, Some(error)) => Some(Answer::Error(error.get().to_owned())),
            _ => None,
        }
    }
}
