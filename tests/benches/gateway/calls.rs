//! Calls, one after the other, each way in turn.

use crate::Bench;
use crate::client;
use crate::common::Outcome;
use crate::figures::{self, Series};
use crate::ways::{self, Between, Carried, Way};

/// What is compared.
struct Section {
    name: &'static str,
    front: Carried,
    back: Carried,
    /// The nanoseconds that mayi may add at the median.
    aim: Option<i64>,
}

const SECTIONS: &[Section] = &[
    Section { name: "stdio to stdio", front: Carried::Stdio, back: Carried::Stdio, aim: Some(300_000) },
    Section { name: "http to stdio", front: Carried::Http, back: Carried::Stdio, aim: None },
    Section { name: "stdio to http", front: Carried::Stdio, back: Carried::Http, aim: None },
    Section { name: "http to http", front: Carried::Http, back: Carried::Http, aim: None },
];

/// So many calls before any counts: what compiles while it runs has done so then.
const WARM: [usize; 2] = [1_000, 100];

const ALL: [Between; 5] =
    [Between::Nothing, Between::Mayi, Between::Relay, Between::McpProxy, Between::Supergateway];

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    for section in SECTIONS {
        if bench.options.wants(section.name) {
            one(bench, section)?;
        }
    }
    Ok(())
}

fn one(bench: &Bench, section: &Section) -> Outcome<()> {
    let (front, back) = (section.front, section.back);
    let there = |between: &Between| {
        let peer = matches!(between, Between::McpProxy | Between::Supergateway);
        between.can(front, back) && (!peer || bench.peers.is_some())
    };
    let rounds = bench.options.rounds(30, 4);
    let calls = bench.options.rounds(200, 50);
    let mut measured = Vec::new();
    for between in ALL.into_iter().filter(there) {
        let way = ways::open(bench, between, front, back)
            .map_err(|error| format!("{}, {}: {error}", section.name, between.name()))?;
        measured.push((between, way, Series::default()));
    }
    let mut id = 100;
    let [all, few] = WARM;
    for (between, way, _) in &mut measured {
        round(way, bench.options.rounds(all, few), &mut id)
            .map_err(|error| format!("{}: {error}", between.name()))?;
    }
    let ways = measured.len();
    for turn in 0..rounds * ways {
        // Whoever comes first in a round comes second in the next.
        let at = (turn / ways + turn) % ways;
        let Some((between, way, series)) = measured.get_mut(at) else { continue };
        let times = round(way, calls, &mut id).map_err(|error| format!("{}: {error}", between.name()))?;
        series.rounds.push(times);
    }
    println!("\n{}: {rounds} rounds of {} calls", section.name, figures::grouped(calls));
    let series: Vec<(Between, Series)> =
        measured.into_iter().map(|(between, _, series)| (between, series)).collect();
    print(&series, section.aim);
    Ok(())
}

/// The nanoseconds of each call. The first one does not count: it may have to connect again.
fn round(way: &mut Way, calls: usize, id: &mut u64) -> Outcome<Vec<i64>> {
    let mut times = Vec::with_capacity(calls);
    for call in 0..=calls {
        *id += 1;
        let took = client::call(&mut *way.client, "", *id)?;
        if call > 0 {
            times.push(i64::try_from(took.as_nanos())?);
        }
    }
    Ok(times)
}

fn print(measured: &[(Between, Series)], aim: Option<i64>) {
    println!("{}", figures::head("a call, seen by the client"));
    for (between, series) in measured {
        println!("{}", figures::line(between.name(), &series.row()));
    }
    let Some(((_, direct), through)) = measured.split_first() else { return };
    println!("{}", figures::head("added, call by call"));
    for (between, series) in through {
        println!("{}", figures::line(between.name(), &series.beyond(direct).row()));
    }
    let Some(((_, mayi), peers)) = through.split_first() else { return };
    let mine = mayi.beyond(direct).all();
    let mut text = format!(
        "  => mayi adds {}, p99 {}",
        figures::micros(figures::median(&mine)),
        figures::micros(figures::percentile(&mine, 99))
    );
    if let Some(aim) = aim {
        text.push_str(&format!("; aim: under {}", figures::micros(aim)));
    }
    for (between, series) in peers {
        let theirs = series.beyond(direct).all();
        let times =
            |percent| ratio(figures::percentile(&theirs, percent), figures::percentile(&mine, percent));
        text.push_str(&format!("; {} {}, p99 {}", between.name(), times(50), times(99)));
    }
    println!("{text}");
}

/// How many times as much.
fn ratio(theirs: i64, mine: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "times of less than a minute")]
    let ratio = theirs as f64 / mine.max(1) as f64;
    format!("{ratio:.1} times as much")
}
