//! The terminal: where a person is asked, and where an agent's words are shown.
//!
//! [`Screen`] is the one place that writes what an agent says; [`TerminalSurface`] asks at
//! `/dev/tty`. While a question is open, the screen holds text back. Whatever an agent or a server
//! sent is escaped before it reaches a terminal: every piece of text goes through [`Line`].

mod line;
#[cfg(unix)]
mod prompt_reader;
mod screen;
#[cfg(unix)]
mod terminal;

#[cfg(target_os = "linux")]
pub(crate) use desktop::DesktopNotifications;
pub use line::{Break, Line, Tone};
#[cfg(unix)]
pub use prompt_reader::{PromptReader, terminal_is_there};
pub use screen::Screen;
#[cfg(unix)]
pub use terminal::{BackgroundState, Closer, TerminalSurface};
pub(crate) use wording::NOT_BYPASSED;

#[cfg(unix)]
mod answers;
mod asked_marks;
mod call_text;
#[cfg(unix)]
mod canvas;
mod card;
#[cfg(unix)]
mod choice_details;
mod choices;
#[cfg(unix)]
mod desk;
#[cfg(target_os = "linux")]
mod desktop;
pub(crate) mod diff;
mod findings_text;
mod full_card;
#[cfg(unix)]
mod inbox;
mod key;
#[cfg(unix)]
mod lists;
mod pager;
mod prompt;
#[cfg(unix)]
mod screen_contents;
mod status;
#[cfg(unix)]
mod tty;
mod wording;
