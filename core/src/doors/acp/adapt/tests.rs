//! Requests in the shapes that real agents send, and what they mean.

use serde_json::{Map, json};

use super::*;
use crate::call::AgentId;
use crate::doors::acp::tool_calls::ToolCalls;

fn session() -> Session {
    Session {
        id: SessionId("s".into()),
        agent: AgentId::named("a"),
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
        calls.update(&session().id, &fields(update.clone()));
    }
    let known = calls.ask(&session().id, "t", &fields(request));
    tool_call(
        &From { door: Door::AcpPermission, session: &session(), tool_call_id: Some("t") },
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
            "locations": [{"path": "/w/notes.txt"}],
        }),
    );
    assert_eq!(call.accesses.iter().map(ToString::to_string).collect::<Vec<_>>(), ["edit(/w/notes.txt)"]);
    assert_eq!(call.diffs.len(), 1);
}

#[test]
fn given_codexs_changes_then_each_is_a_write_of_its_kind() {
    assert_eq!(
        accesses(json!({"toolCallId": "t", "kind": "edit", "rawInput": {"call_id": "c", "changes": {
            "/w/new": {"type": "add", "content": "x"}, "/w/old": {"type": "delete"},
            "/w/a": {"type": "update", "move_path": "/w/b"},
        }}})),
        ["create(/w/new)", "delete(/w/old)", "edit(/w/a)", "move(/w/b)"]
    );
}

#[test]
fn given_codexs_command_then_the_line_behind_the_shell_is_judged() {
    let request = |command| json!({"toolCallId": "t", "kind": "execute", "title": "x", "rawInput": {"command": command, "cwd": "/w/sub"}});
    let call = call_after(&[], request(json!(["/bin/bash", "-lc", "cargo test"])));
    assert_eq!(call.accesses[0].to_string(), "shell(cargo test)");
    assert_eq!(call.cwd, Path::new("/w/sub"));
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
    assert_eq!(mcp.certain(), Some(("everything", "echo")));
    assert_eq!(mcp.arguments, json!({"message": "hi"}));
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
        swapped.accesses.iter().any(|a| matches!(a, Access::Mcp(m) if m.certain().is_none())),
        "{swapped:?}"
    );
    let alone = call_after(&[], request(json!({"path": "x"})));
    assert!(matches!(&alone.accesses[0], Access::Mcp(m) if m.readings.is_empty()));
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

/// Decisions, section 1: "Raw input, diffs, locations and terminals are read together; if they
/// disagree, every version becomes an access."
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

#[test]
fn given_more_paths_than_can_be_looked_at_then_the_call_is_asked_about() {
    let many: Vec<Value> = (0..2000).map(|n| json!({"path": format!("/w/{n}")})).collect();
    let call = call_after(&[], json!({"toolCallId": "t", "kind": "read", "locations": many}));
    assert!(call.accesses.len() <= MOST + 1);
    assert!(matches!(call.accesses.last(), Some(Access::Tool { .. })));
}
