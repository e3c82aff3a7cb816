//! Protection by where a path lies, whatever its name.

use std::path::{Path, PathBuf};

use super::catastrophe::is_disk;
use super::table::{ALIASES, EMPTY_DEVICES, MACHINE, MACOS_ALIASES};
use crate::Effect;
use crate::fold::fold_text;
use crate::pattern::could_stay_at;
use mayi_call::shell::OpenPath;
use mayi_call::{PathAccess, lies_in};

/// Something that speaks against a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathObjection {
    pub(crate) effect: Effect,
    pub(crate) always: bool,
    pub(crate) reason: String,
}

fn ask_objection(always: bool, reason: impl Into<String>) -> Option<PathObjection> {
    Some(PathObjection { effect: Effect::Ask, always, reason: reason.into() })
}

const OUTSIDE: &str = "outside of the session's folders";

/// What a path stands for is not certain: asked about under every policy, also without protection.
pub(crate) fn doubtful_path(path: &PathAccess) -> Option<PathObjection> {
    if let Some(why) = &path.unresolved {
        return ask_objection(true, format!("the path could not be followed: {why}"));
    }
    alias_path(path)
}

/// `/proc`, `/dev/fd` and the like. Those of macOS count everywhere: elsewhere nothing is there.
pub(crate) fn alias_path(path: &PathAccess) -> Option<PathObjection> {
    let is = |form: &Path| {
        let folded = fold_text(form.to_str().unwrap_or_default());
        let folded = Path::new(&*folded);
        ALIASES.iter().any(|at| lies_in(form, Path::new(at)))
            || MACOS_ALIASES.iter().any(|at| lies_in(folded, Path::new(at)))
    };
    let machine = |form: &Path| MACHINE.iter().any(|of| form.as_os_str() == *of);
    if path.forms().any(is) && !path.forms().all(machine) { alias_objection() } else { None }
}

fn alias_objection() -> Option<PathObjection> {
    ask_objection(true, "a name for something else (/proc, /dev/fd and the like)")
}

/// The same of a path of which only some text is known: what is known of it leads there, or its globs could. `itself`: all that is
/// below it counts, and not what the path is.
pub(crate) fn open_alias(open: &OpenPath, itself: bool) -> Option<PathObjection> {
    let known = open.pieces.first()?.as_deref().filter(|text| text.starts_with('/'))?;
    // What the shell itself puts there for `<(command)`.
    if open.given.starts_with(['<', '>']) && matches!(open.pieces.as_slice(), [Some(_), None]) {
        return None;
    }
    let folder = fold_text(known.rsplit_once('/').map_or("", |(folder, _)| folder));
    let mut aliases = ALIASES.iter().chain(MACOS_ALIASES);
    let is = aliases.any(|at| lies_in(Path::new(&*folder), Path::new(at)) || could_stay_at(open, at, itself));
    if is { alias_objection() } else { None }
}

/// What speaks against changing `path`.
pub(super) fn write_objection(path: &PathAccess, roots: &[PathBuf]) -> Option<PathObjection> {
    if path.forms().any(is_disk) {
        let reason = "this would destroy what is on a disk".to_owned();
        return Some(PathObjection { effect: Effect::Deny, always: false, reason });
    }
    if empty_device(path) {
        return None;
    }
    if path.hard_linked {
        return ask_objection(true, "the file has another name (a hard link), which would change too");
    }
    if !path.is_within(roots) {
        return ask_objection(!path.private_temporary, OUTSIDE);
    }
    if path.on_another_device(roots) {
        return ask_objection(true, "on another device than the session's folder");
    }
    None
}

/// What speaks against reading `path`.
pub(super) fn read(path: &PathAccess, roots: &[PathBuf], readable: &[PathBuf]) -> Option<PathObjection> {
    let may = path.forms().all(|form| {
        roots.iter().any(|root| lies_in(form, root)) || readable.iter().any(|folder| lies_in(form, folder))
    });
    if may || empty_device(path) { None } else { ask_objection(false, OUTSIDE) }
}

fn empty_device(path: &PathAccess) -> bool {
    path.forms().all(|form| EMPTY_DEVICES.iter().any(|device| form.as_os_str() == *device))
}
