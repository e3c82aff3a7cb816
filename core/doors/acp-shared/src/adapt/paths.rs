//! Every file that a path of a tool's input could be.

use std::path::{Path, PathBuf};

use mayi_core::call::{PathAccess, file_paths, with_and_without_blanks};

use super::{CallBuilder, MOST};

impl CallBuilder {
    /// Looked up once for each call: the same path stands in several places of a request.
    pub(super) fn path(&mut self, given: &str) -> PathAccess {
        if let Some(known) = self.paths.get(given) {
            return known.clone();
        }
        let path = PathAccess::new(&self.cwd, given);
        self.paths.insert(given.to_owned(), path.clone());
        path
    }

    /// Where its commands may run: in each folder that is named, and in the session's own, since nobody knows which key an agent
    /// reads.
    pub(super) fn run_folders(&self) -> Vec<PathBuf> {
        let here = (self.own || self.elsewhere.is_empty()).then_some(&self.cwd);
        self.elsewhere.iter().chain(here).cloned().collect()
    }

    /// Every file that `given` could be: from each folder, in the home folder where it begins with `~`, with what is blank around
    /// it and without.
    pub(super) fn path_candidates(&mut self, given: &str) -> Vec<PathAccess> {
        let mut found = Vec::new();
        // What is too much is not looked at to its end.
        if self.accesses.len() > MOST {
            return found;
        }
        for given in with_and_without_blanks(given) {
            found.push(self.path(given));
            if !Path::new(given).is_absolute() {
                // A folder itself is not looked for below itself.
                let others = self.elsewhere.iter().filter(|other| **other != self.cwd.join(given));
                found.extend(others.map(|other| PathAccess::new(other, given)));
            }
            found.extend(file_paths(given).iter().map(|file| PathAccess::new(&self.cwd, file)));
            let below = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let (Some(rest), Some(home)) = (below, &self.home) {
                found.push(PathAccess::new(home, &format!("{}{rest}", home.display())));
            }
        }
        found
    }
}
