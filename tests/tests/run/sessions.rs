//! Going on with earlier sessions: `--continue` and `--session`.

use mayi_tests::Machine;

use crate::{demo, rogue};

const JSON: [&str; 2] = ["--format", "json"];

fn id(result: &serde_json::Value) -> String {
    result["sessionId"].as_str().unwrap().to_owned()
}

/// `--continue`: this agent's last session in this folder. `--session ID`: that one.
#[test]
fn given_earlier_sessions_then_one_can_be_gone_on_with() {
    let machine = Machine::new();
    let first = id(&demo(&machine, "demo: say one").args(JSON).end().exits(0).result());
    let second = id(&demo(&machine, "demo: say two").args(JSON).end().exits(0).result());
    assert_ne!(first, second);
    let third = demo(&machine, "demo: say three").args(JSON).args(["--continue"]).end().exits(0).result();
    assert_eq!(id(&third), second);
    let fourth =
        demo(&machine, "demo: say four").args(JSON).args(["--session", &first]).end().exits(0).result();
    assert_eq!(id(&fourth), first);
    // That was the last one, now.
    let fifth = demo(&machine, "demo: say five").args(JSON).args(["--continue"]).end().exits(0).result();
    assert_eq!(id(&fifth), first);
}

/// The answer is the answer to this prompt, not all that was ever said.
#[test]
fn given_a_session_that_goes_on_then_earlier_answers_are_not_printed_again() {
    let machine = Machine::new();
    let _ = demo(&machine, "demo: say one").end().exits(0);
    let result = demo(&machine, "demo: say two").args(JSON).args(["--continue"]).end().exits(0).result();
    assert_eq!(result["text"], "two\n");
    assert_eq!(demo(&machine, "demo: say three").args(["--continue"]).end().exits(0).text(), "three\n");
}

/// Rules hold for a session that goes on as for a new one.
#[test]
fn given_a_session_that_goes_on_then_the_rules_of_this_run_hold() {
    let machine = Machine::new();
    let _ = demo(&machine, "demo: run touch a.txt").args(["--allow", "*"]).end().exits(0);
    let _ = demo(&machine, "demo: run touch b.txt").args(["--continue"]).end().exits(6);
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["a.txt"]);
}

/// "2 usage": there is none for this agent, or in this folder.
#[test]
fn given_no_earlier_session_then_2() {
    let machine = Machine::new();
    let _ = demo(&machine, "demo: say one").end().exits(0);
    let other = machine.outside("other");
    std::fs::create_dir(&other).unwrap();
    let ended = demo(&machine, "demo: say two").args(["--continue"]).cwd(&other).end().exits(2);
    let _ = ended.says("no earlier session of demo");
    let _ = rogue(&machine, &["updates", "1"]).args(["--continue"]).end().exits(2).says("no earlier session");
}

/// "4 agent ... failed": it has no such session, or can't go on with any.
#[test]
fn given_a_session_that_the_agent_does_not_know_then_4() {
    let machine = Machine::new();
    let ended = demo(&machine, "demo: say one").args(["--session", "demo-nothing"]).end().exits(4);
    let _ = ended.says("no such session");
    let ended = rogue(&machine, &["updates", "1"]).args(["--session", "x"]).end().exits(4);
    let _ = ended.says("to go on with an earlier session").says("start without --continue and --session");
}

/// The demo agent keeps its sessions where its own variable says, if the user sets it for the agent.
#[test]
fn given_a_place_for_the_demo_agents_sessions_then_they_are_kept_there() {
    let machine = Machine::new();
    let place = machine.outside("kept");
    let toml = format!("[agents.demo]\nenv = {{ MAYI_DEMO_STATE = \"{}\" }}\n", place.display());
    let machine = machine.user(&toml);
    let first = id(&demo(&machine, "demo: say one").args(JSON).end().exits(0).result());
    assert!(place.join(format!("{first}.json")).is_file());
    assert!(!machine.outside("state/mayi/agents/demo/sessions").exists());
    let again = demo(&machine, "demo: say two").args(JSON).args(["--continue"]).end().exits(0).result();
    assert_eq!(id(&again), first);
}

/// A damaged memory costs `--continue`, and nothing else.
#[test]
fn given_a_damaged_memory_of_sessions_then_a_new_one_still_opens() {
    let machine = Machine::new();
    machine.configuration("state/mayi/sessions.json", "{\"sessions\": [");
    let _ = demo(&machine, "demo: say one").args(["--continue"]).end().exits(2);
    let _ = demo(&machine, "demo: say one").end().exits(0);
    let _ = demo(&machine, "demo: say two").args(["--continue"]).end().exits(0);
}
