//! A word while it is put together.

use std::sync::Arc;

use super::Place;
use crate::shell::{Held, OpenWord, Search, Word};

/// Known text, and gaps for what is not known.
#[derive(Default)]
pub(super) struct Field {
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
    held: Option<Held>,
}

impl Field {
    /// Text that is known.
    pub(super) fn known(&mut self, text: &str) {
        self.assigned.push_str(text);
        match self.pieces.last_mut() {
            Some(Some(before)) => before.push_str(text),
            _ => self.pieces.push(Some(text.to_owned())),
        }
    }

    /// Names of files.
    pub(super) fn glob(&mut self) {
        self.globs = true;
        self.listed = true;
        self.wild = true;
        self.splits = true;
        self.gap(Held::Name);
    }

    /// Anything.
    pub(super) fn open(&mut self, splits: bool) {
        self.holds(Held::Anything, splits);
    }

    /// This much is known of what it is.
    pub(super) fn holds(&mut self, held: Held, splits: bool) {
        self.wild = true;
        self.expands = true;
        self.splits |= splits;
        self.gap(held);
    }

    /// What commands print; `search`: names that it finds.
    pub(super) fn printed(&mut self, search: Option<Arc<Search>>, held: Held, splits: bool) {
        self.holds(held, splits);
        self.search = search.filter(|_| splits);
    }

    /// A number that the shell counts or computes by itself.
    pub(super) fn number(&mut self, splits: bool) {
        self.expands = true;
        self.splits |= splits;
        self.gap(Held::Number);
    }

    /// What another word is.
    pub(super) fn splice(&mut self, word: &Word) {
        match word {
            Word::Literal(text) => self.known(text),
            Word::Open(open) => {
                for piece in &open.pieces {
                    match piece {
                        Some(text) => self.known(text),
                        None => self.gap(open.held),
                    }
                }
                self.globs |= open.glob;
                self.expands |= !open.glob;
                self.wild |= !open.tame;
                self.search.clone_from(&open.search);
            }
        }
    }

    /// Not all of it is known.
    pub(super) fn is_open(&self) -> bool {
        self.globs || self.expands
    }

    /// What was put in may become several words, or none, and these be read as globs again.
    pub(super) fn split_again(&mut self) {
        (self.splits, self.expands, self.search) = (true, true, None);
    }

    /// What the line has assigned to a variable, if nothing else did.
    pub(super) fn assigned(&mut self, text: &str, splits: bool) {
        let unassigned = self.unassigned;
        self.holds(Held::Printed, splits);
        self.unassigned = unassigned;
        self.assigned.push_str(text);
    }

    fn gap(&mut self, held: Held) {
        self.unassigned = true;
        self.held = Some(self.held.map_or(held, |before| before.min(held)));
        if self.pieces.last() != Some(&None) {
            self.pieces.push(None);
        }
    }

    /// The word, as it was written: `raw`.
    pub(super) fn into_word(self, raw: &str, place: Place) -> Word {
        if !self.is_open() {
            return Word::Literal(self.pieces.into_iter().flatten().collect());
        }
        let alone = matches!(self.pieces.as_slice(), [None]);
        Word::Open(OpenWord {
            text: raw.to_owned(),
            pieces: self.pieces,
            splits: self.splits && place == Place::Command,
            glob: self.globs && !self.expands,
            tame: !self.wild,
            assigned: Some(self.assigned).filter(|_| !self.unassigned),
            // Nothing else may stand beside it.
            search: self.search.filter(|_| alone),
            // A glob of which a part is not known lists other files than were looked up.
            held: self.held.filter(|_| !(self.listed && self.expands)).unwrap_or_default(),
        })
    }
}
