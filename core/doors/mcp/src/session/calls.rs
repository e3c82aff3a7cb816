//! `tools/call`: read strictly, judged, asked about, carried out.

use std::sync::Arc;
use std::task::Poll;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::Session;
use super::judge::{error_result, refused};
use super::lists::{nothing, shown};
use super::resume::Continuation;
use super::toolbelt;
use crate::era::{ClientSays, Era};
use crate::frame::{Frame, code};
use crate::front::Key;
use crate::members::{Members, raw};
use crate::server::{Catalogue, Failure, Server};
use mayi_core::approval::visible;
use mayi_core::call::{Call, Digest, digest_of, json};
use mayi_core::gate::{Authorized, Carrying, Verdict};

/// The parameters of `tools/call` that MCP knows.
const PARAMS: &[&str] = &["name", "arguments", "_meta", "task", "requestState", "inputResponses"];

/// A call that a client wants, read and understood.
pub(super) struct Wanted {
    /// Which server, and which of its tools.
    pub(super) server: usize,
    pub(super) tool: String,
    /// The arguments, as they are judged.
    pub(super) arguments: Value,
    /// Their digest.
    pub(super) digest: Digest,
    /// The request, as its server will get it.
    pub(super) frame: Frame,
    pub(super) params: Members,
    pub(super) era: Era,
    pub(super) says: ClientSays,
}

/// What comes of a call before anything runs.
pub(super) enum Step {
    /// It may run.
    Run(Authorized<Call>),
    /// It goes on where its server asked for input.
    GoOn(Continuation),
    /// The client gets this, and nothing runs.
    Answer(Frame),
    /// The turn is gone.
    Gone,
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

impl Session {
    /// A call comes in.
    pub(super) fn call(self: &Arc<Self>, frame: Frame, key: Key) {
        let Some(cancel) = self.cancelled(key) else { return };
        let session = Arc::clone(self);
        tokio::spawn(async move { session.called(frame, key, cancel).await });
    }

    async fn called(self: Arc<Self>, frame: Frame, key: Key, cancel: CancellationToken) {
        // Until it runs it can be given up at any point; then its end is to be recorded.
        let deciding = async {
            let wanted = match self.wanted(frame).await {
                Ok(wanted) => wanted,
                Err(answer) => return (None, Step::Answer(answer)),
            };
            let step = self.decide(&wanted, key).await;
            (Some(wanted), step)
        };
        let (wanted, step) = tokio::select! {
            () = cancel.cancelled() => return,
            decided = deciding => decided,
        };
        match (wanted, step) {
            (_, Step::Answer(answer)) => self.respond(key, answer),
            (Some(mut wanted), Step::Run(authorized)) => {
                super::resume::keep_own(&mut wanted.params);
                self.run(wanted, Continuation::new(authorized), key).await
            }
            (Some(wanted), Step::GoOn(continuation)) => self.run(wanted, continuation, key).await,
            (wanted, _) => {
                let era = wanted.map_or(Era::Older, |wanted| wanted.era);
                self.respond(key, error_result("the call was cancelled, and nothing was run", era));
            }
        }
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
        // Decisions, section 1: what two readers could read differently is refused, not judged.
        json::strict(text.get()).map_err(|error| {
            refuse(&format!(
                "the parameters are refused, and nothing was run: {}",
                visible(&error.to_string())
            ))
        })?;
        let mut params = frame.params().ok_or_else(|| refuse("the parameters are not an object"))?;
        let unsure = |name: &str| {
            refuse(&format!(
                "the parameters are refused, and nothing was run: readers disagree about the member `{}`",
                shown(name)
            ))
        };
        if let Some(name) = params.mistaken(PARAMS) {
            return Err(unsure(name));
        }
        let mut name = params.string("name").ok_or_else(|| refuse("`name` is not a string"))?;
        let (era, says) = self.says(&frame);
        if self.shared.options.toolbelt {
            match toolbelt::unfold(&name, params) {
                toolbelt::Meant::Tool(meant, unfolded) => (name, params) = (meant, unfolded),
                toolbelt::Meant::Find(query) => return Err(self.find_tools(&query, &says, era).await),
                toolbelt::Meant::Wrong(why) => return Err(refuse(&why)),
            }
        }
        let arguments = params.get("arguments").map_or_else(nothing, ToOwned::to_owned);
        let arguments: Value =
            serde_json::from_str(arguments.get()).map_err(|_| refuse("`arguments` can't be read"))?;
        if !arguments.is_object() {
            return Err(refuse("`arguments` is not an object"));
        }
        let (server, tool) = self.tool_named(&name, &says, era).await.map_err(|why| refuse(&why))?;
        params.set("name", raw(&tool));
        let digest = digest_of(&arguments);
        Ok(Wanted { server, tool, arguments, digest, frame, params, era, says })
    }

    /// What becomes of a call: without anybody, or with an answer.
    async fn decide(self: &Arc<Self>, wanted: &Wanted, key: Key) -> Step {
        let Some(server) = self.at(wanted.server).cloned() else { return Step::Gone };
        let judged = match self.compared(&server, wanted).await {
            Ok(catalogue) => catalogue,
            Err(answer) => return Step::Answer(answer),
        };
        let resumed = self.resumed(wanted).await;
        let earlier = resumed.is_some();
        let step = match resumed {
            Some(step) => step,
            None => {
                let said = judged.get(&wanted.tool);
                let call = self.call_of(&server, &wanted.tool, said, wanted.arguments.clone(), key);
                self.ask(call, wanted, key).await
            }
        };
        if !matches!(step, Step::Run(_) | Step::GoOn(_)) {
            return step;
        }
        // A person may have taken long: by now the tool may be said to be something else.
        match self.compared(&server, wanted).await {
            Err(answer) => Step::Answer(answer),
            Ok(now) if !earlier && Arc::ptr_eq(&now, &judged) => step,
            Ok(now) => match self.shared.pinned.blocked(&server, &wanted.tool, now.get(&wanted.tool)) {
                Some(why) => Step::Answer(error_result(&format!("Nothing was run: {why}."), wanted.era)),
                None => step,
            },
        }
    }

    /// The step of a call that began with an earlier request, if it did.
    async fn resumed(self: &Arc<Self>, wanted: &Wanted) -> Option<Step> {
        let state = wanted.params.string("requestState");
        match state.as_deref() {
            Some(state) if super::resume::is_ours(state) => return Some(self.resume(wanted, state).await),
            None if wanted.params.get("inputResponses").is_none() => return None,
            _ => {}
        }
        self.go_on(wanted, state.as_deref()).map(Step::GoOn)
    }

    /// What the server says of its tools now, compared with what is trusted.
    ///
    /// # Errors
    /// The response, if that is not known: what is not known to be what it was can't be trusted.
    async fn compared(&self, server: &Arc<Server>, wanted: &Wanted) -> Result<Arc<Catalogue>, Frame> {
        if wanted.era == Era::Stateless
            && server.era().is_none()
            && let Err(failure) = server.begin_stateless(&wanted.says).await
        {
            return Err(failure.answer(RawValue::NULL));
        }
        let catalogue = server
            .catalogue(&wanted.says)
            .await
            .map_err(|failure| error_result(&failure.message, wanted.era))?;
        self.shared.pinned.compare(server, &catalogue);
        Ok(catalogue)
    }

    /// The verdict, as the next step.
    pub(super) fn step(&self, verdict: Verdict, wanted: &Wanted) -> Step {
        match verdict {
            Verdict::Allowed(authorized) => Step::Run(authorized),
            Verdict::Denied(refusal) => {
                let server = self.at(wanted.server).map_or("?", |server| server.name.as_str());
                Step::Answer(refused(&refusal, server, &wanted.tool, wanted.era))
            }
            Verdict::Cancelled => Step::Gone,
        }
    }

    /// Carries an authorized call out: it goes to its server, and the answer to the client.
    async fn run(self: &Arc<Self>, wanted: Wanted, continuation: Continuation, key: Key) {
        let frame = wanted.frame.clone().with("params", wanted.params.raw());
        let (authorized, carrying) = continuation.into_parts();
        let mut answer = std::pin::pin!(self.exchange(frame, key, wanted.server));
        // It is on its way before its start is written down; that it was allowed is on disk.
        let first = futures::poll!(&mut answer);
        let carrying = carrying.unwrap_or_else(|| self.shared.gate.carry(&authorized));
        let answer = match first {
            Poll::Ready(answer) => answer,
            Poll::Pending => answer.await,
        };
        let ended = ended(&answer);
        if ended.result_type.as_deref() == Some("input_required") {
            // Before the client hears of it.
            self.keep_on(&wanted, ended.request_state.as_deref(), authorized, carrying);
            return self.respond_with(key, answer);
        }
        if let Some(task) = &ended.task {
            self.lock().routes.task(task.task_id.clone(), wanted.server);
        }
        let how = how(&answer, &ended);
        self.respond_with(key, answer);
        carrying.end(how);
    }
}

fn ended(answer: &Result<Frame, Failure>) -> Ended {
    let result = answer.as_ref().ok().and_then(|frame| frame.member("result"));
    result.and_then(|result| serde_json::from_str(result.get()).ok()).unwrap_or_default()
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

/// What goes on under another request: the call, and that it is being carried out.
pub(super) type Parts = (Authorized<Call>, Option<Carrying>);
