//! What is on the disk now, for patterns that were compiled before.

use std::path::{Component, Path};

use mayi_call::resolve_path;
use mayi_policy::PathLooks;
use mayi_policy::compiled::{CompiledRules, EntryKind};

/// The disk as it is now.
#[derive(Debug)]
pub(crate) struct OnDisk;

impl PathLooks for OnDisk {
    fn is_linked(&self, folder: &Path) -> bool {
        is_linked(folder)
    }

    fn entry_kind(&self, path: &Path) -> EntryKind {
        entry_kind(path)
    }
}

/// The rules on whose way a link is now, for a session with these roots.
pub(super) fn linked_rules(compiled: &CompiledRules, roots: &[std::path::PathBuf]) -> Vec<u32> {
    compiled.linked_rules(roots, &is_linked, &entry_kind)
}

/// Whether a root is another folder than it is called.
fn is_linked(root: &Path) -> bool {
    let names = |path: &Path| {
        let normal = |part| if let Component::Normal(name) = part { Some(name.to_owned()) } else { None };
        path.components().filter_map(normal).collect::<Vec<_>>()
    };
    // One that can't be looked at leads nowhere, and so does all that is below it.
    !root.is_absolute() || resolve_path(root).is_ok_and(|real| names(&real) != names(root))
}

fn entry_kind(path: &Path) -> EntryKind {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => EntryKind::Link,
        Ok(meta) if meta.is_dir() => EntryKind::Folder,
        _ => EntryKind::Nothing,
    }
}
