//! A desktop's notification for each question, with buttons: Deny, and Allow once where one look is enough to see all of it
//! (D6.33). Whoever shows it must not be within an agent, as for every answer (D6.8).

mod service;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use jiff::Timestamp;
use mayi_core::approval::{ApprovalId, ApprovalResponse, Card, at_a_glance, choice, visible};
use mayi_core::gate::{QuestionEvent, Questions};
use mayi_core::store::Store;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::service::{Button, Service};
use super::wording;

/// Who answered, as the record and other surfaces have it.
const BY: &str = "desktop notification";

/// A button that is pressed sooner was meant for what was there before.
const TOO_SOON: Duration = Duration::from_millis(500);

/// So long the notifications may take to be taken away.
const PATIENCE: Duration = Duration::from_millis(300);

/// Notifications for what one process asks.
pub(crate) struct Desktop {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Desktop {
    /// Shows what `questions` ask by the service on the bus at `socket`, from now on, beside other work of the runtime.
    /// Nothing is shown where that can't be had: questions wait for other surfaces as they do anyway.
    pub(crate) fn start(socket: &Path, store: Arc<dyn Store>, questions: Arc<dyn Questions>) -> Self {
        let (end, ended) = oneshot::channel();
        let socket = socket.to_owned();
        let task = tokio::spawn(async move {
            // It hears of what waits before it has connected, so that nothing is missed.
            let heard = questions.questions();
            match Service::connect(&socket, store).await {
                Ok(service) => {
                    let mut shows = Shows { service, questions, shown: BTreeMap::new() };
                    if let Err(error) = shows.serve(heard, ended).await {
                        tracing::warn!(%error, "no more notifications");
                    }
                    shows.clear().await;
                }
                Err(error) => tracing::warn!(%error, "no notifications"),
            }
        });
        Self { end, task }
    }

    /// Takes away what is still shown.
    pub(crate) async fn end(self) {
        let _ = self.end.send(());
        let _ = tokio::time::timeout(PATIENCE, self.task).await;
    }
}

/// What is shown, and where.
struct Shows {
    service: Service,
    questions: Arc<dyn Questions>,
    shown: BTreeMap<ApprovalId, Shown>,
}

struct Shown {
    /// The service's number.
    number: u32,
    card: Box<Card>,
    since: Instant,
}

impl Shows {
    async fn serve(
        &mut self,
        mut heard: tokio::sync::mpsc::UnboundedReceiver<QuestionEvent>,
        mut ended: oneshot::Receiver<()>,
    ) -> io::Result<()> {
        let mut pressed = self.service.pressed().await?;
        loop {
            tokio::select! {
                _ = &mut ended => return Ok(()),
                event = heard.recv() => match event {
                    Some(QuestionEvent::Asked(card) | QuestionEvent::Updated(card)) => self.show(card).await?,
                    Some(QuestionEvent::Resolved(resolved)) => self.hide(resolved.approval_id).await,
                    Some(QuestionEvent::InLine(_)) => {}
                    None => return Ok(()),
                },
                press = pressed.next() => match press {
                    Some((number, button)) => self.answer(number, button).await?,
                    None => return Err(io::Error::other("the notification service is gone")),
                },
            }
        }
    }

    /// Shows a card, in the place of an older form of it.
    async fn show(&mut self, card: Box<Card>) -> io::Result<()> {
        self.show_since(card, Instant::now()).await
    }

    /// The same for a card that was shown before.
    async fn show_since(&mut self, card: Box<Card>, since: Instant) -> io::Result<()> {
        let older = self.shown.get(&card.approval_id).map_or(0, |shown| shown.number);
        let text = Text::of(&card);
        let number = self.service.show(older, &text).await?;
        self.shown.insert(card.approval_id, Shown { number, card, since });
        Ok(())
    }

    async fn hide(&mut self, id: ApprovalId) {
        if let Some(shown) = self.shown.remove(&id) {
            self.service.hide(shown.number).await;
        }
    }

    async fn clear(&mut self) {
        while let Some((_, shown)) = self.shown.pop_first() {
            self.service.hide(shown.number).await;
        }
    }

    /// Gives the answer of a button. What it can't answer is shown again: with most services a press takes the notification
    /// away, and with some it does not.
    async fn answer(&mut self, number: u32, button: Button) -> io::Result<()> {
        let Some((id, shown)) = self.shown.iter().find(|(_, shown)| shown.number == number) else {
            return Ok(());
        };
        let (id, card, since) = (*id, shown.card.clone(), shown.since);
        // An agent may have come to own the process since, or the process may be gone.
        self.service.still_trusted().await?;
        let allows = button == Button::Allow;
        let offered = !allows || at_a_glance(&card).is_some();
        if since.elapsed() < TOO_SOON || !offered {
            return self.show_since(card, since).await;
        }
        let option = if allows { choice::ALLOW_ONCE } else { choice::DENY };
        if let Err(error) = self.questions.answer(ApprovalResponse::pick(&card, option), BY) {
            tracing::info!(%error, "a notification's answer was refused");
        }
        self.hide(id).await;
        Ok(())
    }
}

/// The first row of a notification is cut after so many columns.
const SUMMARY: usize = 120;

/// What a notification says.
pub(super) struct Text {
    /// Who wants what.
    pub(super) summary: String,
    /// All of it, or its beginning and where to see the rest.
    pub(super) body: String,
    /// Whether it can be allowed here.
    pub(super) allows: bool,
    /// When nobody waits for an answer any more. Milliseconds from now; none: until it is settled.
    pub(super) lasts: Option<i32>,
}

impl Text {
    fn of(card: &Card) -> Self {
        let whole = at_a_glance(card);
        let said = match &whole {
            Some(text) => format!("{text}\nin {}", card.cwd),
            None => format!("{}\nSee all of it: mayi inbox", visible(&wording::summary(card).text())),
        };
        let left = card.expires_at.map(|when| when.duration_since(Timestamp::now()).as_millis());
        Self {
            summary: visible(&wording::heading(card).cut(SUMMARY).text()),
            body: said,
            allows: whole.is_some(),
            lasts: left.map(|left| i32::try_from(left).unwrap_or(i32::MAX).max(1)),
        }
    }
}
