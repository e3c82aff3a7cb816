//! What stands in each span of 256 entries, so that a query passes by those without anything that it asks for.
//!
//! The record grows to millions of entries, and a page of it must not take longer for that. An index for each column that is
//! asked for would do; but each is a page more for every commit, and these were most of what a call cost. A span is one row,
//! which is written together with the last of its entries: those of the newest span are looked at in any case. It may say too
//! much of them, and never too little.

use rusqlite::{Connection, OptionalExtension, Row};

use super::value::{to_count, to_nanos, to_word};
use crate::record::Kind;
use crate::store::{EntryQuery, Order};
use mayi_policy::Effect;

/// So many numbers are one span.
pub(super) const LENGTH: u64 = 256;
/// Bytes of a filter: of 256 values, one of 400 that are not there seems to be.
const BYTES: usize = 512;
/// Bits that stand for a value.
const BITS: u64 = 4;

/// The kinds in the order of their bits, which never changes: a new one goes to the end.
pub(super) const KINDS: [Kind; 12] = [
    Kind::Proposed,
    Kind::Decided,
    Kind::Asked,
    Kind::Answered,
    Kind::Expired,
    Kind::Cancelled,
    Kind::Started,
    Kind::Finished,
    Kind::Unasked,
    Kind::Granted,
    Kind::Revoked,
    Kind::Config,
];
/// The effects, as KINDS.
const EFFECTS: [Option<Effect>; 4] = [None, Some(Effect::Allow), Some(Effect::Ask), Some(Effect::Deny)];

/// A span, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    number: u64,
    last: u64,
    first_at: i64,
    last_at: i64,
    kinds: u64,
    marks: Vec<u8>,
}

/// What an entry is found by.
struct SpanEntry<'a> {
    seq: u64,
    at: i64,
    kind: Option<Kind>,
    effect: Option<Effect>,
    /// Its values in the columns of [`MARKED`], in their order.
    marks: [Option<&'a [u8]>; 5],
}

/// The columns whose values are marked.
const MARKED: [&str; 5] = ["call", "approval", "session", "agent", "workspace"];

const COLUMNS: &str = "span, last, first_at, last_at, kinds, marks";

impl Span {
    /// One without entries.
    fn new(number: u64) -> Self {
        let last = (number * LENGTH).saturating_sub(1);
        Self { number, last, first_at: i64::MAX, last_at: i64::MIN, kinds: 0, marks: vec![0; BYTES] }
    }

    /// A span as it is stored, if it is.
    fn load_span(connection: &Connection, number: u64) -> rusqlite::Result<Option<Self>> {
        connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM spans WHERE span = ?1"))?
            .query_row([number.cast_signed()], Self::read)
            .optional()
    }

    /// A row with [`COLUMNS`].
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |at: usize| -> rusqlite::Result<u64> { Ok(row.get::<_, i64>(at)?.cast_unsigned()) };
        Ok(Self {
            number: number(0)?,
            last: number(1)?,
            first_at: row.get(2)?,
            last_at: row.get(3)?,
            kinds: number(4)?,
            marks: row.get(5)?,
        })
    }

    /// Writes it down.
    fn store_span(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO spans ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
            ))?
            .execute((
                self.number.cast_signed(),
                self.last.cast_signed(),
                self.first_at,
                self.last_at,
                self.kinds.cast_signed(),
                &self.marks,
            ))?;
        Ok(())
    }

    /// Whether the entry `seq` is one of it.
    fn has_entry(&self, seq: u64) -> bool {
        seq / LENGTH == self.number
    }

    /// Counts an entry, which comes behind all others.
    fn add_entry(&mut self, found: &SpanEntry<'_>) {
        self.last = found.seq;
        self.first_at = self.first_at.min(found.at);
        self.last_at = self.last_at.max(found.at);
        self.kinds |= found.kind.map_or(u64::MAX, |kind| kind_bit(kind, found.effect));
        for (column, value) in MARKED.iter().zip(found.marks) {
            let Some(value) = value else { continue };
            for place in filter_bits(column, value) {
                if let Some(byte) = self.marks.get_mut(place / 8) {
                    *byte |= 1 << (place % 8);
                }
            }
        }
    }

    /// Whether all that `other` says is said here.
    fn covers(&self, other: &Self) -> bool {
        self.last < other.last
            || self.marks.len() != BYTES
            || self.first_at <= other.first_at
                && self.last_at >= other.last_at
                && self.kinds & other.kinds == other.kinds
                && self.marks.iter().zip(&other.marks).all(|(here, there)| here & there == *there)
    }
}

/// The bit of a kind with an effect.
fn kind_bit(kind: Kind, effect: Option<Effect>) -> u64 {
    let place = |found: Option<usize>| found.unwrap_or_default();
    let kind = place(KINDS.iter().position(|known| *known == kind));
    1 << (kind * EFFECTS.len() + place(EFFECTS.iter().position(|known| *known == effect)))
}

/// The bits of a value in a filter. The hash is FNV-1a, and its bits are stirred once more: it never changes, and who chooses
/// values so that theirs are the same has queries look at entries in vain.
fn filter_bits(column: &str, value: &[u8]) -> impl Iterator<Item = usize> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in column.bytes().chain([0]).chain(value.iter().copied()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    let (first, step) = (hash & 0xffff_ffff, (hash >> 32) | 1);
    (0..BITS).map(move |time| (first.wrapping_add(time * step) % (BYTES as u64 * 8)) as usize)
}

/// Whether `seq` is the last number of its span.
pub(super) fn is_last_of_span(seq: u64) -> bool {
    seq % LENGTH == LENGTH - 1
}

/// Counts the entries of the span that ends with `last`: whoever wrote them, they are all there by now.
pub(super) fn count_up_to(connection: &Connection, last: u64) -> rusqlite::Result<()> {
    let mut span = Span::new(last / LENGTH);
    for_each_entry(connection, last - last % LENGTH, last, |found| {
        span.add_entry(found);
        Ok(())
    })?;
    span.store_span(connection)
}

/// Counts all entries that are there, for a store of an earlier version.
pub(super) fn fill_spans(connection: &Connection) -> rusqlite::Result<()> {
    let mut span: Option<Span> = None;
    for_each_entry(connection, 0, u64::MAX, |found| {
        if let Some(full) = span.take_if(|span| !span.has_entry(found.seq)) {
            full.store_span(connection)?;
        }
        span.get_or_insert_with(|| Span::new(found.seq / LENGTH)).add_entry(found);
        Ok(())
    })?;
    span.map_or(Ok(()), |span| span.store_span(connection))
}

/// The first entry that a query could pass by although it is there, if there is one.
pub(super) fn first_hidden_entry(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    let mut hidden = None;
    let mut stored: Option<Span> = None;
    let mut number = None;
    for_each_entry(connection, 0, u64::MAX, |found| {
        let of = found.seq / LENGTH;
        if number != Some(of) {
            (number, stored) = (Some(of), Span::load_span(connection, of)?);
        }
        let mut just = Span::new(of);
        just.add_entry(found);
        if stored.as_ref().is_some_and(|stored| !stored.covers(&just)) {
            hidden.get_or_insert(found.seq);
        }
        Ok(())
    })?;
    Ok(hidden)
}

fn for_each_entry(
    connection: &Connection,
    first: u64,
    last: u64,
    mut with: impl FnMut(&SpanEntry<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let columns = MARKED.join(", ");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT seq, at, kind, effect, {columns} FROM record WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq"
    ))?;
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    let mut rows = statement.query([first.max(1).cast_signed(), last])?;
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get_ref(at).ok().and_then(|value| value.as_str().ok());
        let effect =
            text(3).and_then(|word| EFFECTS.into_iter().flatten().find(|effect| effect.as_str() == word));
        let mut marks = [None; 5];
        for (at, mark) in marks.iter_mut().enumerate() {
            *mark = text(4 + at).map(str::as_bytes);
        }
        let seq = row.get::<_, i64>(0)?.cast_unsigned();
        with(&SpanEntry { seq, at: row.get(1)?, kind: text(2).and_then(Kind::parse), effect, marks })?;
    }
    Ok(())
}

/// What a query asks for, as spans can tell.
struct SpanQuery {
    since: i64,
    until: i64,
    kinds: u64,
    marks: Vec<(&'static str, String)>,
}

impl SpanQuery {
    /// None: a span would tell nothing.
    fn from_query(query: &EntryQuery) -> Option<Self> {
        let wanted = |kind: &Kind| query.kinds.is_empty() || query.kinds.contains(kind);
        let had = |effect: &Option<Effect>| {
            query.effects.is_empty() || effect.is_some_and(|effect| query.effects.contains(&effect))
        };
        let of = |kind: Kind| EFFECTS.into_iter().filter(had).map(move |effect| kind_bit(kind, effect));
        let all = query.kinds.is_empty() && query.effects.is_empty();
        let marks = [
            query.call.as_ref().map(to_word),
            query.approval.as_ref().map(to_word),
            query.session.as_ref().map(|session| session.0.clone()),
            query.agent.as_ref().map(|agent| agent.as_str().to_owned()),
            query.workspace.clone(),
        ];
        let asked = Self {
            since: query.since.map_or(i64::MIN, to_nanos),
            until: query.until.map_or(i64::MAX, to_nanos),
            kinds: if all { u64::MAX } else { KINDS.into_iter().filter(wanted).flat_map(of).sum() },
            marks: MARKED.into_iter().zip(marks).filter_map(|(name, value)| Some((name, value?))).collect(),
        };
        let tells = !all || query.since.is_some() || query.until.is_some() || !asked.marks.is_empty();
        tells.then_some(asked)
    }

    /// Whether an entry that is asked for could be in `span`.
    fn may_be_in(&self, span: &Span) -> bool {
        // Somebody may have added to it without counting.
        let counted = span.last.checked_add(1).is_some_and(|next| next % LENGTH == 0);
        !counted
            || span.marks.len() != BYTES
            || span.last_at >= self.since
                && span.first_at <= self.until
                && span.kinds & self.kinds != 0
                && self.marks.iter().all(|(column, value)| {
                    filter_bits(column, value.as_bytes()).all(|place| {
                        span.marks.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1)
                    })
                })
    }

    /// The stretches of numbers between `first` and `last` where such entries could be, in their order.
    fn find_stretches(
        &self,
        connection: &Connection,
        first: u64,
        last: u64,
    ) -> rusqlite::Result<Vec<(u64, u64)>> {
        let (mut next, end) = (first / LENGTH, last / LENGTH);
        let mut found: Vec<(u64, u64)> = Vec::new();
        let mut put = |from: u64, to: u64| match found.last_mut() {
            Some((_, before)) if before.checked_add(1) == Some(from) => *before = to,
            _ => found.push((from, to)),
        };
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM spans WHERE span BETWEEN ?1 AND ?2 ORDER BY span"
        ))?;
        let mut rows = statement.query([next.cast_signed(), end.cast_signed()])?;
        while let Some(row) = rows.next()? {
            let span = Span::read(row)?;
            // What nobody has counted is looked at.
            if span.number > next {
                put(next, span.number - 1);
            }
            if self.may_be_in(&span) {
                put(span.number, span.number);
            }
            next = span.number.saturating_add(1);
        }
        if next <= end {
            put(next, end);
        }
        let numbers = |(from, to): (u64, u64)| {
            let end = to.saturating_mul(LENGTH).saturating_add(LENGTH - 1);
            (from.saturating_mul(LENGTH).max(first), end.min(last))
        };
        Ok(found.into_iter().map(numbers).collect())
    }
}

/// All numbers that `query` asks for.
pub(super) fn whole_stretch(query: &EntryQuery) -> (u64, u64) {
    let all = i64::MAX.cast_unsigned();
    let first = query.after.map_or(0, |after| after.saturating_add(1).min(all));
    (first, query.before.map_or(all, |before| before.saturating_sub(1).min(all)))
}

/// The stretches of numbers to look at for `query`, in its order.
pub(super) fn entry_stretches(
    connection: &Connection,
    query: &EntryQuery,
) -> rusqlite::Result<Vec<(u64, u64)>> {
    let (first, last) = whole_stretch(query);
    let Some(asked) = SpanQuery::from_query(query) else { return Ok(vec![(first, last)]) };
    let ends = |what: &str| -> rusqlite::Result<Option<u64>> {
        let sql = format!("SELECT {what}(seq) FROM record");
        connection
            .prepare_cached(&sql)?
            .query_row((), |row| row.get::<_, Option<i64>>(0)?.map(to_count).transpose())
    };
    // One that is only read may be of an earlier version.
    let counted = connection.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'spans'")?.exists(())?;
    let (Some(oldest), Some(newest), true) = (ends("min")?, ends("max")?, counted) else {
        return Ok(vec![(first, last)]);
    };
    let (first, last) = (first.max(oldest), last.min(newest));
    if first > last {
        return Ok(Vec::new());
    }
    let mut found = asked.find_stretches(connection, first, last)?;
    if query.order == Order::NewestFirst {
        found.reverse();
    }
    Ok(found)
}
