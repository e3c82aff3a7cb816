//! Questions of the user's other processes: told to clients like the backend's own.

use std::sync::{Arc, Weak};

use mayi_core::gate::{QuestionEvent, Questions};
use mayi_doors::task::spawn;

use crate::api::{Answered, Event};
use crate::backend::Backend;
use crate::cards;

/// Tells of other processes' questions from now on, as long as the backend is there.
pub(crate) fn watch_remote_questions(backend: &Arc<Backend>) {
    let mut questions = backend.remote.subscribe_questions();
    let backend: Weak<Backend> = Arc::downgrade(backend);
    spawn(async move {
        while let Some(event) = questions.recv().await {
            let Some(backend) = backend.upgrade() else { return };
            backend.events.push(&match event {
                QuestionEvent::Asked(card) => Event::Asked(Box::new(cards::of_another(*card))),
                QuestionEvent::Updated(card) => updated_event(cards::of_another(*card)),
                QuestionEvent::InLine(_) => Event::InLine { count: backend.in_line() },
                QuestionEvent::Resolved(resolved) => Event::Resolved(Answered { resolved, tab_id: None }),
            });
        }
    });
}

/// The event that a card has changed.
pub(crate) fn updated_event(mut card: crate::api::TabCard) -> Event {
    card.card.message = "approval-updated".into();
    Event::Updated(Box::new(card))
}
