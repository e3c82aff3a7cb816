//! Whether what bash ran is among what mayi said could run.

use std::path::PathBuf;

use mayi_core::call::shell::{self, CaveatSubject, Word};
use mayi_core::call::{Access, ShellAccess};

use super::bash::Ran;

/// Whether mayi said that it does not know.
pub(crate) fn not_understood(accesses: &[Access]) -> bool {
    shell::shell_accesses(accesses).any(|shell| !shell.understood)
}

/// What bash did and mayi did not see; nothing where mayi said that it did not understand the line.
pub(crate) fn unseen(accesses: &[Access], ran: &Ran) -> Vec<String> {
    if not_understood(accesses) {
        return Vec::new();
    }
    let mut unseen = Vec::new();
    // What is made up while the line runs can't be listed: that is said as a caveat, for every mode.
    let made_up = shell::shell_accesses(accesses).any(evaluates);
    for argv in &ran.commands {
        let seen = shell::shell_accesses(accesses).any(|shell| runs(shell, argv)) || is_transport(argv);
        if !seen && !made_up {
            unseen.push(format!("ran {argv:?}"));
        }
    }
    // Another folder, or a name that is not known: said as a caveat, so it can't be expected by name.
    let unknown =
        |shell: &ShellAccess| shell.caveats.iter().any(|caveat| caveat.named == CaveatSubject::Nothing);
    if !shell::shell_accesses(accesses).any(unknown) {
        let says = |path: &PathBuf| {
            accesses.iter().any(|access| matches!(access, Access::Write(_, write) if write.resolved == *path))
        };
        unseen.extend(ran.written.iter().filter(|path| !says(path)).map(|path| format!("wrote {path:?}")));
    }
    unseen
}

/// A shell around a line: what is inside is judged, and not the shell.
fn is_transport(argv: &[String]) -> bool {
    matches!(argv.first().map(String::as_str), Some("sh" | "bash"))
        && argv.get(1).is_some_and(|option| option == "-c")
}

/// A command that evaluates text which is not known, and is asked about always.
fn evaluates(shell: &ShellAccess) -> bool {
    let evaluator =
        matches!(shell.words.first().and_then(Word::literal), Some("eval" | "trap" | "sh" | "bash"));
    let always = shell.caveats.iter().any(|caveat| caveat.always);
    evaluator && always && shell.words.iter().any(|word| word.literal().is_none())
}

fn runs(shell: &ShellAccess, argv: &[String]) -> bool {
    let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
    std::iter::once(&shell.words).chain(&shell.outer).any(|words| covers(words, &argv))
}

/// Whether `words` can have become `argv`.
fn covers(words: &[Word], argv: &[&str]) -> bool {
    match words.split_first() {
        None => argv.is_empty(),
        Some((Word::Literal(text), rest)) => {
            argv.first().is_some_and(|word| word == text) && covers(rest, &argv[1..])
        }
        Some((Word::Open(open), rest)) if open.splits || open.glob => (0..=argv.len())
            .any(|count| becomes(&open.pieces, &argv[..count].join(" ")) && covers(rest, &argv[count..])),
        Some((Word::Open(open), rest)) => {
            argv.first().is_some_and(|word| becomes(&open.pieces, word)) && covers(rest, &argv[1..])
        }
    }
}

/// Whether what is not known among `pieces` can be such that they make `text`.
fn becomes(pieces: &[Option<String>], text: &str) -> bool {
    match pieces.split_first() {
        None => text.is_empty(),
        Some((Some(known), rest)) => text.strip_prefix(&**known).is_some_and(|text| becomes(rest, text)),
        Some((None, rest)) => {
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| becomes(rest, &text[at..]))
        }
    }
}

#[test]
fn given_open_words_then_they_become_what_they_could() {
    let at = std::path::Path::new("/w");
    let first = |line: &str| {
        let accesses = shell::line_accesses(line, &mayi_core::call::Surroundings::new(at, &[]));
        shell::shell_accesses(&accesses).next().cloned().unwrap()
    };
    let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert!(runs(&first("t1 a 'b c'"), &argv(&["t1", "a", "b c"])));
    assert!(!runs(&first("t1 a 'b c'"), &argv(&["t1", "a", "b"])));
    assert!(!runs(&first("t1 a"), &argv(&["t1", "a", "b"])));
    let open = |pieces: &[Option<&str>], splits: bool| {
        Word::Open(shell::OpenWord {
            text: String::new(),
            pieces: pieces.iter().map(|piece| piece.map(str::to_owned)).collect(),
            splits,
            glob: false,
            tame: false,
            assigned: None,
            ..shell::OpenWord::default()
        })
    };
    let words = |last: Word| vec![Word::Literal("t1".to_owned()), last];
    assert!(covers(&words(open(&[None], true)), &["t1"]));
    assert!(covers(&words(open(&[None], true)), &["t1", "a", "b"]));
    assert!(!covers(&words(open(&[None], false)), &["t1", "a", "b"]));
    assert!(covers(&words(open(&[Some("p"), None, Some("s")], false)), &["t1", "pxs"]));
    assert!(!covers(&words(open(&[Some("p"), None, Some("s")], false)), &["t1", "px"]));
}
