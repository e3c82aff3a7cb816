//! Commands that get words from their input: `xargs`, `parallel`, `find -exec`.

use super::Command;
use super::form::{Form, Meaning, Role};
use super::given;
use super::name;
use super::scan::{Scan, scan};
use super::table::{Kind, Special, Table};
use crate::shell::{Word, quote};

/// As many wrappers inside each other are looked through.
const DEEPEST: usize = 64;

/// What the words that are put in decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decides {
    /// Operands alone.
    Operands,
    /// What runs: they stand where a command or a shell's line does.
    Command,
    /// What runs, if they are put at the end: a wrapper waits there for its command.
    Rest,
}

/// The command with what is put in as words that are not known, as a line: for denials.
pub(super) fn filled(inner: &[Word], scan: &Scan<'_>, form: &Form) -> String {
    let replaces = |name: &str| matches!(name, "-I" | "-i" | "--replace" | "-J");
    let option = scan.options.iter().find(|found| replaces(found.name)).map(|found| &found.value);
    let mark = match option {
        Some(Some(value)) => value.text.unwrap_or("{}"),
        _ => "{}",
    };
    // `parallel make ::: a b`
    let end = inner.iter().position(|word| takes_line(form) && word.prefix().starts_with(":::"));
    let inner = inner.get(..end.unwrap_or(inner.len())).unwrap_or_default();
    let (mut line, put) = put_in(inner, mark, "\"${_}\"");
    if option.is_none() && !(takes_line(form) && put) {
        line.push_str(" ${_}");
    }
    line
}

/// The command of `find -exec`, with what it finds: below one of the places that it looks in, or that
/// place itself.
pub(super) fn found(inner: &[Word], start: &str) -> impl Iterator<Item = String> {
    let below = format!("{}\"${{_}}\"", plain(&format!("{}/", start.trim_end_matches('/'))));
    // The folder itself is no name that could be another command's.
    let itself = (!start.starts_with(['.', '/'])).then(|| plain(start));
    let lines = std::iter::once(below).chain(itself).map(|put| put_in(inner, "{}", &put));
    lines.filter_map(|(line, put)| put.then_some(line)).collect::<Vec<_>>().into_iter()
}

/// Text as a part of a word.
fn plain(text: &str) -> String {
    if text.is_empty() { String::new() } else { quote(text) }
}

/// The words as a line, with `put` in the place of `mark`; whether it stands there.
fn put_in(inner: &[Word], mark: &str, put: &str) -> (String, bool) {
    let mut stands = false;
    let words = inner.iter().map(|word| match word {
        Word::Literal(text) if !mark.is_empty() && text.contains(mark) => {
            stands = true;
            text.split(mark).map(plain).collect::<Vec<_>>().join(put)
        }
        Word::Literal(text) => quote(text),
        Word::Open(open) => {
            let hole = if open.splits { "${_}" } else { "\"${_}\"" };
            open.pieces.iter().map(|piece| piece.as_deref().map_or_else(|| hole.to_owned(), plain)).collect()
        }
    });
    let line = words.collect::<Vec<_>>().join(" ");
    (line, stands)
}

/// Whether `find -exec` runs what it finds.
pub(super) fn chooses(inner: &[Word]) -> bool {
    decided(inner, "{}", false) == Decides::Command
}

/// Whether the input of `xargs` or `parallel` decides what runs: no command is named, the one that
/// is named is a wrapper that waits for its own, or the input is put where a command or a shell's
/// line stands.
pub(super) fn decides(command: &Command<'_>, inner: &[Word], scan: &Scan<'_>, form: &Form) -> bool {
    let lines = takes_line(form);
    let Some(first) = inner.first() else { return lines && command.fed };
    if lines && first.prefix().starts_with(":::") {
        return true;
    }
    let replaces = |name: &str| matches!(name, "-I" | "-i" | "--replace" | "-J");
    match scan.options.iter().find(|found| replaces(found.name)).map(|found| &found.value) {
        None => decided(inner, if lines { "{}" } else { "\0" }, true) != Decides::Operands,
        Some(None) => decided(inner, "{}", true) == Decides::Command,
        Some(Some(value)) => value.text.is_none_or(|mark| decided(inner, mark, true) == Decides::Command),
    }
}

fn takes_line(form: &Form) -> bool {
    let is = |role: &Role| *role == Role::Line;
    form.operands.as_ref().is_some_and(|of| of.first.iter().chain(&of.many).any(is))
}

/// What the words that stand in for `mark` decide about `inner`; `any`: they can be anything, and not only names of
/// files that were found.
fn decided(inner: &[Word], mark: &str, any: bool) -> Decides {
    let holds = |word: &Word| word.literal().is_some_and(|text| text.contains(mark));
    if mark.is_empty() {
        return Decides::Command;
    }
    let mut at = 0;
    for _ in 0..DEEPEST {
        let Some(first) = inner.get(at) else { return Decides::Rest };
        if holds(first) {
            return Decides::Command;
        }
        let base = first.literal().map(name::base);
        let Some(mut program) = base.and_then(|base| Table::get().program(base)) else {
            return Decides::Operands;
        };
        at += 1;
        while program.has_subs {
            let scan = scan(program.form(), inner, at, Some(0));
            let sub = scan.rest.and_then(|rest| Some((rest, program.sub(inner.get(rest)?.literal()?)?)));
            let Some((rest, sub)) = sub else { break };
            (program, at) = (sub, rest + 1);
        }
        let form = program.form();
        if form.special == Some(Special::Shell) {
            return shell(inner.get(at..).unwrap_or_default(), holds);
        }
        if let Some(chosen) = given::chosen(form, inner, at, holds).filter(|_| any) {
            return match (chosen, mark) {
                (false, _) => Decides::Operands,
                (true, "\0") => Decides::Rest,
                (true, _) => Decides::Command,
            };
        }
        let Some(stop) = form.before_command else { return Decides::Operands };
        let scan = scan(form, inner, at, Some(stop));
        if scan.has(Meaning::Query) {
            return Decides::Operands;
        }
        let rest = scan.rest.unwrap_or(inner.len());
        let lines = scan.options.iter().filter(|found| found.known.meaning == Meaning::Line);
        let in_line = lines.into_iter().any(|found| {
            found.value.as_ref().is_none_or(|value| value.text.is_none_or(|text| text.contains(mark)))
        });
        if in_line || takes_line(form) && inner.iter().skip(rest).any(holds) {
            return Decides::Command;
        }
        if form.kind == Kind::Runner {
            return if inner.get(rest).is_none_or(holds) { Decides::Command } else { Decides::Operands };
        }
        at = rest;
    }
    Decides::Command
}

/// A shell: its line, or the name of its script.
fn shell(words: &[Word], holds: impl Fn(&Word) -> bool) -> Decides {
    match words.iter().find(|word| !word.prefix().starts_with(['-', '+'])) {
        Some(word) if holds(word) => Decides::Command,
        Some(_) => Decides::Operands,
        None => Decides::Rest,
    }
}
