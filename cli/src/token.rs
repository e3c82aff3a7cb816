//! The tokens that clients of mayi's listeners send: each in a file that only the user can read.

use std::path::{Path, PathBuf};

use crate::error::CliError;

/// The file `name` of a token of mayi's own: the same from one start to the next, as what clients are told of it.
///
/// # Errors
/// If mayi's own folder can't be made.
pub(crate) fn own_file(data: &Path, name: &str) -> Result<PathBuf, CliError> {
    let trouble = |error| CliError::usage(format!("the folder {} can't be made: {error}", data.display()));
    let mut folder = std::fs::DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(data).map_err(trouble)?;
    Ok(data.join(name))
}

/// The token in the file; made, if there is none.
///
/// # Errors
/// If it can't be read or made, or others could read it.
pub(crate) fn read_or_create_token(path: &Path) -> Result<String, CliError> {
    let trouble = |what: String| CliError::usage(format!("the token file {}: {what}", path.display()));
    match std::fs::read_to_string(path) {
        Ok(text) => {
            check_owner_only(path).map_err(trouble)?;
            let token = text.trim().to_owned();
            let fits = token.len() >= 16 && token.bytes().all(|byte| byte.is_ascii_graphic());
            if fits {
                Ok(token)
            } else {
                Err(trouble("a token has at least 16 characters, on one line".to_owned()))
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let token = mayi_mcp::new_token().map_err(CliError::internal)?;
            write_new(path, &token).map_err(|error| trouble(error.to_string()))?;
            // Another process may have been quicker: then its token is the one that clients read.
            Ok(std::fs::read_to_string(path).map_or(token, |text| text.trim().to_owned()))
        }
        Err(error) => Err(trouble(error.to_string())),
    }
}

#[cfg(unix)]
fn check_owner_only(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if metadata.mode() & 0o077 != 0 {
        return Err("others can read it: chmod 600 it".to_owned());
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner_only(_: &Path) -> Result<(), String> {
    Ok(())
}

/// Writes the token as a whole, to a file that is not there yet and that only the user can read.
fn write_new(path: &Path, token: &str) -> std::io::Result<()> {
    use std::io::Write;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or_else(|| Path::new(".")))?;
    writeln!(file, "{token}")?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}
