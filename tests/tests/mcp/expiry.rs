//! A question that the client does not come back with in time. In this process, since nobody waits for ten minutes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mayi_core::call::AgentId;
use mayi_core::config::{ServerLaunch, Transport};
use mayi_core::gate::{Asking, Gate, NoPersistence, OnAsk};
use mayi_core::pin::{MayChange, Pins};
use mayi_core::policy::{AgentSettings, Origin, Policy};
use mayi_mcp::{
    Answerer, Caller, Client, ClientCount, Frame, Gateway, McpDoor, McpOptions, NoticeSinks, RequestKey,
};
use mayi_tests::until;
use serde_json::{Value, json};

use crate::client::{LIMIT, is_wrong};
use crate::scene::Scene;
use crate::state::allow;

#[derive(Default)]
struct Heard(Mutex<Vec<Value>>);

impl Client for Heard {
    fn send(&self, frame: Frame, _: Option<RequestKey>) {
        self.0.lock().unwrap().push(serde_json::from_str(&frame.to_line()).unwrap());
    }
}

impl Heard {
    fn answer(&self, id: i64) -> Value {
        until(LIMIT, || match self.0.lock().unwrap().iter().any(|message| message["id"] == id) {
            true => Ok(()),
            false => Err(format!("no answer to {id}")),
        });
        self.0.lock().unwrap().iter().find(|message| message["id"] == id).unwrap().clone()
    }
}

fn options(scene: &Scene) -> McpOptions {
    McpOptions {
        agent: AgentId::from_name("bot"),
        cwd: scene.machine.work(),
        roots: vec![scene.machine.work()],
        mode: None,
        toolbelt: false,
        asks: Answerer::Auto,
        surface: Box::new(|| false),
        binding: None,
        sinks: NoticeSinks { people: Arc::new(|_, _| ()), errors: Arc::new(|_, _| ()) },
        tokens: None,
        patience: Duration::from_millis(300),
    }
}

fn call(id: i64, more: &Value) -> Frame {
    let mut params = json!({
        "name": "echo", "arguments": { "n": 1 },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        },
    });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
    Frame::parse(&call.to_string()).unwrap()
}

/// Attack 15: a state that has expired.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_state_that_has_expired_then_it_is_refused_and_the_question_is_gone() {
    let scene = Scene::new("");
    let agent = AgentSettings { trust_elicitation: true, ..AgentSettings::default() };
    let policy = Policy { agents: BTreeMap::from([("bot".to_owned(), agent)]), ..Policy::default() };
    let gate = Gate::new(policy, Asking { on_ask: OnAsk::Wait, limit: None }, Box::new(NoPersistence));
    let launch = ServerLaunch {
        name: "rogue".to_owned(),
        transport: Transport::Stdio { command: scene.command("rogue", "plain"), env: BTreeMap::new() },
        origin: Origin { file: None, line: None, layer: mayi_core::policy::Layer::CommandLine },
        may_change: MayChange::default(),
    };
    let door = McpDoor::new(gate.clone(), Pins::new(None), options(&scene), vec![launch]).unwrap();
    let heard = Arc::new(Heard::default());
    let client: Arc<dyn Client> = Arc::clone(&heard) as Arc<dyn Client>;
    let conversation = door.open(client, Caller("test".to_owned()), ClientCount::One);
    conversation.receive(call(1, &json!({})), Some(RequestKey::next()));
    let asked = heard.answer(1);
    let state = asked["result"]["requestState"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
    until(LIMIT, || if gate.waiting_cards().is_empty() { Ok(()) } else { Err("it still waits".to_owned()) });
    let back = json!({ "requestState": state, "inputResponses": { "mayi": allow() } });
    conversation.receive(call(2, &back), Some(RequestKey::next()));
    is_wrong(&heard.answer(2), "expired");
    scene.nothing_ran();
    conversation.close();
}
