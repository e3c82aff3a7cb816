//! Agents that misbehave: a clear message, no hang, no panic, the right exit code, and the right answers to the agent,
//! which tells them.

use std::fmt::Write as _;

use mayi_tests::Machine;

use crate::wire::filtered;
use crate::{count, each, picked, rogue};

const CANCELLED: &str = r#"ask 0 -> {"outcome":"cancelled"}"#;
const ANYTHING: [&str; 4] = ["--mode", "auto", "--allow", "*"];

/// Nothing is lost, and nothing is out of order, of a hundred thousand messages.
#[test]
fn given_a_flood_of_messages_then_all_of_them_are_printed_in_order() {
    let mut expected = String::new();
    for number in 1..=100_000 {
        write!(expected, "update {number} ").unwrap();
    }
    let ended = rogue(&Machine::new(), &["updates", "100000"]).end().exits(0);
    assert!(ended.text().trim_end() == expected.trim_end(), "{ended}");
}

/// A message of 16 MiB is printed whole.
#[test]
fn given_a_huge_message_then_it_is_printed_whole() {
    let ended = rogue(&Machine::new(), &["big", "16777216"]).end().exits(0);
    assert_eq!(ended.text().trim_end().len(), 16 * 1024 * 1024);
    let options = ["--format", "stream-json"];
    let lines = rogue(&Machine::new(), &["big", "16777216"]).args(options).end().exits(0).stream();
    assert_eq!(lines.last().unwrap()["text"].as_str().unwrap().len(), 16 * 1024 * 1024);
}

/// Attack 25: a huge argument is judged as any other, and does not flood the terminal.
#[test]
fn given_a_huge_argument_then_it_is_judged_and_not_printed() {
    let ended = rogue(&Machine::new(), &["big-ask", "16777216"]).end().exits(6).tells(&picked(0, "reject"));
    assert!(ended.err.len() < 10_000, "{}", ended.err.len());
    let allowed = ["--allow", "shell(touch b.txt)"];
    let _ = rogue(&Machine::new(), &["big-ask", "16777216"])
        .args(allowed)
        .end()
        .exits(0)
        .tells(&picked(0, "allow"));
    let waits = ["--on-ask", "wait", "--approval-timeout", "300ms"];
    let _ = rogue(&Machine::new(), &["big-ask", "16777216"])
        .args(waits)
        .end()
        .exits(6)
        .tells(&picked(0, "reject"));
}

/// A line longer than mayi reads is a broken protocol, and not the end of memory.
#[test]
fn given_a_line_without_end_then_4() {
    let ended = rogue(&Machine::new(), &["big", "100000000"]).end().exits(4);
    let _ = ended.says("the agent broke the protocol: a line longer than 64 MiB");
}

/// "4 agent ... failed or broke protocol": it says what the agent did, with its own words where there are some.
#[test]
fn given_an_agent_that_fails_or_breaks_the_protocol_then_4_and_why() {
    let cases = [
        ("die", "the agent ended in the middle of the turn (exit status: 3)"),
        ("die-asking", "the agent ended in the middle of the turn (exit status: 3)"),
        ("die-early", "the agent ended before it answered initialize (exit status: 1)"),
        ("die-early", "| rogue_agent: no configuration found"),
        ("invalid-json", r#"the agent broke the protocol: a line that is not JSON: {"jsonrpc": oops"#),
        ("not-jsonrpc", r#"the agent broke the protocol: no JSON-RPC 2.0 message: {"hello":"world"}"#),
        ("batch", "the agent broke the protocol: no JSON-RPC 2.0 message: [{"),
        ("garbage-bytes", "the agent broke the protocol: a line that is not UTF-8"),
    ];
    each(&cases, |(behaviour, says)| {
        let machine = Machine::new();
        let _ = rogue(&machine, &[behaviour]).args(ANYTHING).end().exits(4).says(says);
        assert!(machine.files().is_empty());
    });
}

/// Installers and wrappers speak on standard output too: before the first message that is forgiven.
#[test]
fn given_chatter_before_the_first_message_then_it_is_no_fault() {
    let ended = rogue(&Machine::new(), &["invalid-json-early"]).args(ANYTHING).end().exits(0);
    let ended = ended.tells(&picked(0, "allow"));
    assert!(!ended.text().contains("Loading"), "{ended}");
}

/// JSON-RPC: "-32601 Method not found". The turn goes on.
#[test]
fn given_unknown_methods_then_each_is_answered_with_an_error() {
    let ended = rogue(&Machine::new(), &["unknown-method"]).end().exits(0);
    let _ = ended.tells("_vendor/thing -> error -32601").tells("bogus/method -> error -32601");
}

/// Answers that nobody waits for change nothing.
#[test]
fn given_answers_to_nothing_then_they_are_ignored() {
    let _ = rogue(&Machine::new(), &["duplicate-responses"]).end().exits(0);
}

/// The command line's own help: "-v decisions and the agent's own words, -vv and -vvv what mayi does". So without `-v`
/// there are mayi's own messages on standard error, and no log.
#[test]
fn given_odd_messages_then_no_log_is_printed_without_v() {
    for behaviour in
        [&["unknown-method"][..], &["duplicate-responses"], &["side-read", "nothing.txt"], &["dup-keys"]]
    {
        let ended = rogue(&Machine::new(), behaviour).end();
        assert!(!ended.err.contains("WARN") && !ended.err.contains("::"), "{ended}");
    }
}

/// Attack 25: also a name of a method is the agent's text, and is never shown raw.
#[test]
fn given_a_method_with_escapes_in_its_name_then_they_are_not_printed() {
    let bad = r#"case $line in *bogus/method*) line=$(printf '%s' "$line" | sed 's,bogus/method,\\u001b[2J\\u202e\\u0007,');; esac"#;
    for options in [&[][..], &["-v"], &["-vv"]] {
        let ended = filtered(&Machine::new(), &["unknown-method"], bad).args(options).end().exits(0);
        let ended = ended.tells("\u{1b}[2J\u{202e}\u{7} -> error -32601");
        assert!(!ended.err.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{ended}");
    }
}

/// Attack 14: "duplicate JSON keys, `1e400`, lone surrogates in arguments: refused", whatever is allowed.
#[test]
fn given_a_message_that_can_be_read_in_two_ways_then_it_is_refused() {
    for behaviour in ["dup-keys", "lone-surrogate"] {
        for options in [&[][..], &ANYTHING] {
            let ended = rogue(&Machine::new(), &[behaviour]).args(options).end().exits(5);
            let _ = ended.tells("ask 0 -> error -32602").says("was refused");
        }
    }
}

/// D6.26: if none was offered it asks, and with nobody to ask denies ... A denial picks a
/// `reject_once`...; none: `cancelled`. An id that stands for two options says nothing.
#[test]
fn given_no_option_that_can_be_picked_then_cancelled() {
    for behaviour in ["no-options", "dup-options"] {
        for options in [&[][..], &ANYTHING] {
            let ended = rogue(&Machine::new(), &[behaviour]).args(options).end().exits(6);
            let _ = ended.tells(CANCELLED).says("needed a person, whatever the rules");
        }
    }
}

/// D6.26: mayi's own allow picks only `allow_once`; if none was offered it asks, and with nobody to ask
/// denies.
#[test]
fn given_no_option_that_allows_once_then_it_is_rejected_whatever_the_rules() {
    for behaviour in ["no-allow", "only-always"] {
        for options in [&[][..], &ANYTHING] {
            let ended = rogue(&Machine::new(), &[behaviour]).args(options).end().exits(6);
            let _ = ended
                .tells(&picked(0, "reject"))
                .says("the agent offers no option that allows just this once");
        }
    }
}

/// D6.28: mode switches are never picked automatically.
#[test]
fn given_a_mode_switch_among_the_options_then_it_is_never_picked() {
    let cases: [(&[&str], i32, &str); 4] =
        [(&ANYTHING, 0, "yes"), (&["--allow", "*"], 0, "yes"), (&[], 6, "no"), (&["--deny", "*"], 5, "no")];
    for (options, code, option) in cases {
        let ended = rogue(&Machine::new(), &["switch-options"]).args(options).end().exits(code);
        let ended = ended.tells(&picked(0, option));
        assert!(!ended.text().contains("bypassPermissions"), "{ended}");
    }
}

/// An option of a kind that the protocol does not know is never picked.
#[test]
fn given_an_option_of_an_unknown_kind_then_the_known_ones_are_picked() {
    let _ =
        rogue(&Machine::new(), &["unknown-kind"]).args(ANYTHING).end().exits(0).tells(&picked(0, "allow"));
    let _ = rogue(&Machine::new(), &["unknown-kind"]).end().exits(6).tells(&picked(0, "reject"));
}

/// D1.5: A request that carries only an id is merged with the earlier updates of that id.
#[test]
fn given_a_request_with_only_an_id_then_what_was_announced_is_judged() {
    let allowed = ["--allow", "write(a.txt)"];
    let _ = rogue(&Machine::new(), &["id-only"]).args(allowed).end().exits(0).tells(&picked(0, "allow"));
    let denied = ["--allow", "*", "--deny", "write(a.txt)"];
    let _ = rogue(&Machine::new(), &["id-only"]).args(denied).end().exits(5).tells(&picked(0, "reject"));
    let _ = rogue(&Machine::new(), &["id-only"]).end().exits(6).says("/a.txt) — write in default mode");
}

/// D6.22: `$/cancel_request` cancel what waits.
#[test]
fn given_a_request_that_is_withdrawn_then_it_is_cancelled_and_nobody_is_missed() {
    let waits = ["--on-ask", "wait", "--approval-timeout", "30s"];
    let ended = rogue(&Machine::new(), &["cancel-own"]).args(waits).end().exits(0).tells(CANCELLED);
    assert!(ended.took.as_secs() < 20, "{ended}");
}

/// Some agents go on after the end of their turn: what comes right behind it is answered all the same.
#[test]
fn given_a_question_right_after_the_turn_then_it_is_answered() {
    let _ = rogue(&Machine::new(), &["late-ask"]).end().exits(6).tells(&picked(0, "reject"));
    let _ = rogue(&Machine::new(), &["late-ask"]).args(ANYTHING).end().exits(0).tells(&picked(0, "allow"));
}

/// D4.27: An unknown session belongs to the connection's root session.
#[test]
fn given_another_session_then_the_rules_of_the_root_session_hold() {
    let machine = Machine::new();
    let rogue = || rogue(&machine, &["wrong-session"]);
    let _ = rogue().end().exits(6).tells(&picked(0, "reject"));
    let _ = rogue().args(["--allow", "shell(touch b.txt)"]).end().exits(0).tells(&picked(0, "allow"));
    let _ = rogue().args(["--mode", "plan", "--allow", "*"]).end().exits(5).tells(&picked(0, "reject"));
}

/// A call of two things at once: each is judged by itself, in any order.
#[test]
fn given_two_questions_at_once_then_each_has_its_own_answer() {
    let options = ["--allow", "write(a.txt)"];
    let ended = rogue(&Machine::new(), &["two-asks"]).args(options).end().exits(6);
    let _ = ended.tells(&picked(0, "allow")).tells(&picked(1, "reject"));
    let options = ["--allow", "shell(touch b.txt)"];
    let ended = rogue(&Machine::new(), &["two-asks"]).args(options).end().exits(6);
    let _ = ended.tells(&picked(0, "reject")).tells(&picked(1, "allow"));
}

/// D6.21: The agent always gets exactly one reply, whatever happens.
#[test]
fn given_a_thousand_questions_then_each_is_answered() {
    let options = ["--format", "json"];
    let result = rogue(&Machine::new(), &["many-asks", "1000"]).args(options).end().exits(6).result();
    let text = result["text"].as_str().unwrap().to_owned();
    assert!((0..1000).all(|ask| text.matches(&picked(ask, "reject")).count() == 1), "{text}");
    assert_eq!(count(&result, "unanswered"), 1000);
}

/// Attack 25: "a thousand requests: capped". D6.5: 64 cards of a session are shown at once; up to 500 more
/// wait in line ...; past that they are denied with a reason.
#[test]
fn given_many_questions_that_wait_then_64_are_shown_500_stand_in_line_and_more_are_denied() {
    let machine = Machine::new();
    let waits = ["--format", "stream-json", "--on-ask", "wait", "--timeout", "50s"];
    let running = rogue(&machine, &["many-asks", "600"]).args(waits).start();
    running.until_it_tells(r#"{"type":"approval-request""#, 64);
    running.until_it_tells(r#""text":"ask "#, 36);
    running.signal(rustix::process::Signal::INT);
    let ended = running.end().exits(130);
    let lines = ended.stream();
    let result = lines.last().unwrap();
    assert_eq!((count(result, "denied"), count(result, "cancelled")), (36, 564));
    assert_eq!(ended.text().matches(r#"{"type":"approval-request""#).count(), 64);
}

/// Attack 25: "ANSI, bidirectional text ... escaped", and what is dangerous in such a line is found all the same.
#[test]
fn given_escapes_around_a_command_then_it_is_shown_escaped_and_denied() {
    for options in [&[][..], &ANYTHING] {
        let ended =
            rogue(&Machine::new(), &["ansi"]).args(options).end().exits(5).tells(&picked(0, "reject"));
        let ended =
            ended.says(r"shell(ls \x1b[8m; rm -rf /\x1b[0m\u{200b} # \u{202e}sl)").says("would destroy");
        assert!(
            !ended.err.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{2066}', '\r', '\u{7}']),
            "{ended}"
        );
    }
}
