//! Many calls at once: one after the other, and sixteen in flight, directly and through the gateway, with the record as it is,
//! with one that survives a failure of the power, and without.

use std::collections::HashMap;
use std::time::Instant;

use crate::Bench;
use crate::client;
use crate::common::Outcome;
use crate::figures;
use crate::pipes::Pipes;
use crate::running::Running;
use crate::ways::{self, Between};

const NAME: &str = "in flight";

/// As many calls are on their way at once.
const FLIGHT: [usize; 2] = [1, 16];

/// The calls a second that are aimed at with sixteen.
const AIM: usize = 10_000;

struct Way {
    name: &'static str,
    pipes: Pipes,
    /// For each of [`FLIGHT`]: calls a second, by round, and the nanoseconds of each call.
    rates: [Vec<usize>; 2],
    times: [Vec<i64>; 2],
}

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants(NAME) {
        return Ok(());
    }
    let text = std::fs::read_to_string(&bench.config)?;
    let power = bench.machine.at("etc")?.join("power.toml");
    std::fs::write(&power, format!("{text}\n[record]\ndurable = \"power\"\n"))?;
    let mayi = Between::Mayi.stdio(bench)?;
    let mut powered = mayi.clone();
    if let Some(config) = powered.iter_mut().skip_while(|word| *word != "--config").nth(1) {
        *config = power.display().to_string();
    }
    let mut unrecorded = mayi.clone();
    unrecorded.insert(2, "--no-record".to_owned());
    let mut ways = Vec::new();
    for (number, (name, words)) in [
        ("direct", Between::Nothing.stdio(bench)?),
        ("a relay of bytes", Between::Relay.stdio(bench)?),
        ("mayi, a record that survives its processes", mayi),
        ("mayi, a record that survives the power", powered),
        ("mayi --no-record", unrecorded),
    ]
    .into_iter()
    .enumerate()
    {
        let home = format!("home-flight-{number}");
        let mut pipes = Pipes::new(Running::start(ways::command(bench, &home, &words)?)?)?;
        client::begin(&mut pipes).map_err(|error| format!("{name}: {error}"))?;
        ways.push(Way { name, pipes, rates: Default::default(), times: Default::default() });
    }
    let calls = bench.options.rounds(2_000, 200);
    let mut id = 100;
    for way in &mut ways {
        round(&mut way.pipes, 16, calls, &mut id)?;
    }
    let rounds = bench.options.rounds(10, 3);
    for _ in 0..rounds {
        for way in &mut ways {
            for (at, flight) in FLIGHT.into_iter().enumerate() {
                let (rate, mut times) = round(&mut way.pipes, flight, calls, &mut id)?;
                way.rates.get_mut(at).ok_or("no round")?.push(rate);
                way.times.get_mut(at).ok_or("no round")?.append(&mut times);
            }
        }
    }
    println!("\n{NAME}: stdio to stdio, {rounds} rounds of {} calls", figures::grouped(calls));
    for (at, flight) in FLIGHT.into_iter().enumerate() {
        println!("  {flight} at once:");
        for way in &ways {
            let (Some(rates), Some(times)) = (way.rates.get(at), way.times.get(at)) else { continue };
            let mut rates = rates.clone();
            rates.sort_unstable();
            let rate = |at: usize| figures::grouped(rates.get(at).copied().unwrap_or(0));
            println!(
                "    {:<44} {:>7} calls a second ({} – {}), a call {}, p99 {}, the longest {}",
                way.name,
                rate(rates.len() / 2),
                rate(0),
                rate(rates.len().saturating_sub(1)),
                figures::micros(figures::median(times)),
                figures::micros(figures::percentile(times, 99)),
                figures::micros(figures::percentile(times, 100)),
            );
        }
    }
    println!("  => aim: {} calls a second with 16 at once and the record on", figures::grouped(AIM));
    Ok(())
}

/// Calls a second, with `flight` of them on their way at once, and how long each took.
fn round(pipes: &mut Pipes, flight: usize, calls: usize, id: &mut u64) -> Outcome<(usize, Vec<i64>)> {
    let mut sent = HashMap::new();
    let mut times = Vec::with_capacity(calls);
    let begin = Instant::now();
    let mut left = calls;
    while times.len() < calls {
        while left > 0 && sent.len() < flight {
            *id += 1;
            left -= 1;
            pipes.send(&client::request("", *id))?;
            sent.insert(*id, Instant::now());
        }
        let answer = pipes.next()?;
        let Some(id) = client::answered(&answer, sent.keys().copied()) else { continue };
        if let Some(begin) = sent.remove(&id) {
            times.push(i64::try_from(begin.elapsed().as_nanos())?);
        }
    }
    let rate = times.len() as f64 / begin.elapsed().as_secs_f64();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate of calls")]
    Ok((rate as usize, times))
}
