//! Signs that zsh takes for a glob where somebody has set EXTENDED_GLOB, as many do for themselves (zshexpn(1)): `.e^x` is any
//! name that begins with `.e`, except `.ex`.
//!
//! A line that sets the option is asked about elsewhere. What is not seen is that it was set before, so a word with such a sign
//! stands for itself, and, for denials and protection, for what is there now that it could give (D2.6). Where nothing fits, zsh
//! refuses the line, or leaves the word as it is.

use super::Walker;
use crate::glob_matches;
use crate::shell::program::open_path_of;
use crate::shell::{OpenWord, Touch, Use, Word};

/// What comes before it, but not what follows: only beside another sign or a glob.
pub(in crate::shell) const EXCLUSION: char = '~';

/// Any but what follows; as often as one likes.
const SIGNS: [char; 3] = ['^', '#', EXCLUSION];

/// As many names are told apart.
const MOST_NAMES: usize = 2_000;

/// Whether `c` could be such a sign. At the beginning of a word, `~` is a home and `#` begins a comment.
pub(in crate::shell) fn is_extended_sign(c: char, begins: bool) -> bool {
    c == '^' || !begins && SIGNS.contains(&c)
}

impl Walker<'_> {
    /// Notes what `word` could give, in which such a sign stands without quotes.
    pub(in crate::shell) fn note_extended_globs(&mut self, word: &Word) {
        let readings = match word {
            Word::Literal(text) => vec![vec![Some(text.clone())]],
            Word::Open(open) => std::iter::once(&open.pieces).chain(&open.variants).cloned().collect(),
        };
        let text = word.text();
        for pieces in readings {
            let Some(pieces) = pieces_before_sign(&pieces) else { continue };
            let glob = OpenWord { text: text.clone(), pieces, glob: true, ..OpenWord::default() };
            if self.note_extended_glob(&glob) {
                self.noted.globs.push((text.clone(), glob));
            }
        }
    }

    /// Whether the glob gives anything now.
    fn note_extended_glob(&mut self, glob: &OpenWord) -> bool {
        let path = open_path_of(glob, self.place.folder.known_path(), &self.looked);
        let hidden = glob.pieces.last_chunk::<2>().is_some_and(|[before, _]| names_hidden(before.as_deref()));
        let found =
            (!path.slashes).then(|| glob_matches(&path.pieces, false, &mut self.looked.brief_budget()));
        let Some(found) = found.flatten().filter(|found| found.len() <= MOST_NAMES) else {
            self.open_touch(&Word::Open(glob.clone()), Use::Either);
            return true;
        };
        let mut gives = false;
        for found in found {
            let name = found.path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') && !hidden {
                continue;
            }
            gives = true;
            let folder = found.path.parent().unwrap_or(&found.path);
            let path = self.looked.path_access(folder, &name);
            let leads_out = found.linked && !self.at.roots.is_empty() && !path.is_within(self.at.roots);
            if leads_out || glob.pieces == [None] && name.starts_with('-') {
                self.note_caveat(true, format!("zsh may take {} for a glob, which gives {name}", glob.text));
            }
            let others = self.stands_for(&path);
            let all = std::iter::once(path).chain(others);
            self.noted.touches.extend(all.map(|path| Touch::known_path(path, Use::Either)));
        }
        gives
    }
}

/// The command of `words` where those of them that are globs to some shells are these.
pub(super) fn with_extended_globs(words: &[Word], globs: &[(String, OpenWord)]) -> Option<Vec<Word>> {
    let as_glob = |word: &Word| {
        let text = word.text();
        let glob = globs.iter().find(|(of, _)| *of == text);
        glob.map_or_else(|| word.clone(), |(_, glob)| Word::Open(glob.clone()))
    };
    (!globs.is_empty()).then(|| words.iter().map(as_glob).collect())
}

/// What stands before the first such sign, and a gap for all that follows; none if there is no sign.
fn pieces_before_sign(pieces: &[Option<String>]) -> Option<Vec<Option<String>>> {
    let mut before = Vec::new();
    for piece in pieces {
        let Some(text) = piece else {
            before.push(None);
            continue;
        };
        let sign = text.char_indices().find(|(at, c)| is_extended_sign(*c, *at == 0 && before.is_empty()));
        let Some((at, sign)) = sign else {
            before.push(Some(text.clone()));
            continue;
        };
        let mut known = text.get(..at).unwrap_or_default();
        if sign == '#' {
            // What stands before it may occur never, and what a bracket or a parenthesis holds is a gap already.
            known = known.get(..known.char_indices().last().map_or(0, |(at, _)| at)).unwrap_or_default();
        }
        if !known.is_empty() {
            before.push(Some(known.to_owned()));
        }
        if before.last() != Some(&None) {
            before.push(None);
        }
        return Some(before);
    }
    None
}

/// Whether the name that a gap follows on begins with a dot, so that a glob gives hidden names.
fn names_hidden(before: Option<&str>) -> bool {
    before.is_some_and(|text| text.rsplit('/').next().is_some_and(|name| name.starts_with('.')))
}
