//! A model that is a script: real agents can be tested with no account and no network.
//!
//! It speaks the Anthropic Messages wire (Claude Code), the OpenAI Responses wire (Codex), the OpenAI Chat Completions wire
//! (opencode, Qwen Code, Mistral Vibe) and the Gemini wire (Gemini CLI) on loopback.
//! A prompt `case: NAME in FOLDER` picks what the model "says"; the cases are in `script.rs`.
//!
//! ```text
//! scripted_model [--port PORT] [--log FILE] [--until-stdin-closes]
//! ```
//!
//! When it is ready it prints one line, `{"port":PORT}`. With `--log` every request becomes a line of JSON there.

#![expect(
    clippy::indexing_slicing,
    reason = "of JSON only: a missing key reads as null, and only objects made here are written to"
)]

mod anthropic;
mod chat;
mod conversation;
mod gemini;
mod journal;
mod mapping;
mod offer;
mod options;
mod responses;
mod script;
mod server;
mod turn;

use std::io::Write as _;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use journal::Journal;
use options::Options;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if stderr is gone too.
            let _ = writeln!(std::io::stderr(), "scripted_model: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> std::io::Result<()> {
    let options = Options::parse(std::env::args().skip(1)).map_err(std::io::Error::other)?;
    let journal = Arc::new(Journal::open(options.log.as_deref())?);
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
    let port = listener.local_addr()?.port();
    {
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", serde_json::json!({ "port": port }))?;
        stdout.flush()?;
    }
    tokio::select! {
        ended = server::serve(listener, journal) => ended,
        () = stdin_closed(), if options.until_stdin_closes => Ok(()),
    }
}

/// Waits for the end of stdin, so that the server cannot outlive the test that started it.
async fn stdin_closed() {
    let (closed, wait) = tokio::sync::oneshot::channel();
    // A thread of its own: tokio's stdin would hold up the runtime's shutdown.
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = closed.send(());
    });
    let _ = wait.await;
}
