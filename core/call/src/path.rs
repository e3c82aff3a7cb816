//! Paths as the kernel will walk them, and as they were written.

mod budget;
mod folder_lookup;
mod line_lookups;
mod links;
mod many_paths;
mod secret_names;
mod walk;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

pub(crate) use budget::LookupBudget;
pub(crate) use folder_lookup::can_be_entered;
pub(crate) use line_lookups::LineLookups;
pub(crate) use links::{
    collect_links_below, could_be_name, glob_matches, glob_targets, holds_links, is_in_no_folder, is_there,
    links_below, names_below, relative_target,
};
pub use many_paths::PathResolver;
pub use secret_names::{SECRET_NAMES, is_secret_by_name};
pub use walk::resolve_path;

/// No program can open a longer path in one go (PATH_MAX of Linux).
const LONGEST: usize = 4096;

/// A path that a call would touch, in both forms that rules look at (D1.14).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PathAccess {
    /// As the agent wrote it.
    pub given: String,
    /// Absolute, `.` and `..` removed by text, links not followed.
    #[serde(serialize_with = "as_text")]
    pub lexical: PathBuf,
    /// Absolute, as the kernel would reach it: component by component, links followed.
    #[serde(serialize_with = "as_text")]
    pub resolved: PathBuf,
    /// Why the kernel could not be asked, where it could not: such a path is asked about.
    #[serde(default)]
    pub unresolved: Option<String>,
    /// More than one name leads to this file.
    #[serde(default)]
    pub hard_linked: bool,
    /// What it leads to for the agent, where it goes by way of `/proc/self/cwd` or `/proc/self/root`:
    /// mayi's own would be another folder.
    #[serde(skip)]
    pub leads_to: Option<PathBuf>,
    /// It is a folder.
    #[serde(skip)]
    pub folder: bool,
    /// Of a folder that is moved or deleted: what lies in it and begins with a dot, or is a repository by
    /// its name, each as it is called from here on. Not all, where there is very much.
    #[serde(skip)]
    pub holds: Vec<String>,
    /// The file system that holds it.
    #[serde(skip)]
    pub mount: Option<Mount>,
    /// It lies in a folder for temporary files that only the user can look into.
    #[serde(skip)]
    pub private_temporary: bool,
}

/// A file system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mount {
    /// The folder where it begins.
    pub at: PathBuf,
    /// The number of its device.
    pub device: u64,
}

/// Takes what a look at a path costs: the system is asked about each part of it.
fn spend_lookup(given: &str) -> bool {
    const PATH: usize = 200;
    const PART: usize = 150;
    crate::effort::spend(PATH + given.len() + PART * given.bytes().filter(|b| *b == b'/').count())
}

impl PathAccess {
    /// Looks up `given` from `cwd`. Reads links, so it is done while a call is built, never while
    /// it is judged.
    #[must_use]
    pub fn new(cwd: &Path, given: &str) -> Self {
        let absolute = cwd.join(given);
        let mut access = Self::by_text(cwd, given, &absolute);
        if access.unresolved.is_some() {
            return access;
        }
        match walk::walk_path(&absolute) {
            Ok(walked) => {
                access.hard_linked = walked.hard_linked;
                access.folder = walked.folder;
                access.mount = walked.mount;
                access.private_temporary = walked.private_temporary;
                access.resolved = walked.path;
                if access.leads_to.is_none() {
                    access.leads_to = resolve_proc_link(&access.resolved, cwd);
                }
                if access.resolved.to_str().is_none() {
                    access.unresolved = Some("a name that is not UTF-8 text".to_owned());
                }
            }
            Err(error) => access.unresolved = Some(error.to_string()),
        }
        access
    }

    /// The same by its text alone: no file is looked at.
    #[must_use]
    pub fn without_lookup(cwd: &Path, given: &str) -> Self {
        Self::by_text(cwd, given, &cwd.join(given))
    }

    fn by_text(cwd: &Path, given: &str, absolute: &Path) -> Self {
        let lexical = normalize_lexically(absolute);
        let unresolved = if !spend_lookup(given) {
            Some("more paths than are looked up for one decision")
        } else if !cfg!(unix) {
            // Rules, roots and what is protected know names between slashes. Drives, backslashes, streams, short names and
            // all that Windows takes for the same name would pass by a deny.
            Some("paths of this system are not understood yet")
        } else if given.contains('\0') {
            Some("a zero byte in the path")
        } else if absolute.as_os_str().len() >= LONGEST {
            Some("longer than a path can be")
        } else if lexical.to_str().is_none() {
            Some("a name that is not UTF-8 text")
        } else {
            None
        };
        Self {
            given: given.to_owned(),
            resolved: lexical.clone(),
            leads_to: resolve_proc_link(&lexical, cwd),
            lexical,
            unresolved: unresolved.map(str::to_owned),
            hard_linked: false,
            folder: false,
            holds: Vec::new(),
            mount: None,
            private_temporary: false,
        }
    }

    /// The same, with what a folder holds.
    #[must_use]
    pub(crate) fn with_contents(mut self) -> Self {
        if self.folder {
            self.holds = folder_lookup::hidden_entries(&self.resolved);
        }
        self
    }

    /// Its forms, the resolved one first; one where they are the same.
    pub fn forms(&self) -> impl Iterator<Item = &Path> {
        // Both are without `.`, `..` and doubled slashes: bytes tell them apart.
        let differ = self.lexical.as_os_str() != self.resolved.as_os_str();
        let other = differ.then_some(self.lexical.as_path());
        std::iter::once(self.resolved.as_path()).chain(other).chain(self.leads_to.as_deref())
    }

    /// Whether it lies in a root, but on another file system than that root.
    #[must_use]
    pub fn on_another_device(&self, roots: &[PathBuf]) -> bool {
        let Some(mount) = &self.mount else { return false };
        let inner = roots.iter().filter(|root| lies_in(&self.resolved, root));
        inner
            .max_by_key(|root| root.as_os_str().len())
            .is_some_and(|root| lies_in(&mount.at, root) && mount.at != **root)
    }

    /// Whether all its forms lie in one of `roots`.
    #[must_use]
    pub fn is_within(&self, roots: &[PathBuf]) -> bool {
        self.forms().all(|form| roots.iter().any(|root| lies_in(form, root)))
    }
}

/// Whether a path without `.` and `..` is `folder`, or lies in it. As [`Path::starts_with`], and quick:
/// every decision asks it many times.
#[must_use]
pub fn lies_in(path: &Path, folder: &Path) -> bool {
    let (path, folder) = (path.as_os_str().as_encoded_bytes(), folder.as_os_str().as_encoded_bytes());
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// A path as text, where it is to be shown or compared: what is no text is replaced.
#[must_use]
pub fn display_path(path: &Path) -> Cow<'_, str> {
    path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed)
}

/// A path for digests and JSON: names that are no text keep their bytes apart, as escapes.
pub(super) fn path_text(path: &Path) -> String {
    path.to_str().map_or_else(|| format!("{path:?}"), str::to_owned)
}

fn as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path))
}

/// What a name below `/proc/self/cwd` or `/proc/self/root` is for a process in `cwd`.
fn resolve_proc_link(path: &Path, cwd: &Path) -> Option<PathBuf> {
    let mut names = path.strip_prefix("/proc").ok()?.components();
    let of = names.next()?.as_os_str().to_str()?;
    let own = matches!(of, "self" | "thread-self") || of.bytes().all(|b| b.is_ascii_digit());
    let mut next = names.next()?;
    if next.as_os_str() == "task" {
        names.next()?;
        next = names.next()?;
    }
    let base = match next.as_os_str().to_str()? {
        "cwd" => cwd,
        "root" => Path::new("/"),
        _ => return None,
    };
    own.then(|| normalize_lexically(&base.join(names.as_path())))
}

/// Removes `.` and `..` by text alone.
fn normalize_lexically(path: &Path) -> PathBuf {
    let mut out = PathBuf::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(all(test, unix))]
mod tests {
    use super::PathAccess;
    use std::os::unix::fs::symlink;

    /// Attack 5: "`src/l/../passwd` with `l` a link to `/etc/ssl`: judged as `/etc/passwd`".
    #[test]
    fn given_a_link_then_dotdot_leaves_from_where_it_leads() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(root.join("far/deep")).unwrap();
        symlink(root.join("far/deep"), root.join("src/l")).unwrap();
        let access = PathAccess::new(&root, "src/l/../passwd");
        assert_eq!(access.resolved, root.join("far/passwd"));
        assert_eq!(access.lexical, root.join("src/passwd"));
    }

    #[test]
    fn given_a_link_to_nothing_then_its_target_is_judged() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        symlink("/nowhere/at/all", root.join("dangling")).unwrap();
        assert_eq!(PathAccess::new(&root, "dangling").resolved.to_str(), Some("/nowhere/at/all"));
    }

    /// Attack 71.
    #[test]
    fn given_links_in_a_circle_then_the_path_is_unresolved() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        assert!(PathAccess::new(&root, "a").unresolved.is_some());
    }

    /// Attack 19.
    #[test]
    fn given_a_second_name_then_the_file_is_hard_linked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("one"), "x").unwrap();
        std::fs::hard_link(dir.path().join("one"), dir.path().join("two")).unwrap();
        assert!(PathAccess::new(dir.path(), "two").hard_linked);
    }

    /// A 10 KB line, ... a path of 5,000 parts ...: an answer within 50 ms.
    /// Attack 71.
    #[test]
    fn given_a_path_of_thousands_of_parts_then_it_is_answered_at_once() {
        let dir = tempfile::tempdir().unwrap();
        // The quickest of some: other tests run at the same time.
        let quickest = |given: &str| {
            let once = |_| {
                let begun = cpu_time::ThreadTime::now();
                std::hint::black_box(PathAccess::new(dir.path(), given));
                begun.elapsed().as_millis()
            };
            (0..10).map(once).min().unwrap()
        };
        for part in ["a/", "../", "x/../", "./"] {
            let given = part.repeat(5_000);
            assert!(PathAccess::new(dir.path(), &given).unresolved.is_some(), "{part}");
            assert!(quickest(&given) < 1000, "{part}");
        }
        let long = "a/".repeat(1_900);
        assert!(PathAccess::new(dir.path(), &long).unresolved.is_none());
        assert!(quickest(&long) < 1000);
    }

    /// Seen in other gates: `/proc/self/cwd/.git/config` is `.git/config`.
    /// Attack 79.
    #[test]
    fn given_a_way_through_proc_then_where_it_leads_is_a_form() {
        let cwd = std::path::Path::new("/w/sub");
        for (given, leads) in [
            ("/proc/self/cwd/.git/config", "/w/sub/.git/config"),
            ("/proc/self/root/etc/passwd", "/etc/passwd"),
            ("/proc/thread-self/cwd/x", "/w/sub/x"),
            ("/proc/self/task/7/root/etc", "/etc"),
            ("/proc/17/cwd/x", "/w/sub/x"),
        ] {
            let access = PathAccess::new(cwd, given);
            assert!(access.forms().any(|form| form == std::path::Path::new(leads)), "{given}");
        }
        assert_eq!(PathAccess::new(cwd, "/proc/self/status").leads_to, None);
    }

    #[test]
    fn given_a_missing_folder_then_dotdot_behind_it_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        symlink("/etc", root.join("l")).unwrap();
        assert_eq!(PathAccess::new(&root, "no/../l/passwd").resolved.to_str(), Some("/etc/passwd"));
        assert_eq!(PathAccess::new(&root, "no/no/../../l").resolved.to_str(), Some("/etc"));
    }

    /// D4.10: a private temporary folder excepted.
    #[test]
    fn given_a_folder_of_temporary_files_then_only_a_private_one_is() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::Builder::new().tempdir_in("/tmp").unwrap();
        let inside = dir.path().join("x").to_str().unwrap().to_owned();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert!(PathAccess::new(dir.path(), &inside).private_temporary);
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!PathAccess::new(dir.path(), &inside).private_temporary);
        assert!(!PathAccess::new(dir.path(), "/tmp/x").private_temporary);
    }
}
