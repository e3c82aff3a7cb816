//! A rule in a block: as it was written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::pattern::{ArgumentConditions, PatternBases};
use crate::{Effect, Origin, Pattern, Rule};

/// What is kept of a rule. Its file and layer are those of all rules of the file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RuleRecord<'a> {
    effect: Effect,
    holds: bool,
    named: bool,
    line: Option<u32>,
    pattern: &'a str,
    #[serde(borrow)]
    args: Option<Vec<(&'a str, &'a str)>>,
    #[serde(borrow)]
    paths: Option<Vec<(&'a str, &'a str)>>,
    #[serde(borrow)]
    unless: Option<&'a str>,
    #[serde(borrow)]
    reason: Option<&'a str>,
    #[serde(borrow)]
    agents: Vec<&'a str>,
}

impl<'a> RuleRecord<'a> {
    pub(super) fn from_rule(rule: &'a Rule) -> Self {
        let texts = |texts: &'a BTreeMap<String, String>| {
            texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
        };
        let conditions = rule.pattern.conditions();
        Self {
            effect: rule.effect,
            holds: rule.holds,
            named: rule.named,
            line: rule.origin.line,
            pattern: rule.pattern.as_str(),
            args: conditions.and_then(|of| of.args.as_ref()).map(texts),
            paths: conditions.and_then(|of| of.paths.as_ref()).map(texts),
            unless: rule.unless.as_ref().map(Pattern::as_str),
            reason: rule.reason.as_deref(),
            agents: rule.agents.iter().map(String::as_str).collect(),
        }
    }

    /// The rule that it was; `None` if it was none.
    pub(super) fn into_rule(self, origin: &Origin, places: &PatternBases) -> Option<Rule> {
        let texts = |texts: Vec<(&str, &str)>| {
            texts.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
        };
        let conditions = ArgumentConditions { args: self.args.map(texts), paths: self.paths.map(texts) };
        Some(Rule {
            effect: self.effect,
            pattern: Pattern::with_conditions(self.pattern, conditions, places).ok()?,
            unless: self.unless.map(|text| Pattern::parse(text, places)).transpose().ok()?,
            reason: self.reason.map(str::to_owned),
            agents: self.agents.into_iter().map(str::to_owned).collect(),
            holds: self.holds,
            named: self.named,
            origin: Origin { line: self.line, ..origin.clone() },
        })
    }
}
