//! The commands of every day, as a person or a script calls them: the real program, in a home of its
//! own.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use machine::Machine;
use serde_json::Value;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn given_no_words_then_help_is_shown_and_it_is_a_usage_error() {
    let machine = Machine::new();
    let done = machine.mayi([]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("Usage:") && done.err.contains("Exit codes:"), "{}", done.err);
    let help = machine.mayi(["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.out.contains("doctor") && !help.out.contains("demo-agent"), "{}", help.out);
    assert!(machine.mayi(["--version"]).out.starts_with("mayi 0."));
    // Only what exists is listed.
    for later in ["acp", "hook"] {
        assert_eq!(machine.mayi([later]).code, 2);
    }
    assert_eq!(machine.mayi(["run"]).code, 2);
    assert_eq!(machine.mayi(["agents", "-v", "-q"]).code, 2);
    assert_eq!(machine.mayi(["--cwd", "nowhere", "agents"]).code, 2);
}

#[test]
fn given_the_presets_then_agents_lists_those_that_are_there_and_how_to_get_the_others() {
    let machine = Machine::new().program("goose");
    let done = machine.mayi(["agents"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let (here, missing) = done.out.split_once("not installed:").unwrap();
    let words: Vec<Vec<&str>> = here.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[0], ["NAME", "MODE", "BYPASS", "ASKS", "STARTED", "WITH"], "{here}");
    // Found in review: it is said which agents were tried, and in which version.
    let demo = ["demo", "default", "off", "yes", concat!("(", env!("CARGO_PKG_VERSION"), ")"), "built", "in"];
    assert_eq!(words[1], demo, "{here}");
    assert_eq!(words[2], ["goose", "default", "off", "not", "known", "goose", "acp"], "{here}");
    assert!(missing.contains("npm install -g @google/gemini-cli"), "{missing}");
    let rows = lines(&machine.mayi(["agents", "--json"]).out);
    let goose = rows.iter().find(|row| row["name"] == "goose").unwrap();
    assert_eq!(goose["command"], serde_json::json!(["goose", "acp"]));
    assert_eq!(
        (&goose["found"], &goose["askingMode"], &goose["preset"]),
        (&true.into(), &"approve".into(), &true.into())
    );
    assert_eq!(goose["origin"]["layer"], "built-in");
    let of = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(of("gemini")["found"], false);
    let asks = |name: &str| (of(name)["asks"].as_bool(), of(name)["tried"].is_string());
    assert_eq!(
        ["gemini", "copilot", "goose"].map(asks),
        [(Some(true), true), (Some(true), true), (None, false)]
    );
}

#[test]
fn given_agents_in_the_users_file_then_they_are_listed_with_their_place() {
    let machine = Machine::new()
        .user("mode = \"plan\"\n[agents.mine]\ncommand = [\"/bin/sh\", \"-c\", \"x y\"]\nmode = \"auto\"\n");
    let done = machine.mayi(["agents"]);
    assert!(done.out.contains("mine  auto  off     not known    /bin/sh -c 'x y'"), "{}", done.out);
    let rows = lines(&machine.mayi(["agents", "--json"]).out);
    let mine = rows.iter().find(|row| row["name"] == "mine").unwrap();
    assert_eq!((&mine["origin"]["line"], &mine["preset"]), (&3.into(), &false.into()));
}

/// "Asks once more ... unless `--yes`"; without a terminal there is nobody to ask. Attack 2.
#[test]
fn given_no_terminal_then_a_bypass_needs_yes() {
    let machine = Machine::new();
    let done = machine.mayi(["bypass", "demo", "on"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("--yes"), "{}", done.err);
    assert!(!machine.user_file().exists());
}

#[test]
fn given_a_bypass_then_it_is_written_told_and_taken_back() {
    let machine = Machine::new().user("# mine\n[agents.demo] # here\nmode = \"plan\"\n");
    let done = machine.mayi(["bypass", "demo", "on", "--yes"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""));
    assert!(done.err.contains("take it back with: mayi bypass demo off"), "{}", done.err);
    assert_eq!(
        machine.user_text(),
        "# mine\n[agents.demo] # here\nmode = \"plan\"\nbypass_permissions = true\n"
    );
    assert!(machine.mayi(["agents"]).out.contains("demo  plan  on"));
    let again = machine.mayi(["bypass", "demo", "on"]);
    assert_eq!(again.code, 0);
    assert!(again.err.contains("nothing has changed"), "{}", again.err);
    assert_eq!(machine.mayi(["bypass", "demo", "off", "-q"]).all(), (0, "", ""));
    assert!(machine.user_text().ends_with("bypass_permissions = false\n"));
    assert!(machine.mayi(["bypass", "demo", "off"]).err.contains("asks already"));
}

#[test]
fn given_a_slip_in_the_agents_name_then_nothing_is_written() {
    let machine = Machine::new();
    let done = machine.mayi(["bypass", "cluade", "on", "--yes"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("did you mean claude?"), "{}", done.err);
    assert_eq!(machine.mayi(["bypass", "claude", "maybe"]).code, 2);
    assert!(!machine.user_file().exists());
}

#[test]
fn given_a_folder_that_switches_the_bypass_off_then_the_person_is_told() {
    let machine = Machine::new().workspace("[agents.demo]\nbypass_permissions = false\n");
    let done = machine.mayi(["bypass", "demo", "on", "--yes"]);
    assert_eq!(done.code, 0);
    assert!(done.err.contains("in this folder it stays off"), "{}", done.err);
}

#[test]
fn given_a_file_with_mistakes_then_a_bypass_leaves_it_as_it_is() {
    let machine = Machine::new().user("mod = 1\n");
    assert_eq!(machine.mayi(["bypass", "demo", "on", "--yes"]).code, 3);
    assert_eq!(machine.user_text(), "mod = 1\n");
}

#[test]
fn given_a_sound_machine_then_the_doctor_finds_nothing_to_do() {
    let machine = Machine::new()
        .program("goose")
        .program("node")
        .program("npx")
        .user("version = 1\n[rules]\ndeny = [\"shell(x)\"]\n");
    let done = machine.mayi(["doctor"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out.contains("ok    mayi: version 0."), "{}", done.out);
    assert!(done.out.contains("ok    user configuration:") && done.out.contains("rules: 1"), "{}", done.out);
    assert!(done.out.contains("ok    agents: claude, codex, demo, goose"), "{}", done.out);
    let findings = lines(&machine.mayi(["doctor", "--json"]).out);
    assert!(findings.iter().all(|finding| finding["status"] != "fail" && finding["check"].is_string()));
}

#[test]
fn given_things_that_are_off_then_the_doctor_says_what_to_do() {
    let machine = Machine::new().user("mod = 1\n");
    std::fs::write(machine.home().join(".local"), "in the way").unwrap();
    let done = machine.mayi(["doctor"]);
    assert_eq!(done.code, 1);
    assert!(
        done.out.contains("config.toml:1: no key is called `mod`")
            && done.out.contains("did you mean `mode`?"),
        "{}",
        done.out
    );
    assert!(done.out.contains("fail  state folder:"), "{}", done.out);
    assert!(done.out.contains("warn  npx: not found"), "{}", done.out);
    let quiet = machine.mayi(["doctor", "-q"]);
    assert!(!quiet.out.contains("ok  ") && quiet.out.contains("fail"), "{}", quiet.out);
    let machine = Machine::new().user("[agents.mine]\ncommand = [\"no-such-program\"]\n");
    let done = machine.mayi(["doctor"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("fail  agent mine: no-such-program is not found"), "{}", done.out);
}

#[test]
fn given_a_shell_then_completions_are_printed_for_it() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = machine.mayi(["completions", shell]);
        assert_eq!(done.code, 0, "{shell}");
        assert!(done.out.contains("bypass") && done.out.contains("mayi"), "{shell}");
    }
    assert_eq!(machine.mayi(["completions", "cobol"]).code, 2);
}

#[test]
fn given_colours_then_only_a_terminal_or_the_person_gets_them() {
    let machine = Machine::new();
    assert!(!machine.mayi(["doctor"]).out.contains('\u{1b}'));
    assert!(machine.mayi(["doctor", "--color", "always"]).out.contains('\u{1b}'));
    let machine = machine.user("mod = 1\n");
    assert!(!machine.mayi(["agents"]).err.contains('\u{1b}'));
    assert!(machine.mayi(["agents", "--color=always"]).err.contains('\u{1b}'));
}

/// `mayi agents | head -1` ends quietly.
#[test]
fn given_nobody_who_reads_then_a_list_ends_quietly() {
    let machine = Machine::new();
    let mut child = machine
        .command(["config", "show"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), String::from_utf8(done.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn given_the_hidden_command_then_it_is_an_acp_agent() {
    let machine = Machine::new();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;
    let done = machine.mayi_with_input(["demo-agent"], &format!("{hello}\n"));
    let answer: Value = serde_json::from_str(done.out.lines().next().unwrap()).unwrap();
    assert_eq!((&answer["id"], &answer["result"]["protocolVersion"]), (&1.into(), &1.into()));
    assert_eq!(done.code, 0, "{}", done.err);
}
