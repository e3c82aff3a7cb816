//! What zsh makes of a word besides what bash does (zshexpn(1)); and what any shell does that somebody types into.

use std::ops::Range;

use brush_parser::word::{WordPiece, WordPieceWithSource};

use crate::shell::program::begins_a_name;
use crate::shell::variables;
use crate::shell::walk::Walker;

impl Walker<'_> {
    /// Whether zsh reads on behind a parameter that is written `text` without braces: a subscript, which it
    /// evaluates whatever quotes are in it, or a modifier, which gives another value.
    pub(super) fn goes_on_in_zsh(&mut self, text: &str, after: &str) -> bool {
        if text.starts_with("${") {
            return false;
        }
        if after.starts_with('[') {
            self.note_caveat(true, format!("zsh evaluates what stands in brackets behind {text}"));
            return true;
        }
        let modifier = after.strip_prefix(':').and_then(|rest| rest.chars().next());
        match modifier {
            // These run until an expression says so, and evaluate it.
            Some('F' | 'W') => {
                self.note_caveat(true, format!("zsh evaluates what stands behind {text}"));
                true
            }
            Some(c) => c.is_ascii_alphabetic() || c == '&',
            None => false,
        }
    }

    /// Looks at every dollar sign of `raw` as zsh does: flags, then a name or a special parameter. What stands in
    /// brackets behind that is evaluated, whatever quotes are in it; a flag alone gives another value than bash's.
    pub(super) fn dollars_of_zsh(&mut self, raw: &str, pieces: &[WordPieceWithSource]) {
        if !self.may_be_zsh() || !raw.contains('$') {
            return;
        }
        let mut apart = Vec::new();
        read_apart(pieces, &mut apart);
        for (at, _) in raw.match_indices('$').filter(|(at, _)| !apart.iter().any(|span| span.contains(at))) {
            let behind = raw.get(at + 1..).unwrap_or_default();
            let Some((flags, name, rest)) = split_parameter(behind) else { continue };
            let evaluates = rest.starts_with('[') || [":F", ":W"].iter().any(|sign| rest.starts_with(sign));
            // bash knows a length, `$#`, by itself.
            let flagged = !flags.is_empty() && !name.is_empty() && flags != "#";
            if evaluates || flagged {
                self.note_caveat(true, format!("zsh evaluates or expands ${behind}"));
                self.evaluates_lines(variables::substituted_commands(rest));
            }
        }
    }

    /// `!!` and `!git` are earlier lines, in a shell that is typed into: such a one counts where nothing is known of
    /// the shell. `after` is what follows on `text`.
    pub(super) fn note_history_expansion(&mut self, text: &str, after: &str) {
        if !self.may_be_typed() || !text.contains('!') {
            return;
        }
        let event = |at: usize| {
            let mut behind = text.get(at + 1..).unwrap_or_default().chars().chain(after.chars());
            match behind.next() {
                Some('!' | '#' | '?' | '$' | '*' | '^' | '0'..='9') => true,
                Some('-') => behind.next().is_some_and(|c| c.is_ascii_digit()),
                Some(c) if c.is_ascii_alphabetic() => {
                    // Up to where a shell takes the event to end (readline's histexpand.c).
                    let ends = |c: char| c.is_whitespace() || ";&()|<>:^$*%-\"'".contains(c);
                    let rest = behind.take_while(|c| !ends(*c));
                    begins_a_name(&std::iter::once(c).chain(rest).collect::<String>())
                }
                _ => false,
            }
        };
        if text.match_indices('!').any(|(at, _)| event(at)) {
            self.note_caveat(true, format!("a shell that is typed into puts earlier lines in for {text}"));
        }
    }
}

/// Whether zsh sets a variable where bash takes a part of its value: `${NAME::=WORD}`.
pub(super) fn assigns_in_zsh(text: &str) -> bool {
    text.contains("::=")
}

/// What is read by itself, or not at all: the dollar signs in it are not the word's.
fn read_apart(pieces: &[WordPieceWithSource], spans: &mut Vec<Range<usize>>) {
    for piece in pieces {
        match &piece.piece {
            WordPiece::SingleQuotedText(_)
            | WordPiece::AnsiCQuotedText(_)
            | WordPiece::EscapeSequence(_)
            | WordPiece::CommandSubstitution(_)
            | WordPiece::BackquotedCommandSubstitution(_)
            | WordPiece::ArithmeticExpression(_) => spans.push(piece.start_index..piece.end_index),
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                read_apart(inner, spans);
            }
            _ => {}
        }
    }
}

/// The flags behind a dollar sign, the parameter without braces, and what follows on it. None if there is none.
fn split_parameter(behind: &str) -> Option<(&str, &str, &str)> {
    let name = |text: &str| {
        let word = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
        // One digit is a parameter, and in zsh so are several.
        if word > 0 { word } else { usize::from(text.starts_with(['@', '*', '#', '?', '-', '$', '!'])) }
    };
    let flags = behind.len() - behind.trim_start_matches(['=', '~', '^', '+', '#']).len();
    let (before, after) = behind.split_at_checked(flags)?;
    let end = name(after);
    if end > 0 {
        return Some((before, after.get(..end)?, after.get(end..)?));
    }
    // `$#` by itself is a parameter.
    let last = before.rfind('#')?;
    (last + 1 == before.len()).then_some((before.get(..last)?, "#", after))
}
