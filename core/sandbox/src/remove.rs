//! Deleting what confined commands have made: it may be as deep as it likes, and without rights.

use std::fs;
use std::io;
use std::path::Path;

/// Deletes a folder with all that is in it. Each folder in it comes to the top before it is emptied, so that no path is long and
/// nothing calls itself. Links are not followed.
///
/// # Errors
/// The first of the system's: then something is left.
pub fn delete_folder(top: &Path) -> io::Result<()> {
    open_up(top)?;
    let mut number = 0_u64;
    loop {
        let mut none = true;
        for entry in fs::read_dir(top)? {
            none = false;
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                fs::remove_file(entry.path())?;
                continue;
            }
            open_up(&entry.path())?;
            for inner in fs::read_dir(entry.path())? {
                let inner = inner?;
                if !inner.file_type()?.is_dir() {
                    fs::remove_file(inner.path())?;
                    continue;
                }
                open_up(&inner.path())?;
                let mut names = std::iter::repeat_with(|| {
                    number += 1;
                    top.join(format!(".{number}"))
                });
                let free = names.find(|path| fs::symlink_metadata(path).is_err());
                fs::rename(inner.path(), free.ok_or(io::ErrorKind::AlreadyExists)?)?;
            }
            fs::remove_dir(entry.path())?;
        }
        if none {
            return fs::remove_dir(top);
        }
    }
}

/// Gives this user all rights to a folder of its own.
fn open_up(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if fs::symlink_metadata(folder)?.permissions().mode() & 0o700 != 0o700 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    let _ = folder;
    Ok(())
}
