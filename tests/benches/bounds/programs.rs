//! `mayi check` as a library and as a program, and `mayi hook`, which is a process for each call.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use mayi_check::{Checker, Request};
use mayi_core::config::Sources;
use mayi_tests::heavy::Input;
use serde_json::Value;

use crate::common::Outcome;
use crate::running::Running;
use crate::watch::{Told, Watch, used_by_children};
use crate::{Bench, Door, resident};

/// What is nobody's harm.
fn harmless() -> Input {
    Input::Line("ls src".to_owned())
}

struct Library {
    checker: Checker,
    work: PathBuf,
}

pub(crate) fn library(bench: &Bench, rules: &Path, _: &Path) -> Outcome<Box<dyn Door>> {
    let work = bench.machine.work.clone();
    let sources = Sources { only: Some(rules.to_owned()), cwd: work.clone(), ..Sources::default() };
    let mut door = Library { checker: Checker::new(sources, true), work };
    // The files are read with the first request.
    door.tell(&harmless(), 0)?;
    Ok(Box::new(door))
}

impl Door for Library {
    fn tell(&mut self, input: &Input, _: usize) -> Outcome<Told> {
        let line = input.request(&self.work).to_string();
        let watch = Watch::begin(std::process::id())?;
        let card = match Request::from_json(&line) {
            Ok(request) => {
                let decision = self.checker.decide(&request).map_err(|error| format!("{error:?}"))?;
                decision.effect.to_string() == "ask"
            }
            Err(_) => false,
        };
        let took = watch.took(Instant::now());
        watch.end(took, card)
    }

    fn ends_well(&mut self) -> Outcome<()> {
        self.tell(&harmless(), 0).map(drop)
    }
}

struct Check {
    running: Running,
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
    work: PathBuf,
}

pub(crate) fn check(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let rules = rules.display().to_string();
    let mut running = Running::start(bench.mayi(&["check", "--stdin", "--config", &rules], folder))?;
    let (stdin, stdout) = running.streams()?;
    let work = bench.machine.work.clone();
    let mut door = Check { running, stdin, lines: BufReader::new(stdout), work };
    door.tell(&harmless(), 0)?;
    Ok(Box::new(door))
}

impl Door for Check {
    fn tell(&mut self, input: &Input, _: usize) -> Outcome<Told> {
        let request = format!("{}\n", input.request(&self.work));
        let watch = Watch::begin(self.running.id())?;
        self.stdin.write_all(request.as_bytes())?;
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            return Err("it has ended".into());
        }
        let took = watch.took(Instant::now());
        let answer: Value = serde_json::from_str(&line)?;
        watch.end(took, answer.get("effect").is_some_and(|effect| effect == "ask"))
    }

    fn ends_well(&mut self) -> Outcome<()> {
        self.tell(&harmless(), 0).map(drop)
    }
}

struct Hook {
    program: PathBuf,
    words: Vec<PathBuf>,
    work: PathBuf,
}

pub(crate) fn hook(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let mut words: Vec<PathBuf> = vec!["hook".into(), "claude-code".into()];
    for (option, name) in
        [("--config-folder", "config"), ("--data-folder", "data"), ("--state-folder", "state")]
    {
        let folder = folder.join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        words.extend([option.into(), folder]);
    }
    std::fs::copy(rules, folder.join("config/config.toml"))?;
    let mut door = Hook { program: bench.program.path.clone(), words, work: bench.machine.work.clone() };
    door.tell(&harmless(), 0)?;
    wait_until_compiled(&folder.join("state"))?;
    Ok(Box::new(door))
}

/// The first process that meets a large file reads it, and compiles it once its answer is given: that is told as the start.
fn wait_until_compiled(state: &Path) -> Outcome<()> {
    let folder = state.join("compiled");
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(30) {
        let written = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        if written.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().ends_with(".policy")) {
            return Ok(());
        }
        // A small one is not compiled: its folder is not even there.
        if !folder.exists() && begin.elapsed() > Duration::from_secs(2) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err("the rules are never compiled".into())
}

impl Door for Hook {
    fn tell(&mut self, input: &Input, number: usize) -> Outcome<Told> {
        let mut event = input.event(&self.work);
        if let Some(members) = event.as_object_mut() {
            members.insert("tool_use_id".to_owned(), format!("toolu_{number}").into());
        }
        let event = event.to_string();
        let used = used_by_children(std::process::id())?;
        let begin = Instant::now();
        let mut child = Command::new(&self.program)
            .args(&self.words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (id, stdin) = (child.id(), child.stdin.take());
        let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(event.as_bytes())));
        let ended = std::thread::spawn(move || (child.wait_with_output(), Instant::now()));
        let mut grew = 0;
        while !ended.is_finished() {
            grew = grew.max(largest(id));
            std::thread::sleep(Duration::from_micros(500));
        }
        let (output, at) = ended.join().map_err(|_| "nobody has waited for it")?;
        let _ = writer.join();
        let said = String::from_utf8(output?.stdout)?;
        let used = used_by_children(std::process::id())?.saturating_sub(used);
        Ok(Told { took: at - begin, grew, used, card: said.contains("\"ask\"") })
    }

    fn ends_well(&mut self) -> Outcome<()> {
        self.tell(&harmless(), 0).map(drop)
    }
}

/// KiB that a process or one of its children has taken at most, as long as they are there.
fn largest(process: u32) -> u64 {
    let own = resident::of(process).map_or(0, |[_, most]| most);
    let children =
        std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let each = children.split_whitespace().filter_map(|child| child.parse().ok());
    each.map(largest).chain([own]).max().unwrap_or_default()
}
