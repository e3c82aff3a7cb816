//! `mayi responses`: between an app and its Responses API.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use mayi_core::approval::escape_line;
use mayi_core::call::{AgentId, NamedDoor, Names, digest_of_bytes};
use mayi_core::config::{CommandLine, FileKeeper, LoadedConfig, RunningSession, Transport};
use mayi_core::gate::{Asking, Gate, GateEvent, Memory, OnAsk};
use mayi_core::policy::Mode;
use mayi_core::store::{Owner, Store};
use mayi_doors::task::spawn;
use mayi_responses::{
    Admission, Chains, NoticeSink, Recorder, Replay, ResponsesDoor, ResponsesOptions, Upstream, serve_apps,
};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::options::{mode_value_parser, parse_duration};
use crate::print::{self, Versioned};
use crate::{person, token};

/// The app that calls through a door which was not told of one. It is a command's name, so nobody can configure it.
const APP: &str = "responses";

/// What `--open` means, on standard error and in the record.
const OPEN: &str = "every program of this user can have tools called through `mayi responses --open`, under your rules and with a \
                    key of its own";

pub(super) const AFTER: &str = "\
When it listens, it prints one JSON line: the base URL for the app, and the file of its API key. The app needs these two and
nothing else. Every call of an MCP tool that the endpoint would make is then decided by your rules, or waits for you
(`mayi inbox watch`); the app sees one answer without a break.

Not passed on, since tools would run there without being seen: WebSockets, /realtime, and making batches, evals, agents and
ChatKit sessions. Hosted tools that ask for no approval (web search, code interpreter, ...) run as without mayi; a response in
the background shows its approvals to the app, and what the app answers is judged.

With --open the app keeps its own key, which is passed on, and there is none of mayi's: every program of yours is then the same
caller, but for agents and what they have started. Nothing is remembered for it.

Examples:
  OPENAI_API_KEY=… mayi responses --upstream https://api.openai.com/v1 --key-env OPENAI_API_KEY
  mayi responses --upstream http://127.0.0.1:8000/v1 --listen 127.0.0.1:8932
  mayi responses --upstream https://api.openai.com/v1 --open   for an app whose key can't be changed
  mayi responses record chat.jsonl --upstream http://127.0.0.1:8000/v1
  mayi responses replay chat.jsonl             the same answers again, for tests of the app";

/// `mayi responses`
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ResponsesArgs {
    /// What else to do than just to stand between.
    #[command(subcommand)]
    pub command: Option<ResponsesCommand>,
    /// How to stand between.
    #[command(flatten)]
    pub door: DoorArgs,
}

/// What belongs to it.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ResponsesCommand {
    /// The same, and write what the app asks and gets to a new file: JSON lines, without secrets
    Record {
        /// The file, which must not be there yet
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// How to stand between.
        #[command(flatten)]
        door: DoorArgs,
    },
    /// Play a recording to an app: no network, no questions
    Replay {
        /// The file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Listen at ADDR: an address of this machine alone; port 0 is any that is free
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
        listen: SocketAddr,
        /// The file of the app's API key, which is made if there is none [default: one of mayi's own, which it tells]
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        token_file: Option<PathBuf>,
    },
}

/// The API, and who asks it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ApiArgs {
    /// The base URL of the API, such as https://api.openai.com/v1
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub upstream: Option<String>,
    /// The variable that holds the API's key: mayi sends it, and the app never has it
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// The app that this is for: rules and settings of that name count; of an agent that mayi starts, those that are stricter
    #[arg(long, value_name = "NAME")]
    pub app: Option<String>,
    /// A denied call ends the answer, and the app's next request begins a new conversation; else the model is told, and goes on
    #[arg(long)]
    pub reset_on_deny: bool,
}

/// How to stand between.
#[derive(Clone, Debug, Args)]
pub(crate) struct DoorArgs {
    /// The API, and who asks it.
    #[command(flatten)]
    pub api: ApiArgs,
    /// Listen at ADDR: an address of this machine alone; port 0 is any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// The file of the app's API key, which is made if there is none [default: one of mayi's own, which it tells]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,
    /// Ask for no API key of mayi's, and pass the app's own on: every program of yours is then the same caller
    #[arg(long, conflicts_with_all = ["key_env", "token_file", "app"])]
    pub open: bool,
    /// How much is asked: plan only reads, default asks, auto (dangerous) asks only where a rule or protection says so, and before what destroys elsewhere
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser(), help_heading = "Permissions")]
    pub mode: Option<Mode>,
    /// Allow what matches PATTERN (repeatable), such as 'mcp(docs/search_*)'
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub allow: Vec<String>,
    /// Ask about what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub ask: Vec<String>,
    /// Deny what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub deny: Vec<String>,
    /// Who answers a question: a surface of mayi, however long that takes; or nobody
    #[arg(long, value_enum, default_value_t, value_name = "WHO", help_heading = "Permissions")]
    pub on_ask: ResponsesOnAsk,
    /// Deny a question that nobody answered in this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Permissions")]
    pub approval_timeout: Option<Duration>,
}

/// Who answers a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResponsesOnAsk {
    /// A surface: wait for one
    #[default]
    Wait,
    /// Nobody
    Deny,
}

impl ResponsesArgs {
    /// What the options say about permissions.
    #[must_use]
    pub(crate) fn command_line(&self) -> CommandLine {
        let door = match &self.command {
            Some(ResponsesCommand::Record { door, .. }) => door,
            _ => &self.door,
        };
        let DoorArgs { mode, allow, ask, deny, .. } = door.clone();
        CommandLine { mode, allow, ask, deny }
    }
}

/// What is printed once it listens.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    url: String,
    /// None, where there is no key of mayi's.
    token_file: Option<PathBuf>,
}

/// Does what `mayi responses` says, until it is interrupted.
///
/// # Errors
/// For what is wrong with the options or the configuration.
pub(super) async fn run(args: ResponsesArgs, ctx: Context) -> Result<Exit, CliError> {
    match args.command {
        None => serve_door(args.door, None, ctx).await,
        Some(ResponsesCommand::Record { file, door }) => serve_door(door, Some(&file), ctx).await,
        Some(ResponsesCommand::Replay { file, listen, token_file }) => {
            replay_recording(&file, listen, token_file.as_deref(), &ctx).await
        }
    }
}

/// Plays a recording.
async fn replay_recording(
    file: &Path,
    at: SocketAddr,
    token_file: Option<&Path>,
    ctx: &Context,
) -> Result<Exit, CliError> {
    let (token_file, token) = token_of(token_file, None, ctx)?;
    let redactor = memory::record_redactor(&ctx.load()?.record).map_err(CliError::internal)?;
    let replay = Replay::read(file, redactor, app_admission(Some(token)))
        .map_err(|error| CliError::usage(format!("{}: {}", file.display(), escape_line(&error))))?;
    let (listener, url) = bind_loopback(at).await?;
    let interrupted = interrupt_signal();
    print::stdout_json(&Versioned::new(Ready { url, token_file: Some(token_file) }))?;
    replay.serve(listener, interrupted).await;
    Ok(Exit::Interrupted)
}

/// Stands before the API; `record`: a file to write what is asked and got to.
async fn serve_door(args: DoorArgs, record: Option<&Path>, ctx: Context) -> Result<Exit, CliError> {
    let mut upstream = args.api.parse_upstream()?;
    let mut loaded = ctx.load()?;
    let mut agent = args.api.agent_id(&loaded)?;
    if args.open {
        upstream = use_apps_key(upstream)?;
        agent = AgentId::anonymous_at_door(APP);
        // With these it is told, and recorded.
        loaded.policy.notices.push(OPEN.to_owned());
    }
    ctx.print_notices(&loaded);
    let (token_file, token) = if args.open {
        (None, None)
    } else {
        let (file, token) = token_of(args.token_file.as_deref(), args.api.app.as_deref(), &ctx)?;
        (Some(file), Some(token))
    };
    let secrets: Vec<String> = args.api.api_key().into_iter().chain(token.clone()).collect();
    let WritableStore { store, writer } = memory::open_without(&ctx, &loaded, &secrets)?;
    person::check_may_serve(&*store)?;
    let store: Arc<dyn Store> = store;
    let (listener, url) = bind_loopback(args.listen).await?;
    let recorder = record.map(|file| {
        let redactor =
            memory::record_redactor_without(&loaded.record, &secrets).map_err(CliError::internal)?;
        Recorder::create(file, redactor).map_err(|error| {
            let file = file.display();
            CliError::usage(match error.kind() {
                std::io::ErrorKind::AlreadyExists => format!("there is {file} already: name a new file"),
                _ => format!("{file} can't be made: {error}"),
            })
        })
    });
    let recorder = recorder.transpose()?.map(Arc::new);
    let chains = open_chains(&ctx, &upstream)?;
    let gate = build_gate(
        &args,
        &ctx,
        &loaded,
        Memory::attach_owner(Owner::this_process(), Arc::clone(&store), writer)?,
    );
    gate.watch_store();
    let running = running_servers(&loaded);
    super::reload::watch_files(&gate, ctx.clone(), &loaded, running);
    tell_of_questions(&gate, &ctx);
    let options = ResponsesOptions {
        agent,
        roots: ctx.roots(),
        cwd: ctx.cwd.clone(),
        mode: args.mode,
        servers: by_address(&loaded),
        store,
        reset_on_deny: args.api.reset_on_deny,
        say: note_sink(&ctx),
        secrets,
        recorder,
    };
    let interrupted = interrupt_signal();
    print::stdout_json(&Versioned::new(Ready { url, token_file }))?;
    serve_apps(
        listener,
        ResponsesDoor::new(gate.clone(), upstream, chains, options),
        app_admission(token),
        interrupted,
    )
    .await;
    gate.shut_down();
    Ok(Exit::Interrupted)
}

/// Apps have the token, if there is one, and call this machine by one of its names.
fn app_admission(token: Option<String>) -> Admission {
    Admission { token, hosts: ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into() }
}

/// The same API, which apps send a key of their own.
fn use_apps_key(upstream: Upstream) -> Result<Upstream, CliError> {
    if !cfg!(target_os = "linux") {
        return Err(CliError::usage(
            "--open works on Linux alone: other systems do not tell who connects; leave it out, and give the app mayi's key",
        ));
    }
    if !upstream.is_private() {
        return Err(CliError::usage(
            "anybody on the way could read the app's key: the address of the API has to begin with https://",
        ));
    }
    Ok(upstream.with_apps_key())
}

/// A listener, and its address as a base URL.
async fn bind_loopback(at: SocketAddr) -> Result<(TcpListener, String), CliError> {
    if !at.ip().is_loopback() {
        return Err(CliError::usage(format!(
            "{at} could be reached from other machines: listen at 127.0.0.1"
        )));
    }
    let listener = TcpListener::bind(at)
        .await
        .map_err(|error| CliError::usage(format!("can't listen at {at}: {error}; try another port")))?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    Ok((listener, url))
}

/// Returns when somebody wants it to end. It is listened for from now on.
fn interrupt_signal() -> impl Future<Output = ()> + Send {
    let (interrupt, mut interrupts) = mpsc::unbounded_channel();
    super::run::listen_for_signals(&interrupt);
    async move {
        let _ = interrupts.recv().await;
        drop(interrupt);
    }
}

/// The token that an app sends, and its file: each app has its own, so that none comes in as another.
fn token_of(file: Option<&Path>, app: Option<&str>, ctx: &Context) -> Result<(PathBuf, String), CliError> {
    let file = match file {
        Some(file) => std::path::absolute(file)?,
        None => {
            // Apps whose names differ in case alone are two.
            let own = |app: &str| format!("responses-token-{}", digest_of_bytes(app.as_bytes()).as_str());
            let name = app.map_or_else(|| "responses-token".to_owned(), own);
            token::own_file(&memory::store_folder(ctx)?, &name)?
        }
    };
    let token = token::read_or_create_token(&file)?;
    Ok((file, token))
}

impl ApiArgs {
    /// Whether any of them is given.
    #[must_use]
    pub(crate) fn is_given(&self) -> bool {
        let Self { upstream, key_env, app, reset_on_deny } = self;
        upstream.is_some() || key_env.is_some() || app.is_some() || *reset_on_deny
    }

    /// The key that the API is sent, if there is one.
    pub(crate) fn api_key(&self) -> Option<String> {
        let value = std::env::var(self.key_env.as_deref()?).ok()?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// The API, and the key that it is sent.
    ///
    /// # Errors
    /// If there is none, or anybody could read the key.
    pub(crate) fn parse_upstream(&self) -> Result<Upstream, CliError> {
        let key = self.api_key();
        if let (Some(name), None) = (&self.key_env, &key) {
            return Err(CliError::usage(format!("there is no variable `{}` with a key", escape_line(name))));
        }
        let address = self.upstream.as_deref().ok_or_else(|| {
            CliError::usage("which API? give its base URL, such as --upstream https://api.openai.com/v1")
        })?;
        let upstream = Upstream::new(address, key.as_deref()).map_err(CliError::usage)?;
        if key.is_some() && !upstream.is_private() {
            return Err(CliError::usage(
                "anybody on the way could read the key: the address of the API has to begin with https://",
            ));
        }
        Ok(upstream)
    }

    /// Who asks it.
    ///
    /// # Errors
    /// If that is no name.
    pub(crate) fn agent_id(&self, loaded: &LoadedConfig) -> Result<AgentId, CliError> {
        let Some(name) = &self.app else { return Ok(AgentId::from_name(APP)) };
        if !Names::is_valid_agent_name(name) {
            return Err(CliError::usage(format!("no app can be called `{}`", escape_line(name))));
        }
        // D1.20: what is written for an agent that mayi starts is not for an app of that name, but for what
        // is stricter. Where mayi starts none, the settings of the name are the app's.
        Ok(match loaded.find_agent(name) {
            Some(agent) if agent.command.is_some() => AgentId::at_door(NamedDoor::Responses, &agent.name),
            Some(agent) => AgentId::from_name(&agent.name),
            None => AgentId::from_name(name),
        })
    }
}

/// What apps have seen of the answers of this API.
pub(super) fn open_chains(ctx: &Context, upstream: &Upstream) -> Result<Chains, CliError> {
    Chains::open(&ctx.state_folder()?.join("responses"), upstream.address())
        .map_err(|error| CliError::internal(format!("mayi's own folder: {error}")))
}

fn build_gate(args: &DoorArgs, ctx: &Context, loaded: &LoadedConfig, memory: Memory) -> Gate {
    let keeper = Box::new(FileKeeper::new(ctx.sources.clone()).with_running(running_servers(loaded)));
    let on_ask = match args.on_ask {
        ResponsesOnAsk::Wait => OnAsk::Wait,
        ResponsesOnAsk::Deny => OnAsk::Deny,
    };
    let asking = Asking { on_ask, limit: args.approval_timeout };
    Gate::with_memory(loaded.policy.clone(), asking, keeper, memory)
}

/// The servers of the configuration, as they were when this was started.
pub(super) fn running_servers(loaded: &LoadedConfig) -> RunningSession {
    let servers = loaded.servers.values();
    RunningSession::new(None, servers.map(|server| (server.name.clone(), server.transport.server_id())))
}

/// Those that an app's server can be: reached by an address.
pub(super) fn by_address(loaded: &LoadedConfig) -> Vec<(String, String, mayi_core::call::ServerId)> {
    let known = loaded.servers.values().filter_map(|server| match &server.transport {
        Transport::Http { url, .. } | Transport::Sse { url, .. } => {
            Some((server.name.clone(), url.clone(), server.transport.server_id()))
        }
        Transport::Stdio { .. } => None,
    });
    known.collect()
}

/// Whoever started it hears of questions: the app does not show them.
fn tell_of_questions(gate: &Gate, ctx: &Context) {
    let mut events = gate.subscribe();
    let ctx = ctx.clone();
    spawn(async move {
        while let Some(event) = events.recv().await {
            if let GateEvent::Asked(card) = event {
                let title = escape_line(&card.tool_call.title);
                ctx.print_note(format!("mayi: {title} waits for an answer: mayi inbox watch"));
            }
        }
    });
}

fn note_sink(ctx: &Context) -> NoticeSink {
    let ctx = ctx.clone();
    Arc::new(move |text| ctx.print_note(format!("mayi: {text}")))
}
