//! Many calls at once: one after the other, and sixteen in flight, directly and through the gateway. Between pipes with the record
//! as it is, with one that survives a failure of the power, and without; over HTTP beside what only carries messages.

use std::time::Instant;

use crate::Bench;
use crate::client::{self, Client};
use crate::common::Outcome;
use crate::figures;
use crate::pipes::Pipes;
use crate::running::Running;
use crate::ways::{self, Between, Carried};

const NAME: &str = "in flight";

/// As many calls are on their way at once.
const FLIGHT: [usize; 2] = [1, 16];

/// The calls a second that are aimed at with sixteen.
const AIM: usize = 10_000;

struct Way {
    name: &'static str,
    opened: Opened,
    /// For each of [`FLIGHT`]: calls a second, by round, and the nanoseconds of each call.
    rates: [Vec<usize>; 2],
    times: [Vec<i64>; 2],
}

enum Opened {
    Pipes(Pipes),
    Way(ways::Way),
}

impl Way {
    fn new(name: &'static str, opened: Opened) -> Self {
        Self { name, opened, rates: Default::default(), times: Default::default() }
    }

    /// Calls a second, with `flight` of them on their way at once, and how long each took.
    fn round(&mut self, flight: usize, calls: usize, id: &mut u64) -> Outcome<(usize, Vec<i64>)> {
        let client: &mut dyn Client = match &mut self.opened {
            Opened::Pipes(pipes) => pipes,
            Opened::Way(way) => &mut *way.client,
        };
        let begin = Instant::now();
        let times =
            client.call_at_once(flight, calls, *id).map_err(|error| format!("{}: {error}", self.name))?;
        let rate = times.len() as f64 / begin.elapsed().as_secs_f64();
        *id += u64::try_from(calls)? + 1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate of calls")]
        Ok((rate as usize, times))
    }
}

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants(NAME) {
        return Ok(());
    }
    compare(bench, "stdio to stdio", records(bench)?)?;
    println!("  => aim: {} calls a second with 16 at once and the record on", figures::grouped(AIM));
    for (name, front, back) in
        [("http to stdio", Carried::Http, Carried::Stdio), ("stdio to http", Carried::Stdio, Carried::Http)]
    {
        let mut ways = Vec::new();
        for between in [Between::Nothing, Between::Mayi, Between::McpProxy, Between::Supergateway] {
            let peer = matches!(between, Between::McpProxy | Between::Supergateway);
            if !peer || bench.peers.is_some() {
                let way = ways::open(bench, between, front, back)
                    .map_err(|error| format!("{name}, {}: {error}", between.name()))?;
                ways.push(Way::new(between.name(), Opened::Way(way)));
            }
        }
        compare(bench, name, ways)?;
    }
    Ok(())
}

/// Directly, through a relay, and through mayi with each kind of record.
fn records(bench: &Bench) -> Outcome<Vec<Way>> {
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
        ways.push(Way::new(name, Opened::Pipes(pipes)));
    }
    Ok(ways)
}

fn compare(bench: &Bench, section: &str, mut ways: Vec<Way>) -> Outcome<()> {
    let calls = bench.options.rounds(2_000, 200);
    let mut id = 100;
    for way in &mut ways {
        way.round(16, calls, &mut id)?;
    }
    let rounds = bench.options.rounds(10, 3);
    for _ in 0..rounds {
        for way in &mut ways {
            for (at, flight) in FLIGHT.into_iter().enumerate() {
                let (rate, mut times) = way.round(flight, calls, &mut id)?;
                way.rates.get_mut(at).ok_or("no round")?.push(rate);
                way.times.get_mut(at).ok_or("no round")?.append(&mut times);
            }
        }
    }
    println!("\n{NAME}: {section}, {rounds} rounds of {} calls", figures::grouped(calls));
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
    Ok(())
}
