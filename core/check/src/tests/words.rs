//! Reasons, word by word: of lines that people ran and did not know why they were asked.

use serde_json::json;

use super::Machine;
use mayi_core::policy::Effect;

/// A line, its mode, and what is said of it, with the access that it is said of.
type Row = (&'static str, &'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    ("make test", "default", &["shell(make test): execute in default mode"]),
    (
        "make test -C $X",
        "default",
        &[
            "shell(make test -C $X): the option -C works in another place",
            "write($X): `$X` is known only when the line runs, and could be a protected path, such as ~/.bashrc",
        ],
    ),
    (
        "ls $X",
        "default",
        &["read($X): `$X` is known only when the line runs, and could be a protected path, such as id_rsa"],
    ),
    (
        "cat $(git ls-files)",
        "plan",
        &[
            "shell(cat $(git ls-files)): plan mode: reading is allowed, but `$(git ls-files)` is known only when the line runs; `cat` is free with plain words in its place: name it, or say what you would do instead",
        ],
    ),
    (
        "make",
        "plan",
        &["shell(make): plan mode: execute is not done, only proposed; say what you would do instead"],
    ),
    (
        "find . -delete",
        "plan",
        &[
            "shell(find . -delete): plan mode: reading is allowed, but here the option -delete changes something: leave that out, or say what you would do instead",
        ],
    ),
    ("PATH=. make", "default", &["shell(PATH=. make): the variable PATH can change what runs"]),
    ("FOO=1 make", "default", &["shell(FOO=1 make): the variable FOO is set"]),
    ("$X a", "default", &["shell($X a): the command's name is not literal: $X"]),
    ("sed -n '1e ls' a", "default", &["shell(sed -n '1e ls' a): `1e ls`: the sed script runs a program"]),
    ("sort -o b a", "default", &["shell(sort -o b a): the option -o writes a file"]),
    ("cat <<X", "default", &["shell(cat <<X): the line does not parse: unterminated here document sequence"]),
    ("make a b", "default", &["shell(make a b): another target: b"]),
];

/// "Every reason names the word that made it ask, in the user's terms; plan mode never tells a model that reading is
/// forbidden when a glob was the cause; no internal names."
#[test]
fn given_lines_then_their_reasons_are_in_the_words_of_the_line() {
    let machine = Machine::new("version = 1\n");
    for (line, mode, said) in ROWS {
        let request = json!({ "kind": "shell", "command": line, "mode": mode, "cwd": machine.path("w"), "workspace": machine.path("w") });
        let decision = machine.decide(request);
        let found: Vec<String> = decision
            .trail
            .iter()
            .filter(|finding| finding.effect == decision.effect && finding.effect != Effect::Allow)
            .map(|finding| format!("{}: {}", finding.access, finding.reason))
            .collect();
        for words in *said {
            assert!(found.iter().any(|one| one == words), "{line}\n  {words}\n  {found:#?}");
        }
    }
}

/// One cause is one line: a word that could be many protected paths, in every command that gets it.
#[test]
fn given_names_that_come_in_then_they_are_asked_about_once() {
    let machine = Machine::new("version = 1\n");
    for line in ["cat list | xargs wc -l", "cat list | xargs -n1 cat | sort"] {
        let decision =
            machine.decide(json!({ "kind": "shell", "command": line, "cwd": machine.path("w"), "workspace": machine.path("w") }));
        let asks: Vec<_> = decision.trail.iter().filter(|finding| finding.effect == Effect::Ask).collect();
        assert!(!asks.is_empty(), "{line}");
        let once = asks
            .iter()
            .enumerate()
            .filter(|(at, one)| !asks.iter().take(*at).any(|before| before.same_cause(one)));
        let shown: Vec<&str> = once.map(|(_, finding)| finding.reason.as_str()).collect();
        assert_eq!(
            shown,
            [
                "a name that comes in is known only when the line runs, and could be a protected path, such as id_rsa"
            ],
            "{line}"
        );
    }
}
