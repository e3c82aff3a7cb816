//! One test's world for a harness without a person: a home, a project, a model, an MCP server, and a hook.
//!
//! Put any command in the place of the hook: `Headless::new(harness).hook("mayi hook claude-code")`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent;
use crate::harness::{Harness, Hook, Place, write};
use crate::model::Model;
use crate::processes;
use crate::running::{Output, Running};

/// How long a harness waits for a hook, where no test is about it.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Headless {
    harness: Harness,
    model: Model,
    place: Place,
    // Ends after everything in it has.
    folder: tempfile::TempDir,
}

/// What was seen of a run after its end.
pub(crate) struct Ran {
    pub(crate) output: Output,
    pub(crate) took: Duration,
}

impl Headless {
    /// A project with `notes.txt`, and a harness without hooks.
    pub(crate) fn new(harness: Harness) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let model = Model::start(folder.path());
        let stage = folder.path().canonicalize().unwrap().join("stage");
        let place = Place {
            home: stage.join("home"),
            project: stage.join("project"),
            port: model.port(),
            server: (env!("CARGO_BIN_EXE_mini_mcp").into(), stage.join("mini.jsonl")),
        };
        write(&place.project.join("notes.txt"), crate::scene::NOTES);
        fs::create_dir_all(&place.home).unwrap();
        harness.settle(&place, None);
        Self { harness, model, place, folder }
    }

    /// Installs a command before every tool.
    pub(crate) fn hook(self, command: &str) -> Self {
        self.hooked(command, PATIENCE, json!({}))
    }

    /// The same, with the time that the harness gives it, and more keys of its entry.
    pub(crate) fn hooked(self, command: &str, limit: Duration, more: Value) -> Self {
        self.harness.settle(&self.place, Some(&Hook { command, limit, more }));
        self
    }

    /// Installs a script of the shell's as the hook. It keeps each event before it does what `body` says.
    pub(crate) fn script(self, body: &str) -> Self {
        self.scripted(body, PATIENCE, json!({}))
    }

    pub(crate) fn scripted(self, body: &str, limit: Duration, more: Value) -> Self {
        let (script, events) = (self.at("hook.sh"), self.at("events.jsonl"));
        // In one write, for two hooks can run at once.
        let keep = format!("event=$(cat)\nprintf '%s\\n' \"$event\" >>'{}'\n", events.display());
        write(&script, &format!("{keep}{body}\n"));
        self.hooked(&format!("/bin/sh '{}'", script.display()), limit, more)
    }

    /// Installs mayi's own hook, as its user does, under these rules of the user's.
    pub(crate) fn gated(self, rules: &str) -> Self {
        self.gated_with(rules, &[])
    }

    /// The same, with these options of `mayi hook install`.
    pub(crate) fn gated_with(self, rules: &str, options: &[&str]) -> Self {
        let home = &self.place.home;
        write(&home.join(".config/mayi/config.toml"), rules);
        let mut install = Command::new(mayi_tests::mayi_program());
        install.env_clear().env("HOME", home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        install.current_dir(&self.place.project).args(["hook", "install", self.harness.hook_name(), "--yes"]);
        install.args(options);
        let done = install.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        self
    }

    /// Writes a file of the project's.
    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        write(&self.place.project.join(name), text);
        self
    }

    /// Runs a case to its end, with the harness's own prompts off.
    pub(crate) fn run(&self, case: &str) -> Ran {
        self.run_with(case, self.harness.unasked())
    }

    /// Runs a case to its end, with these options of the harness.
    pub(crate) fn run_with(&self, case: &str, options: &[&str]) -> Ran {
        let mut command = self.harness.command(&self.place);
        command.args(options);
        let prompt = format!("case: {case} in {}", self.place.project.display());
        self.harness.prompted(&mut command, &prompt);
        let begin = Instant::now();
        let output = Running::start(command).end();
        Ran { output, took: begin.elapsed() }
    }

    /// Whether a file of the project's is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.place.project.join(name).exists()
    }

    /// Takes a file of the project's away.
    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.place.project.join(name)).unwrap();
    }

    /// The home folder.
    pub(crate) fn home(&self) -> &Path {
        &self.place.home
    }

    /// What a file of the project's holds.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.place.project.join(name)).unwrap_or_default()
    }

    /// The events that a script got, oldest first.
    pub(crate) fn events(&self) -> Vec<Value> {
        let events = fs::read_to_string(self.at("events.jsonl")).unwrap_or_default();
        events.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The tools of the MCP server that were really called.
    pub(crate) fn calls(&self) -> Vec<String> {
        let log = fs::read_to_string(&self.place.server.1).unwrap_or_default();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let calls = lines.filter(|line| line["event"] == "call");
        calls.map(|call| call["params"]["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Whether the model was told something that holds `part`.
    pub(crate) fn told(&self, part: &str) -> bool {
        self.model.asked().iter().any(|asked| asked.last().to_string().contains(part))
    }

    /// Everything that helps to see why a test failed.
    pub(crate) fn report(&self, ran: &Ran) -> String {
        let asked: Vec<_> = self.model.asked().iter().map(|asked| asked.short()).collect();
        let events: Vec<_> = self.events().iter().map(Value::to_string).collect();
        let (out, err) = (ran.output.lines.join("\n"), &ran.output.err);
        format!(
            "{:?} with {}, code {} after {:?}\n{out}\n{err}\nmodel:\n{}\nevents:\n{}",
            self.harness,
            agent::packages().display(),
            ran.output.code,
            ran.took,
            asked.join("\n"),
            events.join("\n"),
        )
    }

    fn at(&self, name: &str) -> PathBuf {
        self.stage().join(name)
    }

    /// The folder that everything is in which this run has to do with.
    pub(crate) fn stage(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("stage")
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        processes::end(&self.stage());
    }
}
