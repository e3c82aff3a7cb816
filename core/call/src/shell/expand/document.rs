//! Here-documents whose text is known: `"$(cat <<'EOF' ...)"` as a word, and the text that is fed to a
//! command.

use brush_parser::ast::IoHereDocument;

use super::WordContext;
use super::field::WordBuilder;
use super::value_braces::brace_readings;
use crate::shell::line_error::Result;
use crate::shell::walk::{Walker, value_readings};
use crate::shell::{OpenWord, Word, bounds, parse};

/// The word that `"$(cat <<'END' ...)"` is: the text of the here-document, without its line ends at the
/// end. `line` has to hold it as it stands.
pub(super) fn here_document_word(raw: &str, line: &str) -> Option<Word> {
    let unquoted = raw.strip_prefix("$(").and_then(|raw| raw.strip_suffix(')'));
    let quoted = raw.strip_prefix("\"$(").and_then(|raw| raw.strip_suffix(")\""));
    let inner = unquoted.or(quoted)?.trim_start_matches([' ', '\t', '\n']);
    let rest = inner.strip_prefix("cat")?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start_matches([' ', '\t']).strip_prefix("<<")?;
    let (word, body) = rest.split_once('\n')?;
    let word = word.trim_matches([' ', '\t']);
    let tag = ["'", "\""].iter().find_map(|quote| word.strip_prefix(quote)?.strip_suffix(quote));
    let tag = tag.or_else(|| word.strip_prefix('\\'))?;
    if tag.is_empty() || !tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let mut text = String::new();
    let mut lines = body.split('\n');
    loop {
        let line = lines.next()?;
        if line == tag {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    if parse::ends_early(&text, tag, false) {
        return None;
    }
    if !lines.all(|line| line.trim_matches([' ', '\t']).is_empty()) || !line.contains(raw) {
        return None;
    }
    let text = text.trim_end_matches('\n').to_owned();
    let splits =
        text.is_empty() || text.contains(char::is_whitespace) || text.contains(['*', '?', '[', '\\']);
    let braces = brace_readings(&vec![Some(text.clone())]);
    if quoted.is_some() || !splits && braces.is_empty() {
        return Some(Word::Literal(text));
    }
    let mut variants = value_readings(&vec![Some(text)], true);
    variants.extend(braces);
    Some(Word::Open(OpenWord {
        text: raw.to_owned(),
        pieces: vec![None],
        splits: true,
        variants,
        ..OpenWord::default()
    }))
}

/// The text of a here-document, if it is known; what it substitutes is collected.
pub(in crate::shell) fn heredoc_literal(walker: &mut Walker<'_>, of: &IoHereDocument) -> Result<Word> {
    parse::check_document(of, walker.current_text(), walker.is_substituted())?;
    let text = of.doc.value.as_str();
    if !of.requires_expansion || !text.contains(['$', '`', '\\']) {
        return Ok(Word::Literal(text.to_owned()));
    }
    let mut field = WordBuilder::default();
    walker.spend_weight(bounds::word_weight(text)?)?;
    let pieces = parse::parse_here_document(text)?;
    walker.dollars_of_zsh(text, &pieces);
    walker.expand_quoted(&mut field, text, &pieces)?;
    Ok(field.into_word(text, WordContext::Alone))
}
