//! Whether a word pattern could be about a command of which not all is known.

use super::super::glob::{Glob, Part};
use super::seen::{SeenForm, SeenWord, names};
use super::{Assigned, WordPattern, Words};
use mayi_call::shell::Assignment;

/// As many steps are taken: then it could.
const MOST_STEPS: usize = 1 << 16;

impl Words {
    /// Whether these words could be meant.
    pub(super) fn could(&self, form: &SeenForm<'_>, assignments: &[Assignment]) -> bool {
        let words = form.words();
        (self.assignments.is_empty() || self.could_assign(assignments))
            && (!words.is_empty() || self.words.is_empty())
            && self.could_be(words)
    }

    /// Whether further words may follow: `touch *`, and `touch*` as people mean it.
    fn more(&self) -> bool {
        self.rest || self.glued
    }

    /// Each of its assignments is there, or could be: an element of an array, or one that appends.
    fn could_assign(&self, assignments: &[Assignment]) -> bool {
        self.assignments.iter().all(|own| assignments.iter().any(|of| own.could(of)))
    }

    fn could_be(&self, words: &[SeenWord<'_>]) -> bool {
        // Most commands are known: one way only.
        let known =
            words.iter().take(self.words.len() + 1).all(|word| matches!(word, SeenWord::Known { .. }));
        if known {
            let count = words.len() == self.words.len() || (self.more() && words.len() > self.words.len());
            return count
                && self
                    .words
                    .iter()
                    .zip(words)
                    .enumerate()
                    .all(|(at, (own, word))| own.could(word, at == 0));
        }
        let width = self.words.len() + 1;
        if width.saturating_mul(words.len()).saturating_mul(width) > MOST_STEPS {
            return true;
        }
        // How many words of the pattern may be used up before the word at hand.
        let mut now = vec![false; width];
        put(&mut now, 0);
        for word in words {
            let mut next = vec![false; width];
            for at in (0..width).filter(|at| now.get(*at) == Some(&true)) {
                if at == self.words.len() && self.more() {
                    put(&mut next, at);
                }
                if self.words.get(at).is_some_and(|own| own.could(word, at == 0)) {
                    put(&mut next, at + 1);
                }
                if let SeenWord::Open { splits: true, plain, folded, glob } = word {
                    put(&mut next, at);
                    self.split(at, [folded, plain], *glob, &mut next);
                }
            }
            now = next;
            if !now.contains(&true) {
                return false;
            }
        }
        now.last() == Some(&true)
    }

    /// One word becomes several: its beginning is that of the first, its end that of the last.
    fn split(&self, at: usize, [folded, plain]: [&Vec<Part>; 2], glob: bool, next: &mut [bool]) {
        let gap = Part::Gap { slashes: true };
        let cut = |parts: &Vec<Part>| {
            let is_gap = |part: &Part| matches!(part, Part::Gap { .. });
            let (first, last) = (parts.iter().position(is_gap), parts.iter().rposition(is_gap));
            let mut head = parts.get(..first.unwrap_or(0)).unwrap_or_default().to_vec();
            head.push(gap);
            let mut tail = vec![gap];
            tail.extend(parts.get(last.map_or(parts.len(), |at| at + 1)..).unwrap_or_default());
            (head, tail)
        };
        let word = |parts: [Vec<Part>; 2]| {
            let [folded, plain] = parts;
            SeenWord::Open { folded, plain, splits: false, glob: false }
        };
        let ((folded_head, folded_tail), (plain_head, plain_tail)) = (cut(folded), cut(plain));
        let head = word([folded_head, plain_head]);
        let tail = word([folded_tail, plain_tail]);
        let whole = word([folded.clone(), plain.clone()]);
        let first = if glob { &whole } else { &head };
        if !self.words.get(at).is_some_and(|own| own.could(first, at == 0)) {
            return;
        }
        for end in at + 1..self.words.len() {
            let Some(own) = self.words.get(end) else { return };
            // Names of files all have the word's own form; words of an expansion are anything between.
            if glob && !own.could(&whole, false) {
                return;
            }
            if glob || own.could(&tail, false) {
                put(next, end + 1);
            }
        }
        if self.more() {
            put(next, self.words.len());
        }
    }
}

impl Assigned {
    fn could(&self, of: &Assignment) -> bool {
        let name = of.name.trim_end_matches('+');
        let name = name.split('[').next().unwrap_or(name);
        let value =
            of.value.literal().map(|text| SeenWord::Known { folded: text.into(), plain: text.into() });
        name == self.name && value.is_none_or(|value| self.value.could(&value, false))
    }
}

impl WordPattern {
    /// Whether the word could be the one that is meant; the first is the command's name.
    fn could(&self, word: &SeenWord<'_>, command: bool) -> bool {
        match (self, word) {
            (Self::Any, _) => true,
            (Self::Literal(text), SeenWord::Known { folded, plain }) => {
                if command {
                    names(folded).any(|name| name == text.folded())
                } else if option(plain) {
                    plain.as_ref() == text.plain()
                } else {
                    folded.as_ref() == text.folded()
                }
            }
            (Self::Glob { folded: own, plain: own_plain, .. }, SeenWord::Known { folded, plain }) => {
                if command {
                    names(folded).any(|name| own.matches(name))
                } else if option(plain) {
                    own_plain.matches(plain)
                } else {
                    own.matches(folded)
                }
            }
            (Self::Literal(text), SeenWord::Open { folded, plain, .. }) => {
                open(&Glob::exactly(text.folded()), folded, command)
                    || open(&Glob::exactly(text.plain()), plain, command)
            }
            (Self::Glob { folded: own, plain: own_plain, .. }, SeenWord::Open { folded, plain, .. }) => {
                open(own, folded, command) || open(own_plain, plain, command)
            }
        }
    }
}

/// The case of options counts.
fn option(word: &str) -> bool {
    word.starts_with('-')
}

fn open(glob: &Glob, parts: &[Part], command: bool) -> bool {
    if glob.could(parts) {
        return true;
    }
    // By its base name: what stands behind the last slash, or behind what may end in one.
    let behind = parts.iter().rposition(|part| matches!(part, Part::Char('/') | Part::Gap { slashes: true }));
    command
        && behind.is_some_and(|at| {
            let from = if matches!(parts.get(at), Some(Part::Char('/'))) { at + 1 } else { at };
            glob.could(parts.get(from..).unwrap_or_default())
        })
}

fn put(row: &mut [bool], at: usize) {
    if let Some(place) = row.get_mut(at) {
        *place = true;
    }
}
