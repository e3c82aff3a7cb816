//! The agent's side of the connection: one handler per method. None of them waits; turns run beside them.

use std::sync::{Arc, Mutex};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ClientCapabilities, ContentBlock, ContentChunk, Implementation,
    InitializeRequest, InitializeResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, SessionId, SessionNotification, SessionUpdate,
    SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, ConnectTo, Error, on_receive_notification, on_receive_request};

use crate::script;
use crate::session::{Session, Sessions, lock_mutex};
use crate::state::{History, HistoryStore, Speaker};
use crate::turn::Turn;

/// What all sessions of a connection share.
struct ScriptedAgent {
    client: Mutex<ClientCapabilities>,
    sessions: Sessions,
    store: HistoryStore,
}

/// Serves one client until it closes the connection.
pub(crate) async fn serve_client(
    transport: impl ConnectTo<Agent> + 'static,
    store: HistoryStore,
) -> Result<(), Error> {
    let demo = Arc::new(ScriptedAgent { client: Mutex::default(), sessions: Sessions::default(), store });
    let [initialize, new, load, mode, prompt, cancel] = std::array::from_fn(|_| Arc::clone(&demo));
    Agent
        .v1()
        .name("mayi-demo")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _cx| {
                responder.respond(initialize.initialize(request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _cx| {
                responder.respond_with_result(new.new_session(request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, cx| {
                load.clone().load(request, responder, &cx)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest, responder, _cx| {
                responder.respond_with_result(mode.set_mode(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, cx| prompt.clone().prompt(request, responder, &cx),
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancelled: CancelNotification, _cx| {
                if let Some(session) = cancel.sessions.get(&cancelled.session_id) {
                    session.cancel_turn();
                }
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(transport)
        .await
}

impl ScriptedAgent {
    fn initialize(&self, request: InitializeRequest) -> InitializeResponse {
        *lock_mutex(&self.client) = request.client_capabilities;
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(AgentCapabilities::new().load_session(true))
            .agent_info(
                Implementation::new("mayi-demo", env!("CARGO_PKG_VERSION")).title("Demo agent".to_owned()),
            )
    }

    fn new_session(&self, request: NewSessionRequest) -> Result<NewSessionResponse, Error> {
        if !request.cwd.is_absolute() {
            return Err(Error::invalid_params().data("cwd is not an absolute path"));
        }
        let id = SessionId::new(format!("demo-{}", uuid::Uuid::now_v7()));
        let session = self.sessions.add_session(Session::new(id.clone(), request.cwd, History::default()));
        Ok(NewSessionResponse::new(id).modes(session.modes()))
    }

    fn set_mode(&self, request: &SetSessionModeRequest) -> Result<SetSessionModeResponse, Error> {
        let session = self.known_session(&request.session_id)?;
        if session.set_mode(&request.mode_id.0) {
            Ok(SetSessionModeResponse::new())
        } else {
            Err(Error::invalid_params().data(format!("no such mode: {}", request.mode_id)))
        }
    }

    fn load(
        self: Arc<Self>,
        request: LoadSessionRequest,
        responder: Responder<LoadSessionResponse>,
        cx: &ConnectionTo<Client>,
    ) -> Result<(), Error> {
        cx.spawn({
            let cx = cx.clone();
            async move { log_send_failure(responder.respond_with_result(self.replay_session(request, &cx).await)) }
        })
    }

    /// Takes up a session of this or an earlier run, and tells the client what was said in it.
    async fn replay_session(
        &self,
        request: LoadSessionRequest,
        cx: &ConnectionTo<Client>,
    ) -> Result<LoadSessionResponse, Error> {
        let id = request.session_id;
        if !request.cwd.is_absolute() {
            return Err(Error::invalid_params().data("cwd is not an absolute path"));
        }
        let history = match self.sessions.get(&id) {
            Some(session) if session.is_running() => return Err(session_busy()),
            Some(session) => session.history(),
            None => self.store.load(&id.0).await.ok_or_else(|| unknown_session(&id))?,
        };
        for message in &history.messages {
            let chunk = ContentChunk::new(ContentBlock::from(message.text.clone()));
            let update = match message.from {
                Speaker::User => SessionUpdate::UserMessageChunk(chunk),
                Speaker::Agent => SessionUpdate::AgentMessageChunk(chunk),
            };
            cx.send_notification(SessionNotification::new(id.clone(), update))?;
        }
        let session = self.sessions.add_session(Session::new(id, request.cwd, history));
        Ok(LoadSessionResponse::new().modes(session.modes()))
    }

    fn prompt(
        self: Arc<Self>,
        request: PromptRequest,
        responder: Responder<PromptResponse>,
        cx: &ConnectionTo<Client>,
    ) -> Result<(), Error> {
        let session = match self.known_session(&request.session_id) {
            Ok(session) => session,
            Err(error) => return responder.respond_with_error(error),
        };
        let Some(running) = session.begin_turn() else {
            return responder.respond_with_error(session_busy());
        };
        let text = prompt_text(&request.prompt);
        let turn = Turn::new(cx.clone(), lock_mutex(&self.client).clone(), Arc::clone(&session), &text);
        let withdrawn = responder.cancellation();
        cx.spawn(async move {
            self.store.save(&session.id.0, &session.history()).await;
            let stop = turn
                .run(script::parse_script(&text), async {
                    tokio::select! {
                        () = running.cancelled.cancelled() => {}
                        () = withdrawn.cancelled() => {}
                    }
                })
                .await;
            let history = session.add_message(Speaker::Agent, &turn.spoken_text());
            self.store.save(&session.id.0, &history).await;
            drop(running);
            log_send_failure(responder.respond(PromptResponse::new(stop)))
        })
    }

    fn known_session(&self, id: &SessionId) -> Result<Arc<Session>, Error> {
        self.sessions.get(id).ok_or_else(|| unknown_session(id))
    }
}

/// The text of a prompt, one block a line. What a client says of itself, in brackets at the start
/// of a block of its own, is not part of it.
fn prompt_text(prompt: &[ContentBlock]) -> String {
    let texts = prompt.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => {
            Some(text.text.as_str()).filter(|text| prompt.len() == 1 || !text.starts_with('['))
        }
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// An answer that can't be sent is nobody's error: the client is gone.
fn log_send_failure(sent: Result<(), Error>) -> Result<(), Error> {
    if let Err(error) = sent {
        tracing::debug!(%error, "answer not sent");
    }
    Ok(())
}

fn unknown_session(id: &SessionId) -> Error {
    const RESOURCE_NOT_FOUND: i32 = -32002;
    Error::new(RESOURCE_NOT_FOUND, format!("no such session: {id}"))
}

fn session_busy() -> Error {
    Error::invalid_request().data("a turn is running in this session; cancel it first")
}
