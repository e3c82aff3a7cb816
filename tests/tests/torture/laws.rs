//! What must hold of a machine, whatever was done to it.

use std::collections::{BTreeMap, BTreeSet};

use mayi_core::approval::ApprovalId;
use mayi_core::policy::Effect;
use mayi_core::record::{CallId, Kind};
use mayi_core::store::{EntryQuery, Options, Order, SqliteStore, Store};
use mayi_tests::Machine;
use serde_json::Value;

/// What the record of a machine says of calls that carry a token in what they do: `t-1-17`.
pub(super) struct Seen {
    pub(super) entries: u64,
    /// Tokens of calls that were allowed.
    pub(super) allowed: BTreeSet<String>,
    /// Questions that were asked and never ended.
    pub(super) unsettled: Vec<ApprovalId>,
}

impl Seen {
    /// Reads the record; it must be sound.
    #[track_caller]
    pub(super) fn of(machine: &Machine) -> Self {
        let (seen, wrong) = Self::read(machine);
        assert!(wrong.is_empty(), "{wrong:?}");
        seen
    }

    /// Reads the record, and says what is wrong with it.
    pub(super) fn read(machine: &Machine) -> (Self, Vec<String>) {
        let folder = machine.outside("data/mayi");
        let store = SqliteStore::open_existing(&folder, Options::default()).unwrap().unwrap();
        let report = store.verify_record(&mut |_, _| {}).unwrap();
        let wrong: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        let query = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
        let entries = store.query_entries(&query).unwrap();
        let mut proposed: BTreeMap<String, String> = BTreeMap::new();
        let mut seen = Self { entries: report.entries, allowed: BTreeSet::new(), unsettled: Vec::new() };
        let mut asked = BTreeSet::new();
        let key = |call: CallId| call.to_string();
        for entry in entries.iter().map(|found| &found.entry) {
            match entry.kind {
                Kind::Proposed => {
                    let token = token_in(&entry.detail.to_string()).map(str::to_owned);
                    proposed.extend(entry.call.map(key).zip(token));
                }
                Kind::Decided | Kind::Answered if entry.effect == Some(Effect::Allow) => {
                    let token = entry.call.and_then(|call| proposed.get(&key(call)));
                    seen.allowed.extend(token.cloned());
                }
                _ => {}
            }
            match (entry.kind, entry.approval) {
                (Kind::Asked, Some(id)) => drop(asked.insert(id)),
                (Kind::Answered | Kind::Expired | Kind::Cancelled, Some(id)) => drop(asked.remove(&id)),
                _ => {}
            }
        }
        seen.unsettled = asked.into_iter().collect();
        (seen, wrong)
    }

    /// "Nothing without its entry": what happened was allowed in the record.
    #[track_caller]
    pub(super) fn covers<'t>(&self, what: &str, tokens: impl IntoIterator<Item = &'t String>) {
        let missing: Vec<&String> =
            tokens.into_iter().filter(|token| !self.allowed.contains(*token)).collect();
        assert!(missing.is_empty(), "{what}, and no entry allows it: {missing:?}");
    }
}

/// A word like `t-3-17` in a text.
pub(super) fn token_in(text: &str) -> Option<&str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    text.match_indices("t-").find_map(|(at, _)| {
        let rest = &text[at + 2..];
        let first = digits(rest);
        let second = rest[first..].strip_prefix('-').map(digits).filter(|count| *count > 0)?;
        (first > 0).then(|| &text[at..at + 2 + first + 1 + second])
    })
}

/// The calls that the server got, in their order.
pub(super) fn called(machine: &Machine) -> Vec<String> {
    let log = std::fs::read_to_string(machine.outside("calls.jsonl")).unwrap_or_default();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls = lines.filter(|line| line["event"] == "call");
    calls.map(|call| token_in(&call["params"].to_string()).unwrap().to_owned()).collect()
}

/// The files of the folder to work in that carry a token.
pub(super) fn written(machine: &Machine) -> Vec<String> {
    machine.files().iter().filter_map(|name| token_in(name)).map(str::to_owned).collect()
}
