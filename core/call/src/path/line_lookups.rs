//! What was looked up while one line is read: it has many words, most of which are names in the same folder, and many commands,
//! each of which could have thousands of names gone through.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{LookupBudget, PathAccess};
use crate::shell::ShownNames;

/// As many are kept: lines go to few folders.
const MOST: usize = 16;

/// Working folders, each looked up once, and how many names were looked at.
#[derive(Debug, Default)]
pub(crate) struct LineLookups {
    folders: RefCell<Vec<(PathBuf, Rc<PathAccess>)>>,
    names: Rc<Cell<usize>>,
    walked: Rc<Cell<usize>>,
    hidden: RefCell<Vec<(HiddenKey, HiddenFound)>>,
}

/// A folder that is searched, and how.
type HiddenKey = (PathBuf, String);

/// What it shows; none where that can't be told.
type HiddenFound = Option<Rc<ShownNames>>;

impl LineLookups {
    /// For one command, of what is left for the line.
    pub(crate) fn budget(&self) -> LookupBudget {
        LookupBudget::of_line(Rc::clone(&self.names))
    }

    /// The same for what would spare somebody a question.
    pub(crate) fn brief_budget(&self) -> LookupBudget {
        LookupBudget::brief_of_line(Rc::clone(&self.names))
    }

    /// For what a search goes through, of what is left for all those of the line.
    pub(crate) fn walk_budget(&self) -> LookupBudget {
        LookupBudget::walk_of_line(Rc::clone(&self.walked))
    }

    /// What a search of a folder shows of hidden names, looked up once: a command is read in several ways.
    pub(crate) fn hidden_names(
        &self,
        key: HiddenKey,
        look: impl FnOnce(&mut LookupBudget) -> Option<ShownNames>,
    ) -> HiddenFound {
        let mut hidden = self.hidden.borrow_mut();
        if let Some((_, found)) = hidden.iter().find(|(of, _)| *of == key) {
            return found.clone();
        }
        let found = look(&mut self.walk_budget()).map(Rc::new);
        hidden.push((key, found.clone()));
        found
    }

    /// The folder itself.
    pub(crate) fn working_folder(&self, cwd: &Path) -> Rc<PathAccess> {
        let mut folders = self.folders.borrow_mut();
        if let Some((_, found)) = folders.iter().find(|(at, _)| at == cwd) {
            return Rc::clone(found);
        }
        let found = Rc::new(PathAccess::new(cwd, "."));
        if folders.len() < MOST {
            folders.push((cwd.to_owned(), Rc::clone(&found)));
        }
        found
    }

    /// Where the kernel would reach it, unless it can't be told.
    pub(crate) fn resolved_folder(&self, cwd: &Path) -> Option<PathBuf> {
        let found = self.working_folder(cwd);
        found.unresolved.is_none().then(|| found.resolved.clone())
    }

    /// [`PathAccess::new`], without walking over the working folder again for every plain name below it.
    pub(crate) fn path_access(&self, cwd: &Path, text: &str) -> PathAccess {
        let folder = self.working_folder(cwd);
        match text {
            "." => PathAccess::clone(&folder),
            _ => folder.path_below(text).unwrap_or_else(|| PathAccess::new(cwd, text)),
        }
    }
}
