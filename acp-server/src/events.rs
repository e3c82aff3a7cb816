//! What happened, in order, kept for as long as there is room: subscribers read it at their own pace.
//!
//! A subscriber is a place in the log and nothing more. One that is slow costs nothing; one that is so slow that its
//! place is gone gets everything as it is now, and is told that something is lost.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mayi_core::approval::ApprovalId;
use mayi_core::call::Digest;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::api::{Cursor, Event};

/// So many events are kept.
const MOST: usize = 100_000;
/// So many bytes of them.
const BYTES: usize = 64 * 1024 * 1024;
/// So many events go into one notification, and so many bytes, unless a single one is longer.
const BATCH: usize = 512;
const BATCH_BYTES: usize = 1024 * 1024;

/// The log of events.
#[derive(Debug)]
pub(crate) struct EventLog {
    instance: String,
    kept: Mutex<KeptEvents>,
    /// The number of the newest event.
    newest: watch::Sender<u64>,
}

#[derive(Debug)]
struct KeptEvents {
    events: VecDeque<Arc<LoggedEvent>>,
    bytes: usize,
    /// The number of the first one that is kept; they begin with 1.
    first: u64,
}

/// An event as it is told.
#[derive(Debug)]
pub(crate) struct LoggedEvent {
    pub(crate) text: Box<RawValue>,
    /// It is about a question or an answer.
    of_inbox: bool,
    /// The card that it shows, and in which form.
    pub(crate) shows: Option<(ApprovalId, Digest)>,
}

/// What a subscriber at some place is given next.
#[derive(Debug)]
pub(crate) enum NextEvents {
    /// These events, none if all of them are for others; the place after them.
    Events(Vec<Arc<LoggedEvent>>, u64),
    /// Nothing yet.
    Nothing,
    /// The place is gone: the first one that there is comes after this.
    Lost(u64),
}

impl EventLog {
    pub(crate) fn new(instance: String) -> Self {
        let kept = KeptEvents { events: VecDeque::new(), bytes: 0, first: 1 };
        Self { instance, kept: Mutex::new(kept), newest: watch::Sender::new(0) }
    }

    pub(crate) fn instance(&self) -> &str {
        &self.instance
    }

    pub(crate) fn cursor_at(&self, seq: u64) -> Cursor {
        Cursor { instance: self.instance.clone(), seq }
    }

    /// Adds an event; every subscriber hears of it.
    pub(crate) fn push(&self, event: &Event) {
        let text = match serde_json::value::to_raw_value(event) {
            Ok(text) => text,
            Err(error) => {
                tracing::error!(%error, "an event can't be told");
                return;
            }
        };
        let shows = event.shown_card().map(|card| (card.approval_id, card.digest.clone()));
        self.push_raw(LoggedEvent { text, of_inbox: event.is_of_inbox(), shows });
    }

    fn push_raw(&self, told: LoggedEvent) {
        let mut kept = self.lock();
        kept.bytes += told.text.get().len();
        kept.events.push_back(Arc::new(told));
        while kept.events.len() > MOST || (kept.bytes > BYTES && kept.events.len() > 1) {
            let Some(oldest) = kept.events.pop_front() else { break };
            kept.bytes -= oldest.text.get().len();
            kept.first += 1;
        }
        let newest = kept.first + kept.events.len() as u64 - 1;
        // Under the lock, so that it never goes back.
        self.newest.send_replace(newest);
    }

    /// Hears of new events.
    pub(crate) fn watch_newest(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// Where a subscriber that comes with `cursor` begins, and whether it has to be told how everything is now:
    /// and if so, whether something that it has not heard is gone.
    pub(crate) fn start_position(&self, cursor: Option<&Cursor>) -> (u64, Option<bool>) {
        let kept = self.lock();
        let newest = kept.first + kept.events.len() as u64 - 1;
        match cursor {
            Some(cursor) if cursor.instance == self.instance && cursor.seq <= newest => {
                if cursor.seq + 1 >= kept.first { (cursor.seq, None) } else { (kept.first - 1, Some(true)) }
            }
            _ => (kept.first - 1, Some(kept.first > 1)),
        }
    }

    /// What comes after the event `seq`: all of it, or only what the inbox has.
    pub(crate) fn events_after(&self, seq: u64, whole: bool) -> NextEvents {
        let kept = self.lock();
        if seq + 1 < kept.first {
            return NextEvents::Lost(kept.first - 1);
        }
        let skipped = usize::try_from(seq + 1 - kept.first).unwrap_or(usize::MAX);
        let (mut bytes, mut end) = (0, seq);
        let mut events = Vec::new();
        for told in kept.events.iter().skip(skipped).take(BATCH) {
            if whole || told.of_inbox {
                bytes += told.text.get().len();
                if bytes > BATCH_BYTES && !events.is_empty() {
                    break;
                }
                events.push(Arc::clone(told));
            }
            end += 1;
        }
        if end == seq { NextEvents::Nothing } else { NextEvents::Events(events, end) }
    }

    fn lock(&self) -> MutexGuard<'_, KeptEvents> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled_log(count: usize, size: usize) -> EventLog {
        let events = EventLog::new("a".to_owned());
        for _ in 0..count {
            let text = RawValue::from_string(format!("\"{}\"", "x".repeat(size))).unwrap();
            events.push_raw(LoggedEvent { text, of_inbox: false, shows: None });
        }
        events
    }

    /// Every event that `start_position` and `events_after` give from `cursor` on, and how often something was lost.
    fn read(events: &EventLog, cursor: Option<Cursor>) -> (usize, u64) {
        let (mut at, _) = events.start_position(cursor.as_ref());
        let mut count = 0;
        loop {
            match events.events_after(at, true) {
                NextEvents::Events(some, end) => (count, at) = (count + some.len(), end),
                NextEvents::Nothing => return (count, at),
                NextEvents::Lost(first) => at = first,
            }
        }
    }

    /// S3.6: with a cursor, so that a reconnect misses nothing.
    #[test]
    fn given_a_cursor_then_exactly_what_came_after_it_is_read() {
        let events = filled_log(2000, 10);
        assert_eq!(read(&events, None), (2000, 2000));
        assert_eq!(read(&events, Some(events.cursor_at(1500))), (500, 2000));
        assert_eq!(read(&events, Some(events.cursor_at(2000))), (0, 2000));
        assert_eq!(events.start_position(Some(&events.cursor_at(1500))), (1500, None));
    }

    #[test]
    fn given_a_cursor_of_another_backend_or_from_the_future_then_everything_is_told_anew() {
        let events = filled_log(3, 1);
        let other = Cursor { instance: "b".to_owned(), seq: 2 };
        assert_eq!(events.start_position(Some(&other)), (0, Some(false)));
        assert_eq!(events.start_position(Some(&events.cursor_at(4))), (0, Some(false)));
        assert_eq!(events.start_position(None), (0, Some(false)));
    }

    /// What waits for a slow subscriber is bounded, and what it misses is told.
    #[test]
    fn given_more_than_fits_then_the_oldest_is_gone_and_a_slow_subscriber_is_told() {
        let events = filled_log(70, 1024 * 1024);
        assert!(events.lock().bytes <= BYTES);
        let first = events.lock().first;
        assert!(first > 1);
        assert_eq!(events.start_position(Some(&events.cursor_at(1))), (first - 1, Some(true)));
        assert!(matches!(events.events_after(1, true), NextEvents::Lost(to) if to == first - 1));
        assert_eq!(read(&events, None).1, 70);
    }
}
