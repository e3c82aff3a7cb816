//! Decisions a second, by one and by four processes that share one record.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::Outcome;

const WORKER: &str = env!("CARGO_BIN_EXE_store_worker");

pub(crate) fn measure(decisions: u32) -> Outcome<()> {
    for power in [false, true] {
        for processes in [1, 4] {
            let each = if power { decisions / 20 } else { decisions } / processes;
            let seconds = run(processes, each, power)?;
            let rate = f64::from(each * processes) / seconds;
            let what = if power { "power" } else { "process" };
            println!("{processes} processes, {what}: {rate:.0} decisions a second");
        }
    }
    Ok(())
}

fn run(processes: u32, each: u32, power: bool) -> Outcome<f64> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("mayi");
    let mut workers = Vec::new();
    for number in 0..processes {
        let mut command = Command::new(WORKER);
        command.arg(&data).args(["append", &number.to_string(), &each.to_string(), "silent"]);
        if power {
            command.arg("power");
        }
        let mut worker = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(worker.stdout.take().ok_or("no output")?);
        let mut line = String::new();
        lines.read_line(&mut line)?;
        if line != "ready\n" {
            return Err(line.into());
        }
        workers.push((worker, lines));
    }
    let begin = Instant::now();
    for (worker, _) in &mut workers {
        worker.stdin.as_mut().ok_or("no input")?.write_all(b"begin\n")?;
    }
    for (worker, lines) in &mut workers {
        let mut said = String::new();
        lines.read_to_string(&mut said)?;
        if !worker.wait()?.success() {
            return Err(said.into());
        }
    }
    Ok(begin.elapsed().as_secs_f64())
}
