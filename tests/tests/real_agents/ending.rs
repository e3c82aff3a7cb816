//! Ends before the end: Ctrl-C, time limits, questions that expire.

use crate::agent::Agent;
use crate::done::Done;
use crate::scene::Scene;

with_both_agents!(
    given_ctrl_c_while_the_model_streams_then_the_run_ends_at_once_with_all_that_it_started,
    given_ctrl_c_while_a_question_waits_then_the_question_is_cancelled,
    given_a_time_limit_then_the_run_ends_at_it_with_all_that_it_started,
    given_a_question_that_nobody_answers_in_time_then_it_is_denied,
);

/// The last words of `slow text`, which takes five seconds to get there.
const LAST: &str = "word 20";

/// S1.9: exit code "130 interrupted". That no process of the agent's is left is checked after every
/// run; here it is seen that there were some.
fn given_ctrl_c_while_the_model_streams_then_the_run_ends_at_once_with_all_that_it_started(agent: Agent) {
    let scene = Scene::new(agent);
    let mut running = scene.start("slow text", &[]);
    running.sees("word 2 ");
    let there = scene.processes();
    for program in [agent.program(), "mini_mcp"] {
        assert!(there.iter().any(|process| process.line.contains(program)), "no {program} among {there:#?}");
    }
    running.interrupt();
    let done = scene.ended(running);
    is_cut(&done, 130);
    // The agent ended its turn when it was told to: it was not waited for in vain.
    assert_eq!(done.wire.sent("session/cancel").len(), 1, "{done}");
    assert_eq!(done.result()["stopReason"], "cancelled", "{done}");
}

/// D6.21: `session/cancel`, a closed session, a dead agent ... cancel what waits, and the agent
/// always gets exactly one reply, whatever happens.
fn given_ctrl_c_while_a_question_waits_then_the_question_is_cancelled(agent: Agent) {
    let scene = Scene::new(agent);
    let mut running = scene.start("write file", &["--on-ask", "wait", "--timeout", "110s"]);
    running.sees(r#""type":"approval-request""#);
    running.interrupt();
    let done = scene.ended(running);
    is_cut(&done, 130);
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    let questions = done.wire.questions();
    assert_eq!(questions.len(), 1, "{done}");
    assert_eq!(questions[0].outcome(), Some("cancelled"), "{done}");
    assert_eq!(done.count("cancelled"), 1, "{done}");
}

/// S1.9: exit code "124 `--timeout` reached".
fn given_a_time_limit_then_the_run_ends_at_it_with_all_that_it_started(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("slow text", &["--timeout", "3s"]);
    is_cut(&done, 124);
}

/// D6.23: A time limit ... expires into a denial, never into ACP's `cancelled`.
fn given_a_question_that_nobody_answers_in_time_then_it_is_denied(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("write file", &["--on-ask", "wait", "--approval-timeout", "1s"]);
    done.is_unanswered();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    let resolved: Vec<_> = done.of("approval-resolved").collect();
    assert_eq!(resolved.len(), 1, "{done}");
    assert_eq!(resolved[0]["state"], "expired", "{done}");
    let questions = done.wire.questions();
    assert_eq!(questions[0].picked(), Some("reject_once"), "{done}");
}

fn is_cut(done: &Done, code: i32) {
    assert_eq!(done.code, code, "{done}");
    assert!(done.result()["error"].as_str().is_some_and(|error| error.contains("cancelled")), "{done}");
    assert!(!done.text().contains(LAST), "{done}");
}
