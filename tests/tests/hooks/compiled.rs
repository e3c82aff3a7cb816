//! A large configuration is compiled behind the first answer, and the hooks that follow read what they need of it (D5.13). Whatever
//! becomes of what was kept, each answer is the one that the file gives.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use mayi_tests::{LIMIT, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::scene::{Answer, Scene};

fn config(word: &str) -> String {
    let rules = (0..3000).map(|number| match number % 3 {
        0 => format!("[[rule]]\neffect = \"ask\"\npattern = \"shell(tool{number} publish *)\"\n"),
        1 => format!("[[rule]]\neffect = \"deny\"\npattern = \"read(**/secret{number}/*.key)\"\nreason = \"no {number}\"\n"),
        _ => format!("[[rule]]\neffect = \"allow\"\npattern = \"shell(tool{number} check *)\"\n"),
    });
    let rules: String = rules.collect();
    format!(
        "{rules}[[rule]]\neffect = \"{word}\"\npattern = \"shell(thing do *)\"\nreason = \"it says {word}\"\n"
    )
}

fn folder(scene: &Scene) -> PathBuf {
    scene.machine.outside("state").join("mayi/compiled")
}

/// The file that was compiled, once it is there.
fn kept(scene: &Scene) -> PathBuf {
    let found = || {
        let entries = std::fs::read_dir(folder(scene)).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|ending| ending == "policy"))
    };
    until(LIMIT, || found().map(|_| ()).ok_or_else(|| "nothing is compiled".to_owned()));
    found().unwrap()
}

/// What is said to commands and reads that rules all over the file are about.
fn answers(scene: &Scene) -> Vec<(String, String)> {
    let bash = |line: &str| scene.before("Bash", &json!({ "command": line }));
    let read = |path: &str| scene.before("Read", &json!({ "file_path": scene.machine.work().join(path) }));
    let all = [
        bash("thing do x"),
        bash("tool2 check y"),
        bash("tool2999 check y && tool0 publish"),
        bash("cat a/secret1501/b.key"),
        read("secret1/x.key"),
        read("a/other.txt"),
    ];
    all.into_iter().map(|Answer { decision, reason, .. }| (decision, reason)).collect()
}

/// D5.13. Attack 429: kept for nobody else to read, and it counts just as long as the file is the same.
#[test]
fn given_a_large_configuration_then_hooks_answer_the_same_with_what_was_compiled_and_a_change_counts_at_once()
{
    let scene = Scene::new(&config("allow"));
    let first = scene.before("Bash", &json!({ "command": "thing do x" }));
    first.is("allow");
    let path = kept(&scene);
    for (place, mode) in [(path.as_path(), 0o600), (folder(&scene).as_path(), 0o700)] {
        assert_eq!(place.metadata().unwrap().permissions().mode() & 0o777, mode, "{}", place.display());
    }
    let compiled = answers(&scene);
    std::fs::remove_dir_all(folder(&scene)).unwrap();
    std::fs::write(folder(&scene), "in the way").unwrap();
    assert_eq!(answers(&scene), compiled, "without a place to keep anything");
    std::fs::remove_file(folder(&scene)).unwrap();
    assert_eq!(compiled[3].0, "deny");
    scene.before("Bash", &json!({ "command": "thing do x" }));
    kept(&scene);
    scene.machine.configuration("config/mayi/config.toml", &config("deny"));
    let answer = scene.before("Bash", &json!({ "command": "thing do x" }));
    assert!(answer.is("deny").reason.contains("it says deny"), "{answer:?}");
}

/// D5.13. Attack 426: each part of it in turn is another one.
#[test]
fn given_what_was_compiled_is_damaged_then_hooks_answer_the_same_and_it_is_written_anew() {
    let scene = Scene::new(&config("ask"));
    let line = json!({ "command": "thing do x" });
    let before = scene.before("Bash", &line);
    let path = kept(&scene);
    let whole = std::fs::read(&path).unwrap();
    for at in [0, 17, 60, whole.len() / 4, whole.len() - 50] {
        let mut other = whole.clone();
        // As long as a block, so that one that is read is among them.
        let end = (at + whole.len() / 2).min(whole.len());
        other[at..end].iter_mut().for_each(|byte| *byte ^= 0x20);
        std::fs::write(&path, &other).unwrap();
        assert_eq!(scene.before("Bash", &line), before, "from byte {at} on");
        until(LIMIT, || {
            let now = std::fs::read(&path).unwrap_or_default();
            if now == whole { Ok(()) } else { Err(format!("byte {at}: it is not written anew")) }
        });
    }
}

/// D5.13. Attack 429: a process that is killed while it compiles leaves nothing that counts, and the next one does it.
#[test]
fn given_processes_that_are_killed_while_they_compile_then_the_next_one_does_it() {
    let scene = Scene::new(&config("ask"));
    let line = json!({ "command": "thing do x" });
    let before = scene.before("Bash", &line);
    kept(&scene);
    let mut cut = 0;
    for round in 0..12 {
        std::fs::remove_dir_all(folder(&scene)).unwrap();
        assert_eq!(scene.before("Bash", &line), before);
        // Once it is at it, at a moment of its own in each round.
        let begun = ["lock", "unfinished"][round % 2];
        until(LIMIT, || {
            let there = |name: &str| folder(&scene).join(name).exists();
            let done =
                std::fs::read_dir(folder(&scene)).into_iter().flatten().count() == 2 && !there("unfinished");
            if there(begun) || done { Ok(()) } else { Err("nobody compiles".to_owned()) }
        });
        workers(&scene).into_iter().for_each(|worker| {
            // One that is gone has done its work.
            let _ = kill_process(worker, Signal::KILL);
        });
        until(
            LIMIT,
            || if workers(&scene).is_empty() { Ok(()) } else { Err("it is there still".to_owned()) },
        );
        let mut left = std::fs::read_dir(folder(&scene)).unwrap().flatten();
        let whole = left.any(|entry| entry.path().extension().is_some_and(|ending| ending == "policy"));
        cut += usize::from(!whole);
        assert_eq!(scene.before("Bash", &line), before);
        kept(&scene);
    }
    assert!(cut > 0, "none was killed before it was done");
}

/// The processes that still work for this scene's hooks: their parents are gone.
fn workers(scene: &Scene) -> Vec<Pid> {
    let state = scene.machine.outside_text("state");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let of_scene = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains("claude-code") && line.contains(&state)
    };
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(of_scene).filter_map(Pid::from_raw).collect()
}
