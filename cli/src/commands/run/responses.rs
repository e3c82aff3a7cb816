//! `mayi run --responses`: one request to a Responses API, whose calls of MCP tools are gated.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use mayi_core::approval::escape_line;
use mayi_core::config::FileKeeper;
use mayi_core::gate::{Asking as Asked, Gate, GateEvent, Memory, OnAsk};
use mayi_core::store::{Owner, Store};
use mayi_doors::task::spawn;
use mayi_responses::{AnswerEvents, ResponsesDoor, ResponsesOptions};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::args::RunArgs;
use super::output::{Ending, Output};
use super::prompt::{TerminalAsker, has_terminal, listen_for_signals, stdout_is_terminal};
use super::setup::{check_mode_allowed, duration_text, on_ask};
use super::turn::{CutReason, far_future};
use super::{Outcome, on_ask_word, open_output, write_ending};
use crate::commands::responses::{by_address, open_chains, running_servers};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::person;
use crate::surface::Screen;

/// The longest request, in bytes: images and files can be in it.
const LONGEST: u64 = 64 * 1024 * 1024;
/// Events that are not written yet.
const EVENTS: usize = 64;

/// Sends the request in `file`, and sees its answer to the end.
///
/// # Errors
/// For what is wrong with the options, the file or the configuration. What the endpoint does wrong is part of the output, and an
/// exit code.
pub(super) async fn run(file: &Path, args: &RunArgs, ctx: &Context) -> Result<Exit, CliError> {
    let upstream = args.api.parse_upstream()?;
    let request = read_request(file)?;
    let loaded = ctx.load()?;
    let agent = args.api.agent_id(&loaded)?;
    check_mode_allowed(args.mode, &agent, &loaded)?;
    let on_ask = on_ask(args, has_terminal())?;
    let secrets: Vec<String> = args.api.api_key().into_iter().collect();
    let WritableStore { store, writer } = memory::open_without(ctx, &loaded, &secrets)?;
    // What an agent starts would be judged by the rules for the app, and not by the agent's own.
    person::check_may_serve(&*store)?;
    let store: Arc<dyn Store> = store;
    let prompts = on_ask == OnAsk::Prompt;
    let screen = Screen::new(ctx.is_stderr_colored(), stdout_is_terminal());
    let mut output = open_output(args.format, &screen, ctx, prompts);
    for notice in &loaded.policy.notices {
        let _ = output.write_notice(notice);
    }
    let keeper = Box::new(FileKeeper::new(ctx.sources.clone()).with_running(running_servers(&loaded)));
    let memory = Memory::attach_owner(Owner::this_process(), Arc::clone(&store), writer)?;
    let asked = Asked { on_ask, limit: args.approval_timeout };
    let gate = Gate::with_memory(loaded.policy.clone(), asked, keeper, memory);
    gate.watch_store();
    let (notes, said) = mpsc::unbounded_channel();
    let options = ResponsesOptions {
        agent: agent.clone(),
        roots: ctx.roots(&loaded),
        cwd: ctx.cwd.clone(),
        mode: args.mode,
        servers: by_address(&loaded),
        store,
        reset_on_deny: args.api.reset_on_deny,
        say: Arc::new(move |text| {
            let _ = notes.send(text.to_owned());
        }),
        secrets,
        recorder: None,
    };
    let start = json!({
        "agent": agent, "sessionId": null, "cwd": ctx.cwd, "mode": loaded.policy.mode_of(&agent, args.mode),
        "agentMode": null, "onAsk": on_ask_word(on_ask),
    });
    let (interrupt, interrupts) = mpsc::unbounded_channel();
    listen_for_signals(&interrupt);
    let door = ResponsesDoor::new(gate.clone(), upstream.clone(), open_chains(ctx, &upstream)?, options);
    let mut sent = ResponseListener {
        decided: gate.subscribe(),
        said,
        interrupts,
        deadline: args.timeout.map(|limit| Instant::now() + limit),
        response: None,
    };
    let surface =
        TerminalAsker::new(gate.clone(), screen, ctx.is_stderr_colored(), prompts, interrupt).open_surface();
    let over = match output.write_start(&start) {
        Ok(()) => sent.follow_answer(door, request, &mut output).await,
        Err(error) => ResponseOutcome::WriteFailed(error),
    };
    surface.close().await;
    let ending = Ending { tally: gate.tally(), response: sent.response.take(), ..Ending::default() };
    gate.shut_down();
    over.finish_output(ending, output, args)
}

/// The request in `file`.
fn read_request(file: &Path) -> Result<Value, CliError> {
    let shown = escape_line(&file.to_string_lossy());
    let trouble = |what: String| CliError::usage(format!("the request in {shown}: {what}"));
    let mut text = Vec::new();
    let read = match file.to_str() {
        Some("-") => io::stdin().lock().take(LONGEST + 1).read_to_end(&mut text),
        _ => std::fs::File::open(file).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut text)),
    };
    read.map_err(|error| trouble(error.to_string()))?;
    if text.len() as u64 > LONGEST {
        return Err(trouble(format!("it is longer than {} MiB", LONGEST / 1024 / 1024)));
    }
    let request: Value =
        serde_json::from_slice(&text).map_err(|error| trouble(format!("no JSON: {error}")))?;
    if !request.is_object() {
        return Err(trouble(
            "it has to be an object, such as {\"model\": \"…\", \"input\": \"…\"}".to_owned(),
        ));
    }
    if request.get("background").and_then(Value::as_bool) == Some(true) {
        return Err(trouble("\"background\": true gives no answer to wait for: leave it out".to_owned()));
    }
    Ok(request)
}

/// What is listened to until the answer is over.
struct ResponseListener {
    decided: mpsc::UnboundedReceiver<GateEvent>,
    /// What the door says to people.
    said: mpsc::UnboundedReceiver<String>,
    interrupts: mpsc::UnboundedReceiver<()>,
    deadline: Option<Instant>,
    /// The response, once it is whole.
    response: Option<Value>,
}

/// How it ended.
enum ResponseOutcome {
    /// With this closing event.
    Closed(Value),
    /// Without an answer, or in the middle of one.
    Failed(String),
    Cut(CutReason),
    /// It could not be written.
    WriteFailed(io::Error),
}

impl ResponseListener {
    async fn follow_answer(
        &mut self,
        door: ResponsesDoor,
        request: Value,
        output: &mut Output,
    ) -> ResponseOutcome {
        let (events, mut coming) = mpsc::channel(EVENTS);
        let asking = spawn(async move {
            match door.request_response(request).await {
                Ok(answer) => forward_events(answer, &events).await,
                Err(error) => {
                    let _ = events.send(Err(error)).await;
                }
            }
        });
        let over = loop {
            let written = tokio::select! {
                biased;
                Some(()) = self.interrupts.recv() => break ResponseOutcome::Cut(CutReason::Interrupted),
                () = sleep_until(self.deadline.unwrap_or_else(far_future)) => break ResponseOutcome::Cut(CutReason::Timeout),
                Some(event) = self.decided.recv() => output.write_gate_event(&event),
                Some(notice) = self.said.recv() => output.write_notice(&notice),
                event = coming.recv() => match event {
                    Some(Ok(event)) => match output.write_response_event(&event) {
                        Ok(()) if is_closing_event(&event) => break ResponseOutcome::Closed(event),
                        written => written,
                    },
                    Some(Err(error)) => break ResponseOutcome::Failed(error),
                    None => break ResponseOutcome::Failed("the answer ended without its last event".to_owned()),
                },
            };
            match written {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    break ResponseOutcome::Cut(CutReason::OutputGone);
                }
                Err(error) => break ResponseOutcome::WriteFailed(error),
            }
        };
        // Nobody waits for the answer any more: a card that does is taken back.
        asking.abort();
        let _ = asking.await;
        while let Ok(event) = self.decided.try_recv() {
            let _ = output.write_gate_event(&event);
        }
        if let ResponseOutcome::Closed(event) = &over {
            self.response = event.get("response").cloned();
        }
        over
    }
}

async fn forward_events(mut answer: AnswerEvents, events: &mpsc::Sender<Result<Value, String>>) {
    while let Some(event) = answer.next().await {
        if events.send(event).await.is_err() {
            return;
        }
    }
}

/// Whether nothing follows.
fn is_closing_event(event: &Value) -> bool {
    matches!(
        event.get("type").and_then(Value::as_str),
        Some(
            "response.completed" | "response.failed" | "response.incomplete" | "response.cancelled" | "error"
        )
    )
}

impl ResponseOutcome {
    /// Says how it ended.
    fn finish_output(self, mut ending: Ending, to: Output, args: &RunArgs) -> Result<Exit, CliError> {
        let (cut, failed, unwritten) = match self {
            Self::Closed(event) => {
                ending.stop_reason = stop_reason(&event);
                (None, failure_message(&event), None)
            }
            Self::Failed(error) => (None, Some(error), None),
            Self::Cut(cut) => (Some(cut), None, None),
            Self::WriteFailed(error) => (Some(CutReason::OutputGone), None, Some(error)),
        };
        let outcome = Outcome { cut, ..Outcome::default() };
        let exit = if failed.is_some() { Exit::Agent } else { outcome.exit_for(&ending) };
        ending.exit_code = exit.code();
        ending.error = failed.or_else(|| outcome.error_message(args.timeout.map(duration_text)));
        write_ending(to, &ending, unwritten)?;
        Ok(exit)
    }
}

/// The response's own word for how it ended.
fn stop_reason(event: &Value) -> Option<String> {
    let response = event.get("response")?;
    let reason = response.pointer("/incomplete_details/reason").or_else(|| response.get("status"))?;
    Some(reason.as_str()?.to_owned())
}

/// What went wrong, if something did.
fn failure_message(event: &Value) -> Option<String> {
    let text = |pointer| event.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    match event.get("type")?.as_str()? {
        "response.completed" => None,
        "response.incomplete" => {
            let why =
                text("/response/incomplete_details/reason").unwrap_or_else(|| "no reason given".to_owned());
            Some(format!("the answer is incomplete: {why}"))
        }
        "response.cancelled" => Some("the answer was cancelled".to_owned()),
        _ => Some(
            text("/response/error/message")
                .or_else(|| text("/error/message"))
                .or_else(|| text("/message"))
                .unwrap_or_else(|| "the endpoint says that it failed, and nothing else".to_owned()),
        ),
    }
}
