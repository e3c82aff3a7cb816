//! A file without its rules: what is left is read each time.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A part of a file that holds nothing but rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RuleSpan {
    /// Where it begins and ends, in bytes.
    from: u32,
    to: u32,
    /// So many lines end in it.
    lines: u32,
}

/// A text that comes in pieces, of which the cuts are left out.
pub(super) struct RuleStripper<'c> {
    cuts: &'c [RuleSpan],
    /// So much has come, in bytes.
    at: usize,
    left: Vec<u8>,
    missing: Vec<(usize, u32)>,
}

impl<'c> RuleStripper<'c> {
    pub(super) fn new(cuts: &'c [RuleSpan]) -> Self {
        Self { cuts, at: 0, left: Vec::new(), missing: Vec::new() }
    }

    /// The next piece.
    pub(super) fn push_piece(&mut self, piece: &[u8]) -> Option<()> {
        let end = self.at.checked_add(piece.len())?;
        let begins = self.at;
        while self.at < end {
            let (from, to, lines) = match self.cuts.first() {
                Some(cut) => (usize::try_from(cut.from).ok()?, usize::try_from(cut.to).ok()?, cut.lines),
                None => (usize::MAX, usize::MAX, 0),
            };
            if self.at < from {
                let stop = from.min(end);
                self.left.extend(piece.get(self.at - begins..stop - begins)?);
                self.at = stop;
            } else {
                self.at = to.min(end).max(self.at);
                if self.at == to {
                    self.missing.push((self.left.len(), lines));
                    self.cuts = self.cuts.get(1..)?;
                } else if self.at < end {
                    return None;
                }
            }
        }
        Some(())
    }

    /// What is left, and where in it how many lines are missing, once all has come.
    pub(super) fn finish(self) -> Option<(String, Vec<(usize, u32)>)> {
        let all = self.cuts.is_empty();
        String::from_utf8(self.left).ok().filter(|_| all).map(|left| (left, self.missing))
    }
}

/// The text without the cuts, and where in it how many lines are missing.
pub(super) fn strip_rules(text: &str, cuts: &[RuleSpan]) -> Option<(String, Vec<(usize, u32)>)> {
    let mut left = String::new();
    let mut missing = Vec::new();
    let mut at = 0;
    for cut in cuts {
        let from = usize::try_from(cut.from).ok()?;
        left.push_str(text.get(at..from)?);
        missing.push((left.len(), cut.lines));
        at = usize::try_from(cut.to).ok()?;
    }
    left.push_str(text.get(at..)?);
    Some((left, missing))
}

/// The parts of a file that hold its rules. Where they are written in some other way, a part may be missing, or what is left may be
/// no file: whoever asks has to see.
pub(super) fn find_rule_spans(text: &str) -> Option<Vec<RuleSpan>> {
    let (table, mistakes) = DeTable::parse_recoverable(text);
    if !mistakes.is_empty() {
        return None;
    }
    let mut ranges = Vec::new();
    for (key, value) in table.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("rules", DeValue::Table(short)) => {
                let lists = short.values().filter(|list| matches!(list.get_ref(), DeValue::Array(_)));
                // The brackets stay.
                ranges.extend(lists.map(|list| list.span().start + 1..list.span().end.saturating_sub(1)));
            }
            ("rule", DeValue::Array(long)) => ranges.extend(long.iter().map(table_range)),
            _ => {}
        }
    }
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    join_ranges(text, ranges).into_iter().map(|range| rule_span(text, &range)).collect()
}

/// From the header of a table to the end of what is in it.
fn table_range(table: &Spanned<DeValue<'_>>) -> Range<usize> {
    table.span().start..value_end(table)
}

fn value_end(value: &Spanned<DeValue<'_>>) -> usize {
    let within = match value.get_ref() {
        DeValue::Table(table) => table.values().map(value_end).max(),
        DeValue::Array(items) => items.iter().map(value_end).max(),
        _ => None,
    };
    within.unwrap_or(0).max(value.span().end)
}

/// Ranges between which nothing is said are one.
fn join_ranges(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let silent = |line: &str| line.trim_start().is_empty() || line.trim_start().starts_with('#');
        let last = joined.last_mut().filter(|last| {
            text.get(last.end..range.start).is_some_and(|between| between.lines().all(silent))
        });
        match last {
            Some(last) => last.end = range.end.max(last.end),
            None => joined.push(range),
        }
    }
    joined
}

fn rule_span(text: &str, range: &Range<usize>) -> Option<RuleSpan> {
    let lines = text.get(range.clone())?.matches('\n').count();
    Some(RuleSpan {
        from: u32::try_from(range.start).ok()?,
        to: u32::try_from(range.end).ok()?,
        lines: u32::try_from(lines).ok()?,
    })
}
