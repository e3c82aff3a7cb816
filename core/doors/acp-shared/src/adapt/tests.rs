//! Requests in the shapes that real agents send, and what they mean.

mod blanks;
mod changes;
mod readings;
mod unclaimed;

use serde_json::{Map, json};

use super::*;
use crate::tool_calls::ToolCalls;
use mayi_core::call::{AgentId, SessionId};

fn session() -> Session {
    Session {
        id: SessionId("s".into()),
        agent: AgentId::from_name("a"),
        parent: None,
        roots: vec![PathBuf::from("/w")],
        cwd: PathBuf::from("/w"),
        mode: None,
    }
}

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn call_after(updates: &[Value], request: Value) -> Call {
    let mut calls = ToolCalls::default();
    for update in updates {
        calls.apply_update(&session().id, &fields(update.clone()));
    }
    let known = calls.merge_request(&session().id, "t", &fields(request));
    tool_call(
        &CallOrigin { door: Door::AcpPermission, session: &session(), tool_call_id: Some("t") },
        &known,
        Vec::new(),
    )
}

fn accesses(request: Value) -> Vec<String> {
    call_after(&[], request).accesses.iter().map(ToString::to_string).collect()
}

#[test]
fn given_claudes_edit_then_it_is_one_edit() {
    let call = call_after(
        &[],
        json!({
            "toolCallId": "t", "name": "Edit", "kind": "edit", "title": "Edit notes.txt",
            "rawInput": {"file_path": "/w/notes.txt", "old_string": "a", "new_string": "b", "replace_all": false},
            "content": [{"type": "diff", "path": "/w/notes.txt", "oldText": "a", "newText": "b"}],
            "locations": [{"path": "/w/notes.txt", "line": 3}],
        }),
    );
    assert_eq!(call.accesses.iter().map(ToString::to_string).collect::<Vec<_>>(), ["edit(/w/notes.txt)"]);
    assert_eq!(call.diffs.len(), 1);
    assert_eq!(call.locations, [json!({"path": "/w/notes.txt", "line": 3})]);
}

#[test]
fn given_codexs_changes_then_each_is_a_write_of_its_kind() {
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "edit", "rawInput": {"call_id": "c", "changes": {
            "/w/new": {"type": "add", "content": "x"}, "/w/old": {"type": "delete"},
            "/w/a": {"type": "update", "move_path": "/w/b"},
        }}})),
        ["create(/w/new)", "delete(/w/old)", "edit(/w/a)", "read(/w/a)", "move(/w/b)"]
    );
}

#[test]
fn given_codexs_command_then_the_line_behind_the_shell_is_judged() {
    let request = |command| json!({"toolCallId": "t", "kind": "execute", "title": "x", "rawInput": {"command": command, "cwd": "/w/sub"}});
    let call = call_after(&[], request(json!(["/bin/bash", "-lc", "cargo test"])));
    assert_eq!(call.accesses[0].to_string(), "shell(cargo test)");
    assert_eq!(call.cwd, Path::new("/w/sub"));
}

/// D1.4. Attack 723.
#[test]
fn given_words_with_an_operator_of_shells_then_they_are_a_line_too() {
    let request = |command| json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": command}});
    for operator in [";", "&&", "||", "|", "&", "\n"] {
        let found = accesses(request(json!(["npm", "test", operator, "git", "push"])));
        assert!(found.iter().any(|access| access == "shell(git push)"), "{operator}: {found:?}");
    }
    assert!(accesses(request(json!(["ls", ">", "a"]))).iter().any(|access| access.starts_with("write(")));
    assert_eq!(accesses(request(json!(["grep", "a|b", "c"]))), ["shell(grep 'a|b' c)"]);
}

/// D1.11. Attack 723.
#[test]
fn given_more_than_an_address_to_fetch_then_a_person_is_asked() {
    let by_hand = |input| {
        call_after(&[], json!({"toolCallId": "t", "kind": "fetch", "rawInput": input})).by_hand.is_some()
    };
    let url = "https://docs.example/";
    for input in [
        json!({"url": url, "method": "POST", "body": "@.env"}),
        json!({"url": url, "headers": {"Authorization": "x"}}),
        json!({"url": url, "data": {"a": "b"}}),
        json!({"url": url, "method": "PUT"}),
        json!({"url": url, "verb": "post"}),
        json!({"url": url, "saveAs": "Makefile"}),
        json!({"url": url, "extractMode": "https://evil.example/"}),
        json!({"url": url, "extractMode": "x".repeat(17)}),
    ] {
        assert!(by_hand(input.clone()), "{input}");
    }
    for input in [
        json!({"url": url, "prompt": "what does it say?"}),
        json!({"url": url, "method": "GET", "timeout": 5, "max_length": 100, "headers": {}}),
        json!({"url": url, "extractMode": "markdown", "output_format": "plain-text"}),
    ] {
        assert!(!by_hand(input.clone()), "{input}");
    }
}

#[test]
fn given_an_mcp_tool_by_its_joined_name_then_server_and_tool_are_known() {
    let call = call_after(
        &[],
        json!({
            "toolCallId": "t", "name": "mcp__everything__echo", "kind": "other", "title": "mcp__other__thing",
            "rawInput": {"message": "hi"},
        }),
    );
    let Access::Mcp(mcp) = &call.accesses[0] else { panic!("{call:?}") };
    assert_eq!(mcp.unique_reading(), Some(("everything", "echo")));
    assert_eq!(mcp.arguments, json!({"message": "hi"}));
    assert_eq!(call.accesses.len(), 1);
}

/// Qwen Code names the tool where its question has nothing else that says what is called.
#[test]
fn given_qwens_question_then_the_tool_of_the_server_is_known() {
    let call = call_after(
        &[],
        json!({
            "toolCallId": "t", "kind": "other", "title": "{\"path\":\"/w/a\"}", "content": [], "locations": [],
            "rawInput": {"path": "/w/a"}, "_meta": {"toolName": "mcp__mini__plain"},
        }),
    );
    let Access::Mcp(mcp) = &call.accesses[0] else { panic!("{call:?}") };
    assert_eq!((mcp.unique_reading(), &mcp.arguments), (Some(("mini", "plain")), &json!({"path": "/w/a"})));
    assert_eq!(call.accesses.len(), 1);
}

/// Attack 7: "`mcp__a__b__c`: every split for deny".
#[test]
fn given_a_name_that_splits_in_two_ways_then_both_are_kept() {
    let call = call_after(&[], json!({"toolCallId": "t", "name": "mcp__a__b__c"}));
    let Access::Mcp(mcp) = &call.accesses[0] else { panic!() };
    assert_eq!(mcp.readings, [("a".into(), "b__c".into()), ("a__b".into(), "c".into())]);
}

/// Codex asks about a tool of a server in a shape that names no tool: the update before does.
#[test]
fn given_codexs_approval_shape_then_the_tool_comes_from_the_update_before() {
    let announced = json!({"sessionUpdate": "tool_call", "toolCallId": "t", "status": "in_progress",
        "rawInput": {"server": "mini", "tool": "plain", "arguments": {"path": "x"}}});
    let request = |params: Value| {
        json!({"toolCallId": "t", "title": "Approve MCP tool call", "rawInput": {"server_name": "mini",
        "request": {"_meta": {"codex_approval_kind": "mcp_tool_call", "tool_params": params}}}})
    };
    let call = call_after(std::slice::from_ref(&announced), request(json!({"path": "x"})));
    assert_eq!(call.accesses.iter().map(ToString::to_string).collect::<Vec<_>>(), ["mcp(mini/plain)"]);
    let swapped = call_after(&[announced], request(json!({"path": "/etc"})));
    assert!(
        swapped.accesses.iter().any(|a| matches!(a, Access::Mcp(m) if m.unique_reading().is_none())),
        "{swapped:?}"
    );
    let alone = call_after(&[], request(json!({"path": "x"})));
    assert!(matches!(&alone.accesses[0], Access::Mcp(m) if m.readings.is_empty()));
}

/// Attack 388.
#[test]
fn given_what_is_moved_under_any_key_then_it_is_judged_too() {
    for key in ["old_path", "oldPath", "source", "src", "source_path", "sourcePath", "from"] {
        let found = accesses(
            json!({"toolCallId": "t", "kind": "move", "rawInput": {key: "/w/.env", "new_path": "/w/src/x"}}),
        );
        let named = |path: &str| found.iter().any(|access| access.contains(path));
        assert!(named("/w/.env") && named("/w/src/x"), "{key}: {found:?}");
    }
    let nested = json!({"toolCallId": "t", "kind": "read", "rawInput": {"paths": ["/w/a", ["/w/.env"]]}});
    assert_eq!(accesses(nested), ["read(/w/a)", "read(/w/.env)", "tool(read)"]);
    let flat = json!({"toolCallId": "t", "kind": "read", "rawInput": {"paths": ["/w/a", {"path": "/w/b"}]}});
    assert_eq!(accesses(flat), ["read(/w/a)", "read(/w/b)"]);
    let two = json!({"toolCallId": "t", "kind": "read", "rawInput": {"paths": [{"path": "/w/a", "file": "/w/.env"}]}});
    assert_eq!(accesses(two), ["read(/w/a)", "read(/w/.env)"]);
    let beside =
        json!({"toolCallId": "t", "kind": "read", "rawInput": {"paths": [{"path": "/w/a", "run": "x"}]}});
    assert_eq!(accesses(beside), ["read(/w/a)", "tool(read)"]);
}

/// Attack 10: a key that holds a path where something is moved holds anything elsewhere.
#[test]
fn given_code_under_a_key_that_names_what_is_moved_then_it_is_no_read() {
    for key in ["source", "src", "from"] {
        let call =
            json!({"toolCallId": "t", "kind": "read", "rawInput": {key: "import os; os.system('id')"}});
        assert_eq!(accesses(call), ["tool(read)"], "{key}");
        let call =
            json!({"toolCallId": "t", "kind": "search", "rawInput": {key: "users", "query": "drop table x"}});
        assert!(accesses(call).contains(&"tool(search)".to_owned()), "{key}");
    }
}

/// Attack 10: "`kind: "read"` with unknown input: execute".
#[test]
fn given_a_kind_that_claims_less_than_the_input_then_the_input_counts() {
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "read", "rawInput": {"path": "/w/a"}})),
        ["read(/w/a)"]
    );
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "read", "rawInput": {"path": "/w/a", "then_run": "x"}})),
        ["read(/w/a)", "tool(read)"]
    );
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "read", "rawInput": {"command": "rm x", "path": "/w/a"}})),
        ["shell(rm x)", "read(/w/a)"]
    );
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "think", "rawInput": {"command": "rm x"}})),
        ["shell(rm x)", "tool(think)"]
    );
    let think = call_after(&[], json!({"toolCallId": "t", "kind": "think", "rawInput": {"sql": "drop"}}));
    assert_eq!(think.accesses[0].category(), Some(Category::Execute));
    let plan = call_after(
        &[],
        json!({"toolCallId": "t", "kind": "think", "rawInput": {"prompt": "p", "description": "d"}}),
    );
    assert_eq!(plan.accesses[0].category(), Some(Category::Read));
    for kind in ["read", "search", "execute", "edit", "other", "nonsense"] {
        let call = call_after(&[], json!({"toolCallId": "t", "kind": kind}));
        assert!(
            call.accesses.iter().all(|access| access.category() == Some(Category::Execute)),
            "{kind}: {call:?}"
        );
        assert!(!call.accesses.is_empty(), "{kind}");
    }
}

/// D1.4: Raw input, diffs, locations and terminals are read together; if they
/// disagree, every version becomes an access. Attack 10.
#[test]
fn given_versions_that_disagree_then_each_is_an_access() {
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "edit", "rawInput": {"file_path": "/w/a"},
            "content": [{"type": "diff", "path": "/w/b", "oldText": "x", "newText": "y"}], "locations": [{"path": "/w/c"}]})),
        ["edit(/w/b)", "edit(/w/c)", "edit(/w/a)"]
    );
}

/// Facts of the protocol: the specification's own example sends a text without its wrapper.
#[test]
fn given_content_that_is_odd_then_it_is_shown_or_said() {
    let call = call_after(
        &[],
        json!({"toolCallId": "t", "kind": "switch_mode", "rawInput": {},
        "content": [{"type": "text", "text": "the plan"}, {"type": "content", "content": {"type": "image"}}, {"type": "new"}]}),
    );
    assert_eq!(call.notes, ["the plan"]);
    assert_eq!(call.not_shown.len(), 2);
    assert!(matches!(call.accesses[0], Access::Mode { .. }));
}

#[test]
fn given_a_fetch_then_its_host_is_judged_and_a_search_is_external() {
    assert_eq!(
        accesses(
            json!({"toolCallId": "t", "kind": "fetch", "rawInput": {"url": "https://docs.rs/x", "prompt": "p"}})
        ),
        ["fetch(https://docs.rs/x)"]
    );
    let search = call_after(&[], json!({"toolCallId": "t", "kind": "fetch", "rawInput": {"query": "q"}}));
    assert_eq!(search.accesses[0].category(), Some(Category::External));
    let odd = call_after(&[], json!({"toolCallId": "t", "kind": "fetch", "rawInput": {"url": "not a url"}}));
    assert_eq!(odd.accesses[0].category(), Some(Category::Execute));
}

#[test]
fn given_an_editors_tool_words_then_they_are_no_command() {
    assert_eq!(
        accesses(
            json!({"toolCallId": "t", "kind": "edit", "rawInput": {"command": "str_replace", "path": "/w/a"}})
        ),
        ["edit(/w/a)"]
    );
}

/// Attack 45.
#[test]
fn given_more_paths_than_can_be_looked_at_then_the_call_is_asked_about() {
    let many: Vec<Value> = (0..2000).map(|n| json!({"path": format!("/w/{n}")})).collect();
    let call = call_after(&[], json!({"toolCallId": "t", "kind": "read", "locations": many}));
    assert!(call.accesses.len() <= MOST + 1);
    assert!(matches!(call.accesses.last(), Some(Access::Tool { .. })));
    assert!(call.by_hand.is_some(), "no mode, rule or grant answers for what was not looked at");
}

/// Names of servers and tools in an input hide nothing else that the input says. Attack 63.
#[test]
fn given_server_and_tool_among_other_keys_then_the_rest_still_counts() {
    let request = json!({"toolCallId": "t", "kind": "read", "rawInput": {"path": "/etc/shadow", "server": "s", "tool": "t"}});
    let accesses = accesses(request);
    assert!(
        accesses.contains(&"mcp(s/t)".to_owned()) && accesses.contains(&"read(/etc/shadow)".to_owned()),
        "{accesses:?}"
    );
    let other =
        call_after(&[], json!({"toolCallId": "t", "rawInput": {"sql": "x", "server": "s", "tool": "t"}}));
    assert!(other.accesses.iter().any(|access| matches!(access, Access::Tool { .. })), "{other:?}");
}

/// D1.23: every split of a joined name counts, also where underscores overlap. Attack 63.
#[test]
fn given_three_underscores_then_both_splits_are_seen() {
    let call = call_after(&[], json!({"toolCallId": "t", "name": "mcp__github___x"}));
    let Access::Mcp(mcp) = &call.accesses[0] else { panic!() };
    assert_eq!(mcp.readings, [("github".into(), "_x".into()), ("github_".into(), "x".into())]);
}

/// D1.13: `terminal/create` (its `env` are assignments, its `cwd` counts). Attack 43.
#[test]
fn given_a_command_that_runs_elsewhere_then_it_always_asks() {
    let caveats = |cwd: &str| {
        let call = call_after(
            &[],
            json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": "make", "cwd": cwd}}),
        );
        let Access::Shell(shell) = &call.accesses[0] else { panic!() };
        shell.caveats.clone()
    };
    assert!(caveats("/w").is_empty() && caveats("sub").is_empty());
    assert!(caveats("/tmp/evil").iter().any(|caveat| caveat.always));
    assert!(caveats("../x").iter().any(|caveat| caveat.always));
}

/// Attack 64.
#[test]
fn given_a_folder_in_the_input_then_a_relative_path_is_judged_from_both() {
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "edit", "rawInput": {"file_path": "a", "cwd": "/etc"}})),
        ["edit(/w/a)", "edit(/etc/a)"]
    );
}

/// Attack 10: a search by a pattern that leads out of the folder reads there. Attack 42.
#[test]
fn given_a_search_elsewhere_then_that_place_is_read() {
    for key in ["pattern", "glob", "include"] {
        let accesses =
            accesses(json!({"toolCallId": "t", "kind": "search", "rawInput": {key: "/etc/ss*/*"}}));
        assert!(accesses.contains(&"read(/etc)".to_owned()), "{accesses:?}");
    }
    let plain = accesses(json!({"toolCallId": "t", "kind": "search", "rawInput": {"pattern": "/api/v1"}}));
    assert_eq!(plain, ["read(/w)", "shell(rg --hidden -e /api/v1 -- .)"]);
    let odd =
        call_after(&[], json!({"toolCallId": "t", "kind": "read", "rawInput": {"path": ["/etc/shadow"]}}));
    assert!(odd.accesses.iter().any(|access| matches!(access, Access::Tool { .. })), "{odd:?}");
}

/// Attack 64.
#[test]
fn given_a_diff_and_a_delete_of_one_file_then_both_are_judged() {
    let accesses = accesses(json!({"toolCallId": "t", "kind": "edit",
        "content": [{"type": "diff", "path": "/w/a", "oldText": "x", "newText": "y"}],
        "rawInput": {"changes": {"/w/a": {"type": "delete"}}}}));
    assert_eq!(accesses, ["edit(/w/a)", "delete(/w/a)"]);
}

/// A name that is no UTF-8 text can be linked to, and must not stop the gate. Attack 46.
#[cfg(target_os = "linux")]
#[test]
fn given_a_link_to_a_name_that_is_no_text_then_it_is_asked_about_and_nothing_panics() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
    std::os::unix::fs::symlink(&odd, dir.path().join("link")).unwrap();
    let path = dir.path().join("link");
    let call = call_after(&[], json!({"toolCallId": "t", "kind": "edit", "rawInput": {"file_path": path}}));
    let Access::Write(_, access) = &call.accesses[0] else { panic!() };
    assert!(access.unresolved.is_some());
    assert_ne!(call.digest(0), call.digest(1));
    let _ = call.fingerprint();
}

/// Attack 106.
#[test]
fn given_an_address_of_a_file_then_the_file_is_read() {
    for url in ["file:///etc/shadow", "FILE://localhost/etc/%73hadow"] {
        let found = accesses(json!({"toolCallId": "t", "kind": "fetch", "rawInput": {"url": url}}));
        assert!(found.contains(&"read(/etc/shadow)".to_owned()), "{found:?}");
    }
    let read =
        accesses(json!({"toolCallId": "t", "kind": "read", "rawInput": {"path": "file:///etc/shadow"}}));
    assert!(read.contains(&"read(/etc/shadow)".to_owned()), "{read:?}");
}

/// Parents are shown where a protocol tells. What Claude Code sends of a sub-agent; a
/// claim of the agent's, which changes the card and no access. Attack 337.
#[test]
fn given_a_call_of_claudes_sub_agent_then_it_names_the_call_that_started_it() {
    let updates = [
        json!({"_meta": {"claudeCode": {"toolName": "Agent"}}, "toolCallId": "toolu_1", "sessionUpdate": "tool_call",
            "name": "Agent", "rawInput": {}, "status": "pending", "title": "Task", "kind": "think"}),
        json!({"toolCallId": "toolu_1", "sessionUpdate": "tool_call_update", "title": "sub task"}),
    ];
    let request = |meta: Value| {
        json!({"toolCallId": "t", "name": "Write", "kind": "edit", "rawInput": {"file_path": "/w/sub.txt", "content": "x"},
            "_meta": meta})
    };
    let parents = json!({"claudeCode": {"toolName": "Write", "parentToolUseId": "toolu_1"}});
    let call = call_after(&updates, request(parents));
    let parent = call.parent.as_ref().unwrap();
    assert_eq!((parent.id.as_str(), parent.title.as_str()), ("toolu_1", "sub task"));
    let other = call_after(&updates, request(json!({"parentToolCallId": "elsewhere"})));
    assert_eq!(
        other.parent.as_ref().map(|parent| parent.title.as_str()),
        Some(""),
        "a call that nobody heard of"
    );
    let none =
        call_after(&updates, request(json!({"claudeCode": {"toolName": "Write", "parentToolUseId": 7}})));
    assert_eq!(none.parent, None);
    assert!(call.accesses == none.accesses && other.accesses == none.accesses);
    assert_ne!(call.digest(0), other.digest(0), "the card shows it, so the answer is bound to it");
    let long = call_after(&[], request(json!({"parentToolUseId": "x".repeat(100_000)})));
    assert_eq!(long.parent.map(|parent| parent.id.len()), Some(200));
}

/// The start of a sub-agent does nothing by itself, and what the sub-agent wants is judged: so it is a read also where the
/// kind says nothing, as with a tool that is no more than `description`, `prompt` and `subagent_type`.
#[test]
fn given_the_start_of_a_sub_agent_of_kind_other_then_it_only_reads() {
    let start = |more: Value| {
        let mut input =
            json!({"description": "sub task", "prompt": "look around", "subagent_type": "general"});
        input.as_object_mut().unwrap().extend(fields(more));
        let call =
            call_after(&[], json!({"toolCallId": "t", "kind": "other", "name": "task", "rawInput": input}));
        let [Access::Tool { category, .. }] = &call.accesses[..] else { panic!("{call:?}") };
        *category
    };
    assert_eq!(start(json!({})), Category::Read);
    // Anything that is not understood may do anything.
    assert_eq!(start(json!({"then": "rm x"})), Category::Execute);
    let image = json!({"toolCallId": "t", "kind": "other", "name": "image", "rawInput": {"prompt": "a cat"}});
    let call = call_after(&[], image);
    assert!(matches!(call.accesses[..], [Access::Tool { category: Category::Execute, .. }]), "{call:?}");
}

/// D2.26, attack 85: a search shows what files hold, whatever their folder is called.
#[test]
fn given_a_search_for_what_files_hold_then_it_is_judged_as_the_command_that_finds_it() {
    let search = |name: Option<&str>, input: Value| {
        let mut call = json!({"toolCallId": "t", "kind": "search", "rawInput": input});
        if let Some(name) = name {
            call["name"] = json!(name);
        }
        accesses(call)
    };
    let found = search(Some("Grep"), json!({"pattern": "k", "path": " secret"}));
    assert!(found.contains(&"shell(rg --hidden -e k -- ' secret' secret)".to_owned()), "{found:?}");
    assert!(search(None, json!({"pattern": "k"})).contains(&"shell(rg --hidden -e k -- .)".to_owned()));
    assert_eq!(search(Some("Glob"), json!({"pattern": "**/*.rs"})), ["read(/w)"]);
}
