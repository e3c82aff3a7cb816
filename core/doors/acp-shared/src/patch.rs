//! Diffs of version 2: changes, and the patch in git's form that says what they are.

use serde_json::Value;

use crate::input;
use mayi_core::call::WriteKind;

/// A change to files.
pub(crate) enum DiffChange {
    /// One file.
    Single(WriteKind, String),
    /// A file that is copied.
    Copied {
        /// From here.
        from: String,
        /// To there.
        to: String,
    },
}

impl DiffChange {
    /// Whether it is about a file that a patch names, from the top of some folder.
    pub(crate) fn names_path(&self, path: &str) -> bool {
        let is = |known: &String| {
            known == path || known.strip_suffix(path).is_some_and(|folder| folder.ends_with('/'))
        };
        match self {
            Self::Single(_, known) => is(known),
            Self::Copied { from, to } => is(from) || is(to),
        }
    }
}

/// What a diff lists. What can't be understood is said.
pub(crate) fn read_changes(item: &Value, not_shown: &mut Vec<String>) -> Vec<DiffChange> {
    let mut found = Vec::new();
    let items = match item.get("changes") {
        None | Some(Value::Null) => &Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => {
            not_shown.push("changes that are no list".to_owned());
            return found;
        }
    };
    for change in items {
        let (path, old) = (input::non_empty_text(change, "path"), input::non_empty_text(change, "oldPath"));
        let operation = input::non_empty_text(change, "operation").unwrap_or_default();
        let kind = match operation.as_str() {
            "add" => WriteKind::Create,
            "delete" => WriteKind::Delete,
            "modify" => WriteKind::Edit,
            "move" => WriteKind::Move,
            "copy" => {
                if let (Some(from), Some(to)) = (&old, &path) {
                    found.push(DiffChange::Copied { from: from.clone(), to: to.clone() });
                    continue;
                }
                WriteKind::Write
            }
            _ => {
                not_shown.push("a change that is not understood".to_owned());
                WriteKind::Write
            }
        };
        if path.is_none() || (old.is_none() && matches!(kind, WriteKind::Move)) {
            not_shown.push("a change without a path".to_owned());
        }
        if let Some(kind @ ("symlink" | "directory")) = change.get("fileType").and_then(Value::as_str) {
            not_shown.push(format!("a change to a {kind}"));
        }
        found.extend(old.into_iter().chain(path).map(|path| DiffChange::Single(kind, path)));
    }
    found
}

/// The patch of a diff.
pub(crate) fn read_patch_text(item: &Value, not_shown: &mut Vec<String>) -> Option<String> {
    let patch = item.get("patch").filter(|patch| !patch.is_null())?;
    let text = input::non_empty_text(patch, "text");
    if patch.get("format").and_then(Value::as_str) != Some("git_patch") || text.is_none() {
        not_shown.push("a patch in a form that is not known".to_owned());
    }
    text
}

/// The files that a patch is about, as it names them, and what becomes of each. Lines of hunks are no headers, whatever they begin
/// with.
pub(crate) fn patched_files(patch: &str) -> Vec<(WriteKind, String)> {
    let mut found: Vec<(WriteKind, String)> = Vec::new();
    let (mut old, mut new) = (0_u64, 0_u64);
    let mut push = |kind, path: &str| {
        let path = path.split('\t').next().unwrap_or_default().trim_end_matches('\r');
        let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path).to_owned();
        if path != "/dev/null" && !path.is_empty() && !found.iter().any(|(_, known)| *known == path) {
            found.push((kind, path));
        }
    };
    for line in patch.lines() {
        if old > 0 || new > 0 {
            match line.as_bytes().first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            continue;
        }
        if let Some(range) = line.strip_prefix("@@ ") {
            (old, new) = hunk_line_counts(range);
        } else if let Some(path) = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")) {
            push(WriteKind::Edit, path);
        } else if let Some(path) =
            line.strip_prefix("rename from ").or_else(|| line.strip_prefix("rename to "))
        {
            push(WriteKind::Move, path);
        } else if let Some(path) = line.strip_prefix("copy to ") {
            push(WriteKind::Create, path);
        }
    }
    found
}

/// How many lines of the old and of the new text a hunk has: `-1,5 +1,6 @@`.
fn hunk_line_counts(range: &str) -> (u64, u64) {
    let mut counts = range.split(' ').take(2).map(|part| {
        let lines = part.split_once(',').map(|(_, lines)| lines.parse().unwrap_or(1));
        lines.unwrap_or(1)
    });
    (counts.next().unwrap_or(0), counts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn given_a_patch_then_its_files_are_found_and_lines_of_hunks_are_none() {
        let patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/within\n same\n+++ b/within\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\nrename from o\nrename to n\n";
        let paths: Vec<String> = patched_files(patch).into_iter().map(|(_, path)| path).collect();
        assert_eq!(paths, ["x", "y", "o", "n"]);
    }

    #[test]
    fn given_changes_then_each_file_counts_and_what_is_not_understood_is_said() {
        let mut said = Vec::new();
        let item = json!({"changes": [
            {"operation": "add", "path": "/w/a"}, {"operation": "move", "oldPath": "/w/b", "path": "/w/c"},
            {"operation": "copy", "oldPath": "/w/d", "path": "/w/e"}, {"operation": "_new", "path": "/w/f"}, {"operation": "delete"},
        ]});
        let found = read_changes(&item, &mut said);
        assert_eq!(found.len(), 5);
        assert_eq!(said, ["a change that is not understood", "a change without a path"]);
        assert!(found[0].names_path("a") && !found[0].names_path("w") && !found[0].names_path("xa"));
    }
}
