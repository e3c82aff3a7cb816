//! The rules of a policy, and what finds the few that an access is about.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use super::Rule;
use super::compiled::Compiled;
use super::index::Index;
use super::pattern::{Seen, SeenTouch};

/// Rules of every layer; their order has no meaning for the effect.
///
/// Those of a file that was compiled before are not all there: a decision reads the few that it needs, and whoever looks at the
/// list has all of them read.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Where nothing was compiled before.
    list: List,
    /// In their order, where something was; the list is empty then.
    parts: Vec<Part>,
    /// All of the parts, once somebody has looked at them.
    whole: OnceLock<List>,
}

#[derive(Clone, Debug)]
enum Part {
    List(List),
    Compiled(Box<Compiled>),
}

/// The index is made from the list when it is first needed, and again after the list was changed: it
/// can't be about other rules than these.
#[derive(Clone, Debug, Default)]
struct List {
    rules: Vec<Rule>,
    index: OnceLock<Index>,
}

impl List {
    fn new(rules: Vec<Rule>) -> Self {
        Self { rules, index: OnceLock::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.rules.iter().map(|rule| &rule.pattern)))
    }

    fn changed(&mut self) -> &mut Vec<Rule> {
        self.index = OnceLock::new();
        &mut self.rules
    }

    fn at(&self, places: Vec<u32>) -> impl Iterator<Item = &Rule> + use<'_> {
        places.into_iter().filter_map(|at| self.rules.get(usize::try_from(at).ok()?))
    }
}

impl Rules {
    /// Compiles what would else be when it is first needed.
    pub(super) fn compile(&self) {
        if self.parts.is_empty() {
            self.list.index();
        }
    }

    /// The rules that could be about an access, in their order.
    pub(super) fn about<'a>(&'a self, seen: &Seen<'_>) -> impl Iterator<Item = &'a Rule> + use<'a> {
        self.find(|list| list.index().about(seen), |compiled| compiled.about(seen)).into_iter()
    }

    /// The rules that could be about something that is touched.
    pub(super) fn about_touch<'a>(
        &'a self,
        touch: &SeenTouch<'_>,
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        self.find(|list| list.index().about_touch(touch), |compiled| compiled.about_touch(touch)).into_iter()
    }

    /// What is found in each part; in the list of all, if there are no parts or one of them can't tell.
    fn find<'a>(
        &'a self,
        list: impl Fn(&List) -> Vec<u32>,
        compiled: impl Fn(&'a Compiled) -> Option<Vec<&'a Rule>>,
    ) -> Vec<&'a Rule> {
        let of_list = |part: &'a List| part.at(list(part)).collect::<Vec<_>>();
        if self.parts.is_empty() || self.whole.get().is_some() {
            return of_list(self.whole());
        }
        let parts = self.parts.iter().map(|part| match part {
            Part::List(rules) => Some(of_list(rules)),
            Part::Compiled(rules) => compiled(rules),
        });
        match parts.collect::<Option<Vec<_>>>() {
            Some(found) => found.concat(),
            None => of_list(self.whole()),
        }
    }

    fn whole(&self) -> &List {
        if self.parts.is_empty() {
            return &self.list;
        }
        self.whole.get_or_init(|| {
            let rules = self.parts.iter().flat_map(|part| match part {
                Part::List(list) => list.rules.clone(),
                Part::Compiled(compiled) => compiled.whole(),
            });
            List::new(rules.collect())
        })
    }

    /// All of them as a list, to be changed.
    fn listed(&mut self) -> &mut Vec<Rule> {
        if !self.parts.is_empty() {
            self.whole();
            self.list = self.whole.take().unwrap_or_default();
            self.parts.clear();
        }
        self.list.changed()
    }

    /// One rule more.
    pub fn push(&mut self, rule: Rule) {
        self.extend([rule]);
    }

    /// Rules of a file that was compiled before.
    pub fn push_compiled(&mut self, compiled: Compiled) {
        self.whole = OnceLock::new();
        if self.parts.is_empty() && !self.list.rules.is_empty() {
            self.parts.push(Part::List(std::mem::take(&mut self.list)));
        }
        self.parts.push(Part::Compiled(Box::new(compiled)));
    }

    /// The rules that are there as long as nobody asks for all: the others name no agents, and nothing has to be said of them.
    pub fn at_hand(&self) -> impl Iterator<Item = &Rule> {
        let parts = self.parts.iter().flat_map(|part| {
            let (list, compiled) = match part {
                Part::List(list) => (Some(&list.rules), None),
                Part::Compiled(compiled) => (None, Some(compiled.settled())),
            };
            list.into_iter().flatten().chain(compiled.into_iter().flatten())
        });
        self.list.rules.iter().chain(parts)
    }

    /// As [`Self::at_hand`], to change what they say, and not what they are about.
    pub fn at_hand_mut(&mut self) -> impl Iterator<Item = &mut Rule> {
        // What was made of the parts before is not what they are then.
        self.whole = OnceLock::new();
        let parts = self.parts.iter_mut().flat_map(|part| {
            let (list, compiled) = match part {
                Part::List(list) => (Some(&mut list.rules), None),
                Part::Compiled(compiled) => (None, Some(compiled.settled_mut())),
            };
            list.into_iter().flatten().chain(compiled.into_iter().flatten())
        });
        self.list.rules.iter_mut().chain(parts)
    }
}

impl Extend<Rule> for Rules {
    fn extend<I: IntoIterator<Item = Rule>>(&mut self, rules: I) {
        if self.parts.is_empty() {
            return self.list.changed().extend(rules);
        }
        self.whole = OnceLock::new();
        match self.parts.last_mut() {
            Some(Part::List(list)) => list.changed().extend(rules),
            _ => self.parts.push(Part::List(List::new(rules.into_iter().collect()))),
        }
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(rules: Vec<Rule>) -> Self {
        Self { list: List::new(rules), ..Self::default() }
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
        &self.whole().rules
    }
}

impl DerefMut for Rules {
    fn deref_mut(&mut self) -> &mut [Rule] {
        self.listed()
    }
}

impl<'a> IntoIterator for &'a Rules {
    type Item = &'a Rule;
    type IntoIter = std::slice::Iter<'a, Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
