//! The wire, against the reference implementation's server and against servers that mean no good.

mod hostile;
mod rmcp_server;
mod scripted;
mod sse;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Response};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::*;
use crate::Frame;

/// Smaller than they are, so that tests are quick.
pub(super) const LIMITS: Limits =
    Limits { longest: 1 << 20, retry: Duration::from_millis(1), endpoint: Duration::from_secs(30) };

/// What a scripted server has got.
pub(super) struct Got {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl Got {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A server that answers as `script` says; what it got comes from the receiver.
pub(super) async fn server<F>(
    script: impl Fn(Arc<Got>) -> F + Send + Sync + 'static,
) -> (String, mpsc::UnboundedReceiver<Arc<Got>>)
where
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let (seen, seeing) = mpsc::unbounded_channel();
    let script = Arc::new(script);
    let handler = move |request: Request| {
        let (seen, script) = (seen.clone(), Arc::clone(&script));
        async move {
            let (parts, body) = request.into_parts();
            let bytes = to_bytes(body, 1 << 20).await.unwrap();
            let got = Arc::new(Got {
                method: parts.method.to_string(),
                path: parts.uri.to_string(),
                headers: parts.headers,
                body: serde_json::from_slice(&bytes).unwrap_or_default(),
            });
            let _ = seen.send(Arc::clone(&got));
            script(got).await
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = Router::new().fallback(handler);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, seeing)
}

pub(super) fn answer(status: u16, kind: &str, body: impl Into<Body>) -> Response<Body> {
    Response::builder().status(status).header("content-type", kind).body(body.into()).unwrap()
}

pub(super) fn result(id: &Value, result: Value) -> Response<Body> {
    let text = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    answer(200, "application/json", text)
}

/// The answer of a server of the older era to what comes first; `None` for what comes later.
pub(super) fn opening(got: &Got) -> Option<Response<Body>> {
    match got.body["method"].as_str() {
        Some("initialize") => {
            let mut response =
                result(&got.body["id"], json!({"protocolVersion": "2025-11-25", "capabilities": {}}));
            response.headers_mut().insert("mcp-session-id", "s1".parse().unwrap());
            Some(response)
        }
        Some(method) if method.starts_with("notifications/") => Some(answer(202, "text/plain", "")),
        _ if got.method == "DELETE" => Some(answer(200, "text/plain", "")),
        _ => None,
    }
}

pub(super) fn remote(url: &str) -> Remote {
    Remote { name: "docs".to_owned(), url: url.to_owned(), headers: BTreeMap::new(), bearer: None }
}

pub(super) fn wire(url: &str) -> Wire {
    let (shared, outgoing, wire) = prepare(remote(url), LIMITS).unwrap();
    tokio::spawn(run::run(shared, outgoing));
    wire
}

pub(super) fn initialize() -> Frame {
    let info = json!({"name": "mayi", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    Frame::request(1, "initialize", &params)
}

pub(super) fn initialized() -> Frame {
    Frame::notification("notifications/initialized", &json!({}))
}

pub(super) fn call(id: u64) -> Frame {
    Frame::request(id, "tools/call", &json!({"name": "t", "arguments": {}}))
}

/// A request of 2026-07-28.
pub(super) fn modern(id: u64, method: &str, mut params: Value) -> Frame {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "mayi", "version": "1"},
    });
    Frame::request(id, method, &params)
}

impl Wire {
    pub(super) async fn send(&self, frame: Frame) {
        self.outgoing.send(frame).await.unwrap();
    }

    pub(super) async fn frame(&mut self) -> (Value, Option<u64>) {
        match self.incoming.recv().await.unwrap() {
            Incoming::Frame { frame, about } => (serde_json::from_str(&frame.to_line()).unwrap(), about),
            other => panic!("{other:?}"),
        }
    }

    pub(super) async fn failed(&mut self, id: u64) -> (i64, String) {
        match self.incoming.recv().await.unwrap() {
            Incoming::Failed { id: failed, code, message, .. } if failed == id => (code, message),
            other => panic!("{other:?}"),
        }
    }

    pub(super) async fn opened(&mut self) {
        self.send(initialize()).await;
        assert_eq!(self.frame().await.0["result"]["protocolVersion"], "2025-11-25");
        self.send(initialized()).await;
    }
}

/// Tokens, one after the other.
pub(super) struct Tokens(pub(super) Vec<&'static str>);

impl Bearer for Tokens {
    fn token(&self, refused: Option<String>) -> BoxFuture<'_, Result<Option<String>, String>> {
        let at = refused.map_or(0, |refused| {
            self.0.iter().position(|token| *token == refused).map_or(self.0.len(), |at| at + 1)
        });
        let token = self.0.get(at).map(|token| (*token).to_owned());
        Box::pin(async { Ok(token) })
    }
}
