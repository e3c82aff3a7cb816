//! Rules that were compiled before: an index and rules in blocks, of which a decision reads the few that it needs.
//!
//! What is found by it is what the list of the same rules would give, in the same order: the lookups are the same code
//! (`index`), and only where the keys are kept differs. A rule is kept as it was written, and read again when it
//! is reached, without following links: of those rules for which a link is on the way, that has to be told before
//! (`CompiledRules::rules_about`, `CompiledRules::load_eager_rules`).
//!
//! Where the blocks come from, and that they are what was written, is up to who gives them. One that can't be had is no mistake:
//! then all rules are asked for anew.

mod frozen;
mod record;
mod rule_links;
mod write;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::index::{Index, about_touch, find_candidates, sorted_unique};
use crate::pattern::{AccessForms, PatternBases, TouchForms};
use crate::{Effect, Origin, Pattern, Rule};
use frozen::LazyBlocks;
pub use rule_links::EntryKind;
pub use write::{CompiledBody, compile_rules};

/// So many rules are made room for at once.
const CHUNK: usize = 64;

/// What is known of blocks without reading them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockContents {
    /// So many rules.
    rules: u32,
    /// By the numbers of the tables: nothing, if it is empty, else how deep its places go.
    tables: Vec<Option<u32>>,
    /// The first key of each block of keys; these come first.
    keys: Vec<Vec<u8>>,
    /// The first rule of each block of rules; these come behind them.
    records: Vec<u32>,
    /// Rules that more has to be known of than a decision asks: whose agents are named, or of which something has to be said.
    notable: Vec<u32>,
}

/// Where blocks come from.
pub trait BlockSource: std::fmt::Debug + Send + Sync {
    /// The block of this number, as it was written; `None` if it can't be had.
    fn read_block(&self, number: usize) -> Option<Vec<u8>>;

    /// All rules, from where they were compiled from; `None` if they can't be had any more.
    fn read_all_rules(&self) -> Option<Vec<Rule>>;
}

/// Rules that were compiled before.
#[derive(Clone, Debug)]
pub struct CompiledRules {
    frozen: Arc<LazyBlocks>,
    /// What all of them have in common: their file and its layer.
    origin: Origin,
    home: Option<PathBuf>,
    /// Those that were read at once, in their order.
    settled: Vec<(u32, Rule)>,
    /// Finds these by where links on their way lead.
    followed: OnceLock<Index>,
    /// Those that were reached.
    reached: Vec<OnceLock<Vec<OnceLock<Rule>>>>,
}

impl CompiledRules {
    /// The rules in `blocks`, which `contents` is about, of the file that `origin` says.
    #[must_use]
    pub fn new(
        contents: BlockContents,
        blocks: Box<dyn BlockSource>,
        origin: Origin,
        home: Option<PathBuf>,
    ) -> Self {
        let chunks = usize::try_from(contents.rules).unwrap_or(0).div_ceil(CHUNK);
        Self {
            frozen: Arc::new(LazyBlocks::new(contents, blocks)),
            origin,
            home,
            settled: Vec::new(),
            followed: OnceLock::new(),
            reached: std::iter::repeat_with(OnceLock::new).take(chunks).collect(),
        }
    }

    /// Reads the rules that more has to be known of, and those that are `linked`, in their order: on whose way are links, which
    /// are followed from `places`. `None` if that can't be done.
    #[must_use]
    pub fn load_eager_rules(mut self, linked: &[u32], places: &PatternBases) -> Option<Self> {
        let numbers = sorted_unique(self.frozen.contents().notable.iter().chain(linked).copied().collect());
        for number in numbers {
            let rule = match linked.binary_search(&number).is_ok() {
                true => self.read(number, places)?,
                false => self.read(number, &self.as_written())?,
            };
            self.settled.push((number, rule));
        }
        Some(self)
    }

    /// The rules that were read at once.
    pub fn eager_rules(&self) -> impl Iterator<Item = &Rule> {
        self.settled.iter().map(|(_, rule)| rule)
    }

    /// The rules that were read at once, to be changed in what they say, and not in what they are about.
    pub fn eager_rules_mut(&mut self) -> impl Iterator<Item = &mut Rule> {
        self.settled.iter_mut().map(|(_, rule)| rule)
    }

    /// The rules that could be about an access, in their order; `None` if they can't be told.
    pub(crate) fn rules_about(&self, seen: &AccessForms<'_>) -> Option<Vec<&Rule>> {
        let mut found = find_candidates(&*self.frozen, seen);
        if !self.settled.is_empty() {
            found.extend(self.eager_numbers(self.eager_index().candidates_for(seen)));
        }
        self.rules_at(found)
    }

    /// The rules that could be about something that is touched.
    pub(crate) fn about_touch(&self, touch: &TouchForms<'_>) -> Option<Vec<&Rule>> {
        let mut found = about_touch(&*self.frozen, touch);
        if !self.settled.is_empty() {
            found.extend(self.eager_numbers(self.eager_index().about_touch(touch)));
        }
        self.rules_at(found)
    }

    /// All of them.
    pub(crate) fn all_rules(&self) -> Vec<Rule> {
        let all = || (0..self.frozen.contents().rules).map(|number| self.rule(number).cloned()).collect();
        let all = if self.frozen.has_failed() { None } else { all() };
        all.or_else(|| self.reread_rules()).unwrap_or_else(|| vec![self.deny_all_rule()])
    }

    fn eager_index(&self) -> &Index {
        self.followed.get_or_init(|| Index::new(self.eager_rules().map(|rule| &rule.pattern)))
    }

    fn eager_numbers(&self, places: Vec<u32>) -> impl Iterator<Item = u32> {
        let number = |at: u32| self.settled.get(usize::try_from(at).ok()?).map(|(number, _)| *number);
        places.into_iter().filter_map(number)
    }

    fn rules_at(&self, found: Vec<u32>) -> Option<Vec<&Rule>> {
        if self.frozen.has_failed() {
            return None;
        }
        sorted_unique(found).into_iter().map(|number| self.rule(number)).collect()
    }

    fn rule(&self, number: u32) -> Option<&Rule> {
        if let Ok(at) = self.settled.binary_search_by_key(&number, |(number, _)| *number) {
            return self.settled.get(at).map(|(_, rule)| rule);
        }
        let at = usize::try_from(number).ok()?;
        let chunk = self.reached.get(at / CHUNK)?;
        let chunk =
            chunk.get_or_init(|| std::iter::repeat_with(OnceLock::new).take(CHUNK).collect::<Vec<_>>());
        let place = chunk.get(at % CHUNK)?;
        if let Some(rule) = place.get() {
            return Some(rule);
        }
        let rule = self.read(number, &self.as_written())?;
        Some(place.get_or_init(|| rule))
    }

    fn read(&self, number: u32, places: &PatternBases) -> Option<Rule> {
        self.frozen.read_rule(number, &self.origin, places)
    }

    fn as_written(&self) -> PatternBases {
        PatternBases { home: self.home.clone(), as_written: true, ..PatternBases::default() }
    }

    /// The rules anew, with what has become of those that were read at once.
    fn reread_rules(&self) -> Option<Vec<Rule>> {
        let mut rules = self.frozen.read_all_rules()?;
        if rules.len() != usize::try_from(self.frozen.contents().rules).ok()? {
            return None;
        }
        for (number, rule) in &self.settled {
            *rules.get_mut(usize::try_from(*number).ok()?)? = rule.clone();
        }
        Some(rules)
    }

    /// What holds where the rules can't be had: a file that can't be read allows nothing.
    fn deny_all_rule(&self) -> Rule {
        let reason = "the configuration can't be read any more, and nothing runs on half of it";
        Rule {
            effect: Effect::Deny,
            pattern: Pattern::everything(),
            unless: None,
            reason: Some(reason.to_owned()),
            agents: Vec::new(),
            holds: true,
            named: false,
            origin: self.origin.clone(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
