//! Nobody is there to ask: what the agent hears, and what a person reads afterwards.
//!
//! S1.8: `--on-ask prompt|deny|wait` (default: `prompt` with a terminal, else `deny`).

use mayi_core::call::shell;
use mayi_tests::{Ended, Machine};

use crate::{count, demo, each, picked, rogue};

/// The options that standard error gives to copy, as a shell would read them.
fn advised(ended: &Ended) -> Vec<String> {
    let lines = ended.err.lines().filter(|line| line.starts_with("  --allow "));
    lines.flat_map(|line| shell::split_words(line.trim()).unwrap()).collect()
}

/// A denial "picks a `reject_once` that lets the turn go on": ACP's `cancelled` "means the turn is gone" (D6.22).
#[test]
fn given_no_terminal_then_what_would_be_asked_is_rejected_and_the_turn_goes_on() {
    for options in [&[][..], &["--on-ask", "deny"]] {
        let machine = Machine::new();
        let ended = rogue(&machine, &["two-asks"]).args(options).end().exits(6);
        let ended = ended.tells(&picked(0, "reject")).tells(&picked(1, "reject"));
        assert!(!ended.text().contains("cancelled"), "{ended}");
    }
}

/// Standard error says which rule would have allowed it; and with exactly that rule it is allowed.
#[test]
fn given_the_advice_that_was_printed_then_following_it_allows_the_same() {
    let cases: [&[&str]; 13] = [
        &["two-asks"],
        &["id-only"],
        &["many-asks", "5"],
        &["side-write", "plain.txt", "x"],
        &["side-write", "sub/two words.txt", "x"],
        &["side-write", "it's.txt", "x"],
        &["side-write", "a[1]*?{b,c}.txt", "x"],
        &["side-write", "!ünï)(.txt", "x"],
        &["side-run", "touch", "a b.txt"],
        &["side-run", "touch", "it's \"it\""],
        &["side-run", "touch", "back\\slash"],
        &["side-run", "sh", "-c", "touch from-a-shell"],
        &["side-run", "/bin/mkdir", "$HOME"],
    ];
    each(&cases, |behaviour| {
        let machine = Machine::new();
        let advised = advised(&rogue(&machine, behaviour).end().exits(6));
        assert!(!advised.is_empty(), "{behaviour:?}");
        assert!(machine.files().is_empty(), "{behaviour:?}: {:?}", machine.files());
        let ended = rogue(&machine, behaviour).args(&advised).end().exits(0);
        assert!(!ended.text().contains("error"), "{ended}");
    });
}

/// The same for kinds of calls that only the demo agent makes.
#[test]
fn given_the_advice_for_the_demo_agent_then_following_it_allows_the_same() {
    let prompts = [
        "demo: tour",
        "demo: two",
        "demo: fetch https://example.org/a?b=c",
        "demo: mcp everything echo {\"message\": \"hi\"}",
        "demo: subagent",
        "demo: run touch -- -x",
    ];
    each(&prompts, |prompt| {
        let machine = Machine::new();
        let mut options = Vec::new();
        // What was not allowed keeps the tour from asking for more: a few rounds, and then there is nothing left.
        for _ in 0..4 {
            let ended = demo(&machine, prompt).args(&options).end();
            if ended.code == Some(0) {
                break;
            }
            let more = advised(&ended.exits(6));
            assert!(!more.is_empty(), "{prompt}");
            options.extend(more);
        }
        let _ = demo(&machine, prompt).args(&options).end().exits(0);
    });
}

/// D4.5: An explicit allow ... silences a plain protection ask, not one with `always`: then no rule is
/// recommended, but a person.
#[test]
fn given_what_always_asks_then_it_says_that_it_needs_a_person() {
    for prompt in ["demo: write .git/hooks/pre-commit x", "demo: mode", "demo: run PATH=. touch a"] {
        let machine = Machine::new();
        let ended = demo(&machine, prompt).args(["--allow", "*"]).end().exits(6);
        let ended = ended.says("1 needed a person, whatever the rules: run it in a terminal");
        assert_eq!(advised(&ended), [""; 0], "{ended}");
        assert!(machine.files().is_empty(), "{:?}", machine.files());
    }
}

/// D4.2: The strictest matching rule wins ... A written ask holds in every mode: no `--allow` helps, so
/// none is recommended.
#[test]
fn given_a_written_ask_then_no_rule_is_recommended() {
    let machine = Machine::new();
    let ended = rogue(&machine, &["side-write", "a.txt", "x"]).args(["--ask", "write(a.txt)"]).end().exits(6);
    let again = rogue(&machine, &["side-write", "a.txt", "x"]).args(["--ask", "write(a.txt)"]);
    if !advised(&ended).is_empty() {
        let _ = again.args(advised(&ended)).end().exits(0);
    }
    let _ = ended.says("needed a person");
}

/// D5.8: A bad untrusted file means: ask about everything there. No `--allow` helps.
#[test]
fn given_a_broken_workspace_file_then_no_rule_is_recommended() {
    let machine = Machine::new().file(".mayi.toml", "rules = [").file("a.txt", "text");
    let ended = rogue(&machine, &["side-read", "a.txt"]).args(["--allow", "*"]).end().exits(6);
    assert_eq!(advised(&ended), [""; 0], "{ended}");
    let _ = ended.says(".mayi.toml").says("needed a person");
}

/// D6.23: A time limit ... expires into a denial, never into ACP's `cancelled`.
#[test]
fn given_a_limit_for_answers_then_it_expires_into_a_denial() {
    let machine = Machine::new();
    let waits = ["--on-ask", "wait", "--approval-timeout", "300ms"];
    let ended = rogue(&machine, &["two-asks"]).args(waits).end().exits(6);
    let _ = ended.tells(&picked(0, "reject")).tells(&picked(1, "reject")).says("2 needed an answer");
}

/// What expired is not more than what nobody could answer: a rule would have allowed it.
#[test]
fn given_a_question_that_expired_then_the_rule_that_would_have_allowed_it_is_told() {
    let machine = Machine::new();
    let waits = ["--on-ask", "wait", "--approval-timeout", "300ms"];
    let ended = rogue(&machine, &["two-asks"]).args(waits).end().exits(6);
    let _ = rogue(&machine, &["two-asks"]).args(waits).args(advised(&ended)).end().exits(0);
}

/// The advice can be copied as it is: a name that can't be printed as it is, is not half of a rule.
#[test]
fn given_a_name_with_invisible_characters_then_the_advice_allows_it_or_is_not_given() {
    let machine = Machine::new();
    let behaviour = ["side-write", "a\u{202e}b.txt", "x"];
    let ended = rogue(&machine, &behaviour).end().exits(6);
    assert!(!ended.err.contains('\u{202e}'), "{ended}");
    let advised = advised(&ended);
    if !advised.is_empty() {
        let _ = rogue(&machine, &behaviour).args(advised).end().exits(0);
    }
}

/// `-q`: the answer alone, and what a script has to know when there was a problem.
#[test]
fn given_quiet_then_standard_error_is_empty_unless_there_was_a_problem() {
    let machine = Machine::new();
    let allowed = ["-q", "--allow", "*"];
    assert_eq!(demo(&machine, "demo: two").args(allowed).end().exits(0).err, "");
    let ended = demo(&machine, "demo: two").args(["-q"]).end().exits(6);
    assert!(!ended.err.contains("✗") && !advised(&ended).is_empty(), "{ended}");
}

/// A word that a pattern would read as more than itself is not advised as if it were only itself.
#[test]
fn given_a_star_as_a_word_then_no_rule_for_any_word_is_advised() {
    let machine = Machine::new();
    let ended = rogue(&machine, &["side-run", "touch", "*"]).end().exits(6);
    for advice in advised(&ended).iter().filter(|word| *word != "--allow") {
        let options = ["--allow", advice];
        let _ = rogue(&machine, &["side-run", "touch", "other.txt"]).args(options).end().exits(6);
    }
}

/// S1.2: one stable shape says the same to programs.
#[test]
fn given_json_then_the_result_has_the_same_advice() {
    let machine = Machine::new();
    let said = advised(&rogue(&machine, &["two-asks"]).end().exits(6));
    let result = rogue(&machine, &["two-asks"]).args(["--format", "json"]).end().exits(6).result();
    let rules: Vec<&str> =
        result["tally"]["would_allow"].as_array().unwrap().iter().flat_map(|rule| rule.as_str()).collect();
    assert_eq!(said, ["--allow", rules[0], "--allow", rules[1]]);
    assert_eq!((count(&result, "unanswered"), count(&result, "needs_person")), (2, 0));
    let hook =
        demo(&machine, "demo: write .git/hooks/x y").args(["--format", "json"]).end().exits(6).result();
    assert_eq!((count(&hook, "unanswered"), count(&hook, "needs_person")), (1, 1));
}
