//! `--format`: what is on standard output, and nothing else is.
//!
//! S1.1: Data goes to stdout, everything else to stderr ... one stable, documented, versioned shape.

use mayi_tests::{Ended, Machine, is};
use serde_json::{Value, json};

use crate::{ROGUE, count, demo, each, rogue};

const STREAM: [&str; 2] = ["--format", "stream-json"];

/// Behaviours of agents that have to be ended.
const ENDLESS: [(&[&str], i32); 2] = [(&["silent-prompt"], 124), (&["ignore-cancel"], 124)];

/// The others, with their arguments and the exit code.
const BEHAVIOURS: [(&[&str], i32); 31] = [
    (&["ask-after-cancel"], 124),
    (&["updates", "2000"], 0),
    (&["big", "1000000"], 0),
    (&["big-ask", "1000000"], 6),
    (&["invalid-json"], 4),
    (&["invalid-json-early"], 6),
    (&["not-jsonrpc"], 4),
    (&["batch"], 4),
    (&["garbage-bytes"], 4),
    (&["unknown-method"], 0),
    (&["duplicate-responses"], 0),
    (&["die"], 4),
    (&["die-asking"], 4),
    (&["dup-keys"], 5),
    (&["lone-surrogate"], 5),
    (&["no-options"], 6),
    (&["dup-options"], 6),
    (&["no-allow"], 6),
    (&["only-always"], 6),
    (&["switch-options"], 6),
    (&["unknown-kind"], 6),
    (&["id-only"], 6),
    (&["cancel-own"], 6),
    (&["late-ask"], 6),
    (&["wrong-session"], 6),
    (&["two-asks"], 6),
    (&["many-asks", "70"], 6),
    (&["ansi"], 5),
    (&["side-write", "a.txt", "x"], 6),
    (&["side-read", "a.txt"], 0),
    (&["side-run", "touch", "b.txt"], 6),
];

/// Runs each of them, and checks what came of it.
fn with_each(cases: &[(&[&str], i32)], options: &[&str], check: impl Fn(&[&str], Ended) + Sync) {
    each(cases, |(behaviour, code)| {
        let limit = if *code == 124 { "2s" } else { "50s" };
        let machine = Machine::new();
        let ended = rogue(&machine, behaviour).args(["--timeout", limit]).args(options).end();
        check(behaviour, ended.exits(*code));
    });
}

/// Every line is JSON from start to end, whatever the agent does and also when it dies in the middle; the first is of
/// type `start`, and the last of type `result`, with the exit code of the process.
#[test]
fn given_any_misdeed_then_the_stream_is_json_from_its_start_to_its_result() {
    with_each(&[&ENDLESS[..], &BEHAVIOURS].concat(), &STREAM, |behaviour, ended| {
        let lines = ended.stream();
        assert!(is(&lines[0], "start"), "{behaviour:?}: {ended}");
        assert_eq!(lines.iter().filter(|line| is(line, "start")).count(), 1, "{behaviour:?}: {ended}");
        assert_eq!((&lines[0]["version"], &lines[0]["sessionId"]), (&1.into(), &"rogue-1".into()));
    });
}

/// One object, whatever the agent does.
#[test]
fn given_any_misdeed_then_json_is_one_object_with_the_exit_code() {
    with_each(&BEHAVIOURS, &["--format", "json"], |behaviour, ended| {
        let result = ended.result();
        let broke = ended.code == Some(4) || ended.code == Some(124);
        assert_eq!(result["error"].is_string(), broke, "{behaviour:?}: {result}");
    });
}

/// Attack 25: what is shown has no escape sequence and nothing that hides or turns text; and nothing panics.
#[test]
fn given_any_misdeed_then_standard_error_is_plain_text() {
    with_each(&BEHAVIOURS, &["-v"], |behaviour, ended| {
        let bad = |c: char| {
            (c.is_control() && c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        };
        assert!(!ended.err.contains(bad), "{behaviour:?}: {ended}");
    });
}

/// The stream starts with `start` and ends with `result` also where there never was a session.
#[test]
fn given_an_agent_that_never_opens_a_session_then_the_stream_still_has_both_ends() {
    let missing = |machine: &Machine| machine.mayi(["run", "--command", "no-such-agent", "hi"]);
    for (which, code) in [("die-early", 4), ("silent", 124), ("missing", 4)] {
        let machine = Machine::new();
        let mayi = if which == "missing" { missing(&machine) } else { rogue(&machine, &[which]) };
        let ended = mayi.args(STREAM).args(["--timeout", "500ms"]).end().exits(code);
        let lines = ended.stream();
        assert!(lines.last().unwrap()["error"].is_string(), "{ended}");
        assert!(is(&lines[0], "start"), "{which}: {ended}");
    }
}

/// What mayi has to say about the configuration does not come before the first line either.
#[test]
fn given_a_notice_then_the_stream_still_begins_with_start() {
    let machine = Machine::new().file(".mayi.toml", "[rules]\nallow = [\"*\"]\n");
    let ended = demo(&machine, "demo: say hi").args(STREAM).end().exits(0);
    let lines = ended.stream();
    assert!(
        lines.iter().any(|line| is(line, "notice") && line["text"].as_str().unwrap().contains(".mayi.toml"))
    );
    assert!(is(&lines[0], "start"), "{ended}");
}

/// D5.6: every surface says so: also the one that prints a single object.
#[test]
fn given_a_notice_and_json_then_it_is_not_lost() {
    let machine = Machine::new().file(".mayi.toml", "[rules]\nallow = [\"*\"]\n");
    let ended = demo(&machine, "demo: say hi").args(["--format", "json"]).end().exits(0);
    let _ = ended.result();
    assert!(ended.text().contains("allow rule") || ended.err.contains("allow rule"), "{ended}");
}

/// What was decided is between the ends: what the policy said, in the order of the calls.
#[test]
fn given_decisions_then_they_are_in_the_stream() {
    let machine = Machine::new();
    let options = ["--allow", "write(a.txt)", "--deny", "shell(touch *)"];
    let lines = rogue(&machine, &["two-asks"]).args(STREAM).args(options).end().exits(5).stream();
    let decided: Vec<Value> = lines
        .iter()
        .filter(|line| is(line, "decision"))
        .map(|line| {
            json!([line["toolCallId"], line["decision"]["effect"], line["decision"]["trail"][0]["pattern"]])
        })
        .collect();
    let expected =
        [json!(["edit-a.txt", "allow", "write(a.txt)"]), json!(["execute-1", "deny", "shell(touch *)"])];
    assert_eq!(decided, expected);
}

/// S2.4: cards, and how each was settled, are in the stream too.
#[test]
fn given_cards_then_they_are_in_the_stream_until_they_are_settled() {
    let machine = Machine::new();
    let waits = ["--on-ask", "wait", "--approval-timeout", "300ms"];
    let lines = rogue(&machine, &["two-asks"]).args(STREAM).args(waits).end().exits(6).stream();
    let of = |kind: &str| lines.iter().filter(|line| is(line, kind)).collect::<Vec<_>>();
    let (asked, resolved) = (of("approval-request"), of("approval-resolved"));
    assert_eq!((asked.len(), resolved.len()), (2, 2));
    let titles: Vec<&Value> = asked.iter().map(|card| &card["toolCall"]["title"]).collect();
    assert_eq!(titles, ["Write a.txt", "touch b.txt"]);
    for card in asked {
        assert_eq!((&card["state"], &card["sessionId"]), (&"pending".into(), &"rogue-1".into()));
        assert!(card["digest"].is_string() && card["expiresAt"].is_string(), "{card}");
        let id = &card["approvalId"];
        assert!(
            resolved.iter().any(|line| line["approvalId"] == *id && line["state"] == "expired"),
            "{lines:?}"
        );
    }
}

/// `onAsk` says what becomes of a question, in the words of the option.
#[test]
fn given_what_becomes_of_a_question_then_the_start_says_it_in_the_options_words() {
    for word in ["deny", "wait"] {
        let machine = Machine::new();
        let options = ["--on-ask", word, "--approval-timeout", "5s"];
        let lines = demo(&machine, "demo: say hi").args(STREAM).args(options).end().exits(0).stream();
        assert_eq!(lines[0]["onAsk"], word);
    }
}

/// The result has the agent's words and the counts; the same in both formats.
#[test]
fn given_an_ending_then_the_result_tells_how() {
    let machine = Machine::new();
    for format in ["json", "stream-json"] {
        let options = ["--format", format, "--allow", "write(two.txt)", "--deny", "shell(touch *)"];
        let lines = demo(&machine, "demo: two").args(options).end().exits(5).stream();
        let result = lines.last().unwrap();
        assert_eq!((&result["version"], &result["stopReason"]), (&1.into(), &"end_turn".into()));
        assert!(result["sessionId"].as_str().unwrap().starts_with("demo-") && result["error"].is_null());
        assert!(result["text"].as_str().unwrap().ends_with("touch ran.txt: not allowed.\ntwo.txt: done.\n"));
        assert_eq!((count(result, "allowed"), count(result, "denied")), (1, 1));
    }
}

/// In text, standard output has the agent's words and nothing else, also when the agent dies.
#[test]
fn given_text_then_standard_output_is_what_the_agent_said() {
    let machine = Machine::new();
    for (behaviour, code, words) in
        [("die", 4, "I was about to"), ("invalid-json", 4, "before"), ("batch", 4, "")]
    {
        let ended = rogue(&machine, &[behaviour]).end().exits(code);
        assert_eq!(ended.text().trim_end(), words);
    }
    // It is passed on as it is, since no terminal reads it.
    let ended =
        rogue(&machine, &["ansi"]).end().exits(5).tells("\u{1b}[31mAll is well\u{1b}[0m \u{202e}txt.exe");
    assert!(!ended.text().contains("denied"), "{ended}");
}

/// What the agent itself writes to its standard error is not on standard output.
#[test]
fn given_an_agent_with_words_on_standard_error_then_they_are_no_data() {
    let machine = Machine::new();
    let line = mayi_tests::command_line(["sh", "-c", &format!("echo loud >&2; exec '{ROGUE}' updates 1")]);
    let run = || machine.mayi(["run", "--command", &line, "hi"]);
    let ended = run().end().exits(0);
    assert_eq!(ended.text().trim_end(), "update 1");
    // All that is said there is mayi's own word about an agent that nobody has tried.
    assert!(
        ended.err.starts_with("! not known whether") && ended.err.trim_end().lines().count() == 1,
        "{ended}"
    );
    let _ = run().args(["-v"]).end().exits(0).says("agent: loud");
    let lines = run().args(STREAM).end().exits(0).stream();
    assert!(lines.iter().any(|line| is(line, "stderr") && line["text"] == "loud"), "{lines:?}");
}
