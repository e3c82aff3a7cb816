//! Whether an earlier command of the line may have written a file that takes hidden names back in for a search, or one of
//! options that it obeys; and whether such a file of options is the user's own.

use std::path::{Path, PathBuf};

use super::Walker;
use crate::shell::program::{self, CommandFacts};
use crate::shell::{OpenPath, Reach, Touch, TouchedPath, Use};
use crate::{Access, PathAccess, lies_in};

impl Walker<'_> {
    /// What was looked up then says nothing: the search may come by everything.
    pub(super) fn show_hidden_names(&self, known: &mut CommandFacts) {
        self.settle_options_file(known);
        if known.shown_by.is_empty()
            || !self.could_have_made_files()
            || !self.may_have_written(known.shown_by, &known.shown_from)
        {
            return;
        }
        for touch in &mut known.touches {
            if touch.reach == Reach::Shown {
                touch.reach = Reach::All;
                if let TouchedPath::Known(path) = &mut touch.path {
                    *path = path.clone().with_contents();
                }
            }
        }
    }

    /// A file of options that lies in the session's folders is whoever's, and one that the line may have written as well: the
    /// command is no reader, and reads what is named there.
    fn settle_options_file(&self, known: &mut CommandFacts) {
        let Some(file) = known.options_file.take() else { return };
        let files: Vec<PathBuf> =
            program::forms_of(&file).into_iter().chain(program::links_from(&file)).collect();
        let roots = self.at.roots;
        let own = roots.is_empty() || files.iter().any(|form| roots.iter().any(|root| lies_in(form, root)));
        if own || self.could_have_made_files() && self.may_have_written(&[], &files) {
            known.reader = false;
            let given = program::NAMED_BY_GUIDES.to_owned();
            let path =
                OpenPath { given, pieces: vec![None], slashes: true, stays_below: false, looked_up: false };
            known.touches.push(Touch { path: TouchedPath::Open(path), how: Use::Read, reach: Reach::Itself });
        }
    }

    /// Whether a file of one of these names may have been written, wherever it lies, or one of these files.
    fn may_have_written(&self, names: &[String], files: &[PathBuf]) -> bool {
        // Git has some of other names besides.
        let others: &[&str] = if names.is_empty() { &[] } else { &["exclude", "ignore"] };
        let own = || {
            let names = names.iter().map(|name| name.rsplit('/').next().unwrap_or(name));
            names.chain(others.iter().copied())
        };
        let cwd = self.place.folder.known_path();
        // What stands on the way to such a file may be another one now. All that lies around the command is no such thing.
        let on_the_way = |form: &Path| {
            let around = cwd.is_some_and(|cwd| cwd.starts_with(form));
            files.iter().any(|file| file == form || !around && file.starts_with(form))
        };
        let known = |path: &PathAccess| {
            let names_one = |form: &Path| own().any(|name| form.file_name().is_some_and(|of| of == name));
            path.forms().any(|form| names_one(form) || on_the_way(form))
        };
        let touched = |touch: &Touch| match &touch.path {
            _ if !matches!(touch.how, Use::Write(_)) => false,
            TouchedPath::Known(path) => known(path),
            TouchedPath::Open(open) => {
                let end = open.pieces.last().and_then(Option::as_deref).unwrap_or_default();
                let end = end.rsplit('/').next().unwrap_or_default();
                let of_files =
                    files.iter().filter_map(|file| file.file_name().and_then(|name| name.to_str()));
                own().chain(of_files).any(|name| name.ends_with(end))
            }
        };
        self.out.accesses.iter().any(|access| match access {
            Access::Write(_, path) => known(path),
            Access::Shell(shell) => shell.touches.iter().any(touched),
            _ => false,
        })
    }
}
