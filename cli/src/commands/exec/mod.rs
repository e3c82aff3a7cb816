//! `mayi exec`: one command, decided as an agent's would be, and held by the kernel to what was decided.

mod network;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use mayi_check::{Request, RequestedAction, call_in_session};
use mayi_core::approval::escape_line;
use mayi_core::call::shell::{Reach, TouchedPath};
use mayi_core::call::{Access, AgentId, Call, Dialect, Door, SessionId, home_folder, resolve_path};
use mayi_core::config::{CommandLine, FileKeeper, LoadedConfig};
use mayi_core::gate::{Asking, Authorized, Gate, Memory, OnAsk, Refusal, Session, Verdict};
use mayi_core::policy::{Mode, Source};
use mayi_core::store::{SqliteStore, surfaces_open};
use mayi_sandbox::{Launch, Network as Reached};
use tokio::sync::mpsc;

use self::network::Network;
use super::run::{TerminalAsker, check_mode_allowed, has_terminal, listen_for_signals};
use super::sandbox::{self, Derived, NetworkArg, Profile, Reading, Tier, TierArg};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::options::{mode_value_parser, parse_duration, parse_folder};
use crate::surface::Screen;
use crate::{person, print};

pub(super) const AFTER: &str = "\
The rules decide about COMMAND as about an agent's, and what has to be asked is asked. Then it runs, and reads, writes and reaches
no more than the rules let file tools read and write in these folders: `mayi sandbox show` prints what that is, and
`mayi sandbox check` what this machine can hold. What it wants to reach is decided host by host, as a fetch of an agent's.

Examples:
  mayi exec -- cargo test
  mayi exec --line 'make && ./run-tests'
  mayi exec --mode plan -- ls -la
  mayi exec --tier full -- npm test       not at all, if this machine can't hold all of it
  mayi exec --network none -- make        it reaches nothing, and reads all that is not hidden

Exit codes: COMMAND's own · 125 it could not be confined, and was not started · 126 it can't be run · 127 it was not found ·
5 denied · 6 nobody answered";

/// What an agent is told of a command that failed: it may have been for want of access.
const HELD: &str =
    "mayi: this ran without access outside of the project; a person can widen it. Do not try another way.";

/// How long a person at another surface may take, where there is no terminal.
const PATIENCE: Duration = Duration::from_secs(600);

/// `mayi exec`
#[derive(Clone, Debug, Args)]
pub(crate) struct ExecArgs {
    /// The command and its words
    #[arg(last = true, required_unless_present = "line", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
    /// A line for a shell, in place of COMMAND
    #[arg(long, value_name = "LINE", conflicts_with = "command")]
    pub line: Option<String>,
    /// Hold it by this tier, or not run it: by default the strongest that there is, and not none
    #[arg(long, value_enum, value_name = "TIER")]
    pub tier: Option<TierArg>,
    /// Whom it may reach: by default each host is decided about (ask), where the full tier holds it, and nothing elsewhere
    #[arg(long, value_enum, value_name = "NETWORK", default_value_t = NetworkArg::Ask)]
    pub network: NetworkArg,
    /// Leave NAME in the environment, though it looks like a secret (repeatable)
    #[arg(long, value_name = "NAME")]
    pub keep_variable: Vec<String>,
    /// As this agent
    #[arg(long, value_name = "NAME", help_heading = "Permissions")]
    pub agent: Option<String>,
    /// In this mode: plan writes nothing, default asks, auto (dangerous) asks only where a rule or protection says so
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser(), help_heading = "Permissions")]
    pub mode: Option<Mode>,
    /// Work in DIR too (repeatable)
    #[arg(long, value_name = "DIR", value_parser = parse_folder, value_hint = ValueHint::DirPath, help_heading = "Permissions")]
    pub add_dir: Vec<PathBuf>,
    /// Deny what nobody has answered after this long
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Permissions")]
    pub approval_timeout: Option<Duration>,
}

impl ExecArgs {
    /// What the options say about permissions.
    pub(crate) fn command_line(&self) -> CommandLine {
        CommandLine { mode: self.mode, folders: self.add_dir.clone(), ..CommandLine::default() }
    }

    fn action(&self) -> Result<RequestedAction, CliError> {
        if let Some(line) = &self.line {
            return Ok(RequestedAction::Line(line.clone()));
        }
        let words = self.command.iter().map(|word| {
            let text = word.to_str().map(str::to_owned);
            text.ok_or_else(|| {
                CliError::usage(format!("{} is not UTF-8 text", escape_line(&word.to_string_lossy())))
            })
        });
        Ok(RequestedAction::Words(words.collect::<Result<_, _>>()?))
    }

    /// What is started.
    fn words(&self) -> Vec<OsString> {
        match &self.line {
            Some(line) => ["bash", "-c", line].map(OsString::from).to_vec(),
            None => self.command.clone(),
        }
    }
}

/// Has the command decided about, and runs it if it is allowed.
///
/// # Errors
/// For what is wrong with the options or the configuration, and if it could not be confined.
pub(super) async fn run(args: ExecArgs, ctx: Context) -> Result<Exit, CliError> {
    let loaded = ctx.load()?;
    let session = session(&args, &ctx, &loaded)?;
    check_mode_allowed(args.mode, &session.agent, &loaded)?;
    let request = Request { shell: Dialect::Bash, ..Request::new(args.action()?) };
    let call =
        call_in_session(&request, session.clone()).map_err(|error| CliError::usage(error.to_string()))?;
    let call = Call { door: Door::Exec, tool_call_id: None, ..call };
    let (tier, weaker) = sandbox::choose_tier(args.tier)?;
    let WritableStore { store, writer } = memory::open(&ctx, &loaded)?;
    // What an agent starts would be asked about here in the person's name, not the agent's.
    person::check_may_serve(&*store)?;
    let elsewhere = || ctx.sources.folders.data.as_deref().is_some_and(surfaces_open);
    let on_ask = match has_terminal() {
        true => OnAsk::Prompt,
        false if elsewhere() => OnAsk::Wait,
        false => OnAsk::Deny,
    };
    // Where somebody is elsewhere, nobody here could end it.
    let limit = args.approval_timeout.or((on_ask == OnAsk::Wait).then_some(PATIENCE));
    let asking = Asking { on_ask, limit };
    let keeper = Box::new(FileKeeper::new(ctx.sources.clone()));
    let memory = Memory::attach(store.clone(), writer)?;
    let gate = Gate::with_memory(loaded.policy.clone(), asking, keeper, memory);
    gate.watch_store();
    gate.open_session(session.clone());
    let person = Person {
        screen: Screen::new(ctx.is_stderr_colored(), std::io::stdout().is_terminal()),
        color: ctx.is_stderr_colored(),
        prompts: on_ask == OnAsk::Prompt,
    };
    let programs = sandbox::program_folders();
    let derive = |reading: Reading<'_>, network| {
        let mut derived = sandbox::profile_of((&gate, &session), &args.keep_variable, reading, &ctx);
        derived.profile.network = network;
        derived
    };
    let network = args.network.in_tier(tier);
    // What nobody has allowed runs only where all of it is held, and reads no more than it needs.
    let alone = (tier == Tier::Full && loaded.policy.allow_confined)
        .then(|| derive(Reading::Needed { programs: &programs, named: &[] }, network))
        .filter(Derived::is_whole);
    let call = Call { held: alone.is_some(), ..call };
    let verdict = ask(&gate, call, &person).await;
    let ended = match verdict {
        Verdict::Allowed(authorized) => {
            let confined =
                authorized.decision().trail.iter().any(|finding| finding.source == Source::Confined);
            let derived = alone.filter(|_| confined).unwrap_or_else(|| {
                // What can send reads no more than it needs.
                let named = named_places(authorized.call()).filter(|_| network == Reached::Proxied);
                match &named {
                    Some(named) => derive(Reading::Needed { programs: &programs, named }, network),
                    None => derive(Reading::Everything, Reached::None),
                }
            });
            match sandbox::what_is_not_held(tier, &derived) {
                Ok(notes) => {
                    for text in weaker.iter().chain(&notes).filter(|_| !ctx.quiet) {
                        print::stderr_line(format!("mayi: {}", escape_line(text)));
                    }
                    let before = sandbox::Before::of(&derived.profile);
                    let held = (tier, derived.profile);
                    let ended =
                        carry_out((&gate, &session), &authorized, args.words(), held, (person, ctx.quiet))
                            .await;
                    sandbox::take_back(&gate, &session, &before, &ctx);
                    ended
                }
                Err(error) => {
                    gate.begin_execution(&authorized).finish("failed: it was never run");
                    Err(error)
                }
            }
        }
        Verdict::Denied(refusal) => Ok(refused(&refusal)),
        Verdict::Cancelled => Ok(Exit::Interrupted),
    };
    gate.shut_down();
    SqliteStore::leave_unclosed(store);
    ended
}

/// The places that a call names plainly, of which it is decided that they may be read; none where one of them is a home folder, or
/// has one in it: that is more than what a command with a network may read.
fn named_places(call: &Call) -> Option<Vec<PathBuf>> {
    let mut named = Vec::new();
    for access in &call.accesses {
        match access {
            Access::Read(path) => named.push(path.resolved.clone()),
            Access::Shell(shell) => {
                named.extend(shell.touches.iter().filter_map(|touch| match &touch.path {
                    TouchedPath::Known(path) if !matches!(touch.reach, Reach::Mentioned | Reach::Said) => {
                        Some(path.resolved.clone())
                    }
                    _ => None,
                }))
            }
            _ => {}
        }
    }
    let home = home_folder();
    let holds_home = |place: &PathBuf| home.as_ref().is_some_and(|home| home.starts_with(place));
    (!named.iter().any(holds_home)).then_some(named)
}

fn session(args: &ExecArgs, ctx: &Context, loaded: &LoadedConfig) -> Result<Session, CliError> {
    let agent = match &args.agent {
        None => AgentId::anonymous_at_door("exec"),
        Some(name) if loaded.find_agent(name).is_some() => AgentId::from_name(name),
        Some(name) => {
            let name = escape_line(name);
            return Err(CliError::usage(format!("no agent is called `{name}`: `mayi agents` lists them")));
        }
    };
    let cwd =
        resolve_path(&ctx.cwd).map_err(|error| CliError::usage(format!("{}: {error}", ctx.cwd.display())))?;
    let id = SessionId(format!("exec-{}", uuid::Uuid::now_v7()));
    Ok(Session { id, agent, parent: None, roots: ctx.roots(loaded), cwd, mode: args.mode })
}

/// Whoever is asked at the terminal.
struct Person {
    screen: Screen,
    color: bool,
    prompts: bool,
}

impl Person {
    /// What asks, and what hears of an interrupt.
    fn asker(&self, gate: &Gate) -> (TerminalAsker, mpsc::UnboundedReceiver<()>) {
        let (interrupt, interrupted) = mpsc::unbounded_channel();
        let (screen, color) = (self.screen.clone(), self.color);
        (TerminalAsker::new(gate.clone(), screen, color, self.prompts, interrupt), interrupted)
    }
}

/// Hands the call in, with the terminal as a surface while it waits.
async fn ask(gate: &Gate, call: Call, person: &Person) -> Verdict {
    let (interrupt, mut signalled) = mpsc::unbounded_channel();
    listen_for_signals(&interrupt);
    let (asker, mut interrupted) = person.asker(gate);
    let mut ticket = gate.submit(call, &[]);
    // The terminal is touched only where something is asked.
    if let Some(verdict) = ticket.at_once() {
        return verdict;
    }
    let surface = asker.open_surface();
    let verdict = tokio::select! {
        verdict = ticket.verdict() => verdict,
        Some(()) = interrupted.recv() => Verdict::Cancelled,
        Some(()) = signalled.recv() => Verdict::Cancelled,
    };
    surface.close().await;
    verdict
}

/// Runs what was allowed.
async fn carry_out(
    (gate, session): (&Gate, &Session),
    authorized: &Authorized<Call>,
    words: Vec<OsString>,
    (tier, profile): (Tier, Profile),
    (person, quiet): (Person, bool),
) -> Result<Exit, CliError> {
    let network = match profile.network {
        Reached::Proxied => Some(Network::open(gate, session, authorized.call(), person)?),
        Reached::None => None,
    };
    let variables = network.as_ref().map(Network::variables).unwrap_or_default();
    let take_listener = network.as_ref().map(Network::take_listener);
    let carrying = gate.begin_execution(authorized);
    let cwd = session.cwd.clone();
    let ended = tokio::task::spawn_blocking(move || {
        mayi_sandbox::run(&profile, tier, Launch { words: &words, cwd, variables, take_listener })
    });
    let ended = ended.await.map_err(|error| CliError::internal(error.to_string()));
    let ended = ended.and_then(|ended| ended.map_err(|error| CliError::confinement(error.to_string())));
    carrying.finish(match &ended {
        Ok(0) => "completed",
        Ok(_) => "failed",
        Err(_) => "failed: it was never run",
    });
    if let Some(network) = network {
        for line in network.end().await {
            print::stderr_line(format!("mayi: {line}"));
        }
    }
    if tier != Tier::None && !quiet && ended.as_ref().is_ok_and(|code| *code != 0) {
        print::stderr_line(HELD);
    }
    ended.map(Exit::Command)
}

/// Says why it was not run.
fn refused(refusal: &Refusal) -> Exit {
    print::stderr_line(format!("mayi: not run: {}", escape_line(&refusal.reason)));
    if let [first, ..] = refusal.would_allow.as_slice() {
        // A string of JSON is one of TOML.
        print::stderr_line(format!("mayi: this would allow it: allow = [{}]", serde_json::json!(first)));
    }
    if refusal.unanswered { Exit::Unanswered } else { Exit::Denied }
}
