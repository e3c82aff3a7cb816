//! Variables by name: which of them only change how output looks, and which change what later words run.
//! The names are in the table of programs.

use super::program;

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

/// Looks a name up. One that is no name of a variable rebinds: it may hold a subscript to evaluate.
pub(super) fn kind(name: &str) -> Kind {
    if !is_name(name) {
        return Kind::Rebinding;
    }
    let (inert, rebinding) = program::variables();
    let named = |of: &String| match of.strip_suffix('*') {
        Some(family) => name.starts_with(family),
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
