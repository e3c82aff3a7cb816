//! What is noted about a command while it is looked at: files that it changes, and why it is asked about.

use super::analyzer::CommandAnalyzer;
use crate::WriteKind;
use crate::shell::{Caveat, CaveatSubject};

/// As many caveats of one command are told apart.
const MOST_CAVEATS: usize = 64;

impl CommandAnalyzer<'_> {
    /// A file that it certainly changes.
    pub(super) fn add_write(&mut self, kind: WriteKind, path: &str) {
        self.reader = false;
        let nowhere = matches!(path, "" | "-" | "/dev/null" | "/dev/stdout" | "/dev/stderr");
        if !nowhere && self.known.writes.len() < 256 {
            self.known.writes.push((kind, path.to_owned()));
        }
    }

    /// A caveat that no pattern can name.
    pub(super) fn add_always_caveat(&mut self, reason: &str) {
        self.add_caveat(Caveat { reason: reason.to_owned(), always: true, named: CaveatSubject::Nothing });
    }

    /// A plain caveat about the words at these places.
    pub(super) fn add_plain_caveat(&mut self, reason: &str, places: Vec<usize>) {
        self.reader = false;
        let named = if places.is_empty() { CaveatSubject::Nothing } else { CaveatSubject::Words(places) };
        self.add_caveat(Caveat { reason: reason.to_owned(), always: false, named });
    }

    /// A caveat; where there are too many to tell apart, one that no pattern can name.
    pub(super) fn add_caveat(&mut self, caveat: Caveat) {
        self.reader = false;
        let many = self.known.caveats.len() >= MOST_CAVEATS && !caveat.always;
        let caveat = match many {
            true => Caveat {
                reason: "more than can be told apart".to_owned(),
                named: CaveatSubject::Nothing,
                ..caveat
            },
            false => caveat,
        };
        // An `always` one is never left out, and one is enough of those that are too many.
        let enough = self.known.caveats.iter().filter(|other| other.always).count() >= MOST_CAVEATS;
        if !enough && !self.known.caveats.contains(&caveat) {
            self.known.caveats.push(caveat);
        }
    }
}
