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

#[cfg(unix)]
mod answers;
#[cfg(unix)]
mod asked_marks;
#[cfg(unix)]
mod call_text;
#[cfg(unix)]
mod canvas;
#[cfg(unix)]
mod card;
#[cfg(unix)]
mod choice_details;
#[cfg(unix)]
mod choices;
#[cfg(unix)]
mod desk;
#[cfg(target_os = "linux")]
mod desktop;
pub(crate) mod diff;
#[cfg(unix)]
mod findings_text;
#[cfg(unix)]
mod full_card;
#[cfg(unix)]
mod inbox;
#[cfg(unix)]
mod key;
#[cfg(unix)]
mod lists;
#[cfg(unix)]
mod pager;
#[cfg(unix)]
mod prompt;
#[cfg(unix)]
mod screen_contents;
#[cfg(unix)]
mod status;
#[cfg(unix)]
mod tty;
#[cfg(unix)]
mod wording;

/// What a bypass does not cover.
pub(crate) const NOT_BYPASSED: &str = "Still asked: what your rules ask about, what is protected (start-up files, hooks, \
     keys, mayi's own files, what lies outside of its folders), and lines that can't be understood. What is denied stays \
     denied.";
