//! `--ask-via inbox`: a person answers elsewhere, within the time that there is, and the answer is known to the hooks that follow.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mayi_tests::backend::Backend;
use mayi_tests::{LIMIT, Loose, command_line, mayi_program, until};
use serde_json::{Value, json};

use crate::pty::Terminal;
use crate::scene::Scene;

/// A harness in a session of processes of its own that runs one hook, with the event in a file.
pub(crate) fn harness(scene: &Scene, options: &[&str], event: &Value, name: &str) -> Child {
    harness_after(scene, "", options, event, name)
}

/// The same, with a line that the harness runs first.
pub(crate) fn harness_after(
    scene: &Scene,
    first: &str,
    options: &[&str],
    event: &Value,
    name: &str,
) -> Child {
    let file = scene.machine.outside(name);
    std::fs::write(&file, event.to_string()).unwrap();
    let mut words = vec![mayi_program().display().to_string(), "hook".to_owned(), "claude-code".to_owned()];
    words.extend(options.iter().map(|word| (*word).to_owned()));
    words.extend(scene.folders().into_iter().map(|word| word.into_string().unwrap()));
    let inner = format!("{} < {}; exit $?", command_line(&words), command_line([file.display().to_string()]));
    let outer = format!("{first}/bin/sh -c {}; exit $?", command_line([inner]));
    // What is no shell is the harness.
    let mut command = Command::new("timeout");
    command.args(["60", "/bin/sh", "-c", &outer]).envs(scene.machine.environment());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(crate) fn ended(child: Child) -> (i32, Value, String) {
    let output = child.wait_with_output().unwrap();
    let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (
        output.status.code().unwrap_or(-1),
        value["hookSpecificOutput"].clone(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

pub(crate) fn person(scene: &Scene, words: &[&str]) -> Terminal {
    let mut command = Command::new(mayi_program());
    command.args(words).current_dir(scene.machine.work()).env_clear().envs(scene.machine.environment());
    Terminal::start(command, (40, 120), false)
}

pub(crate) fn waiting(scene: &Scene) -> Vec<Value> {
    let listed = scene.machine.mayi(["inbox", "--json"]).end().text();
    listed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn given_an_answer_for_the_session_then_the_next_hook_knows_it_and_another_session_does_not() {
    let scene = Scene::new("");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t1");
    let hook = harness(&scene, &["--ask-via", "inbox", "--time-limit", "40s"], &event, "event.json");
    until(LIMIT, || if waiting(&scene).len() == 1 { Ok(()) } else { Err("nothing waits".to_owned()) });
    let terminal = person(&scene, &["inbox", "watch"]);
    terminal.sees("› n  Deny");
    assert!(terminal.screen().contains("make x"), "{}", terminal.screen());
    terminal.send("s");
    let (code, said, err) = ended(hook);
    assert_eq!((code, &said["permissionDecision"]), (0, &json!("allow")), "{err}");
    drop(terminal);
    // Another process, the same session: nobody is asked.
    scene.before("Bash", &json!({ "command": "make x" })).is("allow");
    scene.before("Bash", &json!({ "command": "make y" })).is("ask");
    let mut other = event.clone();
    other["session_id"] = json!("session-2");
    scene.answer(&other).is("ask");
    // It ends with the session.
    let listed = scene.machine.mayi(["grants"]).end().text();
    assert!(listed.contains("make x"), "{listed}");
    scene.answer(&scene.event("SessionEnd", "", &Value::Null, ""));
    scene.before("Bash", &json!({ "command": "make x" })).is("ask");
}

/// Within the harness's time limit, then denies.
#[test]
fn given_nobody_who_answers_then_it_is_denied_in_time() {
    let scene = Scene::new("");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t1");
    let hook = harness(&scene, &["--ask-via", "inbox", "--time-limit", "2s"], &event, "event.json");
    let began = std::time::Instant::now();
    let (code, said, err) = ended(hook);
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(code == 2 || said["permissionDecision"] == "deny", "{code} {said} {err}");
    until(LIMIT, || if waiting(&scene).is_empty() { Ok(()) } else { Err("it still waits".to_owned()) });
}

/// Attack 365. D6.8: Answers from a descendant of a gated agent are refused: what the harness starts is one.
#[test]
fn given_an_answer_from_what_the_harness_started_then_it_is_refused() {
    let scene = Scene::new("");
    // There is a store by then: whoever makes one has it for longer than a hook waits.
    scene.before("Bash", &json!({ "command": "ls" })).is("allow");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t1");
    let file = scene.machine.outside("event.json");
    std::fs::write(&file, event.to_string()).unwrap();
    let quoted = |words: &[&str], folders: bool| {
        let mut all = vec![mayi_program().display().to_string()];
        all.extend(words.iter().map(|word| (*word).to_owned()));
        if folders {
            all.extend(scene.folders().into_iter().map(|word| word.into_string().unwrap()));
        }
        command_line(&all)
    };
    // The harness runs a hook, and before that something that answers for the person, at a terminal of its own.
    let go = scene.machine.outside("go");
    let hook = format!(
        "(until [ -e {} ]; do /bin/sleep 0.05; done; {} < {}; true)",
        command_line([go.display().to_string()]),
        quoted(&["hook", "claude-code", "--ask-via", "inbox", "--time-limit", "20s"], true),
        command_line([file.display().to_string()])
    );
    let answer = quoted(&["inbox", "watch"], false);
    let line =
        format!("{hook} > {} 2>&1 & {answer}; wait", command_line([scene.machine.outside_text("said")]));
    let mut command = Command::new("/bin/bash");
    command
        .args(["-c", &line])
        .current_dir(scene.machine.work())
        .env_clear()
        .envs(scene.machine.environment());
    let terminal = Terminal::start(command, (40, 120), false);
    // At that moment nobody knows of a harness yet.
    terminal.sees("waiting for questions");
    std::fs::write(go, "").unwrap();
    terminal.sees("› n  Deny");
    terminal.send("y");
    terminal.sees("can't answer for the person");
}

/// D6.8: what a harness lets go of is nobody's child, and no supervisor looks after it. Where it was left to the first process, by
/// whom can't be told: it began after the harness did, and is not listened to. Attack 782.
#[test]
fn given_what_the_harness_let_go_of_then_it_answers_for_nobody() {
    let scene = Scene::new("");
    let loose = Loose::new(&scene.machine);
    scene.before("Bash", &json!({ "command": "ls" })).is("allow");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t1");
    // What stays must not hold the pipes of which the end is waited for.
    let first = format!("{{ {}}} >/dev/null 2>&1; ", loose.starts());
    let options = ["--ask-via", "inbox", "--time-limit", "55s"];
    let hook = harness_after(&scene, &first, &options, &event, "event.json");
    let ids = scene.machine.waiting(1);
    loose.are_refused(&ids[0]);
    assert_eq!(scene.machine.waiting(1), ids);
    // A person who comes later is listened to.
    let terminal = person(&scene, &["inbox", "approve", &ids[0]]);
    terminal.sees("allowed once");
    let (code, said, err) = ended(hook);
    assert_eq!((code, &said["permissionDecision"]), (0, &json!("allow")), "{err}");
}

/// D6.8: a connection that something of the harness's has had since before there was a hook is looked at again with each answer.
/// Attack 786.
#[test]
fn given_a_connection_from_before_the_harness_asked_then_it_answers_for_nobody() {
    let scene = Scene::new("");
    let loose = Loose::new(&scene.machine);
    scene.before("Bash", &json!({ "command": "ls" })).is("allow");
    let on = tokio::runtime::Runtime::new().unwrap();
    let (backend, client, mut events) = on.block_on(async {
        let mut serve = tokio::process::Command::new(mayi_program());
        serve.args(["serve", "--ui"]).current_dir(scene.machine.work()).env_clear();
        serve.envs(scene.machine.environment());
        let backend = Backend::start(serve).await;
        let client = backend.client("test").await;
        let events = client.events(None).await;
        loose.know(&backend.text("url"));
        loose.know_page(&backend.paired(&backend.code(&client).await).await, "");
        (backend, client, events)
    });
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t1");
    let options = ["--ask-via", "inbox", "--time-limit", "55s"];
    let hook = harness_after(&scene, &loose.early(), &options, &event, "event.json");
    let card = on.block_on(events.until("approval-request"));
    let said = loose.early_answer();
    assert!(said.contains("an agent can't answer"), "{said}");
    // The editor is listened to.
    on.block_on(client.answer(&card, "allow_once")).unwrap();
    let (code, said, err) = ended(hook);
    assert_eq!((code, &said["permissionDecision"]), (0, &json!("allow")), "{err}");
    on.block_on(backend.stop());
}
