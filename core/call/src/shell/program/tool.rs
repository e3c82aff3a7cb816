//! Tools that another program starts by their name: `npx eslint --fix x`, `python -m pytest -p x`. Their
//! words are judged as the tool's own.

use super::analyzer::{self, CommandAnalyzer};
use super::form::OptionMeaning;
use super::library;
use super::scan::Scan;
use super::table::ProgramTable;
use super::{Command, InnerCommand};
use crate::shell::{Caveat, CaveatSubject, Word};

/// As deep may such programs start each other.
const DEEPEST: usize = 3;

/// Judges `words` as a command; its first word stands at `place` among those of the command at hand.
pub(super) fn analyze_tool(judge: &mut CommandAnalyzer<'_>, words: &[Word], place: usize) {
    if words.is_empty() {
        return;
    }
    if judge.depth >= DEEPEST {
        return judge.add_plain_caveat("a program that starts others inside of others like it", Vec::new());
    }
    let known = analyzer::analyze_at_depth(&Command { words, ..*judge.command }, judge.depth + 1);
    for caveat in known.caveats {
        let named = match caveat.named {
            CaveatSubject::Words(places) => {
                CaveatSubject::Words(places.into_iter().map(|at| at + place).collect())
            }
            CaveatSubject::Beside { first, at } => {
                CaveatSubject::Beside { first: first + place, at: at + place }
            }
            CaveatSubject::Address { at, url } => CaveatSubject::Address { at: at + place, url },
            other => other,
        };
        judge.add_caveat(Caveat { named, ..caveat });
    }
    let own = &mut judge.known;
    own.strays.extend(known.strays.into_iter().map(|stray| stray.shifted_by(place)));
    own.writes.extend(known.writes);
    own.spellings.extend(known.spellings);
    own.also.extend(known.also);
    own.tails.extend(known.tails);
    own.lines.extend(known.lines);
    own.prose.extend(known.prose);
    own.guesses.extend(known.guesses);
    own.takes_any_text |= known.takes_any_text;
    own.runs_input |= known.runs_input;
    own.given.extend(known.given);
    own.inner.extend(known.inner);
    if known.transparent > 0 {
        own.inner.extend(words.get(known.transparent..).map(|rest| InnerCommand::Words(rest.to_vec())));
    }
    judge.places.touches.extend(known.touches);
    judge.places.urls.extend(known.urls);
}

/// A tool whose version stands behind its name, without that: `npx npm@9 publish`.
pub(super) fn without_version(words: &[Word]) -> Option<Vec<Word>> {
    let (first, rest) = words.split_first()?;
    let (name, _) = first.literal()?.rsplit_once('@').filter(|(name, _)| !name.is_empty())?;
    Some(std::iter::once(Word::from(name)).chain(rest.iter().cloned()).collect())
}

/// `python -m NAME WORDS`.
pub(super) fn analyze_python_module(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let of = |found: &&super::scan::FoundOption<'_>| {
        found.name == "-m" && found.known.meaning == OptionMeaning::Harmless
    };
    let Some(value) = scan.options.iter().find(of).and_then(|found| found.value.as_ref()) else { return };
    let Some(name) = value.text else { return };
    if library::files_read_by_module(judge, scan).is_some() {
        return;
    }
    // `python -m pip.__main__`
    let package = name.split('.').next().unwrap_or(name);
    let name = if ProgramTable::get().find_program(name).is_some() { name } else { package };
    let rest = judge.words.get(value.place + 1..).unwrap_or_default();
    let words: Vec<Word> = std::iter::once(Word::from(name)).chain(rest.iter().cloned()).collect();
    judge.known.also.push(words.clone());
    analyze_tool(judge, &words, value.place);
}
