//! Rules that are added at the end of the user's file, and folders to work in, after the person has seen the change.

use std::io;
use std::path::{Path, PathBuf};

use super::folders::with_folders;
use super::{EditError, HEADER, check_text, lock_file, make_folder, write};
use crate::{ConfigErrors, Layer, read, secure_read};
use mayi_call::resolve_path;
use mayi_policy::Rule;
use mayi_policy::pattern::PatternBases;

/// A change that was not made yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingChange {
    /// The file as it is; none if there is no file.
    pub old: Option<String>,
    /// The file as it would be.
    pub new: String,
}

/// What the file at `path` would be with `text` at its end, which is told of the rules that are there already, and with `folders`
/// to work in: each for sessions in a workspace, or for all.
///
/// # Errors
/// If the file has mistakes or is not safe, or `text` does not fit its layout.
pub fn preview_append(
    path: &Path,
    places: &PatternBases,
    folders: &[(Option<PathBuf>, PathBuf)],
    text: impl FnOnce(&[Rule]) -> String,
) -> Result<PendingChange, EditError> {
    let failed =
        |what: &'static str| move |error: io::Error| EditError::Io { path: path.to_owned(), what, error };
    let target = resolve_path(path).map_err(failed("can't be found"))?;
    let old = secure_read::read(Layer::User, &target).map_err(ConfigErrors::from)?;
    let before = old.as_deref().unwrap_or(HEADER);
    let file = match read::read(Layer::User, path, before, places) {
        Ok(file) => file,
        Err(errors) => {
            ConfigErrors::ok_if_empty(errors)?;
            return Ok(PendingChange { old: old.clone(), new: before.to_owned() });
        }
    };
    let text = text(&file.rules);
    let mut new = if folders.is_empty() { before.to_owned() } else { with_folders(path, before, folders)? };
    if !text.is_empty() {
        new.truncate(new.trim_end().len());
        new.push_str("\n\n");
        new.push_str(&text);
    }
    if before.contains("\r\n") {
        new = new.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    // `rule = [...]` on one line can't be added to in this way.
    check_text(path, &new, places).map_err(|errors| EditError::Layout {
        path: path.to_owned(),
        what: errors.all().first().map(crate::ConfigError::one_line).unwrap_or_default(),
    })?;
    Ok(PendingChange { old, new })
}

/// Makes the change that was shown; not if the file is another one by now.
///
/// # Errors
/// If it has changed meanwhile, or can't be written.
pub fn apply_append(path: &Path, change: &PendingChange) -> Result<(), EditError> {
    let failed =
        |what: &'static str| move |error: io::Error| EditError::Io { path: path.to_owned(), what, error };
    let target = resolve_path(path).map_err(failed("can't be found"))?;
    let folder = target.parent().unwrap_or(Path::new("/"));
    make_folder(folder).map_err(failed("its folder can't be made"))?;
    let _lock = lock_file(path, &target)?;
    let now = secure_read::read(Layer::User, &target).map_err(ConfigErrors::from)?;
    if now != change.old {
        return Err(EditError::Busy { path: path.to_owned() });
    }
    write(&target, folder, &change.new).map_err(failed("can't be written"))
}
