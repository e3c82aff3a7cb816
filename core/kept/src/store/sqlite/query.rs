//! Which entries: a query in SQL, for a stretch of numbers.

use rusqlite::types::Value;

use super::entries::READ;
use super::value::{to_nanos, to_word};
use crate::store::{EntryQuery, Order};

/// A statement and what is bound to it.
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

/// Conditions, all of which hold.
#[derive(Default)]
struct Conditions {
    terms: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// Each `?` in `term` stands for one of the values, in their order.
    fn add_term<const N: usize>(&mut self, term: &str, values: [Value; N]) {
        self.terms.push(term.to_owned());
        self.values.extend(values);
    }

    fn one_of(&mut self, column: &str, words: Vec<&'static str>) {
        if words.is_empty() {
            return;
        }
        let places = vec!["?"; words.len()].join(", ");
        self.terms.push(format!("{column} IN ({places})"));
        self.values.extend(words.into_iter().map(|word| Value::from(word.to_owned())));
    }
}

/// The statement for those entries of `query` whose numbers are `first` to `last`: it gives the columns that
/// `entries::read_entry` reads, one row after the other, for as long as they are asked for.
pub(super) fn entry_statement(query: &EntryQuery, (first, last): (u64, u64)) -> Statement {
    let order = match query.order {
        Order::NewestFirst => "DESC",
        Order::OldestFirst => "ASC",
    };
    let Conditions { terms, values } = query_conditions(query, first, last);
    let sql = format!("SELECT {READ} FROM record WHERE {} ORDER BY seq {order}", terms.join(" AND "));
    Statement { sql, values }
}

/// All that `query` asks for.
fn query_conditions(query: &EntryQuery, first: u64, last: u64) -> Conditions {
    let mut conditions = Conditions::default();
    let number = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    conditions.add_term("seq >= ?", [number(first)]);
    conditions.add_term("seq <= ?", [number(last)]);
    if let Some(since) = query.since {
        conditions.add_term("at >= ?", [to_nanos(since).into()]);
    }
    if let Some(until) = query.until {
        conditions.add_term("at <= ?", [to_nanos(until).into()]);
    }
    conditions.one_of("kind", query.kinds.iter().map(|kind| kind.as_str()).collect());
    conditions.one_of("effect", query.effects.iter().map(|effect| effect.as_str()).collect());
    for (column, value) in [
        ("agent", query.agent.as_ref().map(|agent| agent.as_str().to_owned())),
        ("session", query.session.as_ref().map(|session| session.0.clone())),
        ("workspace", query.workspace.clone()),
        ("approval", query.approval.as_ref().map(to_word)),
        ("call", query.call.as_ref().map(to_word)),
    ] {
        if let Some(value) = value {
            conditions.add_term(&format!("{column} = ?"), [value.into()]);
        }
    }
    if let Some(prefix) = &query.access_prefix {
        // By bytes: `LIKE` would take letters of both cases for the same, and `_` for anything.
        let length = i64::try_from(prefix.len()).unwrap_or(i64::MAX);
        conditions.add_term(
            "CAST(substr(CAST(access AS BLOB), 1, ?) AS TEXT) = ?",
            [length.into(), prefix.clone().into()],
        );
    }
    if let Some(text) = &query.contains {
        conditions.add_term(
            "(instr(access, ?) > 0 OR instr(detail, ?) > 0)",
            [text.clone().into(), text.clone().into()],
        );
    }
    conditions
}
