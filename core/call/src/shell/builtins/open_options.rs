//! Words that are not known where an option or an operator of a command of the shell could stand. One that makes the shell
//! evaluate, set or run what stands behind it counts as just that, where the word comes from elsewhere: `[ "$(cat f)" 'a[$(x)]' ]`,
//! `jobs $x touch y`.

use super::Builtin;
use crate::shell::Word;
use crate::shell::expand::naming_risk;
use crate::shell::walk::holds_printed;

/// What stands between two operands of `test`.
const BINARY: &[&str] = &[
    "=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-a",
    "-o",
];

/// Whether an open word could begin with a dash, so that it is an option or an operator.
pub(super) fn could_be_option(word: &Word) -> bool {
    let Word::Open(open) = word else { return false };
    let dash = |text: &str| text.is_empty() || text.starts_with('-');
    if !dash(word.known_prefix()) || open.held.is_no_option() {
        return false;
    }
    if let Some(text) = &open.assigned {
        return text.starts_with('-');
    }
    // Each value of a loop stands in the line.
    let first = |pieces: &Vec<Option<String>>| pieces.first().cloned().flatten().unwrap_or_default();
    !open.tame || open.variants.is_empty() || open.variants.iter().any(|pieces| dash(&first(pieces)))
}

/// Asks about a word that the shell makes more of than a text, where a command prints it or the line gives it to a variable:
/// whatever the mode.
pub(super) fn add_elsewhere_caveat(word: &Word, of: &mut Builtin) {
    of.evaluated.push(word.text());
    if holds_printed(word) {
        of.add_always_caveat(format!("the shell may take {} for an option that does more", word.text()));
    }
}

/// The same of each word that could be an option, unless nothing stands behind it; with what could be its value.
pub(super) fn check_open_options(words: &[Word], of: &mut Builtin) {
    for (place, word) in words.iter().enumerate().skip(1) {
        if word.literal() == Some("--") {
            break;
        }
        let splits = matches!(word, Word::Open(open) if open.splits);
        if could_be_option(word) && (splits || place + 1 < words.len()) {
            add_elsewhere_caveat(word, of);
        }
    }
}

/// The words of `test` without its own name, and the bracket that ends it.
fn operands(words: &[Word]) -> &[Word] {
    let inner = words.get(1..).unwrap_or_default();
    let bracket = words.first().and_then(Word::literal) == Some("[");
    match inner.split_last() {
        Some((last, rest)) if bracket && last.literal() == Some("]") => rest,
        _ => inner,
    }
}

/// `[ WORD NAME ]`: `-v` and `-R` look a name up, and evaluate its subscript; in zsh, `-t` takes a number.
pub(super) fn check_test_operators(words: &[Word], of: &mut Builtin) {
    let inner = operands(words);
    for (place, pair) in inner.windows(2).enumerate() {
        let [operator, operand] = pair else { continue };
        let between = |word: &Word| word.literal().is_some_and(|text| BINARY.contains(&text));
        let before = place.checked_sub(1).and_then(|at| inner.get(at)).and_then(Word::literal);
        // What stands behind an operator is what it is about.
        let about = before.is_some_and(|text| {
            let connects = matches!(text, "-a" | "-o" | "!" | "(");
            !connects && (BINARY.contains(&text) && place > 1 || is_unary(text))
        });
        if about || !could_be_option(operator) || between(operand) || operand.literal() == Some(")") {
            continue;
        }
        let risk = naming_risk(operand);
        if risk == Some(true) {
            of.add_always_caveat(format!("the shell may evaluate {}", operand.text()));
        }
        if risk.is_some() || of.dialect.may_be_zsh() {
            of.evaluated.push(operand.text());
        }
    }
}

fn is_unary(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|letter| letter.len() == 1)
}
