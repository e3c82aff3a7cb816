//! Rules become blocks.

use super::frozen::{NAMED, WITHOUT_NAME, key};
use super::record::Record;
use super::{Contents, leads};
use crate::index::{Index, Table};
use crate::pattern::Places;
use crate::{Effect, Rule};

/// As large a block becomes, unless one entry is larger, in bytes: a lookup reads one or two.
const LARGEST_BLOCK: usize = 4096;

/// What was compiled.
#[derive(Clone, Debug)]
pub struct Body {
    /// What is known of the blocks.
    pub contents: Contents,
    /// The blocks, by their numbers.
    pub blocks: Vec<Vec<u8>>,
}

/// Compiles the rules of one file, which are at `places`. `None` if one of them would not come back as it is.
#[must_use]
pub fn compile(rules: &[Rule], places: &Places) -> Option<Body> {
    let mut contents = Contents { rules: u32::try_from(rules.len()).ok()?, ..Contents::default() };
    let mut blocks = Blocks::default();
    // Links are another matter: where they lead is no part of what is kept.
    let as_written = Places { as_written: true, home: places.home.clone(), ..Places::default() };
    let mut written = Vec::new();
    let mut records = Vec::new();
    for rule in rules {
        let record = Record::of(rule);
        let again = Record::of(rule).rule(&rule.origin, &as_written)?;
        if Record::of(&again) != record {
            return None;
        }
        records.push(postcard::to_allocvec(&record).ok()?);
        written.push(again);
    }
    let index = Index::new(written.iter().map(|rule| &rule.pattern));
    let mut entries = Vec::new();
    for table in Table::ALL {
        let Some(names) = index.memory().table(table) else { continue };
        let named = names.named.iter().map(|(name, rules)| (key(table, NAMED, name), rules.clone()));
        entries.extend(named);
        if !names.others.is_empty() {
            entries.push((key(table, WITHOUT_NAME, ""), names.others.clone()));
        }
        let deepest = u32::try_from(names.deepest).ok()?;
        contents.tables.push((!names.named.is_empty() || !names.others.is_empty()).then_some(deepest));
    }
    let leads = leads::entries(&written);
    if let Some(table) = contents.tables.last_mut().filter(|_| !leads.is_empty()) {
        *table = Some(0);
    }
    entries.extend(leads);
    entries.sort_unstable();
    for (key, rules) in entries {
        let mut bytes = postcard::to_allocvec(key.as_slice()).ok()?;
        bytes.extend(postcard::to_allocvec(&rules).ok()?);
        if blocks.add(&bytes) {
            contents.keys.push(key);
        }
    }
    blocks.end();
    for (number, record) in (0_u32..).zip(records) {
        if blocks.add(&postcard::to_allocvec(record.as_slice()).ok()?) {
            contents.records.push(number);
        }
    }
    blocks.end();
    let notable = (0_u32..).zip(rules).filter(|(_, rule)| is_notable(rule));
    contents.notable = notable.map(|(number, _)| number).collect();
    Some(Body { contents, blocks: blocks.all })
}

/// Whether more has to be known of a rule than a decision asks: names of agents stand for ids, and of some patterns people are
/// told how to write them.
fn is_notable(rule: &Rule) -> bool {
    !rule.agents.is_empty() || rule.effect == Effect::Allow && rule.pattern.further_words().is_some()
}

/// Blocks that get full one after the other.
#[derive(Default)]
struct Blocks {
    all: Vec<Vec<u8>>,
    open: bool,
}

impl Blocks {
    /// Puts `bytes` into a block; whether it is the first in it.
    fn add(&mut self, bytes: &[u8]) -> bool {
        match self.all.last_mut().filter(|block| self.open && block.len() + bytes.len() <= LARGEST_BLOCK) {
            Some(block) => {
                block.extend(bytes);
                false
            }
            None => {
                self.all.push(bytes.to_vec());
                self.open = true;
                true
            }
        }
    }

    fn end(&mut self) {
        self.open = false;
    }
}
