//! How much memory the gateway's own process takes.

use std::fmt::Write as _;

use crate::client::{self, Client};
use crate::common::Outcome;
use crate::pipes::Pipes;
use crate::running::Running;
use crate::{Bench, SERVER, figures, resident, ways};

/// The servers, and so many calls.
const SERVERS: [&str; 3] = ["search", "docs", "tickets"];
const CALLS: usize = 1_000;

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants("memory") || !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut text = std::fs::read_to_string(&bench.config)?;
    for server in SERVERS {
        let command = serde_json::to_string(&[SERVER, "--stdio"])?;
        write!(text, "\n[[rule]]\neffect = \"allow\"\npattern = \"mcp({server}/*)\"\n")?;
        write!(text, "\n[servers.{server}]\ncommand = {command}\n")?;
    }
    let config = bench.machine.at("etc")?.join("servers.toml");
    std::fs::write(&config, text)?;
    let words = [
        bench.program.path.display().to_string(),
        "mcp".to_owned(),
        "--config".to_owned(),
        config.display().to_string(),
    ];
    let mut gateway = Pipes::new(Running::start(ways::command(bench, "home-of-memory", &words)?)?)?;
    client::begin(&mut gateway)?;
    let [begun, _] = resident::of(gateway.running.id())?;
    for number in 0..CALLS {
        let server = SERVERS.get(number % SERVERS.len()).copied().unwrap_or_default();
        client::call(&mut gateway as &mut dyn Client, &format!("{server}__"), u64::try_from(100 + number)?)?;
    }
    let [now, most] = resident::of(gateway.running.id())?;
    println!("\nmemory: a gateway with {} servers", SERVERS.len());
    println!("  once it has listed their tools: {} MiB", resident::mib(begun));
    println!(
        "  after {} calls: {} MiB, {} MiB at most; aim: under 30 MiB",
        figures::grouped(CALLS),
        resident::mib(now),
        resident::mib(most)
    );
    Ok(())
}
