//! Runs whose record can't be written: nothing runs unrecorded, the agent gets its answer, and the person reads why.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
mod pty;
#[path = "support/waiting.rs"]
mod waiting;

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use pty::Terminal;
use rusqlite::Connection;
use waiting::Machine;

fn data(machine: &Machine) -> PathBuf {
    machine.folder.path().join("home/.local/share/mayi")
}

/// A run in mode `auto` that would write a file.
const WRITES: [&str; 5] = ["run", "demo", "demo: write made.txt x", "--mode", "auto"];

fn text(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// The run ends at its start with `reason`, nothing was done, and it goes on only where that is said.
#[track_caller]
fn refuses_to_start(machine: &Machine, reason: &str) {
    let out = machine.out(&WRITES);
    let said = text(&out);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains(reason), "{said}");
    assert!(said.contains("or go on without a record: --no-record"), "{said}");
    assert!(said.contains("mayi"), "the place is named: {said}");
    assert!(!machine.file("made.txt").exists());
    let out = machine.out(&[&WRITES[..], &["--no-record"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out));
    assert!(machine.file("made.txt").exists());
}

/// Brings what a run has left in SQLite's log to the database, as whoever closes it last does: the log alone would stand in for a
/// database that is damaged.
fn close(machine: &Machine) {
    let store = Connection::open(data(machine).join("store.db")).unwrap();
    store.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
}

/// One entry that somebody has changed hides no others.
/// Attack 22.
#[test]
fn given_an_entry_that_cant_be_read_then_the_others_are_shown() {
    let machine = Machine::new();
    assert_eq!(machine.out(&["run", "demo", "demo: loop 3", "--mode", "auto"]).status.code(), Some(0));
    let count = |code| {
        let out = machine.out(&["log", "--all", "--json"]);
        assert_eq!(out.status.code(), Some(code), "{out:?}");
        (String::from_utf8_lossy(&out.stdout).lines().count(), text(&out))
    };
    let (all, _) = count(0);
    let store = Connection::open(data(&machine).join("store.db")).unwrap();
    store
        .execute_batch(
            "UPDATE record SET detail = '{' WHERE seq = 3; UPDATE record SET kind = 'x' WHERE seq = 4",
        )
        .unwrap();
    let (left, said) = count(1);
    assert_eq!(left, all - 2);
    assert!(said.contains("mayi log verify"), "{said}");
    // D7.7: what is shown is not all.
    assert_eq!(machine.out(&["log"]).status.code(), Some(1));
    assert_eq!(machine.out(&["log", "stats"]).status.code(), Some(1));
    let verify = machine.out(&["log", "verify"]);
    let said = String::from_utf8_lossy(&verify.stdout).into_owned();
    assert!(verify.status.code() == Some(1) && said.contains("entries 3 to 4 were changed"), "{said}");
}

/// Full disk, read-only folder, locked or damaged database: ... `--no-record` has to be said
/// to go on without. Here it is damaged, as a whole or only in its key.
/// Attacks 22 and 113.
#[test]
fn given_a_damaged_database_then_a_run_does_not_start() {
    let machine = Machine::new();
    assert_eq!(machine.out(&["run", "demo", "demo: loop 2", "--mode", "auto"]).status.code(), Some(0));
    close(&machine);
    let store = fs::OpenOptions::new().write(true).open(data(&machine).join("store.db")).unwrap();
    store.write_all_at(&[0x5a; 100], 0).unwrap();
    refuses_to_start(&machine, "is damaged");

    let machine = Machine::new();
    assert_eq!(machine.out(&["run", "demo", "demo: loop 2", "--mode", "auto"]).status.code(), Some(0));
    fs::write(data(&machine).join("key"), "no key\n").unwrap();
    refuses_to_start(&machine, "it is no key of 64 hexadecimal digits");

    let machine = Machine::new();
    assert_eq!(machine.out(&["run", "demo", "demo: loop 2", "--mode", "auto"]).status.code(), Some(0));
    let head = fs::OpenOptions::new().write(true).open(data(&machine).join("head")).unwrap();
    head.write_all_at(b"x", 3).unwrap();
    refuses_to_start(&machine, "was changed, and the record with it: see `mayi log verify`");
}

/// D7.7: `mayi log verify` finds any edit, gap, reordering or removed end: all of it, too.
/// Attack 22.
#[test]
fn given_a_record_that_is_gone_then_verify_says_so() {
    let machine = Machine::new();
    assert_eq!(machine.out(&["log", "verify"]).status.code(), Some(0));
    assert_eq!(machine.out(&["run", "demo", "demo: loop 2", "--mode", "auto"]).status.code(), Some(0));
    close(&machine);
    fs::remove_file(data(&machine).join("store.db")).unwrap();
    let out = machine.out(&["log", "verify"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out).contains("the record itself is gone"), "{}", text(&out));
    // Nor is one without tables a record that nobody has begun.
    fs::write(data(&machine).join("store.db"), "").unwrap();
    fs::set_permissions(data(&machine).join("store.db"), fs::Permissions::from_mode(0o600)).unwrap();
    for words in [["log", "verify"], ["log", "-q"], ["grants", "-q"], ["mcp", "pins"]] {
        let out = machine.out(&words);
        assert_eq!(out.status.code(), Some(1), "{words:?}: {}", text(&out));
        assert!(text(&out).contains("the record's tables are gone"), "{}", text(&out));
    }
}

/// The same: what somebody else adds is never taken for mayi's own, and nothing is written behind it.
/// Attack 22.
#[test]
fn given_an_entry_that_somebody_else_added_then_nothing_runs_behind_it() {
    let machine = Machine::new();
    assert_eq!(machine.out(&["run", "demo", "demo: loop 2", "--mode", "auto"]).status.code(), Some(0));
    let store = Connection::open(data(&machine).join("store.db")).unwrap();
    for seq in ["(SELECT max(seq) + 1 FROM record)", "9223372036854775807"] {
        store
            .execute_batch(&format!(
                "INSERT INTO record (seq, part, at, kind, detail, prev, mac) \
                 SELECT {seq}, 0, at, kind, detail, prev, zeroblob(32) FROM record ORDER BY seq LIMIT 1"
            ))
            .unwrap();
        let out = machine.out(&WRITES);
        assert_eq!(out.status.code(), Some(5), "{out:?}");
        assert!(text(&out).contains("somebody else than mayi wrote behind entry"), "{}", text(&out));
        assert!(!machine.file("made.txt").exists());
        let verify = machine.out(&["log", "verify"]);
        assert_eq!(verify.status.code(), Some(1));
        let said = String::from_utf8_lossy(&verify.stdout).into_owned();
        assert!(said.contains("entry 6 "), "{said}");
        assert!((1..6).all(|own| !said.contains(&format!("entry {own} "))), "nothing of mayi's own: {said}");
    }
}

/// The same: something else is where the folder should be, it is somebody else's too, or it is of a later version.
#[test]
fn given_a_folder_that_is_not_what_it_should_be_then_a_run_does_not_start() {
    let machine = Machine::new();
    fs::create_dir_all(data(&machine).parent().unwrap()).unwrap();
    fs::write(data(&machine), "").unwrap();
    refuses_to_start(&machine, "is not a folder");

    let machine = Machine::new();
    fs::create_dir_all(data(&machine)).unwrap();
    fs::set_permissions(data(&machine), fs::Permissions::from_mode(0o755)).unwrap();
    refuses_to_start(&machine, "is open to other users");

    let machine = Machine::new();
    assert_eq!(machine.out(&["run", "demo", "demo: loop 1", "--mode", "auto"]).status.code(), Some(0));
    let store = Connection::open(data(&machine).join("store.db")).unwrap();
    store.pragma_update(None, "user_version", 9_999).unwrap();
    drop(store);
    refuses_to_start(&machine, "was written by a later version of mayi");
}

/// The same: it can't be written to. Rights don't bind root, so there a folder of the system's takes its place.
#[test]
fn given_a_folder_that_is_read_only_then_a_run_does_not_start() {
    let machine = Machine::new();
    if rustix::process::geteuid().is_root() {
        fs::create_dir_all(data(&machine).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/proc/self", data(&machine)).unwrap();
        refuses_to_start(&machine, "/proc/");
    } else {
        fs::create_dir_all(data(&machine)).unwrap();
        fs::set_permissions(data(&machine), fs::Permissions::from_mode(0o500)).unwrap();
        refuses_to_start(&machine, "can't be written");
        fs::set_permissions(data(&machine), fs::Permissions::from_mode(0o700)).unwrap();
    }
}

/// The same, while it runs: a limit on the size of files is a full disk that anybody can make. The first calls are
/// written down and run; the others are denied, the agent is answered each time, and the record is sound.
/// Attack 113.
#[test]
fn given_no_more_space_then_the_rest_is_denied_and_the_agent_is_answered() {
    let machine = Machine::new();
    let run = machine.mayi(&["run", "demo", "demo: loop 300", "--mode", "auto"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", r#"ulimit -f 900; exec "$0" "$@""#]).arg(run.get_program());
    limited.args(run.get_args()).env_clear().stdin(Stdio::null()).current_dir(run.get_current_dir().unwrap());
    limited.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let out = limited.output().unwrap();
    let (said, told) = (text(&out), String::from_utf8_lossy(&out.stdout).into_owned());
    assert_eq!(out.status.code(), Some(5), "{said}");
    let allowed = said.matches("✓ allowed: ").count();
    let denied = said.matches("✗ denied: ").count();
    assert!(allowed > 0 && denied > 0 && allowed + denied == 300, "{allowed} and {denied}: {said}");
    assert!(
        told.contains(&format!("allow {allowed}, ")) && told.contains(&format!("reject {denied}")),
        "{told}"
    );
    assert_eq!(said.matches("nothing runs that can't be recorded: ").count(), denied);
    let verify = machine.out(&["log", "verify"]);
    assert_eq!(verify.status.code(), Some(0), "{verify:?}");
    let log = machine.out(&["log", "--all", "--json"]);
    let decided = String::from_utf8_lossy(&log.stdout).matches(r#""kind":"decided""#).count();
    assert!((allowed..=allowed + denied).contains(&decided), "every allow is there: {decided} of {allowed}");
}

/// The same: another process keeps the database locked while a person answers. The answer is none, as long as it can't
/// be written down; the question waits, and is answered once it can. Attack 113.
#[test]
fn given_a_locked_database_then_an_answer_is_none_until_it_can_be_written() {
    let machine = Machine::new();
    let run = Terminal::start(machine.mayi(&["run", "demo", "demo: run touch made.txt"]), (30, 100), false);
    run.sees("› n  Deny");
    let other = Connection::open(data(&machine).join("store.db")).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let begun = Instant::now();
    run.send("y");
    run.sees("is locked by");
    assert!(begun.elapsed() < Duration::from_secs(20), "an answer within a bounded time");
    assert!(!machine.file("made.txt").exists());
    other.execute_batch("ROLLBACK").unwrap();
    run.insist("y", "✓ allowed once");
    assert_eq!(run.exit().code(), Some(0), "{}", run.screen());
    assert!(machine.file("made.txt").exists());
}

/// The same: the database is damaged while a question waits. Whatever is answered, nothing runs.
#[test]
fn given_a_database_that_is_damaged_while_a_question_waits_then_nothing_runs() {
    let machine = Machine::new();
    let run = Terminal::start(machine.mayi(&["run", "demo", "demo: run touch made.txt"]), (30, 100), false);
    run.sees("› n  Deny");
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        let path = data(&machine).join(name);
        let Ok(meta) = path.metadata() else { continue };
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&vec![0x5a; usize::try_from(meta.len()).unwrap()], 0).unwrap();
    }
    run.send("y");
    run.sees("nothing runs that can't be recorded");
    assert!(!machine.file("made.txt").exists());
    run.send("\x03");
    let code = run.exit().code();
    assert!(!machine.file("made.txt").exists(), "{code:?}: {}", run.screen());
}
