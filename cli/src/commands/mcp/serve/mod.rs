//! `mayi mcp`: the gateway itself.

mod http;
mod servers;

use std::sync::Arc;

use mayi_core::approval::visible;
use mayi_core::call::{AgentId, Names};
use mayi_core::config::{FileKeeper, Loaded, Running};
use mayi_core::gate::{Asking, Gate, Memory, OnAsk};
use mayi_core::pin::Pins;
use mayi_core::store::{Owner, Store, surfaces_open};
use mayi_mcp::{Asks, Hears, McpDoor, McpOptions, PATIENCE, Say, stdio};
use tokio::sync::mpsc;

use crate::commands::mcp::args::{McpArgs, McpOnAsk};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, Kept};

/// The agent that calls through a gateway which was not told of one. It is a command's name, so nobody can configure it.
const AGENT: &str = "mcp";

/// Is the gateway until the client is gone.
///
/// # Errors
/// For what is wrong with the options or the configuration.
pub(super) async fn serve(args: McpArgs, ctx: Context) -> Result<Exit, CliError> {
    let loaded = ctx.load()?;
    let servers = servers::servers(&args, &loaded)?;
    ctx.notices(&loaded);
    let agent = agent_of(&args, &loaded)?;
    let _present = if args.no_record { memory::present(&ctx, &owner(&args)) } else { None };
    let behind = servers.iter().map(|server| (server.name.clone(), server.transport.identity()));
    // Its settings are those that are written under its name now.
    let client = args.agent.as_deref().and_then(|name| loaded.agent(name));
    let running = Running::new(client, behind);
    let (gate, store) = gate(&args, &ctx, &loaded, running.clone())?;
    gate.attend();
    crate::commands::reload::watch(&gate, ctx.clone(), &loaded, running);
    let options = McpOptions {
        agent,
        roots: ctx.roots(),
        cwd: ctx.cwd.clone(),
        mode: args.mode,
        belongs: None,
        toolbelt: args.toolbelt,
        asks: match args.on_ask {
            McpOnAsk::Auto => Asks::Auto,
            McpOnAsk::Wait => Asks::Surface,
            McpOnAsk::Deny => Asks::Nobody,
        },
        surface: surface(&ctx),
        hears: Hears { people: said(&ctx), errors: said(&ctx) },
        tokens: ctx.sources.folders.data.clone(),
        patience: PATIENCE,
    };
    let door = McpDoor::new(gate.clone(), Pins::new(store), options, servers).map_err(CliError::internal)?;
    let servers_ended = door.ended();
    let (interrupt, mut interrupts) = mpsc::unbounded_channel();
    crate::commands::run::listen_for_signals(&interrupt);
    let ended = match args.http {
        Some(at) => {
            let interrupted = async move {
                let _ = interrupts.recv().await;
            };
            let data = ctx.sources.folders.data.as_deref();
            let told = |text: &str| crate::print::note(format!("mayi: {text}"));
            http::listen(door, at, &args, (data, &told), interrupted).await.map(|()| Exit::Interrupted)
        }
        None => {
            let (input, output) = crate::pipes::both();
            tokio::select! {
                ended = stdio::serve(&door, input, output) => ended
                    .map(|()| Exit::Done)
                    .map_err(|error| CliError::internal(format!("standard input can't be read: {error}"))),
                Some(()) = interrupts.recv() => Ok(Exit::Interrupted),
            }
        }
    };
    servers_ended.await;
    gate.leave();
    ended
}

/// Who calls. D1.19: `--agent` in a client's own configuration "never picks an id that loosens": whoever comes
/// under a name is not the agent that mayi starts under it. Its denials, asks and stricter modes hold; what it was allowed, its
/// bypass and its looser mode do not.
fn agent_of(args: &McpArgs, loaded: &Loaded) -> Result<AgentId, CliError> {
    let Some(name) = &args.agent else { return Ok(AgentId::named(AGENT)) };
    if !Names::written(name) {
        return Err(CliError::usage(format!("no agent can be called `{}`", visible(name))));
    }
    Ok(loaded.agent_id(&[AGENT, ":", name].concat()))
}

/// The gate, and the store that it remembers in.
fn gate(
    args: &McpArgs,
    ctx: &Context,
    loaded: &Loaded,
    running: Running,
) -> Result<(Gate, Option<Arc<dyn Store>>), CliError> {
    let keeper = Box::new(FileKeeper::new(ctx.sources.clone()).running(running));
    let asking = Asking { on_ask: OnAsk::Wait, limit: args.approval_timeout };
    let policy = loaded.policy.clone();
    if args.no_record {
        return Ok((Gate::new(policy, asking, keeper), None));
    }
    let Kept { store, writer } =
        memory::open(ctx, loaded).map_err(|error| error.or("go on without a record: --no-record"))?;
    let kept: Arc<dyn Store> = store;
    let memory = Memory::attach_as(owner(args), Arc::clone(&kept), writer)
        .map_err(|error| CliError::from(error).or("go on without a record: --no-record"))?;
    Ok((Gate::remembering(policy, asking, keeper, memory), Some(kept)))
}

/// Who works through standard input and output is the process that started this one. D6.8: Answers from a
/// descendant of a gated agent are refused: a client is an agent, or what one works in.
fn owner(args: &McpArgs) -> Owner {
    #[cfg(unix)]
    if args.http.is_none() {
        let parent = std::os::unix::process::parent_id();
        // The first process is everybody's parent.
        if parent > 1 {
            return Owner::serving(parent);
        }
    }
    Owner::this()
}

/// What servers say, and what is odd about them, goes to standard error: clients keep it as the server's log.
fn said(ctx: &Context) -> Say {
    let quiet = ctx.quiet;
    Arc::new(move |server, text| {
        if !quiet {
            crate::print::note(format!("mayi: {server}: {text}"));
        }
    })
}

/// Whether a person's surface is open. It is looked up when there is a question.
fn surface(ctx: &Context) -> Box<dyn Fn() -> bool + Send + Sync> {
    let folder = ctx.sources.folders.data.clone();
    Box::new(move || folder.as_deref().is_some_and(surfaces_open))
}
