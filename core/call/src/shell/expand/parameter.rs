//! `$x` and `${x...}`.

use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter};

use super::field::Field;
use crate::shell::parse::{self, Tildes};
use crate::shell::refused::{Refused, Result};
use crate::shell::variables::{self, Kind};
use crate::shell::walk::Walker;
use crate::shell::{Held, Word, bounds, program};

impl Walker<'_> {
    /// One expansion of a parameter, written `text`.
    pub(super) fn parameter(
        &mut self,
        field: &mut Field,
        text: &str,
        of: &ParameterExpr,
        quoted: bool,
    ) -> Result<()> {
        if let ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false } = of
            && let Some(word) = self.value(name)
        {
            match &word {
                Word::Literal(text) if !quoted && breaks(text) => field.open(true),
                word => {
                    field.splice(word);
                    if !quoted && matches!(word, Word::Open(_)) {
                        field.split_again();
                    }
                }
            }
            return Ok(());
        }
        if let ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false } = of
            && let Some(Word::Literal(text)) = self.assigned(name)
            && (quoted || !breaks(&text))
        {
            field.assigned(&text, !quoted);
            return Ok(());
        }
        self.operator(text, of)?;
        if counted(of) {
            field.number(!quoted);
        } else {
            field.holds(self.held_by(of), !quoted || several(of));
        }
        Ok(())
    }

    /// What an expansion does besides giving a value.
    fn operator(&mut self, text: &str, of: &ParameterExpr) -> Result<()> {
        use ParameterExpr as P;
        match of {
            P::Parameter { parameter, indirect } | P::ParameterLength { parameter, indirect } => {
                self.named(text, parameter, *indirect)
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
                self.named(text, parameter, *indirect)?;
                self.operand(text, operand.as_deref())
            }
            P::ReplaceSubstring { parameter, indirect, pattern, replacement, .. } => {
                self.named(text, parameter, *indirect)?;
                self.operand(text, Some(pattern))?;
                self.operand(text, replacement.as_deref())
            }
            P::AssignDefaultValues { parameter, indirect, default_value, .. } => {
                self.named(text, parameter, *indirect)?;
                self.operand(text, default_value.as_deref())?;
                self.note(true, format!("{text} sets a variable while it is read"));
                Ok(())
            }
            P::Substring { parameter, indirect, offset, length } => {
                self.named(text, parameter, *indirect)?;
                self.arithmetic(&offset.value)?;
                length.as_ref().map_or(Ok(()), |length| self.arithmetic(&length.value).map(drop))
            }
            P::Transform { .. } => {
                self.note(true, format!("{text} may evaluate the value of a variable"));
                Ok(())
            }
            P::VariableNames { .. } | P::MemberKeys { .. } => {
                self.note(true, format!("{text} is not followed"));
                Ok(())
            }
        }
    }

    fn named(&mut self, text: &str, parameter: &Parameter, indirect: bool) -> Result<()> {
        if indirect {
            self.note(true, format!("{text} reads a variable whose name is not known"));
        }
        match parameter {
            Parameter::NamedWithIndex { index, .. } => self.arithmetic(index).map(drop),
            _ => Ok(()),
        }
    }

    /// The text after an operator: its quoting differs from that of a word, and from shell to shell.
    fn operand(&mut self, text: &str, operand: Option<&str>) -> Result<()> {
        let operand = operand.unwrap_or_default();
        let harmless = |b: u8| b.is_ascii_alphanumeric() || b"_./:,+ *?[]^%#@=~-".contains(&b);
        if operand.bytes().all(harmless) {
            return Ok(());
        }
        let hides = operand.contains(['\'', '"', '\\', '`', '\n', '}']);
        if hides || ["$(", "$[", "<(", ">(", "=("].iter().any(|sign| operand.contains(sign)) {
            return Err(Refused::new(format!("{text} holds more than plain text")));
        }
        if operand.contains('$') {
            self.spend(bounds::weight(operand)?)?;
            let pieces = parse::pieces(operand, Tildes::No)?;
            self.quoted(&mut Field::default(), operand, &pieces)?;
        }
        self.note(false, format!("{text} is only read in part"));
        Ok(())
    }

    /// What an expansion gives at most.
    fn held_by(&self, of: &ParameterExpr) -> Held {
        use ParameterExpr as P;
        let (parameter, operand, most) = match of {
            P::ParameterLength { parameter, indirect: false } => (parameter, None, Held::Number),
            P::Parameter { parameter, indirect: false } => (parameter, None, Held::Number),
            P::UseDefaultValues { parameter, indirect: false, default_value: operand, .. }
            | P::RemoveSmallestSuffixPattern { parameter, indirect: false, pattern: operand }
            | P::RemoveLargestSuffixPattern { parameter, indirect: false, pattern: operand }
            | P::RemoveSmallestPrefixPattern { parameter, indirect: false, pattern: operand }
            | P::RemoveLargestPrefixPattern { parameter, indirect: false, pattern: operand }
            | P::UppercasePattern { parameter, indirect: false, pattern: operand }
            | P::LowercasePattern { parameter, indirect: false, pattern: operand } => {
                (parameter, operand.as_deref(), Held::Printed)
            }
            _ => return Held::Anything,
        };
        let (Parameter::Named(name) | Parameter::NamedWithIndex { name, .. }) = parameter else {
            return Held::Anything;
        };
        let plain = operand.is_none_or(|operand| !operand.contains('$'));
        if plain { self.held_in(name).min(most) } else { Held::Anything }
    }

    /// What a variable holds at most: one that the line has set, or one that is no secret.
    fn held_in(&self, name: &str) -> Held {
        match self.looped(name).filter(|_| !self.sets_others_too()).or_else(|| self.assigned(name)) {
            Some(Word::Open(open)) => open.held,
            Some(Word::Literal(_)) => Held::Printed,
            None if program::tells_no_secret(name) && self.is_never_set(name) => Held::Name,
            None => Held::Anything,
        }
    }

    /// What a variable holds, where the line itself says so.
    fn value(&mut self, name: &str) -> Option<Word> {
        match name {
            "HOME" => self.home().map(Word::Literal),
            "PWD" => self.here().map(Word::Literal),
            _ if variables::kind(name) == Kind::Rebinding => None,
            _ => self.looped(name),
        }
    }
}

/// Whether a value is several words, or a glob, where it stands without quotes.
fn breaks(text: &str) -> bool {
    text.contains(char::is_whitespace) || text.contains(['*', '?', '['])
}

/// `$?`, `$$`, `$#`, `$!`: a number of the shell's.
fn counted(of: &ParameterExpr) -> bool {
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
fn several(of: &ParameterExpr) -> bool {
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
