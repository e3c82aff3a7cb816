//! Rules become blocks.

use super::frozen::{NAMED, WITHOUT_NAME, table_key};
use super::record::RuleRecord;
use super::{BlockContents, rule_links};
use crate::Rule;
use crate::index::{Index, IndexTable};
use crate::pattern::PatternBases;

/// As large a block becomes, unless one entry is larger, in bytes: a lookup reads one or two.
const LARGEST_BLOCK: usize = 4096;

/// What was compiled.
#[derive(Clone, Debug)]
pub struct CompiledBody {
    /// What is known of the blocks.
    pub contents: BlockContents,
    /// The blocks, by their numbers.
    pub blocks: Vec<Vec<u8>>,
}

/// Compiles the rules of one file, which are at `places`. `None` if one of them would not come back as it is.
#[must_use]
pub fn compile_rules(rules: &[Rule], places: &PatternBases) -> Option<CompiledBody> {
    let mut contents = BlockContents { rules: u32::try_from(rules.len()).ok()?, ..BlockContents::default() };
    let mut blocks = BlockWriter::default();
    // Links are another matter: where they lead is no part of what is kept.
    let as_written = PatternBases { as_written: true, home: places.home.clone(), ..PatternBases::default() };
    let mut written = Vec::new();
    let mut records = Vec::new();
    for rule in rules {
        let record = RuleRecord::from_rule(rule);
        let again = RuleRecord::from_rule(rule).into_rule(&rule.origin, &as_written)?;
        if RuleRecord::from_rule(&again) != record {
            return None;
        }
        records.push(postcard::to_allocvec(&record).ok()?);
        written.push(again);
    }
    let index = Index::new(written.iter().map(|rule| &rule.pattern));
    let mut entries = Vec::new();
    for table in IndexTable::ALL {
        let Some(names) = index.memory().table(table) else { continue };
        let named = names.named.iter().map(|(name, rules)| (table_key(table, NAMED, name), rules.clone()));
        entries.extend(named);
        if !names.others.is_empty() {
            entries.push((table_key(table, WITHOUT_NAME, ""), names.others.clone()));
        }
        let deepest = u32::try_from(names.deepest).ok()?;
        contents.tables.push((!names.named.is_empty() || !names.others.is_empty()).then_some(deepest));
    }
    let leads = rule_links::prefix_entries(&written);
    if let Some(table) = contents.tables.last_mut().filter(|_| !leads.is_empty()) {
        *table = Some(0);
    }
    entries.extend(leads);
    entries.sort_unstable();
    for (key, rules) in entries {
        let mut bytes = postcard::to_allocvec(key.as_slice()).ok()?;
        bytes.extend(postcard::to_allocvec(&rules).ok()?);
        if blocks.push_bytes(&bytes) {
            contents.keys.push(key);
        }
    }
    blocks.close_block();
    for (number, record) in (0_u32..).zip(records) {
        if blocks.push_bytes(&postcard::to_allocvec(record.as_slice()).ok()?) {
            contents.records.push(number);
        }
    }
    blocks.close_block();
    let notable = (0_u32..).zip(rules).filter(|(_, rule)| is_notable(rule));
    contents.notable = notable.map(|(number, _)| number).collect();
    Some(CompiledBody { contents, blocks: blocks.all })
}

/// Whether more has to be known of a rule than a decision asks: names of agents stand for ids, and of some patterns people are
/// told how to write them.
fn is_notable(rule: &Rule) -> bool {
    !rule.agents.is_empty() || rule.pattern.doubt(rule.effect).is_some()
}

/// Blocks that get full one after the other.
#[derive(Default)]
struct BlockWriter {
    all: Vec<Vec<u8>>,
    open: bool,
}

impl BlockWriter {
    /// Puts `bytes` into a block; whether it is the first in it.
    fn push_bytes(&mut self, bytes: &[u8]) -> bool {
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

    fn close_block(&mut self) {
        self.open = false;
    }
}
