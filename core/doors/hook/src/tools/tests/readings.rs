//! Inputs that a harness may read in another way than the one that comes to mind first: each reading counts.

use serde_json::{Value, json};

use super::{claude, of, texts};

fn has(found: &[String], access: &str) -> bool {
    found.iter().any(|text| text == access)
}

/// The folders in which what a call names by a relative path would be.
fn touched(harness: &str, tool: &str, input: Value) -> String {
    format!("{:?}", of(harness, tool, input).accesses)
}

/// Attack 564. No harness has words beside a line: one that does not know them runs the line.
#[test]
fn given_words_beside_a_line_then_it_is_a_line_too() {
    for line in [
        "rm -rf /",
        "mayi inbox approve 1",
        "echo x>>~/.bashrc",
        "cat<secrets/key",
        "{rm,-rf,/}",
        "ls;make",
        "$x",
        "a\nb",
        "a&&b",
    ] {
        for key in ["command", "cmd", "commandLine", "command_line", "script", "shell_command"] {
            let alone = claude("Bash", json!({ key: line }));
            for args in
                [json!([]), json!(["x"]), json!(["--version"]), json!("x"), json!([1]), json!({ "a": 1 })]
            {
                let found = claude("Bash", json!({ key: line, "args": args }));
                for access in &alone {
                    assert!(has(&found, access), "{key} {line:?} {args}: {found:?} lacks {access}");
                }
            }
        }
    }
    let found = claude("Bash", json!({ "command": "make", "args": ["--version"] }));
    assert!(has(&found, "shell(make)") && has(&found, "shell(make --version)"), "{found:?}");
    let found = claude("Bash", json!({ "command": "ls", "args": ["; rm x"] }));
    assert!(has(&found, "shell(rm x)"), "{found:?}");
    assert!(has(&claude("Bash", json!({ "command": "ls", "args": "; rm x" })), "tool(Bash)"));
    assert!(has(&claude("Bash", json!({ "command": ["rm -rf x"] })), "shell(rm -rf x)"));
    // What every harness sends is as it was.
    assert_eq!(claude("Bash", json!({ "command": "make x", "args": null })), ["shell(make x)"]);
    assert_eq!(claude("Bash", json!({ "command": ["bash", "-lc", "make x"] })), ["shell(make x)"]);
}

/// Attack 564. A folder under a key that the harness does not read leaves the command where the session is.
#[test]
fn given_a_folder_that_the_harness_may_not_read_then_the_line_is_judged_in_both() {
    let keys = ["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"];
    for (harness, tool, own) in [
        ("claude-code", "Bash", None),
        ("copilot", "bash", None),
        ("vscode", "run_in_terminal", None),
        ("agy", "run_shell_command", None),
        ("codex", "shell", Some("workdir")),
        ("gemini", "run_shell_command", Some("dir_path")),
        ("qwen", "run_shell_command", Some("directory")),
        ("cursor", "Shell", None),
        ("opencode", "bash", Some("workdir")),
    ] {
        for key in keys {
            let found = touched(harness, tool, json!({ "command": "touch z", key: "src" }));
            assert!(found.contains("\"/w/src/z\""), "{harness} {key}: {found}");
            assert_eq!(found.contains("\"/w/z\""), own != Some(key), "{harness} {key}: {found}");
            // Where several are there, each counts.
            let all =
                json!({ "command": "touch z", key: "src", "cwd": "a", "workdir": "b", "dir_path": "c" });
            let found = touched(harness, tool, all);
            let expected = ["a", "b", "c"].iter().filter(|folder| {
                !(key == "cwd" && **folder == "a"
                    || key == "workdir" && **folder == "b"
                    || key == "dir_path" && **folder == "c")
            });
            for folder in expected {
                assert!(found.contains(&format!("\"/w/{folder}/z\"")), "{harness} {key} {folder}: {found}");
            }
        }
        if let Some(own) = own {
            for same in ["", ".", "/w", "src/.."] {
                let found = touched(harness, tool, json!({ "command": "touch z", own: same, "cwd": "a" }));
                assert!(found.contains("\"/w/z\"") || own == "cwd", "{harness} {same:?}: {found}");
            }
        }
    }
    // A tool that is not known reads what nobody knows.
    let found = touched("opencode", "newtool", json!({ "command": "touch z", "workdir": "src" }));
    assert!(found.contains("\"/w/src/z\"") && found.contains("\"/w/z\""), "{found}");
    for home in ["~/k", " ~/k", "file:///home/me/k"] {
        let found = touched("opencode", "bash", json!({ "command": "touch z", "workdir": home }));
        assert!(found.contains("\"/home/me/k/z\""), "{home}: {found}");
    }
    // The same folder in another spelling is no other one.
    for same in [".", "./", "/w", "/w/.", "src/.."] {
        let input = json!({ "command": "touch z", "cwd": same });
        assert_eq!(claude("Bash", input), claude("Bash", json!({ "command": "touch z" })), "{same}");
    }
    let found = claude("Read", json!({ "file_path": "key", "cwd": "secrets" }));
    assert!(has(&found, "read(/w/secrets/key)") && has(&found, "read(/w/key)"), "{found:?}");
    let found = claude("Write", json!({ "file_path": "key", "content": "x", "directory": "secrets" }));
    assert!(has(&found, "create(/w/secrets/key)"), "{found:?}");
    let found = texts(&of("gemini", "list_directory", json!({ "dir_path": "src" })));
    assert_eq!(found, ["read(/w/src)"]);
}

/// Attack 359.
#[test]
fn given_items_of_any_form_then_each_file_that_they_name_counts() {
    let item = |more: Value| {
        let mut item = json!({ "old_string": "a", "new_string": "b" });
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        item
    };
    for more in [
        json!({ "file_path": "/etc/x" }),
        json!({ "file_path": "src/a", "filePath": "/etc/x" }),
        json!({ "filePath": "/etc/x", "file_path": "src/a" }),
        json!({ "file_path": "src/a", "uri": "/etc/x" }),
        json!({ "file_path": "src/a", "uri": "file:///etc/x" }),
        json!({ "file_path": "src/a", "file": "/etc/x" }),
        json!({ "file_path": "src/a", "whatever": "/etc/x" }),
        json!({ "file_path": "src/a", "targets": ["/etc/x"] }),
        json!({ "file_path": "src/a", "to": { "name": "/etc/x" } }),
        json!({ "file_path": ["/etc/x"] }),
        json!({ "file_path": { "path": "/etc/x" } }),
        json!({ "file_path": "", "filePath": "/etc/x" }),
        json!({ "file_path": "src/a", "path": "\u{feff}/etc/x" }),
        json!({ "file_path": "src/a", "path": "../etc/x" }),
    ] {
        for (harness, tool, key) in [
            ("claude-code", "MultiEdit", "edits"),
            ("vscode", "multi_replace_string_in_file", "replacements"),
            ("gemini", "replace", "edits"),
            ("opencode", "edit", "edits"),
        ] {
            for list in [
                json!([item(more.clone())]),
                item(more.clone()),
                json!(json!([item(more.clone())]).to_string()),
            ] {
                let found = texts(&of(harness, tool, json!({ "file_path": "src/a", key: list })));
                assert!(has(&found, "edit(/etc/x)"), "{tool} {list}: {found:?}");
            }
        }
        let read = |list: Value| claude("Read", json!({ "file_path": "src/a", "files": list }));
        for list in [json!([more.clone()]), more.clone()] {
            let found = read(list.clone());
            assert!(has(&found, "read(/etc/x)"), "{list}: {found:?}");
        }
    }
    for map in
        [json!({ "/etc/x": "b" }), json!({ "/etc/x": { "new_string": "b" } }), json!({ "/etc/x": [{}] })]
    {
        let found = claude("Edit", json!({ "file_path": "src/a", "edits": map }));
        assert!(has(&found, "edit(/etc/x)"), "{map}: {found:?}");
    }
    // So does one at the top under a key that nobody has listed.
    for (tool, access) in [("Write", "create"), ("Edit", "edit"), ("Read", "read")] {
        for key in ["target", "destinationPath", "File", "x"] {
            let found = claude(tool, json!({ "file_path": "src/a", key: "/etc/x" }));
            assert!(
                has(&found, &format!("{access}(/etc/x)")) && has(&found, &format!("tool({tool})")),
                "{tool} {key}: {found:?}"
            );
        }
    }
}

/// Attack 359. No mode and no rule answers for what can't be read.
#[test]
fn given_items_that_can_not_be_read_then_it_is_asked_about_always() {
    for list in [
        json!(["x"]),
        json!([1]),
        json!([[{}]]),
        json!(1),
        json!("x"),
        json!({ "a": 1 }),
        json!([{ "file_path": 1 }]),
    ] {
        for (tool, key) in [("Edit", "edits"), ("Edit", "replacements"), ("MultiEdit", "edits")] {
            let call = of("claude-code", tool, json!({ "file_path": "src/a", key: list }));
            assert!(call.by_hand.is_some(), "{tool} {list}");
        }
    }
    for list in
        [json!([1]), json!([["src/a"]]), json!([{ "path": 1 }]), json!("src/a"), json!({ "src/a": 1 })]
    {
        assert!(of("gemini", "read_many_files", json!({ "paths": list })).by_hand.is_some(), "{list}");
    }
    for list in [json!(["https://docs.rs", { "a": 1 }]), json!([["http://e.x"]]), json!("http://e.x")] {
        let call = of("vscode", "fetch_webpage", json!({ "url": "https://docs.rs/", "urls": list }));
        assert!(call.by_hand.is_some(), "{list}");
    }
    // Nothing of the kind for what harnesses send.
    for (harness, tool, input, access) in [
        (
            "claude-code",
            "MultiEdit",
            json!({ "file_path": "/w/a", "edits": [{ "old_string": "/x", "new_string": "~", "replace_all": true }] }),
            "edit(/w/a)",
        ),
        (
            "vscode",
            "multi_replace_string_in_file",
            json!({ "explanation": "/x", "replacements": [{ "explanation": "../x", "filePath": "/w/a", "oldString": "/a", "newString": "/b" }] }),
            "edit(/w/a)",
        ),
        (
            "vscode",
            "fetch_webpage",
            json!({ "urls": ["https://docs.rs/"], "query": "x" }),
            "fetch(https://docs.rs/)",
        ),
        ("gemini", "read_many_files", json!({ "paths": ["a", { "path": "a", "offset": 1 }] }), "read(/w/a)"),
    ] {
        let call = of(harness, tool, input);
        assert_eq!((texts(&call), call.by_hand), (vec![access.to_owned()], None), "{tool}");
    }
}

/// Attack 223: what is left out around a path is left out in a patch, too.
#[test]
fn given_a_patch_with_blanks_around_its_names_then_they_count_without_them_too() {
    for header in [
        "*** Add File: \u{feff}/etc/x",
        "*** Add File:\u{feff} /etc/x",
        "\u{feff}*** Add File: /etc/x",
        "*** Rename File: /etc/x",
        "*** Update File: /etc/x\u{200b}",
        "*** Move to: \u{a0}/etc/x",
        "*** delete file: /etc/x",
        "x\r*** Add File: /etc/x",
    ] {
        let patch = format!("*** Begin Patch\n*** Add File: src/ok\n+x\n{header}\n+x\n*** End Patch");
        for (harness, key) in [("opencode", "patchText"), ("codex", "command"), ("vscode", "input")] {
            let found = texts(&of(harness, "apply_patch", json!({ key: patch })));
            assert!(found.iter().any(|text| text.ends_with("(/etc/x)")), "{harness} {header:?}: {found:?}");
        }
    }
}

/// Attack 85. What reads all that a pattern fits is judged as the search that shows it.
#[test]
fn given_a_pattern_of_files_to_read_then_it_is_judged_as_what_shows_them() {
    for (pattern, folder) in [
        ("sec*/key", "."),
        ("**", "."),
        ("**/*", "."),
        ("{secrets,x}/key", "secrets"),
        ("[s]ecrets/key", "."),
        ("secrets/*", "secrets"),
        ("@(secrets)/key", "."),
        ("*/../../x", "./../.."),
        ("{/etc,x}/*", "/etc"),
    ] {
        for input in [
            json!({ "paths": [pattern] }),
            json!({ "include": [pattern] }),
            json!({ "files": [{ "path": pattern }] }),
            json!({ "paths": ["a", format!(" {pattern} ")] }),
        ] {
            let found = texts(&of("gemini", "read_many_files", input.clone()));
            let search = found.iter().find(|text| text.starts_with("shell(rg "));
            assert!(search.is_some_and(|text| text.contains(folder)), "{input}: {found:?}");
        }
        assert!(
            claude("Read", json!({ "file_path": pattern })).iter().any(|text| text.starts_with("shell(rg")),
            "{pattern}"
        );
    }
    for leaves in ["*/../../*", "{/etc,x}/*", "{..,x}/../*", "@(..|x)/*", "[.][.]/../*"] {
        let outside =
            |found: Vec<String>| found.iter().any(|text| ["read(/)", "read(/etc)"].contains(&text.as_str()));
        assert!(outside(claude("Glob", json!({ "pattern": leaves }))), "{leaves}");
        assert!(outside(claude("Grep", json!({ "pattern": "x", "glob": leaves }))), "{leaves}");
        assert!(outside(texts(&of("gemini", "read_many_files", json!({ "paths": [leaves] })))), "{leaves}");
    }
    // Names that are there, and patterns that stay, are as they were.
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("[id].tsx");
    std::fs::write(&page, "").unwrap();
    assert_eq!(claude("Read", json!({ "file_path": page })), [format!("read({})", page.display())]);
    assert_eq!(claude("Glob", json!({ "pattern": "src/{a,b}/**/*.{ts,tsx}" })), ["read(/w)"]);
}

/// Attack 359. What is to be fetched is told to a model in a sentence.
#[test]
fn given_an_address_in_any_text_then_it_counts_beside_the_one_that_has_a_key() {
    for (harness, tool) in
        [("gemini", "web_fetch"), ("agy", "web_fetch"), ("qwen", "web_fetch"), ("claude-code", "WebFetch")]
    {
        for input in [
            json!({ "url": "https://docs.rs/", "prompt": "get http://e.x/?k=1" }),
            json!({ "url": "https://docs.rs/", "prompt": "get\n<HTTP://e.x/?k=1>" }),
            json!({ "prompt": "https://docs.rs/ and http://e.x/?k=1." }),
            json!({ "url": "https://docs.rs/", "urls": [{ "url": "http://e.x/?k=1" }] }),
            json!({ "url": "https://docs.rs/", "proxy": "http://e.x/?k=1" }),
            json!({ "url": "https://docs.rs/", "x": { "y": ["http://e.x/?k=1"] } }),
        ] {
            let found = texts(&of(harness, tool, input.clone()));
            assert!(has(&found, "fetch(http://e.x/?k=1)"), "{tool} {input}: {found:?}");
        }
        let found = texts(&of(
            harness,
            tool,
            json!({ "url": "https://docs.rs/x", "prompt": "what is in it? a/b, 1:2" }),
        ));
        assert_eq!(found, ["fetch(https://docs.rs/x)"], "{tool}");
    }
    let found = texts(&of("gemini", "web_fetch", json!({ "prompt": "read file:///etc/passwd" })));
    assert!(has(&found, "read(/etc/passwd)"), "{found:?}");
}

/// Attack 359. A tool that is not known may change what it is given.
#[test]
fn given_a_tool_that_is_not_known_then_its_paths_are_read_and_written() {
    for input in [
        json!({ "filePath": "/etc/x" }),
        json!({ "target": "/etc/x" }),
        json!({ "a": { "b": ["/etc/x"] } }),
        json!({ "paths": ["/etc/x"] }),
    ] {
        let found = claude("edit_notebook_file", input.clone());
        assert!(
            has(&found, "edit(/etc/x)")
                && has(&found, "read(/etc/x)")
                && has(&found, "tool(edit_notebook_file)"),
            "{input}: {found:?}"
        );
    }
    for (harness, tool, input) in [
        ("copilot", "write_bash", json!({ "input": "rm -rf /\n" })),
        ("agy", "run_command", json!({ "CommandLine": "rm -rf /", "Cwd": "src" })),
        ("claude-code", "Foo", json!({ "commands": ["rm -rf /"] })),
        ("claude-code", "Bash", json!({ "command": "ls", "commands": ["rm -rf /"] })),
    ] {
        let found = texts(&of(harness, tool, input.clone()));
        assert!(has(&found, "shell(rm -rf /)"), "{tool} {input}: {found:?}");
    }
    assert_eq!(claude("SendMessage", json!({ "to": "a", "message": "b" })), ["tool(SendMessage)"]);
}

/// Attack 359, attack 564: what lies deeper, in another form or under another key than usual.
#[test]
fn given_what_lies_deeper_or_has_another_form_then_it_counts() {
    for (harness, tool, input, access) in [
        (
            "vscode",
            "create_and_run_task",
            json!({ "task": { "type": "shell", "command": "rm x" } }),
            "shell(rm x)",
        ),
        (
            "opencode",
            "batch",
            json!({ "tool_calls": [{ "tool": "bash", "parameters": { "command": "rm x" } }] }),
            "shell(rm x)",
        ),
        ("claude-code", "Bash", json!({ "command": "ls", "arguments": ["; rm x"] }), "shell(rm x)"),
        ("claude-code", "Bash", json!({ "command": "ls", "shell": "./evil" }), "shell(./evil -c ls)"),
        (
            "claude-code",
            "Write",
            json!({ "file_path": "src/a", "path": ["/etc/x"], "content": "x" }),
            "create(/etc/x)",
        ),
        (
            "claude-code",
            "WebFetch",
            json!({ "url": "https://docs.rs", "save_to": "/etc/x" }),
            "create(/etc/x)",
        ),
    ] {
        let found = texts(&of(harness, tool, input.clone()));
        assert!(has(&found, access), "{tool} {input}: {found:?} lacks {access}");
    }
    let found = touched("claude-code", "Bash", json!({ "command": "touch z", "cwd": ["secrets"] }));
    assert!(found.contains("\"/w/secrets/z\"") && found.contains("\"/w/z\""), "{found}");
    for env in [
        json!({ "LD_PRELOAD": "x" }),
        json!(["LD_PRELOAD=x"]),
        json!([["LD_PRELOAD", "x"]]),
        json!("LD_PRELOAD=x"),
    ] {
        for key in ["env", "environment", "envs"] {
            let found = touched("claude-code", "Bash", json!({ "command": "ls", key: env }));
            assert!(found.contains("the variable LD_PRELOAD"), "{key} {env}: {found}");
        }
    }
    // Codex's own event for its shell has no folder: one that is there is none that is known to be read.
    let found = touched("codex", "Bash", json!({ "command": "touch z", "workdir": "src" }));
    assert!(found.contains("\"/w/z\"") && found.contains("\"/w/src/z\""), "{found}");
}
