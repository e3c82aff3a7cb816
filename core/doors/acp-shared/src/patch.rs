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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
