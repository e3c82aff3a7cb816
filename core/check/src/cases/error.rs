//! A mistake in a file of cases, with its place.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use mayi_core::approval::escape_line;
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// What is wrong with a file of cases. One line, lower case; miette shows the place and what to write.
#[derive(Clone, Debug)]
pub struct CaseError {
    what: String,
    hint: Option<String>,
    place: Option<Box<CaseSpan>>,
}

#[derive(Clone, Debug)]
struct CaseSpan {
    source: NamedSource<Arc<str>>,
    span: Range<usize>,
}

impl CaseError {
    /// A mistake about a file as a whole.
    pub(super) fn of_file(path: &Path, what: String) -> Self {
        Self { what: escape_line(&format!("{}: {what}", path.display())), hint: None, place: None }
    }

    /// A mistake at `span` of a file.
    pub(super) fn at_span(what: &str, hint: &str, source: NamedSource<Arc<str>>, span: Range<usize>) -> Self {
        Self {
            what: escape_line(what),
            hint: Some(escape_line(hint)),
            place: Some(Box::new(CaseSpan { source, span })),
        }
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for CaseError {}

impl Diagnostic for CaseError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.place.as_ref()?.span.clone();
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".to_owned()), span))))
    }
}
