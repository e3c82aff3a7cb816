//! An editor's side of the connection: no more JSON than it takes to see what an event is about.

use std::path::Path;
use std::time::Duration;

use jsonrpsee::core::client::{ClientT, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::ObjectParams;
use jsonrpsee::ws_client::{HeaderMap, HeaderValue, WsClient, WsClientBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::common::Outcome;

/// Nothing takes longer, unless it is lost.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// So many notifications may wait in a client: more than there ever are.
const BUFFER: usize = 65_536;

/// A client over a WebSocket.
pub(crate) struct Client(WsClient);

/// Several events.
#[derive(Deserialize)]
pub(crate) struct Batch {
    pub(crate) events: Vec<Seen>,
}

/// What is looked at of an event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Seen {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) tab_id: Option<String>,
    pub(crate) approval_id: Option<String>,
    pub(crate) digest: Option<String>,
    tool_call: Option<ToolCall>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolCall {
    tool_call_id: Option<String>,
}

impl Seen {
    /// The id of the agent's call, in a card.
    pub(crate) fn call(&self) -> Option<&str> {
        self.tool_call.as_ref()?.tool_call_id.as_deref()
    }
}

impl Client {
    pub(crate) async fn connect(address: &str, token: &str, name: &str) -> Outcome<Self> {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_str(&format!("Bearer {token}"))?);
        let client = WsClientBuilder::default()
            .set_headers(headers)
            .request_timeout(PATIENCE)
            .max_response_size(u32::MAX)
            .max_buffer_capacity_per_subscription(BUFFER)
            .build(address)
            .await?;
        let client = Self(client);
        let who = json!({ "protocolVersion": 1, "client": { "name": name, "version": "1" } });
        client.call("mayi/initialize", who).await?;
        Ok(client)
    }

    /// Calls a method.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Outcome<Value> {
        let mut object = ObjectParams::new();
        for (key, value) in params.as_object().into_iter().flatten() {
            object.insert(key, value)?;
        }
        self.0.request(method, object).await.map_err(|error| format!("{method}: {error}").into())
    }

    /// Hears of everything from now on, and of what there was.
    pub(crate) async fn events(&self) -> Outcome<Subscription<Batch>> {
        let mut params = ObjectParams::new();
        params.insert("cursor", Value::Null)?;
        Ok(self.0.subscribe("events/subscribe", params, "events/unsubscribe").await?)
    }

    /// Opens a tab called `tab`.
    pub(crate) async fn open(&self, agent: &str, tab: &str, cwd: &Path) -> Outcome<()> {
        self.call("session/new", json!({ "agent": agent, "cwd": cwd, "tabId": tab })).await?;
        Ok(())
    }

    pub(crate) async fn prompt(&self, tab: &str) -> Outcome<()> {
        self.call("session/prompt", json!({ "tabId": tab, "text": "Ask." })).await?;
        Ok(())
    }

    /// Answers a card with one of its options.
    pub(crate) async fn answer(&self, approval: &str, digest: &str, option: &str) -> Outcome<()> {
        let answer = json!({
            "approvalId": approval, "digest": digest,
            "response": { "outcome": { "outcome": "selected", "optionId": option } },
        });
        self.call("approval/respond", answer).await?;
        Ok(())
    }
}
