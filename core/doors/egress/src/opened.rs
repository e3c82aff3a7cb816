//! What is open, from the event that says so to the one that says how it ended.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::client::Known;
use crate::event::{End, Event};
use crate::judge::Wish;
use crate::proxy::Shared;
use crate::traffic::Traffic;

/// Something that was opened; dropped, it has ended.
pub(crate) struct Opened {
    shared: Arc<Shared>,
    client: Arc<Known>,
    number: u64,
    pub(crate) wish: Arc<Wish>,
    pub(crate) traffic: Arc<Traffic>,
    end: End,
}

impl Opened {
    pub(crate) fn new(
        (shared, client): (&Arc<Shared>, &Arc<Known>),
        wish: &Arc<Wish>,
        address: SocketAddr,
        traffic: Arc<Traffic>,
    ) -> Self {
        let number = shared.next_number();
        shared.observer.observe(Event::Opened { connection: number, wish: Arc::clone(wish), address });
        Self {
            shared: Arc::clone(shared),
            client: Arc::clone(client),
            number,
            wish: Arc::clone(wish),
            traffic,
            end: End::Closed,
        }
    }

    /// Ends it in this way.
    pub(crate) fn end(mut self, end: End) {
        self.end = end;
    }

    /// Ends it by a refusal, which is told of first.
    pub(crate) fn refuse(self, reason: crate::event::Reason, words: String) {
        let (command, wish) = (Some(Arc::clone(&self.client.id)), Some(Arc::clone(&self.wish)));
        self.shared.observer.observe(Event::Refused { command, wish, reason, words });
        self.end(End::Refused);
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let withdrawn = self.end == End::Closed && self.client.ended.is_cancelled();
        self.shared.observer.observe(Event::Ended {
            connection: self.number,
            wish: Arc::clone(&self.wish),
            sent: self.traffic.written(),
            received: self.traffic.read(),
            end: if withdrawn { End::Withdrawn } else { self.end },
        });
    }
}
