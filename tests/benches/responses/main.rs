//! What `mayi responses` adds to a response that asks nothing: to its first event, and to each event after that.
//!
//! An endpoint in this process writes one event after the other, each once the one before has come to a raw client: directly, and
//! through the program `mayi responses`, with 30 rules and the record on; and through a relay that only copies bytes, which is what
//! any second process on the way costs at least. Both ends are in one process, so that one clock tells how
//! long an event was on its way. Every round has one response each way, in turn, so that what the machine does besides hits all
//! alike.
//!
//! usage: `cargo bench -p mayi-tests --bench responses [-- [--quick]]`
//!
//! Options of criterion's that mean nothing here are ignored.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod client;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/mod.rs"]
mod common;
mod endpoint;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/figures.rs"]
mod figures;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/options.rs"]
mod options;
#[path = "../common/program.rs"]
mod program;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/relay.rs"]
mod relay;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use client::Client;
use common::{Machine, Outcome};
use endpoint::Endpoint;
use figures::{Series, head, line};
use options::Options;
use relay::Relay;
use serde_json::Value;

/// How many rules the configuration has.
const RULES: usize = 30;

/// The program that stands between; ended with this.
struct Between {
    child: Child,
    at: String,
    token: String,
}

impl Drop for Between {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() -> Outcome<()> {
    if relay::was_one()? {
        return Ok(());
    }
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    // Any program of the tests says where programs are built.
    let built = Path::new(env!("CARGO_BIN_EXE_loop_agent")).parent().ok_or("the agent is in no folder")?;
    let program = program::find(built, "responses", "--upstream")?;
    let machine = Machine::new()?;
    let endpoint = Endpoint::start()?;
    let between = start(&machine, &program.path, &endpoint.at)?;
    println!("{}; mayi: {} build", program::conditions()?, program.profile);
    let relay = Relay::start(&endpoint.at)?;
    let mut clients = [
        Client::new(&endpoint.at, "none"),
        Client::new(&relay.at, "none"),
        Client::new(&between.at, &between.token),
    ];
    let mut first = [Series::default(), Series::default(), Series::default()];
    let mut rest = [Series::default(), Series::default(), Series::default()];
    for client in &mut clients {
        // What is only done once is not counted.
        client.response(&endpoint)?;
    }
    for _ in 0..options.rounds(200, 5) {
        for (way, client) in clients.iter_mut().enumerate() {
            let times = client.response(&endpoint)?;
            let (Some(first), Some(rest)) = (first.get_mut(way), rest.get_mut(way)) else { continue };
            first.rounds.push(times.iter().take(1).copied().collect());
            rest.rounds.push(times.iter().skip(1).copied().collect());
        }
    }
    tell("to the first event, from the request", &first);
    tell(&format!("each of the {} events after it, on its way", endpoint::EVENTS - 1), &rest);
    println!("  => aims: 1,000 µs to the first event, 50 µs for each other");
    Ok(())
}

/// The table of one thing that was measured.
fn tell(what: &str, [direct, relay, mayi]: &[Series; 3]) {
    println!("\n{}", head(what));
    println!("{}", line("direct", &direct.row()));
    println!("{}", line("a relay of bytes", &relay.row()));
    println!("{}", line("mayi", &mayi.row()));
    println!("{}", line("the relay adds", &relay.beyond(direct).row()));
    println!("{}", line("mayi adds", &mayi.beyond(direct).row()));
    println!("{}", line("mayi adds to the relay", &mayi.beyond(relay).row()));
}

fn start(machine: &Machine, program: &Path, endpoint: &str) -> Outcome<Between> {
    machine.policy(RULES)?;
    let config = machine.at("etc")?.join(format!("{RULES}.toml"));
    let mut command = Command::new(program);
    command.args(["responses", "--upstream", &format!("http://{endpoint}/v1"), "--config"]).arg(config);
    let path = std::env::var_os("PATH").unwrap_or_default();
    program::at_home(&mut command, &machine.at("home")?, &path);
    command.current_dir(&machine.work).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut told = String::new();
    BufReader::new(child.stdout.take().ok_or("no standard output")?).read_line(&mut told)?;
    let told: Value = serde_json::from_str(&told)?;
    let text = |name: &str| told.get(name).and_then(Value::as_str).ok_or("it does not say where it is");
    let at = text("url")?.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let token = std::fs::read_to_string(text("tokenFile")?)?.trim().to_owned();
    Ok(Between { child, at, token })
}
