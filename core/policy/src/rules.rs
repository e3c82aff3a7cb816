//! The rules of a policy, and what finds the few that an access is about.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use super::Rule;
use super::index::Index;
use super::pattern::{Seen, SeenTouch};

/// Rules of every layer; their order has no meaning for the effect.
///
/// The index is made from the list when it is first needed, and again after the list was changed: it
/// can't be about other rules than these.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    list: Vec<Rule>,
    index: OnceLock<Index>,
}

impl Rules {
    /// Compiles what would else be when it is first needed.
    pub(super) fn compile(&self) {
        self.index();
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.list.iter().map(|rule| &rule.pattern)))
    }

    /// The rules that could be about an access, in their order.
    pub(super) fn about(&self, seen: &Seen<'_>) -> impl Iterator<Item = &Rule> + use<'_> {
        self.at(self.index().about(seen))
    }

    /// The rules that could be about something that is touched.
    pub(super) fn about_touch(&self, touch: &SeenTouch<'_>) -> impl Iterator<Item = &Rule> + use<'_> {
        self.at(self.index().about_touch(touch))
    }

    fn at(&self, places: Vec<u32>) -> impl Iterator<Item = &Rule> + use<'_> {
        places.into_iter().filter_map(|at| self.list.get(usize::try_from(at).ok()?))
    }

    /// One rule more.
    pub fn push(&mut self, rule: Rule) {
        self.index = OnceLock::new();
        self.list.push(rule);
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(list: Vec<Rule>) -> Self {
        Self { list, index: OnceLock::new() }
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
        &self.list
    }
}

impl DerefMut for Rules {
    fn deref_mut(&mut self) -> &mut [Rule] {
        self.index = OnceLock::new();
        &mut self.list
    }
}

impl<'a> IntoIterator for &'a Rules {
    type Item = &'a Rule;
    type IntoIter = std::slice::Iter<'a, Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
