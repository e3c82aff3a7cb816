//! The pieces of a word, as the parser of words gives them.

use std::ops::Range;

use brush_parser::word::{TildeExpr, WordPiece, WordPieceWithSource};

use super::arithmetic::ArithmeticKind;
use super::field::WordBuilder;
use super::{WordContext, escapes};
use crate::shell::GapContent;
use crate::shell::line_error::{LineError, Result};
use crate::shell::walk::{Walker, printed_values};

impl Walker<'_> {
    /// Pieces outside of double quotes. `raw` is the text that they come from.
    pub(super) fn expand_unquoted(
        &mut self,
        field: &mut WordBuilder,
        raw: &str,
        pieces: &[WordPieceWithSource],
        place: WordContext,
    ) -> Result<()> {
        // Up to here, all of it stands in the gap of a bracket.
        let mut until = 0;
        for piece in pieces {
            if piece.start_index < until && !(is_text(piece) && piece.end_index > until) {
                until = until.max(self.expand_bracketed(field, raw, piece, until)?);
                continue;
            }
            match &piece.piece {
                WordPiece::Text(text) => {
                    let after = raw.get(piece.end_index..).unwrap_or_default();
                    check_dollar(text, after)?;
                    self.note_history_expansion(text, after);
                    until =
                        self.expand_globs(field, raw, until.max(piece.start_index)..piece.end_index, place)?;
                }
                WordPiece::SingleQuotedText(text) => field.push_text(text),
                WordPiece::AnsiCQuotedText(text) if self.is_posix() => {
                    // Without `$'`, the text ends at the next quote, whatever stands before that.
                    if text.contains('\'') {
                        return Err(LineError::new("a quote in a text that not every shell knows"));
                    }
                    field.push_text("$");
                    field.push_text(text);
                }
                WordPiece::AnsiCQuotedText(text) => field.push_text(&escapes::decode_ansi_c(text)?),
                WordPiece::GettextDoubleQuotedSequence(inner) if self.is_posix() => {
                    field.push_text("$");
                    self.expand_quoted(field, raw, inner)?;
                }
                WordPiece::DoubleQuotedSequence(inner) => self.expand_quoted(field, raw, inner)?,
                WordPiece::GettextDoubleQuotedSequence(inner) => {
                    // Shells disagree on it, and its text may be translated.
                    self.expand_quoted(field, raw, inner)?;
                    field.push_open(false);
                }
                WordPiece::TildeExpansion(TildeExpr::WorkingDir | TildeExpr::OldWorkingDir)
                    if self.is_posix() =>
                {
                    field.push_text(raw.get(piece.start_index..piece.end_index).unwrap_or_default());
                }
                WordPiece::TildeExpansion(tilde) => self.expand_tilde(field, tilde),
                WordPiece::EscapeSequence(text) => field.push_text(text.get(1..).unwrap_or_default()),
                _ => self.expand_piece(field, raw, piece, false)?,
            }
        }
        Ok(())
    }

    /// A piece that begins in a bracket, or what could be one: what it runs is collected, its text is not known.
    /// Returns up to where the gap goes.
    fn expand_bracketed(
        &mut self,
        field: &mut WordBuilder,
        raw: &str,
        piece: &WordPieceWithSource,
        until: usize,
    ) -> Result<usize> {
        let mut scratch = WordBuilder::default();
        match &piece.piece {
            WordPiece::Text(text) => check_dollar(text, raw.get(piece.end_index..).unwrap_or_default())?,
            WordPiece::SingleQuotedText(_)
            | WordPiece::AnsiCQuotedText(_)
            | WordPiece::TildeExpansion(_)
            | WordPiece::EscapeSequence(_) => {}
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                self.expand_quoted(&mut scratch, raw, inner)?;
            }
            _ => self.expand_piece(&mut scratch, raw, piece, false)?,
        }
        if scratch.is_open() {
            field.push_open(true);
        }
        match raw.get(until..piece.end_index) {
            Some(behind) if behind.contains('/') => {
                Err(LineError::new("a bracket that ends in the middle of a quote"))
            }
            _ => Ok(piece.end_index),
        }
    }

    /// Pieces inside of double quotes, or of a here-document.
    pub(super) fn expand_quoted(
        &mut self,
        field: &mut WordBuilder,
        raw: &str,
        pieces: &[WordPieceWithSource],
    ) -> Result<()> {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) => {
                    let after = raw.get(piece.end_index..).unwrap_or_default();
                    check_dollar(text, after)?;
                    self.note_history_expansion(text, after);
                    if text.contains('`') {
                        return Err(LineError::new("a backquote without its partner"));
                    }
                    field.push_text(text);
                }
                WordPiece::EscapeSequence(text) => field.push_text(text.get(1..).unwrap_or_default()),
                _ => self.expand_piece(field, raw, piece, true)?,
            }
        }
        Ok(())
    }

    fn expand_piece(
        &mut self,
        field: &mut WordBuilder,
        raw: &str,
        piece: &WordPieceWithSource,
        quoted: bool,
    ) -> Result<()> {
        match &piece.piece {
            WordPiece::ParameterExpansion(parameter) => {
                let text = raw.get(piece.start_index..piece.end_index).unwrap_or_default();
                let after = raw.get(piece.end_index..).unwrap_or_default();
                if self.may_be_zsh() && self.goes_on_in_zsh(text, after) {
                    field.push_open(!quoted);
                }
                self.expand_parameter(field, text, parameter, quoted)
            }
            WordPiece::CommandSubstitution(line) => {
                // It is what `$PWD` is.
                let here = self.known_cwd().filter(|_| line.trim() == "pwd" && self.has_no_functions());
                let (search, held, printed) = self.walk_substitution(line)?;
                if let Some(here) = here {
                    field.push_text(&here);
                    return Ok(());
                }
                field.expect_values(printed_values(&printed, !quoted));
                field.push_printed(search, held, !quoted);
                Ok(())
            }
            WordPiece::BackquotedCommandSubstitution(line) => {
                if raw.get(piece.start_index..piece.end_index).is_none_or(|raw| raw.contains('\\')) {
                    return Err(LineError::new("a backslash inside of backquotes"));
                }
                let (search, held, printed) = self.walk_substitution(line)?;
                field.expect_values(printed_values(&printed, !quoted));
                field.push_printed(search, held, !quoted);
                Ok(())
            }
            WordPiece::ArithmeticExpression(_)
                if self.is_posix()
                    && raw.get(piece.start_index..).is_some_and(|raw| raw.starts_with("$[")) =>
            {
                Err(LineError::new("a bracket that not every shell takes for arithmetic"))
            }
            WordPiece::ArithmeticExpression(expression) => {
                if self.adds_known_numbers(&expression.value) {
                    self.note_evaluated_names(&expression.value);
                    field.push_expansion(GapContent::Name, !quoted);
                    return Ok(());
                }
                match self.note_arithmetic(&expression.value)? {
                    ArithmeticKind::Numbers => field.push_number(!quoted),
                    _ => field.push_open(!quoted),
                }
                Ok(())
            }
            _ => Err(LineError::new("a word in a form that mayi does not read")),
        }
    }

    /// Text without any quotes, at a place of `raw`: globs are in it. Returns up to where the last gap goes, be it in a
    /// later piece.
    fn expand_globs(
        &mut self,
        field: &mut WordBuilder,
        raw: &str,
        at: Range<usize>,
        place: WordContext,
    ) -> Result<usize> {
        let mut rest = raw.get(at.clone()).unwrap_or_default();
        while let Some(c) = rest.chars().next() {
            let tail = rest.get(c.len_utf8()..).unwrap_or_default();
            rest = match c {
                '?' | '*' | '+' | '@' | '!' if tail.starts_with('(') => {
                    let end = extended_glob_end(tail)?;
                    let before = at.end.checked_sub(tail.len() + c.len_utf8()).and_then(|at| raw.get(..at));
                    if names_hidden(before.unwrap_or_default(), tail.get(..end).unwrap_or_default()) {
                        field.push_open(false);
                    } else {
                        field.push_glob();
                    }
                    tail.get(end..).unwrap_or_default()
                }
                '*' | '?' if place != WordContext::Value => {
                    field.push_glob();
                    tail
                }
                '[' if place == WordContext::Command => {
                    let from = at.end - tail.len();
                    match bracket_end(raw.get(from..).unwrap_or_default()) {
                        Some(len) => {
                            field.push_glob();
                            let end = from + len;
                            match raw.get(end..at.end) {
                                Some(behind) => behind,
                                None => return Ok(end),
                            }
                        }
                        None => {
                            field.push_text("[");
                            tail
                        }
                    }
                }
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`' | '\'' | '"'
                    if place != WordContext::Alone =>
                {
                    return Err(LineError::new("a word that is not read as it stands"));
                }
                c if place == WordContext::Command => {
                    field.push_possible_sign(c, at.end == tail.len() + c.len_utf8());
                    tail
                }
                c => {
                    field.push_bare(c.encode_utf8(&mut [0; 4]));
                    tail
                }
            };
        }
        Ok(at.end)
    }

    fn expand_tilde(&mut self, field: &mut WordBuilder, tilde: &TildeExpr) {
        let known = match tilde {
            TildeExpr::Home => self.known_home(),
            TildeExpr::WorkingDir => self.known_cwd(),
            _ => None,
        };
        match known {
            Some(text) => field.push_text(&text),
            None => field.push_open(false),
        }
    }
}

/// Whether a group of an extended glob, behind `before`, says itself that a name begins with a dot: `@(.env|x)`. Other globs pass
/// by such names.
fn names_hidden(before: &str, group: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '*' | '?' | ')' | ']' | '_' | '-' | '.');
    let begins = group
        .split(['(', '|'])
        .any(|branch| branch.starts_with('.') || branch.starts_with(['\'', '"', '$', '\\']));
    begins && !before.ends_with(inside)
}

/// A `$` that the parser takes for itself, where a shell could read more.
fn check_dollar(text: &str, after: &str) -> Result<()> {
    let opens = text.ends_with('$') && after.starts_with(['{', '(', '[']);
    let within = text.contains("${") || text.contains("$(") || text.contains("$[");
    if opens || within { Err(LineError::new("an expansion that does not parse")) } else { Ok(()) }
}

/// Where the group of an extended glob ends, from its parenthesis on: only plain alternatives, since a
/// group without `|` may be zsh's qualifiers, which can run code.
fn extended_glob_end(group: &str) -> Result<usize> {
    let end = group.find(')').ok_or_else(|| LineError::new("a glob that does not end"))?;
    let inner = group.get(1..end).unwrap_or_default();
    let plain = inner.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.|*?/-".contains(&b));
    if plain && inner.contains('|') {
        Ok(end + 1)
    } else {
        Err(LineError::new("a glob in which some shells run code"))
    }
}

/// How far a bracket can reach that opens before `text`: none stands for a `/`, and where it closes hangs on quotes, classes
/// and what expansions are, so that all up to the last sign that could close it is not known.
fn bracket_end(text: &str) -> Option<usize> {
    let name = text.split('/').next().unwrap_or_default();
    name.rfind(']').map(|at| at + 1)
}

fn is_text(piece: &WordPieceWithSource) -> bool {
    matches!(piece.piece, WordPiece::Text(_))
}
