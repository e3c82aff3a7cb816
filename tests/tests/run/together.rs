//! Several runs at the same time, in the same folder.

use mayi_tests::{Machine, is};
use rustix::process::Signal;

use crate::demo;

const STREAM: [&str; 2] = ["--format", "stream-json"];

/// Each has its own agent, session, rules, output and exit code.
#[test]
fn given_two_runs_in_one_folder_then_each_has_its_own_rules_and_result() {
    let machine = Machine::new();
    let run = |own: &str| {
        let prompt = format!(
            "demo: slow 1 ;; demo: write {own}.txt {own} ;; demo: write other-{own}.txt x ;; demo: say {own}"
        );
        demo(&machine, &prompt).args(STREAM).args(["--allow", &format!("write({own}.txt)")]).start()
    };
    let (left, right) = (run("left"), run("right"));
    left.until_it_tells("\"start\"", 1);
    right.until_it_tells("\"start\"", 1);
    let ended = [("left", left.end().exits(6)), ("right", right.end().exits(6))];
    let mut sessions = Vec::new();
    for (own, ended) in ended {
        let lines = ended.stream();
        let result = lines.last().unwrap();
        let session = &lines[0]["sessionId"];
        let strange = lines.iter().find(|line| is(line, "update") && line["sessionId"] != *session);
        assert!(
            strange.is_none() && result["text"].as_str().unwrap().ends_with(&format!("{own}\n")),
            "{ended}"
        );
        assert_eq!((&result["tally"]["allowed"], &result["tally"]["unanswered"]), (&1.into(), &1.into()));
        sessions.push(session.clone());
    }
    assert_ne!(sessions[0], sessions[1]);
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["left.txt", "right.txt"]);
    assert_eq!(machine.text("left.txt").as_deref(), Some("left\n"));
}

/// One that is interrupted takes no other with it.
#[test]
fn given_two_runs_then_interrupting_one_leaves_the_other_alone() {
    let machine = Machine::new();
    let long = demo(&machine, "demo: slow 60").args(STREAM).start();
    let short =
        demo(&machine, "demo: slow 2 ;; demo: write a.txt x").args(STREAM).args(["--allow", "*"]).start();
    long.until_it_tells("agent_message_chunk", 1);
    short.until_it_tells("agent_message_chunk", 1);
    long.signal(Signal::TERM);
    let _ = long.end().exits(130).stream();
    let _ = short.end().exits(0).stream();
    assert_eq!(machine.text("a.txt").as_deref(), Some("x\n"));
}

/// What they remember is whole whoever writes it last: an agent of its own for each, all at once.
#[test]
fn given_many_runs_that_end_together_then_the_memory_of_sessions_is_whole() {
    let machine = Machine::new();
    let runs: Vec<_> = (0..6).map(|at| demo(&machine, &format!("demo: say {at}")).start()).collect();
    for (at, run) in runs.into_iter().enumerate() {
        assert_eq!(run.end().exits(0).text(), format!("{at}\n"));
    }
    let text = std::fs::read_to_string(machine.outside("state/mayi/sessions.json")).unwrap();
    let memory: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(memory["sessions"].as_array().unwrap().len(), 1);
    let _ = demo(&machine, "demo: say again").args(["--continue"]).end().exits(0);
}
