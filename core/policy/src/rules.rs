//! The rules of a policy, and what finds the few that an access is about.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use super::Rule;
use super::compiled::CompiledRules;
use super::index::Index;
use super::pattern::{AccessForms, TouchForms};

/// Rules of every layer; their order has no meaning for the effect.
///
/// Those of a file that was compiled before are not all there: a decision reads the few that it needs, and whoever looks at the
/// list has all of them read.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Where nothing was compiled before.
    list: RuleList,
    /// In their order, where something was; the list is empty then.
    parts: Vec<RulePart>,
    /// All of the parts, once somebody has looked at them.
    whole: OnceLock<RuleList>,
}

#[derive(Clone, Debug)]
enum RulePart {
    List(RuleList),
    Compiled(Box<CompiledRules>),
}

/// The index is made from the list when it is first needed, and again after the list was changed: it
/// can't be about other rules than these.
#[derive(Clone, Debug, Default)]
struct RuleList {
    rules: Vec<Rule>,
    index: OnceLock<Index>,
}

impl RuleList {
    fn new(rules: Vec<Rule>) -> Self {
        Self { rules, index: OnceLock::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.rules.iter().map(|rule| &rule.pattern)))
    }

    fn rules_mut(&mut self) -> &mut Vec<Rule> {
        self.index = OnceLock::new();
        &mut self.rules
    }

    fn rules_at(&self, places: Vec<u32>) -> impl Iterator<Item = &Rule> + use<'_> {
        places.into_iter().filter_map(|at| self.rules.get(usize::try_from(at).ok()?))
    }
}

impl Rules {
    /// Compiles what would else be when it is first needed.
    pub(super) fn build_index(&self) {
        if self.parts.is_empty() {
            self.list.index();
        }
    }

    /// The rules that could be about an access, in their order.
    pub(super) fn rules_about<'a>(
        &'a self,
        seen: &AccessForms<'_>,
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        self.find_in_parts(|list| list.index().candidates_for(seen), |compiled| compiled.rules_about(seen))
            .into_iter()
    }

    /// The rules that could be about something that is touched.
    pub(super) fn about_touch<'a>(
        &'a self,
        touch: &TouchForms<'_>,
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        self.find_in_parts(|list| list.index().about_touch(touch), |compiled| compiled.about_touch(touch))
            .into_iter()
    }

    /// What is found in each part; in the list of all, if there are no parts or one of them can't tell.
    fn find_in_parts<'a>(
        &'a self,
        list: impl Fn(&RuleList) -> Vec<u32>,
        compiled: impl Fn(&'a CompiledRules) -> Option<Vec<&'a Rule>>,
    ) -> Vec<&'a Rule> {
        let of_list = |part: &'a RuleList| part.rules_at(list(part)).collect::<Vec<_>>();
        if self.parts.is_empty() || self.whole.get().is_some() {
            return of_list(self.whole_list());
        }
        let parts = self.parts.iter().map(|part| match part {
            RulePart::List(rules) => Some(of_list(rules)),
            RulePart::Compiled(rules) => compiled(rules),
        });
        match parts.collect::<Option<Vec<_>>>() {
            Some(found) => found.concat(),
            None => of_list(self.whole_list()),
        }
    }

    fn whole_list(&self) -> &RuleList {
        if self.parts.is_empty() {
            return &self.list;
        }
        self.whole.get_or_init(|| {
            let rules = self.parts.iter().flat_map(|part| match part {
                RulePart::List(list) => list.rules.clone(),
                RulePart::Compiled(compiled) => compiled.all_rules(),
            });
            RuleList::new(rules.collect())
        })
    }

    /// All of them as a list, to be changed.
    fn merged_rules_mut(&mut self) -> &mut Vec<Rule> {
        if !self.parts.is_empty() {
            self.whole_list();
            self.list = self.whole.take().unwrap_or_default();
            self.parts.clear();
        }
        self.list.rules_mut()
    }

    /// One rule more.
    pub fn push(&mut self, rule: Rule) {
        self.extend([rule]);
    }

    /// Rules of a file that was compiled before.
    pub fn push_compiled(&mut self, compiled: CompiledRules) {
        self.whole = OnceLock::new();
        if self.parts.is_empty() && !self.list.rules.is_empty() {
            self.parts.push(RulePart::List(std::mem::take(&mut self.list)));
        }
        self.parts.push(RulePart::Compiled(Box::new(compiled)));
    }

    /// The rules that are there as long as nobody asks for all: the others name no agents, and nothing has to be said of them.
    pub fn loaded_rules(&self) -> impl Iterator<Item = &Rule> {
        let parts = self.parts.iter().flat_map(|part| {
            let (list, compiled) = match part {
                RulePart::List(list) => (Some(&list.rules), None),
                RulePart::Compiled(compiled) => (None, Some(compiled.eager_rules())),
            };
            list.into_iter().flatten().chain(compiled.into_iter().flatten())
        });
        self.list.rules.iter().chain(parts)
    }

    /// As [`Self::loaded_rules`], to change what they say, and not what they are about.
    pub fn loaded_rules_mut(&mut self) -> impl Iterator<Item = &mut Rule> {
        // What was made of the parts before is not what they are then.
        self.whole = OnceLock::new();
        let parts = self.parts.iter_mut().flat_map(|part| {
            let (list, compiled) = match part {
                RulePart::List(list) => (Some(&mut list.rules), None),
                RulePart::Compiled(compiled) => (None, Some(compiled.eager_rules_mut())),
            };
            list.into_iter().flatten().chain(compiled.into_iter().flatten())
        });
        self.list.rules.iter_mut().chain(parts)
    }
}

impl Extend<Rule> for Rules {
    fn extend<I: IntoIterator<Item = Rule>>(&mut self, rules: I) {
        if self.parts.is_empty() {
            return self.list.rules_mut().extend(rules);
        }
        self.whole = OnceLock::new();
        match self.parts.last_mut() {
            Some(RulePart::List(list)) => list.rules_mut().extend(rules),
            _ => self.parts.push(RulePart::List(RuleList::new(rules.into_iter().collect()))),
        }
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(rules: Vec<Rule>) -> Self {
        Self { list: RuleList::new(rules), ..Self::default() }
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        rules.into_iter().collect::<Vec<_>>().into()
    }
}

impl Deref for Rules {
    type Target = [Rule];

    fn deref(&self) -> &[Rule] {
        &self.whole_list().rules
    }
}

impl DerefMut for Rules {
    fn deref_mut(&mut self) -> &mut [Rule] {
        self.merged_rules_mut()
    }
}

impl<'a> IntoIterator for &'a Rules {
    type Item = &'a Rule;
    type IntoIter = std::slice::Iter<'a, Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
