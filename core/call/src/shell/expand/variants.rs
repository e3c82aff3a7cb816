//! What a word could be, as far as the line itself tells: by the texts that it gives to variables, and that its commands print.

use super::value_braces::brace_readings;
use crate::effort;

/// Known text, and `None` for each gap.
pub(in crate::shell) type Pieces = Vec<Option<String>>;

/// As many of them are told apart.
const MOST: usize = 64;

/// All that a word could be. Those that are too many stay a gap.
#[derive(Clone, Debug)]
pub(super) struct WordVariants(Vec<Pieces>);

impl Default for WordVariants {
    fn default() -> Self {
        Self(vec![Vec::new()])
    }
}

impl WordVariants {
    /// A text, or all of these words together, or each by itself.
    pub(super) fn of_text(text: String, words: Vec<String>) -> Self {
        let together = words.join(" ");
        Self([text, together].into_iter().chain(words).take(MOST).map(|word| vec![Some(word)]).collect())
    }

    /// Adds what they could be by their braces.
    pub(super) fn read_braces(&mut self) {
        let read: Vec<Pieces> = self.0.iter().flat_map(brace_readings).collect();
        self.0.extend(read);
        self.0.truncate(MOST);
    }

    pub(super) fn push_text(&mut self, text: &str) {
        if !effort::spend(self.0.len() * text.len()) {
            return;
        }
        self.0.iter_mut().for_each(|variant| push_piece(variant, Some(text)));
    }

    /// One of these, or a gap where nothing is known.
    pub(super) fn push_one_of(&mut self, values: &[Pieces]) {
        if values.is_empty() || self.0.len() * values.len() > MOST {
            return self.0.iter_mut().for_each(|variant| push_piece(variant, None));
        }
        let copied = sizes(&self.0) * values.len() + sizes(values) * self.0.len();
        if !effort::spend(copied) {
            return;
        }
        let before = std::mem::take(&mut self.0);
        for variant in before {
            for value in values {
                let mut variant = variant.clone();
                value.iter().for_each(|piece| push_piece(&mut variant, piece.as_deref()));
                self.0.push(variant);
            }
        }
    }

    /// Those that say more than `own`.
    pub(super) fn into_others(mut self, own: &[Option<String>]) -> Vec<Pieces> {
        self.0.retain(|variant| variant != own);
        self.0
    }
}

/// What copies of these take, in steps.
pub(in crate::shell) fn sizes(values: &[Pieces]) -> usize {
    const PIECE: usize = 8;
    values.iter().flatten().map(|piece| PIECE + piece.as_ref().map_or(0, String::len)).sum()
}

fn push_piece(variant: &mut Pieces, piece: Option<&str>) {
    match (piece, variant.last_mut()) {
        (Some(""), _) | (None, Some(None)) => {}
        (Some(text), Some(Some(before))) => before.push_str(text),
        (piece, _) => variant.push(piece.map(str::to_owned)),
    }
}
