//! Running commands.

use crate::agent::Agent;
use crate::files::the_model_hears_of_the_refusal;
use crate::scene::{NOTES, Scene};

with_both_agents!(
    given_a_rule_that_allows_a_command_then_it_runs,
    given_a_rule_that_denies_one_command_of_a_line_then_nothing_of_the_line_runs,
    given_nobody_to_answer_then_nothing_runs,
    given_an_allowed_and_a_denied_command_then_only_the_first_runs,
    given_a_denied_removal_then_the_file_stays,
    given_an_allowed_removal_then_the_file_is_gone,
);

/// D3.7: `shell` | words, matched against argv word by word.
fn given_a_rule_that_allows_a_command_then_it_runs(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("run two commands", &["--allow", "shell(touch *)"]);
    done.is_allowed(2);
    assert_eq!(scene.files(), ["first.txt", "notes.txt", "second.txt"], "{done}");
    assert!(done.decided("allow", "rule", "shell(touch first.txt)"), "{done}");
    assert_eq!(done.unasked(), 0, "{done}");
}

/// D8.14: deny wins in a list.
fn given_a_rule_that_denies_one_command_of_a_line_then_nothing_of_the_line_runs(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("run command", &["--allow", "shell(echo *)", "--deny", "shell(touch *)"]);
    done.is_denied();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    assert!(done.decided("deny", "rule", "touch ran.txt"), "{done}");
    the_model_hears_of_the_refusal(&scene, &done, "run command", 1);
}

/// S1.9: exit code "6 something needed an answer and nobody gave one".
fn given_nobody_to_answer_then_nothing_runs(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("run command", &["--allow", "shell(echo *)"]);
    done.is_unanswered();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    the_model_hears_of_the_refusal(&scene, &done, "run command", 1);
}

/// D4.2: Order and layer never matter between rules.
fn given_an_allowed_and_a_denied_command_then_only_the_first_runs(agent: Agent) {
    let scene = Scene::new(agent);
    let done =
        scene.run("run two commands", &["--deny", "shell(touch second.txt)", "--allow", "shell(touch *)"]);
    done.is_denied();
    assert_eq!((done.count("allowed"), done.count("denied")), (1, 1), "{done}");
    assert_eq!(scene.files(), ["first.txt", "notes.txt"], "{done}");
    the_model_hears_of_the_refusal(&scene, &done, "run two commands", 2);
}

/// The same with something to lose.
fn given_a_denied_removal_then_the_file_stays(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("delete file", &["--allow", "shell(*)", "--deny", "shell(rm *)"]);
    done.is_denied();
    assert_eq!(scene.file("notes.txt").as_deref(), Some(NOTES), "{done}");
}

/// The same, allowed.
fn given_an_allowed_removal_then_the_file_is_gone(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("delete file", &["--allow", "shell(rm *)"]);
    done.is_allowed(1);
    assert_eq!(scene.file("notes.txt"), None, "{done}");
}
