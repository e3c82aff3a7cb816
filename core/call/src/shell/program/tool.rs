//! Tools that another program starts by their name: `npx eslint --fix x`, `python -m pytest -p x`. Their
//! words are judged as the tool's own.

use super::form::Meaning;
use super::judge::{self, Judge};
use super::library;
use super::scan::Scan;
use super::{Command, Inner};
use crate::shell::{Caveat, Named, Word};

/// As deep may such programs start each other.
const DEEPEST: usize = 3;

/// Judges `words` as a command; its first word stands at `place` among those of the command at hand.
pub(super) fn tool(judge: &mut Judge<'_>, words: &[Word], place: usize) {
    if words.is_empty() {
        return;
    }
    if judge.depth >= DEEPEST {
        return judge.caveat("a program that starts others inside of others like it", Vec::new());
    }
    let known = judge::known_at(&Command { words, ..*judge.command }, judge.depth + 1);
    for caveat in known.caveats {
        let named = match caveat.named {
            Named::Words(places) => Named::Words(places.into_iter().map(|at| at + place).collect()),
            Named::Beside { first, at } => Named::Beside { first: first + place, at: at + place },
            other => other,
        };
        judge.add(Caveat { named, ..caveat });
    }
    let own = &mut judge.known;
    own.strays.extend(known.strays.into_iter().map(|stray| stray.behind(place)));
    own.writes.extend(known.writes);
    own.spellings.extend(known.spellings);
    own.also.extend(known.also);
    own.tails.extend(known.tails);
    own.lines.extend(known.lines);
    own.prose.extend(known.prose);
    own.runs_input |= known.runs_input;
    own.given.extend(known.given);
    own.inner.extend(known.inner);
    if known.transparent > 0 {
        own.inner.extend(words.get(known.transparent..).map(|rest| Inner::Words(rest.to_vec())));
    }
    judge.places.touches.extend(known.touches);
    judge.places.urls.extend(known.urls);
}

/// `python -m NAME WORDS`.
pub(super) fn module(judge: &mut Judge<'_>, scan: &Scan<'_>) {
    let of = |found: &&super::scan::Found<'_>| found.name == "-m" && found.known.meaning == Meaning::Harmless;
    let Some(value) = scan.options.iter().find(of).and_then(|found| found.value.as_ref()) else { return };
    let Some(name) = value.text else { return };
    if library::reads(judge, scan).is_some() {
        return;
    }
    // `python -m pip.__main__`
    let name = name.split('.').next().unwrap_or(name);
    let rest = judge.words.get(value.place + 1..).unwrap_or_default();
    let words: Vec<Word> = std::iter::once(Word::from(name)).chain(rest.iter().cloned()).collect();
    judge.known.also.push(words.clone());
    tool(judge, &words, value.place);
}
