//! What is wrong with a configuration: the place, and what to write instead.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use super::Layer;
use super::source::SourceText;
use mayi_kept::approval::escape_line;

/// One mistake. One line, lower case; miette shows the place in the file and what to write instead.
#[derive(Clone, Debug)]
pub struct ConfigError {
    message: String,
    help: Option<String>,
    file: Option<PathBuf>,
    layer: Layer,
    place: Option<Box<ErrorSpan>>,
}

#[derive(Clone, Debug)]
struct ErrorSpan {
    text: NamedSource<Arc<str>>,
    span: Range<usize>,
    line: u32,
}

impl ConfigError {
    /// A mistake that has no place in a file.
    #[must_use]
    pub fn new(layer: Layer, message: impl Into<String>, help: Option<String>) -> Self {
        Self {
            message: escape_line(&message.into()),
            help: help.map(|help| escape_line(&help)),
            file: None,
            layer,
            place: None,
        }
    }

    /// A mistake about a file as a whole.
    #[must_use]
    pub fn of_file(layer: Layer, file: &Path, message: impl Into<String>, help: Option<String>) -> Self {
        Self { file: Some(file.to_owned()), ..Self::new(layer, message, help) }
    }

    /// A mistake at `span` of `text`.
    pub(super) fn with_span(mut self, text: &SourceText, span: &Range<usize>) -> Self {
        let line = text.line_at(span.start);
        let span = text.displayed_span(span);
        let text = NamedSource::new(text.name(), text.displayed_text()).with_language("toml");
        self.place = Some(Box::new(ErrorSpan { text, span, line }));
        self
    }

    /// What is wrong, control characters escaped.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write or do instead.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The file it is about.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The line in that file, from 1.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.file.as_ref().and(self.place.as_ref()).map(|place| place.line)
    }

    /// Where it begins in the text.
    pub(super) fn start(&self) -> usize {
        self.place.as_ref().map_or(0, |place| place.span.start)
    }

    /// The layer it is in.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// Place, message and hint on one line: for logs and lists.
    #[must_use]
    pub fn one_line(&self) -> String {
        let mut line = String::new();
        if let Some(file) = &self.file {
            line = match self.line() {
                Some(number) => format!("{}:{number}: ", escape_line(&file.display().to_string())),
                None => format!("{}: ", escape_line(&file.display().to_string())),
            };
        }
        line.push_str(&self.message);
        if let Some(help) = &self.help {
            line.push_str(" (");
            line.push_str(help);
            line.push(')');
        }
        line
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // With a place, miette's snippet names the file.
        match (&self.file, &self.place) {
            (Some(file), None) => write!(f, "{}: {}", escape_line(&file.display().to_string()), self.message),
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ConfigError {}

impl Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(
            Some("here".to_owned()),
            place.span.clone(),
        ))))
    }
}

/// All the mistakes that were found: at least one. Nothing runs on half a policy.
#[derive(Clone, Debug)]
pub struct ConfigErrors(Vec<ConfigError>);

impl ConfigErrors {
    /// An error if there are any.
    pub(super) fn ok_if_empty(errors: Vec<ConfigError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// Each of them.
    #[must_use]
    pub fn all(&self) -> &[ConfigError] {
        &self.0
    }

    /// Whether all of them are about options of this run, and none about a file.
    #[must_use]
    pub fn only_command_line(&self) -> bool {
        self.0.iter().all(|error| error.layer == Layer::CommandLine)
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => one.fmt(f),
            many => write!(f, "{} mistakes in the configuration", many.len()),
        }
    }
}

impl std::error::Error for ConfigErrors {}

impl Diagnostic for ConfigErrors {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.only_error().and_then(Diagnostic::help)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.only_error().and_then(Diagnostic::source_code)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only_error().and_then(Diagnostic::labels)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        (self.0.len() > 1).then(|| Box::new(self.0.iter().map(|error| error as &dyn Diagnostic)) as _)
    }
}

impl ConfigErrors {
    fn only_error(&self) -> Option<&ConfigError> {
        match self.0.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }
}
