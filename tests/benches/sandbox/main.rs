//! What confining a command takes, from the start of the whole process to its end: `true`, `git status` and `cargo check` of a small
//! crate, bare, by `mayi exec` in each tier that works here, in bubblewrap with the same namespaces, and in `srt`, where they are there.
//! The project has twenty denied files, and mayi decides, records and looks after what was left besides.
//!
//! Every round runs each of them in turn, so that what the machine does besides hits all alike.
//!
//! usage: `cargo bench -p mayi-tests --bench sandbox [-- [--quick]]`
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/mod.rs"]
mod common;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/figures.rs"]
mod figures;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/options.rs"]
mod options;
#[path = "../common/program.rs"]
mod program;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use common::{Machine, Outcome};
use figures::Series;
use options::Options;

/// A program whose path says where this build is.
const NEIGHBOUR: &str = env!("CARGO_BIN_EXE_conformance_server");

const RULES: &str = "[rules]\nallow = [\"shell(*)\"]\ndeny = [\"read(**/.env)\"]\n";

/// What is started in each round.
struct Way {
    name: String,
    words: Vec<OsString>,
    series: Series,
}

fn main() -> Outcome<()> {
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    let built = Path::new(NEIGHBOUR).parent().ok_or("the program is in no folder")?;
    let program = program::find(built, "exec", "--tier")?;
    let machine = Machine::new()?;
    prepare(&machine)?;
    println!("{}; mayi: {} build", program::conditions()?, program.profile);
    let tiers = tiers(&machine, &program.path)?;
    let (rounds, runs): (usize, usize) = if options.quick { (2, 3) } else { (10, 20) };
    for (what, words, runs) in [
        ("true", &["true"][..], runs),
        ("git status", &["git", "status", "--short"], runs),
        ("cargo check", &["sh", "-c", "touch src/lib.rs && cargo check --offline --quiet"], runs.div_ceil(5)),
    ] {
        let mut ways = ways(&machine, &program.path, &tiers, words);
        for _ in 0..rounds {
            let mut round: Vec<Vec<i64>> = ways.iter().map(|_| Vec::new()).collect();
            for _ in 0..runs {
                for (way, times) in ways.iter().zip(&mut round) {
                    times.push(run(&machine, way)?);
                }
            }
            for (way, times) in ways.iter_mut().zip(round) {
                way.series.rounds.push(times);
            }
        }
        println!("{}", figures::head(&format!("from fork to exit: {what}")));
        for way in &ways {
            println!("{}", figures::line(&way.name, &way.series.row()));
        }
    }
    Ok(())
}

/// A crate in a repository, with twenty files that are denied.
fn prepare(machine: &Machine) -> Outcome<()> {
    let work = &machine.work;
    for part in 0..20 {
        std::fs::write(work.join(format!("src/part{part}/.env")), "SECRET=1\n")?;
    }
    std::fs::write(
        work.join("Cargo.toml"),
        "[package]\nname = \"thing\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    )?;
    std::fs::write(work.join("src/lib.rs"), "pub fn number() -> usize {\n    7\n}\n")?;
    std::fs::write(work.join(".gitignore"), ".env\ntarget\n")?;
    let home = machine.at("home")?;
    std::fs::create_dir_all(home.join(".config/mayi"))?;
    std::fs::write(home.join(".config/mayi/config.toml"), RULES)?;
    let done = command(machine, "git".as_ref()).args(["init", "--quiet"]).status()?;
    if done.success() { Ok(()) } else { Err("git init failed".into()) }
}

/// The tiers that work here.
fn tiers(machine: &Machine, program: &Path) -> Outcome<Vec<&'static str>> {
    let told = command(machine, program.as_ref()).args(["sandbox", "check", "--json"]).output()?;
    let told: serde_json::Value = serde_json::from_slice(&told.stdout)?;
    Ok(match told.get("tier").and_then(serde_json::Value::as_str) {
        Some("full") => vec!["none", "kernel", "full"],
        Some("kernel") => vec!["none", "kernel"],
        _ => vec!["none"],
    })
}

fn ways(machine: &Machine, program: &Path, tiers: &[&str], words: &[&str]) -> Vec<Way> {
    let way = |name: String, before: &[&str]| {
        let words = before.iter().chain(words).map(OsString::from).collect();
        Way { name, words, series: Series::default() }
    };
    let program = program.to_string_lossy();
    let mut all = vec![way("bare".to_owned(), &[])];
    for tier in tiers {
        all.push(way(format!("mayi exec --tier {tier}"), &[&program, "exec", "-q", "--tier", tier, "--"]));
    }
    let work = machine.work.to_string_lossy();
    let mut wrap =
        vec!["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"];
    wrap.extend(["--proc", "/proc", "--bind", &work, &work]);
    let hidden: Vec<String> = (0..20).map(|part| format!("{work}/src/part{part}/.env")).collect();
    for file in &hidden {
        wrap.extend(["--ro-bind", "/dev/null", file]);
    }
    wrap.push("--");
    for (name, before) in [("bubblewrap, 20 masks", wrap), ("srt", vec!["srt"])] {
        let probe = way(name.to_owned(), &before);
        let works = before.first().is_some_and(|program| {
            let words = probe.words.iter().skip(1);
            command(machine, OsStr::new(program)).args(words).output().is_ok_and(|done| done.status.success())
        });
        if works {
            all.push(probe);
        } else {
            println!("{name} is skipped: it does not work here");
        }
    }
    all
}

fn command(machine: &Machine, program: &OsStr) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var_os("PATH").unwrap_or_default();
    program::at_home(&mut command, &machine.work.join("../.."), &path);
    for name in ["CARGO_HOME", "RUSTUP_HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    // Where rustup keeps its toolchains, the home is another one.
    if let (None, Some(home)) = (std::env::var_os("RUSTUP_HOME"), std::env::var_os("HOME")) {
        command.env("RUSTUP_HOME", Path::new(&home).join(".rustup"));
    }
    command.current_dir(&machine.work).stdin(Stdio::null());
    command
}

/// Nanoseconds from the start of `way` to its end.
fn run(machine: &Machine, way: &Way) -> Outcome<i64> {
    let [program, words @ ..] = way.words.as_slice() else { return Err("there is nothing to start".into()) };
    let mut command = command(machine, program);
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let output = command.output()?;
    let took = began.elapsed();
    if !output.status.success() {
        return Err(format!("{}: {}", way.name, String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(i64::try_from(took.as_nanos())?)
}
