//! Modes, bypass, and the agents' own modes.

use mayi_tests::{Machine, is};

use crate::{count, demo, each};

/// D4.18: Plan mode denies every access whose category is not read, whatever rules, grants or bypass say.
#[test]
fn given_plan_mode_then_nothing_but_reading_happens() {
    let bypassed = "[agents.demo]\nbypass_permissions = true\n[rules]\nallow = [\"*\"]\n";
    for toml in ["", bypassed] {
        let machine = Machine::new().user(toml).file("README.md", "# Words\n");
        let ended = demo(&machine, "demo: tour").args(["--mode", "plan", "--allow", "*"]).end().exits(5);
        let _ = ended.tells("begins with: # Words").says("plan mode").says("denied by policy");
        assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["README.md"]);
    }
}

/// D4.17: in mode auto, what default mode asks about is allowed.
#[test]
fn given_auto_mode_then_ordinary_calls_run() {
    let machine = Machine::new();
    let _ = demo(&machine, "demo: two ;; demo: fetch https://example.org")
        .args(["--mode", "auto"])
        .end()
        .exits(0);
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["ran.txt", "two.txt"]);
}

/// D8.7: none, mode auto | shell `rm -rf /` | deny | catastrophic. A deny is never discharged.
///
/// The only `rm` that there is for mayi and the agent is a harmless one, which would tell.
#[test]
fn given_auto_mode_then_what_would_destroy_everything_is_still_denied() {
    let machine = Machine::new().user("[agents.demo]\nbypass_permissions = true\n");
    let told = machine.outside("told");
    machine.program(&machine.outside("bin/rm"), &format!("#!/bin/sh\n: > '{}'\n", told.display()));
    let run = |line: &str| {
        let mayi = demo(&machine, &format!("demo: run {line}")).env("PATH", machine.outside("bin"));
        mayi.args(["--mode", "auto", "--allow", "*"]).end()
    };
    // Only if that is so, the rest is tried.
    let _ = run("rm harmless").exits(0);
    std::fs::remove_file(&told).unwrap();
    let lines =
        ["rm -rf /", "rm -fr /", "rm -r -f /", "rm -rf /*", "rm -rf ~", "rm --no-preserve-root -rf /"];
    each(&lines, |line| {
        let _ = run(line).exits(5).says("this would destroy").tells("Not allowed");
        assert!(!told.exists(), "{line} ran");
    });
}

/// D8.6: none, mode auto | write `/w/.git/hooks/pre-commit` | ask | protected, always.
#[test]
fn given_auto_mode_then_what_is_run_later_is_still_asked_about() {
    each(&[".git/hooks/pre-commit", ".git/config", ".envrc", ".vscode/tasks.json", ".mayi.toml"], |file| {
        let machine = Machine::new();
        let prompt = format!("demo: write {file} x");
        let _ = demo(&machine, &prompt).args(["--mode", "auto"]).end().exits(6).says("needed a person");
        assert!(machine.files().is_empty(), "{file}");
    });
}

/// Attack 12: "a mode switch offered as `allow_once`: asked in every mode, never automatic".
#[test]
fn given_a_switch_of_the_agents_mode_then_it_is_never_picked() {
    let every: [&[&str]; 4] =
        [&[], &["--allow", "*"], &["--allow", "mode(*)"], &["--mode", "auto", "--allow", "*"]];
    each(&every, |options| {
        for toml in ["", "[agents.demo]\nbypass_permissions = true\n"] {
            let machine = Machine::new().user(toml);
            let prompt = "demo: mode ;; demo: run touch unasked.txt";
            let format = ["--format", "stream-json", "--deny", "shell(touch *)"];
            let ended = demo(&machine, prompt).args(*options).args(format).end().exits(6);
            for line in ended.stream().iter().filter(|line| is(line, "update")) {
                assert_ne!(line["update"]["sessionUpdate"], "current_mode_update", "{ended}");
            }
            let ended = ended.tells("I keep planning.");
            assert!(
                !ended.text().contains("ask nothing from now on") && machine.files().is_empty(),
                "{ended}"
            );
        }
    });
}

/// D4.20: an ask is discharged by `bypass_permissions`, "unless the ask has `always = true` or is a written ask
/// rule. A deny is never discharged by anything."
#[test]
fn given_a_bypassed_agent_then_it_runs_but_for_denials_and_what_always_asks() {
    let toml = "[agents.demo]\nbypass_permissions = true\n\
                [rules]\ndeny = [\"shell(touch denied.txt)\"]\nask = [\"shell(touch asked.txt)\"]\n";
    let machine = Machine::new().user(toml);
    let prompt = "demo: run touch free.txt ;; demo: run touch denied.txt ;; demo: run touch asked.txt ;; \
                  demo: write .git/hooks/x y";
    let result = demo(&machine, prompt).args(["--format", "json"]).end().exits(6).result();
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["free.txt"]);
    assert_eq!(
        (count(&result, "allowed"), count(&result, "denied"), count(&result, "unanswered")),
        (1, 1, 2)
    );
}

/// D1.19: agents given by `--command` share nothing with named ones.
#[test]
fn given_a_bypass_of_a_name_then_a_command_has_no_part_in_it() {
    let machine = Machine::new().user("[agents.demo]\nbypass_permissions = true\n");
    let line =
        mayi_tests::command_line([mayi_tests::mayi_program().display().to_string(), "demo-agent".to_owned()]);
    let _ = machine.mayi(["run", "--command", &line, "demo: run touch x.txt"]).end().exits(6);
    assert!(machine.files().is_empty());
}

/// S4.6: starts each known agent in a mode in which it asks. The demo agent's is `ask`; in its mode
/// `free` it does everything itself, and mayi can only tell.
#[test]
fn given_an_asking_mode_then_the_agent_is_put_into_it() {
    let run = |toml: &str| {
        let machine = Machine::new().user(toml);
        let options = ["--format", "stream-json", "--no-fs", "--no-terminal"];
        let ended = demo(&machine, "demo: write a.txt x ;; demo: run touch b.txt").args(options).end();
        (ended, machine.files().len())
    };
    let (ended, files) = run("");
    let lines = ended.exits(6).stream();
    assert_eq!((&lines[0]["agentMode"], files), (&"ask".into(), 0));
    assert_eq!(count(lines.last().unwrap(), "unanswered"), 2);

    let (ended, files) = run("[agents.demo]\nasking_mode = \"free\"\n");
    let lines = ended.stream();
    assert_eq!((&lines[0]["agentMode"], files), (&"free".into(), 2));
    assert_eq!(
        (count(lines.last().unwrap(), "unasked_ask"), count(lines.last().unwrap(), "unanswered")),
        (2, 0)
    );

    let (ended, files) = run("[agents.demo]\nasking_mode = \"\"\n");
    let lines = ended.exits(6).stream();
    assert_eq!(
        (&lines[0]["agentMode"], files),
        (&"ask".into(), 0),
        "it is left in the mode that it starts in"
    );
}

/// Found in review: an agent that has no such mode as it should ask in was started all the same, and wrote without
/// asking. It is not started, and what is said names the modes that it has and what to write. Attack 292.
#[test]
fn given_an_agent_without_its_asking_mode_then_it_is_not_started() {
    let machine = Machine::new().user("[agents.demo]\nasking_mode = \"careful\"\n");
    let ended = demo(&machine, "demo: unasked a.txt").end().exits(4);
    let ended =
        ended.says("the agent has no mode `careful`").says("it has `ask`, `free`, and starts in `ask`");
    let _ = ended.says("`asking_mode` under [agents.demo]").says("`asking_mode = \"\"`");
    assert!(machine.files().is_empty());
    let lines =
        demo(&machine, "demo: unasked a.txt").args(["--format", "stream-json"]).end().exits(4).stream();
    assert!(lines.last().unwrap()["error"].as_str().unwrap().contains("has no mode `careful`"), "{lines:?}");
}

/// Found in review: of an agent that nobody has tried it is said, before the first prompt, that it is not known
/// whether it asks, and in which mode it starts. Attack 292.
#[test]
fn given_an_agent_that_was_not_tried_then_that_is_said_before_the_first_prompt() {
    let program = mayi_tests::mayi_program().display().to_string();
    let line = mayi_tests::command_line([program.clone(), "demo-agent".to_owned()]);
    let toml = format!("[agents.other]\ncommand = [{program:?}, \"demo-agent\"]\n");
    let machine = Machine::new().user(&toml);
    let words =
        |agent: &str| format!("not known whether {agent} asks before it acts; it is in its mode `ask`: ");
    for (agent, name) in [(["--command", &line], "this agent"), (["other", "--no-record"], "other")] {
        let lines = machine
            .mayi(["run", agent[0], agent[1], "--format", "stream-json", "demo: read x"])
            .end()
            .stream();
        let told = lines.iter().position(|line| {
            is(line, "notice") && line["text"].as_str().is_some_and(|text| text.starts_with(&words(name)))
        });
        let first = lines.iter().position(|line| is(line, "update")).unwrap();
        assert!(told.is_some_and(|told| told < first), "{lines:#?}");
        let ended = machine.mayi(["run", agent[0], agent[1], "demo: read x"]).end();
        let _ = ended.says(&format!("! {}", words(name)));
    }
    // The preset itself was tried.
    assert!(!demo(&machine, "demo: read x").end().text().contains("not known"));
}

/// An agent that asks nothing, but works through mayi's hands, is gated all the same.
#[test]
fn given_an_agent_that_asks_nothing_then_its_side_doors_are_judged() {
    let machine = Machine::new().user("[agents.demo]\nasking_mode = \"free\"\n");
    let prompt = "demo: write a.txt x ;; demo: run touch b.txt";
    let _ = demo(&machine, prompt).end().exits(6);
    assert!(machine.files().is_empty());
    let _ = demo(&machine, prompt).args(["--allow", "write(a.txt)"]).end().exits(6);
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["a.txt"]);
}
