//! Files that a program opens under another name than the one that it is given: `zcat a` takes `a.gz` where there is no `a`, and
//! `unzip 'a*'` looks for the names itself.

use std::path::PathBuf;

use super::analyzer::CommandAnalyzer;
use super::archives;
use super::argument_paths::pattern_word;
use super::form::CommandForm;
use super::scan::Scan;
use super::table::TableEntry;
use crate::WriteKind;
use crate::shell::expand::expand_braces;
use crate::shell::{OpenWord, Reach, Touch, TouchedPath, Use, Word};
use crate::{LookupBudget, glob_targets, is_secret_by_name};

/// What else than the names that it is given a program opens.
#[derive(Debug, Default)]
pub(super) struct OtherNames {
    /// It tries the name with each of these at its end, where there is no file of the name itself.
    suffixes: Vec<String>,
    /// Characters of names with which it looks for files by itself, also where the shell leaves them alone.
    wildcards: String,
    /// What it reads may be an archive that only names its members.
    archives: bool,
    /// A shell script that takes words with blanks in them apart: an option may stand in what is no option.
    resplits: bool,
}

impl OtherNames {
    pub(super) fn parse(entry: &TableEntry) -> Self {
        Self {
            suffixes: entry.suffixes.split_whitespace().map(str::to_owned).collect(),
            wildcards: entry.wildcards.clone(),
            archives: entry.archives,
            resplits: entry.resplits,
        }
    }
}

/// The pieces of a path of which nothing but a part of the last name is not known.
fn begun_name(touch: &Touch) -> Option<Vec<Option<String>>> {
    let TouchedPath::Open(path) = &touch.path else { return None };
    let (first, rest) = path.pieces.split_first()?;
    let (_, name) = first.as_deref()?.rsplit_once('/')?;
    let known = rest.iter().flatten();
    let begun = !name.is_empty() || known.clone().any(|text| !text.is_empty());
    let last = known.clone().all(|text| !text.contains('/'));
    (!path.slashes && begun && last).then(|| path.pieces.clone())
}

/// What is there of such names, as far as a name tells something (D3.26): those that hide, for a program's own star may stand for a
/// dot, and those that secrets mostly have. None if there is too much to look at.
fn telling_names(pieces: &[Option<String>], budget: &mut LookupBudget) -> Option<Vec<PathBuf>> {
    let mut found = glob_targets(pieces, budget)?;
    let mut hidden = pieces.to_vec();
    if let Some(Some(first)) = hidden.first_mut()
        && first.ends_with('/')
    {
        first.push('.');
        found.extend(glob_targets(&hidden, budget)?);
    }
    let tells = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_none_or(|name| name.starts_with('.') || is_secret_by_name(name))
    };
    Some(found.into_iter().map(|found| found.path).filter(tells).collect())
}

impl CommandAnalyzer<'_> {
    /// Notes what a program may go through where its words are more than they seem to be.
    pub(super) fn add_resplit_words(&mut self, form: &CommandForm, scan: &Scan<'_>) {
        let more = |word: &Word| match word {
            Word::Literal(text) => text.contains(|c: char| c.is_whitespace() || "*?[".contains(c)),
            Word::Open(_) => true,
        };
        let words = scan.operands.iter().chain(&scan.unknown).filter_map(|place| self.words.get(*place));
        if form.other_names.resplits && words.into_iter().any(more) {
            self.places.add_path(".", Use::Either, Reach::All);
        }
    }

    /// Notes what a program reads besides the operand that it is given.
    pub(super) fn add_other_files(
        &mut self,
        form: &CommandForm,
        scan: &Scan<'_>,
        (word, place): (&Word, usize),
        how: Use,
        reach: Reach,
    ) {
        let literal = word.literal();
        // What is there is opened, as long as nothing in the line could have taken it away.
        let there =
            |name: &str| !self.command.made && self.command.cwd.is_some_and(|cwd| cwd.join(name).is_file());
        let other = &form.other_names;
        let wild = literal.is_some_and(|name| name.contains(|c| other.wildcards.contains(c)));
        if wild || !other.suffixes.is_empty() && !literal.is_some_and(there) {
            self.add_names_near(form, scan, word, how, reach);
        }
        if other.archives
            && let Some(name) = literal
        {
            self.reader &= !self.command.made;
            let file = self.command.cwd.map(|cwd| cwd.join(name));
            if file.is_some_and(|file| archives::names_other_files(&file)) {
                self.named_elsewhere("what the archive names", Use::Read);
                self.add_plain_caveat("an archive that names other files", vec![place]);
            }
        }
    }

    /// Names that the program may make of one.
    pub(super) fn add_names_near(
        &mut self,
        form: &CommandForm,
        scan: &Scan<'_>,
        word: &Word,
        how: Use,
        reach: Reach,
    ) {
        let OtherNames { suffixes, wildcards, .. } = &form.other_names;
        if word.literal() == Some("-") || suffixes.is_empty() && wildcards.is_empty() {
            return;
        }
        if let Some(name) = word.literal().filter(|name| name.contains(|c| wildcards.contains(c))) {
            self.reader = false;
            // What is kept of the pattern's end says which names it leaves out; braces may hold several folders.
            if suffixes.is_empty() {
                for variant in expand_braces(name).unwrap_or_else(|_| vec!["**".to_owned()]) {
                    match variant.contains(|c| wildcards.contains(c)) {
                        true => self.add_own_names(&pattern_word(&variant), how, reach),
                        false => self.places.add_path(&variant, how, reach),
                    }
                }
                return;
            }
            let known = name.split(|c| c == '\\' || wildcards.contains(c)).next().unwrap_or_default();
            let known = Some(known).filter(|known| !known.is_empty()).map(|known| Some(known.to_owned()));
            let pieces = known.into_iter().chain([None]).collect();
            let word = OpenWord { text: name.to_owned(), pieces, glob: true, ..OpenWord::default() };
            return self.places.add_open_word(&word, how, reach);
        }
        // `gzip -S .x`
        let own = scan.options.iter().filter(|found| matches!(found.name, "-S" | "--suffix"));
        let own = own.filter_map(|found| found.value.as_ref()).map(|value| value.text);
        for suffix in own.chain(suffixes.iter().map(|suffix| Some(suffix.as_str()))) {
            match (word, suffix) {
                (Word::Literal(name), Some(suffix)) => {
                    self.places.add_path(&format!("{name}{suffix}"), how, reach)
                }
                (Word::Literal(name), None) => {
                    let pieces = vec![Some(name.clone()), None];
                    let word = OpenWord { text: name.clone(), pieces, ..OpenWord::default() };
                    self.places.add_open_word(&word, how, reach);
                }
                (Word::Open(open), suffix) => {
                    // One look at the folder is enough for all that a glob finds there.
                    let suffix = suffix.filter(|_| !open.glob).map(str::to_owned);
                    let pieces = open.pieces.iter().cloned().chain([suffix]).collect();
                    self.places.add_open_word(&OpenWord { pieces, ..open.clone() }, how, reach);
                    if open.glob {
                        return;
                    }
                }
            }
        }
    }

    /// A name that a program makes, or looks for by itself, and of which not all is known: a rule about whatever is called so (D3.26)
    /// is about what lies there, and not about all that could be called so.
    pub(super) fn add_own_names(&mut self, word: &OpenWord, how: Use, reach: Reach) {
        let before = self.places.touches.len();
        self.places.add_open_word(word, how, reach);
        let Some(pieces) = self.places.touches.get(before).and_then(begun_name) else { return };
        let Some(found) = telling_names(&pieces, &mut self.places.lookup_budget()) else { return };
        found.iter().for_each(|path| self.places.add_linked_path(path, how, reach));
        if let Some(Touch { path: TouchedPath::Open(path), .. }) = self.places.touches.get_mut(before) {
            path.looked_up = true;
        }
    }

    /// Names that the program may write beside the one that it is given: `zip a f` makes `a.zip`.
    pub(super) fn add_written_near(
        &mut self,
        form: &CommandForm,
        scan: &Scan<'_>,
        word: &Word,
        reach: Reach,
    ) {
        self.add_names_near(form, scan, word, Use::Write(WriteKind::Write), reach);
    }
}
