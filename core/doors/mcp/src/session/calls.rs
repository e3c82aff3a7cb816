//! `tools/call`: read strictly, judged, asked about, carried out.

use std::sync::Arc;
use std::task::Poll;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::ask::{Asking, is_ours};
use super::bridge::Bridge;
use super::lists::Lists;
use super::requests::Turn;
use super::servers::{Servers, shown};
use super::toolbelt::{self, Meant};
use super::unfinished::Unfinished;
use super::wanted::Wanted;
use crate::belonging::Belonging;
use crate::door::Shared;
use crate::era::{Era, Introduction};
use crate::frame::{Frame, code};
use crate::front::Key;
use crate::members::raw;
use crate::server::{Catalogue, Failure};
use mayi_core::approval::visible;
use mayi_core::call::{Call, digest_of, json};
use mayi_core::gate::{Authorized, Carrying};

/// The parameters of `tools/call` that MCP knows.
const PARAMS: &[&str] = &["name", "arguments", "_meta", "task", "requestState", "inputResponses"];

/// The tool calls of one conversation.
pub(super) struct Calls {
    shared: Arc<Shared>,
    /// What the gate calls the conversation.
    belongs: Belonging,
    said: Arc<Introduction>,
    servers: Arc<Servers>,
    lists: Arc<Lists>,
    bridge: Arc<Bridge>,
    asking: Asking,
    unfinished: Unfinished,
}

/// A call that may run. If its server has asked for input before, it is being carried out already.
struct Allowed {
    wanted: Wanted,
    authorized: Authorized<Call>,
    carrying: Option<Carrying>,
}

/// What counts of a result here.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Ended {
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
        belongs: Belonging,
        said: &Arc<Introduction>,
        servers: &Arc<Servers>,
        lists: &Arc<Lists>,
        bridge: &Arc<Bridge>,
        asking: Asking,
    ) -> Self {
        let unfinished = Unfinished::new(shared.gate.clone(), belongs.clone());
        Self {
            shared: Arc::clone(shared),
            belongs,
            said: Arc::clone(said),
            servers: Arc::clone(servers),
            lists: Arc::clone(lists),
            bridge: Arc::clone(bridge),
            asking,
            unfinished,
        }
    }

    /// A call comes in.
    pub(super) fn receive(self: &Arc<Self>, frame: Frame, turn: Turn) {
        let calls = Arc::clone(self);
        tokio::spawn(async move {
            // Until it runs it can be given up at any point; then its end is to be recorded.
            match turn.unless_cancelled(calls.decide(frame, turn.key)).await {
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
    async fn decide(&self, frame: Frame, key: Key) -> Result<Allowed, Frame> {
        let wanted = self.wanted(frame).await?;
        let session = self.belongs.known().await;
        let session = session.ok_or_else(|| wanted.not_run("the session is over, and nothing was run"))?;
        let judged = self.compared(&wanted).await?;
        let earlier = self.earlier(&wanted).await?;
        let (authorized, carrying, anew) = match earlier {
            Some((authorized, carrying)) => (authorized, carrying, false),
            None => {
                let call = wanted.call(&self.shared, &session, judged.get(&wanted.tool), key);
                (self.asking.ask(call, &wanted, key).await?, None, true)
            }
        };
        // A person may have taken long: by now the tool may be said to be something else.
        let now = self.compared(&wanted).await?;
        if !(anew && Arc::ptr_eq(&now, &judged))
            && let Some(why) = self.shared.pinned.blocked(&wanted.server, &wanted.tool, now.get(&wanted.tool))
        {
            return Err(wanted.not_run(&format!("Nothing was run: {why}.")));
        }
        Ok(Allowed { wanted, authorized, carrying })
    }

    /// Reads a call.
    ///
    /// # Errors
    /// The response that says what is wrong with it.
    async fn wanted(&self, frame: Frame) -> Result<Wanted, Frame> {
        let refuse = |message: &str| {
            self.shared.gate.refused();
            Frame::error(RawValue::NULL, code::INVALID_PARAMS, message)
        };
        let text = frame.member("params").ok_or_else(|| refuse("`tools/call` has no parameters"))?;
        // D1.7: what two readers could read differently is refused, not judged.
        json::strict(text.get()).map_err(|error| {
            refuse(&format!(
                "the parameters are refused, and nothing was run: {}",
                visible(&error.to_string())
            ))
        })?;
        let mut params = frame.params().ok_or_else(|| refuse("the parameters are not an object"))?;
        if let Some(name) = params.mistaken(PARAMS) {
            return Err(refuse(&format!(
                "the parameters are refused, and nothing was run: readers disagree about the member `{}`",
                shown(name)
            )));
        }
        let mut name = params.string("name").ok_or_else(|| refuse("`name` is not a string"))?;
        let says = self.said.says(&frame);
        if self.shared.options.toolbelt {
            match toolbelt::unfold(&name, params) {
                Meant::Tool(meant, unfolded) => (name, params) = (meant, unfolded),
                Meant::Find(query) => return Err(self.lists.found(&query, &says).await),
                Meant::Wrong(why) => return Err(refuse(&why)),
            }
        }
        let arguments = params.get("arguments").map_or("{}", RawValue::get);
        let arguments: Value =
            serde_json::from_str(arguments).map_err(|_| refuse("`arguments` can't be read"))?;
        if !arguments.is_object() {
            return Err(refuse("`arguments` is not an object"));
        }
        let (server, tool) = self.servers.tool_named(&name, &says).await.map_err(|why| refuse(&why))?;
        params.set("name", raw(&tool));
        let digest = digest_of(&arguments);
        Ok(Wanted { server, tool, arguments, digest, frame, params, says })
    }

    /// What the server says of its tools now, compared with what is trusted.
    ///
    /// # Errors
    /// The response, if that is not known: what is not known to be what it was can't be trusted.
    async fn compared(&self, wanted: &Wanted) -> Result<Arc<Catalogue>, Frame> {
        let Wanted { server, says, .. } = wanted;
        if says.era == Era::Stateless && server.era().is_none() {
            server.begin_stateless(says).await.map_err(|failure| failure.answer())?;
        }
        let mut catalogue =
            server.catalogue(says).await.map_err(|failure| wanted.not_run(&failure.message))?;
        if catalogue.get(&wanted.tool).is_none() && server.forget_tools(&catalogue) {
            // It may be new, from a server that does not say so.
            catalogue = server.catalogue(says).await.map_err(|failure| wanted.not_run(&failure.message))?;
        }
        self.shared
            .pinned
            .compare(server, &catalogue)
            .map_err(|why| wanted.not_run(&format!("Nothing was run: {why}.")))?;
        Ok(catalogue)
    }

    /// What allows a call that began with an earlier request, if it did.
    ///
    /// # Errors
    /// If its question has no answer that allows it: what the client gets.
    async fn earlier(&self, wanted: &Wanted) -> Result<Option<(Authorized<Call>, Option<Carrying>)>, Frame> {
        let state = wanted.params.string("requestState");
        match state.as_deref() {
            Some(state) if is_ours(state) => {
                self.asking.resume(wanted, state).await.map(|authorized| Some((authorized, None)))
            }
            None if wanted.params.get("inputResponses").is_none() => Ok(None),
            state => {
                let begun = self.unfinished.take(wanted, state);
                Ok(begun.map(|(authorized, carrying)| (authorized, Some(carrying))))
            }
        }
    }

    /// Carries an authorized call out: it goes to its server, and the answer to the client.
    async fn run(&self, allowed: Allowed, turn: Turn) {
        let Allowed { mut wanted, authorized, carrying } = allowed;
        // What is between mayi and the client does not go to the server.
        if wanted.params.string("requestState").is_some_and(|state| is_ours(&state)) {
            wanted.params.remove("requestState");
            wanted.params.remove("inputResponses");
        }
        let request = wanted.request();
        let mut answer =
            std::pin::pin!(self.bridge.exchange(request, turn.key, &wanted.server, &wanted.says));
        // It is on its way before its start is written down; that it was allowed is on disk.
        let first = futures::poll!(&mut answer);
        let carrying = carrying.unwrap_or_else(|| self.shared.gate.carry(&authorized));
        let answer = match first {
            Poll::Ready(answer) => answer,
            Poll::Pending => answer.await,
        };
        let result = answer.as_ref().ok().and_then(|frame| frame.member("result"));
        let ended: Ended =
            result.and_then(|result| serde_json::from_str(result.get()).ok()).unwrap_or_default();
        if ended.result_type.as_deref() == Some("input_required") {
            // Before the client hears of it.
            self.unfinished.keep(&wanted, ended.request_state.as_deref(), authorized, carrying);
            return turn.respond(answer);
        }
        if let Some(task) = &ended.task {
            self.servers.saw_task(task.task_id.clone(), &wanted.server);
        }
        let how = how(&answer, &ended);
        turn.respond(answer);
        carrying.end(how);
    }

    /// The client is gone: nobody comes back with an answer to a question.
    pub(super) fn close(&self) {
        self.asking.close();
    }
}

/// How it ended, for the record: ACP's words.
fn how(answer: &Result<Frame, Failure>, ended: &Ended) -> &'static str {
    match answer {
        Err(_) => "failed: no answer",
        Ok(frame) if frame.member("error").is_some() => "failed",
        Ok(_) if ended.is_error == Some(true) => "failed",
        Ok(_) => "completed",
    }
}
