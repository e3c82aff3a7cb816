//! `tools/call`: read strictly, judged, asked about, carried out.

use std::sync::Arc;
use std::task::Poll;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::Session;
use super::judge::{error_result, refused};
use super::lists::nothing;
use super::resume::Continuation;
use super::toolbelt;
use crate::approval::visible;
use crate::call::{Call, Digest, digest_of, json};
use crate::doors::mcp::era::{ClientSays, Era};
use crate::doors::mcp::frame::{Frame, code};
use crate::doors::mcp::front::Key;
use crate::doors::mcp::members::{Members, raw};
use crate::doors::mcp::server::Failure;
use crate::gate::{Authorized, Carrying, Verdict};
use crate::pin::Item;

/// The parameters of `tools/call`.
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
            _ => self.respond(key, error_result("the call was cancelled, and nothing was run", Era::Older)),
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
        if let Some(name) = params.misspelled(PARAMS) {
            return Err(refuse(&format!("`{}` can be taken for another parameter", visible(name))));
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
        if let Some(state) = wanted.params.string("requestState") {
            if super::resume::is_ours(&state) {
                return self.resume(wanted, &state, key).await;
            }
            if let Some(continuation) = self.go_on(wanted, Some(&state)) {
                return Step::GoOn(continuation);
            }
        } else if wanted.params.get("inputResponses").is_some()
            && let Some(continuation) = self.go_on(wanted, None)
        {
            return Step::GoOn(continuation);
        }
        let Some(server) = self.at(wanted.server).cloned() else { return Step::Gone };
        if wanted.era == Era::Stateless
            && server.era().is_none()
            && let Err(failure) = server.begin_stateless(&wanted.says).await
        {
            return Step::Answer(failure.answer(RawValue::NULL));
        }
        // What is not known to be what it was can't be trusted: no list, no call.
        let catalogue = match server.catalogue(&wanted.says).await {
            Ok(catalogue) => catalogue,
            Err(failure) => return Step::Answer(error_result(&failure.message, wanted.era)),
        };
        if self.shared.fresh(&server.name, &catalogue) {
            let _ = self.offered(&server, &catalogue.tools, str::to_owned);
        }
        let said = catalogue.get(&wanted.tool);
        let call = self.call_of(&server, &wanted.tool, said, wanted.arguments.clone(), key);
        self.ask(call, wanted, key).await
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

    /// The same for a call that has waited: what its server says of the tool may have changed meanwhile.
    pub(super) fn late_step(&self, verdict: Verdict, wanted: &Wanted) -> Step {
        if let (Verdict::Allowed(_), Some(server)) = (&verdict, self.at(wanted.server))
            && let Some(why) = self.why_blocked(server, &Item::Tool(wanted.tool.clone()))
        {
            let text = format!("the call was allowed, and nothing was run: meanwhile {why}");
            return Step::Answer(error_result(&text, wanted.era));
        }
        self.step(verdict, wanted)
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
