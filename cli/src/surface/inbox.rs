//! What the thread at the terminal hears of, and what wakes it while it waits for a key.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use mayi_core::gate::QuestionEvent;
use tokio::sync::mpsc::UnboundedReceiver;

/// Something to hear of.
#[derive(Debug)]
pub(crate) enum MailboxMessage {
    /// Something happened to a question.
    Question(QuestionEvent),
    /// The terminal has another size.
    Resized,
    /// It is over.
    Close,
}

/// Messages for one thread.
#[derive(Debug)]
pub(crate) struct Mailbox {
    messages: Mutex<VecDeque<MailboxMessage>>,
    /// What the gate tells: each event is taken out and put in under this lock, so that none is
    /// overtaken.
    events: Mutex<Option<UnboundedReceiver<QuestionEvent>>>,
    bell: UnixStream,
    ear: UnixStream,
}

impl Mailbox {
    pub(crate) fn new() -> io::Result<Self> {
        let (bell, ear) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        ear.set_nonblocking(true)?;
        Ok(Self { messages: Mutex::default(), events: Mutex::default(), bell, ear })
    }

    /// Puts a message in and wakes whoever waits.
    pub(crate) fn push_message(&self, message: MailboxMessage) {
        self.lock_messages().push_back(message);
        // A full pipe rings already.
        let _ = (&self.bell).write(&[1]);
    }

    /// The next message.
    pub(crate) fn take_message(&self) -> Option<MailboxMessage> {
        self.lock_messages().pop_front()
    }

    /// Hears of what `events` tells from now on.
    pub(crate) fn listen_to(&self, events: UnboundedReceiver<QuestionEvent>) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = Some(events);
    }

    /// Puts events in as they come, until there are no more.
    pub(crate) async fn forward_events(&self) {
        std::future::poll_fn(|context| {
            let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(events) = events.as_mut() else {
                return Poll::Ready(());
            };
            loop {
                match events.poll_recv(context) {
                    Poll::Ready(Some(event)) => self.push_message(MailboxMessage::Question(event)),
                    Poll::Ready(None) => return Poll::Ready(()),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await;
    }

    /// Puts everything in that was told and not forwarded yet.
    pub(crate) fn take_told_events(&self) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(event) = events.as_mut().and_then(|events| events.try_recv().ok()) {
            self.push_message(MailboxMessage::Question(event));
        }
    }

    /// What to wait for.
    pub(crate) fn wake_fd(&self) -> BorrowedFd<'_> {
        self.ear.as_fd()
    }

    /// Stops the ringing.
    pub(crate) fn clear_wakeups(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.ear).read(&mut bytes), Ok(count) if count > 0) {}
    }

    fn lock_messages(&self) -> std::sync::MutexGuard<'_, VecDeque<MailboxMessage>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
