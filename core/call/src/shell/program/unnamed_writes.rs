//! Files that a command changes though no word names them: `git reset --hard`, `unzip a.zip`, `black .`. Where they lie is
//! not known, so the folder above them is what rules are asked about.

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, Operands, OptionMeaning};
use super::made_repositories;
use super::pathspec;
use super::scan::{FoundOption, OptionValue, Scan};
use super::table::{RewriteFolder, SpecialCase};
use super::unpack;
use crate::WriteKind;
use crate::shell::{OpenWord, Reach, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);

/// Notes the folders below which the command changes files.
pub(super) fn add_rewritten_folders(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    if !form.rewrites.is_never() {
        made_repositories::add_made_folder(judge, form, scan);
    }
    let keeps = || !form.keeps.is_never() && form.keeps.holds(scan.reliable_options(form));
    if !form.rewrites.holds(&scan.options) && !has_letter(judge, form, scan) || keeps() {
        return;
    }
    let words = judge.words;
    let operands: Vec<&Word> = scan.operands.iter().filter_map(|place| words.get(*place)).collect();
    // `git apply --directory=DIR`
    for folder in folders_among_options(scan).filter_map(|value| value.text) {
        unpack::fill_folder(judge, folder, true);
    }
    match form.rewrites_in {
        RewriteFolder::Repository if form.sparing && spares_other_files(judge, form, scan) => {}
        RewriteFolder::Repository => {
            let top = pathspec::repository_top(judge);
            judge.places.add_path(&top, WRITE, Reach::Somewhere);
        }
        RewriteFolder::Operands if operands.is_empty() => judge.places.add_path(".", WRITE, Reach::Somewhere),
        RewriteFolder::Operands => operands.into_iter().for_each(|word| add_somewhere_below(judge, word)),
        RewriteFolder::Second => match operands.get(1) {
            Some(word) => {
                if let Word::Literal(folder) = word {
                    unpack::fill_folder(judge, folder, true);
                }
                add_somewhere_below(judge, word);
            }
            None => judge.places.add_path(".", WRITE, Reach::Somewhere),
        },
        RewriteFolder::Made => add_made_folder(judge, &operands),
        RewriteFolder::Here if form.sparing && !operands.is_empty() => {}
        RewriteFolder::Here => add_unpack_folders(judge, form, scan),
    }
}

/// `ruff check --fix`, `biome check --write`: without an operand, an option has it change whatever lies below the folder.
pub(super) fn add_unnamed_edits(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let keeps = || !form.keeps.is_never() && form.keeps.holds(scan.reliable_options(form));
    let named = !scan.operands.is_empty();
    if named || form.rewrites_in != RewriteFolder::Operands || !form.rewrites.holds(&scan.options) || keeps()
    {
        return;
    }
    for found in scan.options.iter().filter(|found| found.known.meaning == OptionMeaning::Edits) {
        let reason = format!("the option {} changes files that no word names", found.name);
        judge.add_plain_caveat(&reason, vec![found.place]);
    }
}

/// Whether the first word of a program that is told by letters what to do has one with which it takes something apart.
fn has_letter(judge: &CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) -> bool {
    let options = scan.options.iter().map(|found| found.place);
    let first = scan.operands.iter().copied().chain(options).chain(scan.unknown.iter().copied()).min();
    let mut words = judge.words.iter().skip(first.unwrap_or(usize::MAX));
    !form.rewrites_by.is_empty()
        && words.find(|word| !word.known_prefix().starts_with("--")).is_some_and(|word| match word {
            Word::Literal(text) => text.contains(|c| form.rewrites_by.contains(c)),
            Word::Open(_) => true,
        })
}

/// The folders that options name to write or work in.
fn folders_among_options<'s, 'w>(scan: &'s Scan<'w>) -> impl Iterator<Item = &'s OptionValue<'w>> {
    let into = |found: &&FoundOption<'_>| {
        matches!(found.known.meaning, OptionMeaning::Into | OptionMeaning::Elsewhere)
    };
    scan.options.iter().filter(into).filter_map(|found| found.value.as_ref())
}

fn add_somewhere_below(judge: &mut CommandAnalyzer<'_>, word: &Word) {
    match word {
        Word::Literal(text) => judge.places.add_path(text, WRITE, Reach::Somewhere),
        Word::Open(open) => judge.places.add_open_word(open, WRITE, Reach::Somewhere),
    }
}

/// Whether git leaves all files alone but those that the words name: pathspecs, or none where a branch begins at what is
/// checked out.
fn spares_other_files(judge: &CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) -> bool {
    let begins = |found: &FoundOption<'_>| matches!(found.name, "-b" | "-B" | "-c" | "-C" | "--create");
    let discards = |found: &FoundOption<'_>| matches!(found.name, "-f" | "--force" | "--discard-changes");
    if scan.operands.is_empty() {
        return scan.options.iter().any(begins) && !scan.options.iter().any(discards);
    }
    let first = scan.operands.first().and_then(|place| judge.words.get(*place)?.literal());
    let verb = matches!(first, Some("pop" | "apply" | "branch" | "save"));
    let only_text = form.operands.as_ref().is_some_and(Operands::only_text);
    !verb && !only_text && pathspec::names_paths(judge, scan)
}

/// `git clone URL`, `git init FOLDER`: the last operand, or what the address ends with.
fn add_made_folder(judge: &mut CommandAnalyzer<'_>, operands: &[&Word]) {
    match operands {
        [] => {}
        [Word::Literal(from)] if from.contains([':', '/']) => {
            judge.places.add_path(&made_repositories::made_name(from), WRITE, Reach::Somewhere);
            // `git init deep/folder` names the folder itself.
            judge.places.add_path(from, WRITE, Reach::Somewhere);
        }
        [.., last] => add_somewhere_below(judge, last),
    }
}

/// An archive is taken apart, a patch applied: below the folders that options name, or the one at hand; of an archive only
/// the members that are named.
fn add_unpack_folders(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let named: Vec<_> = folders_among_options(scan).collect();
    if named.is_empty() {
        unpack::fill_hidden_folder(judge);
        return add_members(judge, form, scan, ".");
    }
    for value in named {
        match (value.text, judge.words.get(value.place)) {
            (Some(folder), _) => add_members(judge, form, scan, folder),
            (None, Some(Word::Open(open))) => judge.places.add_open_word(open, WRITE, Reach::Somewhere),
            _ => {}
        }
    }
}

fn add_members(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>, folder: &str) {
    // Only some programs keep the members' own names, and these not always.
    let renames = ["--strip-components", "--transform", "--xform", "-s", "-P", "--absolute-names"];
    let keeps = form.special == Some(SpecialCase::Tar) && !renames.iter().any(|name| scan.has_option(name));
    let members: Vec<&Word> = form.archive_members(scan).filter_map(|place| judge.words.get(place)).collect();
    if members.is_empty() || !keeps {
        return judge.places.add_path(folder, WRITE, Reach::Somewhere);
    }
    for member in members {
        match member {
            Word::Literal(name) => {
                judge.places.add_path(&format!("{folder}/{name}"), WRITE, Reach::Somewhere);
            }
            Word::Open(open) => {
                let before = Some(format!("{folder}/"));
                let pieces = std::iter::once(before).chain(open.pieces.iter().cloned()).collect();
                judge.places.add_open_word(&OpenWord { pieces, ..open.clone() }, WRITE, Reach::Somewhere);
            }
        }
    }
}
