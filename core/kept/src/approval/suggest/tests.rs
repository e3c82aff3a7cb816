use std::path::{Path, PathBuf};

use super::suggest_patterns;
use crate::approval::Card;
use mayi_call::shell::{self, Surroundings};
use mayi_call::{AgentId, Call, Door, SessionId};
use mayi_policy::grant::Grants;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Effect, Mode, Origin, Pattern, Policy, Protection, Rule, SessionStanding, decide};

fn call(line: &str) -> Call {
    let roots = vec![PathBuf::from("/w")];
    let at = Surroundings { home: Some(Path::new("/home/me")), ..Surroundings::new(Path::new("/w"), &roots) };
    Call {
        accesses: shell::line_accesses(line, &at),
        roots,
        kind: "execute".into(),
        raw_input: serde_json::Value::Null,
        ..Call::new(Door::AcpTerminal, AgentId::from_name("a"), SessionId("s".into()), "/w".into())
    }
}

fn policy(allows: &[String]) -> Policy {
    let places = PatternBases { home: Some("/home/me".into()), ..PatternBases::default() };
    let rule = |text: &String| Rule {
        effect: Effect::Allow,
        pattern: Pattern::parse(text, &places).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: "user" },
    };
    Policy {
        rules: allows.iter().map(rule).collect(),
        protection: Protection::built_in(&places, &[]).unwrap(),
        ..Policy::default()
    }
}

fn decided(policy: &Policy, call: &Call) -> mayi_policy::Decision {
    let grants = Grants::default();
    decide(
        policy,
        call,
        &SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &[] },
    )
}

fn suggested(line: &str) -> Vec<Vec<String>> {
    let call = call(line);
    suggest_patterns(&call, &decided(&policy(&[]), &call)).into_iter().map(|of| of.patterns).collect()
}

/// D6.10: Wider only through an offered pattern that the person sees; every one of them
/// does what it says.
#[test]
fn given_a_suggestion_that_is_taken_then_the_call_is_allowed() {
    for line in [
        "cargo test -p x",
        "make && make test",
        "FOO=bar make x",
        "git -C sub status",
        "cat /srv/x",
        "make > out.txt",
        "find . -exec touch {} \\;",
        "timeout 5 make",
        "cp a b",
    ] {
        let call = call(line);
        let all = suggested(line);
        assert!(!all.is_empty(), "{line}");
        for patterns in all {
            assert_eq!(decided(&policy(&patterns), &call).effect, Effect::Allow, "{line}: {patterns:?}");
        }
    }
}

/// D6.11: Suggestions for interpreters, shells, wrappers and scripts are exact text only.
#[test]
fn given_a_program_that_runs_others_then_only_its_exact_words_are_suggested() {
    assert_eq!(suggested("cargo test -p x"), [["shell(cargo test -p x)"], ["shell(cargo test *)"]]);
    assert_eq!(suggested("npm run lint"), [["shell(npm run lint)"]]);
    assert!(suggested("sudo make install").concat().iter().all(|text| !text.contains('*')));
}

/// The same of every program in the table that runs others, also with a version behind its name. Attack 56.
#[test]
fn given_any_interpreter_shell_wrapper_or_runner_then_only_its_exact_words_are_suggested() {
    let names = shell::program_names();
    let run_others: Vec<_> = names.iter().filter(|name| !shell::is_plain(name)).collect();
    assert!(run_others.len() > 200, "{}", run_others.len());
    for name in run_others {
        for version in ["", "3.11", "18"] {
            let line = format!("{name}{version} foo bar");
            let wide = |pattern: &String| pattern.starts_with("shell(") && pattern.contains('*');
            let wide = suggested(&line).concat().into_iter().find(wide);
            assert_eq!(wide, None, "{line}");
        }
    }
}

/// What always asks, and what is not known, is never offered.
#[test]
fn given_what_always_asks_then_nothing_is_suggested() {
    for line in ["PATH=. make", "$X y", "echo x > ~/.bashrc", "if", "make *"] {
        assert_eq!(suggested(line), [[""; 0]; 0], "{line}");
    }
}

/// Attack 241: what an interpreter is given to run is exactly that text, for which no pattern speaks.
#[test]
fn given_a_literal_program_on_the_input_then_no_rule_is_suggested() {
    for pattern in ["shell(python3 -)", "shell(python3 *)", "shell(*)", "*", "shell(/python3.*/)"] {
        let policy = policy(&[pattern.to_owned()]);
        for line in
            ["python3 - <<'EOF'\nprint(1)\nEOF", "python3 - <<< 'print(1)'", "echo 'print(1)' | python3 -"]
        {
            let call = call(line);
            assert_eq!(suggest_patterns(&call, &decided(&policy, &call)), Vec::new(), "{pattern}: {line}");
        }
    }
}

/// Attack 226: passing by a denied file is allowed by a person, once: nothing that lasts is offered.
#[cfg(unix)]
#[test]
fn given_a_search_that_passes_a_denied_path_then_only_this_once_is_offered() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::write(root.join(".env"), "KEY=1").unwrap();
    let roots = vec![root.clone()];
    let at = Surroundings::new(&root, &roots);
    let places = PatternBases { roots: roots.clone(), ..PatternBases::default() };
    let deny = Rule {
        effect: Effect::Deny,
        pattern: Pattern::parse("read(.env)", &places).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: "user" },
    };
    let policy = Policy { rules: std::iter::once(deny).collect(), ..Policy::default() };
    for line in ["grep -r KEY .", "rg -uu KEY", "grep -r KEY . | sort | uniq -c | head -5"] {
        let call = Call {
            accesses: shell::line_accesses(line, &at),
            cwd: root.clone(),
            roots: roots.clone(),
            ..call(line)
        };
        let card = Card::new(&call, &decided(&policy, &call), &[], 0, jiff::Timestamp::UNIX_EPOCH);
        let options: Vec<&str> = card.options.iter().map(|option| option.option_id.as_str()).collect();
        assert_eq!(options, ["allow_once", "deny"], "{line}");
    }
}
