//! S4.16, S4.18: version 2 of the protocol with peers that speak it: the client is the SDK for TypeScript, and the agents are Claude
//! Code's and one that is that SDK too.

use std::path::{Path, PathBuf};

use mayi_tests::Machine;
use serde_json::{Value, json};

use crate::agent::{self, Agent};
use crate::client::{Client, Says, installed};
use crate::scene::{Scene, Way};
use crate::seen::Seen;

const SETTING: &str = "[acp]\nprotocol_v2 = true\n";

fn claude(rules: &str, says: Says) -> (Scene, Seen) {
    let scene = Scene::new(Agent::Claude, &format!("{SETTING}{rules}"));
    let seen = scene.run(Client::Preview, Way::Mayi, says, "run once");
    assert_eq!(seen.version(), 2, "{seen:?}");
    // Its turn is over, one way or the other: a refusal may end it as cancelled.
    assert!(["end_turn", "cancelled"].contains(&seen.stop()), "{seen:?}");
    (scene, seen)
}

#[test]
fn given_claude_code_and_a_rule_that_allows_then_it_happens_and_the_client_is_not_asked() {
    let (scene, seen) = claude("[rules]\nallow = [\"shell(touch ran.txt)\"]\n", Says::No);
    assert!(scene.has("ran.txt") && seen.asked().is_empty(), "{seen:?}");
}

#[test]
fn given_claude_code_and_no_rule_then_the_client_is_asked_and_what_it_allows_happens() {
    let (scene, seen) = claude("", Says::Yes);
    assert!(scene.has("ran.txt") && seen.asked().len() == 1, "{seen:?}");
    assert!(
        seen.asked()[0]["asked"]["title"].as_str().unwrap().starts_with("shell(touch ran.txt)"),
        "{seen:?}"
    );
    let unasked = scene.record().into_iter().filter(|entry| entry["kind"] == "unasked").count();
    assert_eq!(unasked, 0, "{seen:?}");
}

#[test]
fn given_claude_code_and_no_rule_then_what_the_client_denies_does_not_happen() {
    let (scene, seen) = claude("", Says::No);
    assert!(!scene.has("ran.txt") && seen.asked().len() == 1, "{seen:?}");
    assert!(!seen.statuses().contains(&"completed"), "{seen:?}");
}

#[test]
fn given_claude_code_and_a_rule_that_denies_then_it_does_not_happen_and_the_client_is_not_asked() {
    let (scene, seen) = claude("[rules]\ndeny = [\"shell(touch *)\"]\n", Says::Yes);
    assert!(!scene.has("ran.txt") && seen.asked().is_empty(), "{seen:?}");
}

/// Each hop speaks what both of its ends do: without the setting that is version 1, which this client does not speak.
#[test]
fn given_no_setting_then_version_two_is_not_spoken() {
    let scene = Scene::new(Agent::Claude, "");
    let seen = scene.run(Client::Preview, Way::Mayi, Says::Yes, "run once");
    assert!(seen.raised() && !scene.has("ran.txt"), "{seen:?}");
}

/// The SDK's own agent behind mayi, in the mode of its own in which it is said to ask.
fn run(options: &[&str], says: Says, steps: &Value) -> (Machine, Seen) {
    let machine = Machine::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("acp/agent_v2.mjs");
    let words = [PathBuf::from("node"), script, installed()].map(|word| word.display().to_string());
    let agent = format!("[agents.peer]\ncommand = {}\nasking_mode = \"careful\"\n", json!(words));
    machine.configuration("home/.config/mayi/config.toml", &format!("{SETTING}{agent}"));
    let program = agent::mayi().display().to_string();
    let mayi: Vec<String> =
        [&*program, "acp", "peer"].iter().chain(options).map(|word| (*word).to_owned()).collect();
    let prompt = steps.to_string();
    let (lines, code) = Client::Preview.run(&machine.outside("home"), &machine.work(), &mayi, &prompt, says);
    let seen = Seen::new(lines, code);
    assert_eq!((seen.version(), seen.stop()), (2, "end_turn"), "{seen:?}");
    // On its own side too.
    assert_eq!(said(&seen)[0], json!(["version", 2]), "{seen:?}");
    machine.is_quiet();
    (machine, seen)
}

/// What the agent has said, a value for each step.
fn said(seen: &Seen) -> Vec<Value> {
    seen.said().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the agent was answered, step by step.
fn picked(seen: &Seen) -> Vec<Value> {
    said(seen).into_iter().skip(1).map(|step| step[2].clone()).collect()
}

fn made(machine: &Machine) -> Vec<String> {
    machine.files().into_iter().collect()
}

fn options(question: &Value) -> Vec<&str> {
    question["options"].as_array().unwrap().iter().filter_map(|option| option["optionId"].as_str()).collect()
}

const RULES: &[&str] = &["--allow", "shell(touch free*)", "--deny", "shell(touch denied*)"];

fn both(name: &str) -> [Value; 2] {
    [json!(["tool", format!("touch {name}-tool")]), json!(["command", format!("touch {name}-line")])]
}

/// Both kinds of subject. D6.26: mayi's own allow and deny pick the agent's options for once.
#[test]
fn given_rules_then_tool_calls_and_commands_are_allowed_and_denied_and_the_client_is_not_asked() {
    // It would say the opposite.
    let (machine, seen) = run(RULES, Says::No, &json!(both("free")));
    assert_eq!((picked(&seen), seen.asked().len()), (vec![json!("once"); 2], 0), "{seen:?}");
    assert_eq!(made(&machine), ["free-line", "free-tool"]);
    let (machine, seen) = run(RULES, Says::Yes, &json!(both("denied")));
    assert_eq!((picked(&seen), seen.asked().len()), (vec![json!("no"); 2], 0), "{seen:?}");
    assert_eq!(made(&machine), [""; 0]);
}

/// The question is mayi's, with the agent's subject; its state `requires_action` comes to the client for each.
#[test]
fn given_no_rule_then_the_client_is_asked_in_mayis_words_and_its_answer_holds() {
    for (says, answer, files) in
        [(Says::Yes, "once", vec!["asked-line", "asked-tool"]), (Says::No, "no", vec![])]
    {
        let (machine, seen) = run(RULES, says, &json!(both("asked")));
        assert_eq!(picked(&seen), [answer, answer], "{seen:?}");
        assert_eq!(made(&machine), files);
        let asked = seen.asked();
        assert_eq!(asked.len(), 2, "{seen:?}");
        for (question, kind, of) in [(asked[0], "tool_call", "tool"), (asked[1], "command", "line")] {
            assert_eq!(question["asked"]["title"], format!("shell(touch asked-{of})"));
            assert_eq!(question["asked"]["subject"]["type"], kind);
            assert!(question["asked"]["description"].to_string().contains("mayi asks:"), "{question}");
            let ids = options(question);
            // Neither the one that allows for longer than it says, nor one of a kind that nobody knows.
            assert!(ids[0] == "once" && !ids.contains(&"new") && !ids.contains(&"always"), "{ids:?}");
        }
        assert_eq!(
            seen.states(),
            ["running", "requires_action", "running", "requires_action", "running", "idle"]
        );
    }
}

/// A subject that nobody knows is a person's, once, whatever mode and rules say. Attack 440.
#[test]
fn given_a_subject_of_no_known_kind_then_no_rule_and_no_mode_allows_it() {
    for (says, answer) in [(Says::No, "no"), (Says::Yes, "once")] {
        let (_, seen) = run(&["--mode", "auto", "--allow", "*"], says, &json!([["spend", 5]]));
        assert_eq!((picked(&seen), seen.asked().len()), (vec![json!(answer)], 1), "{seen:?}");
        assert_eq!(options(seen.asked()[0]), ["once", "no"], "{seen:?}");
    }
}

/// S4.14: modes are options in version 2. The agent is put into the mode in which it asks before the client hears of its session; its
/// own switch is set back, and made again where the person agrees.
#[test]
fn given_a_mode_that_is_an_option_then_it_is_set_at_the_opening_and_the_agents_own_switch_is_set_back() {
    let (_, seen) = run(&[], Says::No, &json!([["mode", "free", 1]]));
    assert_eq!(picked(&seen), [json!(["careful"])], "{seen:?}");
    let configured = seen.configured();
    assert_eq!(
        (&configured[0]["configId"], &configured[0]["currentValue"]),
        (&json!("mode"), &json!("careful"))
    );
    assert_eq!(
        (&configured[1]["name"], &configured[1]["currentValue"]),
        (&json!("Permissions"), &json!("default"))
    );
    let (_, seen) = run(&[], Says::Yes, &json!([["mode", "free", 2]]));
    assert_eq!(picked(&seen), [json!(["careful", "free"])], "{seen:?}");
    assert_eq!(seen.asked()[0]["asked"]["title"], "mode(free)", "{seen:?}");
}
