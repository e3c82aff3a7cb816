//! What the gateway adds to each `tools/call` that it decides by itself, seen by the client.
//!
//! A raw client calls one tool of one server (`conformance_server`, on rmcp) again and again, one call after the other:
//! directly, and through the program `mayi mcp`, with 30 rules and the record on. Between pipes a relay of bytes does it too, which
//! is what any process on the way costs; and where `mcp-proxy` or `supergateway` can carry the same messages they do it too, though
//! they only carry and decide nothing; for them MAYI_TEST_MCP has to name the folder that `tests/mcp/install` prints. Every round
//! has some calls through each of them, in turn, so that what the machine does besides hits all alike; what one adds is the
//! difference of the calls with the same number in the same round.
//!
//! Besides: how many calls a second there are with sixteen at once, with the record, without it, and with one that survives the
//! power, and over HTTP beside the others; the memory of a gateway with three servers after 1,000 calls, and how soon it answers at first.
//!
//! usage: `cargo bench -p mayi-tests --bench gateway [-- [--quick] [FILTER]]`
//!
//! FILTER is a part of a section's name. Options of criterion's that mean nothing here are ignored.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod calls;
mod client;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/figures.rs"]
mod figures;
mod flight;
mod http;
mod memory;
#[path = "../common/options.rs"]
mod options;
mod pipes;
#[path = "../common/program.rs"]
mod program;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/relay.rs"]
mod relay;
#[path = "../common/resident.rs"]
mod resident;
#[path = "../common/running.rs"]
mod running;
mod start;
mod ways;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use common::{Machine, Outcome};
use options::Options;
use program::Program;

/// The server behind all of them.
const SERVER: &str = env!("CARGO_BIN_EXE_conformance_server");

/// How many rules the configuration has.
const RULES: usize = 30;

/// What all sections work with.
struct Bench {
    options: Options,
    machine: Machine,
    program: Program,
    /// The configuration: one of its rules allows what is called.
    config: PathBuf,
    /// Where the other gateways are.
    peers: Option<PathBuf>,
}

fn main() -> Outcome<()> {
    if relay::was_one()? {
        return Ok(());
    }
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    let built = Path::new(SERVER).parent().ok_or("the server is in no folder")?;
    let program = program::find(built, "mcp", "--url")?;
    let machine = Machine::new()?;
    machine.policy(RULES)?;
    let config = machine.at("etc")?.join(format!("{RULES}.toml"));
    let peers = std::env::var_os("MAYI_TEST_MCP").map(PathBuf::from);
    println!("{}; mayi: {} build", program::conditions()?, program.profile);
    if peers.is_none() {
        println!(
            "mcp-proxy and supergateway are skipped: MAYI_TEST_MCP does not name the folder they are in"
        );
    }
    let bench = Bench { options, machine, program, config, peers };
    calls::measure(&bench)?;
    flight::measure(&bench)?;
    memory::measure(&bench)?;
    start::measure(&bench)
}

impl Bench {
    /// The PATH of everything that is started: the peers' Node.js comes first.
    fn path(&self) -> Outcome<OsString> {
        let own = std::env::var_os("PATH").unwrap_or_default();
        let peers = self.peers.iter().map(|peers| peers.join("bin"));
        Ok(std::env::join_paths(peers.chain(std::env::split_paths(&own)))?)
    }
}
