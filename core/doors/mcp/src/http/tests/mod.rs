//! The front, with a gateway that only echoes.

mod hostile;
mod rmcp_client;
mod sessions;
mod stateless;

use std::sync::{Arc, Mutex};

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use super::{HttpOptions, serve};
use crate::{Caller, Client, ClientCount, Conversation, Frame, FrameKind, Gateway, RequestKey, tls};

/// What the gateway has seen.
#[derive(Debug, PartialEq)]
pub(super) enum Seen {
    Opened(Caller, ClientCount),
    /// A call of `hold`, which the test answers.
    Held(RequestKey),
    Told(String),
    Abandoned(RequestKey),
    Closed,
}

pub(super) struct Echo {
    seen: mpsc::UnboundedSender<Seen>,
    clients: Mutex<Vec<Arc<dyn Client>>>,
}

struct Talk {
    client: Arc<dyn Client>,
    seen: mpsc::UnboundedSender<Seen>,
}

impl Gateway for Echo {
    fn open(&self, client: Arc<dyn Client>, caller: Caller, clients: ClientCount) -> Arc<dyn Conversation> {
        let _ = self.seen.send(Seen::Opened(caller, clients));
        self.clients.lock().unwrap().push(Arc::clone(&client));
        Arc::new(Talk { client, seen: self.seen.clone() })
    }
}

pub(super) fn tool() -> Value {
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    json!({"name": "echo", "inputSchema": {"type": "object", "properties": {"region": region}}})
}

impl Conversation for Talk {
    fn receive(&self, frame: Frame, key: Option<RequestKey>) {
        let method = frame.method().unwrap_or("response").to_owned();
        let Some(key) = key else {
            assert_ne!(frame.kind(), FrameKind::Request);
            let _ = self.seen.send(Seen::Told(method));
            return;
        };
        let params = frame.params().unwrap_or_default();
        let id = frame.id().unwrap().to_owned();
        let name = params.string_member("name").unwrap_or_default();
        let result = match (method.as_str(), name.as_str()) {
            ("initialize", _) if params.string_member("protocolVersion").as_deref() == Some("no") => {
                self.client.send(Frame::error(&id, -32602, "no"), Some(key));
                return;
            }
            ("initialize", _) => json!({
                "protocolVersion": params.string_member("protocolVersion"), "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"},
            }),
            ("server/discover", _) => json!({
                "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"},
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            }),
            ("tools/list", _) => json!({
                "tools": [tool()], "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            }),
            ("tools/call", "hold") => {
                let _ = self.seen.send(Seen::Held(key));
                return;
            }
            ("tools/call", _) => {
                if name == "news" {
                    let news = Frame::notification("notifications/message", &json!({"data": 1}));
                    self.client.send(news, Some(key));
                }
                let said = params.get("arguments").map(|a| a.get().to_owned()).unwrap_or_default();
                json!({"content": [{"type": "text", "text": said}], "resultType": "complete"})
            }
            ("old", _) => {
                self.client.send(Frame::error(&id, -32022, "no such version"), Some(key));
                return;
            }
            _ => {
                self.client.send(Frame::error(&id, -32601, "nobody knows this"), Some(key));
                return;
            }
        };
        self.client.send(Frame::result(&id, &result), Some(key));
    }

    fn abandon_request(&self, key: RequestKey) {
        let _ = self.seen.send(Seen::Abandoned(key));
    }

    fn wait_until_drained(&self) -> futures::future::BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn close(&self) {
        let _ = self.seen.send(Seen::Closed);
    }
}

/// A front that listens.
pub(super) struct Served {
    pub(super) url: String,
    pub(super) port: u16,
    pub(super) echo: Arc<Echo>,
    pub(super) http: reqwest::Client,
    seen: mpsc::UnboundedReceiver<Seen>,
    stop: Option<oneshot::Sender<()>>,
    task: tokio::task::JoinHandle<()>,
}

pub(super) async fn served(options: HttpOptions) -> Served {
    tls::install_provider();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (seen, seeing) = mpsc::unbounded_channel();
    let echo = Arc::new(Echo { seen, clients: Mutex::default() });
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(serve(listener, Arc::clone(&echo) as _, options, async {
        let _ = stopped.await;
    }));
    let url = format!("http://127.0.0.1:{port}/mcp");
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    Served { url, port, echo, http, seen: seeing, stop: Some(stop), task }
}

impl Served {
    pub(super) async fn see(&mut self) -> Seen {
        self.seen.recv().await.unwrap()
    }

    /// The key of the call that is held next.
    pub(super) async fn held(&mut self) -> RequestKey {
        loop {
            if let Seen::Held(key) = self.see().await {
                return key;
            }
        }
    }

    pub(super) fn client(&self, at: usize) -> Arc<dyn Client> {
        Arc::clone(&self.echo.clients.lock().unwrap()[at])
    }

    pub(super) fn post(&self, body: impl Into<String>) -> RequestBuilder {
        self.http
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(body.into())
    }

    pub(super) async fn initialize(&self, version: &str) -> String {
        let response = self.post(initialize(version)).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(id.len(), 32);
        let text = response.text().await.unwrap();
        assert!(text.contains(version), "{text}");
        id
    }

    pub(super) async fn stop(mut self) {
        let _ = self.stop.take().unwrap().send(());
        self.task.await.unwrap();
    }
}

pub(super) fn initialize(version: &str) -> String {
    let params =
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    request(1, "initialize", params)
}

pub(super) fn request(id: u64, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

pub(super) fn call(id: u64, tool: &str) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": {}}))
}

/// A call of 2026-07-28.
pub(super) fn modern(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(7, method, params)
}

/// Reads events until one holds `what`; all of what was read.
pub(super) async fn until(response: &mut Response, what: &str) -> String {
    let mut text = String::new();
    while !text.contains(what) {
        match response.chunk().await.unwrap() {
            Some(chunk) => text.push_str(std::str::from_utf8(&chunk).unwrap()),
            None => panic!("the stream ended after {text:?}, without {what:?}"),
        }
    }
    text
}
