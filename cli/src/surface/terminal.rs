//! The surface: cards at the terminal, answers to the gate.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use mayi_core::gate::Questions;
use nix::sys::signal::{SigSet, Signal};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, oneshot};

use super::desk::TerminalPrompter;
use super::inbox::{Mailbox, MailboxMessage};
use super::screen::Screen;
use super::status::ProgramState;
use super::tty::Tty;

/// So long the terminal may take to be given back, before it is put right from outside: only an
/// open list takes longer, since nothing can interrupt it.
const PATIENCE: Duration = Duration::from_millis(300);

/// Asks a person at the terminal that this process belongs to.
///
/// It never reads the standard input as such, so a pipe there answers nothing. Nobody else may
/// read from the terminal while a question is open.
pub struct TerminalSurface {
    tty: Arc<Tty>,
    screen: Screen,
    color: bool,
    closer: Closer,
}

/// What goes on while no question is open, for terminals that show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundState {
    /// An agent works.
    Works,
    /// Questions are waited for.
    Waits,
}

/// Ends a [`TerminalSurface`] from elsewhere.
#[derive(Clone)]
pub struct Closer {
    tty: Arc<Tty>,
    screen: Screen,
    inbox: Arc<Mailbox>,
    closing: Arc<Notify>,
    serving: Arc<ServingFlag>,
}

/// Whether the thread at the terminal runs.
#[derive(Default)]
struct ServingFlag {
    now: Mutex<bool>,
    ended: Condvar,
}

impl ServingFlag {
    fn set_running(&self, now: bool) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
        self.ended.notify_all();
    }

    fn wait_for_end(&self, most: Duration) {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let _ended = self.ended.wait_timeout_while(now, most, |now| *now);
    }
}

impl Closer {
    /// Takes the question away and gives the terminal back as it was; returns when that is done.
    /// What waits still waits at the gate. Call it before the process ends by other means than
    /// returning from `main`.
    pub fn close(&self) {
        self.inbox.push_message(MailboxMessage::Close);
        self.closing.notify_one();
        self.serving.wait_for_end(PATIENCE);
        self.tty.restore();
        self.tty.report_idle();
        // A list that is still open has kept the text of others back.
        let _ = self.screen.end_prompt();
    }
}

/// Closes when the future that serves is dropped.
struct CloseOnDrop(Closer);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Says that the thread has ended, however it did.
struct EndOnDrop(Arc<ServingFlag>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.set_running(false);
    }
}

impl TerminalSurface {
    /// Opens the terminal. `color`: whether cards may use colours; `between`: what goes on while no question is open.
    ///
    /// # Errors
    /// If this process belongs to no terminal, as in CI, or its standard input is another one.
    pub fn open(screen: Screen, color: bool, between: BackgroundState) -> io::Result<Self> {
        let between = match between {
            BackgroundState::Works => ProgramState::Working,
            BackgroundState::Waits => ProgramState::Idle,
        };
        let tty = Arc::new(Tty::open(between)?);
        // dialoguer's themes look here, and at the standard error.
        console::set_colors_enabled_stderr(color);
        let closer = Closer {
            tty: Arc::clone(&tty),
            screen: screen.clone(),
            inbox: Arc::new(Mailbox::new()?),
            closing: Arc::default(),
            serving: Arc::default(),
        };
        Ok(Self { tty, screen, color, closer })
    }

    /// What ends it from elsewhere. Dropping the future of [`Self::serve`] does the same.
    #[must_use]
    pub fn closer(&self) -> Closer {
        self.closer.clone()
    }

    /// Asks whatever the gate asks, until it is closed. `on_cancel` is called on each Ctrl-C at a
    /// question, from a thread that may spawn tasks: it tells the agent that its turn is over.
    /// Then everything that still waits is cancelled.
    ///
    /// # Errors
    /// `NotConnected` if the terminal goes away: the caller settles what waits. `Interrupted` on
    /// SIGTERM and SIGHUP, with the terminal given back and all that waits cancelled: these signals
    /// end nothing but this from the first call on, so the caller ends.
    pub async fn serve(
        self,
        questions: Arc<dyn Questions>,
        on_cancel: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<()> {
        let mut terminated = signal(SignalKind::terminate())?;
        let mut hung_up = signal(SignalKind::hangup())?;
        let mut resized = signal(SignalKind::window_change())?;
        let Closer { inbox, closing, serving, .. } = self.closer.clone();
        inbox.listen_to(questions.subscribe_questions());
        serving.set_running(true);
        let _close = CloseOnDrop(self.closer);
        let (tty, heard) = (Arc::clone(&self.tty), Arc::clone(&inbox));
        let asked = Arc::clone(&questions);
        let desk = TerminalPrompter::new(tty, self.screen, self.color, questions, heard, Box::new(on_cancel));
        let (done, ended) = oneshot::channel();
        let runtime = tokio::runtime::Handle::current();
        let over = EndOnDrop(Arc::clone(&serving));
        std::thread::Builder::new().name("terminal".to_owned()).spawn(move || {
            let _over = over;
            let _runtime = runtime.enter();
            // On Ctrl-C in a list, console raises the signal as well as telling of it: the key is
            // handled once, here.
            let mut interrupt = SigSet::empty();
            interrupt.add(Signal::SIGINT);
            let result = interrupt.thread_block().map_err(io::Error::from).and_then(|()| desk.run());
            let _ = done.send(result);
        })?;
        tokio::pin!(ended);
        // Nobody can answer here any more: what waits goes with the turn.
        let end = |signal: &str| {
            let why = format!("ended by {signal}");
            asked.on_interrupt(Some(&why));
            Err(io::Error::new(io::ErrorKind::Interrupted, why))
        };
        let result = loop {
            tokio::select! {
                result = &mut ended => {
                    return result.unwrap_or_else(|_| Err(io::Error::other("asking at the terminal failed")));
                }
                () = inbox.forward_events() => break Ok(()),
                _ = resized.recv() => inbox.push_message(MailboxMessage::Resized),
                _ = terminated.recv() => break end("SIGTERM"),
                _ = hung_up.recv() => break end("SIGHUP"),
                () = closing.notified() => break Ok(()),
            }
        };
        inbox.push_message(MailboxMessage::Close);
        let _ = tokio::time::timeout(PATIENCE, ended).await;
        result
    }
}
