//! Why a command ended early, and with which exit code.

use std::io;

use mayi_core::config::edit::EditError;
use mayi_core::config::{ConfigError, ConfigErrors};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use crate::exit::Exit;
use crate::print;

/// Why a command ended early: what a person is told, and the exit code.
#[derive(Debug)]
pub(crate) struct CliError {
    exit: Exit,
    kind: CliErrorKind,
}

#[derive(Debug)]
enum CliErrorKind {
    /// Nobody listens any more.
    Nothing,
    Message(String),
    Config(ConfigErrors),
}

impl CliError {
    /// One line, lower case, that says what to do; for `exit`.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, kind: CliErrorKind::Message(message.into()) }
    }

    /// Whether there is nothing to say: nobody reads what was written any more.
    pub(crate) fn is_quiet(&self) -> bool {
        matches!(self.kind, CliErrorKind::Nothing)
    }

    /// Options that make no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// mayi itself failed.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(Exit::Internal, message)
    }

    /// The agent failed.
    pub(crate) fn agent(message: impl Into<String>) -> Self {
        Self::new(Exit::Agent, message)
    }

    /// A command could not be confined, and was not started.
    pub(crate) fn confinement(message: impl Into<String>) -> Self {
        Self::new(Exit::Unconfined, message)
    }

    /// The same, with another thing that one can do.
    pub(crate) fn with_alternative(mut self, what: &str) -> Self {
        if let CliErrorKind::Message(message) = &mut self.kind {
            message.push_str("; or ");
            message.push_str(what);
        }
        self
    }

    /// The code that the process ends with.
    #[must_use]
    pub(crate) fn exit_status(&self) -> Exit {
        self.exit
    }

    /// What is wrong, for somebody else to tell.
    pub(crate) fn message_text(&self) -> String {
        match &self.kind {
            CliErrorKind::Nothing => String::new(),
            CliErrorKind::Message(message) => message.clone(),
            CliErrorKind::Config(errors) => errors.to_string(),
        }
    }

    /// Tells the person, on standard error.
    pub(crate) fn print_report(&self, color: bool) {
        match &self.kind {
            CliErrorKind::Nothing => {}
            CliErrorKind::Message(message) => print::stderr_line(format!("mayi: {message}")),
            CliErrorKind::Config(errors) => report_all(errors.all(), color),
        }
    }
}

/// Each mistake with its place, and what to write instead.
pub(super) fn report_all(errors: &[ConfigError], color: bool) {
    for error in errors {
        report_diagnostic(error, color);
    }
}

/// A mistake in a file, with its place, and what to write instead.
pub(super) fn report_diagnostic(error: &dyn Diagnostic, color: bool) {
    let plain = || {
        print::stderr_line(format!("mayi: {error}"));
        if let Some(hint) = error.help() {
            print::stderr_line(format!("  help: {hint}"));
        }
    };
    if error.source_code().is_none() {
        return plain();
    }
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let width = usize::from(console::Term::stderr().size_checked().map_or(100, |(_, columns)| columns));
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(width.max(40));
    match handler.render_report(&mut text, error) {
        Ok(()) => print::stderr_line(text.trim_end()),
        Err(_) => plain(),
    }
}

impl From<ConfigErrors> for CliError {
    fn from(errors: ConfigErrors) -> Self {
        let exit = if errors.only_command_line() { Exit::Usage } else { Exit::Config };
        Self { exit, kind: CliErrorKind::Config(errors) }
    }
}

impl From<EditError> for CliError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Config(errors) => errors.into(),
            other => Self::internal(other.to_string()),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            // `mayi agents | head -1`: whoever read the list has enough of it.
            return Self { exit: Exit::Done, kind: CliErrorKind::Nothing };
        }
        Self::internal(error.to_string())
    }
}
