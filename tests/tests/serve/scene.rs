//! A backend, and clients of it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use jsonrpsee::core::client::{ClientT, Error, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::ObjectParams;
use jsonrpsee::ws_client::{HeaderMap, HeaderValue, WsClient, WsClientBuilder};
use mayi_tests::{LIMIT, Machine, mayi_program};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

/// A backend that runs.
pub(super) struct Backend {
    pub(super) machine: Machine,
    child: Box<dyn ChildWrapper>,
    pub(super) ready: Value,
}

impl Backend {
    /// Starts one on a machine of its own.
    pub(super) async fn new() -> Self {
        Self::on(Machine::new(), &[]).await
    }

    pub(super) async fn on(machine: Machine, options: &[&str]) -> Self {
        let mut command = tokio::process::Command::new(mayi_program());
        command
            .arg("serve")
            .args(options)
            .current_dir(machine.work())
            .env_clear()
            .envs(machine.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true);
        let mut wrap = CommandWrap::from(command);
        wrap.wrap(ProcessSession);
        let mut child = wrap.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
        let line = tokio::time::timeout(LIMIT, lines.next_line()).await.unwrap().unwrap().unwrap();
        Self { machine, child, ready: serde_json::from_str(&line).unwrap() }
    }

    pub(super) fn text(&self, key: &str) -> String {
        self.ready[key].as_str().unwrap().to_owned()
    }

    /// Host and port.
    pub(super) fn address(&self) -> String {
        self.text("url").trim_start_matches("http://").trim_end_matches('/').to_owned()
    }

    pub(super) fn token(&self, file: &str) -> String {
        std::fs::read_to_string(self.text(file)).unwrap().trim().to_owned()
    }

    /// A client that may answer.
    pub(super) async fn client(&self, name: &str) -> Client {
        let token = self.token("answerTokenFile");
        let client = Client::connect(&self.text("ws"), &token).await.unwrap();
        client
            .call("mayi/initialize", json!({"protocolVersion": 1, "client": {"name": name, "version": "1"}}))
            .await
            .unwrap();
        client
    }

    /// Kills it, as nothing that it could notice.
    pub(super) async fn kill(mut self) -> Machine {
        self.child.start_kill().unwrap();
        self.child.wait().await.unwrap();
        self.machine
    }

    /// Ends it, as a person would.
    pub(super) async fn stop(mut self) -> Machine {
        let pid = i32::try_from(self.child.id().unwrap()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        tokio::time::timeout(LIMIT, self.child.wait()).await.unwrap().unwrap();
        self.machine
    }
}

/// A client over a WebSocket.
pub(super) struct Client(WsClient);

impl Client {
    pub(super) async fn connect(address: &str, token: &str) -> Result<Self, Error> {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_str(&format!("Bearer {token}")).unwrap());
        let builder = WsClientBuilder::default().set_headers(headers).request_timeout(LIMIT);
        Ok(Self(
            builder
                .max_response_size(u32::MAX)
                .max_buffer_capacity_per_subscription(65536)
                .build(address)
                .await?,
        ))
    }

    pub(super) async fn call(&self, method: &str, params: Value) -> Result<Value, Error> {
        let mut object = ObjectParams::new();
        for (key, value) in params.as_object().unwrap() {
            object.insert(key, value).unwrap();
        }
        self.0.request(method, object).await
    }

    /// What it gives, which is no error.
    #[track_caller]
    pub(super) fn ask<'a>(&'a self, method: &'a str, params: Value) -> impl Future<Output = Value> + 'a {
        let from = std::panic::Location::caller();
        async move {
            self.call(method, params).await.unwrap_or_else(|error| panic!("{method} at {from}: {error}"))
        }
    }

    /// Hears of everything after `cursor`.
    pub(super) async fn events(&self, cursor: Option<Value>) -> Events {
        let mut params = ObjectParams::new();
        params.insert("cursor", cursor).unwrap();
        let batches = self.0.subscribe("events/subscribe", params, "events/unsubscribe").await.unwrap();
        Events { batches, waiting: Vec::new(), cursor: Value::Null, seen: Vec::new() }
    }

    /// Opens a tab of the demo agent.
    pub(super) async fn demo(&self, machine: &Machine) -> String {
        let opened = self.ask("session/new", json!({"agent": "demo", "cwd": machine.work()})).await;
        opened["tabId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn prompt(&self, tab: &str, text: &str) {
        self.ask("session/prompt", json!({"tabId": tab, "text": text})).await;
    }

    /// Picks an option of the card.
    pub(super) async fn answer(&self, card: &Value, option: &str) -> Result<Value, Error> {
        self.call("approval/respond", pick(card, option)).await
    }
}

/// The answer that picks an option of the card.
pub(super) fn pick(card: &Value, option: &str) -> Value {
    json!({
        "type": "approval-response", "approvalId": card["approvalId"], "digest": card["digest"],
        "response": {"outcome": {"outcome": "selected", "optionId": option}},
    })
}

/// What a subscriber hears.
pub(super) struct Events {
    batches: Subscription<Value>,
    waiting: Vec<Value>,
    /// After what was heard last.
    pub(super) cursor: Value,
    /// Everything that was looked at.
    pub(super) seen: Vec<Value>,
}

impl Events {
    pub(super) async fn next(&mut self) -> Value {
        while self.waiting.is_empty() {
            let batch = tokio::time::timeout(LIMIT, self.batches.next()).await;
            let batch = batch.unwrap_or_else(|_| panic!("nothing more comes after {:?}", self.seen.last()));
            let batch = batch.expect("the subscription is open").unwrap();
            self.waiting.extend(batch["events"].as_array().unwrap().iter().cloned());
            self.waiting.reverse();
            self.cursor = batch["cursor"].clone();
        }
        let event = self.waiting.pop().unwrap();
        self.seen.push(event.clone());
        event
    }

    /// The next one of this type.
    pub(super) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// How many of this type were looked at.
    pub(super) fn count(&self, kind: &str) -> usize {
        self.seen.iter().filter(|event| event["type"] == kind).count()
    }

    /// What the agent has said so far.
    pub(super) fn said(&self) -> String {
        let text = |event: &Value| {
            let update = &event["update"];
            (update["sessionUpdate"] == "agent_message_chunk")
                .then(|| update["content"]["text"].as_str().unwrap_or_default().to_owned())
        };
        self.seen.iter().filter_map(text).collect()
    }
}

/// Whether the file is there before long.
pub(super) async fn appears(path: &Path) {
    let path: PathBuf = path.to_owned();
    let there = async {
        while !path.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, there).await.unwrap_or_else(|_| panic!("{} does not appear", path.display()));
}

/// The error's code, and its data.
pub(super) fn code(error: &Error) -> (i32, Value) {
    match error {
        Error::Call(error) => {
            let data = error.data().and_then(|data| serde_json::from_str(data.get()).ok());
            (error.code(), data.unwrap_or_default())
        }
        other => panic!("{other}"),
    }
}
