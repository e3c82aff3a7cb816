//! Patterns for what was just done: the same, and what an answer for the session covers.

use std::path::{Path, PathBuf};

use crate::{Pattern, PatternError};
use mayi_call::{Access, PathAccess, Selector, WriteKind};

/// What "Allow for this session" covers (D6.9): for mcp the server and tool with
/// any arguments; for shell these exact words; for write this path; for read its folder, which means the
/// names that lie directly in it and are not hidden, within the session's folders and outside of them; for
/// fetch its host. Nothing for mode switches, lines that were not understood, uncertain names and tools
/// whose input is not understood: there, exactly the same call is covered, and no more.
///
/// # Errors
/// If a path can't be written as a pattern.
pub fn session_pattern(
    access: &Access,
    roots: &[PathBuf],
    home: Option<&Path>,
) -> Result<Option<Pattern>, PatternError> {
    match access {
        Access::Read(path) => match grantable_folder(path, roots, home) {
            Some(folder) => Pattern::names_in(Selector::Read, folder).map(Some),
            None => exact_pattern(access),
        },
        Access::Tool { .. } => Ok(None),
        _ => exact_pattern(access),
    }
}

/// The folder that one answer may be about, if there is one: never the top of the file system, the home
/// folder, or what lies above that or above a root.
fn grantable_folder<'a>(path: &'a PathAccess, roots: &[PathBuf], home: Option<&Path>) -> Option<&'a Path> {
    let of = |form: &'a Path| if path.folder { Some(form) } else { form.parent() };
    let too_wide = |folder: &Path| {
        folder.parent().is_none()
            || home.is_some_and(|home| home.starts_with(folder))
            || roots.iter().any(|root| root.starts_with(folder) && root != folder)
    };
    let narrow = path.forms().all(|form| of(form).is_some_and(|folder| !too_wide(folder)));
    of(&path.lexical).filter(|_| narrow)
}

/// What was done, exactly: names a written ask about it, where [`session_pattern`] is wider.
///
/// # Errors
/// If a path can't be written as a pattern.
pub fn naming_pattern(access: &Access) -> Result<Option<Pattern>, PatternError> {
    match access {
        Access::Write(kind, path) => {
            Pattern::exact_path(Selector::Write(*kind), &path.lexical, false).map(Some)
        }
        Access::Read(path) => Pattern::exact_path(Selector::Read, &path.lexical, false).map(Some),
        _ => Ok(None),
    }
}

/// A pattern for this and nothing wider; none where there is no such pattern.
///
/// # Errors
/// If a path can't be written as a pattern.
pub fn exact_pattern(access: &Access) -> Result<Option<Pattern>, PatternError> {
    let parse = |text: String| Pattern::parse(&text, &crate::pattern::PatternBases::default()).map(Some);
    match access {
        Access::Read(path) => Pattern::exact_path(Selector::Read, &path.lexical, false).map(Some),
        Access::Write(_, path) => {
            Pattern::exact_path(Selector::Write(WriteKind::Write), &path.lexical, false).map(Some)
        }
        Access::Shell(shell) => Ok(Pattern::exact_command(shell)),
        Access::Mode { .. } => Ok(None),
        Access::Fetch(url) if url.port.is_none() => parse(format!("fetch({})", url.host)),
        Access::Fetch(url) => {
            parse(format!("fetch({}://{}:{}/*)", url.scheme, url.host, url.port.unwrap_or_default()))
        }
        Access::Mcp(mcp) => match mcp.unique_reading() {
            Some((server, tool)) => parse(format!(
                "mcp({}/{})",
                crate::pattern::escape_glob(server),
                crate::pattern::escape_glob(tool)
            )),
            None => Ok(None),
        },
        Access::Tool { name, .. } => parse(format!("tool({})", crate::pattern::escape_glob(name))),
    }
}

#[cfg(test)]
mod tests;
