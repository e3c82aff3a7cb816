//! Entries one after the other, read a page at a time: a record of millions is never held as a whole.

use std::vec::IntoIter;

use jiff::Timestamp;
use mayi_core::record::Recorded;
use mayi_core::store::{EntryQuery, Order, Store, StoreError};

use crate::progress::Progress;

/// As many are read at once.
const PAGE: u32 = 1000;

/// The entries of a query, in its order. A limit of the query is that of a page.
pub(super) struct Pages<'s> {
    store: &'s dyn Store,
    query: EntryQuery,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    page: IntoIter<Recorded>,
    /// The last page was not full.
    at_end: bool,
    /// Who hears how far it is, and the first and the last number.
    watch: Option<(&'s Progress, u64, u64)>,
}

impl<'s> Pages<'s> {
    /// The entries that `query` means.
    ///
    /// # Errors
    /// If the store can't be read.
    pub(super) fn new(store: &'s dyn Store, mut query: EntryQuery) -> Result<Self, StoreError> {
        let (since, until) = (query.since.take(), query.until.take());
        let mut pages =
            Self { store, query, since, until, page: Vec::new().into_iter(), at_end: false, watch: None };
        pages.query.limit.get_or_insert(PAGE);
        if since.is_some() || until.is_some() {
            pages.resolve_time_bounds()?;
        }
        Ok(pages)
    }

    /// The same, and `progress` hears how far it is. For entries with the oldest first.
    ///
    /// # Errors
    /// If the store can't be read.
    pub(super) fn with_progress(
        store: &'s dyn Store,
        query: EntryQuery,
        progress: &'s Progress,
    ) -> Result<Self, StoreError> {
        let mut pages = Self::new(store, query)?;
        if pages.since.is_none() && pages.until.is_none() {
            pages.resolve_time_bounds()?;
        }
        if let (Some(after), Some(before)) = (pages.query.after, pages.query.before) {
            pages.watch = Some((progress, after, before.saturating_sub(after + 1)));
        }
        Ok(pages)
    }

    /// Times are looked up once, and numbers counted from there: each page would look them all up again.
    fn resolve_time_bounds(&mut self) -> Result<(), StoreError> {
        let end = |order| -> Result<Option<u64>, StoreError> {
            let (since, until) = (self.since, self.until);
            let query = EntryQuery { order, limit: Some(1), since, until, ..EntryQuery::default() };
            Ok(self.store.query_entries(&query)?.first().map(|recorded| recorded.seq))
        };
        match (end(Order::OldestFirst)?, end(Order::NewestFirst)?) {
            (Some(first), Some(last)) => {
                let after = first.saturating_sub(1);
                self.query.after = Some(self.query.after.map_or(after, |given| given.max(after)));
                let before = last.saturating_add(1);
                self.query.before = Some(self.query.before.map_or(before, |given| given.min(before)));
            }
            _ => self.at_end = true,
        }
        Ok(())
    }

    fn load_next_page(&mut self) -> Result<(), StoreError> {
        let page = self.store.query_entries(&self.query)?;
        self.at_end = page.len() < self.query.limit.unwrap_or(PAGE) as usize;
        if let Some(end) = page.last().map(|recorded| recorded.seq) {
            if let Some((progress, after, all)) = self.watch {
                progress.set_progress(end.saturating_sub(after).min(all), all);
            }
            match self.query.order {
                Order::NewestFirst => self.query.before = Some(end),
                Order::OldestFirst => self.query.after = Some(end),
            }
        }
        self.page = page.into_iter();
        Ok(())
    }

    /// Entries of several processes may be in another order than their times.
    fn is_in_time(&self, recorded: &Recorded) -> bool {
        let at = recorded.entry.at;
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until)
    }
}

impl Iterator for Pages<'_> {
    type Item = Result<Recorded, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.page.next() {
                Some(recorded) if self.is_in_time(&recorded) => return Some(Ok(recorded)),
                Some(_) => {}
                None if self.at_end => return None,
                None => {
                    if let Err(error) = self.load_next_page() {
                        self.at_end = true;
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}
