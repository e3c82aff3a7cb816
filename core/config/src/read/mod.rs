//! One file, read by itself: text in; rules, settings and mistakes out.

mod agents;
mod apps;
mod examples;
mod file;
mod other_tools;
mod record;
mod rules;
mod scalars;
mod section;
mod servers;
mod tools;

pub(super) use agents::AgentEntry;
pub use file::named_folder;
pub(super) use file::{FolderEntry, ParsedFile, WorkspaceEntry};
pub(super) use record::RecordEntry;
pub(crate) use section::join_with_or;
pub(super) use servers::{ServerEntry, is_web_address};

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::Path;

use toml::de::DeTable;

use self::section::Section;
use super::source::SourceText;
use super::{ConfigError, Layer};
use mayi_call::Selector;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Origin, Pattern, PatternError};

/// As many mistakes of a file are told.
const MOST_MISTAKES: usize = 100;

/// As much as the patterns of a folder's file may cost to compile: whoever wrote it, that is done before
/// anything is decided. It is enough for 64 regular expressions.
const MOST_OF_A_WORKSPACE: usize = 32 << 20;
/// As much those of any other file.
const MOST_OF_A_FILE: usize = 1 << 30;

/// A text that is read, and the mistakes that were found in it.
pub(super) struct ConfigReader<'t> {
    layer: Layer,
    /// The file; none for options.
    path: Option<&'t Path>,
    places: &'t PatternBases,
    errors: RefCell<Vec<ConfigError>>,
    /// As much more may be spent on compiling patterns.
    budget: Cell<usize>,
    source: SourceText,
}

/// Reads `text`, the content of `path`.
///
/// # Errors
/// All the mistakes in it.
pub(super) fn read(
    layer: Layer,
    path: &Path,
    text: &str,
    places: &PatternBases,
) -> Result<ParsedFile, Vec<ConfigError>> {
    read_by(ConfigReader::new(layer, Some(path), text, places), text)
}

/// The same of a text in which lines are `missing`: at each place, so many.
///
/// # Errors
/// All the mistakes in it.
pub(super) fn read_without(
    layer: Layer,
    path: &Path,
    text: &str,
    missing: Vec<(usize, u32)>,
    places: &PatternBases,
) -> Result<ParsedFile, Vec<ConfigError>> {
    let mut reader = ConfigReader::new(layer, Some(path), text, places);
    reader.source = reader.source.with_missing_lines(missing);
    read_by(reader, text)
}

fn read_by(reader: ConfigReader<'_>, text: &str) -> Result<ParsedFile, Vec<ConfigError>> {
    let (table, syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        for error in syntax {
            let span = error.span().unwrap_or(0..0);
            let help = match error.message() {
                "duplicate key" => "write it once",
                _ => "this is TOML: text is written in \"quotes\", lists in [brackets], one setting a line",
            };
            reader.add_mistake(span, error.message(), Some(help.to_owned()));
        }
        return Err(reader.into_errors());
    }
    let span = table.span();
    let file = file::read(Section::new(&reader, String::new(), span, table.into_inner()));
    let errors = reader.into_errors();
    if errors.is_empty() { Ok(file) } else { Err(errors) }
}

impl<'t> ConfigReader<'t> {
    pub(super) fn new(layer: Layer, path: Option<&'t Path>, text: &str, places: &'t PatternBases) -> Self {
        let name = path.map_or_else(|| "the command line".to_owned(), |path| path.display().to_string());
        let source = SourceText::new(&name, text);
        let budget = if layer == Layer::Workspace { MOST_OF_A_WORKSPACE } else { MOST_OF_A_FILE };
        Self { layer, path, places, errors: RefCell::default(), budget: Cell::new(budget), source }
    }

    /// All the mistakes, from the top of the file to its end.
    pub(super) fn into_errors(self) -> Vec<ConfigError> {
        let mut errors = self.errors.into_inner();
        errors.sort_by_key(ConfigError::start);
        errors
    }

    /// Notes a mistake at `span`.
    pub(super) fn add_mistake(&self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        let error = match self.path {
            Some(path) => ConfigError::of_file(self.layer, path, message, help),
            None => ConfigError::new(self.layer, message, help),
        };
        let mut errors = self.errors.borrow_mut();
        // Nobody reads more of them, and a file could hold as many as it has lines.
        if errors.len() < MOST_MISTAKES {
            errors.push(error.with_span(&self.source, &span));
        }
    }

    pub(super) fn span_origin(&self, span: &Range<usize>) -> Origin {
        Origin {
            file: self.path.map(Path::to_owned),
            line: self.path.map(|_| self.source.line_at(span.start)),
            layer: self.layer,
        }
    }

    /// Compiles a pattern; `None` after noting the mistake.
    pub(super) fn compile_pattern(
        &self,
        text: &str,
        span: &Range<usize>,
        of: Option<mayi_policy::pattern::ArgumentConditions>,
    ) -> Option<Pattern> {
        let Some(left) = self.budget.get().checked_sub(Pattern::compile_cost(text)) else {
            let message = "the patterns of this file are too many, or too large, to be compiled";
            let help = "write fewer regular expressions and braces: `shell(git push *)` costs little";
            self.add_mistake(span.clone(), message, Some(help.to_owned()));
            return None;
        };
        self.budget.set(left);
        match Pattern::with_conditions(text, of.unwrap_or_default(), self.places) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let (message, help) = explain_pattern_error(text, error);
                self.add_mistake(span.clone(), message, Some(help));
                None
            }
        }
    }
}

/// What is wrong with a pattern, and what to write instead.
fn explain_pattern_error(text: &str, error: PatternError) -> (String, String) {
    let elsewhere = matches!(error, PatternError::Selector(_) | PatternError::Form(_));
    let meant = elsewhere.then(|| other_tools::as_pattern(text)).flatten();
    if let Some(meant) = meant {
        let help = match meant.never_allows() {
            // To an allow that pattern would be no help.
            Some(why) => format!("to ask about it or deny it, write `{meant}`; {why}"),
            None => {
                format!(
                    "did you mean `{meant}`? `mayi config import` carries over whole files of other tools"
                )
            }
        };
        return (format!("`{}` is written as another tool has it", text.trim()), help);
    }
    match error {
        PatternError::Argument { what, hint } => (what, hint),
        PatternError::Selector(word) => {
            let help = match super::nearest_word(&word, Selector::all_words()) {
                Some(meant) => format!("did you mean `{meant}(...)`?"),
                None => format!("write {}", Selector::words_as_sentence()),
            };
            (format!("no selector is called `{word}`"), help)
        }
        other => {
            let text = other.to_string();
            match text.split_once(": ") {
                Some((message, help)) => (message.to_owned(), help.to_owned()),
                None => (text, "write selector(argument)".to_owned()),
            }
        }
    }
}
