//! An access in the forms that patterns look at.

use std::cell::OnceCell;
use std::path::PathBuf;

use super::{path, shell};
use mayi_call::Access;

/// Worked out when a pattern first needs it.
#[derive(Debug)]
pub(crate) struct AccessForms<'a> {
    pub(crate) access: &'a Access,
    pub(crate) roots: &'a [PathBuf],
    path: OnceCell<Option<path::PathForms<'a>>>,
    shell: OnceCell<Option<shell::CommandForms<'a>>>,
}

impl<'a> AccessForms<'a> {
    pub(crate) fn new(access: &'a Access, roots: &'a [PathBuf]) -> Self {
        Self { access, roots, path: OnceCell::new(), shell: OnceCell::new() }
    }

    pub(crate) fn path(&self) -> Option<&path::PathForms<'a>> {
        let (access, roots) = (self.access, self.roots);
        self.path
            .get_or_init(|| match access {
                Access::Read(path) | Access::Write(_, path) => Some(path::PathForms::new(path, roots)),
                _ => None,
            })
            .as_ref()
    }

    pub(crate) fn shell(&self) -> Option<&shell::CommandForms<'a>> {
        let access = self.access;
        self.shell
            .get_or_init(|| match access {
                Access::Shell(shell) => Some(shell::CommandForms::new(shell)),
                _ => None,
            })
            .as_ref()
    }
}
