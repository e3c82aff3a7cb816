//! Folders that sessions work in besides, put into the user's file.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::{EditError, toml_string};

/// Adds `folders` to a text of the user's file: each for sessions in a workspace, or for all.
///
/// # Errors
/// If the file's layout does not fit.
pub(super) fn with_folders(
    path: &Path,
    text: &str,
    folders: &[(Option<PathBuf>, PathBuf)],
) -> Result<String, EditError> {
    let layout = |what: String| EditError::Layout { path: path.to_owned(), what };
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| layout(error.message().to_owned()))?;
    for (workspace, folder) in folders {
        let table = match workspace {
            None => child(document.as_table_mut(), "workspace", false),
            Some(workspace) => child(document.as_table_mut(), "workspaces", true)
                .and_then(|all| child(all, &workspace.display().to_string(), false)),
        };
        let table = table.ok_or_else(|| layout("`workspace` is not a table".to_owned()))?;
        let list = table.entry("folders").or_insert_with(|| Item::Value(Value::Array(Array::new())));
        let list = list.as_array_mut().ok_or_else(|| layout("`folders` is not a list".to_owned()))?;
        let folder = folder.display().to_string();
        if !list.iter().any(|item| item.as_str() == Some(&folder)) {
            // Escaped as rules are: a name could hide or move something.
            let value: Value = toml_string(&folder).parse().map_err(|_| layout(format!("`{folder}`")))?;
            list.push(value);
        }
    }
    Ok(document.to_string())
}

fn child<'t>(table: &'t mut dyn TableLike, key: &str, implicit: bool) -> Option<&'t mut dyn TableLike> {
    let item = table.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(implicit);
        Item::Table(table)
    });
    item.as_table_like_mut()
}
