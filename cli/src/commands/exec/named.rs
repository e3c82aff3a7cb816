//! What a command names that may be read.

use std::path::PathBuf;

use mayi_core::call::shell::{Reach, TouchedPath};
use mayi_core::call::{Access, Call, home_folder};

/// The places that a call names plainly, of which it is decided that they may be read; none where one of them is a home folder, or
/// has one in it: that is more than what a command with a network may read.
pub(super) fn named_places(call: &Call) -> Option<Vec<PathBuf>> {
    let mut named = Vec::new();
    for access in &call.accesses {
        match access {
            Access::Read(path) => named.push(path.resolved.clone()),
            Access::Shell(shell) => {
                named.extend(shell.touches.iter().filter_map(|touch| match &touch.path {
                    TouchedPath::Known(path) if !matches!(touch.reach, Reach::Mentioned | Reach::Said) => {
                        Some(path.resolved.clone())
                    }
                    _ => None,
                }))
            }
            _ => {}
        }
    }
    let home = home_folder();
    let holds_home = |place: &PathBuf| home.as_ref().is_some_and(|home| home.starts_with(place));
    (!named.iter().any(holds_home)).then_some(named)
}
