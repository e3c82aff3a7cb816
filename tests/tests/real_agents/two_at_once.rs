//! Two calls in one turn of the model: both agents ask about the second before the first is answered, or after it.

use crate::agent::Agent;
use crate::scene::Scene;

with_both_agents!(
    given_a_write_and_a_command_that_are_allowed_then_both_happen,
    given_a_denied_write_beside_an_allowed_command_then_nothing_is_written,
    given_nobody_to_answer_then_neither_happens,
    given_two_writes_that_are_allowed_then_both_happen,
    given_two_writes_of_which_one_is_denied_then_that_one_does_not_happen,
);

/// D0.7: several tool calls in one turn, some done, some waiting.
fn given_a_write_and_a_command_that_are_allowed_then_both_happen(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("two tools", &["--allow", "write(a.txt)", "--allow", "shell(touch b.txt)"]);
    done.is_allowed(2);
    assert_eq!(scene.files(), ["a.txt", "b.txt", "notes.txt"], "{done}");
    assert_eq!(done.wire.questions().len(), 2, "{done}");
}

/// D1.2: The decision of a call is the strictest over its accesses: another call's does not count.
fn given_a_denied_write_beside_an_allowed_command_then_nothing_is_written(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("two tools", &["--deny", "write(a.txt)", "--allow", "shell(touch b.txt)"]);
    done.is_denied();
    assert_eq!(scene.file("a.txt"), None, "{done}");
    assert_eq!(done.result()["stopReason"], agent.stops_after_refusal(), "{done}");
    // Codex may end the turn before the command is started.
    if agent == Agent::Claude {
        assert!(scene.file("b.txt").is_some(), "{done}");
    }
}

/// S1.9: exit code "6 something needed an answer and nobody gave one"; that each ask gets one answer is
/// checked after every run.
fn given_nobody_to_answer_then_neither_happens(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("two tools", &[]);
    done.is_unanswered();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    // Codex may end the turn before it asks about the second.
    if agent == Agent::Claude {
        assert_eq!(done.count("unanswered"), 2, "{done}");
        // D0.5: what would change it, and no more than that.
        let [write, shell] = done.would_allow()[..] else { panic!("{done}") };
        assert!(write.starts_with("write(") && shell == "shell(touch b.txt)", "{done}");
        scene.run("two tools", &["--allow", write, "--allow", shell]).is_allowed(2);
    }
}

/// D1.1: Every door turns its protocol's request into one `Call`: two of a kind are not mixed up.
fn given_two_writes_that_are_allowed_then_both_happen(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("two writes", &["--allow", "write(*.txt)"]);
    done.is_allowed(2);
    let both = (scene.file("a.txt"), scene.file("b.txt"));
    assert_eq!(both, (Some("a\n".to_owned()), Some("b\n".to_owned())), "{done}");
}

/// The same, with different answers.
fn given_two_writes_of_which_one_is_denied_then_that_one_does_not_happen(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("two writes", &["--allow", "write(*.txt)", "--deny", "write(b.txt)"]);
    done.is_denied();
    assert_eq!(scene.file("b.txt"), None, "{done}");
    // Codex may end the turn before it writes the other.
    if agent == Agent::Claude {
        assert_eq!(scene.file("a.txt").as_deref(), Some("a\n"), "{done}");
    }
}
