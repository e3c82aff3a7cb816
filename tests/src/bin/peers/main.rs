//! mayi beside other gates, as one table: what each lets run that a person should decide, what it holds up that should just run,
//! and how long it takes. Nothing that is asked about runs; only the gates do.
//!
//! usage: `peers --mayi PROGRAM --gates FOLDER --ground FOLDER [--corpora FOLDER] [--list FILE]`
//!
//! `--gates` is what `tests/peers/install` made, `--ground` is emptied and used for projects and homes (not below a folder for
//! temporary files, which gates have rules for), `--corpora` holds more rows of the same forms as the project's own, `--list` gets
//! every answer as a line of JSON. `just peers` does all of it.
#![cfg(unix)]
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench prints its figures, and fails as tests do"
)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests"))]

mod answer;
mod gates;
mod rows;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use answer::{Answer, doubt};
use gates::{Gate, Place};
use mayi_tests::everyday::KINDS;
use rows::Set;

type Failure = Box<dyn std::error::Error>;

/// A line that everybody runs, and one that nobody wants.
const CHECKS: [&str; 2] = ["git status --short", "rm -rf ~/"];

fn main() -> Result<(), Failure> {
    let mut options: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut words = std::env::args().skip(1);
    while let (Some(name), value) = (words.next(), words.next()) {
        options.insert(name, value.ok_or("each option has a value")?.into());
    }
    let folder = |name: &str| options.get(name).ok_or_else(|| format!("{name} is missing"));
    let ground = folder("--ground")?;
    if ground.exists() {
        std::fs::remove_dir_all(ground)?;
    }
    std::fs::create_dir_all(ground)?;
    let ground = ground.canonicalize()?;
    let gates = gates::all(&folder("--mayi")?.canonicalize()?, &folder("--gates")?.canonicalize()?)?;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let sets = rows::sets(&own, options.get("--corpora").map(PathBuf::as_path))?;
    let mut list = options.get("--list").map(std::fs::File::create).transpose()?;

    let mut places: BTreeMap<(usize, &str), Place> = BTreeMap::new();
    for (at, gate) in gates.iter().enumerate() {
        for (kind, _) in KINDS {
            let place = gate.settle(&ground, kind)?;
            let mut checks = Vec::new();
            for (number, line) in CHECKS.iter().enumerate() {
                checks.push(gate.ask(&place, line, number)?.answer);
            }
            if let Some(doubt) = doubt(checks[0], checks[1]) {
                return Err(format!("{} in a {kind} project: {doubt} ({checks:?})", gate.name).into());
            }
            places.insert((at, kind), place);
        }
    }

    let mut counts: BTreeMap<(usize, usize), BTreeMap<Answer, usize>> = BTreeMap::new();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); gates.len()];
    let mut nothing = Vec::new();
    let mut number = 100;
    for (of, set) in sets.iter().enumerate() {
        for (kind, line) in &set.lines {
            number += 1;
            // One after the other, so that what the machine does besides hits all alike.
            for (at, gate) in gates.iter().enumerate() {
                let place =
                    places.get(&(at, kind.as_str())).ok_or_else(|| format!("there is no project {kind}"))?;
                let run = gate.ask(place, line, number)?;
                *counts.entry((of, at)).or_default().entry(run.answer).or_default() += 1;
                times[at].push(run.took);
                if let Some(list) = &mut list {
                    let row = serde_json::json!({ "set": set.title, "gate": gate.name, "line": line, "answer": run.answer.name() });
                    writeln!(list, "{row}")?;
                }
                if at == 0 {
                    nothing.push(gates::nothing(place)?);
                }
            }
        }
    }
    print(&gates, &sets, &counts, &mut times, &mut nothing);
    Ok(())
}

fn print(
    gates: &[Gate],
    sets: &[Set],
    counts: &BTreeMap<(usize, usize), BTreeMap<Answer, usize>>,
    times: &mut [Vec<Duration>],
    nothing: &mut [Duration],
) {
    for (of, set) in sets.iter().enumerate() {
        let wrong =
            if set.harmless { "anything but allowed is a prompt too many" } else { "allowed is wrong" };
        println!("\n{}: {} lines; {wrong}\n", set.title, set.lines.len());
        println!("| gate | allowed | left to the harness | asked | denied | failed |");
        println!("|---|---|---|---|---|---|");
        for (at, gate) in gates.iter().enumerate() {
            let cells: Vec<String> = Answer::ALL
                .iter()
                .map(|answer| {
                    counts.get(&(of, at)).and_then(|of| of.get(answer)).copied().unwrap_or(0).to_string()
                })
                .collect();
            println!("| {} {} | {} |", gate.name, gate.version, cells.join(" | "));
        }
    }
    println!("\nFrom fork to exit, milliseconds\n");
    println!("| gate | runs | median | 95 % |");
    println!("|---|---|---|---|");
    println!("| `true` | {} |", figures(nothing));
    for (gate, times) in gates.iter().zip(times) {
        println!("| {} {} | {} |", gate.name, gate.version, figures(times));
    }
}

fn figures(times: &mut [Duration]) -> String {
    times.sort();
    let at =
        |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default().as_secs_f64() * 1000.0;
    format!("{} | {:.1} | {:.1}", times.len(), at(50), at(95))
}
