//! Rules that are in order, and can't match what was surely meant (D3.27). One line says how many there are, wherever a file is
//! read; whoever looks for mistakes gets each, with what to write.

use super::build_policy::format_origin;
use super::load::LoadedConfig;
use mayi_policy::Rule;
use mayi_policy::pattern::Doubt;

impl LoadedConfig {
    /// What was noticed, with each rule that can't match what was meant in place of their number.
    #[must_use]
    pub fn full_notices(&self) -> Vec<String> {
        let hints: Vec<String> = self.policy.rules.loaded_rules().filter_map(hint).collect();
        let number = number_of(hints.len());
        let others = self.policy.notices.iter().filter(|notice| Some(*notice) != number.as_ref());
        others.cloned().chain(hints).collect()
    }
}

/// How many of `rules` can't match what was meant, where there are any.
pub(super) fn number_of_hints<'r>(rules: impl Iterator<Item = &'r Rule>) -> Option<String> {
    number_of(rules.filter(|rule| rule.pattern.doubt(rule.effect).is_some()).count())
}

fn number_of(hints: usize) -> Option<String> {
    let rules = match hints {
        0 => return None,
        1 => "1 rule".to_owned(),
        many => format!("{many} rules"),
    };
    Some(format!("{rules} can't match what seems to be meant: `mayi config check` says what to write"))
}

fn hint(rule: &Rule) -> Option<String> {
    let Doubt { why, instead } = rule.pattern.doubt(rule.effect)?;
    let (origin, pattern) = (format_origin(&rule.origin), &rule.pattern);
    Some(format!("{origin}: `{pattern}` {why}; did you mean `{instead}`?"))
}
