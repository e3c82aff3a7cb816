//! Shows that something goes on, and how far it is: on a terminal, to whoever waits there.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::context::Context;

/// What is over by then needs no word.
const SOON: Duration = Duration::from_millis(500);

/// The spinner turns so often.
const TICK: Duration = Duration::from_millis(100);

/// Without and with a number.
const SPINNER: &str = "{spinner:.cyan} {msg} {elapsed:.dim}";
const COUNTER: &str = "{spinner:.cyan} {msg}: {human_pos} of {human_len} ({percent}%)";

/// One line on the standard error that says that something goes on. It comes after half a second, and is gone without a trace when
/// this is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    waits: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Says `what` goes on, where a person reads: not in `json`, not with `--quiet`, and not
    /// beside a pipe.
    pub(crate) fn new(ctx: &Context, json: bool, what: &'static str) -> Self {
        Self::with_visibility(!json && !ctx.quiet && io::stderr().is_terminal() && !is_piped(), what)
    }

    /// The same, where the caller knows whether a person reads.
    pub(crate) fn with_visibility(shown: bool, what: impl Into<Cow<'static, str>>) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(what);
        set_style(&bar, SPINNER);
        let waits = (shown && !console::is_dumb()).then(|| {
            let (ended, end) = channel();
            let later = bar.clone();
            let waiter = std::thread::spawn(move || {
                if matches!(end.recv_timeout(SOON), Err(RecvTimeoutError::Timeout)) {
                    later.set_draw_target(ProgressDrawTarget::stderr());
                    later.enable_steady_tick(TICK);
                }
            });
            (ended, waiter)
        });
        Self { bar, waits }
    }

    /// How far it is.
    pub(crate) fn set_progress(&self, done: u64, all: u64) {
        if self.waits.is_some() && all > 0 {
            if self.bar.length() != Some(all) {
                set_style(&self.bar, COUNTER);
                self.bar.set_length(all);
            }
            self.bar.set_position(done);
        }
    }

    /// Something else goes on now, of which nobody knows how far it is.
    pub(crate) fn goes_on(&self, what: &'static str) {
        set_style(&self.bar, SPINNER);
        self.bar.set_message(what);
    }

    /// Takes the line away while `write` writes to the terminal.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((ended, waiter)) = self.waits.take() {
            drop(ended);
            let _ = waiter.join();
            self.bar.finish_and_clear();
        }
    }
}

/// Whether another program reads what is written: it may be one that shows it on the same terminal.
fn is_piped() -> bool {
    #[cfg(unix)]
    {
        let kind =
            rustix::fs::fstat(io::stdout()).map(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode));
        !matches!(kind, Ok(rustix::fs::FileType::CharacterDevice | rustix::fs::FileType::RegularFile))
    }
    #[cfg(not(unix))]
    {
        !io::stdout().is_terminal()
    }
}

fn set_style(bar: &ProgressBar, template: &'static str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}
