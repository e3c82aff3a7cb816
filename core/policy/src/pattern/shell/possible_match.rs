//! Whether a word pattern could be about a command of which not all is known.

use super::super::glob::{Glob, TextPart};
use super::command_forms::{CommandForm, ComparableWord, name_variants};
use super::{AssignmentPattern, SimpleCommandPattern, WordPattern};
use mayi_call::effort;
use mayi_call::shell::Assignment;

/// As many steps are taken: then it could.
const MOST_STEPS: usize = 1 << 16;

impl SimpleCommandPattern {
    /// Whether these words could be meant.
    pub(super) fn could_match(&self, form: &CommandForm<'_>, assignments: &[Assignment]) -> bool {
        let words = form.words();
        (self.assignments.is_empty() || self.could_match_assignments(assignments))
            && (!words.is_empty() || self.words.is_empty())
            && self.could_match_words(words)
    }

    /// Whether further words may follow: `touch *`, and `touch*` as people mean it.
    pub(super) fn takes_more_words(&self) -> bool {
        self.rest || self.glued
    }

    /// Each of its assignments is there, or could be: an element of an array, or one that appends.
    pub(super) fn could_match_assignments(&self, assignments: &[Assignment]) -> bool {
        self.assignments.iter().all(|own| assignments.iter().any(|of| own.could_match(of)))
    }

    pub(super) fn could_match_words(&self, words: &[ComparableWord<'_>]) -> bool {
        // Most commands are known: one way only, up to what stands for any number of words.
        let known =
            words.iter().take(self.words.len() + 1).all(|word| matches!(word, ComparableWord::Known { .. }));
        let several = self.words.iter().position(WordPattern::is_several);
        if known {
            let own = several.unwrap_or(self.words.len());
            let count =
                words.len() == own || ((several.is_some() || self.takes_more_words()) && words.len() > own);
            let mut pairs = self.words.iter().take(own).zip(words).enumerate();
            let fits = count && pairs.all(|(at, (own, word))| own.could_match(word, at == 0));
            if !fits || several.is_none() {
                return fits;
            }
        }
        let width = self.words.len() + 1;
        if width.saturating_mul(words.len()).saturating_mul(width) > MOST_STEPS {
            return true;
        }
        // How many words of the pattern may be used up before the word at hand.
        let mut now = vec![false; width];
        self.mark_reached(&mut now, 0);
        for word in words {
            if several.is_some() && !effort::spend(width) {
                return false;
            }
            let mut next = vec![false; width];
            for at in (0..width).filter(|at| now.get(*at) == Some(&true)) {
                if at == self.words.len() && self.takes_more_words() {
                    mark_position(&mut next, at);
                }
                if self.words.get(at).is_some_and(|own| own.could_match(word, at == 0)) {
                    self.mark_reached(&mut next, at + 1);
                }
                if self.words.get(at).is_some_and(WordPattern::is_several) {
                    self.mark_reached(&mut next, at);
                }
                if let ComparableWord::Open { splits: true, plain, folded, glob } = word {
                    self.mark_reached(&mut next, at);
                    self.match_split_word(at, [folded, plain], *glob, &mut next);
                }
            }
            now = next;
            if !now.contains(&true) {
                return false;
            }
        }
        now.last() == Some(&true)
    }

    /// Marks a position among the words of the pattern, and those behind words that may stand for none.
    fn mark_reached(&self, row: &mut [bool], at: usize) {
        let none = self.words.get(at..).unwrap_or_default().iter().take_while(|own| own.is_several()).count();
        (at..=at + none).for_each(|at| mark_position(row, at));
    }

    /// One word becomes several: its beginning is that of the first, its end that of the last.
    fn match_split_word(
        &self,
        at: usize,
        [folded, plain]: [&Vec<TextPart>; 2],
        glob: bool,
        next: &mut [bool],
    ) {
        let gap = TextPart::Gap { slashes: true };
        let cut = |parts: &Vec<TextPart>| {
            let is_gap = |part: &TextPart| matches!(part, TextPart::Gap { .. });
            let (first, last) = (parts.iter().position(is_gap), parts.iter().rposition(is_gap));
            let mut head = parts.get(..first.unwrap_or(0)).unwrap_or_default().to_vec();
            head.push(gap);
            let mut tail = vec![gap];
            tail.extend(parts.get(last.map_or(parts.len(), |at| at + 1)..).unwrap_or_default());
            (head, tail)
        };
        let word = |parts: [Vec<TextPart>; 2]| {
            let [folded, plain] = parts;
            ComparableWord::Open { folded, plain, splits: false, glob: false }
        };
        let ((folded_head, folded_tail), (plain_head, plain_tail)) = (cut(folded), cut(plain));
        let head = word([folded_head, plain_head]);
        let tail = word([folded_tail, plain_tail]);
        let whole = word([folded.clone(), plain.clone()]);
        let first = if glob { &whole } else { &head };
        if !self.words.get(at).is_some_and(|own| own.could_match(first, at == 0)) {
            return;
        }
        for end in at + 1..self.words.len() {
            let Some(own) = self.words.get(end) else { return };
            // Names of files all have the word's own form; words of an expansion are anything between.
            if glob && !own.could_match(&whole, false) {
                return;
            }
            if glob || own.could_match(&tail, false) {
                self.mark_reached(next, end + 1);
            }
        }
        if self.takes_more_words() {
            mark_position(next, self.words.len());
        }
    }
}

impl AssignmentPattern {
    fn could_match(&self, of: &Assignment) -> bool {
        let name = of.name.trim_end_matches('+');
        let name = name.split('[').next().unwrap_or(name);
        let value =
            of.value.literal().map(|text| ComparableWord::Known { folded: text.into(), plain: text.into() });
        name == self.name && value.is_none_or(|value| self.value.could_match(&value, false))
    }
}

impl WordPattern {
    /// Whether the word could be the one that is meant; the first is the command's name.
    pub(super) fn could_match(&self, word: &ComparableWord<'_>, command: bool) -> bool {
        match (self, word) {
            (Self::Any, _) => true,
            (Self::Literal(text), ComparableWord::Known { folded, plain }) => {
                if command {
                    name_variants(folded).any(|name| name == text.folded())
                } else if is_option(plain) {
                    plain.as_ref() == text.plain()
                } else {
                    folded.as_ref() == text.folded()
                }
            }
            (Self::Glob { folded: own, plain: own_plain, .. }, ComparableWord::Known { folded, plain }) => {
                if command {
                    name_variants(folded).any(|name| own.matches(name))
                } else if is_option(plain) {
                    own_plain.matches(plain)
                } else {
                    own.matches(folded)
                }
            }
            (Self::Literal(text), ComparableWord::Open { folded, plain, .. }) => {
                could_match_open_word(&Glob::from_literal(text.folded()), folded, command)
                    || could_match_open_word(&Glob::from_literal(text.plain()), plain, command)
            }
            (
                Self::Glob { folded: own, plain: own_plain, .. },
                ComparableWord::Open { folded, plain, .. },
            ) => {
                could_match_open_word(own, folded, command)
                    || could_match_open_word(own_plain, plain, command)
            }
        }
    }
}

/// The case of options counts.
fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

fn could_match_open_word(glob: &Glob, parts: &[TextPart], command: bool) -> bool {
    if glob.could_match(parts) {
        return true;
    }
    // By its base name: what stands behind the last slash, or behind what may end in one.
    let behind =
        parts.iter().rposition(|part| matches!(part, TextPart::Char('/') | TextPart::Gap { slashes: true }));
    command
        && behind.is_some_and(|at| {
            let from = if matches!(parts.get(at), Some(TextPart::Char('/'))) { at + 1 } else { at };
            glob.could_match(parts.get(from..).unwrap_or_default())
        })
}

fn mark_position(row: &mut [bool], at: usize) {
    if let Some(place) = row.get_mut(at) {
        *place = true;
    }
}
