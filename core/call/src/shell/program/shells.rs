//! Shells: `sh -c LINE`, `bash script`, a shell that is fed.

use super::InnerCommand;
use super::analyzer::CommandAnalyzer;
use super::given_programs::GivenProgram;
use super::name::base_name;
use super::stray_paths::note_stray_paths;
use crate::shell::builtins::is_harmless;
use crate::shell::{Reach, Use, Word};

/// Why an option is asked about that changes what words are, or what they run.
const CHANGES: &str = "it changes an option of the shell";
/// Options of shells that take the next word.
const WITH_VALUE: &[&str] =
    &["-o", "+o", "-O", "+O", "--rcfile", "--init-file", "--init-command", "-C", "--features"];
/// Long options that only change how the shell itself behaves.
const LONG: &[&str] = &[
    "--debugger",
    "--interactive",
    "--login",
    "--no-config",
    "--no-execute",
    "--noediting",
    "--noprofile",
    "--norc",
    "--posix",
    "--private",
    "--restricted",
    "--verbose",
];

/// Letters that change neither what words are nor what they run, to any shell: `-4` has globs find hidden names in zsh.
const LETTERS: &[u8] = b"abcdefhilmnoprstuvxCDEO";
/// Shells with a language of their own.
const FOREIGN: &[&str] =
    &["fish", "csh", "tcsh", "nu", "elvish", "xonsh", "rc", "es", "ion", "murex", "oil", "ysh"];
/// As many words of a line for one of them could begin a command.
const MOST_STARTS: usize = 64;

/// A line for a shell. One of another family reads quotes, escapes and comments otherwise, and has words of its own in front of a
/// command (`fish -c 'true; and rm x'`).
fn add_line(judge: &mut CommandAnalyzer<'_>, name: &str, line: Word) {
    if FOREIGN.contains(&name) {
        let text = line.literal().unwrap_or("$");
        if text.contains(|c: char| "\\'\"`#$(){}[]^!?*~\n\r".contains(c)) {
            judge.add_always_caveat("a line in the language of a shell that mayi does not read");
        }
        let starts = text
            .match_indices(char::is_whitespace)
            .map(|(at, _)| text.get(at..).unwrap_or_default().trim_start());
        for rest in starts.take(MOST_STARTS).map(Word::from).collect::<Vec<_>>() {
            judge.add_possible_line(&rest);
        }
    }
    judge.known.inner.push(InnerCommand::Line(line));
}

/// An option of the shell by its name.
fn check_shell_option(judge: &mut CommandAnalyzer<'_>, name: Option<&Word>) {
    if !name.and_then(Word::literal).is_some_and(is_harmless) {
        judge.add_always_caveat(CHANGES);
    }
}

/// Judges a shell whose own words begin at `from`.
pub(super) fn analyze_shell(judge: &mut CommandAnalyzer<'_>, from: usize) {
    judge.reader = judge.words.len() == from + 1
        && judge
            .words
            .get(from)
            .and_then(Word::literal)
            .is_some_and(|only| matches!(only, "--version" | "--help"));
    if judge.reader {
        return;
    }
    let words = judge.words;
    let name = from
        .checked_sub(1)
        .and_then(|at| words.get(at))
        .and_then(Word::literal)
        .map(base_name)
        .unwrap_or_default();
    let (mut line, mut stdin) = (false, false);
    let mut at = from;
    let mut operand = None;
    while let Some(word) = words.get(at) {
        let Some(text) = word.literal() else {
            if word.known_prefix().is_empty() || word.known_prefix().starts_with(['-', '+']) {
                judge.add_plain_caveat("a word that could be an option of a shell", vec![at]);
            }
            operand = Some(at);
            break;
        };
        at += 1;
        match text {
            "--" | "-" => {
                operand = words.get(at).map(|_| at);
                break;
            }
            "--command" => line = true,
            _ if text.starts_with("--command=") => {
                let inner = text.trim_start_matches("--command=");
                add_line(judge, name, Word::from(inner));
                judge.add_all_words(at);
                return;
            }
            _ if WITH_VALUE.contains(&text) => {
                if text.starts_with("--") || text == "-C" {
                    if let Some(word) = words.get(at) {
                        // `fish -C LINE`; elsewhere a file.
                        if !text.ends_with("file") {
                            add_line(judge, name, word.clone());
                        }
                        judge.places.add_word(word, Use::Either, Reach::Itself);
                        judge.add_given_program(GivenProgram::File(word.clone()));
                    }
                    judge.add_plain_caveat(
                        &format!("the option {text} loads configuration or code"),
                        vec![at - 1, at],
                    );
                } else {
                    check_shell_option(judge, words.get(at));
                }
                at += 1;
            }
            _ if LONG.contains(&text) => {}
            _ if text.starts_with("--") => {
                judge.add_plain_caveat(&format!("the option {text} of a shell is not known"), vec![at - 1]);
                judge.add_tails(at..words.len());
            }
            _ if text.starts_with(['-', '+']) => {
                let letters = text.get(1..).unwrap_or_default();
                line |= letters.contains('c');
                stdin |= letters.contains('s');
                // `-eo pipefail`: the name follows.
                let names = letters.matches(['o', 'O']).count();
                words.iter().skip(at).take(names).for_each(|name| check_shell_option(judge, Some(name)));
                at += names;
                if !letters.bytes().all(|letter| LETTERS.contains(&letter)) {
                    judge.add_always_caveat(CHANGES);
                }
            }
            _ => {
                operand = Some(at - 1);
                break;
            }
        }
    }
    match operand {
        Some(place) if line => {
            words.get(place).cloned().into_iter().for_each(|line| add_line(judge, name, line));
            judge.add_all_words(place + 1);
        }
        Some(place) if !stdin => {
            // Its script may be what another command writes: `bash <(...)`, `bash /dev/stdin`.
            let script = words.get(place).map(Word::known_prefix).unwrap_or_default();
            judge.known.runs_input = script.starts_with("/dev/") || script.starts_with("/proc/");
            words
                .get(place)
                .into_iter()
                .for_each(|word| judge.add_given_program(GivenProgram::File(word.clone())));
            // Code from elsewhere is asked about, as that of every interpreter (D2.39).
            if let Some(script) = words.get(place).and_then(Word::literal) {
                note_stray_paths(judge, vec![place], script);
            }
            for word in words.iter().skip(place) {
                judge.places.add_word(word, Use::Either, Reach::Itself);
            }
        }
        _ if line => judge.add_plain_caveat("the line that the shell runs could not be located", Vec::new()),
        _ if stdin || judge.command.fed => {
            judge.reader = false;
            judge.known.runs_input = true;
            judge.add_given_program(GivenProgram::Input);
            judge.add_all_words(from);
        }
        _ => {}
    }
}
