//! Sub-agents: Claude Code's asks under the session of its parent, Codex's never asks the client at all.

use crate::agent::Agent;
use crate::scene::Scene;

/// D4.26: A child session (sub-agent) is judged by the strictest of its parent's mode and its own.
#[test]
fn given_a_sub_agent_of_claude_code_and_a_rule_that_allows_then_its_file_is_written() {
    let scene = Scene::new(Agent::Claude);
    let done = scene.run("subagent", &["--allow", "write(sub.txt)"]);
    done.is_allowed(1);
    assert_eq!(scene.file("sub.txt").as_deref(), Some("from the sub-agent\n"), "{done}");
    assert!(done.decided("allow", "rule", "sub.txt"), "{done}");
}

/// The same, denied.
#[test]
fn given_a_sub_agent_of_claude_code_and_a_rule_that_denies_then_there_is_no_file() {
    let scene = Scene::new(Agent::Claude);
    let done = scene.run("subagent", &["--allow", "*", "--deny", "write(sub.txt)"]);
    done.is_denied();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    assert!(done.decided("deny", "rule", "sub.txt"), "{done}");
}

/// The same, with nobody to answer.
#[test]
fn given_a_sub_agent_of_claude_code_and_nobody_to_answer_then_there_is_no_file() {
    let scene = Scene::new(Agent::Claude);
    let done = scene.run("subagent", &[]);
    done.is_unanswered();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    assert!(done.decided("ask", "matrix", "sub.txt"), "{done}");
    // Seed 4: it is seen as a sub-agent's: Claude Code tells which call has started it.
    let mut log = std::process::Command::new(crate::agent::mayi());
    log.env_clear().env("HOME", scene.home()).args(["log", "--json", "--all", "--kind", "proposed"]);
    let entries = String::from_utf8(log.output().unwrap().stdout).unwrap();
    assert!(entries.contains("\"parent\":\"toolu_"), "{entries} {done}");
}

/// What a sub-agent of Codex wants waits for an answer inside of Codex, and goes with it: it does not get through,
/// whatever the rules say, and nothing of it is left (checked after every run).
#[test]
fn given_a_sub_agent_of_codex_then_it_neither_asks_nor_writes_nor_stays() {
    for options in [&["--allow", "*"][..], &["--deny", "write(*)"], &["--mode", "auto"]] {
        let scene = Scene::new(Agent::Codex);
        let done = scene.run("subagent", options);
        assert_eq!((done.code, done.wire.questions().len()), (0, 0), "{done}");
        assert_eq!(scene.files(), ["notes.txt"], "{done}");
    }
}
