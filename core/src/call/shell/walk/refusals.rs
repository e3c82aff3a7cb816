//! Simple commands that are not understood, though they parse.

use brush_parser::ast::{CommandPrefixOrSuffixItem as Item, SimpleCommand, Word as Node};

use crate::call::shell::refused::{Refused, Result};

/// `{name}>file` opens a descriptor and keeps its number in a variable. The parser takes `{name}` for a word: for the
/// command's name, even.
pub(super) fn named_descriptor(of: &SimpleCommand) -> Result<()> {
    let prefix = of.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = of.suffix.iter().flat_map(|suffix| &suffix.0);
    let name = of.word_or_name.iter().cloned().map(Item::Word).collect::<Vec<_>>();
    let mut before = false;
    for item in prefix.chain(&name).chain(suffix) {
        if before && matches!(item, Item::IoRedirect(_)) {
            return Err(Refused::new("a descriptor that is kept in a variable"));
        }
        let inside =
            |word: &Node| word.value.strip_prefix('{')?.strip_suffix('}').map(|name| !name.is_empty());
        before = matches!(item, Item::Word(word) if inside(word) == Some(true));
    }
    Ok(())
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
        true => Err(Refused::new("a subscript where a command's name should be")),
        false => Ok(()),
    }
}
