//! Where prompts come from, and the person at the terminal.

use std::io::{self, IsTerminal, Read};
#[cfg(unix)]
use std::sync::{Arc, OnceLock};

use mayi_core::gate::Gate;
#[cfg(unix)]
use mayi_core::gate::Questions;
use mayi_core::policy::Mode;
use mayi_doors::task::spawn;
use tokio::sync::mpsc;

use super::args::RunArgs;
use crate::error::CliError;
use crate::surface::Screen;
#[cfg(unix)]
use crate::surface::{Line, Tone};

/// The longest prompt that is read.
const LONGEST: u64 = 16 * 1024 * 1024;

/// What is said once, before the first prompt that is asked for.
#[cfg(unix)]
const ENDS: &str = "an empty line or Ctrl-D ends it; /mode and /bypass change this session";

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NextInput {
    /// A prompt.
    Prompt(String),
    /// Another mode for this session.
    Mode(Mode),
    /// Whether this session is bypassed.
    Bypass(bool),
    /// The person is asked for a prompt.
    Ask,
    /// Nothing.
    End,
    /// Nothing: the process is told to end.
    Interrupted,
}

/// Whether there is a terminal with somebody in front of it, who can be asked there.
#[cfg(not(unix))]
pub(in crate::commands) fn has_terminal() -> bool {
    false
}

/// Whether there is a terminal with somebody in front of it, who can be asked there.
#[cfg(unix)]
pub(in crate::commands) fn has_terminal() -> bool {
    let watched = io::stderr().is_terminal() || io::stdout().is_terminal() || io::stdin().is_terminal();
    watched && crate::surface::terminal_is_there()
}

pub(super) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The first prompt: PROMPT, or standard input for `-` and on a pipe.
pub(super) fn first_prompt(args: &RunArgs) -> Result<NextInput, CliError> {
    match args.prompt.as_deref() {
        Some("-") => read_all().map(NextInput::Prompt),
        Some(text) => Ok(NextInput::Prompt(text.to_owned())),
        None if !io::stdin().is_terminal() && !args.interactive => read_all().map(NextInput::Prompt),
        None if args.interactive => Ok(NextInput::Ask),
        // Whoever just tries it out has nothing particular in mind.
        None if args.agent.as_deref() == Some("demo") => {
            Ok(NextInput::Prompt("show me what you do".to_owned()))
        }
        None => Err(CliError::usage("what should the agent do? give a PROMPT, pipe one in, or use -i")),
    }
}

fn read_all() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let input = |error: io::Error| {
        CliError::usage(format!("the prompt could not be read from standard input: {error}"))
    };
    io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes).map_err(input)?;
    if bytes.len() as u64 > LONGEST {
        return Err(CliError::usage(format!("the prompt is longer than {} MiB", LONGEST / 1024 / 1024)));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::usage("the prompt on standard input is not UTF-8 text"))?;
    if text.trim().is_empty() {
        return Err(CliError::usage("the prompt on standard input is empty"));
    }
    Ok(text)
}

/// Sends Ctrl-C and SIGTERM on.
pub(in crate::commands) fn listen_for_signals(to: &mpsc::UnboundedSender<()>) {
    #[cfg(not(unix))]
    {
        let sender = to.clone();
        spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
    }
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // They are listened for when this returns, and not only once somebody has begun to wait.
        for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
            let sender = to.clone();
            if let Ok(mut signals) = signal(kind) {
                spawn(async move { while signals.recv().await.is_some() && sender.send(()).is_ok() {} });
            }
        }
        // A file that may not grow is an error of the write, and no reason to end without an answer.
        let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
    }
}

/// The person at the terminal, if there is one to ask.
pub(in crate::commands) struct TerminalAsker {
    gate: Gate,
    screen: Screen,
    #[cfg_attr(not(unix), allow(dead_code, reason = "nothing is asked in a terminal"))]
    color: bool,
    prompts: bool,
    #[cfg_attr(not(unix), allow(dead_code, reason = "nothing is asked in a terminal"))]
    interrupt: mpsc::UnboundedSender<()>,
    /// Where further prompts are read, once one was.
    #[cfg(unix)]
    lines: OnceLock<Arc<crate::surface::PromptReader>>,
}

/// The surface of one turn.
pub(in crate::commands) struct TurnSurface {
    #[cfg(unix)]
    surface: Option<(crate::surface::Closer, tokio::task::JoinHandle<()>)>,
}

impl TerminalAsker {
    pub(in crate::commands) fn new(
        gate: Gate,
        screen: Screen,
        color: bool,
        prompts: bool,
        interrupt: mpsc::UnboundedSender<()>,
    ) -> Self {
        Self {
            gate,
            screen,
            color,
            prompts,
            interrupt,
            #[cfg(unix)]
            lines: OnceLock::new(),
        }
    }

    /// What is shown while something is waited for.
    pub(super) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Opens the terminal for a turn: between turns, it is the prompt's.
    #[cfg(unix)]
    pub(in crate::commands) fn open_surface(&self) -> TurnSurface {
        if !self.prompts {
            return TurnSurface { surface: None };
        }
        let between = crate::surface::BackgroundState::Works;
        let surface = match crate::surface::TerminalSurface::open(self.screen.clone(), self.color, between) {
            Ok(surface) => surface,
            Err(error) => {
                self.gate.deny_unattended(&format!("the terminal can't be opened: {error}"));
                return TurnSurface { surface: None };
            }
        };
        let closer = surface.closer();
        let gate = self.gate.clone();
        let interrupt = self.interrupt.clone();
        let task = spawn(async move {
            let asked: Arc<dyn Questions> = Arc::new(gate.clone());
            let on_cancel = move || {
                let _ = interrupt.send(());
            };
            if let Err(error) = surface.serve(asked, on_cancel).await {
                gate.deny_unattended(&format!("the terminal is gone: {error}"));
            }
        });
        TurnSurface { surface: Some((closer, task)) }
    }

    #[cfg(not(unix))]
    pub(in crate::commands) fn open_surface(&self) -> TurnSurface {
        if self.prompts {
            self.gate.deny_unattended("in a terminal mayi asks only on Linux and macOS so far");
        }
        TurnSurface {}
    }

    /// Asks for the next prompt. `/mode MODE` changes the mode, `/bypass on` and `/bypass off` whether is asked; an
    /// empty line or the end of input ends the conversation.
    pub(super) async fn next_prompt(&self) -> NextInput {
        let line = match self.read_line().await {
            Ok(Some(line)) => line,
            Ok(None) => return NextInput::End,
            Err(Terminated) => return NextInput::Interrupted,
        };
        match line.trim() {
            "" | "/quit" | "/exit" | "quit" | "exit" => NextInput::End,
            command if command.starts_with("/mode") => {
                match command.trim_start_matches("/mode").trim().parse() {
                    Ok(mode) => NextInput::Mode(mode),
                    Err(error) => {
                        let _ = self.screen.write_note(&format!("! {error}"));
                        NextInput::Ask
                    }
                }
            }
            "/bypass on" => NextInput::Bypass(true),
            "/bypass off" => NextInput::Bypass(false),
            "/bypass" => {
                let _ = self.screen.write_note("! say `/bypass on` or `/bypass off`: it is for this session");
                NextInput::Ask
            }
            text => NextInput::Prompt(text.to_owned()),
        }
    }

    /// One line of the person's. None: the conversation is over, or nobody is there any more.
    #[cfg(unix)]
    async fn read_line(&self) -> Result<Option<String>, Terminated> {
        use tokio::signal::unix::{SignalKind, signal};
        if self.lines.get().is_none() {
            let Ok(lines) = crate::surface::PromptReader::new() else { return Ok(None) };
            let _ = self.lines.set(Arc::new(lines));
            let _ = self.screen.write_line(&Line::with_text(Tone::Dim, ENDS));
        }
        let (Some(lines), Ok(mut terminated)) = (self.lines.get(), signal(SignalKind::terminate())) else {
            return Ok(None);
        };
        let (reader, screen) = (Arc::clone(lines), self.screen.clone());
        let read = tokio::task::spawn_blocking(move || reader.read(&screen));
        tokio::select! {
            line = read => Ok(line.ok().and_then(Result::ok).flatten()),
            _ = terminated.recv() => {
                lines.restore_terminal();
                Err(Terminated)
            }
        }
    }

    #[cfg(not(unix))]
    async fn read_line(&self) -> Result<Option<String>, Terminated> {
        Ok(None)
    }
}

/// SIGTERM came while a prompt was waited for.
#[cfg_attr(not(unix), allow(dead_code, reason = "no prompt is waited for"))]
struct Terminated;

impl TurnSurface {
    /// Gives the terminal back.
    pub(in crate::commands) async fn close(self) {
        #[cfg(unix)]
        if let Some((closer, task)) = self.surface {
            let _ = tokio::task::spawn_blocking(move || closer.close()).await;
            let _ = tokio::time::timeout(std::time::Duration::from_secs(1), task).await;
        }
    }
}
