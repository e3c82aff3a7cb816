//! What a hook takes from fork to exit, as a harness waits for it: the whole process, with the event on standard input and the record
//! on, with 10 rules and with 10,000; beside a hook in Node and one in Python that only print `{}`, and `true`.
//!
//! Every round runs each of them in turn, so that what the machine does besides hits all alike.
//!
//! usage: `cargo bench -p mayi-tests --bench hook [-- [--quick]]`
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
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/program.rs"]
mod program;

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Machine, Outcome};
use figures::Series;
use options::Options;

/// A program whose path says where this build is.
const NEIGHBOUR: &str = env!("CARGO_BIN_EXE_conformance_server");

/// Ten rules, of which one allows what is measured.
const TEN: &str = r#"
[rules]
allow = ["shell(cargo test *)", "shell(cargo build *)", "write(src/**)", "fetch(docs.rs)", "mcp(search/*)"]
ask = ["shell(git push *)", "write(Cargo.toml)"]
deny = ["read(**/.env)", "shell(sudo *)", "fetch(http://169.254.169.254/**)"]
"#;

/// What is started in each round.
struct Way {
    name: &'static str,
    words: Vec<OsString>,
    series: Series,
}

fn main() -> Outcome<()> {
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    let built = Path::new(NEIGHBOUR).parent().ok_or("the program is in no folder")?;
    let program = program::find(built, "hook", "status")?;
    let machine = Machine::new()?;
    println!("{}; mayi: {} build", program::conditions()?, program.profile);
    let mut ways = vec![way("true", vec!["true".into()])];
    for (name, words) in [
        ("a hook in Python that prints {}", ["python3", "-c", "print('{}')"]),
        ("a hook in Node that prints {}", ["node", "-e", "console.log('{}')"]),
    ] {
        if Command::new(words[0]).arg("--version").output().is_ok() {
            ways.push(way(name, words.map(OsString::from).to_vec()));
        } else {
            println!("{name} is skipped: {} is not there", words[0]);
        }
    }
    for (name, rules) in [("mayi hook, 10 rules", 10), ("mayi hook, 10,000 rules", 10_000)] {
        ways.push(way(name, hook(&machine, &program.path, rules)?));
    }
    let event = serde_json::json!({ "session_id": "bench", "cwd": machine.work, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "cargo test -p thing", "description": "Run the tests" }, "tool_use_id": "toolu_1" })
    .to_string();
    let (rounds, runs) = if options.quick { (3, 5) } else { (10, 40) };
    for _ in 0..rounds {
        let mut round: Vec<Vec<i64>> = ways.iter().map(|_| Vec::new()).collect();
        for _ in 0..runs {
            for (way, times) in ways.iter().zip(&mut round) {
                times.push(run(way, &event)?);
            }
        }
        for (way, times) in ways.iter_mut().zip(round) {
            way.series.rounds.push(times);
        }
    }
    println!("{}", figures::head("from fork to exit, one event"));
    for way in &ways {
        println!("{}", figures::line(way.name, &way.series.row()));
    }
    if let [.., few, many] = ways.as_slice() {
        println!("{}", figures::line("10,000 rules more than 10", &many.series.beyond(&few.series).row()));
    }
    Ok(())
}

fn way(name: &'static str, words: Vec<OsString>) -> Way {
    Way { name, words, series: Series::default() }
}

/// The command of a hook on a machine of its own, with so many rules.
fn hook(machine: &Machine, program: &Path, rules: usize) -> Outcome<Vec<OsString>> {
    let top = machine.at(&format!("hook-{rules}"))?;
    let folder = |name: &str| -> Outcome<PathBuf> {
        let folder = top.join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(folder)
    };
    let config = folder("config")?;
    match rules {
        10 => std::fs::write(config.join("config.toml"), TEN)?,
        _ => {
            machine.policy(rules)?;
            std::fs::copy(machine.at("etc")?.join(format!("{rules}.toml")), config.join("config.toml"))?;
        }
    }
    let mut words: Vec<OsString> = vec![program.into(), "hook".into(), "claude-code".into()];
    for (option, folder) in [
        ("--config-folder", config),
        ("--data-folder", folder("data")?),
        ("--state-folder", folder("state")?),
    ] {
        words.extend([OsString::from(option), folder.into_os_string()]);
    }
    Ok(words)
}

/// Nanoseconds from the start of `way` to its end.
fn run(way: &Way, event: &str) -> Outcome<i64> {
    let [program, words @ ..] = way.words.as_slice() else { return Err("there is nothing to start".into()) };
    // What a hook leaves to do behind its answer is not to meet the next one.
    std::thread::sleep(Duration::from_millis(2));
    let began = Instant::now();
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not read it is gone by then.
        let _ = stdin.write_all(event.as_bytes());
    }
    let output = child.wait_with_output()?;
    let took = began.elapsed();
    let said = String::from_utf8_lossy(&output.stdout);
    if way.name.starts_with("mayi") && !said.contains("\"allow\"") {
        return Err(format!("it was to be allowed: {said}{}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(i64::try_from(took.as_nanos())?)
}
