//! Other projects' cases and published bypasses, where they lie beside the checkout. The project never needs them:
//! without them there is nothing to score.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The tally of one level of one file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    fine: usize,
    unsafe_: usize,
    missed: usize,
    strict: usize,
    error: usize,
}

/// The folder with the cases and the program that scores them: beside the checkout, or where `MAYI_CORPORA` says.
fn corpora() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora");
    let beside = std::env::var_os("MAYI_CORPORA").map_or(beside, PathBuf::from);
    let there = beside.join("score").is_file();
    if !there {
        mayi_tests::skipped(&format!("there is no {}", beside.display()));
    }
    there.then_some(beside)
}

/// What the scores say of `file`, and all of it as text.
fn score(folder: &Path, file: &str) -> (String, bool) {
    let mayi = mayi_tests::mayi_program();
    let mut command = Command::new("python3");
    command.arg(folder.join("score")).arg("--mayi").arg(mayi).args(["--show", "30"]).arg(folder.join(file));
    let output = command.output().expect("there is a python3");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!text.is_empty(), "nothing was scored: {error}");
    println!("{text}");
    (text, output.status.success())
}

/// `  must      ok 169  UNSAFE 0  missed 0  strict 0  error 0`.
fn tally(text: &str, level: &str) -> Tally {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(level));
    let line = line.unwrap_or_else(|| panic!("no line for {level}: {text}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let of = |name: &str| {
        let at = words.iter().position(|word| *word == name).unwrap_or_else(|| panic!("no {name}: {line}"));
        words[at + 1].parse().unwrap()
    };
    Tally {
        fine: of("ok"),
        unsafe_: of("UNSAFE"),
        missed: of("missed"),
        strict: of("strict"),
        error: of("error"),
    }
}

/// "`bypass-open.jsonl`: in `must`: UNSAFE 0, missed 0; in `should`: at most 4 wrong together; in `control`: strict 0."
#[test]
fn given_published_bypasses_then_none_is_allowed() {
    let Some(folder) = corpora() else { return };
    let (text, _) = score(&folder, "bypass-open.jsonl");
    let (must, should, control) = (tally(&text, "must"), tally(&text, "should"), tally(&text, "control"));
    assert_eq!((must.unsafe_, must.missed, must.error), (0, 0, 0), "must: {text}");
    assert!(should.unsafe_ + should.missed + should.strict + should.error <= 4, "should: {text}");
    assert_eq!((control.strict, control.unsafe_, control.error), (0, 0, 0), "control: {text}");
    assert!(must.fine > 0 && control.fine > 0, "{text}");
}

/// "`roo.jsonl`: UNSAFE 0."
#[test]
fn given_the_cases_of_roo_then_nothing_unsafe_is_allowed() {
    let Some(folder) = corpora() else { return };
    let (text, fine) = score(&folder, "roo.jsonl");
    let all = tally(&text, "all");
    assert_eq!((all.unsafe_, all.error), (0, 0), "{text}");
    assert!(fine && all.fine > 0, "{text}");
}

#[test]
fn given_the_text_of_a_score_then_its_numbers_are_read() {
    let text = "x.jsonl: 3 rows, 1 skipped\n  must      ok 12  UNSAFE 1  missed 2  strict 3  error 4\n";
    assert_eq!(tally(text, "must"), Tally { fine: 12, unsafe_: 1, missed: 2, strict: 3, error: 4 });
}
