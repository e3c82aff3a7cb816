//! Arithmetic: `$((..))`, `((..))`, subscripts, offsets. A name in it is a variable, and the shell
//! evaluates what that variable holds, subscripts with substitutions included.

use super::zsh::assigns_in_zsh;
use crate::shell::Word;
use crate::shell::line_error::{LineError, Result};
use crate::shell::variables::{self, VariableKind};
use crate::shell::walk::{Walker, holds_printed};

/// What an expression is, as far as its text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::shell) enum ArithmeticKind {
    /// Numbers and operators.
    Numbers,
    /// Also names, which the shell evaluates.
    Names,
    /// Names, of which one changes what later words run.
    Rebinding,
    /// More than that: it could hold anything.
    Other,
}

/// Reads the text of an expression.
pub(in crate::shell) fn classify_expression(text: &str) -> ArithmeticKind {
    let text = text.trim();
    if matches!(text, "@" | "*") {
        return ArithmeticKind::Numbers;
    }
    let operator = |b: u8| b" \t+-*/%<>=!&|^~?:,()".contains(&b);
    let mut depth = 0;
    for b in text.bytes() {
        match b {
            b'(' => depth += 1,
            b')' if depth == 0 => return ArithmeticKind::Other,
            b')' => depth -= 1,
            _ if b.is_ascii_alphanumeric() || b == b'_' || operator(b) || b"$[]{}\n".contains(&b) => {}
            _ => return ArithmeticKind::Other,
        }
    }
    if depth != 0 || text.contains("$(") || text.contains("$[") {
        return ArithmeticKind::Other;
    }
    if text.bytes().all(|b| b.is_ascii_digit() || operator(b)) {
        return ArithmeticKind::Numbers;
    }
    let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let rebinds = names
        .filter(|name| variables::is_name(name))
        .any(|name| variables::variable_kind(name) == VariableKind::Rebinding);
    if rebinds { ArithmeticKind::Rebinding } else { ArithmeticKind::Names }
}

impl Walker<'_> {
    /// Whether each name in an expression is one that the line has set to a number, once and for certain.
    pub(in crate::shell) fn adds_known_numbers(&self, text: &str) -> bool {
        let number = |name: &str| {
            let value = self.loop_variable(name).filter(|_| !self.sets_others_too());
            value.or_else(|| self.assigned_value(name)).is_some_and(|value| match &value {
                Word::Literal(text) => !text.is_empty() && variables::is_number(&value) && text.len() <= 18,
                Word::Open(open) => open.pieces == [None] && variables::is_number(&value),
            })
        };
        let mut names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        variables::is_plain_arithmetic(text)
            && text.contains(|c: char| c.is_ascii_alphabetic() || c == '_')
            && names.all(|name| !variables::is_name(name) || number(name))
    }

    /// Notes what an expression evaluates, and says what it is.
    pub(in crate::shell) fn note_arithmetic(&mut self, text: &str) -> Result<ArithmeticKind> {
        let expression = classify_expression(text);
        self.note_evaluated_names(text);
        if self.may_be_zsh() && assigns_in_zsh(text) {
            self.note_caveat(true, format!("to zsh, {} sets a variable while it is read", text.trim()));
        }
        match expression {
            ArithmeticKind::Numbers => {}
            ArithmeticKind::Names => {
                self.note_caveat(false, format!("the shell evaluates {} as arithmetic", text.trim()))
            }
            ArithmeticKind::Rebinding => {
                self.note_caveat(true, format!("the shell evaluates {} as arithmetic", text.trim()));
            }
            ArithmeticKind::Other => {
                return Err(LineError::new(format!("arithmetic that holds more: {}", text.trim())));
            }
        }
        Ok(expression)
    }
}

/// Whether a word that the shell evaluates as a number is asked about, and if so, whatever the mode. Numbers are harmless; a
/// name stands for what its variable holds, and that is evaluated too; a subscript or a substitution runs what it holds.
pub(in crate::shell) fn evaluation_risk(word: &Word) -> Option<bool> {
    if variables::is_number(word) {
        return None;
    }
    let Some(text) = word.literal() else { return Some(holds_printed(word)) };
    if classify_expression(text) == ArithmeticKind::Numbers {
        return None;
    }
    Some(text.contains(['[', '$', '`', '\\']))
}

/// The same of a word that names a variable: a plain name is only looked up, what stands in its subscript is evaluated.
pub(in crate::shell) fn naming_risk(word: &Word) -> Option<bool> {
    let Some(text) = word.literal() else { return Some(holds_printed(word)) };
    let base = text.strip_suffix("[@]").or_else(|| text.strip_suffix("[*]")).unwrap_or(text);
    if variables::is_name(base) { None } else { evaluation_risk(word) }
}
