//! The program itself, if it has been built.

use std::process::{Command, Stdio};

use crate::Bench;
use crate::clients::Task;
use crate::common::Outcome;
use crate::program::{self, Program};

/// Looks for a `mayi` that knows `run`.
///
/// # Errors
/// Why there is none.
pub(crate) fn find() -> Result<Program, String> {
    program::find(&crate::built().map_err(|error| error.to_string())?, "run", "--command")
}

/// One turn of the agent, behind `mayi run`, with folders of its own and one rule.
pub(crate) fn run(program: &Program, bench: &Bench, task: &Task) -> Outcome<()> {
    let home = bench.machine.at("home-of-run")?;
    let mut command = Command::new(&program.path);
    command.arg("run").arg("--command").arg(task.command.join(" ")).arg("--cwd").arg(&task.work);
    command.args(["--allow", "write(**)", "-q", &task.prompt]).current_dir(&task.work);
    program::at_home(&mut command, &home, &std::env::var_os("PATH").unwrap_or_default());
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(format!("mayi run: {}: {said}", output.status).into());
    }
    Ok(())
}
