#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "only tests")]

use serde_json::{Value, json};

use super::*;
use crate::event::OwnMode;

fn event(harness: &str, value: &Value) -> Result<HookEvent, String> {
    Harness::find_by_name(harness).unwrap().parse_event(&value.to_string())
}

fn said(harness: &str, event: &HookEvent, say: HookReply) -> (u8, Value) {
    let answer = HookAnswer { say, notice: None };
    let output = Harness::find_by_name(harness).unwrap().output_for(event, &answer);
    (output.code, serde_json::from_str(&output.out).unwrap_or(Value::Null))
}

/// Each harness's own event before a tool, as it is documented or was seen, is read as one that decides.
#[test]
fn given_an_event_before_a_tool_then_every_harness_has_it_decide() {
    let claude = json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "t" });
    let events = [
        ("claude-code", claude.clone()),
        ("codex", claude.clone()),
        (
            "qwen",
            json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse",
            "tool_name": "run_shell_command", "tool_input": { "command": "ls" }, "tool_use_id": "t" }),
        ),
        (
            "copilot",
            json!({ "sessionId": "s", "cwd": "/w", "toolName": "bash", "toolArgs": "{\"command\":\"ls\"}" }),
        ),
        ("copilot", claude.clone()),
        (
            "gemini",
            json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "BeforeTool",
            "tool_name": "run_shell_command", "tool_input": { "command": "ls" } }),
        ),
        (
            "cursor",
            json!({ "conversation_id": "s", "cwd": "/w", "hook_event_name": "beforeShellExecution", "command": "ls" }),
        ),
        (
            "cursor",
            json!({ "conversation_id": "s", "workspace_roots": ["/w"], "hook_event_name": "preToolUse",
            "tool_name": "Shell", "tool_input": { "command": "ls" } }),
        ),
        (
            "vscode",
            json!({ "sessionId": "s", "cwd": "/w", "hookEventName": "PreToolUse",
            "tool_name": "run_in_terminal", "tool_input": { "command": "ls" } }),
        ),
        (
            "opencode",
            json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "tool.execute.before",
            "tool_name": "bash", "tool_input": { "command": "ls" } }),
        ),
        (
            "agy",
            json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "BeforeTool",
            "tool_name": "run_shell_command", "tool_input": { "command": "ls" } }),
        ),
    ];
    for (harness, value) in events {
        let event = event(harness, &value).unwrap_or_else(|error| panic!("{harness}: {error}"));
        assert_eq!(event.kind, EventKind::Before, "{harness}");
        assert_eq!(event.session.as_deref(), Some("s"), "{harness}");
        // Codex tells the folder that the model gave for the command as the event's.
        let given = harness == "codex";
        let input = if given { json!({ "command": "ls", "cwd": "/w" }) } else { json!({ "command": "ls" }) };
        assert_eq!(event.cwd.as_deref(), (!given).then_some(std::path::Path::new("/w")), "{harness}");
        assert_eq!(event.input, input, "{harness}");
        let tools = Harness::find_by_name(harness).unwrap().tools;
        assert_eq!(crate::tools::tool_kind(tools, &event.tool), ToolKind::Runs, "{harness}");
    }
}

/// Attack 358. What two programs could read differently is refused: the harness may run the other reading.
#[test]
fn given_an_event_that_can_be_read_in_two_ways_then_it_is_refused() {
    let harness = Harness::find_by_name("claude-code").unwrap();
    let good = r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    assert!(harness.parse_event(good).is_ok());
    for (from, to) in [
        (r#""command":"ls""#, r#""command":"ls","command":"rm -rf x""#),
        (r#""tool_name":"Bash""#, r#""tool_name":"Read","tool_name":"Bash""#),
        (r#""command":"ls""#, r#""command":"l\ud800s""#),
        (r#""command":"ls""#, r#""command":"ls","timeout":9007199254740993"#),
        (r#""tool_name":"Bash""#, r#""tool_name":"Read","toolName":"Bash""#),
        (
            r#""tool_input":{"command":"ls"}"#,
            r#""tool_input":{"command":"ls"},"toolArgs":"{\"command\":\"rm x\"}""#,
        ),
        (r#""session_id":"s""#, r#""session_id":"s","sessionId":"t""#),
        (r#""tool_input":{"command":"ls"}"#, r#""tool_input":["ls"]"#),
        (r#""tool_input":{"command":"ls"}"#, r#""tool_input":"ls""#),
        (r#""cwd":"/w""#, r#""cwd":"w""#),
        (r#""cwd":"/w""#, r#""cwd":5"#),
        (r#""tool_name":"Bash""#, r#""tool_name":"""#),
        (r#""tool_name":"Bash","#, ""),
    ] {
        let text = good.replace(from, to);
        assert_ne!(text, good);
        assert!(harness.parse_event(&text).is_err(), "{text}");
    }
    for text in ["", "null", "[]", "{", "{}x", "\"PreToolUse\"", "{\"hook_event_name\":5}"] {
        assert!(harness.parse_event(text).is_err(), "{text}");
    }
}

/// An event that has got another name, and is about a tool, decides; one that is about none does not stop the harness.
#[test]
fn given_an_event_that_is_not_known_then_it_decides_where_it_is_about_a_tool() {
    let new = json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "BeforeToolUse", "tool_name": "Bash",
        "tool_input": { "command": "ls" } });
    assert_eq!(event("claude-code", &new).unwrap().kind, EventKind::Before);
    let stop = json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "Stop" });
    assert_eq!(event("claude-code", &stop).unwrap().kind, EventKind::Other);
}

#[test]
fn given_a_mode_of_the_harness_then_only_its_plan_mode_and_asking_modes_are_known() {
    let of = |mode: &str| {
        let value = json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "permission_mode": mode,
            "tool_name": "Bash", "tool_input": {} });
        event("claude-code", &value).unwrap().mode
    };
    assert_eq!(of("plan"), OwnMode::Plans);
    assert_eq!(of("default"), OwnMode::Asks);
    assert_eq!(of("bypassPermissions"), OwnMode::Lax("bypassPermissions".to_owned()));
    assert_eq!(of("a new one"), OwnMode::Lax("a new one".to_owned()));
}

/// What each harness takes for a denial, and what it must never get for one.
#[test]
fn given_a_denial_or_an_ask_then_no_harness_gets_what_it_takes_for_an_allow() {
    for harness in HARNESSES {
        let before = HookEvent { tool: "Bash".to_owned(), ..HookEvent::new(EventKind::Before, "PreToolUse") };
        for name in ["PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before"] {
            let before = HookEvent { name: name.to_owned(), ..before.clone() };
            for say in [HookReply::Deny("mayi: no".to_owned()), HookReply::Ask("mayi: why".to_owned())] {
                let answer = HookAnswer { say, notice: None };
                let output = harness.output_for(&before, &answer);
                let allows =
                    output.out.contains("allow\"") || (output.out.trim().is_empty() && output.code != 2);
                assert!(!allows, "{}: {output:?}", harness.name);
            }
        }
    }
}

/// Codex takes a denial only with a reason, and nothing that it does not know beside it (0.169.0): exit code 2 is sure.
#[test]
fn given_codex_then_a_denial_is_exit_code_2_with_a_reason_and_an_allow_is_nothing() {
    let before = HookEvent::new(EventKind::Before, "PreToolUse");
    let harness = Harness::find_by_name("codex").unwrap();
    let denied = harness.output_for(
        &before,
        &HookAnswer { say: HookReply::Deny("mayi: no".to_owned()), notice: Some("x".to_owned()) },
    );
    assert_eq!(denied, HookOutput { code: 2, out: String::new(), err: "mayi: no\n".to_owned() });
    let allowed = harness.output_for(
        &before,
        &HookAnswer { say: HookReply::Allow("y".to_owned()), notice: Some("x".to_owned()) },
    );
    assert_eq!(allowed, HookOutput::empty());
    assert!(!(harness.asks)(&before), "within its sandbox it runs without asking");
}

#[test]
fn given_answers_then_claude_code_gets_them_in_its_words() {
    let before = HookEvent::new(EventKind::Before, "PreToolUse");
    let (code, value) = said("claude-code", &before, HookReply::Ask("why".to_owned()));
    assert_eq!(code, 0);
    assert_eq!(
        value,
        json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "ask",
            "permissionDecisionReason": "why" } })
    );
    let request = HookEvent::new(EventKind::Request, "PermissionRequest");
    let (_, value) = said("claude-code", &request, HookReply::Deny("no".to_owned()));
    assert_eq!(value["hookSpecificOutput"]["decision"], json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(said("claude-code", &request, HookReply::Ask("why".to_owned())), (0, Value::Null));
    let begins = HookEvent::new(EventKind::Begins, "SessionStart");
    let (_, value) = said("claude-code", &begins, HookReply::Tell("mode".to_owned()));
    assert_eq!(value["hookSpecificOutput"]["additionalContext"], "mode");
    assert_eq!(
        said(
            "claude-code",
            &HookEvent::new(EventKind::After, "PostToolUse"),
            HookReply::Allow("x".to_owned())
        ),
        (0, Value::Null)
    );
}

/// Qwen Code's last hook with a decision wins, and its answer on standard output goes before the code (0.24.4); its events have two
/// ids that differ.
#[test]
fn given_qwen_or_gemini_then_a_failure_is_a_denial_on_standard_output_too() {
    for harness in ["qwen", "gemini"] {
        let blocked = HookOutput::blocked_for(harness, "why");
        assert_eq!((blocked.code, blocked.err.as_str()), (2, "mayi: why\n"));
        assert_eq!(
            serde_json::from_str::<Value>(&blocked.out).unwrap(),
            json!({ "decision": "deny", "reason": "mayi: why" })
        );
    }
    assert_eq!(HookOutput::blocked_for("codex", "why").out, "");
    let both = json!({ "session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": "edit",
        "tool_input": {}, "tool_use_id": "a", "tool_call_id": "b" });
    assert_eq!(event("qwen", &both).unwrap().id.as_deref(), Some("a"));
}
