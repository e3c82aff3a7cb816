//! The loops of the raw agent, in rounds.

use std::path::Path;

use serde_json::Value;

use crate::clients::{self, Task};
use crate::common::Outcome;
use crate::figures::{self, Series};
use crate::{Bench, RULES, binary, program};

/// What the agent does.
struct Scenario {
    name: &'static str,
    options: &'static [&'static str],
    rounds: [usize; 2],
    calls: [usize; 2],
    /// With very many rules, and with the program, too.
    all_clients: bool,
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "loop/write", options: &[], rounds: [30, 5], calls: [1000, 1000], all_clients: true },
    Scenario {
        name: "loop/shell",
        options: &["--what", "shell"],
        rounds: [20, 3],
        calls: [1000, 1000],
        all_clients: false,
    },
    Scenario {
        name: "loop/write, announced and reported",
        options: &["--announce"],
        rounds: [20, 3],
        calls: [1000, 1000],
        all_clients: false,
    },
    Scenario {
        name: "loop/write, 1 ms apart",
        options: &["--pause-us", "1000"],
        rounds: [10, 2],
        calls: [1000, 500],
        all_clients: false,
    },
];

/// Who answers.
enum Client {
    Raw,
    Sdk,
    Door { rules: usize },
    Program(program::Program),
}

impl Client {
    fn name(&self) -> String {
        match self {
            Self::Raw => "raw client, no SDK, no JSON".to_owned(),
            Self::Sdk => "bare SDK client".to_owned(),
            Self::Door { rules } => format!("mayi's ACP door, {} rules", figures::grouped(*rules)),
            Self::Program(program) => format!("mayi run, {} build", program.profile),
        }
    }
}

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    for scenario in SCENARIOS {
        if bench.options.wants(scenario.name) {
            one(bench, scenario)?;
        }
    }
    Ok(())
}

fn one(bench: &Bench, scenario: &Scenario) -> Outcome<()> {
    let [all, few] = scenario.rounds;
    let rounds = bench.options.rounds(all, few);
    let [all, few] = scenario.calls;
    let calls = bench.options.rounds(all, few);
    let mut clients = vec![Client::Raw, Client::Sdk, Client::Door { rules: RULES[0] }];
    let mut note = None;
    if scenario.all_clients {
        clients.push(Client::Door { rules: RULES[1] });
        match binary::find() {
            Ok(program) => clients.push(Client::Program(program)),
            Err(why) => note = Some(why),
        }
    }
    let task = task(bench, scenario, calls)?;
    let mut series: Vec<Series> = clients.iter().map(|_| Series::default()).collect();
    // The first round warms up, and does not count.
    for round in 0..=rounds {
        for turn in 0..clients.len() {
            let at = (round + turn) % clients.len();
            let (Some(client), Some(series)) = (clients.get(at), series.get_mut(at)) else { continue };
            let times = run(bench, client, &task).map_err(|error| format!("{}: {error}", client.name()))?;
            if round > 0 {
                series.rounds.push(times);
            }
        }
    }
    println!("\n{}: {rounds} rounds of {} calls", scenario.name, figures::grouped(calls));
    print(&clients, &series);
    if scenario.all_clients {
        conclude(&series);
    }
    if let Some(why) = note {
        println!("  without `mayi run`: {why}");
    }
    Ok(())
}

fn print(clients: &[Client], series: &[Series]) {
    println!("{}", figures::head("an answer, seen by the agent"));
    for (client, series) in clients.iter().zip(series) {
        println!("{}", figures::line(&client.name(), &series.row()));
    }
    println!("{}", figures::head("added, call by call"));
    for (base, under) in clients.iter().zip(series).take(2) {
        for (client, series) in clients.iter().zip(series).skip(1) {
            if matches!((base, client), (Client::Sdk, Client::Sdk)) {
                continue;
            }
            let name = format!("{} – {}", short(client), short(base));
            println!("{}", figures::line(&name, &series.beyond(under).row()));
        }
    }
}

/// The figure that all of this is about.
fn conclude(series: &[Series]) {
    let [raw, _, door, ..] = series else { return };
    let [median, high, _] = door.beyond(raw).row();
    println!(
        "  => mayi adds {median} to an automatic decision, p99 {high}, the SDK's share included; aim: under 100 µs"
    );
}

fn short(client: &Client) -> String {
    match client {
        Client::Raw => "raw".to_owned(),
        Client::Sdk => "SDK".to_owned(),
        Client::Door { rules } => format!("mayi's door, {} rules", figures::grouped(*rules)),
        Client::Program(_) => "mayi run".to_owned(),
    }
}

fn task(bench: &Bench, scenario: &Scenario, calls: usize) -> Outcome<Task> {
    let out = bench.machine.at("out")?.join("times.json");
    let mut command: Vec<String> = vec![env!("CARGO_BIN_EXE_loop_agent").to_owned(), "--out".to_owned()];
    command.extend([out.display().to_string(), "--calls".to_owned(), calls.to_string()]);
    command.extend(scenario.options.iter().map(|&option| option.to_owned()));
    Ok(Task {
        command,
        env: std::collections::BTreeMap::new(),
        prompt: "loop".to_owned(),
        work: bench.machine.work.clone(),
        folder: bench.machine.at("agents")?,
        calls,
    })
}

/// One loop: the nanoseconds of each call.
fn run(bench: &Bench, client: &Client, task: &Task) -> Outcome<Vec<i64>> {
    let out = bench.machine.at("out")?.join("times.json");
    let _ = std::fs::remove_file(&out);
    let runtime = &bench.runtime;
    match client {
        Client::Raw => {
            clients::raw(task)?;
        }
        Client::Sdk => {
            runtime.block_on(runtime.spawn(clients::sdk(task.clone())))??;
        }
        Client::Door { rules } => {
            let [usual, many] = &bench.policies;
            let policy = if *rules == RULES[0] { usual.clone() } else { many.clone() };
            runtime.block_on(runtime.spawn(clients::mayi(task.clone(), policy)))??;
        }
        Client::Program(program) => binary::run(program, bench, task)?,
    }
    times(&out, task.calls)
}

/// What the agent noted.
fn times(out: &Path, calls: usize) -> Outcome<Vec<i64>> {
    let noted: Value = serde_json::from_str(&std::fs::read_to_string(out)?)?;
    let allowed = noted.get("allowed").and_then(Value::as_u64);
    if allowed != u64::try_from(calls).ok() {
        return Err(format!("{allowed:?} of {calls} calls were allowed").into());
    }
    let times = noted.get("nanos").and_then(Value::as_array).ok_or("the agent noted no times")?;
    Ok(times.iter().filter_map(Value::as_i64).collect())
}
