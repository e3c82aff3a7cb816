//! "Failure of any kind blocks": whatever happens to the worker, the parent says so in time, by the code that harnesses take for a
//! block.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mayi_tests::{LIMIT, mayi_program, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::scene::{Answer, Scene};

/// A hook whose event does not end before it is told to: its worker waits for that.
struct Held {
    parent: Child,
    worker: Pid,
    began: Instant,
}

impl Held {
    fn start(scene: &Scene, options: &[&str]) -> Self {
        let mut command = Command::new(mayi_program());
        command.args(["hook", "claude-code"]).args(options).args(scene.folders());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let parent = command.spawn().unwrap();
        let pid = parent.id();
        let children = format!("/proc/{pid}/task/{pid}/children");
        let worker =
            || std::fs::read_to_string(&children).ok()?.split_whitespace().next()?.parse::<i32>().ok();
        until(LIMIT, || {
            // It is the worker once it is called so.
            let name = worker().and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/comm")).ok());
            if name.is_some_and(|name| name.trim() == "mayi-worker") {
                Ok(())
            } else {
                Err("no worker".to_owned())
            }
        });
        let worker = Pid::from_raw(worker().unwrap()).unwrap();
        Self { parent, worker, began: Instant::now() }
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.worker, signal).unwrap();
    }

    fn end(self) -> (i32, String, String, Duration) {
        let output = self.parent.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr), self.began.elapsed())
    }
}

/// Attack 3.
#[test]
fn given_a_worker_that_is_killed_then_it_blocks_at_once() {
    let scene = Scene::new("mode = \"auto\"\n");
    for signal in [Signal::KILL, Signal::ABORT, Signal::TERM] {
        let held = Held::start(&scene, &[]);
        held.signal(signal);
        let (code, out, err, took) = held.end();
        assert_eq!((code, out.as_str()), (2, ""), "{signal:?}: {err}");
        assert!(
            err.starts_with("mayi: blocked") && err.contains("signal") && err.lines().count() == 1,
            "{err}"
        );
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}

/// Attack 3.
#[test]
fn given_a_worker_that_is_stopped_then_it_blocks_in_time_and_nothing_is_left() {
    let scene = Scene::new("mode = \"auto\"\n");
    let held = Held::start(&scene, &["--time-limit", "1s"]);
    held.signal(Signal::STOP);
    let worker = held.worker;
    let (code, out, err, took) = held.end();
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("longer than 1.0 s"), "{err}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    let there = std::path::PathBuf::from(format!("/proc/{}", worker.as_raw_nonzero()));
    until(LIMIT, || if there.exists() { Err("the worker is left".to_owned()) } else { Ok(()) });
}

/// A worker that is a fork gives back what it has of its parent's: a harness that waits until nobody holds its streams does not wait
/// for what a worker does behind its answer, or for one that is stopped there.
#[test]
fn given_a_worker_that_goes_on_then_the_harness_has_its_streams_back() {
    let scene = Scene::new("mode = \"auto\"\n");
    let held = Held::start(&scene, &["--time-limit", "1s"]);
    held.signal(Signal::STOP);
    let fds = format!("/proc/{}/fd", held.worker.as_raw_nonzero());
    let leads = |pid: u32, fd: u32| std::fs::read_link(format!("/proc/{pid}/fd/{fd}")).unwrap();
    let parent = held.parent.id();
    let theirs = [leads(parent, 1), leads(parent, 2)];
    let worker: Vec<_> = std::fs::read_dir(&fds)
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .collect();
    assert!(worker.contains(&leads(parent, 0)), "the event is the worker's: {worker:?}");
    assert!(!theirs.iter().any(|stream| worker.contains(stream)), "{theirs:?} are the parent's: {worker:?}");
    let (code, _, err, _) = held.end();
    assert_eq!(code, 2, "{err}");
}

/// A parent that is killed takes its worker with it: nobody would hear the answer.
#[test]
fn given_a_parent_that_is_killed_then_its_worker_ends() {
    let scene = Scene::new("");
    let mut held = Held::start(&scene, &["--time-limit", "5m"]);
    // Beyond the moment in which it says so to the system.
    let stat = format!("/proc/{}/wchan", held.worker.as_raw_nonzero());
    until(LIMIT, || {
        let waits = std::fs::read_to_string(&stat).unwrap_or_default();
        if waits.contains("pipe") || waits == "0" { Ok(()) } else { Err(waits) }
    });
    held.parent.kill().unwrap();
    held.parent.wait().unwrap();
    let there = std::path::PathBuf::from(format!("/proc/{}", held.worker.as_raw_nonzero()));
    until(LIMIT, || if there.exists() { Err("the worker is left".to_owned()) } else { Ok(()) });
}

/// A worker that is started, where there is no fork, knows its parent's id: one whose parent was killed before it could ask to be told
/// does nothing, and says nothing.
#[test]
fn given_a_worker_whose_parent_was_gone_before_it_began_then_it_ends_at_once() {
    let scene = Scene::new("mode = \"auto\"\n");
    let event = scene.event("PreToolUse", "Read", &json!({ "file_path": "a" }), "t").to_string();
    let worker = |parent: &str| {
        let words = ["hook", "--worker", parent, "claude-code"].map(OsString::from);
        scene.machine.mayi(words.into_iter().chain(scene.folders())).input(event.as_bytes()).end()
    };
    let (mine, other) = (std::process::id().to_string(), std::os::unix::process::parent_id().to_string());
    let said = worker(&mine);
    assert_eq!((said.code, said.text().starts_with("mayi-hook ")), (Some(0), true), "{said}");
    let before = scene.entries().len();
    for parent in [&other, "0", "-1", "claude-code", ""] {
        let silent = worker(parent);
        assert_eq!((silent.code, silent.text().as_str()), (Some(1), ""), "{parent}: {silent}");
    }
    assert_eq!(scene.entries().len(), before);
}

/// The store's lock is waited for 50 ms at most, then it blocks.
#[test]
fn given_a_store_that_is_locked_then_it_blocks_in_time() {
    let scene = Scene::new("mode = \"auto\"\n");
    scene.before("Bash", &json!({ "command": "make" })).is("allow");
    let lock = OpenOptions::new().write(true).open(scene.machine.outside("data/mayi/lock")).unwrap();
    lock.lock().unwrap();
    let answer = scene.before("Bash", &json!({ "command": "make" }));
    answer.blocks("nothing runs that can't be recorded");
    lock.unlock().unwrap();
    scene.before("Bash", &json!({ "command": "make" })).is("allow");
}

#[test]
fn given_a_configuration_that_is_damaged_then_it_blocks_and_says_where() {
    for (text, why) in [
        ("mode = \"aut", "config.toml:1"),
        ("[rules]\nallow = [\"shel(x)\"]\n", "config.toml:2"),
        ("unknown = 1\n", "unknown"),
        ("[[rule]]\neffect = \"allow\"\npattern = \"shell(x)\"\nmatch = [\"y\"]\n", "config.toml"),
    ] {
        let scene = Scene::new(text);
        scene.before("Bash", &json!({ "command": "ls" })).blocks(why);
    }
    let scene = Scene::new("mode = \"auto\"\n");
    let file = scene.machine.outside("config/mayi/config.toml");
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o666)).unwrap();
    scene.before("Bash", &json!({ "command": "ls" })).blocks("written by other users");
}

#[test]
fn given_what_is_no_event_then_it_blocks() {
    let scene = Scene::new("mode = \"auto\"\n");
    for bytes in
        [&b""[..], b"{", b"null", b"x", b"\xff\xfe", b"{}", b"[1]", b"{\"hook_event_name\":\"PreToolUse\"}"]
    {
        Answer::of(scene.hook("claude-code", &[]).input(bytes).end()).blocks("event");
    }
    let ended = scene.hook("claude-code", &["--mode", "auto"]).input(b"{}").end();
    Answer::of(ended).blocks("--mode");
}

/// A 10 MiB event is "blocked or rightly decided, in time".
#[test]
fn given_a_very_large_event_then_it_is_rightly_decided_or_blocked() {
    let scene = Scene::new("[rules]\nallow = [\"write(src/**)\"]\n");
    let text = "x y z\n".repeat(10 << 20 >> 2).chars().take(10 << 20).collect::<String>();
    let allowed = scene.before("Write", &json!({ "file_path": "src/a", "content": text }));
    assert!(allowed.decision == "allow" || allowed.code == 2, "{}", allowed.reason);
    let line = format!("make {}", "x ".repeat(1 << 20));
    let asked = scene.before("Bash", &json!({ "command": line }));
    assert!(asked.decision == "ask" || asked.code == 2, "{}", asked.reason);
    let huge = vec![b' '; (16 << 20) + 1];
    Answer::of(scene.hook("claude-code", &[]).input(&huge).end()).blocks("16 MiB");
}

/// A disk that takes nothing more: what can't be written down does not run.
#[test]
fn given_a_disk_that_is_full_then_it_blocks() {
    let scene = Scene::new("mode = \"auto\"\n");
    scene.before("Bash", &json!({ "command": "make" })).is("allow");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make" }), "t").to_string();
    let mut shell = Command::new("/bin/sh");
    // No file may grow, as on a disk that is full; what there is can be read.
    shell.args(["-c", "ulimit -f 0; exec \"$@\"", "sh"]).arg(mayi_program()).args(["hook", "claude-code"]);
    shell.args(scene.folders()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{err}");
    assert!(err.contains("nothing runs that can't be recorded"), "{err}");
}

/// The data folder is another one's, or gone: what can't be written down does not run.
#[test]
fn given_a_record_that_can_not_be_kept_then_it_blocks() {
    let scene = Scene::new("mode = \"auto\"\n");
    std::fs::create_dir_all(scene.machine.outside("data")).unwrap();
    File::create(scene.machine.outside("data/mayi")).unwrap();
    scene.before("Bash", &json!({ "command": "make" })).blocks("can't be recorded");
}
