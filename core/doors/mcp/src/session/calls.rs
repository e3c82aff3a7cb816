//! `tools/call`: read strictly, judged, asked about, carried out.

use std::sync::Arc;
use std::task::Poll;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::ask::{CallQuestions, is_ours};
use super::bridge::Bridge;
use super::lists::Lists;
use super::pending_input::Unfinished;
use super::requests::ResponseSlot;
use super::servers::{Servers, visible_name};
use super::tool_calls::ToolCallRequest;
use super::toolbelt::{self, ToolbeltCall};
use crate::door::Shared;
use crate::era::{Era, Introduction};
use crate::frame::{Frame, code};
use crate::front::RequestKey;
use crate::members::to_raw_json;
use crate::server::{Catalogue, Failure};
use crate::session_binding::SessionBinding;
use mayi_core::approval::escape_line;
use mayi_core::call::{Call, digest_of, json};
use mayi_core::gate::{Authorized, Execution};
use mayi_doors::task::spawn;

/// The parameters of `tools/call` that MCP knows.
const PARAMS: &[&str] = &["name", "arguments", "_meta", "task", "requestState", "inputResponses"];

/// The tool calls of one conversation.
pub(super) struct Calls {
    shared: Arc<Shared>,
    /// What the gate calls the conversation.
    binding: SessionBinding,
    introduction: Arc<Introduction>,
    servers: Arc<Servers>,
    lists: Arc<Lists>,
    bridge: Arc<Bridge>,
    asking: CallQuestions,
    unfinished: Unfinished,
}

/// A call that may run. If its server has asked for input before, it is being carried out already.
struct AllowedCall {
    call_request: ToolCallRequest,
    authorized: Authorized<Call>,
    carrying: Option<Execution>,
}

/// What counts of a result here.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CallResult {
    is_error: Option<bool>,
    result_type: Option<String>,
    request_state: Option<String>,
    task: Option<Task>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    task_id: String,
}

impl Calls {
    pub(super) fn new(
        shared: &Arc<Shared>,
        binding: SessionBinding,
        said: &Arc<Introduction>,
        servers: &Arc<Servers>,
        lists: &Arc<Lists>,
        bridge: &Arc<Bridge>,
        asking: CallQuestions,
    ) -> Self {
        let unfinished = Unfinished::new(shared.gate.clone(), binding.clone());
        Self {
            shared: Arc::clone(shared),
            binding,
            introduction: Arc::clone(said),
            servers: Arc::clone(servers),
            lists: Arc::clone(lists),
            bridge: Arc::clone(bridge),
            asking,
            unfinished,
        }
    }

    /// A call comes in.
    pub(super) fn receive_call(self: &Arc<Self>, frame: Frame, turn: ResponseSlot) {
        let calls = Arc::clone(self);
        spawn(async move {
            // Until it runs it can be given up at any point; then its end is to be recorded.
            match turn.unless_cancelled(calls.decide_call(frame, turn.key)).await {
                Some(Ok(allowed)) => calls.run(allowed, turn).await,
                Some(Err(answer)) => turn.respond(Ok(answer)),
                None => {}
            }
        });
    }

    /// What becomes of a call: without anybody, or with an answer.
    ///
    /// # Errors
    /// If it does not run: what the client gets.
    async fn decide_call(&self, frame: Frame, key: RequestKey) -> Result<AllowedCall, Frame> {
        let wanted = self.read_call(frame).await?;
        let session = self.binding.wait_for_session().await;
        let session = session.ok_or_else(|| wanted.not_run("the session is over, and nothing was run"))?;
        let judged = self.compared_catalogue(&wanted).await?;
        let earlier = self.earlier_authorization(&wanted).await?;
        let (authorized, carrying, anew) = match earlier {
            Some((authorized, carrying)) => (authorized, carrying, false),
            None => {
                let call = wanted.to_call(&self.shared, &session, judged.get(&wanted.tool), key);
                (self.asking.authorize_call(call, &wanted, key).await?, None, true)
            }
        };
        // A person may have taken long: by now the tool may be said to be something else.
        let now = self.compared_catalogue(&wanted).await?;
        if !(anew && Arc::ptr_eq(&now, &judged))
            && let Some(why) =
                self.shared.pinned.block_reason(&wanted.server, &wanted.tool, now.get(&wanted.tool))
        {
            return Err(wanted.not_run(&format!("Nothing was run: {why}.")));
        }
        Ok(AllowedCall { call_request: wanted, authorized, carrying })
    }

    /// Reads a call.
    ///
    /// # Errors
    /// The response that says what is wrong with it.
    async fn read_call(&self, frame: Frame) -> Result<ToolCallRequest, Frame> {
        let refuse = |message: &str| {
            self.shared.gate.count_refused();
            Frame::error(RawValue::NULL, code::INVALID_PARAMS, message)
        };
        let text = frame.member("params").ok_or_else(|| refuse("`tools/call` has no parameters"))?;
        // D1.7: what two readers could read differently is refused, not judged.
        json::parse_strict(text.get()).map_err(|error| {
            refuse(&format!(
                "the parameters are refused, and nothing was run: {}",
                escape_line(&error.to_string())
            ))
        })?;
        let mut params = frame.params().ok_or_else(|| refuse("the parameters are not an object"))?;
        if let Some(name) = params.ambiguous_member(PARAMS) {
            return Err(refuse(&format!(
                "the parameters are refused, and nothing was run: readers disagree about the member `{}`",
                visible_name(name)
            )));
        }
        let mut name = params.string_member("name").ok_or_else(|| refuse("`name` is not a string"))?;
        let says = self.introduction.profile_for(&frame);
        if self.shared.options.toolbelt {
            match toolbelt::unfold_call(&name, params) {
                ToolbeltCall::Tool(meant, unfolded) => (name, params) = (meant, unfolded),
                ToolbeltCall::Find(query) => return Err(self.lists.search_tools(&query, &says).await),
                ToolbeltCall::Wrong(why) => return Err(refuse(&why)),
            }
        }
        let arguments = params.get("arguments").map_or("{}", RawValue::get);
        let arguments: Value =
            serde_json::from_str(arguments).map_err(|_| refuse("`arguments` can't be read"))?;
        if !arguments.is_object() {
            return Err(refuse("`arguments` is not an object"));
        }
        let (server, tool) = self.servers.tool_named(&name, &says).await.map_err(|why| refuse(&why))?;
        params.set("name", to_raw_json(&tool));
        let digest = digest_of(&arguments);
        Ok(ToolCallRequest { server, tool, arguments, digest, frame, params, client: says })
    }

    /// What the server says of its tools now, compared with what is trusted.
    ///
    /// # Errors
    /// The response, if that is not known: what is not known to be what it was can't be trusted.
    async fn compared_catalogue(&self, wanted: &ToolCallRequest) -> Result<Arc<Catalogue>, Frame> {
        let ToolCallRequest { server, client: says, .. } = wanted;
        if says.era == Era::Stateless && server.era().is_none() {
            server.begin_stateless(says).await.map_err(|failure| failure.error_response())?;
        }
        let mut catalogue =
            server.load_catalogue(says).await.map_err(|failure| wanted.not_run(&failure.message))?;
        if catalogue.get(&wanted.tool).is_none() && server.forget_tools(&catalogue) {
            // It may be new, from a server that does not say so.
            catalogue =
                server.load_catalogue(says).await.map_err(|failure| wanted.not_run(&failure.message))?;
        }
        self.shared
            .pinned
            .compare_catalogue(server, &catalogue)
            .map_err(|why| wanted.not_run(&format!("Nothing was run: {why}.")))?;
        Ok(catalogue)
    }

    /// What allows a call that began with an earlier request, if it did.
    ///
    /// # Errors
    /// If its question has no answer that allows it: what the client gets.
    async fn earlier_authorization(
        &self,
        wanted: &ToolCallRequest,
    ) -> Result<Option<(Authorized<Call>, Option<Execution>)>, Frame> {
        let state = wanted.params.string_member("requestState");
        match state.as_deref() {
            Some(state) if is_ours(state) => {
                self.asking.resume_question(wanted, state).await.map(|authorized| Some((authorized, None)))
            }
            None if wanted.params.get("inputResponses").is_none() => Ok(None),
            state => {
                let begun = self.unfinished.take_call(wanted, state);
                Ok(begun.map(|(authorized, carrying)| (authorized, Some(carrying))))
            }
        }
    }

    /// Carries an authorized call out: it goes to its server, and the answer to the client.
    async fn run(&self, allowed: AllowedCall, turn: ResponseSlot) {
        let AllowedCall { call_request: mut wanted, authorized, carrying } = allowed;
        // What is between mayi and the client does not go to the server.
        if wanted.params.string_member("requestState").is_some_and(|state| is_ours(&state)) {
            wanted.params.remove("requestState");
            wanted.params.remove("inputResponses");
        }
        let request = wanted.server_request();
        let mut answer =
            std::pin::pin!(self.bridge.exchange_request(request, turn.key, &wanted.server, &wanted.client));
        // It is on its way before its start is written down; that it was allowed is on disk.
        let first = futures::poll!(&mut answer);
        let carrying = carrying.unwrap_or_else(|| self.shared.gate.begin_execution(&authorized));
        let answer = match first {
            Poll::Ready(answer) => answer,
            Poll::Pending => answer.await,
        };
        let result = answer.as_ref().ok().and_then(|frame| frame.member("result"));
        let ended: CallResult =
            result.and_then(|result| serde_json::from_str(result.get()).ok()).unwrap_or_default();
        if ended.result_type.as_deref() == Some("input_required") {
            // Before the client hears of it.
            self.unfinished.keep_call(&wanted, ended.request_state.as_deref(), authorized, carrying);
            return turn.respond(answer);
        }
        if let Some(task) = &ended.task {
            self.servers.saw_task(task.task_id.clone(), &wanted.server);
        }
        let how = describe_outcome(&answer, &ended);
        turn.respond(answer.map_err(say_whether_it_ran));
        carrying.finish(how);
    }

    /// The client is gone: nobody comes back with an answer to a question.
    pub(super) fn close(&self) {
        self.asking.close();
    }
}

/// A call that was allowed has no answer: whoever made it is told whether it can have run.
fn say_whether_it_ran(mut failure: Failure) -> Failure {
    failure.message.push_str(if failure.sent {
        ". The call was sent, and it is not known whether it ran: look before it is tried again"
    } else {
        ". The call was not sent, and nothing was run"
    });
    failure
}

/// How it ended, for the record: ACP's words.
fn describe_outcome(answer: &Result<Frame, Failure>, ended: &CallResult) -> &'static str {
    match answer {
        Err(failure) if failure.sent => "failed: the outcome is unknown",
        Err(_) => "failed: it was never run",
        Ok(frame) if frame.member("error").is_some() => "failed",
        Ok(_) if ended.is_error == Some(true) => "failed",
        Ok(_) => "completed",
    }
}
