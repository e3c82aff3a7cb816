//! What the agents do without asking: mayi can't stop it, but counts it and says so.

use crate::agent::Agent;
use crate::scene::{NOTES, Scene};

with_both_agents!(
    given_a_read_that_nobody_asked_about_then_it_is_counted,
    given_a_read_that_the_policy_denies_then_it_is_counted_as_such_and_shown,
    given_a_denied_read_then_a_person_is_told_that_it_ran_without_asking,
);

/// D7.9: there is an entry `unasked` for it; neither agent asks before it reads in the project.
fn given_a_read_that_nobody_asked_about_then_it_is_counted(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("read file", &[]);
    assert_eq!(done.code, 0, "{done}");
    assert_eq!((done.unasked(), done.wire.questions().len()), (1, 0), "{done}");
    assert_eq!(done.count("allowed"), 0, "{done}");
}

/// D0.9: Ungated actions noticed: a tool call that ran without asking is recorded.
fn given_a_read_that_the_policy_denies_then_it_is_counted_as_such_and_shown(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("read file", &["--deny", "read(notes.txt)"]);
    assert_eq!((done.unasked(), done.count("unasked_denied")), (1, 1), "{done}");
    let shown: Vec<_> = done.of("unasked").collect();
    assert_eq!(shown.len(), 1, "{done}");
    assert_eq!(shown[0]["title"], "Read notes.txt", "{done}");
    assert_eq!(shown[0]["policy"], "deny", "{done}");
    // It was read indeed.
    let asked = scene.model().asked();
    let after = asked.iter().find(|asked| asked.step("read file") == Some(1)).unwrap();
    assert!(NOTES.lines().all(|line| after.last().to_string().contains(line)), "{done}");
}

/// The same in words.
fn given_a_denied_read_then_a_person_is_told_that_it_ran_without_asking(agent: Agent) {
    let scene = Scene::new(agent);
    let told = scene.told("read file", &["--deny", "read(notes.txt)"]);
    assert!(
        told.err.contains("! Read notes.txt: ran without asking, though the policy denies it"),
        "{told:?}"
    );
    assert!(told.err.contains("--deny on the command line"), "{told:?}");
    assert!(told.err.contains("mayi: 1 ran without asking"), "{told:?}");
    assert!(told.out.contains("Done: read file."), "{told:?}");
}

/// D1.3: What an agent or server says of itself (kind, title, `readOnlyHint`) never makes a decision
/// looser. Codex believes the hint, and does not ask. Where it has the server without mayi before it, that can only be counted.
#[test]
fn given_codex_a_tool_with_read_only_hint_and_no_gateway_then_its_call_is_counted_as_unasked() {
    for tool in ["peek", "echo"] {
        let scene = Scene::new(Agent::Codex);
        let done = scene.run(&format!("mcp {tool}"), &["--no-gateway", "--deny", "mcp(mini/echo)"]);
        let count = if tool == "echo" { "unasked_denied" } else { "unasked_ask" };
        assert_eq!((done.unasked(), done.count(count), done.wire.questions().len()), (1, 1, 0), "{done}");
        let shown: Vec<_> = done.of("unasked").collect();
        assert_eq!(shown.len(), 1, "{done}");
        assert!(shown[0]["title"].as_str().unwrap().contains(tool), "{done}");
        assert_eq!(scene.calls("mini"), Some(vec![tool.to_owned()]), "{done}");
    }
}

/// The same: Claude Code asks, and the hint does not help it.
#[test]
fn given_claude_code_and_a_tool_with_read_only_hint_then_it_is_asked_about_like_any_other() {
    for tool in ["peek", "echo"] {
        let scene = Scene::new(Agent::Claude);
        let done = scene.run(&format!("mcp {tool}"), &[]);
        done.is_unanswered();
        assert_eq!((done.unasked(), scene.calls("mini")), (0, Some(Vec::new())), "{done}");
    }
}

/// S4.6: starts each known agent in a mode in which it asks, whatever the agent's own settings say.
#[test]
fn given_settings_of_claude_code_that_accept_edits_then_mayi_puts_it_back_into_its_asking_mode() {
    let settings = r#"{ "permissions": { "defaultMode": "acceptEdits" } }"#;
    let scene = Scene::new(Agent::Claude).agents_own(".claude/settings.json", settings).named("claude", "");
    let done = scene.run("write file", &[]);
    done.is_unanswered();
    assert_eq!((scene.files(), done.unasked()), (vec!["notes.txt".to_owned()], 0), "{done}");
    assert_eq!(done.of("start").next().unwrap()["agentMode"], "default", "{done}");
}

/// D0.9: Ungated actions noticed. What the agent's own rules allow, it does not ask about.
#[test]
fn given_settings_of_claude_code_that_allow_a_command_then_each_run_of_it_is_counted_as_unasked() {
    let settings = r#"{ "permissions": { "allow": ["Bash(touch:*)"] } }"#;
    let scene = Scene::new(Agent::Claude).agents_own(".claude/settings.json", settings).named("claude", "");
    let done = scene.run("run twice", &["--deny", "shell(touch *)"]);
    assert_eq!((done.unasked(), done.count("unasked_denied")), (2, 2), "{done}");
    assert_eq!(done.of("unasked").count(), 2, "{done}");
    assert!(scene.file("ran.txt").is_some(), "{done}");
}
