//! The gates, each set up as its own installer does it for Claude Code and with nothing configured besides.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use mayi_tests::everyday;

use crate::answer::Answer;

/// A gate, and where it was set up.
pub(crate) struct Gate {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it says to `--version`.
    pub(crate) version: String,
    program: PathBuf,
    /// What is started to set it up, in a project.
    setup: &'static [&'static str],
    /// What a harness starts for each call.
    hook: &'static [&'static str],
    /// Whether the hook has to be told where its folders are: mayi takes the home folder from the password entry, since an
    /// agent could change the environment.
    told: bool,
    /// What is interpreted, by what.
    by: Option<OsString>,
}

/// What came of one call.
pub(crate) struct Run {
    /// What it means.
    pub(crate) answer: Answer,
    /// From before the process was started until it had ended.
    pub(crate) took: Duration,
}

/// All of them: `mayi`, and what `installed` holds.
pub(crate) fn all(mayi: &Path, installed: &Path) -> Result<Vec<Gate>, String> {
    let gate = |name, program: PathBuf, setup, hook| Gate {
        name,
        version: String::new(),
        program,
        setup,
        hook,
        told: false,
        by: None,
    };
    let crates = |name: &str| installed.join("bin").join(name);
    let script = installed.join("node_modules/cc-safety-net/dist/bin/cc-safety-net.js");
    let mut gates = vec![
        Gate { told: true, ..gate("mayi", mayi.to_owned(), &["init"], &["hook", "claude-code"]) },
        gate("OpenMoat", crates("moat"), &["init", "--yes"], &["guard", "--host", "claude-code"]),
        gate("safe-chains", crates("safe-chains"), &[], &[]),
        gate("Termaxa", crates("termaxa"), &["init", "--claude-code"], &["hook"]),
        Gate { by: Some("node".into()), ..gate("CC Safety Net", script, &[], &["hook", "--claude-code"]) },
    ];
    for gate in &mut gates {
        let said =
            gate.command(&["--version"]).output().map_err(|error| format!("{}: {error}", gate.name))?;
        let text = String::from_utf8_lossy(&said.stdout);
        let number = text.split_whitespace().find_map(|word| {
            let word = word.trim_start_matches('v');
            word.starts_with(|first: char| first.is_ascii_digit()).then(|| word.to_owned())
        });
        gate.version = number.ok_or_else(|| format!("{} does not say its version: {text}", gate.name))?;
    }
    Ok(gates)
}

impl Gate {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = match &self.by {
            Some(by) => {
                let mut command = Command::new(by);
                command.arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        command.args(words);
        command
    }

    /// Makes a project of this kind below `ground` and a home for it, and sets the gate up there.
    pub(crate) fn settle(&self, ground: &Path, kind: &str) -> Result<Place, String> {
        let top = ground.join(self.name.replace(' ', "-")).join(kind);
        let (home, work) = (top.join("home"), top.join("home/a"));
        for folder in
            [&work, &home.join(".claude"), &home.join(".local/state/mayi"), &home.join(".local/share/mayi")]
        {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(|error| error.to_string())?;
        }
        everyday::fill(&work, kind);
        let place = Place { home, work };
        if !self.setup.is_empty() {
            let mut setup = self.command(self.setup);
            let done = place.within(&mut setup).stdin(Stdio::null()).output();
            let done = done.map_err(|error| format!("{}: {error}", self.name))?;
            if !done.status.success() {
                return Err(format!("{} could not be set up: {}", self.name, said(&done)));
            }
        }
        Ok(place)
    }

    /// What it says of `line`, as a harness asks it. Each line is in a session of its own, so that no gate remembers another.
    pub(crate) fn ask(&self, place: &Place, line: &str, number: usize) -> std::io::Result<Run> {
        let event = serde_json::json!({
            "session_id": format!("00000000-0000-4000-8000-{number:012}"),
            "transcript_path": place.home.join(".claude/transcript.jsonl"), "cwd": place.work,
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": place.named(line), "description": "A step" }, "tool_use_id": format!("toolu_{number}"),
        })
        .to_string();
        let mut command = self.command(self.hook);
        if self.told {
            let folders =
                [("config", ".config/mayi"), ("data", ".local/share/mayi"), ("state", ".local/state/mayi")];
            for (option, folder) in folders {
                command.arg(format!("--{option}-folder")).arg(place.home.join(folder));
            }
        }
        let output = place.within(&mut command);
        let began = Instant::now();
        let output = run(output, &event)?;
        let took = began.elapsed();
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(Run { answer: Answer::of(output.status.code(), &text), took })
    }
}

/// How long a process takes that does nothing.
pub(crate) fn nothing(place: &Place) -> std::io::Result<Duration> {
    let mut command = Command::new("true");
    let began = Instant::now();
    run(place.within(&mut command), "{}")?;
    Ok(began.elapsed())
}

fn run(command: &mut Command, event: &str) -> std::io::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not read it is gone by then.
        let _ = stdin.write_all(event.as_bytes());
    }
    child.wait_with_output()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A project and a home folder, in which one gate was set up.
pub(crate) struct Place {
    home: PathBuf,
    work: PathBuf,
}

impl Place {
    /// Nothing of the person's own is in the environment.
    fn within<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .current_dir(&self.work)
            .env_clear()
            .env("PATH", path)
            .env("HOME", &self.home)
            .env("LANG", OsStr::new("C.UTF-8"))
    }

    /// The line with the folders of the corpus as they are called here.
    fn named(&self, line: &str) -> String {
        let (home, work) = (self.home.display().to_string(), self.work.display().to_string());
        line.replace("/home/me", &home).replace("/w/", &format!("{work}/"))
    }
}
