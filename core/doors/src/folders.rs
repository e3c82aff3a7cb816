//! Folders, as every door looks at them: where a session works, where a command runs, where a search's patterns lead.

use std::path::{Path, PathBuf};

use mayi_core::call::{Caveat, PathAccess, shell::CaveatSubject};
use mayi_core::gate::Session;

/// Why a command is asked about for the folder it runs in: outside of the session's folders, the same
/// words may do something else.
#[must_use]
pub fn folder_caveat(session: &Session, cwd: &Path) -> Option<Caveat> {
    let at = PathAccess::new(&session.cwd, &cwd.to_string_lossy());
    (at.unresolved.is_some() || !at.is_within(&session.roots)).then(|| Caveat {
        reason: format!("it runs in {}, outside of the session's folders", cwd.display()),
        always: true,
        named: CaveatSubject::Nothing,
    })
}

/// The folders of a session in both forms: as they are written, and where links lead.
#[must_use]
pub fn session_roots(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for folder in folders {
        for form in [Some(folder.clone()), folder.canonicalize().ok()].into_iter().flatten() {
            if !roots.contains(&form) {
                roots.push(form);
            }
        }
    }
    roots
}

/// The folder that a search's pattern leads to: what stands before its first wildcard, where it is a path that leaves the
/// working folder. (A pattern for texts may begin with a slash too; then nothing of that name exists.)
#[must_use]
pub fn leads_to(pattern: &str) -> Option<String> {
    let literal = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    let folder = literal.rsplit_once('/').map(|(folder, _)| folder)?;
    let first = literal.trim_start_matches('/').split('/').next().unwrap_or_default();
    let there = literal.starts_with('/') && Path::new("/").join(first).exists();
    let up = literal.split('/').any(|part| part == "..");
    (there || up || literal.starts_with("~/"))
        .then(|| if folder.is_empty() { "/".to_owned() } else { folder.to_owned() })
}
