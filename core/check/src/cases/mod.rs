//! Files of cases for `mayi test`: calls, and the effects that are expected of them.
//!
//! A TOML file holds `[[case]]` tables and perhaps `[defaults]`; a `.jsonl` file holds one case a line.
//! A case has the keys of a [`Request`] and, besides, `expect` (an effect, or a list of them), `name`
//! and `because` (some of the reason).

mod error;
mod text;

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

pub use error::CaseError;

use self::text::CaseText;
use super::fields::RequestFields;
use super::request::parse_effect;
use super::{Request, RequestError};
use mayi_core::policy::{Decision, Effect};

/// The largest file of cases: 16 MiB.
const MAX_CASE_FILE_BYTES: u64 = 16 << 20;

/// What `[defaults]` may say for every case.
const DEFAULTS: &[&str] = &["agent", "mode", "cwd", "workspace", "rules", "matrix", "isolated", "protection"];

/// Where each key of a case stands in the text, by its JSON pointer.
type KeySpans = BTreeMap<String, Range<usize>>;

/// One call, and what is expected of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called: its own name, its id, or what it does.
    pub name: String,
    /// The file that it stands in.
    pub file: PathBuf,
    /// Its line in that file, from 1.
    pub line: u32,
    /// What is checked.
    pub request: Request,
    /// Effects that are right: at least one.
    pub expect: Vec<Effect>,
    /// What has to stand in a reason for the effect.
    pub because: Option<String>,
    text: Arc<CaseText>,
    whole: Range<usize>,
    spans: KeySpans,
}

impl Case {
    /// Whether `decision` is what was expected; if not, what was.
    ///
    /// # Errors
    /// What was expected: one line, lower case.
    pub fn check_decision(&self, decision: &Decision) -> Result<(), String> {
        if !self.expect.contains(&decision.effect) {
            let words: Vec<String> = self.expect.iter().map(ToString::to_string).collect();
            return Err(format!("expected {}, got {}", words.join(" or "), decision.effect));
        }
        let Some(because) = &self.because else { return Ok(()) };
        let said = decision
            .trail
            .iter()
            .any(|finding| finding.effect == decision.effect && finding.reason.contains(because.as_str()));
        if said { Ok(()) } else { Err(format!("expected a reason with \"{because}\"")) }
    }

    /// `error`, which this case's request led to, with its place in the file.
    #[must_use]
    pub fn locate_error(&self, error: &RequestError) -> CaseError {
        error_in_text(&self.text, &self.spans, &self.whole, error)
    }
}

/// Reads a file of cases.
///
/// # Errors
/// Every mistake in it, each with its place; also if it can't be read, or holds no case.
pub fn read_cases(path: &Path) -> Result<Vec<Case>, Vec<CaseError>> {
    let text = read_content(path).map_err(|what| vec![CaseError::of_file(path, what)])?;
    let text = Arc::new(CaseText::new(path, text));
    let lines = path.extension().is_some_and(|extension| extension == "jsonl");
    let found = if lines { text.jsonl_cases() } else { text.toml_cases() }?;
    let mut cases = Vec::new();
    let mut errors = Vec::new();
    for raw in found {
        match parse_case(&text, raw) {
            Ok(case) => cases.push(case),
            Err(error) => errors.push(error),
        }
    }
    if cases.is_empty() && errors.is_empty() {
        errors.push(CaseError::of_file(path, "there is no case in it: write one as [[case]]".to_owned()));
    }
    if errors.is_empty() { Ok(cases) } else { Err(errors) }
}

fn read_content(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| format!("it can't be read: {error}"))?;
    let mut bytes = Vec::new();
    file.take(MAX_CASE_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("it can't be read: {error}"))?;
    if bytes.len() as u64 > MAX_CASE_FILE_BYTES {
        return Err("it is larger than 16 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// A case as it stands in the text: its keys are known, and not yet what they mean.
struct RawCase {
    keys: Map<String, Value>,
    whole: Range<usize>,
    spans: KeySpans,
}

fn parse_case(text: &Arc<CaseText>, raw: RawCase) -> Result<Case, CaseError> {
    let RawCase { mut keys, whole, spans } = raw;
    let place = |error: RequestError| error_in_text(text, &spans, &whole, &error);
    let mut own = Map::new();
    for key in ["name", "expect", "because"] {
        if let Some(value) = keys.shift_remove(key) {
            own.insert(key.to_owned(), value);
        }
    }
    let mut fields = RequestFields::from_value("", Value::Object(own)).map_err(place)?;
    let name = fields.take_text("name").map_err(place)?;
    let because = fields.take_text("because").map_err(place)?;
    let expect = parse_expected(&mut fields).map_err(place)?;
    let request = Request::from_keys(keys).map_err(place)?;
    let id = request.id.as_ref().map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
    let name = name.or(id).unwrap_or_else(|| request.what.to_string());
    let (file, line) = (text.path.clone(), text.line_at(whole.start));
    Ok(Case { name, file, line, request, expect, because, text: Arc::clone(text), whole, spans })
}

fn parse_expected(fields: &mut RequestFields) -> Result<Vec<Effect>, RequestError> {
    let words = fields.take_texts("expect", true)?;
    if words.is_empty() {
        return Err(RequestError::new("", "a case needs `expect`", "add `expect`: allow, ask or deny"));
    }
    let effects = words.iter().map(|word| {
        parse_effect(word).ok_or_else(|| {
            fields.key_error("expect", format!("no effect is called `{word}`"), "write allow, ask or deny")
        })
    });
    effects.collect()
}

fn error_in_text(text: &CaseText, spans: &KeySpans, whole: &Range<usize>, error: &RequestError) -> CaseError {
    // The nearest that has a place: a value, the list it is in, the case.
    let mut at = error.at.as_str();
    let span = loop {
        if let Some(span) = spans.get(at) {
            break span;
        }
        match at.rfind('/') {
            Some(end) => at = at.get(..end).unwrap_or_default(),
            None => break whole,
        }
    };
    text.error_at(span.clone(), &error.what, &error.hint)
}
