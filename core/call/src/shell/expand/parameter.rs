//! `$x` and `${x...}`.

use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter};

use super::field::WordBuilder;
use super::zsh::assigns_in_zsh;
use crate::shell::line_error::{LineError, Result};
use crate::shell::parse::{self, Tildes};
use crate::shell::variables::{self, VariableKind};
use crate::shell::walk::Walker;
use crate::shell::{GapContent, Word, bounds, program};

impl Walker<'_> {
    /// One expansion of a parameter, written `text`.
    pub(super) fn expand_parameter(
        &mut self,
        field: &mut WordBuilder,
        text: &str,
        of: &ParameterExpr,
        quoted: bool,
    ) -> Result<()> {
        if let ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false } = of
            && let Some(word) = self.variable_value(name)
        {
            field.expect_values(self.values_of(of, !quoted));
            match &word {
                Word::Literal(text) if !quoted && is_split_or_glob(text) => field.push_open(true),
                word => {
                    if let (Word::Literal(text), false) = (word, quoted) {
                        field.push_value(text);
                    } else {
                        field.push_word(word);
                    }
                    if !quoted && matches!(word, Word::Open(_)) {
                        field.split_again();
                    }
                }
            }
            return Ok(());
        }
        if let ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false } = of
            && let Some(Word::Literal(text)) = self.assigned_value(name)
            && (quoted || !is_split_or_glob(&text))
        {
            field.expect_values(self.values_of(of, !quoted));
            field.push_assigned(&text, !quoted);
            return Ok(());
        }
        self.check_operator(text, of)?;
        field.expect_values(self.values_of(of, !quoted));
        if is_shell_number(of) {
            field.push_number(!quoted);
        } else {
            field.push_expansion(self.held_by(of), !quoted || is_several_words(of));
        }
        Ok(())
    }

    /// What an expansion does besides giving a value.
    fn check_operator(&mut self, text: &str, of: &ParameterExpr) -> Result<()> {
        use ParameterExpr as P;
        match of {
            P::Parameter { parameter, indirect } | P::ParameterLength { parameter, indirect } => {
                self.check_parameter_name(text, parameter, *indirect)
            }
            P::UseDefaultValues { parameter, indirect, default_value: operand, .. }
            | P::IndicateErrorIfNullOrUnset { parameter, indirect, error_message: operand, .. }
            | P::UseAlternativeValue { parameter, indirect, alternative_value: operand, .. }
            | P::RemoveSmallestSuffixPattern { parameter, indirect, pattern: operand }
            | P::RemoveLargestSuffixPattern { parameter, indirect, pattern: operand }
            | P::RemoveSmallestPrefixPattern { parameter, indirect, pattern: operand }
            | P::RemoveLargestPrefixPattern { parameter, indirect, pattern: operand }
            | P::UppercaseFirstChar { parameter, indirect, pattern: operand }
            | P::UppercasePattern { parameter, indirect, pattern: operand }
            | P::LowercaseFirstChar { parameter, indirect, pattern: operand }
            | P::LowercasePattern { parameter, indirect, pattern: operand } => {
                self.check_parameter_name(text, parameter, *indirect)?;
                self.check_operand(text, operand.as_deref())
            }
            P::ReplaceSubstring { parameter, indirect, pattern, replacement, .. } => {
                self.check_parameter_name(text, parameter, *indirect)?;
                self.check_operand(text, Some(pattern))?;
                self.check_operand(text, replacement.as_deref())
            }
            P::AssignDefaultValues { parameter, indirect, default_value, .. } => {
                self.check_parameter_name(text, parameter, *indirect)?;
                self.check_operand(text, default_value.as_deref())?;
                self.note_caveat(true, format!("{text} sets a variable while it is read"));
                Ok(())
            }
            P::Substring { parameter, indirect, offset, length } => {
                self.check_parameter_name(text, parameter, *indirect)?;
                if self.may_be_zsh() && assigns_in_zsh(text) {
                    self.note_caveat(true, format!("to zsh, {text} sets a variable while it is read"));
                }
                self.note_arithmetic(&offset.value)?;
                length.as_ref().map_or(Ok(()), |length| self.note_arithmetic(&length.value).map(drop))
            }
            P::Transform { .. } => {
                self.note_caveat(true, format!("{text} may evaluate the value of a variable"));
                Ok(())
            }
            P::VariableNames { .. } | P::MemberKeys { .. } => {
                self.note_caveat(true, format!("{text} is not followed"));
                Ok(())
            }
        }
    }

    fn check_parameter_name(&mut self, text: &str, parameter: &Parameter, indirect: bool) -> Result<()> {
        if indirect {
            self.note_caveat(true, format!("{text} reads a variable whose name is not known"));
        }
        match parameter {
            Parameter::NamedWithIndex { index, .. } => self.note_arithmetic(index).map(drop),
            _ => Ok(()),
        }
    }

    /// The text after an operator: its quoting differs from that of a word, and from shell to shell.
    fn check_operand(&mut self, text: &str, operand: Option<&str>) -> Result<()> {
        let operand = operand.unwrap_or_default();
        let harmless = |b: u8| b.is_ascii_alphanumeric() || b"_./:,+ *?[]^%#@=~-".contains(&b);
        if operand.bytes().all(harmless) {
            return Ok(());
        }
        let hides = operand.contains(['\'', '"', '\\', '`', '\n', '}']);
        if hides || ["$(", "$[", "<(", ">(", "=("].iter().any(|sign| operand.contains(sign)) {
            return Err(LineError::new(format!("{text} holds more than plain text")));
        }
        if operand.contains('$') {
            self.spend_weight(bounds::word_weight(operand)?)?;
            let pieces = parse::parse_word(operand, Tildes::No)?;
            self.expand_quoted(&mut WordBuilder::default(), operand, &pieces)?;
        }
        self.note_caveat(false, format!("{text} is only read in part"));
        Ok(())
    }

    /// What an expansion gives at most.
    fn held_by(&self, of: &ParameterExpr) -> GapContent {
        use ParameterExpr as P;
        let (parameter, operand, most) = match of {
            P::ParameterLength { parameter, indirect: false } => (parameter, None, GapContent::Number),
            P::Parameter { parameter, indirect: false } => (parameter, None, GapContent::Number),
            P::UseDefaultValues { parameter, indirect: false, default_value: operand, .. }
            | P::RemoveSmallestSuffixPattern { parameter, indirect: false, pattern: operand }
            | P::RemoveLargestSuffixPattern { parameter, indirect: false, pattern: operand }
            | P::RemoveSmallestPrefixPattern { parameter, indirect: false, pattern: operand }
            | P::RemoveLargestPrefixPattern { parameter, indirect: false, pattern: operand }
            | P::UppercasePattern { parameter, indirect: false, pattern: operand }
            | P::LowercasePattern { parameter, indirect: false, pattern: operand } => {
                (parameter, operand.as_deref(), GapContent::Printed)
            }
            _ => return GapContent::Anything,
        };
        let (Parameter::Named(name) | Parameter::NamedWithIndex { name, .. }) = parameter else {
            return GapContent::Anything;
        };
        let plain = operand.is_none_or(|operand| !operand.contains('$'));
        if plain { self.held_in(name).min(most) } else { GapContent::Anything }
    }

    /// What a variable holds at most: one that the line has set, or one that is no secret.
    fn held_in(&self, name: &str) -> GapContent {
        match self
            .loop_variable(name)
            .filter(|_| !self.sets_others_too())
            .or_else(|| self.assigned_value(name))
        {
            Some(Word::Open(open)) => open.held,
            Some(Word::Literal(_)) => GapContent::Printed,
            None if program::tells_no_secret(name) && self.is_never_set(name) => GapContent::Name,
            None => GapContent::Anything,
        }
    }

    /// What a variable holds, where the line itself says so.
    fn variable_value(&mut self, name: &str) -> Option<Word> {
        match name {
            "HOME" => self.known_home().map(Word::Literal),
            "PWD" => self.known_cwd().map(Word::Literal),
            _ if variables::variable_kind(name) == VariableKind::Rebinding => None,
            _ => self.loop_variable(name),
        }
    }
}

/// Whether a value is several words, or a glob, where it stands without quotes.
fn is_split_or_glob(text: &str) -> bool {
    text.contains(char::is_whitespace) || text.contains(['*', '?', '['])
}

/// `$?`, `$$`, `$#`, `$!`: a number of the shell's.
fn is_shell_number(of: &ParameterExpr) -> bool {
    use SpecialParameter as S;
    matches!(
        of,
        ParameterExpr::Parameter {
            parameter: Parameter::Special(
                S::LastExitStatus | S::ProcessId | S::PositionalParameterCount | S::LastBackgroundProcessId
            ),
            indirect: false,
        }
    )
}

/// Whether an expansion is several words even in double quotes.
fn is_several_words(of: &ParameterExpr) -> bool {
    use ParameterExpr as P;
    let (P::Parameter { parameter, .. }
    | P::UseDefaultValues { parameter, .. }
    | P::UseAlternativeValue { parameter, .. }
    | P::Substring { parameter, .. }
    | P::ReplaceSubstring { parameter, .. }
    | P::RemoveSmallestSuffixPattern { parameter, .. }
    | P::RemoveLargestSuffixPattern { parameter, .. }
    | P::RemoveSmallestPrefixPattern { parameter, .. }
    | P::RemoveLargestPrefixPattern { parameter, .. }
    | P::UppercaseFirstChar { parameter, .. }
    | P::UppercasePattern { parameter, .. }
    | P::LowercaseFirstChar { parameter, .. }
    | P::LowercasePattern { parameter, .. }) = of
    else {
        return !matches!(of, P::ParameterLength { .. });
    };
    matches!(
        parameter,
        Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false })
            | Parameter::NamedWithAllIndices { concatenate: false, .. }
    )
}
