//! Sessions with the agent: opening them, prompts, and their end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agent_client_protocol::UntypedMessage;
use serde_json::{Value, json};

use super::connection::Connection;
use super::shared::TurnState;
use super::{AgentError, AskingMode};
use mayi_acp_shared::modes::{self, ModeSwitch};
use mayi_core::call::{AgentId, ServerId, SessionId};
use mayi_core::config::{Asks, ServerLaunch, Transport};
use mayi_core::gate::{Session, ToolFactsSource};
use mayi_core::policy::Mode;

/// How long an agent may take to open a session: some start their servers first.
const OPENING: Duration = Duration::from_secs(120);

/// How long an agent may take to end its turn after `session/cancel`.
const CANCELLING: Duration = Duration::from_secs(5);

/// Servers of a session that its agent reaches through mayi alone.
#[derive(Clone, Debug)]
pub struct GatedServers {
    /// Their names in the configuration, and which they are.
    pub names: Vec<(String, ServerId)>,
    /// What stands before them.
    pub before: Arc<dyn ToolFactsSource>,
}

/// A session to open.
#[derive(Clone, Debug)]
pub struct OpenSession {
    /// Who works in it.
    pub agent: AgentId,
    /// The folder that it works in: the first root.
    pub cwd: PathBuf,
    /// More roots.
    pub more_roots: Vec<PathBuf>,
    /// The MCP servers that the agent is told to start or reach.
    pub servers: Vec<ServerLaunch>,
    /// What those servers stand for, if mayi stands before them.
    pub behind: Option<GatedServers>,
    /// The mode that was chosen for it; none: as configured.
    pub mode: Option<Mode>,
    /// The agent's own mode in which it asks.
    pub asking_mode: Option<AskingMode>,
    /// Whether it asks there, as far as that is known.
    pub asks: Asks,
    /// An earlier session to go on with.
    pub resume: Option<SessionId>,
}

/// A session that is open.
#[derive(Clone, Debug)]
pub struct OpenedSession {
    /// The agent's id for it.
    pub id: SessionId,
    /// The mode that the agent is in, of its own ones.
    pub agent_mode: Option<String>,
}

/// Why a turn ended: the protocol's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The agent is done.
    EndTurn,
    /// The model's limit of tokens was reached.
    MaxTokens,
    /// The model's limit of requests was reached.
    MaxTurnRequests,
    /// The agent refuses to go on.
    Refusal,
    /// The turn was cancelled.
    Cancelled,
    /// A reason that the protocol does not know.
    Other(String),
}

impl StopReason {
    /// The protocol's word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::MaxTokens => "max_tokens",
            Self::MaxTurnRequests => "max_turn_requests",
            Self::Refusal => "refusal",
            Self::Cancelled => "cancelled",
            Self::Other(word) => word,
        }
    }
}

impl Connection {
    /// Opens a session, or goes on with an earlier one, and puts the agent into its asking mode.
    ///
    /// # Errors
    /// If the agent ends, does not answer, refuses, or can't go on with earlier sessions.
    pub async fn open(&self, wanted: &OpenSession) -> Result<OpenedSession, AgentError> {
        let servers: Vec<Value> =
            wanted.servers.iter().filter_map(|server| self.server_to_json(server)).collect();
        let mut params = json!({"cwd": wanted.cwd, "mcpServers": servers});
        let method = match &wanted.resume {
            None => "session/new",
            Some(id) => {
                if !self.can_load() {
                    return Err(AgentError::Refused {
                        what: "to go on with an earlier session",
                        message: "it can't do that".to_owned(),
                        hint: "; start without --continue and --session",
                    });
                }
                // What it replays comes before its answer, and belongs to a session that is known.
                self.announce_session(wanted, id);
                insert(&mut params, "sessionId", json!(id.0));
                "session/load"
            }
        };
        self.shared.replaying.store(wanted.resume.is_some(), Ordering::Relaxed);
        let response = self.ask_agent(method, "to open a session", params, Some(OPENING)).await;
        self.shared.replaying.store(false, Ordering::Relaxed);
        if let (Err(_), Some(id)) = (&response, &wanted.resume) {
            // It does not know this session: nothing is to be judged as if it were there.
            self.shared.gate.close_session(id);
        }
        let response = response?;
        let id = match &wanted.resume {
            Some(id) => id.clone(),
            None => match response.get("sessionId").and_then(Value::as_str) {
                Some(id) if !id.is_empty() => SessionId(id.to_owned()),
                _ => {
                    return Err(AgentError::Protocol(
                        "session/new was answered without a sessionId".to_owned(),
                    ));
                }
            },
        };
        self.announce_session(wanted, &id);
        let agent_mode = self.put_into_asking_mode(&id, &response, wanted).await?;
        if let Some(doubt) = mayi_acp_shared::describe_doubt(
            &wanted.agent,
            wanted.asks,
            agent_mode.as_deref(),
            self.agent_version(),
        ) {
            self.shared.send_notice(doubt);
        }
        Ok(OpenedSession { id, agent_mode })
    }

    fn announce_session(&self, wanted: &OpenSession, id: &SessionId) {
        let folders: Vec<PathBuf> =
            std::iter::once(wanted.cwd.clone()).chain(wanted.more_roots.iter().cloned()).collect();
        self.shared.gate.open_session(Session {
            id: id.clone(),
            agent: wanted.agent.clone(),
            parent: None,
            roots: mayi_doors::folders::session_roots(&folders),
            cwd: wanted.cwd.clone(),
            mode: wanted.mode,
        });
        let gate = &self.shared.gate;
        if let Some(behind) = &wanted.behind {
            gate.set_own_servers(id, behind.names.clone());
            gate.set_session_gateway(id, Arc::clone(&behind.before));
            return;
        }
        let passed = |server: &ServerLaunch| (server.name.clone(), server.transport.server_id());
        gate.set_own_servers(id, wanted.servers.iter().map(passed).collect());
    }

    async fn put_into_asking_mode(
        &self,
        id: &SessionId,
        response: &Value,
        OpenSession { agent, asking_mode, .. }: &OpenSession,
    ) -> Result<Option<String>, AgentError> {
        let wanted = asking_mode.as_ref();
        let name = wanted.map(|mode| mode.0.clone());
        match modes::plan_mode_switch(response, wanted) {
            ModeSwitch::Already => Ok(name),
            ModeSwitch::SetMode(mode) => {
                let params = json!({"sessionId": id.0, "modeId": mode});
                self.ask_agent(
                    "session/set_mode",
                    "to go into the mode in which it asks",
                    params,
                    Some(OPENING),
                )
                .await?;
                Ok(Some(mode))
            }
            ModeSwitch::SetOption { id: option, value } => {
                let params = json!({"sessionId": id.0, "configId": option, "value": value});
                self.ask_agent(
                    "session/set_config_option",
                    "to go into the mode in which it asks",
                    params,
                    Some(OPENING),
                )
                .await?;
                Ok(Some(value))
            }
            ModeSwitch::NotWanted(current) => Ok(current),
            ModeSwitch::Missing(modes) => Err(AgentError::NoAskingMode {
                agent: agent.to_string(),
                wanted: modes::quote_mode_name(&name.unwrap_or_default()),
                has: modes.describe_choices(),
            }),
        }
    }

    /// Sends a prompt and waits for the end of its turn.
    ///
    /// # Errors
    /// If the agent ends or refuses.
    pub async fn prompt(&self, id: &SessionId, blocks: &[String]) -> Result<StopReason, AgentError> {
        let blocks: Vec<Value> = blocks.iter().map(|text| json!({"type": "text", "text": text})).collect();
        self.shared.set_turn(id, TurnState::Running);
        let result = self
            .ask_agent("session/prompt", "the prompt", json!({"sessionId": id.0, "prompt": blocks}), None)
            .await;
        if self.shared.turn_state(id) == TurnState::Cancelled {
            self.shared.lock_tool_calls().end_turn(id);
        }
        self.shared.set_turn(id, TurnState::Idle);
        self.shared.gate.end_turn(id);
        let response = result?;
        Ok(match response.get("stopReason").and_then(Value::as_str) {
            Some("end_turn") => StopReason::EndTurn,
            Some("max_tokens") => StopReason::MaxTokens,
            Some("max_turn_requests") => StopReason::MaxTurnRequests,
            Some("refusal") => StopReason::Refusal,
            Some("cancelled") => StopReason::Cancelled,
            Some(other) => StopReason::Other(mayi_core::approval::escape_line(other)),
            None => {
                return Err(AgentError::Protocol(
                    "session/prompt was answered without a stopReason".to_owned(),
                ));
            }
        })
    }

    /// Cancels the turn: every request that waits is answered with `cancelled`, and so are those that
    /// come until the turn has ended.
    pub fn cancel_turn(&self, id: &SessionId) {
        if self.shared.turn_state(id) == TurnState::Running {
            self.shared.set_turn(id, TurnState::Cancelled);
        }
        if let Ok(message) = UntypedMessage::new("session/cancel", json!({"sessionId": id.0})) {
            let _ = self.cx.send_notification(message);
        }
        self.shared.gate.cancel_turn(id);
    }

    /// How long the agent may take to end its turn after [`Self::cancel_turn`].
    #[must_use]
    pub fn cancel_limit(&self) -> Duration {
        CANCELLING
    }

    /// How many tool calls have begun and not ended: some agents go on after the prompt's answer.
    #[must_use]
    pub fn under_way(&self, id: &SessionId) -> usize {
        self.shared.lock_tool_calls().under_way(id)
    }

    /// The protocol's form of a server; none, with a notice, if the agent can't reach it.
    fn server_to_json(&self, server: &ServerLaunch) -> Option<Value> {
        let name = &server.name;
        let pairs = |map: &BTreeMap<String, String>| -> Vec<Value> {
            map.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
        };
        match &server.transport {
            Transport::Stdio { command, env } => {
                let (program, args) = command.split_first()?;
                Some(json!({"name": name, "command": program, "args": args, "env": pairs(env)}))
            }
            Transport::Http { url, headers } => {
                if !self.can_reach("http") {
                    self.shared.send_notice(format!(
                        "the agent can't reach MCP servers over HTTP: {name} is left out"
                    ));
                    return None;
                }
                Some(json!({"type": "http", "name": name, "url": url, "headers": pairs(headers)}))
            }
            Transport::Sse { url, headers } => {
                if !self.can_reach("sse") {
                    self.shared.send_notice(format!(
                        "the agent can't reach MCP servers over SSE: {name} is left out"
                    ));
                    return None;
                }
                Some(json!({"type": "sse", "name": name, "url": url, "headers": pairs(headers)}))
            }
        }
    }
}

fn insert(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}
