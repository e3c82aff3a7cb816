//! `mayi run`: one prompt to an agent, every tool call gated.

mod args;
mod output;
mod prompt;
mod responses;
mod servers;
mod setup;
mod text;
mod turn;

use self::args::FormatArg;
pub(super) use self::args::{AFTER, RunArgs};

use std::sync::Arc;

use mayi_acp::{AgentError, Briefing, Connection, OpenedSession, SessionEvent, StopReason};
use mayi_core::approval::escape_line;
use mayi_core::call::SessionId;
use mayi_core::config::{FileKeeper, OnUnasked, RunningSession};
use mayi_core::gate::{Gate, Memory, OnAsk};
use mayi_core::store::{Owner, SqliteStore, Store};
use mayi_doors::task::spawn;
use mayi_mcp::SessionServers;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use self::output::{Ending, Output};
use self::prompt::NextInput;
pub(super) use self::prompt::{TerminalAsker, has_terminal, listen_for_signals};
use self::setup::{Setup, duration_text};
pub(super) use self::setup::{check_mode_allowed, find_agent};
use self::turn::{CutReason, TurnRunner};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::surface::Screen;

/// Runs the command.
///
/// # Errors
/// For what is wrong with the options or the configuration. What goes wrong with the agent is part
/// of the output, and an exit code.
pub(super) async fn run(args: RunArgs, ctx: Context) -> Result<Exit, CliError> {
    if let Some(file) = &args.responses {
        return responses::run(file, &args, &ctx).await;
    }
    if args.api.is_given() {
        return Err(CliError::usage(
            "--upstream, --key-env, --app and --reset-on-deny are about a Responses API: add --responses FILE",
        ));
    }
    let mut loaded = ctx.load()?;
    let terminal = prompt::has_terminal();
    let mut setup = Setup::new(&args, &ctx, &loaded, terminal)?;
    if args.no_gateway && !setup.servers.is_empty() {
        let names: Vec<&str> = setup.servers.iter().map(|server| server.name.as_str()).collect();
        // Also in the record: it keeps what a policy notices.
        loaded.policy.notices.push(format!(
            "--no-gateway: the agent reaches {} without mayi, and may call their tools without asking",
            names.join(", ")
        ));
    }
    let first = prompt::first_prompt(&args)?;
    setup.make_folder()?;
    let prompts = setup.asking.on_ask == OnAsk::Prompt;
    let screen = Screen::new(ctx.is_stderr_colored(), prompt::stdout_is_terminal());
    let mut output = open_output(args.format, &screen, &ctx, prompts);
    for notice in &loaded.policy.notices {
        let _ = output.write_notice(notice);
    }
    let servers = setup.servers.iter().map(|server| (server.name.clone(), server.transport.server_id()));
    let running = RunningSession::new(loaded.agents.get(setup.agent.as_str()), servers);
    let keeper = FileKeeper::new(ctx.sources.clone()).with_running(running);
    let policy = loaded.policy.clone();
    let _present =
        if args.no_record { memory::announce_presence(&ctx, &Owner::this_process()) } else { None };
    let (gate, store) = if args.no_record {
        (Gate::new(policy, setup.asking, Box::new(keeper)), None)
    } else {
        let (memory, store) = memory::open(&ctx, &loaded)
            .and_then(|WritableStore { store, writer }| {
                let kept: Arc<dyn Store> = Arc::clone(&store) as Arc<dyn Store>;
                Ok((Memory::attach(kept, writer)?, store))
            })
            .map_err(|error| error.with_alternative("go on without a record: --no-record"))?;
        (Gate::with_memory(policy, setup.asking, Box::new(keeper), memory), Some(store))
    };
    let (events, heard) = mpsc::unbounded_channel();
    let kept = store.clone().map(|store| store as Arc<dyn Store>);
    let servers = servers::start_gateway(&mut setup, (&args, &ctx), &gate, kept.as_ref(), &events)?;
    gate.watch_store();
    let (interrupt, interrupts) = mpsc::unbounded_channel();
    prompt::listen_for_signals(&interrupt);
    let asking = TerminalAsker::new(gate.clone(), screen, ctx.is_stderr_colored(), prompts, interrupt);
    let deadline = args.timeout.map(|limit| Instant::now() + limit);
    let mut run = Run {
        args: &args,
        ctx: &ctx,
        setup: &setup,
        servers,
        gate: gate.clone(),
        asking,
        deadline,
        interrupts,
    };
    let (output, mut ending, outcome) = run.run_conversation(output, first, (events, heard)).await;
    ending.tally = gate.tally();
    gate.shut_down();
    let exit = outcome.exit_for(&ending);
    ending.exit_code = exit.code();
    ending.error = outcome.error_message(args.timeout.map(duration_text));
    let written = write_ending(output, &ending, outcome.unwritten);
    if let Some(store) = store {
        // Closing it would bring the log to the disk, and whoever has started this run waits for its end.
        SqliteStore::leave_unclosed(store);
    }
    written.map(|()| exit)
}

/// Where what happens goes.
fn open_output(format: FormatArg, screen: &Screen, ctx: &Context, prompts: bool) -> Output {
    match format {
        FormatArg::Text => Output::text(screen.clone(), ctx.quiet, ctx.verbose, prompts),
        FormatArg::Json => Output::json(),
        FormatArg::StreamJson => Output::stream(),
    }
}

/// What becomes of a question, in a word.
fn on_ask_word(on_ask: OnAsk) -> &'static str {
    match on_ask {
        OnAsk::Prompt => "prompt",
        OnAsk::Deny => "deny",
        OnAsk::Wait => "wait",
        OnAsk::Leave => "leave",
    }
}

/// Writes the end of what was told.
fn write_ending(
    mut output: Output,
    ending: &Ending,
    unwritten: Option<std::io::Error>,
) -> Result<(), CliError> {
    match unwritten.map_or_else(|| output.write_end(ending), Err) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CliError::internal(format!("standard output can't be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// How a run ended, besides what was denied.
#[derive(Debug, Default)]
struct Outcome {
    error: Option<AgentError>,
    cut: Option<CutReason>,
    stop: Option<StopReason>,
    /// What the agent said could not be written.
    unwritten: Option<std::io::Error>,
}

impl Outcome {
    fn exit_for(&self, ending: &Ending) -> Exit {
        let unfinished = matches!(
            self.stop,
            Some(
                StopReason::MaxTokens
                    | StopReason::MaxTurnRequests
                    | StopReason::Refusal
                    | StopReason::Other(_)
            )
        );
        match self.cut {
            Some(CutReason::Timeout) => Exit::Timeout,
            Some(CutReason::Interrupted | CutReason::OutputGone) => Exit::Interrupted,
            Some(CutReason::Unasked) => Exit::Unasked,
            None if self.error.is_some() || unfinished => Exit::Agent,
            None if ending.tally.count_unasked_against() > 0 => Exit::Unasked,
            None if ending.tally.unanswered > 0 => Exit::Unanswered,
            None if ending.tally.denied + ending.tally.rejected > 0 => Exit::Denied,
            None => Exit::Done,
        }
    }

    fn error_message(&self, limit: Option<String>) -> Option<String> {
        match (&self.error, self.cut, &self.stop) {
            (Some(error), ..) => Some(error.to_string()),
            (None, Some(CutReason::Timeout), _) => Some(format!(
                "the time limit of {} was reached; the turn was cancelled",
                limit.unwrap_or_default()
            )),
            (None, Some(CutReason::Interrupted), _) => Some("interrupted; the turn was cancelled".to_owned()),
            (None, Some(CutReason::OutputGone), _) => {
                Some("nobody reads the output any more; the turn was cancelled".to_owned())
            }
            (None, Some(CutReason::Unasked), _) => Some(
                "something ran without asking that the policy asks about or denies, and `on_unasked` is \"stop\": the turn \
                 was cancelled"
                    .to_owned(),
            ),
            (None, None, Some(StopReason::EndTurn | StopReason::Cancelled) | None) => None,
            (None, None, Some(stop)) => Some(format!("the agent stopped early: {}", stop.as_str())),
        }
    }
}

/// Ends a run whose time is over though its output is stuck: whoever should read it does not.
fn exit_after_deadline(deadline: Instant, connection: Arc<Connection>) -> tokio::task::JoinHandle<()> {
    spawn(async move {
        tokio::time::sleep_until(deadline + connection.cancel_limit() * 2).await;
        connection.end().await;
        std::process::exit(Exit::Timeout.code());
    })
}

/// Something is waited for.
struct BusyIndicator(Screen);

impl Drop for BusyIndicator {
    fn drop(&mut self) {
        self.0.clear_busy();
    }
}

/// One run.
struct Run<'a> {
    args: &'a RunArgs,
    ctx: &'a Context,
    setup: &'a Setup,
    /// Its MCP servers, unless the agent has them.
    servers: Option<SessionServers>,
    gate: Gate,
    asking: TerminalAsker,
    deadline: Option<Instant>,
    interrupts: mpsc::UnboundedReceiver<()>,
}

impl Run<'_> {
    async fn run_conversation(
        &mut self,
        mut output: Output,
        first: NextInput,
        (events, mut heard): (mpsc::UnboundedSender<SessionEvent>, mpsc::UnboundedReceiver<SessionEvent>),
    ) -> (Output, Ending, Outcome) {
        let mut ending = Ending::default();
        self.gate.forward_events(events.clone());
        let (connection, opened) = match self.open_session(events, &mut output).await {
            Ok(open) => open,
            Err(outcome) => {
                self.end_servers().await;
                while let Ok(event) = heard.try_recv() {
                    if let SessionEvent::Agent(event) = event {
                        let _ = output.write_agent_event(event);
                    }
                }
                return (output, ending, outcome);
            }
        };
        ending.session = Some(opened.id.0.clone());
        let start = json!({
            "agent": self.setup.agent, "sessionId": opened.id, "cwd": self.setup.open.cwd,
            "mode": self.setup.mode, "agentMode": opened.agent_mode, "onAsk": on_ask_word(self.setup.asking.on_ask),
        });
        let unwritten = output.write_start(&start).err();
        let connection = Arc::new(connection);
        let mut turns = TurnRunner {
            connection: Arc::clone(&connection),
            gate: self.gate.clone(),
            session: opened.id,
            briefing: Briefing::default(),
            output,
            heard,
            interrupts: std::mem::replace(&mut self.interrupts, mpsc::unbounded_channel().1),
            deadline: self.deadline,
            watched: prompt::has_terminal(),
            stops_at_unasked: self.setup.on_unasked == OnUnasked::Stop,
            ran_unasked: false,
            unwritten,
        };
        let watchdog = self.deadline.map(|deadline| exit_after_deadline(deadline, Arc::clone(&connection)));
        let mut outcome = match &turns.unwritten {
            None => self.run_turns(&mut turns, first).await,
            Some(_) => Outcome { cut: Some(CutReason::OutputGone), ..Outcome::default() },
        };
        outcome.unwritten = turns.unwritten.take();
        ending.stop_reason = outcome.stop.as_ref().map(|stop| stop.as_str().to_owned());
        connection.end().await;
        self.end_servers().await;
        turns.drain_events(&mut Vec::new());
        if let Some(watchdog) = watchdog {
            watchdog.abort();
        }
        (turns.output, ending, outcome)
    }

    async fn end_servers(&self) {
        if let Some(servers) = &self.servers {
            servers.end().await;
        }
    }

    /// Starts the agent and opens its session, unless the person or the time limit is quicker.
    async fn open_session(
        &mut self,
        events: mpsc::UnboundedSender<SessionEvent>,
        output: &mut Output,
    ) -> Result<(Connection, OpenedSession), Outcome> {
        let setup = self.setup;
        let gate = self.gate.clone();
        let _busy = self.show_busy("is starting");
        let opening = async {
            let connection = Connection::start(&setup.launch, gate, setup.offer, events).await?;
            let opened = connection.open(&setup.open).await?;
            Ok((connection, opened))
        };
        let cut = |cut| Outcome { cut: Some(cut), ..Outcome::default() };
        let opening = timeout_at(self.deadline.unwrap_or_else(turn::far_future), opening);
        tokio::pin!(opening);
        let mute = tokio::time::sleep(turn::MUTE);
        tokio::pin!(mute);
        let mut told = false;
        let (connection, opened) = loop {
            tokio::select! {
                opened = &mut opening => match opened {
                    Ok(Ok(open)) => break open,
                    Ok(Err(error)) => return Err(Outcome { error: Some(error), ..Outcome::default() }),
                    Err(_) => return Err(cut(CutReason::Timeout)),
                },
                Some(()) = self.interrupts.recv() => return Err(cut(CutReason::Interrupted)),
                () = &mut mute, if !told => {
                    told = true;
                    let ends = if setup.launch.command.first().is_some_and(|program| program == "npx") {
                        "ends it. npx may be fetching it, which takes a while the first time"
                    } else {
                        "ends it"
                    };
                    if let Err(error) = output.write_notice(&turn::silence_message(turn::MUTE, ends)) {
                        return Err(Outcome { cut: Some(CutReason::OutputGone), unwritten: Some(error), ..Outcome::default() });
                    }
                }
            }
        };
        if let Some(servers) = &self.servers {
            servers.belong_to(&opened.id);
        }
        if connection.can_load()
            && let Ok(folder) = self.ctx.state_folder()
        {
            let agent = setup.agent.as_str();
            if let Err(error) = crate::state::remember_session(&folder, agent, &setup.open.cwd, &opened.id.0)
            {
                tracing::warn!(%error, "the session could not be remembered for --continue");
            }
        }
        Ok((connection, opened))
    }

    /// Prompt after prompt: one, or as many as the person has.
    async fn run_turns(&mut self, turns: &mut TurnRunner, first: NextInput) -> Outcome {
        let mut outcome = Outcome::default();
        let mut next = first;
        if self.args.bypass {
            let _ = turns.output.write_notice(&self.set_bypass(&turns.session, true));
        }
        loop {
            let text = match next {
                NextInput::Prompt(text) => text,
                NextInput::Bypass(on) => {
                    let _ = turns.output.write_notice(&self.set_bypass(&turns.session, on));
                    next = self.asking.next_prompt().await;
                    continue;
                }
                NextInput::Mode(mode) => {
                    let least = self.gate.policy().least_mode(&self.setup.agent);
                    let said = if mode < least {
                        format!("an administrator locks the mode: it can be {least} or stricter")
                    } else {
                        self.gate.set_mode(&turns.session, mode);
                        format!("this session is in {} mode now", self.gate.mode(&turns.session))
                    };
                    let _ = turns.output.write_notice(&said);
                    next = self.asking.next_prompt().await;
                    continue;
                }
                NextInput::Ask => {
                    next = self.asking.next_prompt().await;
                    continue;
                }
                NextInput::End => return outcome,
                NextInput::Interrupted => {
                    outcome.cut = Some(CutReason::Interrupted);
                    return outcome;
                }
            };
            let mode = self.gate.mode(&turns.session);
            let blocks = turns.briefing.prompt_blocks(mode, text);
            outcome = self.run_prompt(turns, &blocks).await;
            if outcome.error.is_some()
                || !self.args.interactive
                || matches!(
                    outcome.cut,
                    Some(CutReason::Timeout | CutReason::OutputGone | CutReason::Unasked)
                )
            {
                return outcome;
            }
            next = self.asking.next_prompt().await;
        }
    }

    /// Shows a person who waits that the agent `does` something, until it says a word, asks, or this is dropped.
    fn show_busy(&self, does: &str) -> BusyIndicator {
        let screen = self.asking.screen().clone();
        if self.args.format == FormatArg::Text && !self.ctx.quiet {
            let agent = match &self.args.command {
                Some(_) => "the agent".to_owned(),
                None => escape_line(self.setup.agent.as_str()),
            };
            screen.show_busy(format!("{agent} {does}"));
        }
        BusyIndicator(screen)
    }

    /// What is said of a session that is bypassed from now on.
    fn bypass_message(&self) -> String {
        format!("{} is bypassed in this session. {}", self.setup.agent, crate::surface::NOT_BYPASSED)
    }

    /// Bypasses the session, or ends that. Returns what to say of it.
    fn set_bypass(&self, session: &SessionId, on: bool) -> String {
        let agent = &self.setup.agent;
        if on {
            let done = self.gate.bypass_session(session);
            return done
                .map_or_else(|error| format!("nothing has changed: {error}"), |()| self.bypass_message());
        }
        let ended = self.gate.end_session_bypass(session, "terminal");
        match self.gate.is_bypassed(session) {
            true => format!("{agent} is bypassed by a setting: `mayi bypass {agent} off` takes it back"),
            false if ended => format!("{agent} asks again"),
            false => format!("nothing has changed: {agent} asks already"),
        }
    }

    /// One prompt, and a follow-up with the reasons that the person gave for saying no.
    async fn run_prompt(&mut self, turns: &mut TurnRunner, blocks: &[String]) -> Outcome {
        let mut blocks = blocks.to_vec();
        loop {
            let surface = self.asking.open_surface();
            let busy = self.show_busy("works");
            let ended = turns.run_turn(&blocks).await;
            drop(busy);
            surface.close().await;
            match ended {
                Ok(ended) if ended.cut.is_none() && !ended.reasons.is_empty() => {
                    let reasons = ended.reasons.join("\n- ");
                    blocks = vec![format!(
                        "[mayi] The user refused what you asked for, and says why:\n- {reasons}\nGo on accordingly."
                    )];
                }
                Ok(ended) => return Outcome { cut: ended.cut, stop: ended.stop, ..Outcome::default() },
                Err(error) => {
                    turns.drain_events(&mut Vec::new());
                    return Outcome { error: Some(error), ..Outcome::default() };
                }
            }
        }
    }
}
