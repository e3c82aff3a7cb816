//! What `$x` and `${x...}` could be, by what the line gives the variable.

use brush_parser::word::{Parameter, ParameterExpr};

use super::Pieces;
use crate::shell::walk::{Walker, value_readings};

/// What stands for all the positional parameters.
pub(in crate::shell) const POSITIONAL: &str = "@";

impl Walker<'_> {
    /// The values that an expansion could have; `splits`: they are taken apart and read as globs again.
    pub(super) fn values_of(&mut self, of: &ParameterExpr, splits: bool) -> Vec<Pieces> {
        use ParameterExpr as P;
        let (parameter, operand) = match of {
            P::Parameter { parameter, indirect: false } | P::IndicateErrorIfNullOrUnset { parameter, .. } => {
                (parameter, None)
            }
            P::UseDefaultValues { parameter, default_value: operand, .. }
            | P::AssignDefaultValues { parameter, default_value: operand, .. }
            | P::UseAlternativeValue { parameter, alternative_value: operand, .. }
            | P::RemoveSmallestSuffixPattern { parameter, pattern: operand, .. }
            | P::RemoveLargestSuffixPattern { parameter, pattern: operand, .. }
            | P::RemoveSmallestPrefixPattern { parameter, pattern: operand, .. }
            | P::RemoveLargestPrefixPattern { parameter, pattern: operand, .. } => {
                (parameter, operand.as_deref())
            }
            _ => return Vec::new(),
        };
        let name = match parameter {
            Parameter::Named(name)
            | Parameter::NamedWithIndex { name, .. }
            | Parameter::NamedWithAllIndices { name, .. } => name.as_str(),
            Parameter::Positional(_) | Parameter::Special(_) => POSITIONAL,
        };
        let mut values = self.line_values(name);
        let literal = operand.filter(|operand| !operand.contains(['$', '`', '\\', '"', '\'']));
        match (of, literal) {
            (P::UseDefaultValues { .. } | P::AssignDefaultValues { .. }, Some(text)) => {
                values.push(vec![Some(text.to_owned())]);
            }
            (P::UseAlternativeValue { .. }, text) => {
                values = text.map(|text| vec![Some(text.to_owned())]).into_iter().collect();
            }
            (P::RemoveSmallestSuffixPattern { .. } | P::RemoveLargestSuffixPattern { .. }, Some(end)) => {
                values.iter_mut().for_each(|value| cut_end(value, end));
            }
            (P::RemoveSmallestPrefixPattern { .. } | P::RemoveLargestPrefixPattern { .. }, Some(begin)) => {
                values.iter_mut().for_each(|value| cut_beginning(value, begin));
            }
            (P::Parameter { .. } | P::IndicateErrorIfNullOrUnset { .. }, _) => {}
            // Of a pattern that is not known nothing is left that is.
            _ => return Vec::new(),
        }
        values.iter().flat_map(|value| value_readings(value, splits)).collect()
    }
}

/// Takes a pattern off the end, or leaves it open what is there.
fn cut_end(value: &mut Pieces, end: &str) {
    let wild = end.contains(['*', '?', '[']);
    let Some(Some(last)) = value.last_mut() else { return };
    match last.strip_suffix(end) {
        _ if wild => {
            // `${x%/*}` is the folder, `${x%.*}` the name without its end.
            let known =
                end.strip_suffix('*').filter(|known| !known.contains(['*', '?', '['])).unwrap_or_default();
            match last.rfind(known).filter(|_| !known.is_empty()) {
                Some(at) => last.truncate(at),
                None => *value = vec![None],
            }
        }
        Some(rest) => *last = rest.to_owned(),
        None => {}
    }
}

/// The same at the beginning.
fn cut_beginning(value: &mut Pieces, begin: &str) {
    let wild = begin.contains(['*', '?', '[']);
    let Some(Some(first)) = value.first_mut() else { return };
    match first.strip_prefix(begin) {
        _ if wild => {
            // `${x##*/}` is the last name.
            let known = begin.trim_start_matches('*');
            match first.rfind(known).filter(|_| !known.is_empty() && !known.contains(['*', '?', '['])) {
                Some(at) => *first = first.get(at + known.len()..).unwrap_or_default().to_owned(),
                None => *value = vec![None],
            }
        }
        Some(rest) => *first = rest.to_owned(),
        None => {}
    }
}
