//! Which entries: a query in SQL.
//!
//! The record grows to millions of entries, and a page of it must not take longer for that. SQLite has no way to
//! know how often a value occurs, so the index is chosen here, by what is usually the rarest; and each value of a
//! list is looked up by itself, newest first and no more than wanted, so that nothing is sorted that is not shown.

use rusqlite::types::Value;

use super::entries::READ;
use super::value::{nanos, word};
use crate::record::Kind;
use crate::store::{EntryQuery, Order};
use mayi_policy::Effect;

/// A statement and what is bound to it.
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

/// Conditions, all of which hold.
#[derive(Clone, Default)]
struct Conditions {
    terms: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// `?` in `term` stands for the value.
    fn add(&mut self, term: &str, value: impl Into<Value>) {
        self.add_all(term, [value.into()]);
    }

    /// Each `?` in `term` stands for one of the values, in their order.
    fn add_all<const N: usize>(&mut self, term: &str, values: [Value; N]) {
        self.terms.push(term.to_owned());
        self.values.extend(values);
    }

    fn one_of(&mut self, column: &str, words: Vec<&'static str>) {
        if words.is_empty() {
            return;
        }
        let places = vec!["?"; words.len()].join(", ");
        // The plus keeps SQLite from choosing an index by it.
        self.terms.push(format!("+{column} IN ({places})"));
        self.values.extend(words.into_iter().map(|word| Value::from(word.to_owned())));
    }

    fn sql(&self) -> String {
        if self.terms.is_empty() { "1".to_owned() } else { self.terms.join(" AND ") }
    }
}

/// The statement for `query`: it gives the columns that `entries::recorded` reads.
pub(super) fn statement(query: &EntryQuery) -> Statement {
    let order = match query.order {
        Order::NewestFirst => "DESC",
        Order::OldestFirst => "ASC",
    };
    let limit = query.limit.map_or(-1, i64::from);
    let (index, lookups) = lookups(query);
    let mut values = Vec::new();
    let mut parts = Vec::new();
    for lookup in lookups {
        let conditions = all(query, lookup);
        parts.push(format!(
            "SELECT * FROM (SELECT seq FROM record {index} WHERE {} ORDER BY seq {order} LIMIT ?)",
            conditions.sql()
        ));
        values.extend(conditions.values);
        values.push(limit.into());
    }
    values.push(limit.into());
    let sql = format!(
        "SELECT {READ} FROM record WHERE seq IN ({}) ORDER BY seq {order} LIMIT ?",
        parts.join(" UNION ALL ")
    );
    Statement { sql, values }
}

/// The index to go by, and what to look up in it: each by itself.
fn lookups(query: &EntryQuery) -> (&'static str, Vec<Conditions>) {
    let one = |index, column: &str, value: String| {
        let mut conditions = Conditions::default();
        conditions.add(&format!("{column} = ?"), value);
        (index, vec![conditions])
    };
    if let Some(id) = query.approval {
        return one("INDEXED BY record_approval", "approval", id.to_string());
    }
    if let Some(id) = query.call {
        return one("INDEXED BY record_call", "call", id.0.to_string());
    }
    if let Some(session) = &query.session {
        return one("INDEXED BY record_session", "session", session.0.clone());
    }
    let kinds = Kind::ALL.into_iter().filter(|kind| query.kinds.is_empty() || query.kinds.contains(kind));
    if let Some(agent) = &query.agent {
        let each = kinds.map(|kind| {
            let mut conditions = Conditions::default();
            conditions.add("agent = ?", agent.as_str().to_owned());
            conditions.add("kind = ?", kind.as_str().to_owned());
            conditions
        });
        return ("INDEXED BY record_agent", each.collect());
    }
    if !query.kinds.is_empty() || !query.effects.is_empty() {
        let any = [None, Some(Effect::Allow), Some(Effect::Ask), Some(Effect::Deny)];
        let wanted = |effect: &Option<Effect>| {
            query.effects.is_empty() || effect.is_some_and(|effect| query.effects.contains(&effect))
        };
        let effects: Vec<Option<Effect>> = any.into_iter().filter(wanted).collect();
        let each = kinds.flat_map(|kind| {
            effects.iter().map(move |effect| {
                let mut conditions = Conditions::default();
                conditions.add("kind = ?", kind.as_str().to_owned());
                conditions.add("effect IS ?", effect.map(|effect| effect.as_str().to_owned()));
                conditions
            })
        });
        return ("INDEXED BY record_kind", each.collect());
    }
    let index = if query.since.is_some() || query.until.is_some() { "INDEXED BY record_at" } else { "" };
    (index, vec![Conditions::default()])
}

/// `conditions`, and all that `query` asks for.
fn all(query: &EntryQuery, mut conditions: Conditions) -> Conditions {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    if let Some(after) = query.after {
        conditions.add("seq > ?", number(after));
    }
    if let Some(before) = query.before {
        conditions.add("seq < ?", number(before));
    }
    if let Some(since) = query.since {
        conditions.add("at >= ?", nanos(since));
    }
    if let Some(until) = query.until {
        conditions.add("at <= ?", nanos(until));
    }
    conditions.one_of("kind", query.kinds.iter().map(|kind| kind.as_str()).collect());
    conditions.one_of("effect", query.effects.iter().map(|effect| effect.as_str()).collect());
    for (column, value) in [
        ("agent", query.agent.as_ref().map(|agent| agent.as_str().to_owned())),
        ("session", query.session.as_ref().map(|session| session.0.clone())),
        ("workspace", query.workspace.clone()),
        ("approval", query.approval.as_ref().map(word)),
        ("call", query.call.as_ref().map(word)),
    ] {
        if let Some(value) = value {
            conditions.add(&format!("+{column} = ?"), value);
        }
    }
    if let Some(prefix) = &query.access_prefix {
        // By bytes: `LIKE` would take letters of both cases for the same, and `_` for anything.
        let length = i64::try_from(prefix.len()).unwrap_or(i64::MAX);
        conditions.add_all(
            "CAST(substr(CAST(access AS BLOB), 1, ?) AS TEXT) = ?",
            [length.into(), prefix.clone().into()],
        );
    }
    if let Some(text) = &query.contains {
        conditions.add_all(
            "(instr(access, ?) > 0 OR instr(detail, ?) > 0)",
            [text.clone().into(), text.clone().into()],
        );
    }
    conditions
}
