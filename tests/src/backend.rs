//! The backend of editors as a process, and clients of it.

use std::process::Stdio;

use jsonrpsee::core::client::{ClientT, Error, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::ObjectParams;
use jsonrpsee::ws_client::{HeaderMap, HeaderValue, WsClient, WsClientBuilder};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::LIMIT;

/// A backend that runs.
#[derive(Debug)]
pub struct Backend {
    child: Box<dyn ChildWrapper>,
    /// The line that it begins with.
    pub ready: Value,
}

impl Backend {
    /// Starts one by `command`, which is `mayi serve` where it should run.
    pub async fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
        let mut wrap = CommandWrap::from(command);
        wrap.wrap(ProcessSession);
        let mut child = wrap.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
        let line = tokio::time::timeout(LIMIT, lines.next_line()).await.unwrap().unwrap().unwrap();
        Self { child, ready: serde_json::from_str(&line).unwrap() }
    }

    /// A text of the line that it begins with.
    #[must_use]
    pub fn text(&self, key: &str) -> String {
        self.ready[key].as_str().unwrap().to_owned()
    }

    /// Host and port.
    #[must_use]
    pub fn address(&self) -> String {
        self.text("url").trim_start_matches("http://").trim_end_matches('/').to_owned()
    }

    /// What is in the file of a token.
    #[must_use]
    pub fn token(&self, file: &str) -> String {
        std::fs::read_to_string(self.text(file)).unwrap().trim().to_owned()
    }

    /// A client that may answer.
    pub async fn client(&self, name: &str) -> Client {
        let token = self.token("answerTokenFile");
        let client = Client::connect(&self.text("ws"), &token).await.unwrap();
        client
            .call("mayi/initialize", json!({"protocolVersion": 1, "client": {"name": name, "version": "1"}}))
            .await
            .unwrap();
        client
    }

    /// A code for the page, as the editor that `client` is shows it.
    pub async fn code(&self, client: &Client) -> String {
        client.ask("ui/pair", json!({})).await["code"].as_str().unwrap().to_owned()
    }

    /// The token of a page on which such a code was typed.
    pub async fn paired(&self, code: &str) -> String {
        let at = self.address();
        let body = json!({ "code": code }).to_string();
        let head = format!(
            "POST /ui/pair HTTP/1.1\r\nhost: {at}\r\norigin: http://{at}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut page = tokio::net::TcpStream::connect(at).await.unwrap();
        page.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        let mut said = String::new();
        page.read_to_string(&mut said).await.unwrap();
        let said: Value = serde_json::from_str(said.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        said["token"].as_str().unwrap().to_owned()
    }

    /// Kills it, as nothing that it could notice.
    pub async fn kill(mut self) {
        self.child.start_kill().unwrap();
        self.child.wait().await.unwrap();
    }

    /// Ends it, as a person would.
    pub async fn stop(mut self) {
        let pid = i32::try_from(self.child.id().unwrap()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        tokio::time::timeout(LIMIT, self.child.wait()).await.unwrap().unwrap();
    }
}

/// A client over a WebSocket.
#[derive(Debug)]
pub struct Client(WsClient);

impl Client {
    /// Connects to `address`, with `token`.
    ///
    /// # Errors
    /// As the backend answers.
    pub async fn connect(address: &str, token: &str) -> Result<Self, Error> {
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

    /// What it speaks through.
    #[must_use]
    pub fn socket(&self) -> &WsClient {
        &self.0
    }

    /// Calls `method` with the members of `params`.
    ///
    /// # Errors
    /// As the backend answers.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, Error> {
        let mut object = ObjectParams::new();
        for (key, value) in params.as_object().unwrap() {
            object.insert(key, value).unwrap();
        }
        self.0.request(method, object).await
    }

    /// What it gives, which is no error.
    #[track_caller]
    pub fn ask<'a>(&'a self, method: &'a str, params: Value) -> impl Future<Output = Value> + 'a {
        let from = std::panic::Location::caller();
        async move {
            self.call(method, params).await.unwrap_or_else(|error| panic!("{method} at {from}: {error}"))
        }
    }

    /// Hears of everything after `cursor`.
    pub async fn events(&self, cursor: Option<Value>) -> Events {
        let mut params = ObjectParams::new();
        params.insert("cursor", cursor).unwrap();
        let batches = self.0.subscribe("events/subscribe", params, "events/unsubscribe").await.unwrap();
        Events { batches, waiting: Vec::new(), cursor: Value::Null, seen: Vec::new() }
    }

    /// Opens a tab as `wanted` says.
    pub async fn tab(&self, wanted: Value) -> String {
        self.ask("session/new", wanted).await["tabId"].as_str().unwrap().to_owned()
    }

    /// Says something in a tab.
    pub async fn prompt(&self, tab: &str, text: &str) {
        self.ask("session/prompt", json!({"tabId": tab, "text": text})).await;
    }

    /// Picks an option of the card.
    ///
    /// # Errors
    /// As the backend answers.
    pub async fn answer(&self, card: &Value, option: &str) -> Result<Value, Error> {
        self.call("approval/respond", pick(card, option)).await
    }
}

/// The answer that picks an option of the card.
#[must_use]
pub fn pick(card: &Value, option: &str) -> Value {
    json!({
        "type": "approval-response", "approvalId": card["approvalId"], "digest": card["digest"],
        "response": {"outcome": {"outcome": "selected", "optionId": option}},
    })
}

/// What a subscriber hears.
#[derive(Debug)]
pub struct Events {
    batches: Subscription<Value>,
    waiting: Vec<Value>,
    /// After what was heard last.
    pub cursor: Value,
    /// Everything that was looked at.
    pub seen: Vec<Value>,
}

impl Events {
    /// The next event.
    pub async fn next(&mut self) -> Value {
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
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// How many of this type were looked at.
    #[must_use]
    pub fn count(&self, kind: &str) -> usize {
        self.seen.iter().filter(|event| event["type"] == kind).count()
    }

    /// What the agent has said so far.
    #[must_use]
    pub fn said(&self) -> String {
        let text = |event: &Value| {
            let update = &event["update"];
            (update["sessionUpdate"] == "agent_message_chunk")
                .then(|| update["content"]["text"].as_str().unwrap_or_default().to_owned())
        };
        self.seen.iter().filter_map(text).collect()
    }
}

/// The error's code, and its data.
#[must_use]
pub fn code(error: &Error) -> (i32, Value) {
    match error {
        Error::Call(error) => {
            let data = error.data().and_then(|data| serde_json::from_str(data.get()).ok());
            (error.code(), data.unwrap_or_default())
        }
        other => panic!("{other}"),
    }
}
