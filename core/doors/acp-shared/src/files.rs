//! `fs/read_text_file` and `fs/write_text_file`: the calls that they are, and files as they are opened for them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use crate::{adapt, side_door};
use mayi_core::call::{Access, Call, Diff, Door, PathAccess};
use mayi_core::gate::Session;

/// The largest text that a diff is made of.
const LARGEST_SHOWN: u64 = 1024 * 1024;

/// The call that reading `path` is.
#[must_use]
pub fn read_call(session: &Session, path: &str, params: &Value) -> Call {
    let access = adapt::file_access(&session.cwd, path, false);
    side_door::side_door_call(session, Door::AcpFs, format!("Read {path}"), params.clone(), vec![access])
}

/// The call that writing `content` to `path` is.
#[must_use]
pub fn write_call(session: &Session, path: &str, content: String) -> Call {
    let access = adapt::file_access(&session.cwd, path, true);
    let mut call = side_door::side_door_call(
        session,
        Door::AcpFs,
        format!("Write {path}"),
        json!({"path": path}),
        vec![access],
    );
    // The card shows what changes: the text that is there now is the old one.
    let written = match call.accesses.first() {
        Some(Access::Write(_, path)) => current_text(path),
        _ => Ok(None),
    };
    let old_text = match written {
        Ok(text) => text,
        Err(why) => {
            call.not_shown.push(format!("what is in {path} now: {why}"));
            None
        }
    };
    call.diffs.push(Diff { path: path.to_owned(), old_text, new_text: content });
    call
}

/// The text that is there now, if there is a file. Only a plain file is opened for it, and only as
/// much is read as a person would look at.
pub(crate) fn current_text(path: &PathAccess) -> Result<Option<String>, &'static str> {
    if path.unresolved.is_some() {
        return Err("it is not known where the path leads");
    }
    match std::fs::symlink_metadata(&path.resolved) {
        Err(_) => return Ok(None),
        Ok(meta) if !meta.is_file() => return Err("it is not a file"),
        Ok(meta) if meta.len() > LARGEST_SHOWN => return Err("it is larger than a person would look at"),
        Ok(_) => {}
    }
    let mut text = String::new();
    let file = open(&path.resolved, Purpose::Read).map_err(|_| "it can't be read")?;
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err("it is not a file");
    }
    file.take(LARGEST_SHOWN).read_to_string(&mut text).map_err(|_| "it is not UTF-8 text")?;
    Ok(Some(text))
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// To read it.
    Read,
    /// To write it, and make it if it is not there.
    Write,
}

/// Opens exactly this path: no link is followed, and a pipe is not waited for.
///
/// # Errors
/// If it can't be opened so.
#[cfg(target_os = "linux")]
pub fn open(path: &Path, purpose: Purpose) -> std::io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = match purpose {
        Purpose::Read => OFlags::RDONLY,
        Purpose::Write => OFlags::WRONLY | OFlags::CREATE,
    } | OFlags::NONBLOCK
        | OFlags::CLOEXEC
        | OFlags::NOFOLLOW;
    let mode = if matches!(purpose, Purpose::Write) { Mode::from_raw_mode(0o666) } else { Mode::empty() };
    let fd = openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS)?;
    Ok(File::from(fd))
}

/// Opens this path if it still leads where it was judged to lead: no link at its end is followed, and a pipe is not waited for.
///
/// # Errors
/// If it can't be opened so.
#[cfg(not(target_os = "linux"))]
pub fn open(path: &Path, purpose: Purpose) -> std::io::Result<File> {
    open_checked(path, purpose)
}

/// What there is where a system can't be told to follow no link on the way: the way is looked at before and after.
#[cfg(any(test, not(target_os = "linux")))]
fn open_checked(path: &Path, purpose: Purpose) -> std::io::Result<File> {
    let check_way = || match mayi_core::call::resolve_path(path)? == path {
        true => Ok(()),
        false => Err(std::io::Error::other("the path has changed since the call was judged")),
    };
    let mut options = std::fs::OpenOptions::new();
    match purpose {
        Purpose::Read => options.read(true),
        Purpose::Write => options.write(true).create(true).truncate(false),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    check_way()?;
    let file = options.open(path)?;
    check_way()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D1.17: the file opened is the file judged, under random links. Attack 26.
    #[cfg(unix)]
    #[test]
    fn given_a_link_put_in_place_after_judging_then_it_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        std::fs::write(root.join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("secret"), root.join("d/f")).unwrap();
        std::os::unix::fs::symlink(root.join("d"), root.join("e")).unwrap();
        let ways: [fn(&Path, Purpose) -> std::io::Result<File>; 2] = [open, open_checked];
        for open in ways {
            assert!(open(&root.join("d/f"), Purpose::Read).is_err());
            assert!(open(&root.join("e/g"), Purpose::Write).is_err());
            assert!(!root.join("d/g").exists());
            assert!(open(&root.join("d/g"), Purpose::Write).is_ok());
            std::fs::remove_file(root.join("d/g")).unwrap();
        }
    }
}
