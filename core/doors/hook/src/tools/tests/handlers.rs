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
