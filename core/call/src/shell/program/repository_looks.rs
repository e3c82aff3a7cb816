//! Repositories that were looked at while one line is read: git goes through thousands of names in some, and a line may have
//! hundreds of git commands.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::repository::{RepositoryLook, look_around};

/// As many are looked at for one line.
const MOST: usize = 16;
/// When so many names were gone through for the line, no further repository is looked at.
const MOST_NAMES: usize = 100_000;

/// What is around a folder, and a git folder that is named besides.
type Place = (PathBuf, Option<PathBuf>);

/// Links by the folder at the top of a repository; none where they can't be told.
type LinkedFolders = Vec<(PathBuf, Option<Rc<[PathBuf]>>)>;

/// Repositories, each looked at once.
#[derive(Debug, Default)]
pub(in crate::shell) struct RepositoryLooks {
    around: RefCell<Vec<(Place, Rc<RepositoryLook>)>>,
    linked: RefCell<LinkedFolders>,
}

impl RepositoryLooks {
    /// What is around `cwd`, in which links are followed, and in the git folder `named`. None if too much was looked at
    /// before.
    pub(super) fn look(&self, cwd: &Path, named: Option<&Path>) -> Option<Rc<RepositoryLook>> {
        let mut looks = self.around.borrow_mut();
        if let Some((_, look)) = looks.iter().find(|((at, of), _)| at == cwd && of.as_deref() == named) {
            return Some(Rc::clone(look));
        }
        let names: usize = looks.iter().map(|(_, look)| look.files.names()).sum();
        if looks.len() >= MOST || names >= MOST_NAMES {
            return None;
        }
        let mut look = look_around(cwd);
        if let Some(named) = named {
            look.add_git_folder(named, cwd, None);
        }
        let look = Rc::new(look);
        looks.push(((cwd.to_owned(), named.map(Path::to_owned)), Rc::clone(&look)));
        Some(look)
    }

    /// The folders of the index of the repository at `top` that are links, as `find` finds them. None if it can't, or if too
    /// many repositories were looked at before.
    pub(super) fn linked_folders(
        &self,
        top: &Path,
        find: impl FnOnce() -> Option<Vec<PathBuf>>,
    ) -> Option<Rc<[PathBuf]>> {
        let mut linked = self.linked.borrow_mut();
        if let Some((_, found)) = linked.iter().find(|(at, _)| at == top) {
            return found.clone();
        }
        if linked.len() >= MOST {
            return None;
        }
        let found: Option<Rc<[PathBuf]>> = find().map(Into::into);
        linked.push((top.to_owned(), found.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line that names one repository hundreds of times has it gone through once, and one that names many has a bound.
    #[test]
    fn given_a_repository_that_was_looked_at_then_it_is_not_gone_through_again() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let looks = RepositoryLooks::default();
        let first = looks.look(&top, None).unwrap();
        assert!(Rc::ptr_eq(&first, &looks.look(&top, None).unwrap()));
        for name in 1..MOST {
            let named = top.join(format!("{name}.git"));
            let other = looks.look(&top, Some(&named)).unwrap();
            assert!(!Rc::ptr_eq(&first, &other));
        }
        assert!(looks.look(&top.join("one-more"), None).is_none());
        assert!(Rc::ptr_eq(&first, &looks.look(&top, None).unwrap()));
    }

    /// So has the index of each.
    /// Attack 586.
    #[test]
    fn given_links_of_an_index_that_were_looked_up_then_they_are_not_looked_up_again() {
        let looks = RepositoryLooks::default();
        let at = |number: usize| PathBuf::from(format!("/{number}"));
        for number in 0..MOST {
            let found = looks.linked_folders(&at(number), || (number > 0).then(|| vec![at(number)]));
            assert_eq!(found.is_some(), number > 0);
            let again = looks.linked_folders(&at(number), || panic!("it is known"));
            assert_eq!(again, found);
        }
        assert!(looks.linked_folders(&at(MOST), || Some(Vec::new())).is_none());
    }

    /// So has one that names few with many names in each.
    #[test]
    fn given_so_many_names_that_were_gone_through_then_no_further_repository_is_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let looks = RepositoryLooks::default();
        let mut look = look_around(&top);
        look.files.count_names(MOST_NAMES);
        looks.around.borrow_mut().push(((top.clone(), None), Rc::new(look)));
        assert!(looks.look(&top, None).is_some());
        assert!(looks.look(&top.join("other"), None).is_none());
    }
}
