//! Where the user's own files are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What counts instead of the environment.
static OF_THE_PROCESS: OnceLock<Option<PathBuf>> = OnceLock::new();

/// From now on the home folder is `home` for all of this process, whatever its environment says; only an absolute one counts. For a
/// process that was started with an environment of others (D5.10), before it looks for anything; the first one stays.
pub fn set_home_folder(home: Option<PathBuf>) {
    let _ = OF_THE_PROCESS.set(home.filter(|home| home.is_absolute()));
}

/// The user's home folder, for `~` in what agents write; only an absolute one counts.
#[must_use]
pub fn home_folder() -> Option<PathBuf> {
    match OF_THE_PROCESS.get() {
        Some(home) => home.clone(),
        None => etcetera::home_dir().ok().filter(|home| home.is_absolute()),
    }
}

/// What stands before the name of a variable that was taken out of the environment of a process of mayi's own, where it is told what
/// a harness's environment says: only to know what programs of the harness's find.
const SAID: &str = "MAYI_HOOK_SAID_";

/// A variable of the environment with which the user tells programs where their settings are: what runs gets the same one.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    #[cfg(test)]
    if let Some((_, value)) =
        told::VARIABLES.with_borrow(|all| all.iter().find(|(own, _)| own == name).cloned())
    {
        return Some(value);
    }
    let told = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    told(name).or_else(|| told(&format!("{SAID}{name}")))
}

/// Whether a folder, links resolved, holds more than a project: "`/`, the home folder and its ancestors are never roots
/// without being named" (D1.27).
#[must_use]
pub fn is_too_wide(folder: &Path) -> bool {
    let home = home_folder().and_then(|home| home.canonicalize().ok());
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}

/// Variables that a test tells, for its own thread.
#[cfg(test)]
pub(crate) mod told {
    use std::cell::RefCell;
    use std::ffi::OsString;

    thread_local! {
        pub(super) static VARIABLES: RefCell<Vec<(String, OsString)>> = const { RefCell::new(Vec::new()) };
    }

    pub(crate) fn set(name: &str, value: impl Into<OsString>) {
        VARIABLES.with_borrow_mut(|all| {
            all.retain(|(own, _)| own != name);
            all.push((name.to_owned(), value.into()));
        });
    }
}
