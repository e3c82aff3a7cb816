//! Messages that are broken, too many, or answers to nothing.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::messages;

/// Sends a line as it is, and goes on as if nothing was.
pub(crate) fn line(agent: &mut Agent, line: &[u8]) {
    agent.say("before");
    agent.send_line(line);
    agent.say("after");
}

pub(crate) fn updates(agent: &mut Agent, count: usize) {
    for number in 1..=count {
        agent.say(&format!("update {number} "));
    }
}

/// An update and a permission request in one array; no answer is awaited.
pub(crate) fn batch(agent: &mut Agent) {
    let ask = messages::permission(&agent.session, &messages::execute(&agent.cwd), &messages::options());
    let id = agent.take_id();
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "in a batch" } });
    agent.send(&json!([
        { "jsonrpc": "2.0", "method": "session/update",
          "params": { "sessionId": agent.session, "update": update } },
        { "jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": ask },
    ]));
    agent.say("after");
}

/// One answer more than the prompt needs, and one that nobody waits for.
pub(crate) fn answer_twice(agent: &mut Agent, prompt: &Value) {
    agent.answer(&json!(9999), json!({ "stopReason": "end_turn" }));
    agent.answer(prompt, json!({ "stopReason": "end_turn" }));
}
