//! Other spellings of the same command, for the rules that deny or ask: without the options before a
//! sub-command, and with options that are written short written out.

use super::form::CommandForm;
use super::goals::by_each_goal;
use super::name;
use super::option_lookup::find_long_option;
use super::scan::scan_words;
use super::sub_names::by_other_names;
use super::table::{OptionStyle, ProgramEntry, ProgramTable, SpecialCase};
use crate::shell::{OpenWord, Word, split_words};

/// As many spellings of one command are offered.
const MOST: usize = 32;

/// Adds the spellings of the command that begins at `at` among `words`, besides the one that stands there.
pub(super) fn add_spellings(words: &[Word], at: usize, found: &mut Vec<Vec<Word>>) {
    let Some(whole) = words.get(at..) else { return };
    let Some(first) = whole.first().and_then(Word::literal) else { return };
    let base = name::base_name(first);
    let table = ProgramTable::get();
    // One with a version behind its name is that program, too: `pip3.12 install` is `pip install`.
    let others: Vec<&str> =
        name::without_version(base).filter(|name| table.find_program(name).is_some()).collect();
    let program = table.find_program(base).or_else(|| table.find_program(others.first()?));
    let mut new = Vec::new();
    let form = match program {
        Some(program) if program.has_subs() => spell_sub_command(program, whole, &mut new),
        program => {
            let form = program.map(ProgramEntry::form);
            spell_without_options(form, whole.first().as_slice(), whole, 1, &mut new);
            let before = new.len();
            without_options(&whole.iter().collect::<Vec<_>>(), &mut new);
            for words in new.get(..before).unwrap_or_default().to_vec() {
                without_options(&words.iter().collect::<Vec<_>>(), &mut new);
            }
            form
        }
    };
    if program.is_some_and(ProgramEntry::names_subs) {
        new.extend(by_other_names(std::iter::once(whole).chain(new.iter().map(Vec::as_slice))));
    }
    let plain = std::iter::once(whole).chain(new.iter().map(Vec::as_slice));
    let long: Vec<_> = plain.flat_map(|words| written_out(form, words)).take(MOST).collect();
    let own = found.len();
    found.extend(new.into_iter().chain(long).take(MOST));
    if !others.is_empty() {
        let plain = std::iter::once(whole.to_vec()).chain(found.get(own..).unwrap_or_default().to_vec());
        let plain: Vec<Vec<Word>> = plain.take(MOST).collect();
        for other in others {
            let named = |words: &Vec<Word>| -> Vec<Word> {
                std::iter::once(Word::from(other)).chain(words.iter().skip(1).cloned()).collect()
            };
            found.extend(plain.iter().map(named));
        }
    }
    found.extend(form.map(|form| by_each_goal(form, whole)).unwrap_or_default());
}

/// `git -C x push y` is `git push y`; returns the form of the last sub-command.
fn spell_sub_command(
    mut program: &'static ProgramEntry,
    words: &[Word],
    new: &mut Vec<Vec<Word>>,
) -> Option<&'static CommandForm> {
    let mut kept: Vec<&Word> = words.first().into_iter().collect();
    let (mut from, mut dropped) = (1, false);
    while program.has_subs() {
        let scan = scan_words(program.form(), words, from, Some(0));
        let Some(rest) = scan.rest else { break };
        dropped |= rest > from;
        // The value of an option that is not known would be taken for the sub-command.
        if !scan.unknown.is_empty() {
            behind_options(&kept, words.get(from..).unwrap_or_default(), new);
        }
        add_alias_spellings(program.form(), words, from..rest, new);
        let name = words.get(rest).and_then(Word::literal);
        let Some(sub) = name.and_then(|text| program.sub_command(text)) else {
            from = rest;
            break;
        };
        kept.extend(words.get(rest));
        (program, from) = (sub, rest + 1);
    }
    let rest = words.get(from..).unwrap_or_default();
    if dropped {
        new.push(kept.iter().copied().chain(rest).cloned().collect());
    }
    // `docker compose --what x up`
    match program.has_subs() {
        true => without_options(&kept.into_iter().chain(rest).collect::<Vec<_>>(), new),
        false => spell_without_options(Some(program.form()), &kept, words, from, new),
    }
    Some(program.form())
}

/// Without the options among `words` from `from` on, and their values, behind what is `kept` of the words before.
fn spell_without_options(
    form: Option<&CommandForm>,
    kept: &[&Word],
    words: &[Word],
    from: usize,
    new: &mut Vec<Vec<Word>>,
) {
    let scan = form.map(|form| scan_words(form, words, from, None));
    if scan.as_ref().is_none_or(|scan| !scan.unknown.is_empty() || !scan.differs.is_empty()) {
        behind_options(kept, words.get(from..).unwrap_or_default(), new);
    }
    if let Some(scan) = scan {
        // Behind `--` an operand may look like an option: then it stays.
        let dashed = |at: &usize| words.get(*at).is_some_and(|word| word.known_prefix().starts_with('-'));
        let ended = scan.ended.filter(|end| scan.operands.iter().filter(|at| *at > end).any(dashed));
        let mut places: Vec<usize> = scan.operands.into_iter().chain(ended).collect();
        places.sort_unstable();
        let bare = places.into_iter().filter_map(|at| words.get(at));
        keep_spelling(&kept.iter().copied().chain(bare).collect::<Vec<_>>(), words.len(), new);
    }
}

/// Without the options that `rest` begins with; it is not known which of them take the next word.
fn behind_options(kept: &[&Word], rest: &[Word], new: &mut Vec<Vec<Word>>) {
    let mut option = false;
    for (at, word) in rest.iter().enumerate().take(MOST) {
        let own = word.literal().is_some_and(|text| text.len() > 1 && text.starts_with(['-', '+']));
        if own {
            option = true;
            continue;
        }
        if at == 0 {
            return;
        }
        let spelled = kept.iter().copied().chain(rest.get(at..).unwrap_or_default());
        if !has_spelling(new, spelled.clone()) {
            new.push(spelled.cloned().collect());
        }
        if !std::mem::take(&mut option) {
            return;
        }
    }
}

/// Without any options: `aws s3 --x rm y`, where nothing is known of the sub-commands.
fn without_options(words: &[&Word], new: &mut Vec<Vec<Word>>) {
    let option = |word: &Word| word.literal().is_some_and(|text| text.len() > 1 && text.starts_with('-'));
    let spelled: Vec<&Word> = words.iter().copied().filter(|word| !option(word)).collect();
    keep_spelling(&spelled, words.len(), new);
}

/// Takes a spelling that leaves out some of so many words, and is more than the program's name.
fn keep_spelling(spelled: &[&Word], words: usize, new: &mut Vec<Vec<Word>>) {
    let shorter = spelled.len() > 1 && spelled.len() < words;
    if shorter && new.len() < MOST && !has_spelling(new, spelled.iter().copied()) {
        new.push(spelled.iter().copied().cloned().collect());
    }
}

/// Whether a spelling is there already.
fn has_spelling<'w>(all: &[Vec<Word>], spelled: impl Iterator<Item = &'w Word> + Clone) -> bool {
    all.iter().any(|other| other.iter().eq(spelled.clone()))
}

/// `git -c alias.x=push x`: the name stands for what was just said.
fn add_alias_spellings(
    form: &CommandForm,
    words: &[Word],
    own: std::ops::Range<usize>,
    new: &mut Vec<Vec<Word>>,
) {
    if form.special != Some(SpecialCase::Aliases) {
        return;
    }
    let rest = words.get(own.end + 1..).unwrap_or_default();
    for text in words.get(own).unwrap_or_default().iter().filter_map(Word::literal) {
        let text = text.strip_prefix("-c").unwrap_or(text);
        let alias = text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("alias."));
        let value = text.split_once('=').map(|(_, value)| value).filter(|value| !value.starts_with('!'));
        if let (true, Some(value)) = (alias, value.and_then(split_words)) {
            let value = value.into_iter().map(Word::Literal);
            new.push(words.first().cloned().into_iter().chain(value).chain(rest.iter().cloned()).collect());
        }
    }
}

/// With long options that are only begun (`--forc`) as the program would take them; where that is not
/// known, as anything that begins so.
fn written_out(form: Option<&CommandForm>, words: &[Word]) -> Vec<Vec<Word>> {
    let style = form.map_or(OptionStyle::Gnu, |form| form.style);
    if style != OptionStyle::Gnu {
        return Vec::new();
    }
    // Most commands have none: only then anything is put together.
    let begun = |word: &Word| {
        let name = word.literal()?.split('=').next()?;
        let long = name.len() > 2 && name.starts_with("--");
        (long && !form.is_some_and(|form| form.options.contains_key(name))).then(|| name.to_owned())
    };
    if !words.iter().any(|word| begun(word).is_some()) {
        return Vec::new();
    }
    let (mut whole, mut open, mut known) = (Vec::new(), Vec::new(), false);
    for word in words {
        match begun(word) {
            Some(name) => {
                let (long, any) = complete_option(form, word, name);
                known |= long.is_some();
                whole.push(long.unwrap_or_else(|| word.clone()));
                open.push(any);
            }
            None => {
                whole.push(word.clone());
                open.push(word.clone());
            }
        }
    }
    let whole = known.then_some(whole);
    whole.into_iter().chain([open]).collect()
}

/// A word with the beginning `name` of a long option: as the program would take it, and as anything that begins so.
fn complete_option(form: Option<&CommandForm>, word: &Word, name: String) -> (Option<Word>, Word) {
    let text = word.literal().unwrap_or_default();
    let behind = text.get(name.len()..).filter(|behind| !behind.is_empty());
    let long = form.and_then(|form| find_long_option(form, &name));
    let long = long.map(|(long, ..)| Word::Literal(format!("{long}{}", behind.unwrap_or_default())));
    let behind = behind.map(|behind| Some(behind.to_owned()));
    let pieces = [Some(name), None].into_iter().chain(behind).collect();
    let any = OpenWord { text: text.to_owned(), pieces, ..OpenWord::default() };
    (long, Word::Open(any))
}
