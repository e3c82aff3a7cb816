//! `mayi check`: what would be decided, for people and for programs.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use machine::{Done, Machine};
use serde_json::{Value, json};

/// Sends `input` to `check --stdin`; reads at the same time, as a pipe would.
fn stream(machine: &Machine, input: Vec<u8>) -> (i32, Vec<Value>, String) {
    let mut command = machine.command(["check", "--stdin"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code().unwrap(), lines, String::from_utf8(output.stderr).unwrap())
}

fn parsed(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap()
}

/// Attack 70: a line that makes the parser of lines panic.
#[test]
fn given_a_line_that_makes_the_parser_panic_then_it_is_asked_about_and_nothing_else_is_printed() {
    let machine = Machine::new();
    let line = json!({"id": "a", "kind": "shell", "command": "${<<'E' P}$(\nE"});
    let (_, answers, errors) = stream(&machine, format!("{line}\n").into_bytes());
    assert_eq!(answers[0]["effect"], "ask");
    assert_eq!(errors, "");
}

/// S1.11: `check` says 0, 5 or 6.
#[test]
fn given_each_effect_then_the_exit_code_says_it() {
    let machine = Machine::new().user("[rules]\nallow = [\"shell(make)\"]\ndeny = [\"shell(make x)\"]\n");
    for (command, code, first) in [
        ("make", 0, "allow: it would run without a question"),
        ("make x", 5, "deny: it would be refused"),
        ("make y", 6, "ask: you would be asked first"),
    ] {
        let done = machine.mayi(["check", "shell", command]);
        assert_eq!((done.code, done.out.lines().next().unwrap(), done.err.as_str()), (code, first, ""));
        let json = machine.mayi(["check", "shell", command, "--json"]);
        assert_eq!((json.code, json.err.as_str()), (code, ""));
        assert_eq!(parsed(&json)["effect"], first.split(':').next().unwrap());
    }
}

/// Each finding with its access, source, reason and place; what is written is the rule's own place.
#[test]
fn given_a_denial_then_it_is_told_why_and_what_would_change_it() {
    let machine = Machine::new()
        .user("[[rule]]\neffect = \"deny\"\npattern = \"shell(git push *)\"\nreason = \"push by hand\"\n");
    let done = machine.mayi(["check", "shell", "git push origin"]);
    assert_eq!(
        machine.plain(&done.out),
        "deny: it would be refused\n\
         \n\
         \x20 deny   shell(git push origin)\n\
         \x20        rule: push by hand, shell(git push *) at /home/.config/mayi/config.toml:3\n\
         \n\
         Nothing allows what a rule denies: change the rule at /home/.config/mayi/config.toml:3, or write an exception into it (`unless`).\n"
    );
    let quiet = machine.mayi(["check", "-q", "shell", "git push origin"]);
    assert!(!quiet.out.contains("unless"), "{}", quiet.out);
}

/// What is offered does what it says: with it in the file, the call is allowed.
#[test]
fn given_an_ask_then_what_would_allow_it_is_offered_and_true() {
    let mut machine = Machine::new();
    for [kind, value] in [
        ["shell", "cargo test -p x"],
        ["write", "src/a.rs"],
        ["fetch", "https://docs.rs/x"],
        ["mcp", "github/list_issues {\"repo\": \"me/x\"}"],
        ["tool", "Task"],
    ] {
        machine = machine.user("");
        let done = machine.mayi(["check", kind, value]);
        assert_eq!(done.code, 6, "{}", done.out);
        let offers: Vec<&str> = done.out.lines().filter(|line| line.starts_with("  allow = [")).collect();
        assert!(!offers.is_empty(), "{}", done.out);
        for offer in offers {
            machine = machine.user(&format!("[rules]\n{offer}\n"));
            assert_eq!(machine.mayi(["check", kind, value]).code, 0, "{offer}");
        }
    }
    let done = machine.mayi(["check", "write", ".git/config"]);
    assert!(done.out.contains("Only your answer to exactly this call allows it"), "{}", done.out);
}

#[test]
fn given_options_then_they_count_as_in_a_run() {
    let machine = Machine::new().user("[agents.free]\ncommand = [\"x\"]\nbypass_permissions = true\n");
    for (options, code) in [
        (vec![], 6),
        (vec!["--mode", "auto"], 0),
        (vec!["--mode", "plan"], 5),
        (vec!["--allow", "shell(make *)"], 0),
        (vec!["--allow", "shell(make *)", "--ask", "shell(make x)"], 6),
        (vec!["--allow", "shell(make *)", "--deny", "shell(make x)"], 5),
        (vec!["--agent", "free"], 0),
        (vec!["--agent", "free", "--deny", "shell(make *)"], 5),
    ] {
        let status = machine.command(["check", "shell", "make x"]).args(&options).output().unwrap();
        assert_eq!(status.status.code(), Some(code), "{options:?}");
    }
    let done = machine.mayi(["check", "shell", "make", "--agent", "fre"]);
    assert_eq!((done.code, done.err.as_str()), (6, "mayi: no agent is called fre; did you mean free?\n"));
}

#[test]
fn given_words_instead_of_a_line_then_they_are_a_program_and_its_arguments() {
    let machine = Machine::new();
    let access = |done: Done| parsed(&done)["trail"][0]["access"].as_str().unwrap().to_owned();
    assert_eq!(access(machine.mayi(["check", "--json", "shell", "make", "a;b"])), "shell(make 'a;b')");
    assert_eq!(access(machine.mayi(["check", "--json", "mcp", "s/t", "{\"a\": 1}"])), "mcp(s/t)");
    let done = machine.mayi_with_input(["check", "--json", "shell", "-"], "make x");
    assert_eq!(access(done), "shell(make x)");
    let request = json!({
        "toolCall": {"toolCallId": "1", "kind": "execute", "rawInput": {"command": "make y"}},
        "options": [{"optionId": "y", "kind": "allow_once", "name": "Yes"}],
    });
    let done = machine.mayi_with_input(["check", "--json", "acp", "-"], &request.to_string());
    assert_eq!((done.code, access(done)), (6, "shell(make y)".to_owned()));
}

/// S1.9: exit code 2 for usage, 3 for a configuration that is refused.
#[test]
fn given_a_mistake_then_it_is_told_on_standard_error() {
    let machine = Machine::new();
    for (words, told) in [
        (vec!["check"], "<KIND>"),
        (vec!["check", "shell"], "<VALUE>"),
        (vec!["check", "shel", "x"], "a similar value exists: 'shell'"),
        (vec!["check", "--stdin", "shell", "x"], "cannot be used with"),
        (vec!["check", "read", "a", "b"], "one read at a time"),
        (vec!["check", "shell", " "], "there is nothing to check"),
        (vec!["check", "mcp", "github"], "`github` names no tool"),
        (vec!["check", "mcp", "s/t {"], "the arguments can't be read as JSON"),
        (vec!["check", "mcp", "s/t [1]"], "the arguments of a tool are an object"),
        (vec!["check", "mcp", "s/t {\"a\":1,\"a\":2}"], "the key \"a\" is given twice"),
        (vec!["check", "acp", "{}"], "the request has no toolCall"),
        (vec!["check", "tool", "x", "--allow", "shel(x)"], "did you mean `shell(...)`?"),
        (vec!["check", "tool", "x", "--agent", "a/b"], "no agent can be called `a/b`"),
        (vec!["check", "tool", "x", "--mode", "yolo"], "[possible values: plan, default, auto]"),
    ] {
        let output = machine.command([]).args(&words).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words:?}: {err}");
        assert!(err.contains(told), "{words:?}: {err}");
    }
    let broken = Machine::new().user("mod = 1\n").mayi(["check", "tool", "x"]);
    assert_eq!((broken.code, broken.out.as_str()), (3, ""));
    assert!(broken.err.contains("did you mean `mode`?"), "{}", broken.err);
}

/// Attack 25: "ANSI, bidirectional text ...: escaped".
#[test]
fn given_text_that_would_move_the_cursor_then_it_is_shown_as_escapes() {
    let machine = Machine::new();
    let done = machine.mayi(["check", "--color=never", "tool", "a\u{1b}[2J\u{202e}b"]);
    assert!(done.out.contains("tool(a\\x1b[2J\\u{202e}b)"), "{}", done.out);
    assert!(!done.out.contains(['\u{1b}', '\u{202e}']) && !done.err.contains(['\u{1b}', '\u{202e}']));
}

/// S1.14: output one decision a line, in order; a line that is not understood gives
/// `{"id":...,"error":"..."}` on its own line and the rest goes on; the exit code is then 2.
#[test]
fn given_lines_then_each_is_answered_in_order() {
    let machine = Machine::new().user("[rules]\ndeny = [\"shell(rm *)\"]\n");
    let mut input = b"\
{\"id\":\"1\",\"kind\":\"shell\",\"command\":\"rm x\",\"cwd\":\"/w\",\"agent\":\"claude\"}\n\
\n\
{\"id\":2,\"kind\":\"shell\",\"comand\":\"x\"}\n\
nonsense\n\
{\"id\":\"\xff\"}\n\
{\"id\":3,\"id\":4,\"kind\":\"read\",\"path\":\"a\"}\r\n\
{\"kind\":\"read\",\"path\":\"src/a.rs\"}\r\n"
        .to_vec();
    input
        .extend(format!("{{\"id\":5,\"kind\":\"shell\",\"command\":\"{}\"}}\n", "x".repeat(1 << 20)).bytes());
    input.extend(
        b"{\"id\":6,\"kind\":\"write\",\"path\":\"a\",\"isolated\":true,\"matrix\":{\"write\":\"deny\"}}",
    );
    let (code, lines, err) = stream(&machine, input);
    assert_eq!((code, err.as_str()), (2, ""));
    let said: Vec<(Value, Value)> =
        lines.iter().map(|line| (line["id"].clone(), line["effect"].clone())).collect();
    let none = Value::Null;
    assert_eq!(
        said,
        [
            ("1".into(), "deny".into()),
            (2.into(), none.clone()),
            (none.clone(), none.clone()),
            (none.clone(), none.clone()),
            (4.into(), none.clone()),
            (none.clone(), "allow".into()),
            (none.clone(), none),
            (6.into(), "deny".into()),
        ]
    );
    assert_eq!(lines[1], json!({"id": 2, "error": "there is no key `comand`: did you mean `command`?"}));
    assert_eq!(lines[3], json!({"id": null, "error": "the line is not UTF-8 text"}));
    assert_eq!(lines[6]["error"], "the line is longer than 1048576 bytes");
    let finding = &lines[0]["trail"][0];
    let keys: Vec<&String> = finding.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["effect", "access", "source", "pattern", "file", "line", "reason", "always"]);
    assert_eq!((&finding["source"], &finding["line"]), (&"rule".into(), &2.into()));
    assert_eq!(lines[0]["categories"], json!(["execute"]));
}

#[test]
fn given_only_sound_lines_then_the_code_is_0_whatever_is_decided() {
    let line = b"{\"kind\":\"shell\",\"command\":\"rm -rf /\"}\n{\"kind\":\"tool\",\"tool\":\"x\"}".to_vec();
    let (code, lines, err) = stream(&Machine::new(), line);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!((&lines[0]["effect"], &lines[1]["effect"]), (&"deny".into(), &"ask".into()));
    assert_eq!(lines[0].get("id"), None);
    assert_eq!(stream(&Machine::new(), Vec::new()), (0, vec![], String::new()));
}

/// A configuration that is refused is told once, and every line says so; isolated ones need none.
#[test]
fn given_a_broken_configuration_then_isolated_lines_are_judged_all_the_same() {
    let machine = Machine::new().user("mod = 1\n");
    let input = "{\"kind\":\"tool\",\"tool\":\"x\"}\n".repeat(3)
        + "{\"kind\":\"tool\",\"tool\":\"x\",\"isolated\":true}\n";
    let (code, lines, err) = stream(&machine, input.into_bytes());
    assert_eq!((code, err.matches("did you mean").count()), (2, 1), "{err}");
    assert!(lines[..3].iter().all(|line| line["error"].as_str().unwrap().contains("did you mean `mode`?")));
    assert_eq!(lines[3]["effect"], "ask");
}

/// Whoever sends one line and waits gets its answer, though more may follow.
#[test]
fn given_a_line_and_an_open_pipe_then_it_is_answered_at_once() {
    let machine = Machine::new();
    let mut command = machine.command(["check", "--stdin"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    for id in 0..3 {
        // In two pieces: half a line is no reason to wait either.
        write!(stdin, "{{\"id\":{id},\"kind\":\"read\",\"path\":\"a\"}}\n{{\"id\":\"next\",").unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&answer["id"], &answer["effect"]), (&id.into(), &"allow".into()));
        writeln!(stdin, "\"kind\":\"read\",\"path\":\"b\"}}").unwrap();
        line.clear();
        out.read_line(&mut line).unwrap();
        assert!(line.contains("\"next\""), "{line}");
    }
    drop(stdin);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!((child.wait().unwrap().code(), rest.as_str()), (Some(0), ""));
}

/// However many lines there are, each is answered, in its place. What they cost is a matter of benches.
#[test]
fn given_ten_thousand_lines_then_each_is_answered_in_its_place() {
    let machine = Machine::new().user("[rules]\nallow = [\"shell(make *)\"]\n");
    let mut input = String::new();
    for id in 0..10_000 {
        let isolated = id % 2 == 0;
        let line = json!({
            "id": id, "kind": "shell", "command": format!("make -j{id}"), "isolated": isolated,
            "rules": {"allow": ["shell(make *)"], "deny": ["shell(rm *)", "read(**/.env)"]},
        });
        input.push_str(&format!("{line}\n"));
    }
    let (code, lines, _) = stream(&machine, input.into_bytes());
    assert_eq!((code, lines.len()), (0, 10_000));
    assert!(lines.iter().enumerate().all(|(at, line)| line["id"] == at && line["effect"] == "allow"));
}

/// `mayi check --stdin | head -1`: whoever read enough of it may go.
#[test]
fn given_a_reader_that_goes_away_then_it_ends_quietly() {
    let machine = Machine::new();
    let mut command = machine.command(["check", "--stdin"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all("{\"kind\":\"read\",\"path\":\"a\"}\n".repeat(5000).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// The same for one decision: a script that reads the first line alone is not told that what is denied is allowed.
#[test]
fn given_a_reader_that_goes_away_then_the_exit_code_is_that_of_the_decision() {
    let machine = Machine::new();
    for (words, code) in [
        (&["--deny", "shell(rm *)", "shell", "rm x"][..], 5),
        (&["--json", "shell", "rm x"], 6),
        (&["read", "a"], 0),
    ] {
        let mut command = machine.command(["check"]);
        command.args(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(code), 0), "{words:?} {output:?}");
    }
}

/// D1.27: `/`, the home folder and its ancestors are never roots without being named.
/// Attack 83.
#[test]
fn given_the_home_folder_then_it_is_no_workspace_unless_it_is_named() {
    let machine = Machine::new();
    let output =
        machine.command(["check", "read", "notes.txt"]).current_dir(machine.home()).output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert!(String::from_utf8(output.stderr).unwrap().contains("see --cwd"));
    let home = machine.home().display().to_string();
    assert_eq!(machine.mayi(["--cwd", &home, "check", "read", "notes.txt"]).code, 0);
    let done = machine.mayi(["check", "--json", "read", "~/notes.txt"]);
    assert_eq!(parsed(&done)["trail"][0]["access"], format!("read({home}/notes.txt)"));
}
