//! mayi's own hook fails, or has much to do, while a real harness with its prompts off waits for it: the tool is blocked or
//! rightly decided, and the harness goes on in time (failure of any kind blocks).

use std::fs::OpenOptions;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::Signal;

use crate::harness::Harness;
use crate::headless::{Headless, Ran};
use crate::processes;

/// So long a harness may take for one prompt, whatever its hook does.
const IN_TIME: Duration = Duration::from_secs(120);

/// What the cases want, so that only the failure can be why nothing happens.
const WANTED: [&str; 4] = ["shell(touch *)", "shell(echo *)", "write(**)", "read(**)"];

/// What the cases want is allowed.
fn allowed() -> String {
    rules(&WANTED.map(str::to_owned), &[])
}

fn rules(allow: &[String], deny: &[String]) -> String {
    format!("[rules]\nallow = {allow:?}\ndeny = {deny:?}\n")
}

/// 100,000 rules about nothing that the cases do.
fn many() -> impl Iterator<Item = String> {
    (0..100_000).map(|n| format!("shell(tool-{n} *)"))
}

/// What the cases want is allowed among so many rules that it takes a worker a while to read them.
fn allowed_among_many() -> String {
    let allow: Vec<String> = WANTED.map(str::to_owned).into_iter().chain(many()).collect();
    rules(&allow, &[])
}

/// Runs a case while every worker of the hook gets `signal` as soon as it is there. Says how many did.
fn run_with_signal(scene: &Headless, case: &str, signal: Signal) -> (Ran, usize) {
    let (over, met) = (AtomicBool::new(false), AtomicUsize::new(0));
    let ran = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let workers = processes::of(&scene.stage());
                for worker in workers.iter().filter(|process| process.name == "mayi-worker") {
                    met.fetch_add(usize::from(worker.signal(signal)), Ordering::Relaxed);
                }
                std::thread::yield_now();
            }
        });
        let ran = scene.run(case);
        over.store(true, Ordering::Relaxed);
        ran
    });
    (ran, met.into_inner())
}

/// Nothing happened, in time, and it was tried.
#[track_caller]
fn blocked(scene: &Headless, ran: &Ran) {
    assert!(!scene.told("No tool for"), "{}", scene.report(ran));
    assert!(!scene.has("ran.txt") && !scene.has("large.txt"), "{}", scene.report(ran));
    assert!(ran.took < IN_TIME, "{}", scene.report(ran));
}

/// A worker that ends by a signal, as by the kernel when memory is short, or by a panic that aborts.
fn given_a_worker_that_is_killed_then_nothing_happens(harness: Harness, signal: Signal) {
    // So many rules that a worker is met while it reads them.
    let scene = Headless::new(harness).gated(&allowed_among_many());
    let (ran, met) = run_with_signal(&scene, "run command", signal);
    assert!(met > 0, "no worker was met: {}", scene.report(&ran));
    blocked(&scene, &ran);
}

macro_rules! with_a_killed_worker {
    ($($name:ident $harness:ident),* $(,)?) => {
        $(#[test] fn $name() { given_a_worker_that_is_killed_then_nothing_happens(Harness::$harness, Signal::KILL); })*
    };
}

with_a_killed_worker!(
    given_a_killed_worker_in_codex_then_nothing_happens Codex,
    given_a_killed_worker_in_gemini_then_nothing_happens Gemini,
    given_a_killed_worker_in_qwen_then_nothing_happens Qwen,
    given_a_killed_worker_in_copilot_then_nothing_happens Copilot,
    given_a_killed_worker_in_opencode_then_nothing_happens Opencode,
);

#[test]
fn given_a_killed_or_aborted_worker_in_claude_code_then_nothing_happens() {
    for signal in [Signal::KILL, Signal::ABORT] {
        given_a_worker_that_is_killed_then_nothing_happens(Harness::ClaudeCode, signal);
    }
}

#[test]
fn given_a_worker_that_is_stopped_then_the_hook_answers_by_itself_and_nothing_happens() {
    let scene = Headless::new(Harness::ClaudeCode).gated_with(&allowed_among_many(), &["--time-limit", "2s"]);
    let (ran, met) = run_with_signal(&scene, "run command", Signal::STOP);
    assert!(met > 0, "no worker was met: {}", scene.report(&ran));
    blocked(&scene, &ran);
}

#[test]
fn given_a_store_that_is_locked_then_nothing_happens() {
    let scene = Headless::new(Harness::ClaudeCode).gated(&allowed());
    let ran = scene.run("run command");
    assert!(scene.has("ran.txt"), "{}", scene.report(&ran));
    scene.remove("ran.txt");
    let lock = OpenOptions::new().write(true).open(scene.home().join(".local/share/mayi/lock")).unwrap();
    lock.lock().unwrap();
    let ran = scene.run("run command");
    blocked(&scene, &ran);
    assert!(scene.told("nothing runs that can't be recorded"), "{}", scene.report(&ran));
    lock.unlock().unwrap();
    let ran = scene.run("run command");
    assert!(scene.has("ran.txt"), "{}", scene.report(&ran));
}

/// No file may grow, as on a disk that is full; what there is can be read.
#[test]
fn given_a_disk_that_is_full_then_nothing_happens() {
    let scene = Headless::new(Harness::ClaudeCode).gated(&allowed());
    let ran = scene.run("run command");
    assert!(scene.has("ran.txt"), "{}", scene.report(&ran));
    scene.remove("ran.txt");
    let settings = std::fs::read_to_string(scene.home().join(".claude/settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
    let hook = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    let scene = scene.hook(&format!("ulimit -f 0; {hook}"));
    let ran = scene.run("run command");
    blocked(&scene, &ran);
    assert!(scene.told("mayi: blocked"), "{}", scene.report(&ran));
}

#[test]
fn given_a_hundred_thousand_rules_then_it_is_rightly_decided_or_blocked_in_time() {
    let many: Vec<String> = many().collect();
    let wanted = WANTED.map(str::to_owned);
    let allows: Vec<String> = wanted.iter().cloned().chain(many.clone()).collect();
    let scene = Headless::new(Harness::ClaudeCode).gated(&rules(&allows, &many));
    let ran = scene.run("run command");
    // A build without optimization may need longer than the hook has.
    assert!(scene.has("ran.txt") || scene.told("mayi: blocked"), "{}", scene.report(&ran));
    assert!(ran.took < IN_TIME, "{}", scene.report(&ran));
    let denies: Vec<String> = many.iter().cloned().chain(wanted).collect();
    let scene = Headless::new(Harness::ClaudeCode).gated(&rules(&many, &denies));
    blocked(&scene, &scene.run("run command"));
}

#[test]
fn given_an_event_of_ten_mebibytes_then_it_is_rightly_decided_or_blocked_in_time() {
    let scene = Headless::new(Harness::ClaudeCode).gated(&allowed());
    let ran = scene.run("write large file");
    assert!(scene.has("large.txt") || scene.told("mayi: blocked"), "{}", scene.report(&ran));
    assert!(ran.took < IN_TIME, "{}", scene.report(&ran));
    let scene = Headless::new(Harness::ClaudeCode).gated(&rules(&[], &["write(large.txt)".to_owned()]));
    blocked(&scene, &scene.run("write large file"));
}
