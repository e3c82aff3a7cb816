//! What takes long says so on a terminal, and nothing of it stays; never in a pipe or in JSON (S1.25).
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
mod pty;

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pty::Terminal;
use tempfile::TempDir;

const LIVE: &str = "› n  Deny";

fn machine() -> TempDir {
    let machine = tempfile::tempdir().unwrap();
    for folder in ["home", "work"] {
        std::fs::create_dir(machine.path().join(folder)).unwrap();
    }
    machine
}

fn mayi(machine: &TempDir, words: &[&str]) -> Command {
    let mut mayi = Command::new(env!("CARGO_BIN_EXE_mayi"));
    mayi.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", machine.path().join("home"));
    mayi.current_dir(machine.path().join("work")).args(words);
    mayi
}

/// The demo agent, which begins once the file `go` is there.
fn slow_agent(machine: &TempDir) -> (String, PathBuf) {
    let (program, go) = (machine.path().join("slow-agent"), machine.path().join("go"));
    let script = format!(
        "#!/bin/sh\nwhile [ ! -e '{}' ]; do sleep 0.05; done\nexec '{}' demo-agent\n",
        go.display(),
        env!("CARGO_BIN_EXE_mayi")
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (program.display().to_string(), go)
}

#[test]
fn given_an_agent_that_starts_slowly_then_that_is_said_and_nothing_of_it_stays() {
    let machine = machine();
    let (agent, go) = slow_agent(&machine);
    let program = mayi(&machine, &["run", "--command", &agent, "demo: run touch ran.txt"]);
    let terminal = Terminal::start(program, (24, 80), false);
    terminal.sees("the agent is starting");
    File::create(go).unwrap();
    terminal.sees(LIVE);
    let screen = terminal.screen();
    assert!(!screen.contains("is starting") && !screen.contains("the agent works"), "{screen}");
    // Nothing is drawn over the card.
    let drawn = terminal.raw();
    let after = &drawn[drawn.rfind("wants to run a command").unwrap()..];
    assert!(!after.contains("works") && !after.contains("starting"), "{after:?}");
    terminal.send("y");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    let screen = terminal.screen();
    assert!(!screen.contains("is starting") && !screen.contains("the agent works"), "{screen}");
    assert!(terminal.as_before());
}

#[test]
fn given_a_pipe_or_json_then_no_word_of_it_is_in_there() {
    for more in [&["--format", "text"][..], &["--format", "json"], &["--format", "stream-json"], &["--quiet"]]
    {
        let machine = machine();
        let (agent, go) = slow_agent(&machine);
        let mut words = vec!["run"];
        words.extend(more);
        words.extend([
            "--on-ask",
            "deny",
            "--timeout",
            "60s",
            "--command",
            &agent,
            "demo: run touch ran.txt",
        ]);
        // Beside one in a terminal, which says when it has taken long enough for a word.
        let mut piped = mayi(&machine, &words);
        let child = piped.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let in_json =
            (more[0] == "--format").then(|| Terminal::start(mayi(&machine, &words), (24, 80), false));
        let shown = mayi(&machine, &["run", "--command", &agent, "demo: run touch other.txt"]);
        let terminal = Terminal::start(shown, (24, 80), false);
        terminal.sees("the agent is starting");
        File::create(go).unwrap();
        let done = child.wait_with_output().unwrap();
        for text in [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).unwrap()) {
            assert!(!text.contains("is starting") && !text.contains('\x1b'), "{more:?}: {text:?}");
        }
        if let Some(terminal) = in_json.filter(|_| more[1] != "text") {
            terminal.exit();
            assert!(!terminal.raw().contains("is starting"), "{more:?}: {:?}", terminal.raw());
        }
        terminal.sees(LIVE);
        terminal.send("n");
        terminal.exit();
    }
}

/// The record's own lock, wherever it is below the home folder.
fn lock(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().path());
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => lock(&path),
        false => (path.file_name()? == LOCK_NAME).then_some(path),
    })
}

const LOCK_NAME: &str = "lock";

#[test]
fn given_a_record_that_is_checked_slowly_then_that_is_said_and_not_in_json() {
    let machine = machine();
    let mut run = mayi(&machine, &["run", "--on-ask", "deny", "demo", "demo: run touch ran.txt"]);
    run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let path = lock(&machine.path().join("home")).expect("the record has a lock");
    // Whoever checks waits for it.
    let held = File::options().read(true).write(true).open(path).unwrap();
    held.lock().unwrap();
    let quiet = [&["log", "verify", "--json"][..], &["log", "verify", "-q"]];
    let quiet = quiet.map(|words| Terminal::start(mayi(&machine, words), (24, 80), false));
    let terminal = Terminal::start(mayi(&machine, &["log", "verify"]), (24, 80), false);
    terminal.sees("checking entries");
    drop(held);
    terminal.sees("sound: ");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert!(!terminal.screen().contains("checking"), "{}", terminal.screen());
    assert!(terminal.as_before());
    for other in quiet {
        assert_eq!(other.exit().code(), Some(0), "{}", other.screen());
        assert!(!other.raw().contains("checking"), "{:?}", other.raw());
    }
}
