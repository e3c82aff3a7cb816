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
use mayi_core::approval::{ApprovalId, ApprovalResponse, Card, choice, escape_line, one_line_summary};
use mayi_core::gate::{QuestionEvent, Questions};
use mayi_core::store::Store;
use mayi_doors::task::spawn;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::service::{Button, NotificationService};
use super::wording;

/// Who answered, as the record and other surfaces have it.
const BY: &str = "desktop notification";

/// A button that is pressed sooner was meant for what was there before.
const TOO_SOON: Duration = Duration::from_millis(500);

/// So long the notifications may take to be taken away.
const PATIENCE: Duration = Duration::from_millis(300);

/// Notifications for what one process asks.
pub(crate) struct DesktopNotifications {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl DesktopNotifications {
    /// Shows what `questions` ask by the service on the bus at `socket`, from now on, beside other work of the runtime.
    /// Nothing is shown where that can't be had: questions wait for other surfaces as they do anyway.
    pub(crate) fn start(socket: &Path, store: Arc<dyn Store>, questions: Arc<dyn Questions>) -> Self {
        let (end, ended) = oneshot::channel();
        let socket = socket.to_owned();
        let task = spawn(async move {
            // It hears of what waits before it has connected, so that nothing is missed.
            let heard = questions.subscribe_questions();
            match NotificationService::connect(&socket, store).await {
                Ok(service) => {
                    let mut shows = DesktopNotifier { service, questions, shown: BTreeMap::new() };
                    if let Err(error) = shows.run_loop(heard, ended).await {
                        tracing::warn!(%error, "no more notifications");
                    }
                    shows.hide_all().await;
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
struct DesktopNotifier {
    service: NotificationService,
    questions: Arc<dyn Questions>,
    shown: BTreeMap<ApprovalId, ShownNotification>,
}

struct ShownNotification {
    /// The service's number.
    number: u32,
    card: Box<Card>,
    since: Instant,
}

impl DesktopNotifier {
    async fn run_loop(
        &mut self,
        mut heard: tokio::sync::mpsc::UnboundedReceiver<QuestionEvent>,
        mut ended: oneshot::Receiver<()>,
    ) -> io::Result<()> {
        let mut pressed = self.service.button_presses().await?;
        loop {
            tokio::select! {
                _ = &mut ended => return Ok(()),
                event = heard.recv() => match event {
                    Some(QuestionEvent::Asked(card) | QuestionEvent::Updated(card)) => self.show_card(card).await?,
                    Some(QuestionEvent::Resolved(resolved)) => self.hide_card(resolved.approval_id).await,
                    Some(QuestionEvent::InLine(_)) => {}
                    None => return Ok(()),
                },
                press = pressed.next() => match press {
                    Some((number, button)) => self.submit_answer(number, button).await?,
                    None => return Err(io::Error::other("the notification service is gone")),
                },
            }
        }
    }

    /// Shows a card, in the place of an older form of it.
    async fn show_card(&mut self, card: Box<Card>) -> io::Result<()> {
        self.show_card_since(card, Instant::now()).await
    }

    /// The same for a card that was shown before.
    async fn show_card_since(&mut self, card: Box<Card>, since: Instant) -> io::Result<()> {
        let older = self.shown.get(&card.approval_id).map_or(0, |shown| shown.number);
        let text = NotificationText::for_card(&card);
        let number = self.service.show_notification(older, &text).await?;
        self.shown.insert(card.approval_id, ShownNotification { number, card, since });
        Ok(())
    }

    async fn hide_card(&mut self, id: ApprovalId) {
        if let Some(shown) = self.shown.remove(&id) {
            self.service.hide_notification(shown.number).await;
        }
    }

    async fn hide_all(&mut self) {
        while let Some((_, shown)) = self.shown.pop_first() {
            self.service.hide_notification(shown.number).await;
        }
    }

    /// Gives the answer of a button. What it can't answer is shown again: with most services a press takes the notification
    /// away, and with some it does not.
    async fn submit_answer(&mut self, number: u32, button: Button) -> io::Result<()> {
        let Some((id, shown)) = self.shown.iter().find(|(_, shown)| shown.number == number) else {
            return Ok(());
        };
        let (id, card, since) = (*id, shown.card.clone(), shown.since);
        // An agent may have come to own the process since, or the process may be gone.
        self.service.ensure_still_trusted().await?;
        let allows = button == Button::Allow;
        let offered = !allows || one_line_summary(&card).is_some();
        if since.elapsed() < TOO_SOON || !offered {
            return self.show_card_since(card, since).await;
        }
        let option = if allows { choice::ALLOW_ONCE } else { choice::DENY };
        if let Err(error) = self.questions.answer(ApprovalResponse::pick(&card, option), BY) {
            tracing::info!(%error, "a notification's answer was refused");
        }
        self.hide_card(id).await;
        Ok(())
    }
}

/// The first row of a notification is cut after so many columns.
const SUMMARY: usize = 120;

/// What a notification says.
pub(super) struct NotificationText {
    /// Who wants what.
    pub(super) summary: String,
    /// All of it, or its beginning and where to see the rest.
    pub(super) body: String,
    /// Whether it can be allowed here.
    pub(super) allows: bool,
    /// When nobody waits for an answer any more. Milliseconds from now; none: until it is settled.
    pub(super) lasts: Option<i32>,
}

impl NotificationText {
    fn for_card(card: &Card) -> Self {
        let whole = one_line_summary(card);
        let said = match &whole {
            Some(text) => format!("{text}\nin {}", card.cwd),
            None => format!(
                "{}\nSee all of it: mayi inbox",
                escape_line(&wording::call_summary(card).plain_text())
            ),
        };
        let left = card.expires_at.map(|when| when.duration_since(Timestamp::now()).as_millis());
        Self {
            summary: escape_line(&wording::card_heading(card).cut_to_width(SUMMARY).plain_text()),
            body: said,
            allows: whole.is_some(),
            lasts: left.map(|left| i32::try_from(left).unwrap_or(i32::MAX).max(1)),
        }
    }
}
