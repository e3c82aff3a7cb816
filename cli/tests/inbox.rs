//! `mayi inbox` and `mayi grants`: what waits in one process is answered from another.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
mod pty;
#[path = "support/waiting.rs"]
mod waiting;

use std::process::{Command, Stdio};

use pty::Terminal;
use waiting::{Machine, ended};

/// `mayi inbox` (list, approve, deny, watch) answers approvals of other processes of
/// the same user.
#[test]
fn given_a_question_of_another_process_then_approve_lets_it_run() {
    let machine = Machine::new();
    let run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    let (code, screen) = machine.at_terminal(&["inbox", "approve", &ids[0]]);
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("allowed once: shell(touch ran.txt) (demo)"), "{screen}");
    assert_eq!(ended(run), 0);
    assert!(machine.file("ran.txt").exists());
    // "First answer wins; later ones get "already answered", by whom and what".
    let (code, screen) = machine.at_terminal(&["inbox", "deny", &ids[0]]);
    assert_eq!(code, 2, "{screen}");
}

/// S1.9: 5 something was denied, by whomever.
#[test]
fn given_a_question_of_another_process_then_deny_stops_it() {
    let machine = Machine::new();
    let run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    let json = String::from_utf8(machine.out(&["inbox", "--json"]).stdout).unwrap();
    assert!(json.lines().count() == 1 && json.starts_with(r#"{"version":1,"#), "{json}");
    // Found in review: "`mayi inbox --json` has no ID that `mayi inbox approve` takes".
    let listed: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(listed["id"], ids[0]);
    let (code, screen) = machine.at_terminal(&["inbox", "deny", &ids[0]]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(ended(run), 5);
    assert!(!machine.file("ran.txt").exists());
}

/// Attack 2: "the agent runs `mayi inbox approve`": without the person's terminal nobody answers.
#[test]
fn given_no_terminal_then_nobody_answers() {
    let machine = Machine::new();
    let mut run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    for words in [&["inbox", "approve", &*ids[0]][..], &["inbox", "deny", &ids[0]], &["inbox", "watch"]] {
        let mut command = machine.mayi(words);
        // A session of its own, as the agents have: without a terminal.
        let out = without_terminal(&mut command).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{words:?}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("a person at a terminal"), "{out:?}");
    }
    assert_eq!(machine.ids(1), ids);
    run.kill().unwrap();
    run.wait().unwrap();
}

/// Runs it by way of `setsid`, which leaves the terminal behind.
fn without_terminal(command: &mut Command) -> Command {
    let mut session = Command::new("setsid");
    session.arg("--wait").arg(command.get_program()).args(command.get_args());
    session.env_clear();
    session.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    session.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null());
    session
}

/// D6.2: The answer echoes the digest that was rendered: an ID of the list stands for the call
/// as it was listed. Attack 111.
#[test]
fn given_an_id_with_another_digest_then_the_answer_is_refused() {
    let machine = Machine::new();
    let mut run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    let (name, _) = ids[0].split_once('.').unwrap();
    let (code, screen) = machine.at_terminal(&["inbox", "approve", &format!("{name}.zzzz")]);
    assert_eq!(code, 6, "{screen}");
    assert!(screen.contains("has changed since it was listed"), "{screen}");
    assert_eq!(machine.ids(1), ids);
    run.kill().unwrap();
    run.wait().unwrap();
}

/// The same: an allow is of what was listed, so that it takes the whole ID; a denial allows nothing.
/// Attack 111.
#[test]
fn given_a_part_of_an_id_then_it_can_deny_and_not_approve() {
    let machine = Machine::new();
    let run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    let (name, sealed) = ids[0].split_once('.').unwrap();
    assert_eq!(sealed.len(), 10, "as much as nobody tries out");
    for part in [name.to_owned(), name[2..].to_owned()] {
        let (code, screen) = machine.at_terminal(&["inbox", "approve", &part]);
        assert_eq!(code, 2, "{screen}");
        assert!(screen.contains("write the whole ID"), "{screen}");
    }
    for part in [format!("{name}.{}", &sealed[..4]), format!("{name}.")] {
        let (code, screen) = machine.at_terminal(&["inbox", "approve", &part]);
        assert_eq!(code, 6, "{screen}");
    }
    assert_eq!(machine.ids(1), ids);
    let (code, screen) = machine.at_terminal(&["inbox", "deny", name]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(ended(run), 5);
    assert!(!machine.file("ran.txt").exists());
    // "Later ones get "already answered", by whom and what".
    let (code, screen) = machine.at_terminal(&["inbox", "approve", &ids[0]]);
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("already settled by inbox: denied"), "{screen}");
}

/// S1.20, D6.18: calls that differ are answered together, each once; what is asked about always is not.
#[test]
fn given_several_ids_then_each_is_allowed_once_or_none_is() {
    let machine = Machine::new();
    let mut ids: Vec<String> = Vec::new();
    let mut runs = Vec::new();
    for prompt in ["demo: run touch ran.txt", "demo: write b.txt x", "demo: write .git/hooks/pre-commit x"] {
        runs.push(machine.asks(prompt));
        let listed = machine.ids(runs.len());
        ids.extend(listed.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    let [ran, wrote, hook] = ids.as_slice() else { panic!("{ids:?}") };
    let (code, screen) = machine.at_terminal(&["inbox", "approve", ran, wrote, hook]);
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("answered by itself"), "{screen}");
    let (code, screen) = machine.at_terminal(&["inbox", "approve", ran, wrote, "--for-session"]);
    assert_eq!(code, 2, "{screen}");
    assert_eq!(machine.ids(3).len(), 3);
    let (code, screen) = machine.at_terminal(&["inbox", "approve", ran, wrote, ran]);
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("allowed once: 2 of 2"), "{screen}");
    assert_eq!(machine.ids(1).join(" "), *hook);
    let (code, screen) = machine.at_terminal(&["inbox", "deny", hook]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(runs.into_iter().map(ended).collect::<Vec<_>>(), [0, 0, 5]);
    assert!(machine.file("ran.txt").exists() && machine.file("b.txt").exists());
}

/// Attack 2: "the agent runs `mayi inbox approve`": in a terminal of its own, from a run that keeps no record.
#[test]
fn given_an_agent_of_a_run_without_a_record_then_it_answers_for_nobody() {
    let machine = Machine::new();
    let mut run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    let line = format!("{} inbox approve {}", env!("CARGO_BIN_EXE_mayi"), ids[0]);
    let text = format!("#!/bin/sh\nscript -qec '{line}' said.txt\n");
    std::fs::write(machine.file("evil.sh"), text).unwrap();
    std::fs::set_permissions(machine.file("evil.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let words = ["run", "--no-record", "demo", "demo: run ./evil.sh", "--allow", "shell(./evil.sh)"];
    let out = machine.out(&words);
    let said = std::fs::read_to_string(machine.file("said.txt")).unwrap_or_else(|_| panic!("{out:?}"));
    assert!(said.contains("an agent can't answer for the person"), "{said}");
    assert_eq!(machine.ids(1), ids);
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(!machine.file("ran.txt").exists());
}

/// D6.8: an answer that somebody writes into the store answers nothing: neither as earlier versions took it from there, nor as
/// the end of the question. Attack 781.
#[test]
fn given_an_answer_that_was_written_into_the_store_then_nothing_runs() {
    for how in [
        "INSERT INTO offers (id, approval, owner, response, \"by\", at, replied) SELECT '01970000-0000-7000-8000-000000000001', \
         id, owner, json_object('approvalId', id, 'digest', digest, 'response', json('{\"outcome\": \
         {\"outcome\": \"selected\", \"optionId\": \"allow_once\"}}')), 'inbox', asked_at, 0 FROM approvals",
        "UPDATE approvals SET state = 'approved', \"by\" = 'inbox', settled_at = asked_at",
    ] {
        let machine = Machine::new();
        let mut run = machine.asks("demo: run touch ran.txt");
        machine.ids(1);
        let database = machine.folder.path().join("home/.local/share/mayi/store.db");
        let database = rusqlite::Connection::open(database).unwrap();
        assert_eq!(database.execute(how, ()).unwrap(), 1);
        database.execute("UPDATE changes SET count = count + 1", ()).unwrap();
        // Another question of the same process is asked, answered and done: what waits was looked at meanwhile.
        let other = machine.asks("demo: run touch other.txt");
        let first = |ids: Vec<String>| ids.last().cloned().unwrap();
        let ids = machine.ids(if how.starts_with("INSERT") { 2 } else { 1 });
        let (code, screen) = machine.at_terminal(&["inbox", "approve", &first(ids)]);
        assert_eq!(code, 0, "{screen}");
        assert_eq!(ended(other), 0);
        assert!(machine.file("other.txt").exists() && !machine.file("ran.txt").exists(), "{how}");
        assert!(run.try_wait().unwrap().is_none(), "it waits on");
        run.kill().unwrap();
        run.wait().unwrap();
    }
}

/// On restart those whose agent is gone become `cancelled` with reason `interrupted`, never allowed.
/// Attack 17.
#[test]
fn given_a_process_that_is_killed_while_it_asks_then_its_question_is_gone() {
    let machine = Machine::new();
    let mut run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    run.kill().unwrap();
    run.wait().unwrap();
    let (code, _) = machine.at_terminal(&["inbox", "approve", &ids[0]]);
    assert_ne!(code, 0);
    assert!(machine.ids(0).is_empty());
    assert!(!machine.file("ran.txt").exists());
}

/// `mayi inbox` ... watch: the card of the terminal, for questions of another process.
#[test]
fn given_watch_then_cards_of_other_processes_are_answered_there() {
    let machine = Machine::new();
    let watch = Terminal::start(machine.mayi(&["inbox", "watch"]), (30, 100), false);
    watch.sees("waiting for questions");
    // Whoever has to know sees that a person is there.
    let data = machine.folder.path().join("home/.local/share/mayi");
    let begun = std::time::Instant::now();
    while !mayi_core::store::surfaces_open(&data) {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{}", watch.screen());
    }
    let run = machine.asks("demo: run touch ran.txt");
    watch.sees("› n  Deny");
    assert!(watch.screen().contains("touch ran.txt"), "{}", watch.screen());
    watch.send("y");
    watch.sees("✓ allowed once: shell(touch ran.txt)");
    assert_eq!(ended(run), 0);
    assert!(machine.file("ran.txt").exists());
    watch.send("\x03");
    assert_eq!(watch.exit().code(), Some(0), "{}", watch.screen());
    assert!(!mayi_core::store::surfaces_open(&data));
}

/// Ctrl-C in `watch` ends the watching, and answers nothing.
#[test]
fn given_watch_that_is_interrupted_at_a_card_then_the_question_still_waits() {
    let machine = Machine::new();
    let mut run = machine.asks("demo: run touch ran.txt");
    let ids = machine.ids(1);
    let watch = Terminal::start(machine.mayi(&["inbox", "watch"]), (30, 100), false);
    watch.sees("› n  Deny");
    watch.send("\x03");
    assert_eq!(watch.exit().code(), Some(0), "{}", watch.screen());
    assert_eq!(machine.ids(1), ids);
    run.kill().unwrap();
    run.wait().unwrap();
}

/// D6.13: Scopes once, session, workspace, user; time and use limits, and `mayi grants`.
#[test]
fn given_an_answer_for_the_workspace_with_uses_then_it_is_listed_used_and_revoked() {
    let machine = Machine::new();
    let run = machine.asks("demo: run touch a.txt");
    let ids = machine.ids(1);
    let words = ["inbox", "approve", &*ids[0], "--workspace", "shell(touch *)", "--uses", "2"];
    let (code, screen) = machine.at_terminal(&words);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(ended(run), 0);
    let list = || String::from_utf8(machine.out(&["grants"]).stdout).unwrap();
    assert!(list().contains("shell(touch *)") && list().contains("after 2 more"), "{}", list());
    // docs/record.md: "Every object that `log`, `inbox` and `grants` print with `--json` has `"version": 1`".
    let json = String::from_utf8(machine.out(&["grants", "--json"]).stdout).unwrap();
    assert!(json.lines().count() == 1 && json.starts_with(r#"{"version":1,"#), "{json}");
    assert_eq!(ended(machine.asks("demo: run touch b.txt")), 0);
    assert!(machine.file("b.txt").exists());
    assert!(list().contains("after 1 more") && list().contains("1x"), "{}", list());
    let id = list().lines().nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let (code, screen) = machine.at_terminal(&["grants", "revoke", &id]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(list(), "");
    let expired = String::from_utf8(machine.out(&["grants", "--expired"]).stdout).unwrap();
    assert!(expired.contains("revoked"), "{expired}");
    let mut run = machine.asks("demo: run touch c.txt");
    machine.ids(1);
    run.kill().unwrap();
    run.wait().unwrap();
}
