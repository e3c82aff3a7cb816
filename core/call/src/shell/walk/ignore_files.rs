//! Whether an earlier command of the line may have written a file that takes hidden names back in for a search.

use std::path::Path;

use super::Walker;
use crate::shell::program::CommandFacts;
use crate::shell::{Reach, Touch, TouchedPath, Use};
use crate::{Access, PathAccess};

impl Walker<'_> {
    /// What was looked up then says nothing: the search may come by everything.
    pub(super) fn show_hidden_names(&self, known: &mut CommandFacts) {
        if known.shown_by.is_empty()
            || !self.could_have_made_files()
            || !self.may_have_written(known.shown_by)
        {
            return;
        }
        for touch in &mut known.touches {
            if touch.reach == Reach::Shown {
                touch.reach = Reach::All;
            }
        }
    }

    /// Whether a file of one of these names may have been written.
    fn may_have_written(&self, names: &[String]) -> bool {
        // Git has some of other names besides.
        let others = ["exclude", "ignore"];
        let own = || names.iter().map(|name| name.rsplit('/').next().unwrap_or(name)).chain(others);
        let known = |path: &PathAccess| {
            let names_one = |form: &Path| own().any(|name| form.file_name().is_some_and(|of| of == name));
            path.forms().any(names_one)
        };
        let touched = |touch: &Touch| match &touch.path {
            _ if !matches!(touch.how, Use::Write(_)) => false,
            TouchedPath::Known(path) => known(path),
            TouchedPath::Open(open) => {
                let end = open.pieces.last().and_then(Option::as_deref).unwrap_or_default();
                let end = end.rsplit('/').next().unwrap_or_default();
                own().any(|name| name.ends_with(end))
            }
        };
        self.out.accesses.iter().any(|access| match access {
            Access::Write(_, path) => known(path),
            Access::Shell(shell) => shell.touches.iter().any(touched),
            _ => false,
        })
    }
}
