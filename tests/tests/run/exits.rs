//! S1.9: Exit codes: 0 done, or allowed · 1 internal error · 2 usage · 3 configuration refused ·
//! 4 agent or server failed or broke protocol · 5 something was denied · 6 something needed an answer and nobody gave
//! one · 124 `--timeout` reached · 130 interrupted. The last two are in `ends.rs`.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use mayi_tests::{Machine, command_line};

use crate::{ROGUE, demo, each, rogue};

/// "0 done". Data goes to stdout, everything else to stderr.
#[test]
fn given_a_prompt_that_is_done_then_0_and_nothing_but_the_answer() {
    let machine = Machine::new();
    let ended = demo(&machine, "demo: say all is well").end().exits(0);
    assert_eq!((ended.text().as_str(), ended.err.as_str()), ("all is well\n", ""));
}

/// "`-` or no PROMPT on a pipe: stdin."
#[test]
fn given_a_prompt_on_a_pipe_then_it_is_read() {
    let machine = Machine::new();
    for args in [&["run", "demo"][..], &["run", "demo", "-"]] {
        let ended = machine.mayi(args).stdin(b"demo: say one\ndemo: say two\n").end().exits(0);
        assert_eq!(ended.text(), "one\ntwo\n");
    }
}

/// "2 usage": it says what to write instead, and nothing is started.
#[test]
fn given_options_that_make_no_sense_then_2_and_what_to_do_instead() {
    let cases: [(&[&str], &str); 23] = [
        (&[], "<AGENT>"),
        (&["dem", "hi"], "did you mean `demo`?"),
        (&["cluade", "hi"], "did you mean `claude`?"),
        (&["nothing-like-it", "hi"], "`mayi agents` lists them"),
        (&["demo", "hi", "--bogus"], "--bogus"),
        (&["demo", "hi", "there"], "unexpected argument"),
        (&["demo", "hi", "--mode", "fast"], "plan, default, auto"),
        (&["demo", "hi", "--format", "xml"], "text, json, stream-json"),
        (&["demo", "hi", "--timeout", "30"], "such as 30s"),
        (&["demo", "hi", "--timeout", "0s"], "longer than nothing"),
        (&["demo", "hi", "--approval-timeout", "soon"], "such as 30s"),
        (&["demo", "hi", "--allow", "shell("], "`shell(` is not a pattern"),
        (&["demo", "hi", "--deny", "wirte(x)"], "wirte"),
        (&["demo", "hi", "--on-ask", "prompt"], "needs a terminal, and there is none: use --on-ask deny"),
        (&["demo", "hi", "--on-ask", "wait"], "add --approval-timeout or --timeout"),
        (&["demo", "--command", "x", "hi"], "not both"),
        (&["--command", "x 'y", "hi"], "its quotes do not match"),
        (&["--command", "", "hi"], "empty"),
        (&["demo", "hi", "--mcp", "github"], "no MCP server is called `github` (none is configured)"),
        (&["demo", "hi", "--continue"], "no earlier session"),
        (&["demo", "hi", "--cwd", "no-such-folder"], "can't work in no-such-folder"),
        (&["demo", "hi", "-q", "-v"], "cannot be used with"),
        (&["demo"], "the prompt on standard input is empty"),
    ];
    each(&cases, |(args, says)| {
        let machine = Machine::new();
        let ended = machine.mayi(["run"]).args(*args).end().exits(2).says(says);
        assert_eq!(ended.text(), "", "{args:?}");
        assert!(!machine.outside("state/mayi/agents/demo/sessions").exists(), "{args:?} came to an agent");
    });
}

/// "2 usage", for a prompt that is none.
#[test]
fn given_a_prompt_that_is_no_text_then_2() {
    let machine = Machine::new();
    let _ = machine.mayi(["run", "demo", "-"]).stdin(b"\xff\xfe").end().exits(2).says("not UTF-8");
    let _ = machine.mayi(["run", "demo"]).stdin(b" \n\t\n").end().exits(2).says("empty");
}

/// D1.27: `/`, the home folder and its ancestors are never roots without being named.
/// Attack 83.
#[test]
fn given_the_home_folder_then_it_has_to_be_named() {
    let machine = Machine::new();
    let home = machine.outside("home");
    for folder in [home.clone(), machine.outside("")] {
        let _ = demo(&machine, "demo: say hi").cwd(&folder).end().exits(2).says("say --cwd");
    }
    let _ =
        demo(&machine, "demo: say hi").args(["--cwd".as_ref(), home.as_os_str()]).end().exits(0).tells("hi");
}

/// D5.11: A user or managed file that does not parse, has an unknown key, or whose examples fail is
/// refused with the place and what to write instead; nothing runs on half a policy.
#[test]
fn given_a_broken_user_file_then_3_with_the_line_and_what_to_write() {
    let cases = [
        ("mode = \"default\"\n[rulez]\nallow = []\n", "config.toml:2:", "did you mean `rules`?"),
        ("mode = \n", "config.toml:1:", ""),
        ("[rules]\nallow = [\n  \"shell(x)\",\n  \"sell(x)\",\n]\n", "config.toml:4:", "shell"),
        ("mode = \"fast\"\n", "config.toml:1:", "plan"),
        (
            "[[rule]]\neffect = \"deny\"\npattern = \"shell(git push *)\"\nnot_match = [\"git push x\"]\n",
            "config.toml:4:",
            "",
        ),
        ("[agents.run]\ncommand = [\"x\"]\n", "config.toml:1:", "my-run"),
    ];
    each(&cases, |(toml, place, help)| {
        for format in ["text", "json", "stream-json"] {
            let machine = Machine::new().user(toml);
            let ended = demo(&machine, "demo: say hi").args(["--format", format]).end().exits(3);
            let ended = ended.says(place).says(help);
            assert_eq!(ended.text(), "", "{toml}");
            assert!(
                !machine.outside("state/mayi/agents/demo/sessions").exists(),
                "it came to an agent: {toml}"
            );
        }
    });
}

/// D5.9: Configuration files must belong to the user (or root) and not be writable by others.
#[test]
fn given_a_user_file_that_others_can_write_then_3() {
    let machine = Machine::new().user("mode = \"plan\"\n");
    let file = machine.outside("config/mayi/config.toml");
    std::fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    let _ = demo(&machine, "demo: say hi").end().exits(3).says("chmod go-w");
}

/// "4 agent ... failed": it could not be found. It says what was looked for, and how to get it.
#[test]
fn given_a_program_that_is_not_there_then_4() {
    let machine = Machine::new();
    let ended = machine.mayi(["run", "--command", "no-such-agent --acp", "hi"]).end().exits(4);
    let _ = ended.says("`no-such-agent` was not found on the PATH");
    let ended = machine.mayi(["run", "goose", "hi"]).env("PATH", machine.outside("bin")).end().exits(4);
    let _ = ended.says("`goose` was not found on the PATH; ");
}

/// Attack 8: "`node_modules/.bin` or `.npmrc` in the workspace replaces the agent: not resolved from the workspace".
#[test]
fn given_a_program_inside_the_workspace_then_4_and_it_never_runs() {
    let machine = Machine::new();
    let work = machine.work();
    let agent = work.join("bin/agent");
    machine.program(&agent, "#!/bin/sh\n: > ran\n");
    symlink(&agent, machine.outside("agent")).unwrap();
    symlink(ROGUE, work.join("rogue")).unwrap();
    let inside = [agent.display().to_string(), "bin/agent".into(), "./rogue updates 1".into()];
    for line in inside.into_iter().chain([machine.outside_text("agent")]) {
        let ended = machine.mayi(["run", "--command", &line, "hi"]).end().exits(4);
        let _ = ended.says("lies inside the workspace");
    }
    // Found by its name, as the session's folder in PATH would have it.
    let path = work.join("bin");
    let ended = machine.mayi(["run", "--command", "agent", "hi"]).env("PATH", path).end().exits(4);
    let _ = ended.says("lies inside the workspace");
    for relative in ["bin", ".:bin", ""] {
        let ended = machine.mayi(["run", "--command", "agent", "hi"]).env("PATH", relative).end().exits(4);
        let _ = ended.says("was not found on the PATH");
    }
    assert!(!work.join("ran").exists() && !machine.outside("state/mayi/agents").join("ran").exists());
}

/// "5 something was denied · 6 something needed an answer and nobody gave one"; "for `run`, 6 before 5 before 0".
#[test]
fn given_denials_and_open_questions_then_6_before_5_before_0() {
    let (write, run) = ("write(a.txt)", "shell(touch b.txt)");
    let cases: [(&[&str], i32); 7] = [
        (&["--allow", write, "--allow", run], 0),
        (&["--deny", write, "--deny", run], 5),
        (&["--allow", write, "--deny", run], 5),
        (&["--deny", write, "--allow", run], 5),
        (&["--deny", write], 6),
        (&["--allow", write], 6),
        (&[], 6),
    ];
    each(&cases, |(options, code)| {
        let _ = rogue(&Machine::new(), &["two-asks"]).args(*options).end().exits(*code);
    });
}

/// "1 internal error": what was asked for could not be written, so it is not done.
#[cfg(target_os = "linux")]
#[test]
fn given_a_full_disk_behind_standard_output_then_1() {
    for format in ["json", "stream-json", "text"] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let machine = Machine::new();
        let ended = demo(&machine, "demo: say hi").args(["--format", format]).stdout(full).end();
        let _ = ended.exits(1).says("No space left");
    }
}

/// "1 internal error", not the agent's failure: mayi can't keep its own folder.
#[test]
fn given_a_state_folder_that_cannot_be_made_then_1_and_it_is_named() {
    let machine = Machine::new().file("a-file", "");
    let folder = machine.work().join("a-file/state");
    let ended = demo(&machine, "demo: say hi").env("XDG_STATE_HOME", &folder).end();
    let _ = ended.exits(1).says(&folder.display().to_string());
}

/// "4 agent ... failed": it is there, and can't be run.
#[test]
fn given_a_program_that_does_not_start_then_4() {
    let machine = Machine::new();
    machine.program(&machine.outside("agent"), "#!/no/such/interpreter\n");
    let line = command_line([machine.outside_text("agent")]);
    let _ = machine.mayi(["run", "--command", &line, "hi"]).end().exits(4).says("could not be started");
}
