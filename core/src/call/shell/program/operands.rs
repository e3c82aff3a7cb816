//! What a command does with its operands.

use std::path::Path;

use super::Inner;
use super::form::{Form, Meaning, Operands, Role};
use super::judge::Judge;
use super::scan::Scan;
use crate::call::WriteKind;
use crate::call::shell::{Use, Word};

/// As many files that are copied into one folder are looked at.
const MOST_COPIES: usize = 64;

/// Judges the operands of a command by what its form says of them.
pub(super) fn operands(judge: &mut Judge<'_>, form: &Form, scan: &Scan<'_>) {
    let words = judge.words;
    let Some(roles) = &form.operands else {
        for place in &scan.operands {
            judge.reader = false;
            if let Some(word) = words.get(*place) {
                judge.places.word(word, Use::Either, false);
            }
        }
        return;
    };
    let deep = form.deep || scan.options.iter().any(|found| form.deep_with.contains(found.name));
    let target = scan.options.iter().find(|found| found.known.meaning == Meaning::Target);
    let edits = scan.has(Meaning::Edits);
    let roles = fitting(roles, form, scan, target.is_some());
    let count = scan.operands.len();
    let mut paths = 0;
    let mut sources: Vec<&Word> = Vec::new();
    let mut destination = None;
    for (index, place) in scan.operands.iter().enumerate() {
        let Some(word) = words.get(*place) else { continue };
        let Some(role) = roles.role(index, count) else {
            judge.reader = false;
            judge.places.word(word, Use::Either, deep);
            continue;
        };
        match role {
            Role::Read | Role::Path if edits => written(judge, WriteKind::Edit, word, *place, deep),
            Role::Text => match word {
                Word::Literal(text) => judge.places.text(text),
                // Text is only printed: what is not known of it opens no file. A path that is begun may be
                // meant for the next command.
                Word::Open(open) if word.prefix().contains('/') => {
                    judge.places.open(open, Use::Either, false);
                }
                Word::Open(_) => {}
            },
            Role::Pattern | Role::Assignment | Role::Command | Role::Line => {}
            Role::Single => {
                judge.reader = false;
                judge.known.inner.push(Inner::Line(word.clone()));
            }
            Role::Read | Role::Moved => {
                paths += 1;
                sources.push(word);
                if role == Role::Moved {
                    written(judge, WriteKind::Move, word, *place, deep);
                    judge.places.word(word, Use::Either, true);
                } else {
                    let how = if judge.understood { Use::Read } else { Use::Either };
                    match word {
                        Word::Literal(text) if judge.understood => {
                            judge.places.path(text, how, deep);
                            judge.places.held(text, Use::Either, deep);
                        }
                        word => judge.places.word(word, how, deep),
                    }
                }
            }
            Role::Path | Role::Script => {
                paths += 1;
                judge.places.word(word, Use::Either, deep);
            }
            Role::Written => written(judge, WriteKind::Write, word, *place, deep),
            Role::Output => {
                written(judge, WriteKind::Write, word, *place, deep);
                judge.caveat("an operand that is written", vec![*place]);
            }
            Role::Target => destination = Some((word, *place)),
            Role::Created => judge.places.word(word, Use::Write(WriteKind::Create), deep),
            Role::Edited => judge.places.word(word, Use::Write(WriteKind::Edit), deep),
            Role::Deleted => judge.places.word(word, Use::Write(WriteKind::Delete), deep),
            Role::Change => {
                judge.places.word(word, Use::Either, false);
                // An option that says so already covers it: `git branch -D x`.
                if !scan.has(Meaning::Changes) {
                    judge.caveat("an operand with which it changes something", vec![*place]);
                }
            }
            Role::Loaded => {
                judge.places.word(word, Use::Either, false);
                judge.caveat("it runs what stands in a file", vec![*place]);
            }
            Role::Url => {
                if let Some(text) = word.literal() {
                    judge.places.host(text);
                    judge.places.any(text, Use::Either, false);
                }
            }
        }
    }
    if let Some(found) = target {
        if let Some(value) = &found.value {
            let word = value.text.map(Word::from).or_else(|| words.get(value.place).cloned());
            if let Some(word) = word {
                copies(judge, &sources, &word, value.place, deep, true);
            }
        }
    } else if let Some((word, place)) = destination {
        copies(judge, &sources, word, place, deep, false);
    }
    if form.here && paths == 0 && destination.is_none() {
        let how = if judge.understood { Use::Read } else { Use::Either };
        judge.places.path(".", how, deep);
    }
}

/// The roles, without the first where an option stands in its place, and without the last where one
/// names the target.
fn fitting(roles: &Operands, form: &Form, scan: &Scan<'_>, target: bool) -> Operands {
    if scan.options.iter().any(|found| form.listing.contains(found.name)) {
        return Operands { many: Some(Role::Pattern), ..Operands::default() };
    }
    let mut roles = roles.clone();
    if scan.options.iter().any(|found| form.instead.contains(found.name)) && !roles.first.is_empty() {
        roles.first.remove(0);
    }
    if target {
        roles.last.clear();
    }
    roles
}

/// A file that is written.
fn written(judge: &mut Judge<'_>, kind: WriteKind, word: &Word, place: usize, deep: bool) {
    judge.reader = false;
    match word {
        Word::Literal(text) => {
            judge.write(kind, text);
            judge.places.held(text, Use::Write(kind), deep);
        }
        Word::Open(open) => {
            judge.places.open(open, Use::Write(kind), deep);
            judge.caveat("it writes to a place that is not known", vec![place]);
        }
    }
}

/// `sources` are copied to `target`: the file itself, or files of their names in it.
fn copies(judge: &mut Judge<'_>, sources: &[&Word], target: &Word, place: usize, deep: bool, folder: bool) {
    let Some(text) = target.literal() else { return written(judge, WriteKind::Write, target, place, deep) };
    let exists = judge.command.cwd.is_some_and(|cwd| cwd.join(Path::new(text)).is_dir());
    let folder = folder || text.ends_with('/') || exists;
    let name = |word: &&Word| {
        let name = Path::new(word.literal()?).file_name()?.to_str()?.to_owned();
        Some(format!("{}/{name}", text.trim_end_matches('/')))
    };
    let inside: Option<Vec<String>> = sources.iter().take(MOST_COPIES).map(name).collect();
    let inside = inside.filter(|inside| folder && inside.len() == sources.len() && !inside.is_empty());
    judge.places.path(text, Use::Write(WriteKind::Write), deep || inside.is_none() && folder);
    match inside {
        Some(inside) => {
            for path in inside {
                judge.write(WriteKind::Write, &path);
                if deep {
                    judge.places.path(&path, Use::Write(WriteKind::Write), true);
                }
            }
        }
        None => judge.write(WriteKind::Write, text),
    }
}
