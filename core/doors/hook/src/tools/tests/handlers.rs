//! What handlers of real harnesses make of an input before they act on it.

use super::*;

fn held(found: &[String], wanted: &[&str]) {
    for access in wanted {
        assert!(found.iter().any(|own| own == access), "{found:?} has no {access}");
    }
}

/// Attack 650: Gemini CLI drops an `@` before a path, and decodes what is percent-encoded in it (0.61).
#[test]
fn given_a_path_that_a_handler_changes_then_each_form_counts() {
    let gemini = |tool: &str, input: Value| texts(&of("gemini", tool, input));
    held(&gemini("read_file", json!({ "file_path": "@s/key" })), &["read(/w/s/key)", "read(/w/@s/key)"]);
    held(&gemini("read_file", json!({ "file_path": "/w/%73/key" })), &["read(/w/s/key)"]);
    held(&gemini("read_file", json!({ "file_path": "@/w/%2573/key" })), &["read(/w/s/key)"]);
    held(
        &gemini("write_file", json!({ "file_path": "%2evscode/tasks.json", "content": "x" })),
        &["create(/w/.vscode/tasks.json)"],
    );
    held(&claude("Read", json!({ "file_path": "/w/a%20b" })), &["read(/w/a%20b)", "read(/w/a b)"]);
}

/// Attack 651: a patch moved a file out that may not be read.
#[test]
fn given_a_patch_that_moves_a_file_then_it_is_read_as_well() {
    let patch = "*** Begin Patch\n*** Update File: s/key\n*** Move to: b\n@@\n+a\n*** End Patch";
    for harness in ["codex", "opencode"] {
        let found = texts(&of(harness, "apply_patch", json!({ "patchText": patch, "input": patch })));
        held(&found, &["read(/w/s/key)"]);
    }
    let plain = "*** Begin Patch\n*** Update File: s/key\n@@\n+a\n*** End Patch";
    let found = texts(&of("opencode", "apply_patch", json!({ "patchText": plain })));
    assert!(!found.iter().any(|access| access.starts_with("read(")), "{found:?}");
}

/// Attack 652: a server's name that a harness has written otherwise: an allow for `my_server` was one for `my.server`.
#[test]
fn given_a_server_that_the_harness_names_otherwise_then_its_own_name_counts_too() {
    let event = HookEvent {
        tool: "mcp__my_server__wipe_all".to_owned(),
        server: Some("my.server".to_owned()),
        server_tool: Some("wipe.all".to_owned()),
        input: json!({}),
        ..HookEvent::new(EventKind::Before, "PreToolUse")
    };
    let harness = Harness::find_by_name("claude-code").unwrap();
    let call = call_from_event(harness, &event, &session("/w"), &HomeFolders::default());
    let Access::Mcp(mcp) = &call.accesses[0] else { panic!("{:?}", call.accesses) };
    let has = |server: &str, tool: &str| mcp.readings.contains(&(server.to_owned(), tool.to_owned()));
    assert!(has("my.server", "wipe_all") && has("my.server", "wipe.all") && has("my_server", "wipe_all"));
    assert!(mcp.unique_reading().is_none(), "no allow takes one of several for certain");
}

/// Attack 653: an address without a scheme, which a handler puts before it; and a line that is typed into a shell.
#[test]
fn given_an_address_without_a_scheme_or_a_typed_line_then_it_counts() {
    let found = claude("WebFetch", json!({ "url": "evil.example/x", "prompt": "p" }));
    assert!(found.iter().any(|access| access.starts_with("fetch(https://evil.example/x")), "{found:?}");
    held(&claude("Bash", json!({ "command": "bash", "stdin": "rm x" })), &["shell(rm x)"]);
    let quiet = claude("Bash", json!({ "command": "cat", "stdin": "rm x" }));
    assert!(!quiet.iter().any(|access| access == "shell(rm x)"), "{quiet:?}");
}

/// Attack 650: forms of a folder that is searched, and what is between an `@` and a path.
#[test]
fn given_a_searched_folder_that_a_handler_changes_then_each_form_counts() {
    let gemini = |tool: &str, input: Value| texts(&of("gemini", tool, input));
    for (tool, input) in [
        ("list_directory", json!({ "dir_path": "s%65c" })),
        ("glob", json!({ "pattern": "*", "dir_path": "s%65c" })),
        ("read_file", json!({ "file_path": "@/sec" })),
        ("read_file", json!({ "file_path": "s\0ec" })),
    ] {
        held(&gemini(tool, input), &["read(/w/sec)"]);
    }
    let search = gemini("grep_search", json!({ "pattern": "x", "dir_path": "s%65c" }));
    held(&search, &["read(/w/sec)", "shell(rg --hidden -e x -- s%65c sec)"]);
    let plain = gemini("grep_search", json!({ "pattern": "x", "dir_path": "sec" }));
    assert_eq!(plain, ["read(/w/sec)", "shell(rg --hidden -e x -- sec)"]);
}

/// Attack 654: Gemini CLI's `replace` looks for a relative path that is not there below the workspace (0.61).
#[test]
fn given_an_edit_of_what_is_not_there_then_files_of_that_ending_below_count() {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(work.join("sub/deeper")).unwrap();
    for file in ["here.txt", "sub/deep.txt", "sub/here.txt", "sub/deeper/deep.txt", "sub/adeep.txt"] {
        std::fs::write(work.join(file), "x").unwrap();
    }
    let call = |harness: &str, tool: &str, path: &str| {
        let input = json!({ "file_path": path, "old_string": "a", "new_string": "b", "content": "c" });
        let input = if tool == "write_file" { json!({ "file_path": path, "content": "c" }) } else { input };
        let event =
            HookEvent { tool: tool.to_owned(), input, ..HookEvent::new(EventKind::Before, "BeforeTool") };
        let session = Session { roots: vec![work.clone()], ..session(work.to_str().unwrap()) };
        let harness = Harness::find_by_name(harness).unwrap();
        call_from_event(harness, &event, &session, &HomeFolders::default())
    };
    let edits =
        |call: &Call, file: &str| texts(call).contains(&format!("edit({})", work.join(file).display()));
    for path in ["deep.txt", "@deep.txt", "d%65ep.txt"] {
        let found = call("gemini", "replace", path);
        assert!(edits(&found, "sub/deep.txt") && edits(&found, "sub/deeper/deep.txt"), "{path}: {found:?}");
        assert!(!edits(&found, "sub/adeep.txt") && found.by_hand.is_none(), "{path}: {found:?}");
    }
    let found = call("gemini", "replace", "deeper/deep.txt");
    assert!(edits(&found, "sub/deeper/deep.txt") && !edits(&found, "sub/deep.txt"), "{found:?}");
    // What is there is that, and other tools and harnesses look for nothing.
    for (harness, tool, path) in [
        ("gemini", "replace", "here.txt"),
        ("gemini", "write_file", "deep.txt"),
        ("claude-code", "Edit", "deep.txt"),
        ("qwen", "edit", "deep.txt"),
    ] {
        let found = call(harness, tool, path);
        assert!(!edits(&found, "sub/deep.txt") && !edits(&found, "sub/here.txt"), "{harness}: {found:?}");
    }
    // What is too much to be looked through is asked about always.
    for at in 0..70 {
        std::fs::create_dir(work.join(format!("{at}"))).unwrap();
        std::fs::write(work.join(format!("{at}/many.txt")), "x").unwrap();
    }
    assert!(call("gemini", "replace", "many.txt").by_hand.is_some());
}

/// Attack 655: an edit shows in its result what else the file holds.
#[test]
fn given_an_edit_whose_result_shows_the_file_then_it_is_read_as_well() {
    let edit = json!({ "file_path": "s/key", "old_string": "a", "new_string": "b" });
    for (harness, tool) in [("gemini", "replace"), ("agy", "replace"), ("qwen", "edit")] {
        held(&texts(&of(harness, tool, edit.clone())), &["read(/w/s/key)"]);
    }
    let several = json!({ "edits": [{ "file_path": "s/key", "old_string": "a", "new_string": "b" }] });
    held(&texts(&of("qwen", "edit", several)), &["read(/w/s/key)"]);
    let view = json!({ "command": "view", "path": "s/key" });
    held(&texts(&of("copilot", "str_replace_editor", view)), &["read(/w/s/key)"]);
    // What only writes shows nothing.
    let write = json!({ "file_path": "s/key", "content": "x" });
    for (harness, tool) in [("gemini", "write_file"), ("claude-code", "Write")] {
        assert_eq!(texts(&of(harness, tool, write.clone())), ["create(/w/s/key)"], "{harness}");
    }
    // Claude Code says that it is done, and no more (2.1.331).
    assert_eq!(claude("Edit", edit), ["edit(/w/s/key)"]);
}

/// Attack 652: what the harness says is a tool of a server is one, whatever its name looks like.
#[test]
fn given_a_tool_of_a_server_by_a_plain_name_then_it_is_one_of_that_server() {
    let call = |tool: &str, server: Option<&str>, server_tool: Option<&str>| {
        let event = HookEvent {
            tool: tool.to_owned(),
            server: server.map(str::to_owned),
            server_tool: server_tool.map(str::to_owned),
            input: json!({}),
            ..HookEvent::new(EventKind::Before, "BeforeTool")
        };
        let harness = Harness::find_by_name("gemini").unwrap();
        texts(&call_from_event(harness, &event, &session("/w"), &HomeFolders::default()))
    };
    assert_eq!(call("wipe", Some("my.server"), Some("wipe")), ["mcp(my.server/wipe)"]);
    assert_eq!(call("mcp_plain_wipe_all", Some("plain"), Some("wipe_all")), ["mcp(plain/wipe_all)"]);
    assert_eq!(call("list_directory", None, None), ["read(/w)"]);
}

/// Attack 653: by any key that is typed, into any line that may start a shell.
#[test]
fn given_what_is_typed_into_a_line_that_may_start_a_shell_then_it_is_a_line() {
    for (command, key) in [
        (json!("bash -s"), "stdin"),
        (json!("env -i /bin/sh"), "stdin"),
        (json!("cd x && busybox sh"), "input"),
        (json!("$SHELL"), "stdin"),
        (json!("ssh host"), "chars"),
        (json!(["zsh"]), "stdin"),
    ] {
        held(&claude("Bash", json!({ "command": command, key: "rm x" })), &["shell(rm x)"]);
    }
    for command in ["cat", "wc -l", "python3 -m json.tool", "git apply"] {
        let quiet = claude("Bash", json!({ "command": command, "stdin": "rm x" }));
        assert!(!quiet.iter().any(|access| access == "shell(rm x)"), "{quiet:?}");
    }
    let found = claude("WebFetch", json!({ "url": "evil.example:8080/x", "prompt": "p" }));
    for scheme in ["http", "https"] {
        let address = format!("fetch({scheme}://evil.example:8080/x");
        assert!(found.iter().any(|access| access.starts_with(&address)), "{found:?}");
    }
    assert_eq!(
        claude("WebFetch", json!({ "url": "https://docs.rs/x", "prompt": "p" })),
        ["fetch(https://docs.rs/x)"]
    );
}

/// Attack 656: Codex tells the folder that the model gave for a command as the event's own, which became the session's.
#[test]
fn given_a_folder_that_the_model_gave_then_it_is_not_where_the_session_works() {
    let harness = Harness::find_by_name("codex").unwrap();
    let event = |tool: &str, input: Value| {
        let event = json!({ "session_id": "s", "cwd": "/etc", "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input });
        harness.parse_event(&event.to_string())
    };
    let runs = event("Bash", json!({ "command": "touch z" })).unwrap();
    assert_eq!(runs.cwd, None);
    let call = call_from_event(harness, &runs, &session("/w"), &HomeFolders::default());
    assert_eq!((call.cwd, call.roots), (PathBuf::from("/etc"), vec![PathBuf::from("/w")]));
    let Access::Shell(shell) = &call.accesses[0] else { panic!("{:?}", call.accesses) };
    assert!(shell.caveats.iter().any(|caveat| caveat.reason.contains("outside")), "{shell:?}");
    let named = format!("{:?}", call.accesses);
    assert!(named.contains("\"/etc/z\"") && !named.contains("\"/w/z\""), "{named}");
    // A folder in the input counts beside it, and one by the same key is no event that can be read with certainty.
    let both = event("Bash", json!({ "command": "touch z", "workdir": "/tmp" })).unwrap();
    assert_eq!((both.cwd, both.input["cwd"].as_str()), (None, Some("/etc")));
    assert!(event("Bash", json!({ "command": "ls", "cwd": "/w" })).is_err());
    // What the model gave no folder for, tells where the session works; so does what begins it.
    for (tool, input) in [("view_image", json!({ "path": "x" })), ("mcp__a__b", json!({ "command": "x" }))] {
        assert_eq!(event(tool, input).unwrap().cwd, Some(PathBuf::from("/etc")), "{tool}");
    }
    let begins = json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "SessionStart" });
    assert_eq!(harness.parse_event(&begins.to_string()).unwrap().cwd, Some(PathBuf::from("/w")));
}
