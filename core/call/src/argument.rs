//! Arguments of tools as paths: every path that a value could mean to the server that gets it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{LineLookups, PathAccess, could_be_name, file_paths};

/// As many arguments, and values of one, are looked at, each as long: others are no paths that are known.
const MOST: usize = 64;
const LONGEST: usize = 4096;
/// As often may a value be encoded.
const DEEPEST: usize = 3;

/// The paths that each argument could mean. An argument that may mean something else is left out.
pub(super) fn paths_by_argument(
    arguments: &Value,
    cwd: &Path,
    looked: &LineLookups,
) -> BTreeMap<String, Vec<PathAccess>> {
    let named = arguments.as_object().into_iter().flatten().take(MOST);
    named.filter_map(|(name, value)| Some((name.clone(), of_value(value, cwd, looked)?))).collect()
}

fn of_value(value: &Value, cwd: &Path, looked: &LineLookups) -> Option<Vec<PathAccess>> {
    let texts: Vec<&str> = match value {
        Value::String(text) => vec![text],
        Value::Array(items) if items.len() <= MOST => {
            items.iter().map(Value::as_str).collect::<Option<_>>()?
        }
        _ => return None,
    };
    let mut found = Vec::new();
    for text in texts {
        for reading in path_readings(text, cwd)? {
            let path = looked.path_access(cwd, &reading);
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The names that a text may be read as from `cwd`; none if it can mean what is not known: a variable, another user's home,
/// an address.
fn path_readings(text: &str, cwd: &Path) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for text in percent_decodings(text)? {
        let files = file_paths(&text);
        let of_file = text.trim_start().get(..5).is_some_and(|file| file.eq_ignore_ascii_case("file:"));
        let odd = text.trim().is_empty()
            || text.len() > LONGEST
            || without_blanks(&text).starts_with(['~', '[', '"', '\''])
            || text.contains('$')
            || text.chars().any(char::is_control)
            || files.iter().any(|file| file.starts_with('~'))
            || !of_file && (text.contains("://") || !files.is_empty())
            // A list of names, or a pattern for some.
            || text.contains([',', ';', '|', '{', '}'])
            || text.contains(['*', '?', '[']) && has_parent_component(&text);
        if odd {
            return None;
        }
        // As a name, an address of a file is mostly in no folder that is there, unless it climbs.
        let named = files.is_empty() || has_parent_component(&text) || could_be_name(cwd, &text);
        let parts: Vec<String> = before_marks(&text).map(str::to_owned).collect();
        for text in named.then_some(text).into_iter().chain(files).chain(parts) {
            let trimmed = without_blanks(&text).to_owned();
            let slashes = [text.replace('\\', "/"), trimmed.replace('\\', "/")];
            found.extend([text, trimmed].into_iter().chain(slashes));
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// The path in front of a place in the file, or of what is wanted of it: `.env#L1`, `.env?raw`. A folder is no such thing.
pub(super) fn before_marks(text: &str) -> impl Iterator<Item = &str> {
    let before = ['#', '?'].into_iter().filter_map(|mark| Some(text.split_once(mark)?.0));
    before.filter(|path| !path.is_empty() && !path.ends_with(['/', '\\']) && !path.contains(['*', '[', '{']))
}

/// A path as it is given, and as a tool may read it: some leave out what is blank around it, a byte order mark too, and look
/// for `~` only then.
pub fn with_and_without_blanks(given: &str) -> impl Iterator<Item = &str> {
    let trimmed = without_blanks(given);
    std::iter::once(given).chain((trimmed != given).then_some(trimmed))
}

fn without_blanks(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}'))
}

/// A text as it is, and with `%41` as what that stands for, as often as there is any.
#[must_use]
pub fn percent_decodings(text: &str) -> Option<Vec<String>> {
    let mut found = vec![text.to_owned()];
    for _ in 0..=DEEPEST {
        let last = found.last()?;
        let decoded = super::url::percent_decode(last);
        if decoded == *last {
            return Some(found);
        }
        if decoded.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        found.push(decoded);
    }
    None
}

/// Whether a part of a path goes up.
#[must_use]
pub fn has_parent_component(text: &str) -> bool {
    text.split(['/', '\\']).any(|part| part.trim() == "..")
}
