//! `mayi serve`: the backend of editors.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mayi_acp_server::{Backend, BackendOptions, Credentials, FrontOptions, PairingCodes, pairing_codes};
use mayi_core::config::Sources;
use mayi_core::store::Owner;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::options::parse_duration;
use crate::{person, print};

pub(super) const AFTER: &str = "\
When it listens, it prints one JSON line: the address, and the files of two credentials. Whoever has the one may answer,
whoever has the other may only ask. Editors' extensions start it by themselves.

Examples:
  mayi serve                                           for an editor: prints where it is, and goes on
  mayi serve --ui                                      also shows what waits as a page, after a code was typed there
  mayi serve --ui --listen 127.0.0.1:8930 --allow-host gate.example
                                                       the same through a tunnel of your own that ends at this port";

/// `mayi serve`
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// Listen at ADDR: an address of this machine alone; port 0 is any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Serve a page with what waits, for a second screen; it is paired with a code that counts once
    #[arg(long)]
    pub ui: bool,
    /// Take requests for this name too, for a tunnel of your own (repeatable)
    #[arg(long, value_name = "NAME", requires = "ui")]
    pub allow_host: Vec<String>,
    /// End when nobody was connected for this time who can answer, such as 10m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub exit_when_idle: Option<Duration>,
    /// End when standard input ends: for a program that starts this one, holds the other end of a pipe, and may be killed
    #[arg(long, conflicts_with = "ui")]
    pub exit_with_stdin: bool,
    /// Offer agents two tools, find_tools and run_tool, in place of all that their MCP servers have
    #[arg(long, conflicts_with = "no_gateway")]
    pub toolbelt: bool,
    /// Hand the MCP servers to agents as they are: calls that they do not ask about run unjudged
    #[arg(long)]
    pub no_gateway: bool,
    /// Deny a question that nobody answered in this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub approval_timeout: Option<Duration>,
}

/// How often to look whether somebody is there.
const LOOK: Duration = Duration::from_secs(1);

/// What is printed once it listens.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready<'r> {
    url: String,
    ws: String,
    answer_token_file: &'r Path,
    ask_token_file: &'r Path,
    pid: u32,
    instance: &'r str,
    server_version: &'static str,
    ui: Option<&'r str>,
}

/// Is the backend until it is interrupted, or nobody needs it any more.
///
/// # Errors
/// For what is wrong with the options or the configuration.
pub(super) async fn run(args: ServeArgs, ctx: Context) -> Result<Exit, CliError> {
    if !args.listen.ip().is_loopback() {
        return Err(CliError::usage(format!(
            "{} could be reached from other machines: listen at 127.0.0.1, and let a tunnel of your own end there",
            args.listen
        )));
    }
    let loaded = ctx.load()?;
    ctx.print_notices(&loaded);
    let WritableStore { store, .. } = memory::open(&ctx, &loaded)?;
    person::check_may_serve(&*store)?;
    // Also while it has no sessions.
    let _present = memory::announce_presence(&ctx, &Owner::this_process());
    let state = ctx.state_folder()?;
    // From here on: the files below are taken away however it ends.
    let (interrupt, interrupts) = mpsc::unbounded_channel();
    super::run::listen_for_signals(&interrupt);
    let instance = format!("{}-{}", std::process::id(), uuid::Uuid::now_v7());
    let folder = state.join("serve");
    forget_others(&folder);
    let credentials = Credentials::create(&folder, &instance)
        .map_err(|error| CliError::internal(format!("{}: {error}", folder.display())))?;
    let listener = TcpListener::bind(args.listen).await.map_err(|error| {
        CliError::usage(format!("can't listen at {}: {error}; try another port", args.listen))
    })?;
    let bound = listener.local_addr()?;
    let ui = args.ui.then(|| page_url(&args, bound));
    let options = FrontOptions {
        hosts: FrontOptions::local().hosts.into_iter().chain(args.allow_host.iter().cloned()).collect(),
        names: !args.allow_host.is_empty(),
        ui: args.ui,
    };
    let (kept, record) = (Arc::clone(&store), loaded.record.clone());
    let backend = Backend::new(
        BackendOptions {
            sources: sources_factory(&ctx),
            cwd: ctx.cwd.clone(),
            folder: store.folder().to_owned(),
            store,
            writer: Arc::new(move || memory::record_writer(&kept, &record)),
            state,
            limit: args.approval_timeout,
            relay: super::relay::command_words()?,
            gateway: !args.no_gateway,
            toolbelt: args.toolbelt,
            ui: ui.clone(),
        },
        instance.clone(),
    )
    .map_err(CliError::internal)?;
    print::stdout_json(&print::Versioned::new(Ready {
        url: format!("http://{bound}/"),
        ws: format!("ws://{bound}/"),
        answer_token_file: credentials.answer_file(),
        ask_token_file: credentials.ask_file(),
        pid: std::process::id(),
        instance: &instance,
        server_version: env!("CARGO_PKG_VERSION"),
        ui: ui.as_deref(),
    }))?;
    let codes = pairing_codes(&options);
    if let Some(ui) = &ui {
        offer_pairing_codes(&codes, ui);
    }
    let exit =
        serve_until_ended(&args, listener, &backend, (credentials, options, codes), interrupts).await?;
    backend.end().await;
    Ok(exit)
}

async fn serve_until_ended(
    args: &ServeArgs,
    listener: TcpListener,
    backend: &Arc<Backend>,
    (credentials, options, codes): (Credentials, FrontOptions, PairingCodes),
    mut interrupts: mpsc::UnboundedReceiver<()>,
) -> Result<Exit, CliError> {
    let mut exit = Exit::Interrupted;
    let over = async {
        tokio::select! {
            _ = interrupts.recv() => {}
            () = wait_until_idle(backend, args.exit_when_idle) => exit = Exit::Done,
            () = wait_until_stdin_ends(args.exit_with_stdin) => exit = Exit::Done,
        }
    };
    mayi_acp_server::serve(listener, Arc::clone(backend), credentials, options, codes, over)
        .await
        .map_err(CliError::internal)?;
    Ok(exit)
}

/// Returns when nobody was there for `limit` who could answer.
async fn wait_until_idle(backend: &Backend, limit: Option<Duration>) {
    let Some(limit) = limit else { return std::future::pending().await };
    loop {
        tokio::time::sleep(LOOK.min(limit)).await;
        if backend.alone_since().is_some_and(|since| since.elapsed() >= limit) {
            return;
        }
    }
}

/// Returns when standard input has ended; never, unless that is waited for.
async fn wait_until_stdin_ends(waits: bool) {
    if !waits {
        return std::future::pending().await;
    }
    let (ended, over) = tokio::sync::oneshot::channel();
    // A thread of its own: one of the runtime's would keep it from ending.
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = ended.send(());
    });
    let _ = over.await;
}

/// Where configuration comes from, for work in a folder.
fn sources_factory(ctx: &Context) -> mayi_acp_server::SourcesFactory {
    let only = ctx.sources.only.clone();
    Arc::new(move |cwd| Sources::discover(cwd, only.clone()))
}

/// Where the page is.
fn page_url(args: &ServeArgs, bound: SocketAddr) -> String {
    match args.allow_host.first() {
        Some(name) => format!("https://{name}/ui/"),
        None => format!("http://{bound}/ui/"),
    }
}

/// Shows a code to pair the page with, and another one whenever the person presses Enter.
fn offer_pairing_codes(codes: &PairingCodes, ui: &str) {
    let (codes, ui) = (codes.clone(), ui.to_owned());
    let show = move || match codes.offer_code() {
        Ok(Some((code, _))) => print::stderr_line(format!(
            "mayi: the page is at {ui}; type this code there, within 5 minutes: {code}"
        )),
        Ok(None) => {}
        Err(error) => print::stderr_line(format!("mayi: no code can be made: {error}")),
    };
    show();
    if std::io::stdin().is_terminal() {
        print::stderr_line("mayi: Enter shows another code");
        std::thread::spawn(move || {
            let mut line = String::new();
            while std::io::stdin().read_line(&mut line).is_ok_and(|read| read > 0) {
                show();
                line.clear();
            }
        });
    }
}

/// Takes away the credentials of backends that were killed: nobody takes them any more.
fn forget_others(folder: &Path) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    for file in files.flatten() {
        let name = file.file_name();
        let pid = name.to_str().and_then(|name| name.split('-').next()).and_then(|pid| pid.parse().ok());
        if pid.is_some_and(|pid| !is_process_alive(pid)) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

#[cfg(unix)]
fn is_process_alive(pid: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_process_alive(_: i32) -> bool {
    true
}
