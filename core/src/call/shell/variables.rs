//! Variables by name: which of them only change how output looks, and which change what later words run.
//! The names are in the table of programs.

use super::{Word, program};

/// What setting a variable means for what runs later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing, if its value is literal.
    Inert,
    /// Other programs or files than the words say.
    Rebinding,
    /// Not known.
    Other,
}

/// Whether setting `name` to `value` changes only how output looks.
pub(super) fn is_inert(name: &str, value: &Word) -> bool {
    // A path stands for a file of messages or times.
    let path = |text: &str| {
        let file = name.starts_with("LC_") || matches!(name, "LANG" | "LANGUAGE" | "TZ" | "TERM");
        let zone = name == "TZ" && !text.starts_with([':', '/', '.']) && !text.contains("..");
        file && !zone && text.contains('/')
    };
    kind(name) == Kind::Inert && value.literal().is_some_and(|text| !path(text))
}

/// Looks a name up. One that is no name of a variable rebinds: it may hold a subscript to evaluate.
pub(super) fn kind(name: &str) -> Kind {
    if !is_name(name) {
        return Kind::Rebinding;
    }
    let (inert, rebinding) = program::variables();
    let named = |of: &String| match of.split_once('*') {
        Some((begin, end)) => name.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end)),
        None => of == name,
    };
    if inert.iter().any(named) {
        return Kind::Inert;
    }
    if rebinding.iter().any(named) { Kind::Rebinding } else { Kind::Other }
}

/// Whether `text` is a variable's name and nothing else.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether `line` speaks of `name` other than by `$name` or `${name}`: it may be set there.
pub(super) fn mentioned(line: &str, name: &str) -> usize {
    let inside = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    line.match_indices(name)
        .filter(|(at, _)| {
            let before = line.get(..*at).unwrap_or_default();
            let after = line.get(at + name.len()..).unwrap_or_default();
            let whole = !inside(before.as_bytes().last()) && !inside(after.as_bytes().first());
            let read = before.ends_with('$') || (before.ends_with("${") && after.starts_with('}'));
            whole && !read
        })
        .count()
}
