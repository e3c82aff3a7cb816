//! What `mayi acp` adds to a message that is none of its business, to one that it looks at, and to a request for permission that a
//! rule allows; and how much of an agent's stream it passes on, beside the agent alone and beside the SDK's own conductor without a
//! proxy in it (where MAYI_CONDUCTOR names its program, as `tests/acp/conductor` prints it).
//!
//! A raw editor in this process speaks to a raw agent (`flood_agent`): directly, through `mayi acp` with 30 rules and the record on,
//! and through the conductor. Every round goes each way, in turn, so that what the machine does besides hits all alike.
//!
//! usage: `cargo bench -p mayi-tests --bench acp [-- [--quick] [FILTER]]`
//!
//! FILTER is a part of a section's name: `messages` or `stream`. Options of criterion's that mean nothing here are ignored.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/mod.rs"]
mod common;
mod editor;
#[path = "../common/figures.rs"]
mod figures;
#[path = "../common/options.rs"]
mod options;
#[path = "../common/program.rs"]
mod program;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/running.rs"]
mod running;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use common::{Machine, Outcome};
use editor::Editor;
use figures::{Series, grouped, head, line, micros};
use options::Options;

const AGENT: &str = env!("CARGO_BIN_EXE_flood_agent");

/// How many rules the configuration has.
const RULES: usize = 30;

/// Updates of one stream, and the part of the direct throughput that is aimed at. Percent.
const UPDATES: usize = 100_000;
const AIM: f64 = 80.0;

/// What stands between the editor and the agent, which is running.
struct Way {
    name: &'static str,
    editor: Editor,
}

fn main() -> Outcome<()> {
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    let built = Path::new(AGENT).parent().ok_or("the agent is in no folder")?;
    let program = program::find(built, "acp", "--wide-scopes")?;
    let machine = Machine::new()?;
    machine.policy(RULES)?;
    let config = machine.at("etc")?.join(format!("{RULES}.toml")).display().to_string();
    println!("{}; mayi: {} build", program::conditions()?, program.profile);
    let mayi = [
        program.path.display().to_string(),
        "acp".into(),
        "--config".into(),
        config,
        "--".into(),
        AGENT.into(),
    ];
    let mut ways = vec![start(&machine, "direct", &[AGENT.to_owned()])?, start(&machine, "mayi acp", &mayi)?];
    match std::env::var_os("MAYI_CONDUCTOR").map(PathBuf::from) {
        Some(conductor) => {
            let words = [conductor.display().to_string(), "agent".into(), AGENT.into()];
            ways.push(start(&machine, "the SDK's conductor, no proxy", &words)?);
        }
        None => println!("the SDK's conductor is skipped: MAYI_CONDUCTOR does not name its program"),
    }
    if options.wants("messages") {
        messages(&options, &mut ways)?;
    }
    if options.wants("stream") {
        stream(&options, &mut ways, true)?;
        stream(&options, &mut ways, false)?;
    }
    Ok(())
}

fn start(machine: &Machine, name: &'static str, words: &[String]) -> Outcome<Way> {
    let (program, rest) = words.split_first().ok_or("no program")?;
    let mut command = Command::new(program);
    command.args(rest);
    let path = std::env::var_os("PATH").unwrap_or_default();
    program::at_home(&mut command, &machine.at("home")?, &path);
    command.current_dir(&machine.work);
    let editor = Editor::open(command, &machine.work).map_err(|error| format!("{name}: {error}"))?;
    Ok(Way { name, editor })
}

/// The nanoseconds of one exchange.
type Exchange = fn(&mut Editor) -> Outcome<()>;

fn messages(options: &Options, ways: &mut [Way]) -> Outcome<()> {
    let sections: [(&str, i64, Exchange); 3] = [
        ("a request and its answer that mayi knows nothing of: two messages", 2, Editor::echo),
        ("a notification, and the update that follows it: two messages", 2, Editor::tick),
        ("the same, with a permission asked for between them that a rule allows", 1, Editor::ask),
    ];
    let rounds = options.rounds(30, 4);
    let calls = options.rounds(200, 20);
    for (name, parts, exchange) in sections {
        let mut series: Vec<Series> = ways.iter().map(|_| Series::default()).collect();
        for way in ways.iter_mut() {
            for _ in 0..calls {
                exchange(&mut way.editor)?;
            }
        }
        let count = ways.len();
        for turn in 0..rounds * count {
            // Whoever comes first in a round comes second in the next.
            let at = (turn / count + turn) % count;
            let (Some(way), Some(series)) = (ways.get_mut(at), series.get_mut(at)) else { continue };
            let mut times = Vec::with_capacity(calls);
            for _ in 0..calls {
                let begin = Instant::now();
                exchange(&mut way.editor)?;
                times.push(i64::try_from(begin.elapsed().as_nanos())?);
            }
            series.rounds.push(times);
        }
        println!("\n{}", head(name));
        let Some((direct, rest)) = series.split_first() else { continue };
        println!("{}", line("direct", &direct.row()));
        for (way, series) in ways.iter().skip(1).zip(rest) {
            println!("{}", line(way.name, &series.row()));
            let added = series.beyond(direct);
            println!("{}", line(&format!("{} adds", way.name), &added.row()));
            if parts > 1 {
                let each = figures::median(&added.all()) / parts;
                println!("  => {} adds {} to each message", way.name, micros(each));
            }
        }
    }
    Ok(())
}

/// `reads`: as an editor takes them, which has to read each; otherwise as fast as a pipe can be emptied.
fn stream(options: &Options, ways: &mut [Way], reads: bool) -> Outcome<()> {
    let rounds = options.rounds(7, 2);
    let updates = options.rounds(UPDATES, 2_000);
    let mut rates: Vec<Vec<i64>> = ways.iter().map(|_| Vec::new()).collect();
    for way in ways.iter_mut() {
        way.editor.stream(updates / 10, reads)?;
    }
    let count = ways.len();
    for turn in 0..rounds * count {
        let at = (turn / count + turn) % count;
        let (Some(way), Some(rates)) = (ways.get_mut(at), rates.get_mut(at)) else { continue };
        let begin = Instant::now();
        way.editor.stream(updates, reads)?;
        let seconds = begin.elapsed().as_secs_f64();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a rate of messages"
        )]
        rates.push((updates as f64 / seconds) as i64);
    }
    let editor = if reads {
        "an editor that reads each as JSON"
    } else {
        "an editor that looks for the ends of lines"
    };
    println!(
        "\n{rounds} streams of {} session/update to {editor}, each way: updates a second",
        grouped(updates)
    );
    let median = |rates: &[i64]| figures::median(rates);
    let direct = rates.first().map_or(1, |rates| median(rates)).max(1);
    for (way, rates) in ways.iter().zip(&rates) {
        let rate = |percent| grouped(usize::try_from(figures::percentile(rates, percent)).unwrap_or(0));
        #[expect(clippy::cast_precision_loss, reason = "a part of a rate")]
        let part = median(rates) as f64 * 100.0 / direct as f64;
        println!("  {:<40}{:>10} ({} – {}), {part:.0} % of direct", way.name, rate(50), rate(0), rate(100));
    }
    if reads {
        println!("  => aim: {AIM:.0} % of direct through mayi acp");
    }
    Ok(())
}
