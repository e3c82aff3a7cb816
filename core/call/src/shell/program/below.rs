//! Files that a command changes though no word names them: `git reset --hard`, `unzip a.zip`, `black .`. Where they lie is
//! not known, so the folder above them is what rules are asked about.

use super::form::{Form, Meaning, Operands};
use super::judge::Judge;
use super::pathspec;
use super::scan::{Found, Scan};
use super::table::{Below, Special};
use crate::WriteKind;
use crate::shell::{OpenWord, Reach, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);

/// Notes the folders below which the command changes files.
pub(super) fn rewrites(judge: &mut Judge<'_>, form: &Form, scan: &Scan<'_>) {
    if !form.rewrites.holds(&scan.options) || form.keeps.holds(&scan.options) {
        return;
    }
    let words = judge.words;
    let operands: Vec<&Word> = scan.operands.iter().filter_map(|place| words.get(*place)).collect();
    match form.rewrites_in {
        Below::Repository if form.sparing && spares(judge, form, scan) => {}
        Below::Repository => {
            let top = pathspec::top(judge);
            judge.places.path(&top, WRITE, Reach::Somewhere);
        }
        Below::Operands if operands.is_empty() => judge.places.path(".", WRITE, Reach::Somewhere),
        Below::Operands => operands.into_iter().for_each(|word| somewhere(judge, word)),
        Below::Made => made(judge, &operands),
        Below::Here if form.sparing && !operands.is_empty() => {}
        Below::Here => here(judge, form, scan),
    }
}

fn somewhere(judge: &mut Judge<'_>, word: &Word) {
    match word {
        Word::Literal(text) => judge.places.path(text, WRITE, Reach::Somewhere),
        Word::Open(open) => judge.places.open(open, WRITE, Reach::Somewhere),
    }
}

/// Whether git leaves all files alone but those that the words name: pathspecs, or none where a branch begins at what is
/// checked out.
fn spares(judge: &Judge<'_>, form: &Form, scan: &Scan<'_>) -> bool {
    let begins = |found: &Found<'_>| matches!(found.name, "-b" | "-B" | "-c" | "-C" | "--create");
    let discards = |found: &Found<'_>| matches!(found.name, "-f" | "--force" | "--discard-changes");
    if scan.operands.is_empty() {
        return scan.options.iter().any(begins) && !scan.options.iter().any(discards);
    }
    let first = scan.operands.first().and_then(|place| judge.words.get(*place)?.literal());
    let verb = matches!(first, Some("pop" | "apply" | "branch" | "save"));
    let only_text = form.operands.as_ref().is_some_and(Operands::only_text);
    !verb && !only_text && pathspec::names_paths(judge, scan)
}

/// `git clone URL`, `git init FOLDER`: the last operand, or what the address ends with.
fn made(judge: &mut Judge<'_>, operands: &[&Word]) {
    match operands {
        [] => {}
        [Word::Literal(from)] if from.contains([':', '/']) => {
            let name = from.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
            let name = name.rsplit(['/', ':']).next().unwrap_or_default();
            judge.places.path(name, WRITE, Reach::Somewhere);
            // `git init deep/folder` names the folder itself.
            judge.places.path(from, WRITE, Reach::Somewhere);
        }
        [.., last] => somewhere(judge, last),
    }
}

/// An archive is taken apart, a patch applied: below the folders that options name, or the one at hand; of an archive only
/// the members that are named.
fn here(judge: &mut Judge<'_>, form: &Form, scan: &Scan<'_>) {
    let into = |found: &&Found<'_>| matches!(found.known.meaning, Meaning::Into | Meaning::Elsewhere);
    let named: Vec<_> = scan.options.iter().filter(into).filter_map(|found| found.value.as_ref()).collect();
    if named.is_empty() {
        return members(judge, form, scan, ".");
    }
    for value in named {
        match (value.text, judge.words.get(value.place)) {
            (Some(folder), _) => members(judge, form, scan, folder),
            (None, Some(Word::Open(open))) => judge.places.open(open, WRITE, Reach::Somewhere),
            _ => {}
        }
    }
}

fn members(judge: &mut Judge<'_>, form: &Form, scan: &Scan<'_>, folder: &str) {
    // Only some programs keep the members' own names, and these not always.
    let renames = ["--strip-components", "--transform", "--xform", "-s", "-P", "--absolute-names"];
    let keeps = form.special == Some(Special::Tar) && !renames.iter().any(|name| scan.names(name));
    let members: Vec<&Word> = form.members(scan).filter_map(|place| judge.words.get(place)).collect();
    if members.is_empty() || !keeps {
        return judge.places.path(folder, WRITE, Reach::Somewhere);
    }
    for member in members {
        match member {
            Word::Literal(name) => {
                judge.places.path(&format!("{folder}/{name}"), WRITE, Reach::Somewhere);
            }
            Word::Open(open) => {
                let before = Some(format!("{folder}/"));
                let pieces = std::iter::once(before).chain(open.pieces.iter().cloned()).collect();
                judge.places.open(&OpenWord { pieces, ..open.clone() }, WRITE, Reach::Somewhere);
            }
        }
    }
}
