//! How soon `initialize` is answered: a program is started for it each time.

use std::time::Instant;

use crate::Bench;
use crate::client::{Client, INITIALIZE};
use crate::common::Outcome;
use crate::figures::{self, Series};
use crate::pipes::Pipes;
use crate::running::Running;
use crate::ways::{self, Between};

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants("start") {
        return Ok(());
    }
    let rounds = bench.options.rounds(30, 5);
    let ways = [Between::Nothing, Between::Mayi];
    let mut series = ways.map(|_| Series::default());
    // In the first round the record is made.
    for round in 0..=rounds {
        for (way, series) in ways.iter().zip(&mut series) {
            let command = ways::command(bench, "home-of-start", &way.stdio(bench)?)?;
            let begin = Instant::now();
            let mut client = Pipes::new(Running::start(command)?)?;
            client.ask(INITIALIZE, 0)?;
            let took = begin.elapsed();
            client.end()?;
            if round > 0 {
                series.rounds.push(vec![i64::try_from(took.as_nanos())?]);
            }
        }
    }
    println!("\nstart: {rounds} rounds, from the start of the program to the answer to `initialize`");
    println!("{}", figures::line("", &["median", "worst", "rounds"].map(str::to_owned)));
    for (way, series) in ways.iter().zip(&series) {
        println!("{}", figures::line(way.name(), &series.row()));
    }
    Ok(())
}
