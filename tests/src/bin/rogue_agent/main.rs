//! An agent that misbehaves: raw JSON lines on standard input and output, one misdeed per run.
//!
//! The first argument names the behaviour, the others are its arguments; without any, the list is printed. Unless the
//! behaviour says else, it answers `initialize` and `session/new` well (protocol version 1, session `rogue-1`), any
//! prompt triggers the misdeed, and the turn ends with `end_turn`, or `cancelled` after a `session/cancel`. It exits
//! when standard input ends.
//!
//! Its request ids start at 0. Each answered permission request is told in a message chunk `ask ID -> OUTCOME`, where
//! OUTCOME is the outcome as JSON or `error CODE`; answers to other requests are told as `METHOD -> RESULT`.

mod agent;
mod asks;
mod behaviours;
mod early;
mod messages;
mod noise;
mod sides;

use agent::Agent;
use behaviours::Behaviour;
use serde_json::{Value, json};

fn main() {
    let behaviour = match Behaviour::from_args(std::env::args().skip(1)) {
        Ok(behaviour) => behaviour,
        Err(usage) => agent::quit(2, &usage),
    };
    early::before_reading(&behaviour);
    let mut agent = Agent::new();
    while let Some(message) = agent.next_message() {
        serve(&mut agent, &behaviour, &message);
    }
    early::after_input_ended(&behaviour);
}

/// Serves one message of the client.
fn serve(agent: &mut Agent, behaviour: &Behaviour, message: &Value) {
    if behaviour.is("silent") {
        return;
    }
    let id = message.get("id");
    match (message.get("method").and_then(Value::as_str), id) {
        (Some("initialize"), Some(id)) => {
            early::before_initialize(agent, behaviour);
            agent.answer(id, json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [] }));
        }
        (Some("session/new"), Some(id)) => {
            agent.cwd = text_at(message, "/params/cwd");
            agent.answer(id, json!({ "sessionId": "rogue-1" }));
        }
        (Some("session/prompt"), Some(id)) => {
            agent.cancelled = false;
            agent.session = text_at(message, "/params/sessionId");
            behaviours::turn(agent, behaviour, id);
        }
        (Some(_), Some(id)) => agent.refuse(id),
        _ => {}
    }
}

fn text_at(message: &Value, pointer: &str) -> String {
    message.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
