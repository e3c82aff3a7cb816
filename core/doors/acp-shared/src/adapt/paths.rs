//! Every file that a path of a tool's input could be.

use std::path::{Path, PathBuf};

use mayi_core::call::{PathAccess, with_and_without_blanks};

use super::CallBuilder;

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

    /// Where its commands may run.
    pub(super) fn run_folders(&self) -> Vec<PathBuf> {
        if self.elsewhere.is_empty() { vec![self.cwd.clone()] } else { self.elsewhere.clone() }
    }

    /// Every file that `given` could be: from each folder, in the home folder where it begins with `~`, with what is blank around
    /// it and without.
    pub(super) fn path_candidates(&mut self, given: &str) -> Vec<PathAccess> {
        let mut found = Vec::new();
        for given in with_and_without_blanks(given) {
            found.push(self.path(given));
            if !Path::new(given).is_absolute() {
                found.extend(self.elsewhere.iter().map(|other| PathAccess::new(other, given)));
            }
            let below = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let (Some(rest), Some(home)) = (below, &self.home) {
                found.push(PathAccess::new(home, &format!("{}{rest}", home.display())));
            }
        }
        found
    }
}
