//! The terminal: where a person is asked, and where an agent's words are shown.
//!
//! [`Screen`] is the one place that writes what an agent says; [`TerminalSurface`] asks at
//! `/dev/tty`. While a question is open, the screen holds text back. Whatever an agent or a server
//! sent is escaped before it reaches a terminal: every piece of text goes through [`Line`].

mod line;
#[cfg(unix)]
mod reading;
mod screen;
#[cfg(unix)]
mod terminal;

#[cfg(target_os = "linux")]
pub(crate) use desktop::Desktop;
pub use line::{Break, Line, Tone};
#[cfg(unix)]
pub use reading::{Prompts, terminal_is_there};
pub use screen::Screen;
#[cfg(unix)]
pub use terminal::{Between, Closer, TerminalSurface};
pub(crate) use wording::NOT_BYPASSED;

#[cfg(unix)]
mod answers;
#[cfg(unix)]
mod canvas;
mod card;
mod choices;
#[cfg(unix)]
mod desk;
#[cfg(target_os = "linux")]
mod desktop;
pub(crate) mod diff;
mod everything;
#[cfg(unix)]
mod further;
#[cfg(unix)]
mod inbox;
mod key;
#[cfg(unix)]
mod lists;
mod marks;
mod pager;
mod prompt;
#[cfg(unix)]
mod showing;
mod status;
#[cfg(unix)]
mod tty;
mod what;
mod why;
mod wording;
