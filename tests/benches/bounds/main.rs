//! "No decision takes over 100 ms or 50 MB, whatever the line, arguments or rules": inputs that are made to be slow or large
//! (`mayi_tests::heavy`), at each door of mayi, with files of rules that are made so too.
//!
//! At each door so many different inputs are told, one after the other, to processes that begin with another file of rules every now
//! and then. Of each is measured how long it takes from the request until the answer or the card is there, and how much the memory of
//! the process grows at most until it is settled. At the end another session of the same process is answered, or the same where
//! there is but one. One that takes too long is told twice more, since this machine does other things as well: the quickest counts.
//!
//! usage: `cargo bench -p mayi-tests --bench bounds [-- [--quick] [--group N] [DOOR]]`, or `just bounds`
//!
//! DOOR is a part of a door's name, and N the number of the only process that is begun, from 0: to look at what takes so long, with a
//! profiler before the command. What is beyond is printed and kept in target/bounds, and then it fails.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

#[path = "../serve/client.rs"]
#[expect(dead_code, reason = "what the bench of this client needs of it")]
mod client;
#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "what the other benches need of it")]
mod common;
mod editor;
mod endpoints;
#[path = "../common/figures.rs"]
#[expect(dead_code, reason = "what the other benches need of it")]
mod figures;
#[path = "../common/options.rs"]
#[expect(dead_code, reason = "what the other benches need of it")]
mod options;
#[path = "../common/program.rs"]
mod program;
mod programs;
mod proxy;
#[path = "../../../cli/tests/support/pty.rs"]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what tests use fails as they do"
)]
mod pty;
#[path = "../common/resident.rs"]
mod resident;
#[path = "../common/running.rs"]
#[expect(dead_code, reason = "what the other benches need of it")]
mod running;
mod runs;
mod sides;
mod table;
mod watch;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Machine, Outcome};
use mayi_tests::heavy::{self, Input};
use mayi_tests::random::Random;
use options::Options;
use program::Program;
use table::Row;
use watch::Told;

/// Speaks for this program wherever mayi starts an agent or a server.
const PUPPET: &str = env!("CARGO_BIN_EXE_puppet_agent");

/// The inputs of every run are the same ones.
const SEED: u64 = 47;

/// What all doors work with.
struct Bench {
    machine: Machine,
    program: Program,
}

/// Something that runs and decides.
trait Door {
    /// Tells it one input, and settles it.
    fn tell(&mut self, input: &Input, number: usize) -> Outcome<Told>;

    /// Another session of the same process, or the same one, is answered.
    fn ends_well(&mut self) -> Outcome<()>;
}

/// Opens a door with a file of rules, in a folder of its own.
type Open = fn(&Bench, &Path, &Path) -> Outcome<Box<dyn Door>>;

const DOORS: &[(&str, Open)] = &[
    ("check, the library", programs::library),
    ("check --stdin", programs::check),
    ("hook", programs::hook),
    ("run", runs::piped),
    ("run in a terminal", runs::in_terminal),
    ("acp", proxy::open),
    ("serve", editor::open),
    ("mcp", endpoints::mcp),
    ("responses", endpoints::responses),
];

fn main() -> Outcome<()> {
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    let built = Path::new(PUPPET).parent().ok_or("the agent is in no folder")?;
    let program = match std::env::var_os("MAYI_BIN") {
        Some(path) => Program { path: path.into(), profile: "given" },
        None => program::find(built, "serve", "--listen")?,
    };
    println!("{}; mayi: {} build", program::conditions()?, program.profile);
    let bench = Bench { machine: Machine::new()?, program };
    let (groups, each) = if options.quick { (1, 2) } else { (25, 40) };
    let only = only()?;
    let mut rows = Vec::new();
    for (at, (name, open)) in DOORS.iter().enumerate().filter(|(_, (name, _))| options.wants(name)) {
        let mut random = Random(SEED + u64::try_from(at)?);
        let mut row = Row::new(name);
        for group in 0..groups {
            through(&bench, *open, &mut row, &mut random, Group { number: group, each, only })
                .map_err(|error| format!("{name}, group {group}, after {} inputs: {error}", row.count()))?;
        }
        println!("{}", row.line());
        rows.push(row);
    }
    println!("\n{}", table::head());
    for row in &rows {
        println!("{}", row.line());
    }
    let over: usize = rows.iter().map(|row| row.print_over()).sum();
    // What is built for tests, and what shares the machine with them, says nothing of time.
    if over > 0 && !options.quick { Err(format!("{over} are over the bounds").into()) } else { Ok(()) }
}

/// The number that stands behind `--group`.
fn only() -> Outcome<Option<usize>> {
    let number = std::env::args().skip_while(|argument| argument != "--group").nth(1);
    Ok(number.map(|number| number.parse()).transpose()?)
}

/// Inputs that are told to one process.
struct Group {
    number: usize,
    each: usize,
    /// The only one of all that is.
    only: Option<usize>,
}

/// One process and its inputs.
fn through(bench: &Bench, open: Open, row: &mut Row, random: &mut Random, group: Group) -> Outcome<()> {
    let Group { number: group, each, only } = group;
    let folder = bench.machine.at(&format!("{}-{group}", row.name.replace([' ', ','], "-")))?;
    let rules = folder.join("rules.toml");
    std::fs::write(
        &rules,
        format!("{}\n[agents.bot]\ntrust_elicitation = true\n", heavy::rule_file(random)),
    )?;
    if only.is_some_and(|only| only != group) {
        (0..each).for_each(|_| drop(Input::any(random)));
        return Ok(());
    }
    let begin = std::time::Instant::now();
    let mut door = open(bench, &rules, &folder)?;
    row.begun(begin.elapsed());
    for number in group * each..(group + 1) * each {
        let input = Input::any(random);
        let mut told =
            door.tell(&input, number).map_err(|error| format!("{error}: {number}, {}", input.head()))?;
        let first = told.took;
        // Nothing is measured where few are told.
        for _ in 0..if each > 2 { 2 } else { 0 } {
            if told.took > table::LONGEST {
                let again = door.tell(&input, number)?;
                told = Told { took: told.took.min(again.took), used: told.used.min(again.used), ..told };
            }
        }
        row.add(number, &told, first, &input, &rules)?;
    }
    door.ends_well()
}

impl Bench {
    /// `mayi`, as a person starts it, with a home of its own in `folder`.
    fn mayi(&self, words: &[&str], folder: &Path) -> Command {
        let mut command = Command::new(&self.program.path);
        command.args(words).current_dir(&self.machine.work);
        let path = std::env::var_os("PATH").unwrap_or_default();
        program::at_home(&mut command, &folder.join("home"), &path);
        command
    }

    /// A copy of the rules with this behind them.
    fn with(rules: &Path, more: &str) -> Outcome<PathBuf> {
        let path = rules.with_file_name("config.toml");
        std::fs::write(&path, format!("{}{more}", std::fs::read_to_string(rules)?))?;
        Ok(path)
    }
}
