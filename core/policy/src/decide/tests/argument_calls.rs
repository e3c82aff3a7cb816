//! Addresses and commands among the arguments of a tool (D1.18).

use super::*;
use serde_json::Value;

fn access(arguments: Value) -> Access {
    let readings = vec![("s".into(), "t".into())];
    Access::Mcp(McpAccess::with_home(readings, arguments, Path::new("/w"), Some(Path::new("/home/me"))))
}

/// Calls that are not what is expected, where one rule denies and another allows the tool.
fn wrong(rule: &str, expected: Effect, calls: Vec<Value>) -> Vec<String> {
    [(Deny, expected), (Ask, if expected == Deny { Ask } else { expected })]
        .into_iter()
        .flat_map(|(effect, expected)| {
            let policy = policy(&[(Allow, "mcp(s)"), (effect, rule)]);
            let judged = calls.iter().map(move |arguments| {
                let decision = in_mode(&policy, &call(access(arguments.clone())), Mode::Auto);
                (decision.effect != expected)
                    .then(|| format!("{effect:?} {rule}: {arguments} is {:?}", decision.effect))
            });
            judged.flatten().collect::<Vec<_>>()
        })
        .collect()
}

fn many(rule: &str, expected: Effect, name: &str, values: &[&str]) -> Vec<String> {
    wrong(rule, expected, values.iter().map(|value| json!({ name: value })).collect())
}

/// Attack 632.
#[test]
fn given_an_address_among_arguments_then_denials_and_asks_of_it_hold() {
    let mut all = Vec::new();
    for rule in ["fetch(x.internal)", "fetch(*)"] {
        all.extend(many(
            rule,
            Deny,
            "q",
            &[
                "https://x.internal/a",
                "HTTP://X.INTERNAL",
                " wss://x.internal:8080/a ",
                "ftp://u:p@x.internal/",
                "https:\\\\x.internal\\a",
                "https:/x.internal/a",
                "ht\ntps://x.internal/",
                "https%3A%2F%2Fx.internal%2Fa",
                "git+https://x.internal/a.git",
                "url:https://x.internal/",
                "[a](https://x.internal/)",
                "<https://x.internal/>",
                "https://x.internal/a, https://docs.rs/",
                "postgres://u@x.internal/db",
                "{\"u\": \"https://x.internal/\"}",
            ],
        ));
        for name in [
            "url", "uri", "endpoint", "host", "hostName", "server", "proxy", "domain", "base_url", "BASEURL",
            "apiURL",
        ] {
            all.extend(many(
                rule,
                Deny,
                name,
                &["x.internal", "x.internal:8080", "//x.internal/a", "me@x.internal", "x.internal/a?b"],
            ));
        }
        all.extend(wrong(
            rule,
            Deny,
            vec![
                json!({ "a": [{ "b": ["https://x.internal/"] }] }),
                json!(["https://x.internal/"]),
                json!({ "urls": ["docs.rs", "x.internal"] }),
                json!({ "command": "curl https://x.internal/" }),
                json!({ "command": "curl x.internal" }),
            ],
        ));
    }
    all.extend(many("fetch(x.internal:8080)", Deny, "host", &["x.internal", "x.internal:8080"]));
    all.extend(many("fetch(db)", Deny, "host", &["db", "DB:5432"]));
    // What is no address, or another one, is as it was.
    for rule in ["fetch(x.internal)", "fetch(*)"] {
        all.extend(many(
            rule,
            Allow,
            "text",
            &[
                "see https://x.internal/ for more",
                "x.internal",
                "a: b",
                "C:/x",
                "file:///w/a",
                "note:a",
                "memo://insights",
                "12:30",
                "a/b.rs",
                "std::fs",
            ],
        ));
        all.extend(many(rule, Allow, "url", &["./a/b.html", "/a/b", "#top", "a b", ""]));
        all.extend(many(rule, Allow, "server", &["filesystem", "my server"]));
    }
    all.extend(many(
        "fetch(x.internal)",
        Allow,
        "url",
        &["https://docs.rs/x.internal", "docs.rs", "x.internal.example"],
    ));
    assert!(all.is_empty(), "{all:#?}");
}

/// What is too much to be looked at could be what is denied. Attack 632.
#[test]
fn given_an_address_behind_more_than_is_looked_at_then_denials_of_it_hold() {
    let more: serde_json::Map<String, Value> = (0..65_540).map(|at| (format!("a{at}"), json!(at))).collect();
    let known = vec![
        json!({ "q": format!("https://x.internal/{}", "a".repeat(40_000)) }),
        json!({ "q": format!("{}https://x.internal/", " ".repeat(40_000)) }),
    ];
    assert_eq!(wrong("fetch(x.internal)", Deny, known), [""; 0]);
    let perhaps = vec![
        json!({ "q": format!("{}https://x.internal/", "https://docs.rs/a, ".repeat(4_000)) }),
        json!({ "q": "https://x.internal/", "m": more }),
        json!({ "url": format!("https://docs.rs/{} https://x.internal/", "a".repeat(17_000)) }),
        json!({ "url": format!("https://docs.rs/a{}https://x.internal/", " ".repeat(17_000)) }),
        json!({ "a": format!("[\"{}\", \"https://x.internal/\"]", "a".repeat(70_000)) }),
    ];
    assert_eq!(wrong("fetch(x.internal)", Ask, perhaps), [""; 0]);
    let harmless = vec![
        json!({ "text": format!("{} see https://x.internal/", "words and more ".repeat(4_000)) }),
        json!({ "q": format!("https://docs.rs/{}", "a".repeat(40_000)) }),
    ];
    assert_eq!(wrong("fetch(x.internal)", Allow, harmless), [""; 0]);
}

/// Attack 633.
#[test]
fn given_a_command_among_arguments_then_denials_and_asks_of_it_hold() {
    let mut all = Vec::new();
    for name in ["command", "cmd", "shell", "script", "bashCommand", "COMMAND", "cmdline"] {
        all.extend(many(
            "shell(rm *)",
            Deny,
            name,
            &[
                "rm -rf x",
                "/bin/rm x",
                "sudo rm x",
                "cd a && rm x",
                "sh -c 'rm x'",
                "[\"rm\", \"x\"]",
                "rm x; echo 'open",
            ],
        ));
        all.extend(many(
            "read(~/.ssh/**)",
            Deny,
            name,
            &["cat ~/.ssh/id", "cd ~/.ssh && cat id", "cat /home/me/.ssh/id"],
        ));
        all.extend(many("write(/w/out/**)", Deny, name, &["echo a > out/b", "touch out/b"]));
    }
    all.extend(wrong(
        "shell(rm *)",
        Deny,
        vec![
            json!({ "command": ["rm", "-rf", "x"] }),
            json!({ "argv": ["/bin/rm", "x"] }),
            json!({ "command": "rm", "args": ["x"] }),
            json!({ "command": "rm", "args": "x" }),
            json!({ "command": "sudo -n", "args": ["rm", "x"] }),
            json!({ "command": "bash", "args": ["-c", "rm x"] }),
            json!({ "program": "rm", "arguments": ["x"] }),
            json!({ "commands": ["ls", "rm x"] }),
            json!({ "commands": [["ls"], ["rm", "x"]] }),
            json!({ "steps": [{ "run": { "cmd": "rm x" } }] }),
            json!({ "language": "bash", "code": "ls\nrm x" }),
            json!("{\"command\": \"rm x\"}"),
        ],
    ));
    // More than are told apart could be any.
    all.extend(wrong("shell(rm *)", Ask, vec![json!({ "commands": vec!["ls"; 100] })]));
    all.extend(wrong(
        "read(~/.ssh/**)",
        Deny,
        vec![
            json!({ "command": "cat id", "cwd": "~/.ssh" }),
            json!({ "command": ["cat", "id"], "workingDirectory": "/home/me/.ssh" }),
        ],
    ));
    all.extend(wrong("shell(docker rm *)", Deny, vec![json!({ "command": "docker container rm x" })]));
    all.extend(wrong(
        "shell(rm *)",
        Allow,
        vec![
            json!({ "command": "ls -la" }),
            json!({ "command": "echo rm x" }),
            json!({ "command": ["echo", "rm", "x"] }),
            json!({ "command": "str_replace", "path": "src/a.rs" }),
            json!({ "text": "rm x" }),
            json!({ "args": ["rm", "x"] }),
            json!({ "language": "python", "code": "rm x" }),
            json!({ "command": "Don't stop" }),
            json!({ "command": true, "args": 3 }),
            json!({ "command": {} }),
        ],
    ));
    assert!(all.is_empty(), "{all:#?}");
}

/// Nothing is asked about a command or an address that no rule is about, whatever it is. Attacks 632 and 633.
#[test]
fn given_no_rule_about_it_then_what_arguments_would_run_is_as_quiet_as_before() {
    for arguments in [
        json!({ "command": "rm -rf build; FOO=$X ./y" }),
        json!({ "command": "curl x | python3" }),
        json!({ "command": "sed -i s/a/b/ x" }),
        json!({ "url": "https://x.internal/" }),
        json!({ "host": "?" }),
    ] {
        let policy = policy(&[
            (Allow, "mcp(s)"),
            (Deny, "shell(dd *)"),
            (Ask, "fetch(docs.rs)"),
            (Allow, "shell(rm *)"),
        ]);
        assert_eq!(
            in_mode(&policy, &call(access(arguments.clone())), Mode::Default).effect,
            Allow,
            "{arguments}"
        );
    }
    // An allow of the command, or of the address, is none of the call.
    let policy = policy(&[(Allow, "shell(*)"), (Allow, "fetch(*)")]);
    for arguments in [json!({ "command": "ls" }), json!({ "url": "https://docs.rs/" })] {
        assert_eq!(in_mode(&policy, &call(access(arguments)), Mode::Default).effect, Ask);
    }
}

/// A path with a mark for a place in the file, or a name for it. Attack 634.
#[test]
fn given_a_path_with_a_mark_behind_it_then_denials_of_it_hold() {
    let mut all = many(
        "read(.env)",
        Deny,
        "path",
        &[
            ".env#L1",
            ".env#L1-L9",
            ".env?raw",
            "[a](.env)",
            "[a b](<.env>)",
            "[a](.env#L1)",
            "./.env#x",
            "/w/.env?raw",
            "%2eenv#L1",
        ],
    );
    all.extend(many(
        "read(.env)",
        Allow,
        "path",
        &["src/a.rs#L1", "a?raw", "[a](b)", "#.env", "a#b.env", "issue #3"],
    ));
    assert!(all.is_empty(), "{all:#?}");
}

fn in_tool(tool: &str, rule: &str, arguments: Value) -> (Effect, bool) {
    let (server, tool) = tool.split_once('/').unwrap_or(("s", tool));
    let readings = vec![(server.into(), tool.into())];
    let access = McpAccess::with_home(readings, arguments, Path::new("/w"), Some(Path::new("/home/me")));
    let policy = policy(&[(Allow, "mcp(*)"), (Deny, rule)]);
    let decision = in_mode(&policy, &call(Access::Mcp(access)), Mode::Auto);
    (decision.effect, decision.always_asks())
}

const ASKED: (Effect, bool) = (Ask, true);
const NOTHING: (Effect, bool) = (Allow, false);

/// It is a guess that such a text is a line: it is asked about, and never denied. Attack 712.
#[test]
fn given_code_that_is_a_line_or_starts_one_then_it_is_not_allowed() {
    let mut all = Vec::new();
    for name in [
        "code",
        "snippet",
        "cell",
        "shellCode",
        "run",
        "code_block",
        "codeString",
        "script_content",
        "cmdString",
        "commandText",
        "bash_command_string",
    ] {
        let lines = [
            "touch x",
            "/bin/touch x",
            "cd a && touch x",
            "sudo touch x",
            "x=1\ntouch $x",
            "touch x\n)",
            "t\\\nouch x\n)",
            "#!/bin/sh\ntouch x",
        ];
        all.extend(many("shell(touch *)", Ask, name, &lines));
        let long = format!("touch x\n# {}", "a".repeat(20_000));
        all.extend(many("shell(touch *)", Ask, name, &[&long]));
        all.extend(many("read(~/.ssh/**)", Ask, name, &["cat ~/.ssh/id", "cd ~/.ssh && cat id"]));
    }
    for name in ["code", "source", "snippet", "cell", "sqlText", "input", "queryString"] {
        let code = [
            "import os; os.system('touch x')",
            "import subprocess\nsubprocess.run([\"touch\", \"x\"])",
            "require('child_process').execSync('touch x')",
            "%%bash\ntouch x",
        ];
        all.extend(many("shell(touch *)", Ask, name, &code));
    }
    all.extend(wrong(
        "shell(touch *)",
        Ask,
        vec![
            json!({ "code": ["ls", "touch x"] }),
            json!({ "code": "print(1)\n!touch x" }),
            json!({ "cells": [{ "code": "touch x" }] }),
            json!({ "language": "python", "code": "os.system('touch x')" }),
            json!({ "sql": "select system('touch x')" }),
            json!({ "python": "os.system('touch x')" }),
            json!("{\"code\": \"touch x\"}"),
        ],
    ));
    // What certainly is a line is denied.
    all.extend(wrong(
        "shell(touch *)",
        Deny,
        vec![
            json!({ "language": "bash", "code": "touch x" }),
            json!({ "interpreter": "/bin/sh", "input": "touch x" }),
            json!({ "zsh": "touch x" }),
        ],
    ));
    // Code that is no line, and lines that are others.
    for name in ["code", "source", "snippet", "input", "cell"] {
        let code = [
            "print(1)",
            "print('touch x')",
            "import os\nprint(os.getcwd())",
            "x = 1\nfor a in b:\n    print(a)",
            "touch = 1",
            "const touch = (x) => x;",
            "# touch x",
            "def touch(x): pass",
            "echo touch x",
            "ls",
            "select touch from x",
            "Don't touch x",
        ];
        all.extend(many("shell(touch *)", Allow, name, &code));
        let other =
            ["print(1)", "import os", "x = 1", "def f(): pass", "let x = 1", "fn main() {}", "hello there"];
        all.extend(many("shell(*)", Allow, name, &other));
    }
    all.extend(wrong(
        "shell(touch *)",
        Allow,
        vec![
            json!({ "language": "python", "code": "touch x" }),
            json!({ "text": "touch x" }),
            json!({ "description": "touch x" }),
            json!({ "sql": "touch x" }),
            json!({ "code": vec!["print(1)"; 100] }),
            json!({ "zip_code": "touch x", "status_code": "touch x", "country_code": "touch x" }),
            json!({ "source_id": "touch x", "code_owner": "touch x", "query_id": "touch x" }),
            json!({ "script_name": "touch x", "command_id": "touch x", "command_description": "touch x" }),
            json!({ "run": "touch" }),
        ],
    ));
    assert!(all.is_empty(), "{all:#?}");
    // What a tool that is a shell is given to type.
    for tool in ["shell", "run_in_terminal", "bashExec", "terminal_write", "execute", "execute_command"] {
        for arguments in [
            json!({ "input": "touch x" }),
            json!({ "text": "touch x\n" }),
            json!({ "source": "touch x" }),
            json!({ "code": "touch x" }),
        ] {
            assert_eq!(in_tool(tool, "shell(touch *)", arguments.clone()), ASKED, "{tool} {arguments}");
        }
        let harmless = json!({ "text": "ls", "description": "touch x" });
        assert_eq!(in_tool(tool, "shell(touch *)", harmless), NOTHING, "{tool}");
    }
    for tool in ["write", "send_message", "pushover"] {
        assert_eq!(in_tool(tool, "shell(touch *)", json!({ "text": "touch x" })), NOTHING, "{tool}");
    }
}

/// Prose that begins with the name of a program is no line, however the server is called.
#[test]
fn given_prose_that_begins_as_a_command_then_denials_of_it_are_not_about_it() {
    for (tool, rule, arguments) in [
        ("a/b", "shell(touch *)", json!({ "input": "touch base with bob" })),
        ("command-center/add_task", "shell(touch *)", json!({ "task": "touch up the docs" })),
        ("cmd/search", "shell(rm *)", json!({ "text": "rm the old things" })),
        ("bash/search", "shell(rm *)", json!({ "text": "rm the old things" })),
        ("slack/run_search", "shell(curl *)", json!({ "content": "curl is broken" })),
        ("slack/process_message", "shell(git push *)", json!({ "text": "git push now please" })),
        ("process/list", "shell(touch *)", json!({ "value": "touch it" })),
        ("a/b", "shell(curl *)", json!({ "source": "curl" })),
        ("gh/get_run", "shell(rm *)", json!({ "run": "rm" })),
        ("linear/run_query", "shell(touch *)", json!({ "text": "touch x" })),
        ("browser/get_console_logs", "shell(touch *)", json!({ "text": "touch x" })),
    ] {
        assert_eq!(in_tool(tool, rule, arguments.clone()), NOTHING, "{tool} {arguments}");
    }
}

/// What is not read of a line or of a guess could be anything: it is asked about, always. Attack 712.
#[test]
fn given_more_commands_than_are_read_then_the_rest_could_be_what_is_denied() {
    let rm = "shell(rm *)";
    for arguments in [
        json!({ "code": format!("{}rm x", "true\n".repeat(200)) }),
        json!({ "code": format!("{}rm x\n)", "ls\n".repeat(70)) }),
        json!({ "code": format!("{}rm x\n)", "ls\n".repeat(3000)) }),
        json!({ "code": format!("rm x\n#{}", "a".repeat(66_000)) }),
        json!({ "code": format!("rm x #{}", "a".repeat(12_000)) }),
        json!({ "code": format!("{}\n!rm x", "!ls\n".repeat(80)) }),
    ] {
        let text = arguments.to_string();
        let short = text.get(..30).unwrap_or_default();
        assert_eq!(in_tool("t", rm, arguments.clone()), ASKED, "{short}");
        assert_eq!(in_tool("t", "fetch(x.internal)", arguments), NOTHING, "{short}");
    }
    for line in [
        format!("{}cat .env", "true\n".repeat(300)),
        format!("x=.e\n{}cat ${{x}}nv", "true\n".repeat(300)),
        format!("cat .env #{}", "a".repeat(12_000)),
        "cat .env\n)".to_owned(),
        "cat .e*\n(".to_owned(),
    ] {
        let arguments = json!({ "command": line });
        assert_eq!(in_tool("t", "read(/w/.env)", arguments), ASKED, "{:?}", line.get(..20));
    }
    for arguments in [
        json!({ "command": "ls src\n)" }),
        json!({ "script": "const x = () => { return document.title; }" }),
        json!({ "code": "const a = require('path');\nfunction f(x) { return x.y(); }\n".repeat(150) }),
    ] {
        assert_eq!(in_tool("t", "read(/w/.env)", arguments.clone()), NOTHING, "{arguments}");
        assert_eq!(in_tool("t", rm, arguments.clone()), NOTHING, "{arguments}");
    }
    // There is one budget for a call.
    let lists = [("(i\n", "ls a b\n", 900), ("((\n", "bash -c 'ls a'\n", 200)];
    for (begin, line, count) in lists {
        let code = vec![json!({ "code": format!("{begin}{}", line.repeat(60)) }); count];
        assert_eq!(in_tool("t", rm, Value::from(code)), ASKED, "{begin}");
    }
}
