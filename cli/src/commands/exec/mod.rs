//! `mayi exec`: one command, decided as an agent's would be, and held by the kernel to what was decided.

mod kept;
mod named;
mod network;
mod person;
mod running;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use mayi_check::{Request, RequestedAction, call_in_session};
use mayi_core::approval::escape_line;
use mayi_core::call::{AgentId, Call, Dialect, Door, SessionId, resolve_path};
use mayi_core::config::{CommandLine, FileKeeper, LoadedConfig};
use mayi_core::gate::{Asking, Gate, Memory, OnAsk, Session};
use mayi_core::policy::Mode;
use mayi_core::store::{SqliteStore, surfaces_open};

use self::person::Person;
use self::running::Running;
use super::run::{check_mode_allowed, has_terminal};
use super::sandbox::{self, NetworkArg, TierArg};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::options::{mode_value_parser, parse_duration, parse_folder};
use crate::person::check_may_serve;

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
    let (tier, weaker) = sandbox::choose_tier(args.tier, &ctx)?;
    let WritableStore { store, writer } = memory::open(&ctx, &loaded)?;
    // What an agent starts would be asked about here in the person's name, not the agent's.
    check_may_serve(&*store)?;
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
    let network = args.network.in_tier(tier);
    let person = Person::new(on_ask == OnAsk::Prompt, &ctx);
    let running = Running { gate: gate.clone(), session, tier, weaker, network, person, args, ctx };
    let ended = running.decide_and_run(call).await;
    gate.shut_down();
    SqliteStore::leave_unclosed(store);
    ended
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
