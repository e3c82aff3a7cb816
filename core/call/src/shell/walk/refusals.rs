//! What is not understood, though it parses.

use brush_parser::ast::SubshellCommand;
use brush_parser::ast::{
    AssignmentValue, CommandPrefixOrSuffixItem as Item, IoFileRedirectTarget as Target, IoRedirect,
    SimpleCommand, Word as Node,
};

use crate::shell::line_error::{LineError, Result};

/// `{name}>file` opens a descriptor and keeps its number in a variable. The parser takes `{name}` for a word: for the
/// command's name, even.
pub(super) fn named_descriptor(of: &SimpleCommand) -> Result<()> {
    let inside = |word: &Node| word.value.strip_prefix('{')?.strip_suffix('}').map(|name| !name.is_empty());
    // Whether it redirects, and whether it is such a word.
    let item = |item: &Item| match item {
        Item::Word(word) => (false, inside(word) == Some(true)),
        other => (matches!(other, Item::IoRedirect(_)), false),
    };
    let prefix = of.prefix.iter().flat_map(|prefix| &prefix.0).map(item);
    let name = of.word_or_name.iter().map(|name| (false, inside(name) == Some(true)));
    let suffix = of.suffix.iter().flat_map(|suffix| &suffix.0).map(item);
    let mut before = false;
    for (redirects, kept) in prefix.chain(name).chain(suffix) {
        if before && redirects {
            return Err(LineError::new("a descriptor that is kept in a variable"));
        }
        before = kept;
    }
    Ok(())
}

/// To zsh, a word that ends with a `}` of no bracket of its own ends a group, and what comes behind is read anew:
/// `{ ls } always { touch x; }`, `if false; then { ls} else { touch x; }; fi`. To others it is a word.
pub(super) fn end_of_a_group(of: &SimpleCommand) -> Result<()> {
    let item = |item: &Item| match item {
        Item::Word(word) | Item::AssignmentWord(_, word) => ends_a_group(&word.value),
        Item::IoRedirect(_) | Item::ProcessSubstitution(..) => false,
    };
    let parts =
        of.prefix.iter().flat_map(|prefix| &prefix.0).chain(of.suffix.iter().flat_map(|suffix| &suffix.0));
    let name = of.word_or_name.as_ref().is_some_and(|name| ends_a_group(&name.value));
    match name || parts.into_iter().any(item) {
        true => Err(LineError::new("a `}` that ends a group for zsh")),
        false => Ok(()),
    }
}

/// The same where a redirection leads: `{ : > f} always { touch x; }`.
pub(super) fn end_of_a_group_behind(redirect: &IoRedirect) -> Result<()> {
    let word = match redirect {
        IoRedirect::File(_, _, Target::Filename(word) | Target::Duplicate(word))
        | IoRedirect::HereString(_, word)
        | IoRedirect::OutputAndError(word, _) => word,
        IoRedirect::HereDocument(_, document) => &document.here_end,
        IoRedirect::File(..) => return Ok(()),
    };
    match ends_a_group(&word.value) {
        true => Err(LineError::new("a `}` that ends a group for zsh")),
        false => Ok(()),
    }
}

/// Whether a word, as it is written, ends with a `}` that is not quoted and closes nothing in it.
fn ends_a_group(word: &str) -> bool {
    let (mut open, mut ends) = (0_usize, false);
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // A line that goes on.
            '\\' if chars.next_if_eq(&'\n').is_some() => continue,
            '\\' => drop(chars.next()),
            '\'' => drop(chars.by_ref().find(|c| *c == '\'')),
            '"' => {
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    if c == '\\' {
                        chars.next();
                    }
                }
            }
            '{' => open += 1,
            '}' if open == 0 => {
                ends = true;
                continue;
            }
            '}' => open -= 1,
            _ => {}
        }
        ends = false;
    }
    ends
}

/// `a[1 + 1]=x` is one word for a shell, and several for the parser: what it takes for words of a command named `a[1`
/// is a command of its own.
pub(super) fn open_subscript(of: &SimpleCommand) -> Result<()> {
    let name = of.word_or_name.as_ref().and_then(|word| word.value.split_once('['));
    let variable = name.is_some_and(|(name, _)| {
        let mut letters = name.chars();
        let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    match variable {
        true => Err(LineError::new("a subscript where a command's name should be")),
        false => Ok(()),
    }
}

/// The commands that take arrays as their words: no other may have one (bash, parse.y: `PST_ASSIGNOK`).
const TAKE_ARRAYS: &[&str] = &["alias", "declare", "eval", "export", "let", "local", "readonly", "typeset"];

/// `x a=()` and `declare >y a=()` are errors for a shell, and words for the parser.
pub(super) fn stray_array(of: &SimpleCommand) -> Result<()> {
    let takes = of.word_or_name.as_ref().is_some_and(|name| TAKE_ARRAYS.contains(&name.value.as_str()));
    let mut plain = true;
    for item in of.suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            Item::AssignmentWord(of, _)
                if matches!(of.value, AssignmentValue::Array(_)) && !(takes && plain) =>
            {
                return Err(LineError::new("an array where no shell takes one"));
            }
            Item::IoRedirect(_) | Item::ProcessSubstitution(..) => plain = false,
            _ => {}
        }
    }
    Ok(())
}

/// `>&-rm x` closes a descriptor and runs `rm`: the dash is a sign by itself, and part of the word for the parser.
pub(super) fn word_behind_a_dash(target: &str) -> Result<()> {
    match target.starts_with('-') && target != "-" {
        true => Err(LineError::new("a word right behind a descriptor that is closed")),
        false => Ok(()),
    }
}

/// `a<(b)c` is one word, and up to three for the parser. `text` is what was parsed.
pub(super) fn glued_substitution(inner: &SubshellCommand, text: &str) -> Result<()> {
    let apart = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | ';' | '|' | '&');
    let before = |open: &str| {
        text.match_indices(open)
            .filter_map(|(at, _)| text.get(..at))
            .any(|before| before.ends_with(|c: char| !apart(c) || c == ')'))
    };
    // Where its place is told wrongly, as behind a here-document, it does not end in a parenthesis.
    let mut from = text.chars().skip(inner.loc.end.index.saturating_sub(1));
    let ends = from.next() == Some(')') && from.next().is_none_or(apart);
    match before("<(") || before(">(") || !ends {
        true => Err(LineError::new("a process substitution that is only a part of a word")),
        false => Ok(()),
    }
}
