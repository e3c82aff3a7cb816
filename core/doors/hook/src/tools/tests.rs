#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "only tests")]

mod handlers;
mod readings;

use std::path::PathBuf;

use mayi_core::call::{Access, AgentId, Call, SessionId};
use mayi_core::gate::Session;
use serde_json::{Value, json};

use crate::call::{HomeFolders, call_from_event};
use crate::event::{EventKind, HookEvent};
use crate::harness::Harness;

fn session(cwd: &str) -> Session {
    Session {
        id: SessionId("s".to_owned()),
        agent: AgentId::from_name("claude-code"),
        parent: None,
        roots: vec![PathBuf::from("/w")],
        cwd: PathBuf::from(cwd),
        mode: None,
    }
}

fn of(harness: &str, tool: &str, input: Value) -> Call {
    let event = HookEvent { tool: tool.to_owned(), input, ..HookEvent::new(EventKind::Before, "PreToolUse") };
    let homes = HomeFolders::new(Some("/home/me".into()), None);
    call_from_event(Harness::find_by_name(harness).unwrap(), &event, &session("/w"), &homes)
}

fn texts(call: &Call) -> Vec<String> {
    call.accesses.iter().map(Access::text).collect()
}

fn claude(tool: &str, input: Value) -> Vec<String> {
    texts(&of("claude-code", tool, input))
}

/// Every tool of Claude Code, as it sends its input (2.1.331), is what it would touch, and nothing besides.
#[test]
fn given_a_tool_that_is_understood_then_it_is_just_what_it_would_touch() {
    for (tool, input, touches) in [
        (
            "Bash",
            json!({ "command": "make x", "description": "d", "timeout": 5, "run_in_background": true }),
            "shell(make x)",
        ),
        ("Read", json!({ "file_path": "/w/a", "limit": 1, "offset": 2 }), "read(/w/a)"),
        ("Write", json!({ "file_path": "/w/a", "content": "x" }), "create(/w/a)"),
        (
            "Edit",
            json!({ "file_path": "/w/a", "old_string": "x", "new_string": "y", "replace_all": false }),
            "edit(/w/a)",
        ),
        (
            "MultiEdit",
            json!({ "file_path": "/w/a", "edits": [{ "old_string": "x", "new_string": "y" }] }),
            "edit(/w/a)",
        ),
        (
            "NotebookEdit",
            json!({ "notebook_path": "/w/n", "new_source": "x", "cell_id": "1", "edit_mode": "insert" }),
            "edit(/w/n)",
        ),
        ("Glob", json!({ "pattern": "**/*.rs" }), "read(/w)"),
        ("Glob", json!({ "pattern": "*.rs", "path": "src" }), "read(/w/src)"),
        ("LS", json!({ "path": "/w/src" }), "read(/w/src)"),
        ("WebFetch", json!({ "url": "https://docs.rs/x", "prompt": "p" }), "fetch(https://docs.rs/x)"),
        ("WebSearch", json!({ "query": "x" }), "tool(WebSearch)"),
        ("Agent", json!({ "description": "d", "prompt": "p", "subagent_type": "x" }), "tool(Agent)"),
        ("TodoWrite", json!({ "todos": [] }), "tool(TodoWrite)"),
        ("ExitPlanMode", json!({ "plan": "x" }), "mode(ExitPlanMode)"),
        ("mcp__github__list_issues", json!({ "repo": "x" }), "mcp(github/list_issues)"),
        ("Skill", json!({ "skill": "x" }), "tool(Skill)"),
    ] {
        assert_eq!(claude(tool, input.clone()), [touches], "{tool} {input}");
    }
    // A search is also the command that shows what files hold.
    assert_eq!(
        claude("Grep", json!({ "pattern": "x", "path": "src" })),
        ["read(/w/src)", "shell(rg --hidden -e x -- src)"]
    );
}

/// Attack 359. A tool's input that says two things, or something that is not known, is everything that it could be.
#[test]
fn given_an_input_whose_fields_disagree_then_every_version_counts() {
    for (tool, input, all) in [
        (
            "Write",
            json!({ "file_path": "/w/a", "path": "/etc/x", "content": "x" }),
            &["create(/w/a)", "create(/etc/x)"][..],
        ),
        (
            "Read",
            json!({ "file_path": "/w/a", "paths": ["/etc/shadow"] }),
            &["read(/w/a)", "read(/etc/shadow)"],
        ),
        ("Bash", json!({ "command": "ls", "cmd": "rm x" }), &["shell(ls)", "shell(rm x)"]),
        ("Bash", json!({ "command": "ls", "later": "rm x" }), &["shell(ls)", "tool(Bash)"]),
        ("Bash", json!({ "command": ["rm", "-rf", "x"] }), &["shell(rm -rf x)"]),
        ("Bash", json!({ "command": { "rm": 1 } }), &["tool(Bash)"]),
        ("Bash", json!({}), &["tool(Bash)"]),
        (
            "Edit",
            json!({ "file_path": "/w/a", "edits": [{ "file_path": "/etc/b", "new_string": "x" }] }),
            &["edit(/w/a)", "edit(/etc/b)"],
        ),
        (
            "WebFetch",
            json!({ "url": "https://a.b/", "urls": ["https://c.d/"] }),
            &["fetch(https://a.b/)", "fetch(https://c.d/)"],
        ),
        ("WebFetch", json!({ "url": "file:///etc/passwd", "prompt": "p" }), &["read(/etc/passwd)"]),
        ("TodoWrite", json!({ "todos": [], "command": "rm x" }), &["tool(TodoWrite)"]),
        (
            "NewTool",
            json!({ "command": "rm x", "path": "/etc/x" }),
            &["read(/etc/x)", "shell(rm x)", "tool(NewTool)"],
        ),
        ("Glob", json!({ "pattern": "../../etc/*" }), &["read(/w)", "read(/etc)"]),
    ] {
        let found = claude(tool, input.clone());
        for access in all {
            assert!(found.iter().any(|text| text == access), "{tool} {input}: {found:?} lacks {access}");
        }
    }
    // What thinks, and has a key of something else, runs.
    let call = of("claude-code", "TodoWrite", json!({ "todos": [], "command": "rm x" }));
    assert_eq!(call.accesses[0].category(), Some(mayi_core::call::Category::Execute));
}

/// Attack 360. A name that can be split in several ways is every one of them for denials, and none for an allow.
#[test]
fn given_a_joined_name_then_every_split_counts_unless_the_harness_names_the_server() {
    let readings = |harness: &str, tool: &str, server: Option<&str>| {
        let event = HookEvent {
            tool: tool.to_owned(),
            server: server.map(str::to_owned),
            input: json!({}),
            ..HookEvent::new(EventKind::Before, "PreToolUse")
        };
        let call = call_from_event(
            Harness::find_by_name(harness).unwrap(),
            &event,
            &session("/w"),
            &HomeFolders::default(),
        );
        let Access::Mcp(mcp) = &call.accesses[0] else { panic!("{:?}", call.accesses) };
        mcp.readings.iter().map(|(server, tool)| format!("{server}/{tool}")).collect::<Vec<_>>()
    };
    assert_eq!(readings("claude-code", "mcp__a__b__c", None), ["a/b__c", "a__b/c"]);
    assert_eq!(readings("claude-code", "mcp__a__b__c", Some("a__b")), ["a__b/c"]);
    assert_eq!(
        readings("claude-code", "mcp__a__b__c", Some("other")),
        ["a/b__c", "a__b/c", "other/b__c", "other/c"]
    );
    assert_eq!(readings("vscode", "mcp_a_b_c", None), ["a/b_c", "a_b/c"]);
    assert_eq!(readings("opencode", "a_b", None), ["a/b"]);
    assert_eq!(readings("copilot", "a-b-c", None), ["a/b-c", "a-b/c"]);
    assert_eq!(readings("cursor", "MCP:x", None), Vec::<String>::new());
    // A tool of its own is none of a server's, whatever its name.
    assert_eq!(
        texts(&of(
            "opencode",
            "apply_patch",
            json!({ "patchText": "*** Begin Patch\n*** Delete File: a\n" })
        )),
        ["delete(/w/a)"]
    );
}

/// Attack 361. `~` is expanded by the harness's environment, which a repository's settings may have changed.
#[test]
fn given_another_home_in_the_environment_then_a_line_is_judged_with_both() {
    let event = HookEvent {
        tool: "Bash".to_owned(),
        input: json!({ "command": "cat ~/id_rsa > ~/x" }),
        ..HookEvent::new(EventKind::Before, "PreToolUse")
    };
    let homes = HomeFolders::new(Some("/home/me".into()), Some("/home/me/.ssh".into()));
    let call = call_from_event(Harness::find_by_name("claude-code").unwrap(), &event, &session("/w"), &homes);
    let found = texts(&call);
    for access in
        ["create(/home/me/x)", "create(/home/me/.ssh/x)", "write(/home/me/x)", "write(/home/me/.ssh/x)"]
    {
        let path = access.split_once('(').unwrap().1;
        assert!(found.iter().any(|text| text.ends_with(path)), "{found:?} lacks {access}");
    }
}

#[test]
fn given_a_command_outside_of_the_roots_then_it_is_asked_about_for_that() {
    let event = HookEvent {
        tool: "Bash".to_owned(),
        input: json!({ "command": "ls" }),
        ..HookEvent::new(EventKind::Before, "x")
    };
    let outside = call_from_event(
        Harness::find_by_name("claude-code").unwrap(),
        &event,
        &session("/"),
        &HomeFolders::default(),
    );
    let Access::Shell(shell) = &outside.accesses[0] else { panic!() };
    assert!(
        shell.caveats.iter().any(|caveat| caveat.always && caveat.reason.contains("outside")),
        "{shell:?}"
    );
}

/// D1.4, D2.25, attack 223: a harness may leave out what is blank around a path, and look for `~` only then.
#[test]
fn given_blanks_around_a_path_then_it_is_judged_with_them_and_without() {
    for blank in [" ", "\t", "\n", "\u{a0}", "\u{feff}", "\u{2003}", "\r\n "] {
        for path in [format!("{blank}/etc/x"), format!("/etc/x{blank}"), format!("{blank}/etc/x{blank}")] {
            for (tool, key, access) in
                [("Read", "file_path", "read"), ("Write", "file_path", "create"), ("Grep", "path", "read")]
            {
                let found =
                    texts(&of("claude-code", tool, json!({ key: path, "content": "x", "pattern": "x" })));
                assert!(found.contains(&format!("{access}(/etc/x)")), "{path:?}: {found:?}");
            }
        }
        let found = texts(&of("claude-code", "Read", json!({ "file_path": format!("{blank}~/x") })));
        assert!(found.iter().any(|text| text.starts_with("read(/home/")), "{found:?}");
    }
    assert_eq!(texts(&of("claude-code", "Read", json!({ "file_path": "/w/a b" }))), ["read(/w/a b)"]);
    // So may it around the folder of a search, which is judged as a command too, and of a command.
    let search = texts(&of("claude-code", "Grep", json!({ "path": " secret", "pattern": "x" })));
    assert!(search.iter().any(|text| text.ends_with("-- ' secret' secret)")), "{search:?}");
    let line = of("codex", "exec_command", json!({ "cmd": "touch z", "workdir": " secret" }));
    let touched = format!("{:?}", line.accesses);
    assert!(touched.contains("\"/w/secret/z\"") && touched.contains("\"/w/ secret/z\""), "{touched}");
}

/// D1.10, D2.25, attack 223: Codex takes a line that goes elsewhere first for a patch that begins there.
#[test]
fn given_a_patch_behind_a_change_of_folder_then_its_files_are_there_too() {
    let patch = "*** Begin Patch\n*** Add File: z\n+x\n*** End Patch";
    let line = format!("cd secret && apply_patch <<'E'\n{patch}\nE\n");
    let has = |input: serde_json::Value| texts(&of("codex", "apply_patch", input));
    assert_eq!(has(json!({ "command": patch })), ["create(/w/z)"]);
    let found = has(json!({ "command": line }));
    assert!(found.iter().any(|text| text.contains("cd secret")), "{found:?}");
    for key in ["workdir", "cwd"] {
        let found = has(json!({ "command": patch, key: "secret " }));
        assert!(found.contains(&"create(/w/secret/z)".to_owned()), "{found:?}");
    }
    let found =
        texts(&of("codex", "shell", json!({ "command": ["apply_patch", patch], "workdir": "secret" })));
    assert!(found.iter().any(|text| text.contains("apply_patch")), "{found:?}");
}
