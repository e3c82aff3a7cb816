//! `mayi config`, and how every command takes mistakes in the configuration.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use machine::Machine;
use serde_json::Value;

#[test]
fn given_nothing_then_path_says_what_would_be_read() {
    let machine = Machine::new();
    let done = machine.mayi(["config", "path"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let words: Vec<String> = machine
        .plain(&done.out)
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        words,
        [
            "managed /etc/mayi/config.toml not there",
            "user /home/.config/mayi/config.toml not there",
            "workspace /work/.mayi.toml not there",
        ]
    );
    let machine = machine.user("");
    let rows: Vec<Value> = machine
        .mayi(["config", "path", "--json"])
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&rows[1]["layer"], &rows[1]["found"]), (&"user".into(), &true.into()));
    let only = machine.file("policy.toml", "").mayi(["--config", "policy.toml", "config", "path"]);
    assert!(only.out.contains("policy.toml") && !only.out.contains(".mayi.toml"), "{}", only.out);
}

#[test]
fn given_sound_files_then_check_counts_their_rules() {
    let machine = Machine::new()
        .user("[rules]\ndeny = [\"shell(x)\", \"shell(y)\"]\n")
        .workspace("[rules]\nallow = [\"*\"]\n");
    let done = machine.mayi(["config", "check"]);
    assert_eq!(done.code, 0);
    assert_eq!(
        machine.plain(&done.out),
        "/home/.config/mayi/config.toml: ok, 2 rules\n/work/.mayi.toml: ok, 1 rule\n"
    );
    assert!(
        machine
            .plain(&done.err)
            .contains("/work/.mayi.toml: 1 allow rule is ignored: a file in a repository may only tighten"),
        "{}",
        done.err
    );
}

#[test]
fn given_mistakes_then_check_shows_all_of_them_and_ends_with_3() {
    let machine = Machine::new().user("mod = \"plan\"\n[rules]\nallow = [\"shell(\"]\n").workspace("x = \n");
    let done = machine.mayi(["config", "check"]);
    assert_eq!((done.code, done.out.as_str()), (3, ""));
    let err = machine.plain(&done.err);
    assert!(
        err.contains("did you mean `mode`?") && err.contains("/home/.config/mayi/config.toml:3:"),
        "{err}"
    );
    assert!(err.contains("/work/.mayi.toml:1:"), "{err}");
}

#[test]
fn given_a_file_then_check_looks_at_it_alone() {
    let machine = Machine::new()
        .user("mod = 1\n")
        .file("good.toml", "lock = []\n")
        .file("bad.toml", "[rule]\n")
        .file("in/.mayi.toml", "[workspaces.\"/\"]\n");
    assert_eq!(
        machine.plain(&machine.mayi(["config", "check", "good.toml"]).out),
        "/work/good.toml: ok, 0 rules\n"
    );
    assert_eq!(machine.mayi(["config", "check", "bad.toml"]).code, 3);
    assert_eq!(machine.mayi(["config", "check", "missing.toml"]).code, 3);
    assert!(machine.mayi(["config", "check", "in/.mayi.toml"]).err.contains("no settings for workspaces"));
}

#[test]
fn given_layers_then_show_says_what_counts_and_where_it_is_written() {
    let machine = Machine::new()
        .user("mode = \"auto\"\n[[rule]]\neffect = \"deny\"\npattern = \"shell(git push *)\"\nreason = \"not from here\"\nagents = [\"claude\"]\n")
        .workspace("mode = \"default\"\n[rules]\nask = [\"shell(make *)\"]\n");
    let done = machine.mayi(["config", "show"]);
    let out = machine.plain(&done.out);
    assert_eq!(done.code, 0, "{}", done.err);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = out.lines().map(words).collect();
    for line in [
        "mode = \"default\" /work/.mayi.toml:1",
        "matrix.default.read = \"allow\" built-in",
        "deny shell(git push *) for claude /home/.config/mayi/config.toml:4 not from here",
        "ask shell(make *) /work/.mayi.toml:3",
        "deny: mayi's own files",
        "write(~/.bashrc)",
    ] {
        assert!(lines.iter().any(|other| other == line), "{line} is not in {out}");
    }
    let rows: Vec<Value> = machine
        .mayi(["config", "show", "--json"])
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mode = rows.iter().find(|row| row["key"] == "mode").unwrap();
    assert_eq!(
        (&mode["value"], &mode["origin"]["layer"], &mode["origin"]["line"]),
        (&"default".into(), &"workspace".into(), &1.into())
    );
    let rule = rows.iter().find(|row| row["type"] == "rule" && row["effect"] == "deny").unwrap();
    assert_eq!((&rule["pattern"], &rule["origin"]["line"]), (&"shell(git push *)".into(), &4.into()));
    assert!(rows.iter().any(|row| row["type"] == "protection"));
}

/// Attack 25: "ANSI, bidirectional text": a file of a repository writes nothing of its own to the terminal.
/// Attack 55.
#[test]
fn given_mistakes_with_control_characters_then_they_are_shown_as_escapes() {
    let machine = Machine::new()
        .workspace(
            "\u{202e}x = \"\u{9b}31m\"\n\"a\\u001B[2Jb\" = 1 # \u{200d}\n[rules]\nallow = [\"l\\u001Bs\"]\n",
        )
        .file("o\u{7}.toml", "x = \n");
    for args in [["config", "check", ".mayi.toml"], ["config", "check", "o\u{7}.toml"]] {
        let done = machine.mayi(args);
        assert_eq!(done.code, 3);
        let hidden = |c: char| (c.is_control() && c != '\n') || ['\u{202e}', '\u{200d}'].contains(&c);
        assert!(!done.err.contains(hidden), "{:?}", done.err);
    }
    let machine = Machine::new().workspace("\"a\\u001B[2Jb\" = 1 # \u{200d}\n");
    let err = machine.mayi(["config", "check"]).err;
    assert!(err.contains("no key is called `a\\x1b[2Jb`") && err.contains("# \\u{200d}"), "{err}");
}

/// "Nothing runs on half a policy."
#[test]
fn given_mistakes_in_the_users_file_then_every_command_that_reads_it_ends_with_3() {
    let machine = Machine::new().user("[rules]\ndeny = [\"rm\"]\n");
    for args in [["agents", "-q"], ["config", "show"], ["run", "demo"]] {
        let done = machine.mayi(args);
        assert_eq!((done.code, done.out.as_str()), (3, ""), "{args:?}: {}", done.err);
        assert!(machine.plain(&done.err).contains("/home/.config/mayi/config.toml:2:"), "{}", done.err);
    }
}

#[test]
fn given_options_that_are_no_patterns_then_it_is_a_usage_error() {
    let machine = Machine::new();
    let done = machine.mayi(["run", "demo", "--allow", "ls", "demo: say hi"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`ls` is not a pattern"), "{}", done.err);
}

#[cfg(unix)]
#[test]
fn given_a_file_that_others_can_write_then_it_is_refused_with_the_remedy() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new().user("mode = \"auto\"\n");
    std::fs::set_permissions(machine.user_file(), std::fs::Permissions::from_mode(0o666)).unwrap();
    let done = machine.mayi(["agents"]);
    assert_eq!((done.code, done.out.as_str()), (3, ""));
    assert!(done.err.contains("chmod go-w"), "{}", done.err);
}

/// Attack 9.
#[test]
fn given_the_environment_then_it_only_tightens() {
    let machine = Machine::new();
    let mode = |value: &str| {
        let output = machine.command(["agents"]).env("MAYI_MODE", value).output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert!(mode("plan").1.contains("demo  plan  off"));
    assert!(mode("auto").1.contains("MAYI_MODE=auto is ignored"));
    assert_eq!(mode("yolo").0, 3);
}
