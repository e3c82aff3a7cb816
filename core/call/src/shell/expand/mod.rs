//! Words as they will be when a command gets them: quotes removed, what is known expanded, the rest
//! open. What a word runs or evaluates on the way is collected too.

mod arithmetic;
mod braces;
mod document;
mod escapes;
mod field;
mod parameter;
mod piece;
mod zsh;

pub(super) use arithmetic::evaluated;
pub(super) use document::heredoc_literal;

use brush_parser::word::WordPiece;

use super::refused::{Refused, Result};
use super::walk::Walker;
use super::{Word, bounds};
use crate::shell::parse::{self, Tildes};
use field::Field;

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Among the words of a command, or in the list of a `for`: everything is expanded.
    Command,
    /// The value of an assignment: no braces, no globs, one word.
    Value,
    /// A pattern, an operand of `[[`, a here-string: no braces, no files, one word.
    Alone,
}

impl Walker<'_> {
    /// The words that `raw` becomes: one, or several if it holds braces.
    pub(super) fn words(&mut self, raw: &str, place: Place) -> Result<Vec<Word>> {
        if plain(raw) {
            return Ok(vec![Word::Literal(raw.to_owned())]);
        }
        if let Some(word) = document::cat(raw, self.text()) {
            return Ok(vec![word]);
        }
        self.check_raw(raw, place)?;
        let raws = if place == Place::Command && raw.contains('{') && !self.posix() {
            braces::expand(raw)?
        } else {
            vec![raw.to_owned()]
        };
        raws.iter().map(|raw| self.one_word(raw, place)).collect()
    }

    /// The one word that `raw` is where braces mean nothing.
    pub(super) fn word(&mut self, raw: &str, place: Place) -> Result<Word> {
        let mut words = self.words(raw, place)?;
        match (words.pop(), words.is_empty()) {
            (Some(word), true) => Ok(word),
            _ => Err(Refused::new("a word that is several")),
        }
    }

    fn one_word(&mut self, raw: &str, place: Place) -> Result<Word> {
        let mut field = Field::default();
        let tildes = if place == Place::Value { Tildes::AfterColons } else { Tildes::First };
        // `NAME=~/x` among the words of a command has its tilde expanded as an assignment has.
        let assigned = raw.split_once('=').filter(|(name, _)| super::variables::is_name(name));
        if let (Place::Command, Some((name, value)), false) = (place, assigned, self.posix()) {
            field.known(name);
            field.known("=");
            self.add_pieces(&mut field, value, Tildes::AfterColons, place)?;
        } else {
            self.add_pieces(&mut field, raw, tildes, place)?;
        }
        Ok(field.into_word(raw, place))
    }

    fn add_pieces(&mut self, field: &mut Field, raw: &str, tildes: Tildes, place: Place) -> Result<()> {
        self.spend(bounds::weight(raw)?)?;
        let pieces = parse::pieces(raw, tildes)?;
        // The parser takes the second dollar sign for the beginning of an expansion, a shell both for its number.
        let quoted = |at: usize| {
            pieces.iter().any(|piece| {
                matches!(piece.piece, WordPiece::SingleQuotedText(_))
                    && (piece.start_index..piece.end_index).contains(&at)
            })
        };
        if raw.match_indices("$$[").any(|(at, _)| !quoted(at)) {
            return Err(Refused::new("a bracket behind two dollar signs"));
        }
        self.dollars_of_zsh(raw, &pieces);
        self.unquoted(field, raw, &pieces, place)
    }

    /// Holds a word to what the line says: where the parser puts one together again, it could differ.
    fn check_raw(&mut self, raw: &str, place: Place) -> Result<()> {
        let expands = raw.contains("$(") || raw.contains("${") || raw.contains("$[") || raw.contains('`');
        if expands && !self.stands(raw) {
            return Err(Refused::new("a word that is not read as it stands"));
        }
        // In zsh, `=ls` is a path and `=(ls)` runs a command.
        let mut after = raw.strip_prefix('=').unwrap_or_default().chars();
        if place == Place::Command
            && self.may_be_zsh()
            && after.next().is_some_and(|c| c.is_ascii_alphabetic() || "(/_$".contains(c))
        {
            self.note(true, format!("some shells look up a program for {raw}"));
        }
        Ok(())
    }
}

/// A word that no shell reads as anything else.
fn plain(raw: &str) -> bool {
    !raw.is_empty()
        && !raw.starts_with('=')
        && raw.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./:,+@%=".contains(&b))
}
