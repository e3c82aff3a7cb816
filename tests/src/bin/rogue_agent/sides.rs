//! Requests that go around the permission request.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::messages;

pub(crate) fn write(agent: &mut Agent, path: &str, content: &str) {
    let path = messages::path(&agent.cwd, path);
    let params = json!({ "sessionId": agent.session, "path": path, "content": content });
    agent.call("fs/write_text_file", params);
}

pub(crate) fn read(agent: &mut Agent, path: &str) {
    let path = messages::path(&agent.cwd, path);
    agent.call("fs/read_text_file", json!({ "sessionId": agent.session, "path": path }));
}

/// Runs a command to its end in a terminal of the client, if it gets one.
pub(crate) fn run(agent: &mut Agent, command: &str, args: &[String]) {
    let params = json!({ "sessionId": agent.session, "command": command, "args": args, "cwd": agent.cwd });
    let created = agent.call("terminal/create", params);
    if let Some(id) = created.get("terminalId").and_then(Value::as_str) {
        let terminal = json!({ "sessionId": agent.session, "terminalId": id });
        for method in ["terminal/wait_for_exit", "terminal/output", "terminal/release"] {
            agent.call(method, terminal.clone());
        }
    }
}

/// Calls a vendor's method and one that nobody has.
pub(crate) fn unknown_methods(agent: &mut Agent) {
    for method in ["_vendor/thing", "bogus/method"] {
        agent.call(method, json!({ "sessionId": agent.session, "value": 1 }));
    }
}
