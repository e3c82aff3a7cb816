//! The demo agent's own loop: how long a turn of 1,000 calls takes as a whole.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Bench;
use crate::clients::{self, Task};
use crate::common::Outcome;
use crate::figures::{self, Series};

/// The argument with which this program is the demo agent.
pub(crate) const AGENT: &str = "--as-demo-agent";

const NAMES: [&str; 3] = ["raw client, no SDK, no JSON", "bare SDK client", "mayi's ACP door, 30 rules"];

/// The demo agent, until its client is gone.
pub(crate) fn agent() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok(runtime.block_on(mayi_demo::serve_stdio())?)
}

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants("demo") {
        return Ok(());
    }
    let calls = 1000;
    let rounds = bench.options.rounds(20, 3);
    let task = Task {
        command: vec![std::env::current_exe()?.display().to_string(), AGENT.to_owned()],
        env: BTreeMap::from([("MAYI_DEMO_STATE".to_owned(), String::new())]),
        prompt: format!("demo: loop {calls}"),
        work: bench.machine.work.clone(),
        folder: bench.machine.at("agents")?,
        calls,
    };
    let mut series: Vec<Series> = NAMES.iter().map(|_| Series::default()).collect();
    for round in 0..=rounds {
        for turn in 0..NAMES.len() {
            let at = (round + turn) % NAMES.len();
            let took = run(bench, at, task.clone())?;
            let each = i64::try_from(took.as_nanos())? / i64::try_from(calls)?;
            if let Some(series) = series.get_mut(at).filter(|_| round > 0) {
                series.rounds.push(vec![each]);
            }
        }
    }
    println!("\ndemo: loop {calls}: {rounds} rounds, the whole turn divided by its calls");
    let head = ["median", "worst", "rounds"].map(str::to_owned);
    println!("{}", figures::line("a call", &head));
    for (name, series) in NAMES.iter().zip(&series) {
        println!("{}", figures::line(name, &series.row()));
    }
    if let [raw, sdk, mayi] = series.as_slice() {
        println!("{}", figures::line("added, round by round", &head));
        println!("{}", figures::line("mayi's door – raw", &mayi.beyond(raw).row()));
        println!("{}", figures::line("mayi's door – SDK", &mayi.beyond(sdk).row()));
    }
    Ok(())
}

fn run(bench: &Bench, client: usize, task: Task) -> Outcome<Duration> {
    let runtime = &bench.runtime;
    match client {
        0 => clients::raw(&task),
        1 => runtime.block_on(runtime.spawn(clients::sdk(task)))?,
        _ => {
            let policy = bench.policies.first().cloned().ok_or("there is no policy")?;
            runtime.block_on(runtime.spawn(clients::mayi(task, policy)))?
        }
    }
}
