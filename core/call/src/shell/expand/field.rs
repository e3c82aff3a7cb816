//! A word while it is put together.

use std::sync::Arc;

use super::WordContext;
use super::value_braces::{Shape, brace_readings};
use super::variants::{Pieces, WordVariants};
use crate::effort;
use crate::shell::walk::{EXCLUSION, is_extended_sign};
use crate::shell::{GapContent, OpenWord, Search, Word};

/// Known text, and gaps for what is not known.
#[derive(Default)]
pub(super) struct WordBuilder {
    pieces: Vec<Option<String>>,
    /// A gap may become several words, or none.
    splits: bool,
    /// A gap comes from a glob.
    globs: bool,
    /// It stands in this very word.
    listed: bool,
    /// A gap comes from something else.
    expands: bool,
    /// Of these, one that could be anything.
    wild: bool,
    /// A gap holds something else than what the line has assigned.
    unassigned: bool,
    /// Its text, with what the line has assigned.
    assigned: String,
    /// A gap is what this search prints.
    search: Option<Arc<Search>>,
    /// What stands in the gaps at most, if there are any.
    held: Option<GapContent>,
    /// What came first is another word, and nothing known before it.
    begun_by_word: bool,
    /// How many expansions and globs are in it.
    opened: usize,
    /// The pieces of a name that a glob gives, if that came first and is split again.
    split_name: Option<Pieces>,
    /// What all of it could be, and what the next gap could be.
    variants: WordVariants,
    values: Vec<Pieces>,
    /// Which of its braces and commas stand without quotes.
    shape: Shape,
    /// A sign stands in it without quotes that zsh may take for a glob; and one that does so beside another.
    extended_sign: bool,
    exclusion_sign: bool,
}

impl WordBuilder {
    /// Text that is known.
    pub(super) fn push_text(&mut self, text: &str) {
        self.shape.push_quoted(text);
        self.add_text(text);
    }

    /// The same, as it stands in the line without quotes.
    pub(super) fn push_bare(&mut self, text: &str) {
        self.shape.push_bare(text);
        self.add_text(text);
    }

    /// What a variable holds, without quotes.
    pub(super) fn push_value(&mut self, text: &str) {
        self.shape.push_value(text);
        self.add_text(text);
    }

    /// A character that stands in the line without quotes, `first` of its word or not: zsh may take it for a glob.
    pub(super) fn push_possible_sign(&mut self, c: char, first: bool) {
        let sign = is_extended_sign(c, first);
        self.exclusion_sign |= sign && c == EXCLUSION;
        self.extended_sign |= sign && c != EXCLUSION;
        self.push_bare(c.encode_utf8(&mut [0; 4]));
    }

    /// Whether zsh may take signs in it for a glob.
    pub(super) fn may_be_extended(&self) -> bool {
        self.extended_sign || self.exclusion_sign && self.globs
    }

    fn add_text(&mut self, text: &str) {
        if !effort::spend(text.len()) {
            return;
        }
        self.values.clear();
        self.assigned.push_str(text);
        self.variants.push_text(text);
        match self.pieces.last_mut() {
            Some(Some(before)) => before.push_str(text),
            _ => self.pieces.push(Some(text.to_owned())),
        }
    }

    /// Names of files.
    pub(super) fn push_glob(&mut self) {
        self.opened += 1;
        self.globs = true;
        self.listed = true;
        self.wild = true;
        self.splits = true;
        self.shape.push_gap(false);
        self.push_gap(GapContent::Name);
    }

    /// Anything.
    pub(super) fn push_open(&mut self, splits: bool) {
        self.push_expansion(GapContent::Anything, splits);
    }

    /// This much is known of what it is.
    pub(super) fn push_expansion(&mut self, held: GapContent, splits: bool) {
        self.opened += 1;
        self.wild = true;
        self.expands = true;
        self.splits |= splits;
        self.shape.push_gap(splits);
        self.push_gap(held);
    }

    /// What commands print; `search`: names that it finds.
    pub(super) fn push_printed(&mut self, search: Option<Arc<Search>>, held: GapContent, splits: bool) {
        self.push_expansion(held, splits);
        self.search = search.filter(|_| splits);
    }

    /// A number that the shell counts or computes by itself.
    pub(super) fn push_number(&mut self, splits: bool) {
        self.opened += 1;
        self.expands = true;
        self.splits |= splits;
        self.shape.push_gap(splits);
        self.push_gap(GapContent::Number);
    }

    /// What another word is.
    pub(super) fn push_word(&mut self, word: &Word) {
        match word {
            Word::Literal(text) => self.push_text(text),
            Word::Open(open) => {
                self.opened += 1;
                self.begun_by_word |= self.pieces.is_empty();
                let (before, values) = (self.variants.clone(), std::mem::take(&mut self.values));
                for piece in &open.pieces {
                    match piece {
                        Some(text) => self.push_text(text),
                        None => self.push_gap(open.held),
                    }
                }
                self.variants = before;
                self.variants.push_one_of(match (values.is_empty(), open.variants.is_empty()) {
                    (false, _) => &values,
                    (true, false) => &open.variants,
                    (true, true) => std::slice::from_ref(&open.pieces),
                });
                self.globs |= open.glob;
                self.expands |= !open.glob;
                self.wild |= !open.tame;
                self.search.clone_from(&open.search);
            }
        }
    }

    /// Braces that come from a variable are read as those of the line.
    pub(super) fn read_value_braces(&mut self) {
        if !self.is_open() {
            let Some(words) = self.shape.words() else { return };
            let text: String = std::mem::take(&mut self.pieces).into_iter().flatten().collect();
            let before = text.split('{').next().filter(|before| !before.is_empty());
            self.pieces.extend(before.map(|before| Some(before.to_owned())));
            self.push_open(true);
            self.variants = WordVariants::of_text(text, words);
        } else if self.splits {
            let number = self.held == Some(GapContent::Number);
            let assigned = vec![Some(self.assigned.clone())];
            // Names that differ in numbers alone lead to no other place.
            let counts = if self.unassigned { number && counts(&self.pieces) } else { counts(&assigned) };
            if !counts && self.shape.lists_gap() {
                self.pieces = around_braces(&self.pieces);
            }
            self.unassigned |= !counts && !brace_readings(&assigned).is_empty();
            self.variants.read_braces();
        }
    }

    /// Not all of it is known.
    pub(super) fn is_open(&self) -> bool {
        self.globs || self.expands
    }

    /// What was put in may become several words, or none, and these be read as globs again.
    pub(super) fn split_again(&mut self) {
        let only = self.begun_by_word && self.globs && !self.expands && self.opened == 1;
        self.split_name = only.then(|| self.pieces.clone());
        (self.splits, self.expands, self.search) = (true, true, None);
        self.shape.push_gap(true);
    }

    /// What the line has assigned to a variable, if nothing else did.
    pub(super) fn push_assigned(&mut self, text: &str, splits: bool) {
        let unassigned = self.unassigned;
        self.push_expansion(GapContent::Printed, splits);
        self.unassigned = unassigned;
        if effort::spend(text.len()) {
            self.assigned.push_str(text);
        }
    }

    /// What the next gap could be, as far as the line tells.
    pub(super) fn expect_values(&mut self, values: Vec<Pieces>) {
        self.values = values;
    }

    fn push_gap(&mut self, held: GapContent) {
        self.variants.push_one_of(&std::mem::take(&mut self.values));
        self.unassigned = true;
        self.held = Some(self.held.map_or(held, |before| before.min(held)));
        if self.pieces.last() != Some(&None) {
            self.pieces.push(None);
        }
    }

    /// The word, as it was written: `raw`.
    pub(super) fn into_word(self, raw: &str, place: WordContext) -> Word {
        if !self.is_open() {
            return Word::Literal(self.pieces.into_iter().flatten().collect());
        }
        let alone = matches!(self.pieces.as_slice(), [None]);
        let variants = self.variants.into_others(&self.pieces);
        let split_name = self.opened == 1 && self.split_name.as_ref() == Some(&self.pieces);
        Word::Open(OpenWord {
            text: raw.to_owned(),
            pieces: self.pieces,
            splits: self.splits && place == WordContext::Command,
            glob: self.globs && !self.expands,
            tame: !self.wild,
            assigned: Some(self.assigned).filter(|_| !self.unassigned),
            // Nothing else may stand beside it.
            variants,
            search: self.search.filter(|_| alone && self.opened == 1),
            split_name,
            // A glob of which a part is not known lists other files than were looked up.
            held: self.held.filter(|_| !(self.listed && self.expands)).unwrap_or_default(),
        })
    }
}

/// What is known of a word before and behind its braces.
fn around_braces(pieces: &[Option<String>]) -> Pieces {
    let known = |piece: &Option<String>| piece.clone().unwrap_or_else(|| "{}".to_owned());
    let text: String = pieces.iter().map(known).collect();
    let before = text.split('{').next().unwrap_or_default();
    let behind = text.rsplit('}').next().unwrap_or_default();
    let known = |text: &str| (!text.is_empty()).then(|| Some(text.to_owned()));
    [known(before), Some(None), known(behind)].into_iter().flatten().collect()
}

/// Whether all that stands in the braces of a word are numbers, and dots between them.
fn counts(pieces: &[Option<String>]) -> bool {
    let text: String = pieces.iter().map(|piece| piece.as_deref().unwrap_or("0")).collect();
    let inner = text.split_once('{').and_then(|(_, behind)| behind.rsplit_once('}'));
    inner.is_some_and(|(inner, _)| inner.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}
