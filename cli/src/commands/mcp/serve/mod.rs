//! `mayi mcp`: the gateway itself.

mod http;
mod servers;

use std::sync::Arc;

use mayi_core::approval::escape_line;
use mayi_core::call::{AgentId, Names};
use mayi_core::config::{FileKeeper, LoadedConfig, RunningSession};
use mayi_core::gate::{Asking, Gate, Memory, OnAsk};
use mayi_core::pin::Pins;
use mayi_core::store::{Owner, Store, surfaces_open};
use mayi_mcp::{Answerer, McpDoor, McpOptions, NoticeSink, NoticeSinks, PATIENCE, stdio};
use tokio::sync::mpsc;

use crate::commands::mcp::args::{McpArgs, McpOnAsk};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};

/// The agent that calls through a gateway which was not told of one. It is a command's name, so nobody can configure it.
const AGENT: &str = "mcp";

/// Is the gateway until the client is gone.
///
/// # Errors
/// For what is wrong with the options or the configuration.
pub(super) async fn serve(args: McpArgs, ctx: Context) -> Result<Exit, CliError> {
    let loaded = ctx.load()?;
    let servers = servers::select_servers(&args, &loaded)?;
    ctx.print_notices(&loaded);
    let agent = agent_of(&args, &loaded)?;
    let _present = if args.no_record { memory::announce_presence(&ctx, &process_owner(&args)) } else { None };
    let behind = servers.iter().map(|server| (server.name.clone(), server.transport.server_id()));
    // Its settings are those that are written under its name now.
    let client = args.agent.as_deref().and_then(|name| loaded.find_agent(name));
    let running = RunningSession::new(client, behind);
    let (gate, store) = build_gate(&args, &ctx, &loaded, running.clone())?;
    gate.watch_store();
    crate::commands::reload::watch_files(&gate, ctx.clone(), &loaded, running);
    let options = McpOptions {
        agent,
        roots: ctx.roots(&loaded),
        cwd: ctx.cwd.clone(),
        mode: args.mode,
        binding: None,
        toolbelt: args.toolbelt,
        asks: match args.on_ask {
            McpOnAsk::Auto => Answerer::Auto,
            McpOnAsk::Wait => Answerer::Surface,
            McpOnAsk::Deny => Answerer::Nobody,
        },
        surface: surface_probe(&ctx),
        sinks: NoticeSinks { people: note_sink(&ctx), errors: note_sink(&ctx) },
        tokens: ctx.sources.folders.data.clone(),
        patience: PATIENCE,
    };
    let door = McpDoor::new(gate.clone(), Pins::new(store), options, servers).map_err(CliError::internal)?;
    let servers_ended = door.wait_for_servers();
    let (interrupt, mut interrupts) = mpsc::unbounded_channel();
    crate::commands::run::listen_for_signals(&interrupt);
    let ended = match args.http {
        Some(at) => {
            let interrupted = async move {
                let _ = interrupts.recv().await;
            };
            let data = ctx.sources.folders.data.as_deref();
            let told = |text: &str| crate::print::stderr_line(format!("mayi: {text}"));
            http::serve_http(door, at, &args, (data, &told), interrupted).await.map(|()| Exit::Interrupted)
        }
        None => {
            let (input, output) = crate::pipes::client_stdio();
            tokio::select! {
                ended = stdio::serve(&door, input, output) => ended
                    .map(|()| Exit::Done)
                    .map_err(|error| CliError::internal(format!("standard input can't be read: {error}"))),
                Some(()) = interrupts.recv() => Ok(Exit::Interrupted),
            }
        }
    };
    servers_ended.await;
    gate.shut_down();
    ended
}

/// Who calls. D1.19: `--agent` in a client's own configuration "never picks an id that loosens": whoever comes
/// under a name is not the agent that mayi starts under it. Its denials, asks and stricter modes hold; what it was allowed, its
/// bypass and its looser mode do not.
fn agent_of(args: &McpArgs, loaded: &LoadedConfig) -> Result<AgentId, CliError> {
    let Some(name) = &args.agent else { return Ok(AgentId::from_name(AGENT)) };
    if !Names::is_valid_agent_name(name) {
        return Err(CliError::usage(format!("no agent can be called `{}`", escape_line(name))));
    }
    Ok(loaded.agent_id(&[AGENT, ":", name].concat()))
}

/// The gate, and the store that it remembers in.
fn build_gate(
    args: &McpArgs,
    ctx: &Context,
    loaded: &LoadedConfig,
    running: RunningSession,
) -> Result<(Gate, Option<Arc<dyn Store>>), CliError> {
    let keeper = Box::new(FileKeeper::new(ctx.sources.clone()).with_running(running));
    let asking = Asking { on_ask: OnAsk::Wait, limit: args.approval_timeout };
    let policy = loaded.policy.clone();
    if args.no_record {
        return Ok((Gate::new(policy, asking, keeper), None));
    }
    let WritableStore { store, writer } = memory::open(ctx, loaded)
        .map_err(|error| error.with_alternative("go on without a record: --no-record"))?;
    let kept: Arc<dyn Store> = store;
    let memory = Memory::attach_owner(process_owner(args), Arc::clone(&kept), writer)
        .map_err(|error| CliError::from(error).with_alternative("go on without a record: --no-record"))?;
    Ok((Gate::with_memory(policy, asking, keeper, memory), Some(kept)))
}

/// Who works through standard input and output is the process that started this one. D6.8: Answers from a
/// descendant of a gated agent are refused: a client is an agent, or what one works in.
fn process_owner(args: &McpArgs) -> Owner {
    #[cfg(unix)]
    if args.http.is_none() {
        let parent = std::os::unix::process::parent_id();
        // The first process is everybody's parent.
        if parent > 1 {
            return Owner::serving_client(parent);
        }
    }
    #[cfg(not(unix))]
    let _ = args;
    Owner::this_process()
}

/// What servers say, and what is odd about them, goes to standard error: clients keep it as the server's log.
fn note_sink(ctx: &Context) -> NoticeSink {
    let quiet = ctx.quiet;
    Arc::new(move |server, text| {
        if !quiet {
            crate::print::stderr_line(format!("mayi: {server}: {text}"));
        }
    })
}

/// Whether a person's surface is open. It is looked up when there is a question.
fn surface_probe(ctx: &Context) -> Box<dyn Fn() -> bool + Send + Sync> {
    let folder = ctx.sources.folders.data.clone();
    Box::new(move || folder.as_deref().is_some_and(surfaces_open))
}
