//! MCP servers: mayi passes the configured ones into the session, and the agent starts and calls them.

use crate::agent::Agent;
use crate::done::Done;
use crate::scene::Scene;

with_both_agents!(
    given_a_rule_that_allows_a_destructive_tool_then_it_is_called,
    given_a_rule_that_denies_a_destructive_tool_then_it_is_not_called,
    given_nobody_to_answer_then_a_destructive_tool_is_not_called,
    given_a_rule_that_allows_a_tool_without_annotations_then_it_is_called,
    given_a_rule_that_denies_a_tool_without_annotations_then_it_is_not_called,
    given_nobody_to_answer_then_a_tool_without_annotations_is_not_called,
    given_a_server_that_needs_no_approval_then_only_the_tool_that_needs_one_is_asked_about,
    given_no_choice_then_every_configured_server_goes_into_the_session,
    given_a_choice_of_servers_then_only_those_go_into_the_session,
);

/// D3.12: `mcp` | `server` or `server/tool`, each a glob.
fn given_a_rule_that_allows_a_destructive_tool_then_it_is_called(agent: Agent) {
    allowed(agent, "wipe");
}

/// The same, for a tool that says nothing of itself.
fn given_a_rule_that_allows_a_tool_without_annotations_then_it_is_called(agent: Agent) {
    allowed(agent, "plain");
}

fn allowed(agent: Agent, tool: &str) {
    let scene = Scene::new(agent);
    let done = scene.run(&format!("mcp {tool}"), &["--allow", &format!("mcp(mini/{tool})")]);
    done.is_allowed(1);
    assert!(done.decided("allow", "rule", &format!("mcp(mini/{tool})")), "{done}");
    assert_eq!(scene.calls("mini"), Some(vec![tool.to_owned()]), "{done}");
    assert_eq!(scene.file(&format!("{tool}.txt")).as_deref(), Some(tool), "{done}");
}

/// S1.9: exit code "5 something was denied".
fn given_a_rule_that_denies_a_destructive_tool_then_it_is_not_called(agent: Agent) {
    let options = ["--allow", "mcp(mini/*)", "--deny", "mcp(*/wipe)"];
    not_called(agent, "wipe", &options, Done::is_denied);
}

/// The same, for a tool that says nothing of itself.
fn given_a_rule_that_denies_a_tool_without_annotations_then_it_is_not_called(agent: Agent) {
    let options = ["--allow", "mcp(mini/*)", "--deny", "mcp(mini/plain)"];
    not_called(agent, "plain", &options, Done::is_denied);
}

/// S1.9: exit code "6 something needed an answer and nobody gave one"; D4.17: external
/// is asked about in default mode.
fn given_nobody_to_answer_then_a_destructive_tool_is_not_called(agent: Agent) {
    not_called(agent, "wipe", &["--allow", "mcp(mini/plain)"], Done::is_unanswered);
}

/// The same, for a tool that says nothing of itself.
fn given_nobody_to_answer_then_a_tool_without_annotations_is_not_called(agent: Agent) {
    not_called(agent, "plain", &["--allow", "mcp(other/*)"], Done::is_unanswered);
}

fn not_called(agent: Agent, tool: &str, options: &[&str], ended: fn(&Done)) {
    let scene = Scene::new(agent);
    let case = format!("mcp {tool}");
    let done = scene.run(&case, options);
    ended(&done);
    assert_eq!(scene.calls("mini"), Some(Vec::new()), "{done}");
    assert_eq!(scene.files(), ["notes.txt"], "{done}");
    // Both agents go on after a refused tool of a server, and tell their model.
    assert_eq!(done.result()["stopReason"], "end_turn", "{done}");
    let asked = scene.model().asked();
    let after = asked.iter().find(|asked| asked.step(&case) == Some(1));
    let told = after.unwrap_or_else(|| panic!("the model was not asked again: {done}")).last().to_string();
    let words = match agent {
        Agent::Claude => "User refused permission to run tool",
        _ => "user cancelled MCP tool call",
    };
    assert!(told.contains(words), "{done}");
}

/// D4.14: the tool's own value; ... `not_required` allows.
fn given_a_server_that_needs_no_approval_then_only_the_tool_that_needs_one_is_asked_about(agent: Agent) {
    let scene = Scene::new(agent);
    let scene =
        scene.servers(&["mini"], "approval = \"not_required\"\n[servers.mini.tools]\nwipe = \"required\"\n");
    let done = scene.run("mcp plain", &[]);
    done.is_allowed(1);
    assert!(done.decided("allow", "setting", "mcp(mini/plain)"), "{done}");
    let done = scene.run("mcp wipe", &[]);
    done.is_unanswered();
    assert_eq!(scene.calls("mini"), Some(vec!["plain".to_owned()]), "{done}");
    assert_eq!(scene.files(), ["notes.txt", "plain.txt"], "{done}");
}

/// S1.7: `--mcp NAME` (which of the configured servers go into the session; default all).
fn given_no_choice_then_every_configured_server_goes_into_the_session(agent: Agent) {
    let scene = Scene::new(agent).servers(&["mini", "other"], "");
    let done = scene.run("text", &[]);
    assert_eq!(done.code, 0, "{done}");
    assert_eq!(passed(&done), ["mini", "other"], "{done}");
    assert!(scene.calls("mini").is_some() && scene.calls("other").is_some(), "{done}");
}

/// The same rule: a server that was not chosen is not even started.
fn given_a_choice_of_servers_then_only_those_go_into_the_session(agent: Agent) {
    let scene = Scene::new(agent).servers(&["mini", "other"], "");
    let done = scene.run("mcp plain", &["--mcp", "mini", "--allow", "mcp(mini)"]);
    done.is_allowed(1);
    assert_eq!(passed(&done), ["mini"], "{done}");
    assert_eq!((scene.calls("mini"), scene.calls("other")), (Some(vec!["plain".to_owned()]), None), "{done}");
    let asked = scene.model().asked();
    let tools = asked.iter().find(|asked| asked.step("mcp plain") == Some(0)).unwrap().tools();
    let of = |server: &str| tools.iter().any(|tool| tool.starts_with(&format!("mcp__{server}__")));
    assert!(of("mini") && !of("other"), "{tools:?}");
}

/// The names of the servers that mayi put into the session.
fn passed(done: &Done) -> Vec<&str> {
    let opened = done.wire.sent("session/new");
    let servers = opened[0]["mcpServers"].as_array().unwrap();
    servers.iter().map(|server| server["name"].as_str().unwrap()).collect::<Vec<&str>>()
}
