//! A client that writes down all it sees, and answers what the test tells it to.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ContentBlock, CreateTerminalRequest, CreateTerminalResponse, FileSystemCapabilities,
    InitializeRequest, KillTerminalRequest, KillTerminalResponse, LoadSessionRequest, LoadSessionResponse,
    NewSessionRequest, NewSessionResponse, PromptRequest, ReadTextFileRequest, ReadTextFileResponse,
    ReleaseTerminalRequest, ReleaseTerminalResponse, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification, SessionUpdate,
    StopReason, TerminalExitStatus, TerminalOutputRequest, TerminalOutputResponse,
    WaitForTerminalExitRequest, WaitForTerminalExitResponse, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Channel, Client, Error, on_receive_notification, on_receive_request};
use futures::StreamExt;
use futures::channel::mpsc;

/// A permission request that waits for its answer.
pub(crate) struct Question {
    pub(crate) request: RequestPermissionRequest,
    pub(crate) responder: Responder<RequestPermissionResponse>,
}

impl Question {
    pub(crate) fn title(&self) -> &str {
        self.request.tool_call.fields.title.as_deref().unwrap_or_default()
    }

    /// Chooses an option.
    pub(crate) fn choose(self, option: &str) {
        let outcome = RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.to_owned()));
        self.responder.respond(RequestPermissionResponse::new(outcome)).unwrap();
    }

    pub(crate) fn cancel(self) {
        let outcome = RequestPermissionOutcome::Cancelled;
        self.responder.respond(RequestPermissionResponse::new(outcome)).unwrap();
    }
}

/// What a client offers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Offers {
    Nothing,
    /// Files, and terminals whose commands print "ran" and end with 0.
    Everything,
    /// The same, but commands don't end.
    EndlessTerminals,
}

/// What the test has in hand.
pub(crate) struct Desk {
    pub(crate) agent: ConnectionTo<Agent>,
    pub(crate) cwd: PathBuf,
    questions: mpsc::UnboundedReceiver<Question>,
    seen: Arc<Mutex<Vec<SessionNotification>>>,
    served: Arc<Mutex<Vec<String>>>,
}

impl Desk {
    pub(crate) async fn new_session(&self) -> NewSessionResponse {
        self.agent.send_request(NewSessionRequest::new(&self.cwd)).block_task().await.unwrap()
    }

    pub(crate) async fn load_session(&self, id: &SessionId) -> Result<LoadSessionResponse, Error> {
        let request = LoadSessionRequest::new(id.clone(), &self.cwd);
        self.agent.send_request(request).block_task().await
    }

    /// Sends a prompt, without waiting for its end.
    pub(crate) fn prompt(
        &self,
        session: &SessionId,
        text: &str,
    ) -> impl Future<Output = Result<StopReason, Error>> + use<> {
        let request = PromptRequest::new(session.clone(), vec![ContentBlock::from(text)]);
        let sent = self.agent.send_request(request).block_task();
        async { Ok(sent.await?.stop_reason) }
    }

    /// The next question.
    pub(crate) async fn question(&mut self) -> Question {
        self.questions.next().await.expect("the agent is there")
    }

    /// A whole turn, all questions answered with this option; with the questions' titles.
    pub(crate) async fn turn(
        &mut self,
        session: &SessionId,
        text: &str,
        option: &str,
    ) -> (StopReason, Vec<String>) {
        let prompt = self.prompt(session, text);
        let mut titles = Vec::new();
        tokio::pin!(prompt);
        loop {
            tokio::select! {
                biased;
                question = self.question() => {
                    titles.push(question.title().to_owned());
                    question.choose(option);
                }
                end = &mut prompt => return (end.unwrap(), titles),
            }
        }
    }

    /// All updates so far.
    pub(crate) fn updates(&self) -> Vec<SessionUpdate> {
        self.seen.lock().unwrap().iter().map(|note| note.update.clone()).collect()
    }

    /// All that the agent said so far.
    pub(crate) fn said(&self) -> String {
        self.updates().iter().filter_map(agent_text).collect()
    }

    /// How the files and terminals were used so far.
    pub(crate) fn served(&self) -> Vec<String> {
        self.served.lock().unwrap().clone()
    }
}

pub(crate) fn agent_text(update: &SessionUpdate) -> Option<String> {
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => match &chunk.content {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Connects a client to the demo agent and runs `test` as the client, in an empty folder.
pub(crate) async fn connected(offers: Offers, state: Option<&Path>, test: impl AsyncFnOnce(&mut Desk)) {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    let (ours, theirs) = Channel::duplex();
    let agent = tokio::spawn(mayi_demo::serve_on(theirs, state.map(Path::to_owned)));
    let (ask, questions) = mpsc::unbounded();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let served = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&seen);
    let [read, write, create, wait, output, kill, release] = std::array::from_fn(|_| Arc::clone(&served));
    let log = |to: &Mutex<Vec<String>>, text: String| to.lock().unwrap().push(text);
    let test = async |agent: ConnectionTo<Agent>| {
        let offered = offers != Offers::Nothing;
        let capabilities = ClientCapabilities::new()
            .fs(FileSystemCapabilities::new().read_text_file(offered).write_text_file(offered))
            .terminal(offered);
        let request = InitializeRequest::new(ProtocolVersion::V1).client_capabilities(capabilities);
        let answer = agent.send_request(request).block_task().await?;
        assert_eq!(answer.protocol_version, ProtocolVersion::V1);
        assert!(answer.agent_capabilities.load_session);
        let mut desk = Desk { agent, cwd, questions, seen, served };
        test(&mut desk).await;
        Ok(())
    };
    Client
        .v1()
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _cx| {
                let _ = ask.unbounded_send(Question { request, responder });
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |update: SessionNotification, _cx| {
                note.lock().unwrap().push(update);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _cx| {
                log(&read, format!("read {}", name(&request.path)));
                match std::fs::read_to_string(&request.path) {
                    Ok(text) => responder.respond(ReadTextFileResponse::new(text)),
                    Err(error) => responder.respond_with_error(Error::into_internal_error(error)),
                }
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, _cx| {
                log(&write, format!("write {}", name(&request.path)));
                std::fs::write(&request.path, &request.content).unwrap();
                responder.respond(WriteTextFileResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CreateTerminalRequest, responder, _cx| {
                assert!(request.cwd.is_some_and(|cwd| cwd.is_absolute()));
                log(&create, format!("create {} {}", request.command, request.args.join(" ")));
                responder.respond(CreateTerminalResponse::new("terminal-1"))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: WaitForTerminalExitRequest,
                        responder: Responder<WaitForTerminalExitResponse>,
                        cx| {
                log(&wait, "wait".to_owned());
                if offers == Offers::EndlessTerminals {
                    // Its cancellation is noted, and answered as the protocol says.
                    let (withdrawn, wait) = (responder.cancellation(), Arc::clone(&wait));
                    return ConnectionTo::spawn(&cx, async move {
                        withdrawn.cancelled().await;
                        wait.lock().unwrap().push("wait withdrawn".to_owned());
                        responder.respond_with_error(Error::request_cancelled())
                    });
                }
                responder.respond(WaitForTerminalExitResponse::new(TerminalExitStatus::new().exit_code(0)))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: TerminalOutputRequest, responder, _cx| {
                log(&output, "output".to_owned());
                responder.respond(TerminalOutputResponse::new("ran\n", false))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: KillTerminalRequest, responder, _cx| {
                log(&kill, "kill".to_owned());
                responder.respond(KillTerminalResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: ReleaseTerminalRequest, responder, _cx| {
                log(&release, "release".to_owned());
                responder.respond(ReleaseTerminalResponse::new())
            },
            on_receive_request!(),
        )
        .connect_with(ours, test)
        .await
        .unwrap();
    agent.await.unwrap().unwrap();
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
