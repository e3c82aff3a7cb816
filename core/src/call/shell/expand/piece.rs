//! The pieces of a word, as the parser of words gives them.

use brush_parser::word::{TildeExpr, WordPiece, WordPieceWithSource};

use super::arithmetic::Expression;
use super::field::Field;
use super::{Place, escapes};
use crate::call::shell::refused::{Refused, Result};
use crate::call::shell::walk::Walker;

impl Walker<'_> {
    /// Pieces outside of double quotes. `raw` is the text that they come from.
    pub(super) fn unquoted(
        &mut self,
        field: &mut Field,
        raw: &str,
        pieces: &[WordPieceWithSource],
        place: Place,
    ) -> Result<()> {
        let mut bracket = false;
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) => {
                    let after = raw.get(piece.end_index..).unwrap_or_default();
                    check_dollar(text, after)?;
                    bracket |= self.globs(field, text, after, place)?;
                }
                WordPiece::SingleQuotedText(text) => field.known(text),
                WordPiece::AnsiCQuotedText(text) => field.known(&escapes::ansi(text)?),
                WordPiece::DoubleQuotedSequence(inner) => self.quoted(field, raw, inner)?,
                WordPiece::GettextDoubleQuotedSequence(inner) => {
                    // Shells disagree on it, and its text may be translated.
                    self.quoted(field, raw, inner)?;
                    field.open(false);
                }
                WordPiece::TildeExpansion(tilde) => self.tilde(field, tilde),
                WordPiece::EscapeSequence(text) => field.known(text.get(1..).unwrap_or_default()),
                _ => self.expansion(field, raw, piece, false)?,
            }
        }
        if bracket && place == Place::Command {
            field.glob();
        }
        Ok(())
    }

    /// Pieces inside of double quotes, or of a here-document.
    pub(super) fn quoted(
        &mut self,
        field: &mut Field,
        raw: &str,
        pieces: &[WordPieceWithSource],
    ) -> Result<()> {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) => {
                    check_dollar(text, raw.get(piece.end_index..).unwrap_or_default())?;
                    if text.contains('`') {
                        return Err(Refused::new("a backquote without its partner"));
                    }
                    field.known(text);
                }
                WordPiece::EscapeSequence(text) => field.known(text.get(1..).unwrap_or_default()),
                _ => self.expansion(field, raw, piece, true)?,
            }
        }
        Ok(())
    }

    fn expansion(
        &mut self,
        field: &mut Field,
        raw: &str,
        piece: &WordPieceWithSource,
        quoted: bool,
    ) -> Result<()> {
        match &piece.piece {
            WordPiece::ParameterExpansion(parameter) => {
                let text = raw.get(piece.start_index..piece.end_index).unwrap_or_default();
                self.parameter(field, text, parameter, quoted)
            }
            WordPiece::CommandSubstitution(line) => {
                self.substitution(line)?;
                field.open(!quoted);
                Ok(())
            }
            WordPiece::BackquotedCommandSubstitution(line) => {
                if raw.get(piece.start_index..piece.end_index).is_none_or(|raw| raw.contains('\\')) {
                    return Err(Refused::new("a backslash inside of backquotes"));
                }
                self.substitution(line)?;
                field.open(!quoted);
                Ok(())
            }
            WordPiece::ArithmeticExpression(expression) => {
                match self.arithmetic(&expression.value)? {
                    Expression::Numbers => field.number(!quoted),
                    _ => field.open(!quoted),
                }
                Ok(())
            }
            _ => Err(Refused::new("a word that is not understood")),
        }
    }

    /// Text without any quotes: globs are in it. Whether it opens a bracket that it does not close.
    fn globs(&mut self, field: &mut Field, text: &str, after: &str, place: Place) -> Result<bool> {
        let mut rest = text;
        let mut open = false;
        while let Some(c) = rest.chars().next() {
            let tail = rest.get(c.len_utf8()..).unwrap_or_default();
            rest = match c {
                '?' | '*' | '+' | '@' | '!' if tail.starts_with('(') => {
                    let end = extended(tail)?;
                    field.glob();
                    tail.get(end..).unwrap_or_default()
                }
                '*' | '?' if place != Place::Value => {
                    field.glob();
                    tail
                }
                '[' if place == Place::Command => match tail.find(']') {
                    Some(end) => {
                        field.glob();
                        tail.get(end + 1..).unwrap_or_default()
                    }
                    None => {
                        // It may be closed in a later piece, behind quotes or an expansion.
                        open |= after.contains(']');
                        field.known("[");
                        tail
                    }
                },
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`' | '\'' | '"'
                    if place != Place::Alone =>
                {
                    return Err(Refused::new("a word that is not read as it stands"));
                }
                c => {
                    field.known(c.encode_utf8(&mut [0; 4]));
                    tail
                }
            };
        }
        Ok(open)
    }

    fn tilde(&mut self, field: &mut Field, tilde: &TildeExpr) {
        let known = match tilde {
            TildeExpr::Home => self.home(),
            TildeExpr::WorkingDir => self.here(),
            _ => None,
        };
        match known {
            Some(text) => field.known(&text),
            None => field.open(false),
        }
    }
}

/// A `$` that the parser takes for itself, where a shell could read more.
fn check_dollar(text: &str, after: &str) -> Result<()> {
    let opens = text.ends_with('$') && after.starts_with(['{', '(', '[']);
    let within = text.contains("${") || text.contains("$(") || text.contains("$[");
    if opens || within { Err(Refused::new("an expansion that does not parse")) } else { Ok(()) }
}

/// Where the group of an extended glob ends, from its parenthesis on: only plain alternatives, since a
/// group without `|` may be zsh's qualifiers, which can run code.
fn extended(group: &str) -> Result<usize> {
    let end = group.find(')').ok_or_else(|| Refused::new("a glob that does not end"))?;
    let inner = group.get(1..end).unwrap_or_default();
    let plain = inner.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.|*?/-".contains(&b));
    if plain && inner.contains('|') {
        Ok(end + 1)
    } else {
        Err(Refused::new("a glob in which some shells run code"))
    }
}
