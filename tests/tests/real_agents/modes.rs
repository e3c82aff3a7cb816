//! mayi's modes, and what the model is told of them.

use crate::agent::Agent;
use crate::done::Done;
use crate::scene::Scene;

with_both_agents!(
    given_plan_mode_then_no_file_is_written,
    given_plan_mode_then_no_command_runs,
    given_plan_mode_then_no_tool_of_a_server_is_called,
    given_default_mode_then_the_model_is_told_so,
);

/// D4.18: Plan mode denies every access whose category is not read, whatever rules ... say.
fn given_plan_mode_then_no_file_is_written(agent: Agent) {
    plans_only(agent, "write file");
}

/// The same for commands.
fn given_plan_mode_then_no_command_runs(agent: Agent) {
    plans_only(agent, "run twice");
}

/// The same for tools of servers.
fn given_plan_mode_then_no_tool_of_a_server_is_called(agent: Agent) {
    let scene = plans_only(agent, "mcp wipe");
    assert_eq!(scene.calls("mini"), Some(Vec::new()));
}

fn plans_only(agent: Agent, case: &str) -> Scene {
    let scene = Scene::new(agent);
    let done = scene.run(case, &["--mode", "plan", "--allow", "*"]);
    done.is_denied();
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    assert!(done.decided("deny", "plan", ""), "{done}");
    for question in done.wire.questions() {
        // "with a reason that tells the model to propose instead"
        assert!(question.reason().is_some_and(|(reason, _)| reason.contains("only proposed")), "{done}");
    }
    is_told(&scene, &done, "Mode: plan. You may read.");
    scene
}

/// S4.7: puts one text block (mode, its rules, what a refusal means) before the first prompt.
fn given_default_mode_then_the_model_is_told_so(agent: Agent) {
    let scene = Scene::new(agent);
    let done = scene.run("text", &[]);
    assert_eq!(done.code, 0, "{done}");
    is_told(&scene, &done, "Mode: default. Reading is allowed;");
}

/// The block goes to the agent with the prompt, and gets to the model.
fn is_told(scene: &Scene, done: &Done, rule: &str) {
    let prompts = done.wire.sent("session/prompt");
    assert_eq!(prompts.len(), 1, "{done}");
    let blocks = prompts[0]["prompt"].as_array().unwrap();
    assert_eq!(blocks.len(), 2, "{done}");
    let told =
        |text: &str| text.contains("[mayi] ") && text.contains(rule) && text.contains("A refusal is final");
    // Behind the person's words, which agents name a session by (S4.7).
    assert!(blocks[0]["text"].as_str().unwrap().starts_with("case: "), "{done}");
    assert!(told(blocks[1]["text"].as_str().unwrap()), "{done}");
    let arrived = scene.model().asked().iter().any(|asked| told(&asked.last().to_string()));
    assert!(arrived, "{done}");
}
