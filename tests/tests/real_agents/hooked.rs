//! What each harness does with a command before its tools: the lines of `docs/hooks.md` that a gate stands on. Where a
//! harness lets a tool run although its hook has failed, the test says so: the day that it changes, the page does too.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::headless::{Headless, Ran};

with_each_harness!(
    given_a_hook_that_allows_then_the_tool_runs,
    given_a_hook_that_denies_then_the_tool_does_not_run_and_the_model_reads_why,
    given_exit_2_with_a_reason_on_stderr_then_the_tool_does_not_run,
    given_exit_1_then_it_is_as_the_page_says,
    given_a_killed_hook_then_it_is_as_the_page_says,
    given_a_hook_that_is_not_there_then_it_is_as_the_page_says,
    given_a_hook_that_takes_too_long_then_it_is_as_the_page_says,
    given_rubbish_for_an_answer_then_it_is_as_the_page_says,
    given_a_hook_that_denies_then_a_file_is_not_written,
    given_a_hook_that_denies_then_a_server_is_not_called,
);

const WHY: &str = "the test has a reason";

/// A line of the shell's that answers no, in the harness's words.
fn deny(harness: Harness) -> String {
    let answer = match harness {
        Harness::ClaudeCode | Harness::Codex | Harness::Qwen => decision("deny"),
        Harness::Gemini => json!({ "decision": "deny", "reason": WHY }),
        Harness::Copilot => json!({ "permissionDecision": "deny", "permissionDecisionReason": WHY }),
        // Its plugin has no words: it throws.
        Harness::Opencode => return exit_2(),
    };
    say(&answer)
}

/// Claude Code's answer, which Codex and Qwen Code took over.
fn decision(word: &str) -> Value {
    let answer = json!({
        "hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": WHY,
    });
    json!({ "hookSpecificOutput": answer })
}

fn say(answer: &Value) -> String {
    format!("printf '%s\\n' '{answer}'")
}

fn exit_2() -> String {
    format!("echo '{WHY}' >&2; exit 2")
}

/// What a call comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Runs,
    Blocked,
}

/// Runs the command of the script behind the hook.
fn command_behind(scene: &Headless) -> (Ran, End) {
    let ran = scene.run("run command");
    let end = if scene.has("ran.txt") { End::Runs } else { End::Blocked };
    // Else nothing was tried.
    assert!(!scene.told("No tool for"), "{}", scene.report(&ran));
    (ran, end)
}

fn given_a_hook_that_allows_then_the_tool_runs(harness: Harness) {
    let scene = Headless::new(harness).script("exit 0");
    let (ran, end) = command_behind(&scene);
    assert_eq!(end, End::Runs, "{}", scene.report(&ran));
    assert_eq!(scene.events().len(), 1, "{}", scene.report(&ran));
    assert!(scene.events()[0].to_string().contains("touch ran.txt"), "{}", scene.report(&ran));
}

fn given_a_hook_that_denies_then_the_tool_does_not_run_and_the_model_reads_why(harness: Harness) {
    let scene = Headless::new(harness).script(&deny(harness));
    let (ran, end) = command_behind(&scene);
    assert_eq!(end, End::Blocked, "{}", scene.report(&ran));
    assert_eq!(scene.events().len(), 1, "{}", scene.report(&ran));
    assert!(scene.told(WHY), "{}", scene.report(&ran));
}

fn given_exit_2_with_a_reason_on_stderr_then_the_tool_does_not_run(harness: Harness) {
    let scene = Headless::new(harness).script(&exit_2());
    let (ran, end) = command_behind(&scene);
    assert_eq!(end, End::Blocked, "{}", scene.report(&ran));
    // Copilot CLI keeps what it wrote to itself.
    assert_eq!(scene.told(WHY), harness != Harness::Copilot, "{}", scene.report(&ran));
}

fn given_exit_1_then_it_is_as_the_page_says(harness: Harness) {
    fails(harness, "exit 1", blocks_at_failure(harness));
}

fn given_a_killed_hook_then_it_is_as_the_page_says(harness: Harness) {
    fails(harness, "kill -KILL $$", blocks_at_failure(harness));
}

fn given_rubbish_for_an_answer_then_it_is_as_the_page_says(harness: Harness) {
    fails(harness, "echo '{\"rubbish'", End::Runs);
}

fn given_a_hook_that_is_not_there_then_it_is_as_the_page_says(harness: Harness) {
    let scene = Headless::new(harness).hook("/nonexistent/hook");
    let (ran, end) = command_behind(&scene);
    // Gemini CLI takes what its shell says of it, with 127, for a reason.
    let expected = if harness == Harness::Gemini { End::Blocked } else { blocks_at_failure(harness) };
    assert_eq!(end, expected, "{}", scene.report(&ran));
}

fn given_a_hook_that_takes_too_long_then_it_is_as_the_page_says(harness: Harness) {
    let limit = Duration::from_secs(2);
    let scene = Headless::new(harness).scripted("exec sleep 60", limit, json!({}));
    let (ran, end) = command_behind(&scene);
    let expected = if harness == Harness::Opencode { End::Blocked } else { End::Runs };
    assert_eq!(end, expected, "{}", scene.report(&ran));
    assert!((limit..Duration::from_secs(50)).contains(&ran.took), "{}", scene.report(&ran));
}

fn fails(harness: Harness, body: &str, expected: End) {
    let scene = Headless::new(harness).script(body);
    let (ran, end) = command_behind(&scene);
    assert_eq!(end, expected, "{}", scene.report(&ran));
    assert_eq!(scene.events().len(), 1, "{}", scene.report(&ran));
}

/// Who takes a hook that ended badly for a no. In opencode it is what the plugin makes of it.
fn blocks_at_failure(harness: Harness) -> End {
    match harness {
        Harness::Copilot | Harness::Opencode => End::Blocked,
        Harness::ClaudeCode | Harness::Codex | Harness::Gemini | Harness::Qwen => End::Runs,
    }
}

fn given_a_hook_that_denies_then_a_file_is_not_written(harness: Harness) {
    let scene = Headless::new(harness).script(&deny(harness));
    let ran = scene.run("write file");
    assert!(!scene.has("hello.txt"), "{}", scene.report(&ran));
    assert_eq!(scene.events().len(), 1, "{}", scene.report(&ran));
    let event = scene.events()[0].to_string();
    assert!(event.contains("hello.txt") && event.contains("hello from the script"), "{}", scene.report(&ran));
}

fn given_a_hook_that_denies_then_a_server_is_not_called(harness: Harness) {
    let scene = Headless::new(harness).script(&deny(harness));
    let ran = scene.run("mcp wipe");
    assert_eq!(scene.calls(), [""; 0], "{}", scene.report(&ran));
    let event = scene.events().first().map(Value::to_string).unwrap_or_default();
    assert!(event.contains("wipe") && event.contains("mini"), "{}", scene.report(&ran));
}

/// `onFailure` makes a block of everything that is not an answer, but of text that is no JSON.
#[test]
fn given_on_failure_in_claude_code_then_every_bad_end_is_a_block() {
    let limit = Duration::from_secs(2);
    let expected = [
        ("exit 1", End::Blocked),
        ("kill -KILL $$", End::Blocked),
        ("kill -STOP $$", End::Blocked),
        ("exec sleep 60", End::Blocked),
        (
            "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"x\"}}'",
            End::Blocked,
        ),
        ("echo rubbish", End::Runs),
        ("exit 0", End::Runs),
    ];
    for (body, expected) in expected {
        let scene = Headless::new(Harness::ClaudeCode).scripted(body, limit, json!({ "onFailure": "block" }));
        let (ran, end) = command_behind(&scene);
        assert_eq!(end, expected, "{body}: {}", scene.report(&ran));
    }
}

/// One wrong value takes all hooks of the file away.
#[test]
fn given_a_value_that_claude_code_does_not_know_then_no_hook_of_the_file_is_run() {
    let more = json!({ "onFailure": "deny" });
    let scene = Headless::new(Harness::ClaudeCode).scripted("exit 2", Duration::from_secs(30), more);
    let (ran, end) = command_behind(&scene);
    assert_eq!((end, scene.events().len()), (End::Runs, 0), "{}", scene.report(&ran));
}

/// There is nobody to ask, so it is a no; also where Claude Code itself would ask nobody.
#[test]
fn given_ask_without_a_person_then_claude_code_and_copilot_deny() {
    let copilot = json!({ "permissionDecision": "ask", "permissionDecisionReason": WHY });
    for (harness, answer) in [(Harness::ClaudeCode, decision("ask")), (Harness::Copilot, copilot)] {
        let scene = Headless::new(harness).script(&say(&answer));
        let (ran, end) = command_behind(&scene);
        assert_eq!(end, End::Blocked, "{}", scene.report(&ran));
    }
}

/// Codex takes them for failures, and a failure for a yes; the same for a no without a reason.
#[test]
fn given_an_answer_that_codex_does_not_take_then_the_tool_runs() {
    let unknown = json!({ "decision": "block", "reason": WHY, "unknown": true });
    for body in [say(&decision("ask")), say(&unknown), "exit 2".to_owned()] {
        let scene = Headless::new(Harness::Codex).script(&body);
        let (ran, end) = command_behind(&scene);
        assert_eq!(end, End::Runs, "{body}: {}", scene.report(&ran));
    }
}

/// Gemini CLI believes what was printed before it looks at how the hook ended.
#[test]
fn given_exit_2_after_a_printed_yes_then_gemini_runs_the_tool() {
    let scene = Headless::new(Harness::Gemini).script("echo '{\"decision\":\"allow\"}'; exit 2");
    let (ran, end) = command_behind(&scene);
    assert_eq!(end, End::Runs, "{}", scene.report(&ran));
}

/// A repository can switch off the person's own hooks.
#[test]
fn given_a_project_that_disables_hooks_then_the_persons_own_are_not_run() {
    let cases = [
        (Harness::ClaudeCode, ".claude/settings.json", r#"{ "disableAllHooks": true }"#),
        (Harness::ClaudeCode, ".claude/settings.local.json", r#"{ "disableAllHooks": true }"#),
        (Harness::Codex, ".codex/config.toml", "[features]\nhooks = false\n"),
    ];
    for (harness, name, text) in cases {
        let scene = Headless::new(harness).script(&exit_2()).with(name, text);
        let (ran, end) = command_behind(&scene);
        assert_eq!((end, scene.events().len()), (End::Runs, 0), "{name}: {}", scene.report(&ran));
    }
}

/// What a sub-agent does comes to the same hook.
#[test]
fn given_a_hook_that_denies_a_sub_agents_write_then_it_does_not_happen() {
    for harness in [Harness::ClaudeCode, Harness::Codex] {
        let body = format!("case $event in *sub.txt*) {};; esac", exit_2());
        let scene = Headless::new(harness).script(&body);
        let ran = scene.run("subagent");
        let written: Vec<_> =
            scene.events().into_iter().filter(|event| event["agent_id"].is_string()).collect();
        assert!(!scene.has("sub.txt"), "{}", scene.report(&ran));
        // Codex may end before its sub-agent has come that far.
        assert!(harness == Harness::Codex || written.len() == 1, "{}", scene.report(&ran));
    }
}
