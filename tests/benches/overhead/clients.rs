//! The clients that answer the agent.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, NewSessionRequest, PermissionOptionKind, PromptRequest,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
    TextContent,
};
use agent_client_protocol::{Agent, ByteStreams};
use mayi_acp::{Connection, Launch, OfferedCapabilities, OpenSession, StopReason};
use mayi_core::call::AgentId;
use mayi_core::gate::{Asking, Gate, NoPersistence, OnAsk};
use mayi_core::policy::Policy;
use tokio::sync::mpsc;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use crate::common::Outcome;

/// An agent to be started, and what it is told. A client returns how long the turn took.
#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) command: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) prompt: String,
    pub(crate) work: PathBuf,
    /// Where mayi starts it.
    pub(crate) folder: PathBuf,
    /// So many calls are to be allowed.
    pub(crate) calls: usize,
}

impl Task {
    fn split(&self) -> Outcome<(&String, &[String])> {
        Ok(self.command.split_first().ok_or("the agent has no command")?)
    }
}

/// Mayi's ACP door as a front end has it: with somebody who hears of everything, and a gate that decides by `policy`.
pub(crate) async fn mayi(task: Task, policy: Policy) -> Outcome<Duration> {
    let (events, mut heard) = mpsc::unbounded_channel();
    let gate = Gate::new(policy, Asking { on_ask: OnAsk::Deny, limit: None }, Box::new(NoPersistence));
    gate.forward_events(events.clone());
    let surface = tokio::spawn(async move { while heard.recv().await.is_some() {} });
    let launch = Launch {
        trust: Default::default(),
        command: task.command.clone(),
        env: task.env.clone(),
        folder: task.folder.clone(),
        roots: vec![task.work.clone()],
        own: false,
        install: None,
    };
    let offer = OfferedCapabilities { fs: true, terminal: true, missing_files_are_empty: false };
    let connection = Connection::start(&launch, gate.clone(), offer, events).await?;
    let session = OpenSession {
        agent: AgentId::from_name("loop"),
        cwd: task.work.clone(),
        more_roots: Vec::new(),
        servers: Vec::new(),
        behind: None,
        mode: None,
        asking_mode: None,
        asks: Default::default(),
        resume: None,
    };
    let session = connection.open(&session).await?;
    let begin = Instant::now();
    let reason = connection.prompt(&session.id, std::slice::from_ref(&task.prompt)).await?;
    let took = begin.elapsed();
    connection.end().await;
    surface.abort();
    let tally = gate.tally();
    if reason != StopReason::EndTurn || tally.allowed != u64::try_from(task.calls)? {
        return Err(format!("mayi allowed something else than {} calls: {tally:?}", task.calls).into());
    }
    Ok(took)
}

/// The barest client on the same SDK: it allows everything once.
pub(crate) async fn sdk(task: Task) -> Outcome<Duration> {
    let (program, arguments) = task.split()?;
    let mut child = tokio::process::Command::new(program)
        .args(arguments)
        .envs(&task.env)
        .current_dir(&task.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the agent has no standard streams".into());
    };
    let transport = ByteStreams::new(stdin.compat_write(), stdout.compat());
    let took = agent_client_protocol::Client
        .v1()
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                let once =
                    request.options.iter().find(|option| option.kind == PermissionOptionKind::AllowOnce);
                let outcome = once.map_or(RequestPermissionOutcome::Cancelled, |option| {
                    RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(
                        option.option_id.clone(),
                    ))
                });
                responder.respond(RequestPermissionResponse::new(outcome))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(transport, async move |connection: ConnectionTo<Agent>| {
            connection.send_request(InitializeRequest::new(ProtocolVersion::V1)).block_task().await?;
            let session = connection.send_request(NewSessionRequest::new(task.work)).block_task().await?;
            let begin = Instant::now();
            let prompt = vec![ContentBlock::Text(TextContent::new(task.prompt))];
            connection.send_request(PromptRequest::new(session.session_id, prompt)).block_task().await?;
            Ok(begin.elapsed())
        })
        .await?;
    child.wait().await?;
    Ok(took)
}

/// No SDK and no JSON: it reads lines and writes lines.
pub(crate) fn raw(task: &Task) -> Outcome<Duration> {
    let (program, arguments) = task.split()?;
    let mut child = Command::new(program)
        .args(arguments)
        .envs(&task.env)
        .current_dir(&task.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the agent has no standard streams".into());
    };
    let mut lines = BufReader::new(stdout);
    let mut line = String::new();
    let work = serde_json::to_string(&task.work)?;
    let prompt = serde_json::to_string(&task.prompt)?;
    let mut session = String::new();
    let mut took = Duration::ZERO;
    for step in 0..3 {
        let begin = Instant::now();
        let (method, params) = match step {
            0 => ("initialize", r#"{"protocolVersion":1,"clientCapabilities":{}}"#.to_owned()),
            1 => ("session/new", format!(r#"{{"cwd":{work},"mcpServers":[]}}"#)),
            _ => {
                let blocks = format!(r#"[{{"type":"text","text":{prompt}}}]"#);
                ("session/prompt", format!(r#"{{"sessionId":"{session}","prompt":{blocks}}}"#))
            }
        };
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"{step}\",\"method\":\"{method}\",\"params\":{params}}}\n"
        );
        stdin.write_all(request.as_bytes())?;
        loop {
            line.clear();
            if lines.read_line(&mut line)? == 0 {
                return Err("the agent is gone".into());
            }
            if line.contains(r#""method":"session/request_permission""#) {
                let id = after(&line, "\"id\":").ok_or("a request without an id")?;
                let answer = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"outcome\":{{\"outcome\":\"selected\",\"optionId\":\"allow\"}}}}}}\n"
                );
                stdin.write_all(answer.as_bytes())?;
            } else if !line.contains("\"method\":") {
                break;
            }
        }
        if step == 1 {
            session = after(&line, "\"sessionId\":").ok_or("no session")?.trim_matches('"').to_owned();
        }
        took = begin.elapsed();
    }
    drop(stdin);
    child.wait()?;
    Ok(took)
}

/// The number or string that follows `key`.
fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.split_once(key)?.1;
    rest.split([',', '}']).next()
}
