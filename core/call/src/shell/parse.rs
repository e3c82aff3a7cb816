//! The grammar: brush-parser, behind bounds, with its answers checked where they could differ from what
//! a shell makes of the same text.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use brush_parser::ast::{IoHereDocument, Program};
use brush_parser::word::WordPieceWithSource;
use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str, word};

use super::line_error::{LineError, Result};
use super::{bounds, heredocs};
use crate::effort;

/// Which tildes of a word are home folders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tildes {
    /// One at its beginning.
    First,
    /// Also those after a colon: values of assignments.
    AfterColons,
    /// None.
    No,
}

/// Whose grammar a line is read by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Grammar {
    /// bash's, with all that it adds to POSIX.
    #[default]
    Bash,
    /// That of a shell which has none of bash's additions, such as dash.
    Posix,
}

/// Parses a line.
pub(super) fn parse_program(text: &str, grammar: Grammar) -> Result<Program> {
    spend_steps(text)?;
    let options = ParserOptions { sh_mode: grammar == Grammar::Posix, ..ParserOptions::default() };
    heredocs::check_here_documents(text)?;
    catch_parser_panic(|| {
        let tokens = uncached_tokenize_str(text, &options.tokenizer_options())
            .map_err(|error| parse_error(&error.to_string()))?;
        bounds::check_tokens(&tokens)?;
        parse_tokens(&tokens, &options).map_err(|error| parse_error(&error.to_string()))
    })
}

/// Takes what parsing a text costs.
fn spend_steps(text: &str) -> Result<()> {
    const TEXT: usize = 100;
    const BYTE: usize = 20;
    if effort::spend(TEXT + BYTE * text.len()) { Ok(()) } else { Err(LineError::too_much()) }
}

/// The parser's own words, up to where they speak of its insides.
fn parse_error(said: &str) -> LineError {
    let said = said.split(';').next().unwrap_or_default().trim();
    LineError::new(format!("the line does not parse: {said}"))
}

/// Parses a word into its pieces.
pub(super) fn parse_word(word: &str, tildes: Tildes) -> Result<Vec<WordPieceWithSource>> {
    spend_steps(word)?;
    let options = ParserOptions {
        tilde_expansion_at_word_start: tildes != Tildes::No,
        tilde_expansion_after_colon: tildes == Tildes::AfterColons,
        ..ParserOptions::default()
    };
    catch_parser_panic(|| {
        word::parse(word, &options).map_err(|_| LineError::new(format!("a word does not parse: {word}")))
    })
}

/// Parses the text of a here-document whose word is not quoted.
pub(super) fn parse_here_document(text: &str) -> Result<Vec<WordPieceWithSource>> {
    spend_steps(text)?;
    let parse = || word::parse_heredoc(text, &ParserOptions::default());
    catch_parser_panic(|| parse().map_err(|_| LineError::new("a here-document does not parse")))
}

/// The text inside `$(...)`. A comment at its end would take the parenthesis along, and a shell would go
/// on reading: then it must still parse with the parenthesis.
pub(super) fn parse_substitution(text: &str, grammar: Grammar) -> Result<Program> {
    let parsed = parse_program(text, grammar)?;
    if text.contains('#') && parse_program(&format!("{text})"), grammar).is_ok() {
        return Err(LineError::new("a comment at the end of a substitution"));
    }
    Ok(parsed)
}

/// Holds a here-document to what shells agree on: a plain or simply quoted word, lines that are read as
/// they stand, and a text that stands in `line`. `substituted`: it stands in a substitution, where bash lets it
/// end earlier.
pub(super) fn check_document(of: &IoHereDocument, line: &str, substituted: bool) -> Result<()> {
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-+!@%".contains(&b))
    };
    let tag = of.here_end.value.trim();
    let bare: String = tag.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    if !plain(&bare) || tag.contains("$") {
        return Err(LineError::new("a here-document with an unusual end"));
    }
    let text = of.doc.value.as_str();
    if substituted && ends_early(text, &bare, of.remove_tabs) {
        return Err(LineError::new("a here-document that ends early in a substitution"));
    }
    if of.requires_expansion && text.split_inclusive('\n').any(ends_in_continuation) {
        return Err(LineError::new("a here-document whose lines are joined"));
    }
    let whole = text.is_empty() || text.ends_with('\n');
    let stands = of.remove_tabs || line.contains(&format!("\n{text}{bare}"));
    if whole && stands {
        Ok(())
    } else {
        Err(LineError::new("a here-document that is not read as it stands"))
    }
}

/// Whether bash ends the here-document `text` before its end: in a substitution, at a line that only begins with
/// its word, if a parenthesis closes behind that (bash 5.2, parse.y: `read_secondary_line`, "backwards
/// compatibility"). What stands behind the word runs.
pub(super) fn ends_early(text: &str, word: &str, tabs: bool) -> bool {
    text.lines().any(|line| {
        let line = if tabs { line.trim_start_matches('\t') } else { line };
        line.strip_prefix(word).is_some_and(|rest| rest.contains(')'))
    })
}

/// Whether a line of a here-document goes on in the next one.
fn ends_in_continuation(line: &str) -> bool {
    let text = line.strip_suffix('\n').unwrap_or_default();
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// The parser is not ours: should it panic, the line is not understood.
fn catch_parser_panic<T>(parse: impl FnOnce() -> Result<T>) -> Result<T> {
    HUSH.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                before(panic);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let parsed = catch_unwind(AssertUnwindSafe(parse));
    GUARDED.set(outer);
    parsed.unwrap_or_else(|_| Err(LineError::new("the line does not parse")))
}

/// Puts a hook before the one that prints panics, once.
static HUSH: Once = Once::new();

thread_local! {
    /// This thread is in the parser, and what becomes of a panic is known: nothing is printed.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

#[cfg(test)]
mod tests {
    use super::{GUARDED, Grammar, catch_parser_panic, parse_program};
    use crate::shell::line_error::LineError;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Attack 70: a panic of the parser is no panic of mayi's, and one of mayi's is still heard of.
    #[test]
    fn given_a_line_that_makes_the_parser_panic_then_it_is_refused_and_nothing_is_printed() {
        let printed = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&printed);
        let ours = std::thread::current().id();
        // Whichever of both hooks comes first, the one of `catch_parser_panic` chains to what was there.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == ours {
                if !GUARDED.get() {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            } else {
                before(panic);
            }
        }));
        assert!(parse_program("${<<'E' P}$(\nE", Grammar::Bash).is_err());
        assert!(catch_parser_panic::<()>(|| panic!("quiet")).is_err());
        assert_eq!(printed.load(Ordering::SeqCst), 0);
        assert!(!GUARDED.get());
        assert!(std::panic::catch_unwind(|| panic!("loud")).is_err());
        assert_eq!(printed.load(Ordering::SeqCst), 1);
        let nested = catch_parser_panic(|| {
            assert!(catch_parser_panic::<()>(|| panic!("quiet")).is_err());
            assert!(GUARDED.get());
            Err::<(), _>(LineError::new("x"))
        });
        assert!(nested.is_err());
    }
}
