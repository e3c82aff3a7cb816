//! What a surface needs of whoever asks.

use tokio::sync::mpsc;

use crate::approval::{AnswerError, ApprovalResolved, ApprovalResponse, Card};

/// What surfaces hear of questions.
#[derive(Clone, Debug)]
pub enum QuestionEvent {
    /// A card is to be shown.
    Asked(Box<Card>),
    /// A card has changed, and its old digest is void.
    Updated(Box<Card>),
    /// A card is settled.
    Resolved(ApprovalResolved),
    /// So many wait in line now, behind those that are shown.
    InLine(usize),
}

/// Open questions: those of this process (its gate), or those of the user's other processes.
pub trait Questions: Send + Sync {
    /// Everything that waits and is shown, oldest first.
    fn waiting_cards(&self) -> Vec<Card>;

    /// How many more wait in line, behind those that are shown.
    fn count_queued(&self) -> usize;

    /// Takes an answer from the surface `by`. First answer wins.
    ///
    /// # Errors
    /// Why it was refused; the question is as it was.
    fn answer(&self, response: ApprovalResponse, by: &str) -> Result<(), AnswerError>;

    /// Hears of everything from now on; cards that wait already come first.
    fn subscribe_questions(&self) -> mpsc::UnboundedReceiver<QuestionEvent>;

    /// The person pressed Ctrl-C, or the process ends for another reason, `why`: what waits is withdrawn, if
    /// it is this process's own.
    fn on_interrupt(&self, why: Option<&str>);
}
