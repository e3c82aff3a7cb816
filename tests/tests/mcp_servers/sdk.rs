//! The Python SDK as the client, by `tests/mcp/client.py`.

use serde_json::{Map, Value, json};

use crate::ground::{Ground, Line};

/// The client's answers: first the greeting, then one for each request.
pub(crate) fn stdio(ground: &Ground, mode: &str, line: &Line, requests: &[(&str, Value)]) -> Vec<Value> {
    let [command, arguments @ ..] = line.words.as_slice() else { panic!("{line:?} is empty") };
    let variables: Map<String, Value> = ground
        .environment(line)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value.into_string().unwrap())))
        .collect();
    let reach = json!({ "stdio": {
        "command": command,
        "args": arguments,
        "env": variables,
        "cwd": ground.folder("work"),
    } });
    run(ground, mode, &reach, requests)
}

pub(crate) fn http(ground: &Ground, mode: &str, url: &str, requests: &[(&str, Value)]) -> Vec<Value> {
    run(ground, mode, &json!({ "http": url }), requests)
}

fn run(ground: &Ground, mode: &str, reach: &Value, requests: &[(&str, Value)]) -> Vec<Value> {
    let requests: Vec<Value> =
        requests.iter().map(|(method, params)| json!({ "method": method, "params": params })).collect();
    let plan = json!({ "reach": reach, "mode": mode, "requests": requests });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/mcp/client.py");
    let mut client = ground.start(&ground.python(&[script]));
    client.send(&plan.to_string());
    client.close();
    let mut answers = Vec::new();
    while let Some(line) = client.line() {
        answers.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")));
    }
    assert_eq!(answers.len(), requests.len() + 1, "{answers:?}: {}", client.errors());
    answers
}
