//! Words as they will be when a command gets them: quotes removed, what is known expanded, the rest
//! open. What a word runs or evaluates on the way is collected too.

mod arithmetic;
mod braces;
mod document;
mod escapes;
mod field;
mod parameter;
mod piece;
mod value_braces;
mod values;
mod variants;
mod zsh;

pub(super) use arithmetic::{evaluation_risk, naming_risk};
pub(super) use braces::expand_braces;
pub(super) use document::heredoc_literal;
pub(super) use values::POSITIONAL;
pub(super) use variants::{Pieces, sizes};

use brush_parser::word::WordPiece;

use super::line_error::{LineError, Result};
use super::walk::Walker;
use super::{Dialect, Word, bounds};
use crate::shell::parse::{self, Tildes};
use field::WordBuilder;

/// Steps for a word, besides those for its bytes.
const WORD: usize = 20;

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordContext {
    /// Among the words of a command, or in the list of a `for`: everything is expanded.
    Command,
    /// The value of an assignment: no braces, no globs, one word.
    Value,
    /// A pattern, an operand of `[[`, a here-string: no braces, no files, one word.
    Alone,
}

impl Walker<'_> {
    /// The words that `raw` becomes: one, or several if it holds braces.
    pub(super) fn expand_words(&mut self, raw: &str, place: WordContext) -> Result<Vec<Word>> {
        self.spend_steps(WORD + raw.len())?;
        if is_plain_word(raw) {
            return Ok(vec![Word::Literal(raw.to_owned())]);
        }
        if let Some(word) = document::here_document_word(raw, self.current_text()) {
            return Ok(vec![word]);
        }
        self.check_raw(raw, place)?;
        let raws = if place == WordContext::Command && raw.contains('{') && !self.is_posix() {
            braces::expand_braces(raw)?
        } else {
            vec![raw.to_owned()]
        };
        let mut words = Vec::new();
        for raw in &raws {
            let word = self.one_word(raw, place)?;
            // Where nothing is in it, and no quote, it is no word at all.
            let none = word.literal() == Some("") && !raw.contains(['\'', '"', '\\']);
            if place != WordContext::Command || !none {
                words.push(word);
            }
        }
        Ok(words)
    }

    /// The one word that `raw` is where braces mean nothing.
    pub(super) fn expand_word(&mut self, raw: &str, place: WordContext) -> Result<Word> {
        let mut words = self.expand_words(raw, place)?;
        match (words.pop(), words.is_empty()) {
            (Some(word), true) => Ok(word),
            _ => Err(LineError::new("a word that is several")),
        }
    }

    fn one_word(&mut self, raw: &str, place: WordContext) -> Result<Word> {
        let mut field = WordBuilder::default();
        let tildes = if place == WordContext::Value { Tildes::AfterColons } else { Tildes::First };
        // `NAME=~/x` among the words of a command has its tilde expanded as an assignment has.
        let assigned = raw.split_once('=').filter(|(name, _)| super::variables::is_name(name));
        if let (WordContext::Command, Some((name, value)), false) = (place, assigned, self.is_posix()) {
            field.push_text(name);
            field.push_text("=");
            self.add_pieces(&mut field, value, Tildes::AfterColons, place)?;
        } else {
            self.add_pieces(&mut field, raw, tildes, place)?;
        }
        // What stands in the line itself has been expanded before. A shell that knows no braces knows none in values.
        if place == WordContext::Command && self.dialect() != Dialect::Bash && !self.is_posix() {
            field.read_value_braces();
        }
        let extended = field.may_be_extended() && self.may_be_zsh();
        let word = field.into_word(raw, place);
        self.spend_steps(0)?;
        if extended {
            self.note_extended_globs(&word);
        }
        Ok(word)
    }

    fn add_pieces(
        &mut self,
        field: &mut WordBuilder,
        raw: &str,
        tildes: Tildes,
        place: WordContext,
    ) -> Result<()> {
        self.spend_weight(bounds::word_weight(raw)?)?;
        let pieces = parse::parse_word(raw, tildes)?;
        // The parser takes the second dollar sign for the beginning of an expansion, a shell both for its number.
        let quoted = |at: usize| {
            pieces.iter().any(|piece| {
                matches!(piece.piece, WordPiece::SingleQuotedText(_))
                    && (piece.start_index..piece.end_index).contains(&at)
            })
        };
        if raw.match_indices("$$[").any(|(at, _)| !quoted(at)) {
            return Err(LineError::new("a bracket behind two dollar signs"));
        }
        self.dollars_of_zsh(raw, &pieces);
        self.expand_unquoted(field, raw, &pieces, place)
    }

    /// Holds a word to what the line says: where the parser puts one together again, it could differ.
    fn check_raw(&mut self, raw: &str, place: WordContext) -> Result<()> {
        let expands = raw.contains("$(") || raw.contains("${") || raw.contains("$[") || raw.contains('`');
        if expands && !self.contains_verbatim(raw) {
            return Err(LineError::new("a word that is not read as it stands"));
        }
        // In zsh, `=ls` is a path and `=(ls)` runs a command.
        let mut after = raw.strip_prefix('=').unwrap_or_default().chars();
        if place == WordContext::Command
            && self.may_be_zsh()
            && after.next().is_some_and(|c| c.is_ascii_alphabetic() || "(/_$".contains(c))
        {
            self.note_caveat(true, format!("some shells look up a program for {raw}"));
        }
        Ok(())
    }
}

/// A word that no shell reads as anything else.
fn is_plain_word(raw: &str) -> bool {
    !raw.is_empty()
        && !raw.starts_with('=')
        && raw.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./:,+@%=".contains(&b))
}
