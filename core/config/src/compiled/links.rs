//! What is on the disk now, for patterns that were compiled before.

use std::path::{Component, Path};

use mayi_call::resolve;
use mayi_policy::compiled::{Compiled, There};

/// The rules on whose way a link is now, for a session with these roots.
pub(super) fn linked(compiled: &Compiled, roots: &[std::path::PathBuf]) -> Vec<u32> {
    compiled.linked(roots, &is_linked, &there)
}

/// Whether a root is another folder than it is called.
fn is_linked(root: &Path) -> bool {
    let names = |path: &Path| {
        let normal = |part| if let Component::Normal(name) = part { Some(name.to_owned()) } else { None };
        path.components().filter_map(normal).collect::<Vec<_>>()
    };
    // One that can't be looked at leads nowhere, and so does all that is below it.
    !root.is_absolute() || resolve(root).is_ok_and(|real| names(&real) != names(root))
}

fn there(path: &Path) -> There {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => There::Link,
        Ok(meta) if meta.is_dir() => There::Folder,
        _ => There::Nothing,
    }
}
