//! `mayi responses`: between an app and its Responses API.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use mayi_core::approval::visible;
use mayi_core::call::{AgentId, Names};
use mayi_core::config::{CommandLine, FileKeeper, Loaded, Running, Transport};
use mayi_core::gate::{Asking, Gate, GateEvent, Memory, OnAsk};
use mayi_core::policy::Mode;
use mayi_core::store::{Owner, Store};
use mayi_responses::{Chains, ResponsesDoor, ResponsesOptions, Say, Upstream, serve};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, Kept};
use crate::options::{duration, modes};
use crate::print::{self, Versioned};
use crate::{person, token};

/// The app that calls through a door which was not told of one. It is a command's name, so nobody can configure it.
const APP: &str = "responses";

pub(super) const AFTER: &str = "\
When it listens, it prints one JSON line: the base URL for the app, and the file of its API key. The app needs these two and
nothing else. Every call of an MCP tool that the endpoint would make is then decided by your rules, or waits for you
(`mayi inbox watch`); the app sees one answer without a break.

Not passed on, since tools would run there without being seen: WebSockets, /realtime, and making batches, evals, agents and
ChatKit sessions. Hosted tools that ask for no approval (web search, code interpreter, ...) run as without mayi; a response in
the background shows its approvals to the app, and what the app answers is judged. There is no recording of exchanges yet.

Examples:
  OPENAI_API_KEY=… mayi responses --upstream https://api.openai.com/v1 --key-env OPENAI_API_KEY
  mayi responses --upstream http://127.0.0.1:8000/v1 --listen 127.0.0.1:8932";

/// `mayi responses`
#[derive(Clone, Debug, Args)]
pub(crate) struct ResponsesArgs {
    /// The base URL of the API, such as https://api.openai.com/v1
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub upstream: String,
    /// Listen at ADDR: an address of this machine alone; port 0 is any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// The variable that holds the API's key: mayi sends it, and the app never has it
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// The file of the app's API key, which is made if there is none [default: one of mayi's own, which it tells]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,
    /// The app that this is for: rules and settings of an agent of that name count
    #[arg(long, value_name = "NAME")]
    pub app: Option<String>,
    /// A denied call ends the answer, and the app's next request begins a new conversation; else the model is told, and goes on
    #[arg(long)]
    pub reset_on_deny: bool,
    /// How much is asked: plan only reads, default asks, auto asks only about what is dangerous
    #[arg(long, value_name = "MODE", value_parser = modes(), help_heading = "Permissions")]
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
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Permissions")]
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
        CommandLine {
            mode: self.mode,
            allow: self.allow.clone(),
            ask: self.ask.clone(),
            deny: self.deny.clone(),
        }
    }
}

/// What is printed once it listens.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    url: String,
    token_file: PathBuf,
}

/// Stands before the API until it is interrupted.
///
/// # Errors
/// For what is wrong with the options or the configuration.
pub(super) async fn responses(args: ResponsesArgs, ctx: Context) -> Result<Exit, CliError> {
    if !args.listen.ip().is_loopback() {
        return Err(CliError::usage(format!(
            "{} could be reached from other machines: listen at 127.0.0.1",
            args.listen
        )));
    }
    let upstream = upstream(&args)?;
    let agent = agent_of(&args)?;
    let loaded = ctx.load()?;
    ctx.notices(&loaded);
    let Kept { store, writer } = memory::open(&ctx, &loaded)?;
    person::may_serve(&*store)?;
    let store: Arc<dyn Store> = store;
    let token_file = match &args.token_file {
        Some(file) => std::path::absolute(file)?,
        None => token::own_file(&memory::folder(&ctx)?, "responses-token")?,
    };
    let token = token::token(&token_file)?;
    let chains = Chains::open(&ctx.state_folder()?.join("responses"), upstream.address())
        .map_err(|error| CliError::internal(format!("mayi's own folder: {error}")))?;
    let gate = gate(&args, &ctx, &loaded, Memory::attach_as(Owner::this(), Arc::clone(&store), writer)?);
    gate.attend();
    let running = running(&loaded);
    super::reload::watch(gate.clone(), ctx.clone(), &loaded, running);
    tell_of_questions(&gate, &ctx);
    let listener = TcpListener::bind(args.listen).await.map_err(|error| {
        CliError::usage(format!("can't listen at {}: {error}; try another port", args.listen))
    })?;
    let bound = listener.local_addr()?;
    let options = ResponsesOptions {
        agent,
        roots: ctx.roots(),
        cwd: ctx.cwd.clone(),
        mode: args.mode,
        servers: by_address(&loaded),
        token,
        hosts: ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into(),
        store,
        reset_on_deny: args.reset_on_deny,
        say: said(&ctx),
    };
    let (interrupt, mut interrupts) = mpsc::unbounded_channel();
    super::run::listen_for_signals(&interrupt);
    let interrupted = async move {
        let _ = interrupts.recv().await;
    };
    print::json(&Versioned::of(Ready { url: format!("http://{bound}/v1"), token_file }))?;
    serve(listener, ResponsesDoor::new(gate.clone(), upstream, chains, options), interrupted).await;
    gate.leave();
    Ok(Exit::Interrupted)
}

/// The API, and the key that it is sent.
fn upstream(args: &ResponsesArgs) -> Result<Upstream, CliError> {
    let key = args.key_env.as_deref().map(|name| {
        let value = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        value.ok_or_else(|| CliError::usage(format!("there is no variable `{}` with a key", visible(name))))
    });
    let key = key.transpose()?;
    let upstream = Upstream::new(&args.upstream, key.as_deref().map(str::trim)).map_err(CliError::usage)?;
    if key.is_some() && !upstream.is_private() {
        return Err(CliError::usage(
            "anybody on the way could read the key: the address of the API has to begin with https://",
        ));
    }
    Ok(upstream)
}

fn agent_of(args: &ResponsesArgs) -> Result<AgentId, CliError> {
    match &args.app {
        None => Ok(AgentId::named(APP)),
        Some(name) if Names::plain(name) => Ok(AgentId::named(name)),
        Some(name) => Err(CliError::usage(format!(
            "`{}` can't be the name of an app: use letters, digits, `.`, `_` and `-`",
            visible(name)
        ))),
    }
}

fn gate(args: &ResponsesArgs, ctx: &Context, loaded: &Loaded, memory: Memory) -> Gate {
    let keeper = Box::new(FileKeeper::new(ctx.sources.clone()).running(running(loaded)));
    let on_ask = match args.on_ask {
        ResponsesOnAsk::Wait => OnAsk::Wait,
        ResponsesOnAsk::Deny => OnAsk::Deny,
    };
    let asking = Asking { on_ask, limit: args.approval_timeout };
    Gate::remembering(loaded.policy.clone(), asking, keeper, memory)
}

/// The servers of the configuration, as they were when this was started.
fn running(loaded: &Loaded) -> Running {
    let servers = loaded.servers.values();
    Running::new(None, servers.map(|server| (server.name.clone(), server.transport.identity())))
}

/// Those that an app's server can be: reached by an address.
fn by_address(loaded: &Loaded) -> Vec<(String, String, mayi_core::call::ServerId)> {
    let known = loaded.servers.values().filter_map(|server| match &server.transport {
        Transport::Http { url, .. } => Some((server.name.clone(), url.clone(), server.transport.identity())),
        Transport::Stdio { .. } => None,
    });
    known.collect()
}

/// Whoever started it hears of questions: the app does not show them.
fn tell_of_questions(gate: &Gate, ctx: &Context) {
    let mut events = gate.subscribe();
    let ctx = ctx.clone();
    tokio::spawn(async move {
        while let Some(event) = events.recv().await {
            if let GateEvent::Asked(card) = event {
                let title = visible(&card.tool_call.title);
                ctx.note(format!("mayi: {title} waits for an answer: mayi inbox watch"));
            }
        }
    });
}

fn said(ctx: &Context) -> Say {
    let ctx = ctx.clone();
    Box::new(move |text| ctx.note(format!("mayi: {text}")))
}
