//! Files that are written as a whole: a new configuration, and its schema.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{EditError, lock_file, make_folder, write};
use crate::{ConfigErrors, Layer, read, schema_text};
use mayi_call::resolve_path;
use mayi_policy::pattern::PatternBases;

/// Writes `text` as a new file at `path`. One that is there already is in the way unless `force`; it is
/// kept beside the new one then, and its new name is returned. A workspace's file is never written
/// through a link; a user's may be one.
///
/// # Errors
/// If there is a file already, `text` has mistakes, or it can't be written.
pub fn create_file(
    layer: Layer,
    path: &Path,
    places: &PatternBases,
    text: &str,
    force: bool,
) -> Result<Option<PathBuf>, EditError> {
    let failed =
        |what: &'static str| move |error: io::Error| EditError::Io { path: path.to_owned(), what, error };
    if let Err(errors) = read::read(layer, path, text, places) {
        ConfigErrors::ok_if_empty(errors)?;
    }
    let target = match layer {
        Layer::Workspace => path.to_owned(),
        _ => resolve_path(path).map_err(failed("can't be found"))?,
    };
    let folder = target.parent().unwrap_or(Path::new("/"));
    let _lock = match layer {
        // Nothing but the file itself is left in a repository.
        Layer::Workspace => None,
        _ => {
            make_folder(folder).map_err(failed("its folder can't be made"))?;
            Some(lock_file(path, &target)?)
        }
    };
    let backup = make_room(path, &target, force)?;
    put_new(path, &target, folder, text, layer == Layer::Workspace)?;
    Ok(backup)
}

/// Writes `text` as a new file at `path`, never through a link, for a file that is no configuration. One that is there
/// already is in the way unless `force`; it is kept then, as [`create_file`] does it.
///
/// # Errors
/// If there is a file already, or it can't be written.
pub fn create_text(path: &Path, text: &str, force: bool) -> Result<Option<PathBuf>, EditError> {
    let backup = make_room(path, path, force)?;
    put_new(path, path, path.parent().unwrap_or(Path::new("/")), text, true)?;
    Ok(backup)
}

/// Moves aside what is at `target`, if that may be.
fn make_room(path: &Path, target: &Path, force: bool) -> Result<Option<PathBuf>, EditError> {
    let failed =
        |what: &'static str| move |error: io::Error| EditError::Io { path: path.to_owned(), what, error };
    let mut backup = None;
    if target.symlink_metadata().is_ok() {
        if !force {
            return Err(EditError::AlreadyExists { path: path.to_owned() });
        }
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(".bak");
        let kept = target.with_file_name(name);
        std::fs::rename(target, &kept).map_err(failed("can't be kept as a copy"))?;
        backup = Some(kept);
    }
    Ok(backup)
}

/// A new file, all of it or none. `shared`: others may read it.
fn put_new(path: &Path, target: &Path, folder: &Path, text: &str, shared: bool) -> Result<(), EditError> {
    let failed =
        |what: &'static str| move |error: io::Error| EditError::Io { path: path.to_owned(), what, error };
    let mut file = tempfile::Builder::new()
        .prefix(".config-")
        .suffix(".toml")
        .tempfile_in(folder)
        .map_err(failed("can't be written"))?;
    file.write_all(text.as_bytes()).map_err(failed("can't be written"))?;
    #[cfg(unix)]
    if shared {
        use std::os::unix::fs::PermissionsExt;
        // It is for everybody who works there, and holds nothing secret.
        let open = std::fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(open).map_err(failed("can't be written"))?;
    }
    // Elsewhere a file has the rights of its folder.
    #[cfg(not(unix))]
    let _ = shared;
    // Somebody may have been faster.
    match file.persist_noclobber(target) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(EditError::AlreadyExists { path: path.to_owned() })
        }
        Err(error) => Err(failed("can't be written")(error.error)),
    }
}

/// Writes the schema beside a configuration, for editors. What is there is of an older mayi.
///
/// # Errors
/// If it can't be written.
pub fn put_schema(path: &Path) -> Result<(), EditError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let failed =
        |what: &'static str| move |error: io::Error| EditError::Io { path: path.to_owned(), what, error };
    make_folder(folder).map_err(failed("its folder can't be made"))?;
    write(path, folder, &schema_text()).map_err(failed("can't be written"))
}
