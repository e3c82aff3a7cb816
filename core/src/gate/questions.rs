//! The gate as surfaces of its own process see it.

use tokio::sync::mpsc;

use super::{Gate, GateEvent};
use super::{QuestionEvent, Questions};
use crate::approval::{AnswerError, ApprovalResponse, Card, Outcome};

impl Questions for Gate {
    fn waiting_cards(&self) -> Vec<Card> {
        Gate::waiting_cards(self)
    }

    fn count_queued(&self) -> usize {
        Gate::count_queued(self)
    }

    fn answer(&self, response: ApprovalResponse, by: &str) -> Result<(), AnswerError> {
        Gate::answer(self, response, by).map(|_| ())
    }

    fn subscribe_questions(&self) -> mpsc::UnboundedReceiver<QuestionEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.add_listener(Box::new(move |event| {
            let event = match event {
                GateEvent::Asked(card) => QuestionEvent::Asked(card.clone()),
                GateEvent::Updated(card) => QuestionEvent::Updated(card.clone()),
                GateEvent::Resolved(resolved) => QuestionEvent::Resolved(resolved.clone()),
                GateEvent::InLine(count) => QuestionEvent::InLine(*count),
                GateEvent::Decided { .. } => return !sender.is_closed(),
            };
            sender.send(event).is_ok()
        }));
        receiver
    }

    fn on_interrupt(&self, why: Option<&str>) {
        if let Some(why) = why {
            return self.cancel_all(why);
        }
        // Those in line first: they would be shown for a moment.
        self.cancel_queued();
        for card in Gate::waiting_cards(self) {
            let mut response = ApprovalResponse::pick(&card, "");
            response.response = Outcome::Cancelled;
            // Refused if it was settled meanwhile.
            let _ = Gate::answer(self, response, "terminal");
        }
    }
}
