//! The program itself, if it has been built.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Bench;
use crate::clients::Task;
use crate::common::Outcome;

/// A `mayi` that knows `run`.
pub(crate) struct Program {
    path: PathBuf,
    /// `release` or `debug`.
    pub(crate) profile: &'static str,
}

/// Looks for it beside what was built for this bench: release first.
///
/// # Errors
/// Why there is none.
pub(crate) fn find() -> Result<Program, String> {
    let built = crate::built().map_err(|error| error.to_string())?;
    let target = built.parent().unwrap_or(&built);
    let mut why = "there is no target/release/mayi and no target/debug/mayi".to_owned();
    for profile in ["release", "debug"] {
        let path = target.join(profile).join(format!("mayi{}", std::env::consts::EXE_SUFFIX));
        if !path.is_file() {
            continue;
        }
        let help = Command::new(&path).args(["run", "--help"]).stdin(Stdio::null()).output();
        if help.is_ok_and(|help| {
            help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--command")
        }) {
            return Ok(Program { path, profile });
        }
        why = format!("{} does not know `run --command`: build it anew", path.display());
    }
    Err(why)
}

impl Program {
    /// One turn of the agent, behind `mayi run`, with folders of its own and one rule.
    pub(crate) fn run(&self, bench: &Bench, task: &Task) -> Outcome<()> {
        let home = bench.machine.at("home-of-run")?;
        let mut command = Command::new(&self.path);
        command.arg("run").arg("--command").arg(task.command.join(" ")).arg("--cwd").arg(&task.work);
        command.args(["--allow", "write(**)", "-q", &task.prompt]).current_dir(&task.work).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", &home);
        for (name, folder) in
            [("CONFIG", ".config"), ("DATA", ".local/share"), ("STATE", ".local/state"), ("CACHE", ".cache")]
        {
            command.env(format!("XDG_{name}_HOME"), home.join(folder));
        }
        let output = command.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(format!("mayi run: {}: {said}", output.status).into());
        }
        Ok(())
    }
}
