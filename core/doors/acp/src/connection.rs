//! A connection to one agent: started, initialized, and ended with its whole process group.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::v1::{ConnectionTo, Dispatch};
use agent_client_protocol::{Agent, Client, UntypedMessage};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::dispatch;
use super::shared::Shared;
use super::stdio::{self, Fault};
use super::{AcpEvent, AgentError, SessionEvent};
use mayi_acp_shared::{Launch, Process};
use mayi_core::gate::Gate;
use mayi_doors::task::spawn;

/// How long an agent may take to start.
const STARTING: Duration = Duration::from_secs(30);

/// The same for one that its launcher may have to download first.
const DOWNLOADING: Duration = Duration::from_secs(180);

/// Launchers that download what they start.
const LAUNCHERS: &[&str] =
    &["npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "docker", "podman", "nix"];

/// What mayi offers the agent.
#[derive(Clone, Copy, Debug)]
pub struct OfferedCapabilities {
    /// `fs/read_text_file` and `fs/write_text_file`.
    pub fs: bool,
    /// `terminal/*`.
    pub terminal: bool,
    /// A file that is not there is read as an empty one: some agents create no file otherwise.
    pub missing_files_are_empty: bool,
}

/// A connection to an agent that has been initialized.
pub struct Connection {
    pub(super) cx: ConnectionTo<Agent>,
    pub(super) shared: Arc<Shared>,
    fault: Fault,
    process: tokio::sync::Mutex<Option<Process>>,
    driver: tokio::sync::Mutex<JoinHandle<()>>,
    stop: std::sync::Mutex<Option<oneshot::Sender<()>>>,
    aborter: tokio::task::AbortHandle,
    capabilities: Value,
    /// What it says of its version.
    version: Option<String>,
}

impl Connection {
    /// Starts the agent and initializes the connection.
    ///
    /// # Errors
    /// If it can't be found or started, ends, does not answer, or speaks another protocol.
    pub async fn start(
        launch: &Launch,
        gate: Gate,
        offer: OfferedCapabilities,
        events: mpsc::UnboundedSender<SessionEvent>,
    ) -> Result<Self, AgentError> {
        let (process, pipes) = {
            let events = events.clone();
            let hears = move |line| drop(events.send(AcpEvent::Stderr(line).into()));
            Process::start(launch, hears).await?
        };
        let fault = Fault::default();
        let transport = stdio::agent_transport(pipes, fault.clone(), events.clone());
        let shared = Arc::new(Shared::new(gate, offer, events));
        let (cx_sender, cx_receiver) = oneshot::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let handlers = Arc::clone(&shared);
        let driver = spawn(async move {
            let result = Client
                .v1()
                .name("mayi")
                .on_receive_dispatch(
                    async move |message: Dispatch, _cx: ConnectionTo<Agent>| {
                        dispatch::dispatch_message(&handlers, message)
                    },
                    agent_client_protocol::on_receive_dispatch!(),
                )
                .connect_with(transport, async move |cx: ConnectionTo<Agent>| {
                    let _ = cx_sender.send(cx.clone());
                    tokio::select! {
                        _ = stopped => {}
                        () = cx.incoming_closed() => {}
                    }
                    Ok(())
                })
                .await;
            if let Err(error) = result {
                tracing::debug!(%error, "the connection ended");
            }
        });
        let cx = cx_receiver
            .await
            .map_err(|_| AgentError::Protocol("the connection could not be opened".to_owned()))?;
        let mut connection = Self {
            cx,
            shared,
            fault,
            process: tokio::sync::Mutex::new(Some(process)),
            aborter: driver.abort_handle(),
            driver: tokio::sync::Mutex::new(driver),
            stop: std::sync::Mutex::new(Some(stop)),
            capabilities: Value::Null,
            version: None,
        };
        let response = connection.initialize(offer, start_limit(launch)).await?;
        connection.version =
            response.pointer("/agentInfo/version").and_then(Value::as_str).map(str::to_owned);
        connection.capabilities = response.get("agentCapabilities").cloned().unwrap_or_default();
        Ok(connection)
    }

    async fn initialize(&self, offer: OfferedCapabilities, limit: Duration) -> Result<Value, AgentError> {
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": {
                "fs": {"readTextFile": offer.fs, "writeTextFile": offer.fs},
                "terminal": offer.terminal,
            },
            "clientInfo": {"name": "mayi", "title": "mayi", "version": env!("CARGO_PKG_VERSION")},
        });
        let response = self.ask_agent("initialize", "initialize", params, Some(limit)).await?;
        match response.get("protocolVersion").and_then(Value::as_u64) {
            Some(1) => Ok(response),
            Some(other) => Err(AgentError::Protocol(format!(
                "it speaks version {other} of the protocol; mayi speaks version 1"
            ))),
            None => Err(AgentError::Protocol("initialize was answered without a protocolVersion".to_owned())),
        }
    }

    /// Whether the agent can go on with earlier sessions.
    #[must_use]
    pub fn can_load(&self) -> bool {
        self.capabilities.get("loadSession").and_then(Value::as_bool) == Some(true)
    }

    /// What the agent says of its version.
    pub(super) fn agent_version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Whether the agent says that it reaches MCP servers in this way, `http` or `sse`.
    pub(super) fn can_reach(&self, way: &str) -> bool {
        self.capabilities.get("mcpCapabilities").and_then(|ways| ways.get(way)?.as_bool()) == Some(true)
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn ask_agent(
        &self,
        method: &str,
        what: &'static str,
        params: Value,
        limit: Option<Duration>,
    ) -> Result<Value, AgentError> {
        let message =
            UntypedMessage::new(method, params).map_err(|error| AgentError::Protocol(error.to_string()))?;
        let answer = self.cx.send_request(message).block_task();
        let answer = match limit {
            Some(limit) => {
                tokio::time::timeout(limit, answer).await.map_err(|_| AgentError::Silent { what, limit })?
            }
            None => answer.await,
        };
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) if self.is_gone(&error) => Err(self.end_of_agent(what).await),
            Err(error) => {
                let code: i32 = error.code.into();
                Err(AgentError::from_error_response(what, code.into(), &error.message, error.data.as_ref()))
            }
        }
    }

    fn is_gone(&self, error: &agent_client_protocol::Error) -> bool {
        self.fault.get().is_some()
            || agent_client_protocol::is_connection_terminated(error)
            || agent_client_protocol::is_incoming_transport_closed(error)
            || self.cx.is_incoming_closed()
    }

    /// Why the agent is gone. Whatever waited for it is cancelled.
    async fn end_of_agent(&self, what: &'static str) -> AgentError {
        self.shared.gate.cancel_all("the agent is gone");
        self.shared.terminals.end_all();
        if let Some(fault) = self.fault.get() {
            return AgentError::Protocol(fault);
        }
        let when = match what {
            "initialize" => "before it answered initialize",
            "the prompt" => "in the middle of the turn",
            _ => "while its session was being opened",
        };
        match self.process.lock().await.as_mut() {
            Some(process) => process.exit_error(when).await,
            None => AgentError::Died { when, status: String::new(), stderr: String::new() },
        }
    }

    /// Waits until the agent has answered something, whatever it makes of it: what it had to say before has been heard by
    /// then. One that does not answer is waited for as long as `limit`.
    pub async fn wait_until_settled(&self, limit: Duration) {
        // Not in the protocol, as its leading `_` says: an agent answers that there is no such method.
        if let Ok(message) = UntypedMessage::new("_mayi/settled", json!({})) {
            let _ = tokio::time::timeout(limit, self.cx.send_request(message).block_task()).await;
        }
    }

    /// Waits until the agent is gone by itself.
    pub async fn wait_until_gone(&self) {
        self.cx.incoming_closed().await;
    }

    /// Ends the connection, the agent, and everything that it started. Whatever waited is cancelled.
    pub async fn end(&self) {
        self.shared.gate.cancel_all("mayi is ending");
        self.shared.terminals.end_all();
        // Every request gets its answer, also one that was decided a moment ago.
        self.shared.answers.close();
        let _ = tokio::time::timeout(Duration::from_millis(500), self.shared.answers.wait()).await;
        let stop = self.stop.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(stop) = stop {
            let _ = stop.send(());
        }
        let limit = Duration::from_millis(500);
        let mut driver = self.driver.lock().await;
        if tokio::time::timeout(limit, &mut *driver).await.is_err() {
            driver.abort();
        }
        if let Some(process) = self.process.lock().await.take() {
            process.end().await;
        }
    }
}

/// How long the agent may take to answer `initialize`.
fn start_limit(launch: &Launch) -> Duration {
    let name = launch.command.first().map(String::as_str).unwrap_or_default();
    let base = name.rsplit('/').next().unwrap_or(name);
    if LAUNCHERS.contains(&base) { DOWNLOADING } else { STARTING }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.aborter.abort();
        self.shared.terminals.end_all();
    }
}
