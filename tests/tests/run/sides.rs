//! Side doors: `fs/*` and `terminal/*` are judged as any call, whether anything was asked or not.
//!
//! D6.29: A side door is covered once by an approved, unfinished call of that session with the same path
//! and content, or the same argv, cwd and environment.

use std::os::unix::fs::symlink;

use mayi_tests::Machine;

use crate::wire::filtered;
use crate::{each, rogue};

const WRITE: [&str; 3] = ["side-write", "new/a.txt", "text"];
const RUN: [&str; 3] = ["side-run", "touch", "b.txt"];

/// Without a rule, nothing is written; the file system knows.
#[test]
fn given_a_write_that_nobody_asked_about_then_the_policy_decides() {
    let machine = Machine::new();
    let _ = rogue(&machine, &WRITE).end().exits(6).tells("fs/write_text_file -> error -32003");
    let denied = ["--allow", "*", "--deny", "write(new/**)"];
    let _ = rogue(&machine, &WRITE).args(denied).end().exits(5).tells("fs/write_text_file -> error -32003");
    let _ = rogue(&machine, &WRITE).args(["--mode", "plan", "--allow", "*"]).end().exits(5);
    assert!(machine.files().is_empty(), "{:?}", machine.files());
    let _ = rogue(&machine, &WRITE).args(["--allow", "write(new/a.txt)"]).end().exits(0);
    assert_eq!(machine.text("new/a.txt").as_deref(), Some("text"));
}

/// Reading is allowed inside the roots (D4.17), unless a rule denies it.
#[test]
fn given_a_read_that_nobody_asked_about_then_the_policy_decides() {
    let machine = Machine::new().file("a.txt", "secret words");
    let _ = rogue(&machine, &["side-read", "a.txt"]).end().exits(0).tells("secret words");
    let ended = rogue(&machine, &["side-read", "a.txt"]).args(["--deny", "read(a.txt)"]).end().exits(5);
    let ended = ended.tells("fs/read_text_file -> error -32003");
    assert!(!ended.text().contains("secret words"), "{ended}");
    let _ =
        rogue(&machine, &["side-read", "b.txt"]).end().exits(0).tells("fs/read_text_file -> error -32002");
}

/// Without a rule, nothing runs.
#[test]
fn given_a_command_that_nobody_asked_about_then_the_policy_decides() {
    let machine = Machine::new();
    let _ = rogue(&machine, &RUN).end().exits(6).tells("terminal/create -> error -32003");
    let denied = ["--allow", "*", "--deny", "shell(touch *)"];
    let _ = rogue(&machine, &RUN).args(denied).end().exits(5).tells("terminal/create -> error -32003");
    let _ = rogue(&machine, &RUN).args(["--mode", "plan", "--allow", "*"]).end().exits(5);
    assert!(machine.files().is_empty(), "{:?}", machine.files());
    let ended = rogue(&machine, &RUN).args(["--allow", "shell(touch b.txt)"]).end().exits(0);
    let _ = ended.tells(r#"terminal/wait_for_exit -> {"exitCode":0,"signal":null}"#);
    assert_eq!(machine.text("b.txt").as_deref(), Some(""));
}

/// What a command prints, and how it ends, is told as it is.
#[test]
fn given_a_command_then_its_output_and_end_are_told() {
    let machine = Machine::new();
    machine.program(&machine.outside("talk"), "#!/bin/sh\necho out; echo err >&2; pwd; exit 7\n");
    let talk = machine.outside_text("talk");
    let ended =
        rogue(&machine, &["side-run", &talk]).args(["--allow", &format!("shell({talk})")]).end().exits(0);
    let ended = ended.tells(r#""exitCode":7"#).tells("out\\n").tells("err\\n");
    let _ = ended.tells(&machine.work().display().to_string());
}

/// D7.1: Entries: `proposed`, `decided`, ... `started`, `finished`: what mayi does by its own hands has
/// all of them, and how it ended.
#[test]
fn given_what_mayi_does_itself_then_the_record_tells_its_beginning_and_its_end() {
    let machine = Machine::new();
    machine.program(&machine.outside("fail"), "#!/bin/sh\nexit 7\n");
    let fail = machine.outside_text("fail");
    let _ = rogue(&machine, &["side-run", &fail]).args(["--allow", &format!("shell({fail})")]).end().exits(0);
    let _ = rogue(&machine, &WRITE).args(["--allow", "write(new/a.txt)"]).end().exits(0);
    let _ = rogue(&machine, &["side-read", "none.txt"]).end().exits(0);
    let log = machine.mayi(["log", "--all", "--reverse", "--json"]).end().exits(0).lines();
    let calls: Vec<(&str, &str)> = log
        .iter()
        .filter(|entry| entry["kind"] != "config")
        .map(|entry| (entry["kind"].as_str().unwrap(), entry["detail"]["how"].as_str().unwrap_or_default()))
        .collect();
    let whole = |how| [("proposed", ""), ("decided", ""), ("started", ""), ("finished", how)];
    assert_eq!(calls, [whole("exit code 7"), whole("completed"), whole("failed")].concat());
}

/// D4.10: writes outside the roots are asked about always, "reads outside the roots" plainly. D1.14:
/// resolved from the call's cwd component by component as the kernel does it, links included.
#[test]
fn given_a_path_outside_the_roots_then_writing_always_asks_and_reading_asks() {
    let machine = Machine::new();
    std::fs::create_dir(machine.outside("elsewhere")).unwrap();
    let outside = machine.outside("elsewhere/outside.txt");
    let given = outside.display().to_string();
    symlink(machine.outside("elsewhere"), machine.work().join("link")).unwrap();
    each(
        &[&given, "../elsewhere/outside.txt", "link/outside.txt", "link/../elsewhere/outside.txt"],
        |path| {
            for options in
                [&["--mode", "auto"][..], &["--allow", "*"], &["--allow", &format!("write({given})")]]
            {
                let ended = rogue(&machine, &["side-write", path, "x"]).args(options).end().exits(6);
                let _ = ended.says("needed a person, whatever the rules").tells("error -32003");
                assert!(!outside.exists(), "{path} {options:?}");
            }
        },
    );
    std::fs::write(&outside, "far words").unwrap();
    for path in [&given, "../elsewhere/outside.txt", "link/outside.txt"] {
        let ended = rogue(&machine, &["side-read", path]).end().exits(6).tells("error -32003");
        assert!(!ended.text().contains("far words"), "{path}");
    }
    let allow = format!("read({given})");
    let _ =
        rogue(&machine, &["side-read", &given]).args(["--allow", &allow]).end().exits(0).tells("far words");
}

/// D4.7: mayi's own files are denied, whatever is allowed.
#[test]
fn given_mayis_own_files_then_nothing_allows_them() {
    let machine = Machine::new().user("mode = \"auto\"\n");
    let file = machine.outside_text("config/mayi/config.toml");
    for behaviour in [&["side-write", &file, "x"][..], &["side-read", &file]] {
        let _ = rogue(&machine, behaviour).args(["--allow", "*"]).end().exits(5);
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mode = \"auto\"\n");
}

/// S1.7: `--no-fs`, `--no-terminal`. ACP: what was not offered does not exist.
#[test]
fn given_that_something_is_not_offered_then_there_is_no_such_method() {
    let machine = Machine::new().file("a.txt", "secret words");
    for (behaviour, option, method) in [
        (&WRITE[..], "--no-fs", "fs/write_text_file"),
        (&["side-read", "a.txt"], "--no-fs", "fs/read_text_file"),
        (&RUN, "--no-terminal", "terminal/create"),
    ] {
        let ended = rogue(&machine, behaviour).args([option, "--allow", "*"]).end().exits(0);
        let _ = ended.tells(&format!("{method} -> error -32601"));
    }
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["a.txt"]);
}

/// Attack 18: "one approved edit, then a second `fs/write_text_file` to the same path with other content: asked".
///
/// The rule allows to create the file, and by the time of the write it is there: so it is the approved call that covers
/// the write, or nothing.
#[test]
fn given_an_approved_edit_then_it_covers_its_own_content_and_no_other() {
    for (other, code, text) in [("mine", 0, "mine"), ("theirs", 6, "")] {
        let machine = Machine::new();
        let file = machine.work().join("a.txt").display().to_string();
        let create = format!("case $line in *'\"fs/write_text_file\"'*) : > {file};; esac");
        let behaviour = ["ask-write-then", "a.txt", "mine", other];
        let ended = filtered(&machine, &behaviour, &create).args(["--allow", "create(a.txt)"]).end();
        let _ = ended.exits(code).tells(r#""optionId":"allow""#);
        assert_eq!(machine.text("a.txt").as_deref(), Some(text), "{other}");
    }
}

/// A refused edit is not written by the side door either.
#[test]
fn given_a_refused_edit_then_the_write_behind_it_is_refused_too() {
    let machine = Machine::new();
    for (options, code) in [(&[][..], 6), (&["--allow", "*", "--deny", "write(a.txt)"], 5)] {
        let ended =
            rogue(&machine, &["ask-write-then", "a.txt", "mine", "mine"]).args(options).end().exits(code);
        let _ = ended.tells(r#""optionId":"reject""#).tells("fs/write_text_file -> error -32003");
        assert!(machine.files().is_empty());
    }
}
