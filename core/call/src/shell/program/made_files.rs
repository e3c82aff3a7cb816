//! Files that a program makes of those that it is given, without a word for them: `python3 -m py_compile x.py` makes
//! `__pycache__/x.*.pyc` beside it, and `gcc -c ../x.c` makes `x.o` in the folder at hand.

use std::collections::HashSet;

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::scan::Scan;
use super::table::TableEntry;
use super::unpack::fill_folder;
use crate::WriteKind;
use crate::shell::{OpenWord, Reach, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);

/// What is made, and where.
#[derive(Debug, Default)]
pub(super) struct MadeFiles {
    /// Names of what lies beside a source: `@` is the source's own without its ending, `*` is anything.
    beside: Vec<String>,
    /// Names of what lies in the folder at hand.
    here: Vec<String>,
    /// The same, with or without an operand.
    always: Vec<String>,
    /// Options whose value is a source as well, or the folder of some.
    of: HashSet<String>,
    /// With one of these, the files lie elsewhere, or there are none.
    not: HashSet<String>,
}

impl MadeFiles {
    pub(super) fn parse(entry: &TableEntry) -> Self {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        Self {
            beside: names(&entry.makes_beside),
            here: names(&entry.makes_here),
            always: names(&entry.makes_always),
            of: entry.makes_of.split_whitespace().map(str::to_owned).collect(),
            not: entry.makes_not.split_whitespace().map(str::to_owned).collect(),
        }
    }

    fn is_nothing(&self) -> bool {
        self.beside.is_empty() && self.here.is_empty() && self.always.is_empty()
    }
}

/// Notes what the command makes of its operands.
pub(super) fn add_made_files(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let made = &form.made_files;
    if made.is_nothing() || spares(judge, form, scan) {
        return;
    }
    judge.reader = false;
    for name in &made.always {
        add_made_name(judge, name);
    }
    let words = judge.words;
    for word in scan.operands.iter().filter_map(|place| words.get(*place)) {
        match word {
            Word::Literal(text) => add_made_of(judge, made, text),
            Word::Open(open) if !made.beside.is_empty() => {
                judge.places.add_open_word(open, WRITE, Reach::Itself);
            }
            Word::Open(_) => {}
        }
    }
    for value in scan
        .options
        .iter()
        .filter(|found| made.of.contains(found.name))
        .filter_map(|found| found.value.as_ref())
    {
        match (value.text, words.get(value.place)) {
            (Some(text), _) => {
                let folder = match is_folder(judge, text) {
                    true => text,
                    // What such a file describes lies around it.
                    false => text.rsplit_once('/').map_or(".", |(folder, _)| folder),
                };
                add_made_below(judge, folder);
                add_made_below(judge, text);
            }
            (None, Some(Word::Open(open))) => judge.places.add_open_word(open, WRITE, Reach::Itself),
            _ => {}
        }
    }
}

/// Whether an option says that nothing is made there. `--noEmit false` takes that back.
fn spares(judge: &CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) -> bool {
    let not = &form.made_files.not;
    let literal = |place: usize| judge.words.get(place).and_then(Word::literal);
    let taken_back = |place: usize| literal(place + 1).is_some_and(|next| next.eq_ignore_ascii_case("false"));
    let mut named = scan.options.iter().filter(|found| not.contains(found.name));
    if scan.relies_on(form, not) {
        return !named.any(|found| taken_back(found.place));
    }
    // One of which the table says no more.
    scan.unknown.iter().any(|place| literal(*place).is_some_and(|text| not.contains(text)))
}

fn is_folder(judge: &CommandAnalyzer<'_>, text: &str) -> bool {
    let there = || judge.command.cwd.is_some_and(|cwd| cwd.join(text).is_dir());
    text.ends_with('/')
        || matches!(text, "." | "..")
        || text.ends_with("/.")
        || text.ends_with("/..")
        || there()
}

/// What is made of one source; of a folder, of whatever lies below.
fn add_made_of(judge: &mut CommandAnalyzer<'_>, made: &MadeFiles, source: &str) {
    let folder = is_folder(judge, source);
    if !made.beside.is_empty() && (folder || judge.command.made) {
        add_made_below(judge, source);
    }
    if folder {
        return;
    }
    let (before, name) = match source.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), source),
    };
    // A dot that a name begins with ends nothing.
    let stem = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem);
    for (place, names) in [(before.as_str(), &made.beside), ("", &made.here)] {
        for made in names {
            // `sass a.scss:b.css`
            if made == ":" {
                if let Some((_, target)) = source.split_once(':') {
                    judge.places.add_path(target, WRITE, Reach::All);
                }
                continue;
            }
            add_made_name(judge, &format!("{place}{}", made.replace('@', stem)));
        }
    }
}

fn add_made_below(judge: &mut CommandAnalyzer<'_>, folder: &str) {
    judge.places.add_path(folder, WRITE, Reach::Somewhere);
    fill_folder(judge, folder, false);
}

/// One name; `*` in it is not known.
fn add_made_name(judge: &mut CommandAnalyzer<'_>, name: &str) {
    if !name.contains('*') {
        return judge.places.add_path(name, WRITE, Reach::Itself);
    }
    let mut pieces = Vec::new();
    for (at, text) in name.split('*').enumerate() {
        pieces.extend((at > 0).then_some(None));
        pieces.extend((!text.is_empty()).then(|| Some(text.to_owned())));
    }
    let word = OpenWord { text: name.to_owned(), pieces, glob: true, ..OpenWord::default() };
    judge.add_own_names(&word, WRITE, Reach::Itself);
}
