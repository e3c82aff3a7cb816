//! What the words at hand told, until the command takes it that they belong to.

use super::extended_globs::ExtendedGlob;
use crate::shell::{Caveat, CaveatSubject, Touch};

/// What was noted about words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WordNotes {
    pub(super) caveats: Vec<Caveat>,
    pub(super) touches: Vec<Touch>,
    /// Texts that process substitutions write for the command.
    pub(super) offered: Vec<String>,
    /// Something among them is run first, and reads the input that the command has.
    pub(super) ate: bool,
    /// Its input holds what may be a secret of the environment.
    pub(super) secret: bool,
    /// Lines that a value would run where it is read as a number.
    pub(super) evaluated: Vec<String>,
    /// Words that are globs to some shells.
    pub(super) globs: Vec<ExtendedGlob>,
}

impl WordNotes {
    pub(super) fn add_caveat(&mut self, always: bool, reason: String) {
        self.caveats.push(Caveat { reason, always, named: CaveatSubject::Nothing });
    }

    /// Puts what nobody took in another text behind what was noted before that.
    pub(super) fn append_notes(&mut self, left: Self) {
        self.caveats.extend(left.caveats);
        self.touches.extend(left.touches);
        self.offered.extend(left.offered);
        self.evaluated.extend(left.evaluated);
        self.globs.extend(left.globs);
    }
}
