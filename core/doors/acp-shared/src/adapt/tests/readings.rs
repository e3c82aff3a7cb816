//! Inputs that an agent may read in another way than the one that comes to mind first: each reading counts.

use serde_json::{Value, json};

use super::{accesses, call_after};

fn of(kind: &str, input: Value) -> Vec<String> {
    accesses(json!({"toolCallId": "t", "kind": kind, "rawInput": input}))
}

fn by_hand(kind: &str, input: Value) -> Option<String> {
    call_after(&[], json!({"toolCallId": "t", "kind": kind, "rawInput": input})).by_hand
}

fn touched(kind: &str, input: Value) -> String {
    format!("{:?}", call_after(&[], json!({"toolCallId": "t", "kind": kind, "rawInput": input})).accesses)
}

fn has(found: &[String], access: &str) -> bool {
    found.iter().any(|text| text == access)
}

/// Attack 564.
#[test]
fn given_words_beside_a_line_then_it_is_a_line_too() {
    for line in [
        "rm -rf /",
        "mayi inbox approve 1",
        "{mayi,inbox,approve,1}",
        "{rm,-rf,/}",
        "ls;make",
        "cat<secrets/key",
        "rm;ls",
        "{rm,src/x}>>~/.bashrc",
        "$x",
        "a\nb",
        "a&&b",
        "`x`",
    ] {
        for key in ["command", "cmd", "commandLine", "command_line", "script", "shell_command"] {
            let alone = of("execute", json!({ key: line }));
            for args in [json!([]), json!(["x"]), json!("x"), json!([1]), json!({ "a": 1 })] {
                let found = of("execute", json!({ key: line, "args": args }));
                for access in &alone {
                    assert!(has(&found, access), "{key} {line:?} {args}: {found:?} lacks {access}");
                }
            }
        }
    }
    // Words that no shell makes anything else of are just these.
    assert_eq!(of("execute", json!({"command": "make", "args": ["x", "-j4"]})), ["shell(make x -j4)"]);
    assert_eq!(of("execute", json!({"command": "make", "args": []})), ["shell(make)"]);
    assert_eq!(of("execute", json!({"command": ["bash", "-lc", "make x"]})), ["shell(make x)"]);
    assert!(has(&of("execute", json!({"command": "ls", "args": ["; rm x"]})), "shell(rm x)"));
    for key in ["commands", "CommandLine"] {
        assert!(has(&of("execute", json!({"command": "ls", key: ["rm -rf x"]})), "shell(rm -rf x)"), "{key}");
    }
    // What can't be read is no command that is understood.
    for odd in [
        json!({"command": "ls", "args": "; rm x"}),
        json!({"command": {"program": "rm"}, "cmd": "ls"}),
        json!({"command": 5, "cmd": "ls"}),
    ] {
        assert!(touched("execute", odd.clone()).contains("understood: false"), "{odd}");
    }
}

/// Attack 564. Nobody knows which key an agent reads.
#[test]
fn given_folders_in_the_input_then_a_command_is_judged_in_each_and_in_the_sessions() {
    let keys = ["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"];
    for key in keys {
        let found = touched("execute", json!({"command": "touch z", key: "secrets"}));
        assert!(found.contains("\"/w/secrets/z\"") && found.contains("\"/w/z\""), "{key}: {found}");
        for other in keys.iter().filter(|other| **other != key) {
            let found = touched("execute", json!({"command": "touch z", key: "src", *other: "secrets"}));
            for path in ["/w/secrets/z", "/w/src/z", "/w/z"] {
                assert!(found.contains(&format!("\"{path}\"")), "{key} {other}: {found}");
            }
        }
        for same in ["", ".", "/w", "/w/.", "x/.."] {
            let found = of("execute", json!({"command": "touch z", key: same}));
            assert_eq!(found, of("execute", json!({"command": "touch z"})), "{key} {same}");
        }
        // What runs the same in each is one thing.
        assert_eq!(of("execute", json!({"command": "make", key: "sub"})), ["shell(make)"]);
    }
    assert_eq!(
        of("search", json!({"pattern": "x", "dir_path": "src"})),
        ["read(/w/src)", "shell(rg --hidden -e x -- src)"]
    );
    let found = of("read", json!({"path": "key", "directory": "secrets"}));
    assert!(has(&found, "read(/w/secrets/key)") && has(&found, "read(/w/key)"), "{found:?}");
}

/// Attack 359.
#[test]
fn given_changes_of_any_form_then_each_file_that_they_name_counts() {
    for input in [
        json!({"edits": [{"filePath": "/etc/x", "oldText": "a"}]}),
        json!({"edits": [{"file_path": "src/a", "filePath": "/etc/x"}]}),
        json!({"edits": [{"file_path": "src/a", "uri": "file:///etc/x"}]}),
        json!({"edits": [{"file_path": "src/a", "whatever": "/etc/x"}]}),
        json!({"edits": [{"file_path": ["/etc/x"]}]}),
        json!({"edits": {"/etc/x": "b"}}),
        json!({"edits": {"file_path": "/etc/x"}}),
        json!({"edits": {"/etc/x": [{"oldText": "a"}]}}),
        json!({"edits": "[{\"file_path\": \"/etc/x\"}]"}),
        json!({"replacements": [{"filePath": "/etc/x", "oldText": "a"}]}),
        json!({"operations": [{"path": "/etc/x"}]}),
        json!({"changes": [{"path": "/etc/x"}]}),
        json!({"changes": {"/etc/x": {"type": "update"}}}),
        json!({"changes": {"src/b": {"type": "update", "movePath": "/etc/x"}}}),
        json!({"changes": {"path": "/etc/x"}}),
        json!({"files": [{"x": "/etc/x"}]}),
        json!({"files": [{"path": "src/b", "filePath": "/etc/x"}]}),
        json!({"files": {"/etc/x": "b"}}),
        json!({"paths": "/etc/x"}),
        json!({"path": ["/etc/x"]}),
        json!({"path": {"name": "/etc/x"}}),
        json!({"target": "/etc/x"}),
        json!({"outputPath": "/etc/x"}),
        json!({"x": "/etc/x"}),
        json!({"patch": "*** Begin Patch\n*** Add File: \u{feff}/etc/x\n+x\n*** End Patch"}),
        json!({"patch": "*** Begin Patch\n\u{feff}*** Add File: /etc/x\n+x\n*** End Patch"}),
        json!({"diff": "--- a/x\n+++ /etc/x\n"}),
    ] {
        let mut whole = json!({"file_path": "src/a", "new_string": "/usr", "old_string": "~"});
        whole.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        let found = of("edit", whole);
        assert!(
            found.iter().any(|text| text.ends_with("(/etc/x)") && !text.starts_with("read"))
                && !found.iter().any(|text| text.contains("usr")),
            "{input}: {found:?}"
        );
        if ["edits", "replacements", "changes", "patch", "diff"].iter().any(|key| input.get(key).is_some()) {
            for kind in ["read", "other", "execute", "think"] {
                let found = of(kind, input.clone());
                assert!(
                    found.iter().any(|text| text.ends_with("(/etc/x)") && !text.starts_with("read")),
                    "{kind} {input}: {found:?}"
                );
            }
        }
    }
    for list in [json!(["x"]), json!([1]), json!({"a": 1}), json!("x"), json!(1), json!([{"file_path": 1}])] {
        for key in ["edits", "replacements"] {
            assert!(by_hand("edit", json!({"file_path": "src/a", key: list})).is_some(), "{key} {list}");
        }
    }
    assert!(by_hand("edit", json!({"path": "src/a", "files": [["x"]]})).is_some());
    // What agents send is what it was.
    for (input, access) in [
        (
            json!({"file_path": "/w/a", "edits": [{"old_string": "/x", "new_string": "~", "replace_all": true}]}),
            "edit(/w/a)",
        ),
        (json!({"filePath": "/w/a", "oldString": "a", "newString": "/b", "replaceAll": false}), "edit(/w/a)"),
        (json!({"file_path": "/w/a", "instruction": "/x", "ai_proposed_content": "/y"}), "edit(/w/a)"),
        (
            json!({"call_id": "c", "changes": {"/w/a": {"type": "update", "unified_diff": "@@ -1 +1 @@\n--- /x\n", "move_path": null}}}),
            "edit(/w/a)",
        ),
        (json!({"path": "a", "diff": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"}), "edit(/w/a)"),
        (json!({"command": "create", "path": "/w/a", "file_text": "/x"}), "edit(/w/a)"),
    ] {
        assert_eq!(
            (of("edit", input.clone()), by_hand("edit", input.clone())),
            (vec![access.to_owned()], None),
            "{input}"
        );
    }
}

/// Attack 85.
#[test]
fn given_a_pattern_of_files_to_read_then_it_is_judged_as_what_shows_them() {
    for (pattern, folder) in [
        ("sec*/key", "."),
        ("**", "."),
        ("{secrets,x}/key", "secrets"),
        ("[s]ecrets/key", "."),
        ("secrets/*", "secrets"),
        ("{/etc,x}/*", "/etc"),
    ] {
        for input in [
            json!({"paths": [pattern]}),
            json!({"path": pattern}),
            json!({"files": [{"path": pattern}]}),
            json!({"path": format!(" {pattern} ")}),
        ] {
            let found = of("read", input.clone());
            let search = found.iter().find(|text| text.starts_with("shell(rg "));
            assert!(search.is_some_and(|text| text.contains(folder)), "{input}: {found:?}");
        }
    }
    for leaves in ["*/../../*", "{/etc,x}/*", "{..,x}/../*", "@(..|x)/*"] {
        for key in ["pattern", "glob", "include"] {
            let found = of("search", json!({key: leaves}));
            assert!(
                found.iter().any(|text| ["read(/)", "read(/etc)"].contains(&text.as_str())),
                "{key} {leaves}: {found:?}"
            );
        }
    }
    let found = of("search", json!({"pattern": "x", "path": "../o", "glob": "../../x*"}));
    assert!(has(&found, "read(/)"), "{found:?}");
    for quiet in ["a{2,3}", "\\.\\./x", "^/api/.*", "(GET|POST) /x", "\\d+/..", "[^/]+", "/(api|v1)/"] {
        let found = of("search", json!({"pattern": quiet}));
        assert_eq!(found.len(), 2, "{quiet}: {found:?}");
    }
    assert_eq!(of("read", json!({"path": "/w/a"})), ["read(/w/a)"]);
}

/// Attack 359.
#[test]
fn given_an_address_in_any_text_then_it_counts_beside_the_one_that_has_a_key() {
    for input in [
        json!({"url": "https://docs.rs", "prompt": "http://e.x/"}),
        json!({"prompt": "read <http://e.x/>."}),
        json!({"url": "https://docs.rs", "urls": [{"url": "http://e.x/"}]}),
        json!({"url": "https://docs.rs", "proxy": "http://e.x/"}),
        json!({"url": ["http://e.x/"], "uri": "https://docs.rs"}),
    ] {
        assert!(has(&of("fetch", input.clone()), "fetch(http://e.x/)"), "{input}");
    }
    assert!(by_hand("fetch", json!({"url": "https://docs.rs", "urls": [1]})).is_some());
    assert!(by_hand("fetch", json!({"url": ["http://e.x/"], "uri": "https://docs.rs"})).is_some());
    let plain = json!({"url": "https://docs.rs/x", "prompt": "what does it say of a/b?", "urls": []});
    assert_eq!(
        (of("fetch", plain.clone()), by_hand("fetch", plain)),
        (vec!["fetch(https://docs.rs/x)".to_owned()], None)
    );
}

/// A command that was judged where the tool call says that it runs is the tool call's own.
#[test]
fn given_a_call_whose_command_was_judged_in_the_folder_that_it_names_then_it_is_that() {
    use super::{Value as V, session};
    use crate::adapt::{is_within_accesses, tool_call};
    use crate::tool_calls::ToolCalls;
    let known = |input: V| {
        let call = json!({"toolCallId": "t", "kind": "execute", "rawInput": input});
        ToolCalls::default().merge_request(&session().id, "t", call.as_object().unwrap())
    };
    let judged = |cwd: &str| {
        let mut at = session();
        at.cwd = cwd.into();
        let from = super::CallOrigin { door: super::Door::AcpTerminal, session: &at, tool_call_id: None };
        tool_call(&from, &known(json!({"command": "make x"})), Vec::new()).accesses
    };
    let told = known(json!({"command": "make x", "cwd": "sub"}));
    assert!(is_within_accesses(&session(), &told, &judged("/w/sub")));
    assert!(!is_within_accesses(&session(), &told, &judged("/w")));
}

/// Attack 359, attack 564: what lies deeper, in another form or under another key than usual.
#[test]
fn given_what_lies_deeper_or_has_another_form_then_it_counts() {
    for (kind, input, access) in [
        ("other", json!({"task": {"command": "rm x"}}), "shell(rm x)"),
        ("execute", json!({"command": "ls", "arguments": ["; rm x"]}), "shell(rm x)"),
        ("execute", json!({"command": "git", "arguments": ["push"]}), "shell(git push)"),
        ("execute", json!({"command": "ls", "shell": "./evil"}), "shell(./evil -c ls)"),
        ("execute", json!({"command": "ls", "executable": "./evil"}), "shell(./evil)"),
        ("execute", json!({"command": "delete", "path": "src/a", "cmd": "ls"}), "delete(/w/src/a)"),
        ("read", json!({"command": "create", "path": "src/a"}), "edit(/w/src/a)"),
        ("edit", json!({"command": "delete", "path": "src/a"}), "delete(/w/src/a)"),
        ("delete", json!({"path": "src/a", "items": ["/etc/x"]}), "delete(/etc/x)"),
        ("fetch", json!({"url": "https://docs.rs", "save_to": "/etc/x"}), "write(/etc/x)"),
    ] {
        let found = of(kind, input.clone());
        assert!(has(&found, access), "{kind} {input}: {found:?} lacks {access}");
    }
    for env in [
        json!({"LD_PRELOAD": "x"}),
        json!(["LD_PRELOAD=x"]),
        json!([["LD_PRELOAD", "x"]]),
        json!("LD_PRELOAD=x"),
    ] {
        for key in ["env", "environment", "envs"] {
            let found = touched("execute", json!({"command": "ls", key: env}));
            assert!(found.contains("the variable LD_PRELOAD"), "{key} {env}: {found}");
        }
    }
    // What an editor's tool looks at is no change, and a shell that is known no other program.
    assert_eq!(of("read", json!({"command": "view", "path": "src/a"}))[0], "read(/w/src/a)");
    assert_eq!(of("execute", json!({"command": "make x", "shell": "bash"})), ["shell(make x)"]);
    assert_eq!(of("execute", json!({"command": "make x", "shell": true, "env": {}})), ["shell(make x)"]);
}

/// Found in review: no rule allowed Copilot anything. Its commands are lines in a list, and its edits a file's name and a diff whose
/// headers have `a/` before what is not there, and no `/` before what is absolute. Attack 760. Attack 761.
#[test]
fn given_copilots_inputs_then_lines_are_lines_and_headers_name_its_file() {
    let line = "touch ran.txt && echo ran-it";
    let found = of("execute", json!({"command": line, "commands": [line]}));
    assert_eq!(found, of("execute", json!({"command": line})));
    let diff = |from: &str, to: &str| {
        format!(
            "\ndiff --git a/{to} b/{to}\nindex 0000000..0000000\n--- a/{from}\n+++ b/{to}\n@@ -1,0 +1,1 @@\n+hello\n"
        )
    };
    let made = of("edit", json!({"fileName": "/w/p/hello.txt", "diff": diff("dev/null", "w/p/hello.txt")}));
    assert_eq!(made, ["create(/w/p/hello.txt)"]);
    let changed = of("edit", json!({"fileName": "/w/a.txt", "diff": diff("w/a.txt", "w/a.txt")}));
    assert_eq!(changed, ["edit(/w/a.txt)"]);
    // What the diff is about besides counts too.
    let other = of("edit", json!({"fileName": "/w/a.txt", "diff": diff("w/a.txt", "etc/x")}));
    assert!(has(&other, "edit(/w/etc/x)") && has(&other, "edit(/w/a.txt)"), "{other:?}");
    let other =
        of("edit", json!({"fileName": "/w/a.txt", "diff": "--- /etc/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"}));
    assert!(has(&other, "delete(/etc/x)"), "{other:?}");
}

/// Found in review: Cline's patch was judged as a line. It is an edit where it is all that the input says, and a line as before where
/// anything stands around it. Attack 760.
#[test]
fn given_a_patch_as_all_of_an_input_then_its_files_are_what_counts() {
    let patch = "*** Begin Patch\n*** Add File: /w/new.txt\n+x\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** Delete File: old\n*** End Patch";
    for key in ["input", "patch", "patchText", "diff"] {
        let found = of("other", json!({ key: patch }));
        assert_eq!(found, ["create(/w/new.txt)", "edit(/w/src/a.rs)", "delete(/w/old)"], "{key}");
    }
    for input in [
        json!({"input": format!("{patch}\nrm -rf x")}),
        json!({"input": format!("cd sub\n{patch}")}),
        json!({"input": patch, "shellId": "1"}),
        json!({"command": patch}),
        json!({"code": patch}),
    ] {
        let found = touched("other", input.clone());
        assert!(found.contains("Tool {") || found.contains("understood: false"), "{input}: {found}");
    }
    // One that claims to run it runs it.
    assert!(touched("execute", json!({"input": patch})).contains("category: Execute"));
}

/// Attack 730 in parts: the member is in one message, and the request leaves it out. Also behind more inputs than are kept.
#[test]
fn given_an_earlier_message_that_leaves_the_sandbox_then_no_later_one_takes_it_back() {
    let told = |input: Value| json!({"toolCallId": "t", "kind": "execute", "rawInput": input});
    let leaving = told(json!({"command": "ls", "dangerouslyDisableSandbox": true}));
    let plain: Vec<Value> = (0..9).map(|at| told(json!({"command": format!("ls {at}")}))).collect();
    let asked = told(json!({"command": "ls"}));
    for before in [vec![leaving.clone()], [&plain[..], &[leaving]].concat()] {
        let by_hand = call_after(&before, asked.clone()).by_hand.unwrap_or_default();
        assert!(by_hand.contains("dangerouslyDisableSandbox"), "{by_hand}");
    }
    assert_eq!(call_after(&plain, asked).by_hand, None);
}
