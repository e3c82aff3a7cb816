//! The rules of a policy, and what finds the few that an access is about.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

use super::Rule;
use super::pattern::{Seen, SeenTouch};

/// Rules of every layer; their order has no meaning for the effect.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    list: Vec<Rule>,
}

impl Rules {
    /// Compiles what would else be when it is first needed.
    pub(super) fn compile(&self) {}

    /// The rules that could be about an access.
    pub(super) fn about<'a>(
        &'a self,
        _: &Seen<'_>,
        _: &[PathBuf],
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        self.list.iter()
    }

    /// The rules that could be about something that is touched.
    pub(super) fn about_touch<'a>(
        &'a self,
        _: &SeenTouch<'_>,
        _: &[PathBuf],
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        self.list.iter()
    }

    /// One rule more.
    pub fn push(&mut self, rule: Rule) {
        self.list.push(rule);
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(list: Vec<Rule>) -> Self {
        Self { list }
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
