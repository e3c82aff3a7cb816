//! Options that a program knows by more than one spelling.

use serde::Deserialize;

use super::form::{CommandForm, OptionSpec};
use super::option_lookup::{looks_like_option, open_option};
use super::option_reader::OptionReader;
use super::scan::Scan;
use super::table::TableEntry;
use crate::shell::Word;

/// Which spellings of a long option a program takes for the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Spelling {
    /// As it is written, or the beginning of it.
    #[default]
    Exact,
    /// Whatever its case, and with or without `-` and `_` in it: `--outDir`, `--out-dir`, `--OUTDIR`.
    Loose,
    /// Behind any number of dashes, and of `no-`; letters only where all of them are options: `-prefix`.
    Dashes,
}

impl TableEntry {
    /// Has the spelling of an entry that it takes over from, where it says nothing itself.
    pub(super) fn inherit_spelling(&mut self, spelling: Spelling) {
        if self.spelling == Spelling::Exact {
            self.spelling = spelling;
        }
    }
}

/// The letters of an option's name, as a loose reader has them.
fn normalize_option(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

fn is_long(name: &str) -> bool {
    name.trim_start_matches('-').chars().nth(1).is_some()
}

/// The long option of a loose reader: the same letters, or such as begin so. Of several, a dangerous one counts.
/// What stands behind a dot is a part of it: `--outputFile.junit`.
pub(super) fn find_loose_option<'a>(
    form: &'a CommandForm,
    name: &str,
) -> Option<(&'a str, OptionSpec, bool)> {
    let meant = normalize_option(name);
    meant.chars().nth(1)?;
    let head = meant.split_once('.').map(|(head, _)| head);
    let all = || {
        form.options
            .iter()
            .filter(|(of, _)| is_long(of))
            .map(|(of, known)| (of, *known, normalize_option(of)))
    };
    let best = |fits: &dyn Fn(&str) -> bool| {
        let fitting: Vec<_> = all().filter(|(.., own)| fits(own)).map(|(of, known, _)| (of, known)).collect();
        let dangerous = fitting.iter().find(|(_, known)| known.meaning.is_dangerous());
        let found = dangerous.or(fitting.first()).copied();
        found.map(|(of, known)| (of.as_str(), known, fitting.len() == 1))
    };
    let same = best(&|own| own == meant).map(|(of, known, _)| (of, known, true));
    let part = || head.and_then(|head| best(&|own| own == head)).map(|(of, known, _)| (of, known, false));
    same.or_else(part).or_else(|| best(&|own| own.starts_with(&meant)))
}

impl<'a> OptionReader<'a, '_> {
    /// An option of a program to which the number of dashes says nothing; as [`OptionReader::read_option`].
    pub(super) fn read_dashed_option(self, place: usize, text: &'a str, scan: &mut Scan<'a>) -> usize {
        let form = self.form;
        let (whole, glued) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let bare = whole.trim_start_matches('-');
        let mut plain = bare;
        while let Some(rest) = plain.get(..3).filter(|no| no.eq_ignore_ascii_case("no-")).and(plain.get(3..))
        {
            plain = rest;
        }
        // `--@scope:registry=ADDRESS`
        let plain = if plain.ends_with(":registry") { "registry" } else { plain };
        let listed = |name: String| form.options.get_key_value(&name);
        let exact = [format!("--{bare}"), format!("-{bare}"), format!("--{plain}")];
        if let Some((name, known)) = exact.into_iter().find_map(listed) {
            return self.add_with_value(name, *known, place, place + 1, glued, scan);
        }
        let begun = Some(plain).filter(|plain| !plain.is_empty());
        let begun =
            begun.and_then(|plain| super::option_lookup::find_long_option(form, &format!("--{plain}")));
        let all = !bare.is_empty() && bare.chars().all(|letter| form.letter_option(letter).is_some());
        match begun {
            Some((name, known, certain)) if !all || known.meaning.is_dangerous() => {
                if !certain {
                    scan.unknown.push(place);
                }
                self.add_with_value(name, known, place, place + 1, glued, scan)
            }
            _ => {
                if !all {
                    scan.unknown.push(place);
                }
                if all || !whole.starts_with("--") { self.read_cluster(place, text, scan) } else { 0 }
            }
        }
    }

    /// The options of a runner that stand behind the command that it runs, up to `--`: it takes them out of its words.
    pub(super) fn read_trailing_options(self, rest: usize, scan: &mut Scan<'a>) {
        for (place, word) in self.words.iter().enumerate().skip(rest + 1) {
            match word {
                Word::Literal(text) if text == "--" => break,
                Word::Literal(text) if looks_like_option(self.form, text) => {
                    let mut own = Scan::default();
                    self.read_option(place, text, &mut own);
                    let all = own.options.into_iter().chain(own.swallowed);
                    scan.options.extend(all.filter(|found| found.known.meaning.is_dangerous()));
                }
                Word::Literal(_) => {}
                Word::Open(open) => match open_option(self.form, word, place) {
                    Some(found) => {
                        scan.options.extend(Some(found).filter(|found| found.known.meaning.is_dangerous()))
                    }
                    None if open.splits && !open.glob || word.known_prefix().starts_with('-') => {
                        scan.perhaps.push(place)
                    }
                    None => {}
                },
            }
        }
    }
}
