//! The agents' own options. That nothing but `allow_once` and `reject_once` is ever picked is checked after every
//! run; here are the cases in which there is more to pick.

use crate::agent::Agent;
use crate::scene::Scene;

with_both_agents!(given_an_agent_that_offers_to_remember_then_it_is_asked_each_time);

/// D0.4: revocable, because the agent is always answered `allow_once`; so it asks each time, and mayi sees each.
fn given_an_agent_that_offers_to_remember_then_it_is_asked_each_time(agent: Agent) {
    let (case, calls) = match agent {
        Agent::Claude => ("three writes", 3),
        _ => ("run twice", 2),
    };
    let scene = Scene::new(agent);
    let done = scene.run(case, &["--mode", "auto"]);
    done.is_allowed(calls);
    let questions = done.wire.questions();
    assert_eq!(questions.len() as u64, calls, "{done}");
    for question in questions {
        assert!(question.kinds().contains(&"allow_always"), "{done}");
        assert_eq!(question.picked(), Some("allow_once"), "{done}");
    }
    assert_eq!(done.unasked(), 0, "{done}");
}

/// D1.12: mode switches are "asked about in every mode".
#[test]
fn given_claude_code_in_its_plan_mode_then_no_way_out_of_it_is_picked() {
    leaves_plan_mode_by_no_rule("", &[]);
}

/// D6.28: mode switches are never picked automatically; attack 12: "a mode switch offered as
/// `allow_once`: asked in every mode, never automatic".
#[test]
fn given_everything_allowed_in_auto_mode_and_a_bypass_then_no_way_out_of_plan_mode_is_picked() {
    let options = ["--mode", "auto", "--allow", "*", "--allow", "mode(*)"];
    leaves_plan_mode_by_no_rule("bypass_permissions = true\n", &options);
}

fn leaves_plan_mode_by_no_rule(settings: &str, options: &[&str]) {
    let scene = Scene::new(Agent::Claude).named("planner", &format!("asking_mode = \"plan\"\n{settings}"));
    let done = scene.run("plan", options);
    // Once it was refused to leave the mode, Claude Code now and then ends the turn by a mistake of its own. What it asked, and
    // what it was answered, holds all the same.
    let broke = done.of("result").any(|result| result["error"].to_string().contains("[ede_diagnostic]"));
    if !broke {
        done.is_unanswered();
    }
    assert_eq!(done.of("start").next().unwrap()["agentMode"], "plan", "{done}");
    let questions = done.wire.questions();
    assert_eq!(questions.len(), 1, "{done}");
    assert_eq!(questions[0].tool_kind(), Some("switch_mode"), "{done}");
    assert!(questions[0].kinds().contains(&"allow_once"), "{done}");
    assert_eq!(questions[0].picked(), Some("reject_once"), "{done}");
    assert_eq!(done.count("needs_person"), 1, "{done}");
}
