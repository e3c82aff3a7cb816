//! What a request does though its kind, or the name of its tool, says less.

use super::*;

fn of_kind(kind: &str, input: Value) -> Vec<String> {
    accesses(json!({"toolCallId": "t", "kind": kind, "rawInput": input}))
}

fn held(kind: &str, input: Value, wanted: &[&str]) {
    let found = of_kind(kind, input.clone());
    for access in wanted {
        assert!(found.iter().any(|own| own == access), "{kind} {input}: {found:?} has no {access}");
    }
}

/// Attack 660: the kind said that it thinks, reads or is something else, and its input wrote, moved or fetched.
#[test]
fn given_an_input_that_does_more_than_its_kind_then_all_of_it_is_an_access() {
    for kind in ["read", "other", "search", "think", "execute"] {
        held(kind, json!({"path": "/w/a", "content": "x"}), &["write(/w/a)"]);
        held(
            kind,
            json!({"source_path": "s/key", "destination_path": ".git/hooks/x"}),
            &["read(/w/s/key)", "write(/w/.git/hooks/x)"],
        );
        held(kind, json!({"path": "/w/a", "url": "https://x.example/y"}), &["fetch(https://x.example/y)"]);
    }
    held("think", json!({"path": "/w/s/key"}), &["read(/w/s/key)"]);
    held(
        "edit",
        json!({"path": "/w/a", "old_string": "a", "uri": ".vscode/settings.json"}),
        &["write(/w/.vscode/settings.json)"],
    );
    held("read", json!({"uri": "file:///w/s/key"}), &["read(/w/s/key)"]);
    held("read", json!({"path": "a", "include": ["s/key"]}), &["read(/w/a)", "read(/w/s/key)"]);
    held(
        "move",
        json!({"path": "s/key", "new_path": "b"}),
        &["read(/w/s/key)", "move(/w/s/key)", "move(/w/b)"],
    );
    held(
        "execute",
        json!({"command": "git log", "post_command": "rm x"}),
        &["shell(git log)", "shell(rm x)"],
    );
    let at = json!({"toolCallId": "t", "kind": "read", "rawInput": {}, "locations": [{"path": "file:///w/s/key"}]});
    assert!(accesses(at).iter().any(|access| access == "read(/w/s/key)"));
}

/// Attack 698: what stands beside a command could be what is really done.
#[test]
fn given_a_command_with_more_beside_it_then_it_is_not_that_command_alone() {
    for (key, value) in [
        ("file_path", json!(".env")),
        ("output", json!(".github/x")),
        ("redirect", json!("x")),
        ("nested", json!({"command": "touch pwned"})),
        ("stdin", json!("touch pwned")),
        ("prefix", json!("touch pwned;")),
        ("sudo", json!(true)),
        ("host", json!("evil")),
        ("dangerouslyDisableSandbox", json!(true)),
    ] {
        let input = json!({"command": "cat a.txt", key: value});
        let call = call_after(&[], json!({"toolCallId": "t", "kind": "execute", "rawInput": input}));
        assert!(call.by_hand.is_some_and(|why| why.contains(key)), "{input}");
    }
    held("execute", json!({"command": "cat a.txt", "file_path": ".env"}), &["read(/w/.env)"]);
    let everyday = json!({
        "command": "ls", "description": "what is there", "timeout": 3, "run_in_background": true, "sudo": false,
        "cwd": "/w", "extra": null, "is_background": false, "reason": "to see"
    });
    assert_eq!(of_kind("execute", everyday.clone()), ["shell(ls)"]);
    let call = call_after(&[], json!({"toolCallId": "t", "kind": "execute", "rawInput": everyday}));
    assert_eq!(call.by_hand, None);
}

/// Attack 661: a search by a tool that calls itself one for names shows what files hold all the same, if its input says so.
#[test]
fn given_a_tool_that_calls_itself_one_for_names_then_its_input_has_to_be_one_too() {
    let searches = |name: &str, input: Value| {
        let request = json!({"toolCallId": "t", "kind": "search", "name": name, "rawInput": input});
        accesses(request).iter().any(|access| access.starts_with("shell(rg"))
    };
    assert!(searches("list", json!({"pattern": "SECRET"})));
    assert!(searches("glob", json!({"pattern": "**/*.rs", "output_mode": "content"})));
    assert!(searches("grep", json!({"pattern": "*"})));
    assert!(!searches("Glob", json!({"pattern": "**/*.rs", "path": "/w/src"})));
    assert!(!searches("Glob", json!({"pattern": "package.json"})));
    assert!(!searches("list_directory", json!({"path": "/w"})));
}

/// What real agents ask for every day stays what it is.
#[test]
fn given_everyday_requests_then_nothing_is_added() {
    assert_eq!(of_kind("read", json!({"file_path": "/w/a", "limit": 3})), ["read(/w/a)"]);
    assert_eq!(
        of_kind("execute", json!({"command": "ls", "description": "what is there", "timeout": 3})),
        ["shell(ls)"]
    );
    assert_eq!(
        of_kind("fetch", json!({"url": "https://x.example/", "prompt": "read it"})),
        ["fetch(https://x.example/)"]
    );
}
