//! Conversations with servers that are played in the process.

mod calls;
mod ends;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Session;
use crate::door::{Answerer, McpDoor, McpOptions, NoticeSinks};
use crate::frame::{Frame, FrameKind};
use crate::front::{Caller, Client, ClientCount, Conversation, RequestKey};
use crate::server::Server;
use crate::session_binding::SessionBinding;
use crate::wire::{Incoming, Wire};
use mayi_core::call::{AgentId, SessionId};
use mayi_core::config::{ServerLaunch, Transport};
use mayi_core::gate::{self, Asking, Gate, NoPersistence, OnAsk};
use mayi_core::pin::Pins;
use mayi_core::policy::pattern::PatternBases;
use mayi_core::policy::{AgentSettings, Effect, Origin, Pattern, Policy, Rule};

/// What a server does with a message: what it says for it.
type Plays = Arc<dyn Fn(&Frame) -> Vec<Value> + Send + Sync>;

/// A gateway in front of one server.
struct Played {
    door: McpDoor,
    gate: Gate,
    plays: Plays,
    /// What the server was sent.
    got: Arc<Mutex<Vec<Frame>>>,
    /// Held by every process that runs.
    running: Arc<()>,
}

/// One conversation of it.
struct Talk {
    session: Arc<Session>,
    said: mpsc::UnboundedReceiver<Frame>,
    /// What the server says by itself.
    server: mpsc::Sender<Incoming>,
}

struct Heard(mpsc::UnboundedSender<Frame>);

impl Client for Heard {
    fn send(&self, frame: Frame, _: Option<RequestKey>) {
        let _ = self.0.send(frame);
    }
}

/// A policy with these rules, under which the agent's client may be asked.
fn policy(rules: &[(Effect, &str)]) -> Policy {
    let mut policy = Policy::default();
    for (effect, text) in rules {
        policy.rules.push(Rule {
            effect: *effect,
            pattern: Pattern::parse(text, &PatternBases::default()).unwrap(),
            unless: None,
            reason: None,
            agents: Vec::new(),
            holds: true,
            named: false,
            origin: Origin { file: None, line: None, layer: "user" },
        });
    }
    let trusting = AgentSettings { trust_elicitation: true, ..AgentSettings::default() };
    policy.agents.insert("a".to_owned(), trusting);
    policy
}

fn launch() -> ServerLaunch {
    let transport = Transport::Stdio { command: vec!["/no/server".to_owned()], env: BTreeMap::new() };
    let origin = Origin { file: None, line: None, layer: "user" };
    ServerLaunch { name: "s".to_owned(), transport, origin }
}

/// One tool, as a list has it.
fn tool(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
}

/// A server with these tools, which answers calls by `called`.
fn plays(
    tools: impl Fn() -> Value + Send + Sync + 'static,
    called: impl Fn(&Frame) -> Value + Send + Sync + 'static,
) -> Plays {
    Arc::new(move |frame| {
        let Some(id) = frame.id().filter(|_| frame.kind() == FrameKind::Request) else { return Vec::new() };
        let result = match frame.method().unwrap() {
            "initialize" => json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {} }),
            "server/discover" => json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} }),
            "tools/list" => json!({ "tools": tools() }),
            "tools/call" => called(frame),
            _ => json!({}),
        };
        vec![
            json!({ "jsonrpc": "2.0", "id": serde_json::from_str::<Value>(id.get()).unwrap(), "result": result }),
        ]
    })
}

impl Played {
    fn new(policy: Policy, asks: Answerer, plays: Plays) -> Self {
        let asking = Asking { on_ask: OnAsk::Wait, limit: None };
        let gate = Gate::new(policy, asking, Box::new(NoPersistence));
        let options = McpOptions {
            patience: crate::PATIENCE,
            agent: AgentId::from_name("a"),
            cwd: PathBuf::from("/w"),
            roots: Vec::new(),
            mode: None,
            binding: None,
            toolbelt: false,
            asks,
            surface: Box::new(|| false),
            sinks: NoticeSinks { people: Arc::new(|_, _| ()), errors: Arc::new(|_, _| ()) },
            tokens: None,
        };
        let door = McpDoor::new(gate.clone(), Pins::new(None), options, vec![launch()]).unwrap();
        Self { door, gate, plays, got: Arc::default(), running: Arc::default() }
    }

    fn talk(&self, clients: ClientCount) -> Talk {
        let id = SessionId(format!("t-{}", RequestKey::next().0));
        self.gate.open_session(gate::Session {
            id: id.clone(),
            agent: AgentId::from_name("a"),
            parent: None,
            roots: Vec::new(),
            cwd: PathBuf::from("/w"),
            mode: None,
        });
        let (incoming, inc) = mpsc::channel(64);
        let (sender, wires) = (incoming.clone(), Mutex::new(Some((incoming, inc))));
        let (plays, got) = (Arc::clone(&self.plays), Arc::clone(&self.got));
        let running = Arc::clone(&self.running);
        let connect = move || {
            let (incoming, inc) = wires.lock().unwrap().take().ok_or("it is gone")?;
            let (out, mut outgoing) = mpsc::channel::<Frame>(64);
            let (plays, got) = (Arc::clone(&plays), Arc::clone(&got));
            tokio::spawn(async move {
                while let Some(frame) = outgoing.recv().await {
                    got.lock().unwrap().push(frame.clone());
                    for said in plays(&frame) {
                        let frame = Frame::parse(&said.to_string()).unwrap();
                        let _ = incoming.send(Incoming::Frame { frame, about: None }).await;
                    }
                }
            });
            Ok(Wire { outgoing: out, incoming: inc, guard: Box::new(Arc::clone(&running)) })
        };
        let server = Server::new(
            launch(),
            std::path::Path::new("/"),
            Box::new(connect),
            Arc::new(|_| ()),
            self.door.shared.ending.clone(),
        );
        server.start();
        let (heard, said) = mpsc::unbounded_channel();
        let caller = (Caller("test".to_owned()), clients);
        let shared = Arc::clone(&self.door.shared);
        let session =
            Session::new(shared, Arc::new(Heard(heard)), caller, SessionBinding::Own(id), vec![server]);
        Talk { session, said, server: sender }
    }

    /// What the server was sent by this method.
    fn sent(&self, method: &str) -> Vec<Frame> {
        let got = self.got.lock().unwrap();
        got.iter().filter(|frame| frame.method() == Some(method)).cloned().collect()
    }
}

impl Talk {
    /// Says something, and returns the key that it got.
    fn says(&self, message: &Value) -> Option<RequestKey> {
        let frame = Frame::parse(&message.to_string()).unwrap();
        let key = (frame.kind() == FrameKind::Request).then(RequestKey::next);
        self.session.receive(frame, key);
        key
    }

    /// The next thing that the client hears.
    async fn hears(&mut self) -> Value {
        let heard = tokio::time::timeout(Duration::from_secs(20), self.said.recv()).await;
        let frame = heard.expect("nothing was said").expect("the conversation is over");
        serde_json::from_str(&frame.to_line()).unwrap()
    }

    /// Asks something, and returns the answer.
    async fn asks(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.says(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.hears().await
    }

    /// The server says something by itself.
    async fn told(&self, message: Value) {
        let frame = Frame::parse(&message.to_string()).unwrap();
        let _ = self.server.send(Incoming::Frame { frame, about: None }).await;
    }
}
