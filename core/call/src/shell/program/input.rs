//! Commands that get words from their input: `xargs`, `parallel`, `find -exec`.

use super::Command;
use super::form::{CommandForm, OptionMeaning, Role};
use super::given_programs;
use super::name;
use super::scan::{Scan, scan_words};
use super::table::{ProgramKind, ProgramTable, SpecialCase};
use crate::shell::{Word, quote_word};

/// As many wrappers inside each other are looked through.
const DEEPEST: usize = 64;

/// What the words that are put in decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputEffect {
    /// Operands alone.
    Operands,
    /// What runs: they stand where a command or a shell's line does.
    Command,
    /// What runs, if they are put at the end: a wrapper waits there for its command.
    Rest,
}

/// The command with what is put in as words that are not known, as a line: for denials.
pub(super) fn command_with_input(inner: &[Word], scan: &Scan<'_>, form: &CommandForm) -> String {
    let replaces = |name: &str| matches!(name, "-I" | "-i" | "--replace" | "-J");
    let option = scan.options.iter().find(|found| replaces(found.name)).map(|found| &found.value);
    let mark = match option {
        Some(Some(value)) => value.text.unwrap_or("{}"),
        _ => "{}",
    };
    // `parallel make ::: a b`
    let end = inner.iter().position(|word| takes_line(form) && word.known_prefix().starts_with(":::"));
    let inner = inner.get(..end.unwrap_or(inner.len())).unwrap_or_default();
    let (mut line, put) = put_in(inner, mark, "\"${_}\"");
    if option.is_none() && !(takes_line(form) && put) {
        line.push_str(" ${_}");
    }
    line
}

/// The command of `find -exec`, with what it finds: below one of the places that it looks in, or that
/// place itself.
pub(super) fn exec_lines(inner: &[Word], start: &str) -> impl Iterator<Item = String> {
    let below = format!("{}\"${{_}}\"", quote_nonempty(&format!("{}/", start.trim_end_matches('/'))));
    // The folder itself is no name that could be another command's.
    let itself = (!start.starts_with(['.', '/'])).then(|| quote_nonempty(start));
    let lines = std::iter::once(below).chain(itself).map(|put| put_in(inner, "{}", &put));
    lines.filter_map(|(line, put)| put.then_some(line)).collect::<Vec<_>>().into_iter()
}

/// Text as a part of a word.
fn quote_nonempty(text: &str) -> String {
    if text.is_empty() { String::new() } else { quote_word(text) }
}

/// The words as a line, with `put` in the place of `mark`; whether it stands there.
fn put_in(inner: &[Word], mark: &str, put: &str) -> (String, bool) {
    let mut stands = false;
    let words = inner.iter().map(|word| match word {
        Word::Literal(text) if !mark.is_empty() && text.contains(mark) => {
            stands = true;
            text.split(mark).map(quote_nonempty).collect::<Vec<_>>().join(put)
        }
        Word::Literal(text) => quote_word(text),
        Word::Open(open) => {
            let hole = if open.splits { "${_}" } else { "\"${_}\"" };
            open.pieces
                .iter()
                .map(|piece| piece.as_deref().map_or_else(|| hole.to_owned(), quote_nonempty))
                .collect()
        }
    });
    let line = words.collect::<Vec<_>>().join(" ");
    (line, stands)
}

/// Whether `find -exec` runs what it finds.
pub(super) fn runs_found_files(inner: &[Word]) -> bool {
    decided_by_input(inner, "{}", false) == InputEffect::Command
}

/// Whether the input of `xargs` or `parallel` decides what runs: no command is named, the one that
/// is named is a wrapper that waits for its own, or the input is put where a command or a shell's
/// line stands.
pub(super) fn input_decides_command(
    command: &Command<'_>,
    inner: &[Word],
    scan: &Scan<'_>,
    form: &CommandForm,
) -> bool {
    let lines = takes_line(form);
    // Without a command, each line of what it reads is one: `parallel -a FILE`.
    let file = || scan.options.iter().any(|found| found.known.meaning == OptionMeaning::Reads);
    let Some(first) = inner.first() else { return lines && (command.fed || file()) };
    if lines && first.known_prefix().starts_with(":::") {
        return true;
    }
    let replaces = |name: &str| matches!(name, "-I" | "-i" | "--replace" | "-J");
    match scan.options.iter().find(|found| replaces(found.name)).map(|found| &found.value) {
        None => decided_by_input(inner, if lines { "{}" } else { "\0" }, true) != InputEffect::Operands,
        Some(None) => decided_by_input(inner, "{}", true) == InputEffect::Command,
        Some(Some(value)) => {
            value.text.is_none_or(|mark| decided_by_input(inner, mark, true) == InputEffect::Command)
        }
    }
}

pub(super) fn takes_line(form: &CommandForm) -> bool {
    let is = |role: &Role| *role == Role::Line;
    form.operands.as_ref().is_some_and(|of| of.first.iter().chain(&of.many).any(is))
}

/// What the words that stand in for `mark` decide about `inner`; `any`: they can be anything, and not only names of
/// files that were found.
fn decided_by_input(inner: &[Word], mark: &str, any: bool) -> InputEffect {
    let holds = |word: &Word| word.literal().is_some_and(|text| text.contains(mark));
    if mark.is_empty() {
        return InputEffect::Command;
    }
    let mut at = 0;
    for _ in 0..DEEPEST {
        let Some(first) = inner.get(at) else { return InputEffect::Rest };
        if holds(first) {
            return InputEffect::Command;
        }
        let base = first.literal().map(name::base_name);
        let Some(mut program) = base.and_then(|base| ProgramTable::get().find_program(base)) else {
            return InputEffect::Operands;
        };
        at += 1;
        while program.has_subs() {
            let scan = scan_words(program.form(), inner, at, Some(0));
            let sub =
                scan.rest.and_then(|rest| Some((rest, program.sub_command(inner.get(rest)?.literal()?)?)));
            let Some((rest, sub)) = sub else { break };
            (program, at) = (sub, rest + 1);
        }
        let form = program.form();
        if form.special == Some(SpecialCase::Shell) {
            return decided_for_shell(inner.get(at..).unwrap_or_default(), holds);
        }
        if let Some(chosen) = given_programs::input_chooses_program(form, inner, at, holds).filter(|_| any) {
            return match (chosen, mark) {
                (false, _) => InputEffect::Operands,
                (true, "\0") => InputEffect::Rest,
                (true, _) => InputEffect::Command,
            };
        }
        let Some(stop) = form.before_command else { return InputEffect::Operands };
        let scan = scan_words(form, inner, at, Some(stop));
        if scan.has_meaning(OptionMeaning::Query) {
            return InputEffect::Operands;
        }
        let rest = scan.rest.unwrap_or(inner.len());
        let lines = scan.options.iter().filter(|found| found.known.meaning == OptionMeaning::Line);
        let in_line = lines.into_iter().any(|found| {
            found.value.as_ref().is_none_or(|value| value.text.is_none_or(|text| text.contains(mark)))
        });
        if in_line || takes_line(form) && inner.iter().skip(rest).any(holds) {
            return InputEffect::Command;
        }
        if form.kind == ProgramKind::Runner {
            return if inner.get(rest).is_none_or(holds) {
                InputEffect::Command
            } else {
                InputEffect::Operands
            };
        }
        at = rest;
    }
    InputEffect::Command
}

/// A shell: its line, or the name of its script.
fn decided_for_shell(words: &[Word], holds: impl Fn(&Word) -> bool) -> InputEffect {
    match words.iter().find(|word| !word.known_prefix().starts_with(['-', '+'])) {
        Some(word) if holds(word) => InputEffect::Command,
        Some(_) => InputEffect::Operands,
        None => InputEffect::Rest,
    }
}
