//! Writing and editing files.

use crate::agent::Agent;
use crate::done::Done;
use crate::scene::{NOTES, Scene};

with_both_agents!(
    given_a_rule_that_allows_writing_then_the_file_is_written,
    given_a_rule_that_denies_writing_then_there_is_no_file,
    given_nobody_to_answer_then_there_is_no_file,
    given_the_advice_of_an_unanswered_run_then_following_it_allows_just_that,
    given_a_rule_for_the_project_then_nothing_is_written_outside_of_it,
    given_a_rule_that_allows_editing_then_the_file_is_changed,
    given_a_rule_that_denies_editing_then_the_file_stays_as_it_was,
    given_nobody_to_answer_then_the_file_stays_as_it_was,
);

/// D4.2: The strictest matching rule wins; exit code "0 done, or allowed".
fn given_a_rule_that_allows_writing_then_the_file_is_written(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("write file", &["--allow", "write(*)"]);
    done.is_allowed(1);
    assert_eq!(scene.file("hello.txt").as_deref(), Some("hello from the script\n"), "{done}");
    assert!(done.decided("allow", "rule", "hello.txt"), "{done}");
    assert_eq!(done.unasked(), 0, "{done}");
}

/// S1.9: exit code "5 something was denied".
fn given_a_rule_that_denies_writing_then_there_is_no_file(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("write file", &["--deny", "write(*)"]);
    done.is_denied();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    assert!(done.decided("deny", "rule", "hello.txt"), "{done}");
    the_model_hears_of_the_refusal(&scene, &done, "write file", 1);
}

/// S1.9: exit code "6 something needed an answer and nobody gave one"; D8.2: none |
/// write | ask | matrix, write.
fn given_nobody_to_answer_then_there_is_no_file(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("write file", &[]);
    done.is_unanswered();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    assert!(done.decided("ask", "matrix", "hello.txt"), "{done}");
    the_model_hears_of_the_refusal(&scene, &done, "write file", 1);
}

/// D0.5: Every decision explains itself: which rule ..., and what would change it.
fn given_the_advice_of_an_unanswered_run_then_following_it_allows_just_that(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("write file", &[]);
    let advice = done.would_allow();
    assert_eq!(advice.len(), 1, "{done}");
    let again = scene.run("write file", &["--allow", advice[0]]);
    again.is_allowed(1);
    assert!(scene.file("hello.txt").is_some(), "{again}");
    let other = scene.run("two writes", &["--allow", advice[0]]);
    other.is_unanswered();
    assert_eq!(scene.files(), ["hello.txt", "notes.txt"], "{other}");
}

/// D3.5: `./` anchors at the root; D4.10: writes outside the roots are asked about.
fn given_a_rule_for_the_project_then_nothing_is_written_outside_of_it(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("write outside", &["--allow", "write(./**)"]);
    done.is_unanswered();
    assert_eq!(scene.file("../outside.txt"), None, "{done}");
    assert!(done.decided("ask", "protection", "outside.txt"), "{done}");
}

/// D1.10: `create`, `edit`, `delete`, `move` as kinds of `write`.
fn given_a_rule_that_allows_editing_then_the_file_is_changed(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("edit file", &["--allow", "edit(notes.txt)"]);
    done.is_allowed(1);
    assert_eq!(scene.file("notes.txt").as_deref(), Some("line one\nline TWO\n"), "{done}");
    assert!(done.decided("allow", "rule", "edit("), "{done}");
}

/// The same, denied.
fn given_a_rule_that_denies_editing_then_the_file_stays_as_it_was(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("edit file", &["--allow", "write(*)", "--deny", "edit(notes.txt)"]);
    done.is_denied();
    assert_eq!(scene.file("notes.txt").as_deref(), Some(NOTES), "{done}");
    assert!(done.decided("deny", "rule", "edit("), "{done}");
    the_model_hears_of_the_refusal(&scene, &done, "edit file", 2);
}

/// The same, with nobody to answer.
fn given_nobody_to_answer_then_the_file_stays_as_it_was(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("edit file", &[]);
    done.is_unanswered();
    assert_eq!(scene.file("notes.txt").as_deref(), Some(NOTES), "{done}");
    assert!(done.decided("ask", "matrix", "edit("), "{done}");
}

/// What the agents make of a refused edit or command before step `next`: Claude Code tells its model and goes on,
/// Codex ends the turn, and its model hears no more.
pub(crate) fn the_model_hears_of_the_refusal(scene: &Scene, done: &Done, case: &str, next: u64) {
    assert_eq!(done.result()["stopReason"], scene.agent().stops_after_refusal(), "{done}");
    let asked = scene.model().asked();
    let after = asked.iter().find(|asked| asked.step(case) == Some(next));
    match scene.agent() {
        Agent::Claude => {
            let last = after.unwrap_or_else(|| panic!("the model was not asked again: {done}")).last();
            let result = &last["content"][0];
            assert_eq!(
                (&result["type"], &result["is_error"]),
                (&"tool_result".into(), &true.into()),
                "{done}"
            );
            assert!(result["content"].as_str().unwrap().contains("refused permission"), "{done}");
        }
        _ => assert!(after.is_none(), "{done}"),
    }
}
