//! Going on with an earlier session: both agents can.

use crate::agent::Agent;
use crate::scene::Scene;

with_both_agents!(
    given_an_earlier_session_then_continue_goes_on_with_it_and_is_gated_alike,
    given_an_earlier_session_then_what_it_replays_is_not_counted_again,
    given_an_earlier_session_then_the_answer_is_that_of_this_prompt,
    given_no_earlier_session_then_continue_is_a_usage_error,
);

/// S1.6: `--continue`. What was allowed in the run before is not allowed in this one.
fn given_an_earlier_session_then_continue_goes_on_with_it_and_is_gated_alike(agent: Agent) {
    let scene = Scene::new(agent);
    let first = scene.run("write file", &["--allow", "write(*)"]);
    first.is_allowed(1);
    let done = scene.run("two writes", &["--continue", "--allow", "write(a.txt)"]);
    done.is_unanswered();
    assert_eq!(done.result()["sessionId"], first.result()["sessionId"], "{done}");
    assert_eq!(scene.file("b.txt"), None, "{done}");
    // The model sees the conversation before, and is told of the gate anew.
    let asked = scene.model().asked();
    let next = asked.iter().find(|asked| asked.step("two writes") == Some(0)).unwrap();
    assert!(next.said().contains(&"tool"), "{done}");
    assert!(next.last().to_string().contains("[mayi] "), "{done}");
}

/// D7.9: `unasked` is for what ran. What `session/load` replays was decided and counted when it ran.
fn given_an_earlier_session_then_what_it_replays_is_not_counted_again(agent: Agent) {
    let scene = Scene::new(agent);
    scene.run("write file", &["--allow", "write(*)"]).is_allowed(1);
    let done = scene.run("text", &["--continue", "--deny", "write(*)"]);
    assert_eq!(done.code, 0, "{done}");
    assert_eq!((done.unasked(), done.of("unasked").count()), (0, 0), "{done}");
    assert_eq!(done.count("allowed") + done.count("denied"), 0, "{done}");
}

/// S1.5: `run` "sends one prompt, gates everything, streams the answer": this prompt's.
fn given_an_earlier_session_then_the_answer_is_that_of_this_prompt(agent: Agent) {
    let scene = Scene::new(agent);
    scene.run("write file", &["--allow", "write(*)"]).is_allowed(1);
    let done = scene.run("text", &["--continue"]);
    assert!(done.text().ends_with("Done: text."), "{done}");
    assert!(!done.text().contains("write file"), "{done}");
    let told = scene.told("text", &["--continue"]);
    assert!(told.out.ends_with("Done: text.") && !told.out.contains("write file"), "{told:?}");
}

/// S1.9: exit code "2 usage"; the agent is not even started.
fn given_no_earlier_session_then_continue_is_a_usage_error(agent: Agent) {
    let scene = Scene::new(agent);
    let told = scene.told("text", &["--continue"]);
    assert_eq!((told.code, told.out.as_str()), (2, ""), "{told:?}");
    assert!(told.err.contains("no earlier session"), "{told:?}");
    assert!(scene.model().asked().is_empty() && scene.calls("mini").is_none(), "{told:?}");
}
