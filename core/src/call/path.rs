//! Paths as the kernel will walk them, and as they were written.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

/// As many links as Linux follows before it gives up (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// A path that a call would touch, in both forms that rules look at (decisions, section 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
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
    pub unresolved: Option<String>,
    /// More than one name leads to this file.
    pub hard_linked: bool,
}

impl PathAccess {
    /// Looks up `given` from `cwd`. Reads links, so it is done while a call is built, never while
    /// it is judged.
    #[must_use]
    pub fn new(cwd: &Path, given: &str) -> Self {
        let absolute = cwd.join(given);
        let lexical = normal(&absolute);
        let (resolved, unresolved) = match resolve(&absolute) {
            Ok(path) => (path, None),
            Err(error) => (lexical.clone(), Some(error.to_string())),
        };
        let unresolved =
            unresolved.or_else(|| given.contains('\0').then(|| "a zero byte in the path".to_owned()));
        let unresolved = unresolved.or_else(|| {
            let text = lexical.to_str().is_some() && resolved.to_str().is_some();
            (!text).then(|| "a name that is not UTF-8 text".to_owned())
        });
        let hard_linked =
            std::fs::symlink_metadata(&resolved).is_ok_and(|meta| meta.is_file() && links(&meta) > 1);
        Self { given: given.to_owned(), lexical, resolved, unresolved, hard_linked }
    }

    /// Both forms, the resolved one first; one where they are the same.
    pub fn forms(&self) -> impl Iterator<Item = &Path> {
        let other = (self.lexical != self.resolved).then_some(self.lexical.as_path());
        std::iter::once(self.resolved.as_path()).chain(other)
    }

    /// Whether both forms lie in one of `roots`.
    #[must_use]
    pub fn within(&self, roots: &[PathBuf]) -> bool {
        self.forms().all(|form| roots.iter().any(|root| form.starts_with(root)))
    }
}

/// A path for digests and JSON: names that are no text keep their bytes apart, as escapes.
pub(super) fn path_text(path: &Path) -> String {
    path.to_str().map_or_else(|| format!("{path:?}"), str::to_owned)
}

fn as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path))
}

#[cfg(unix)]
fn links(meta: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

#[cfg(not(unix))]
fn links(_: &std::fs::Metadata) -> u64 {
    1
}

/// Removes `.` and `..` by text alone.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
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

/// Walks an absolute path as the kernel does: each component's link followed before the next one,
/// so that `link/..` is the parent of where the link leads. What does not exist yet is kept.
///
/// # Errors
/// More than 40 links, or a folder that can't be looked into.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut todo: VecDeque<OsString> = parts(path);
    let mut out = root_of(path);
    let mut followed = 0;
    while let Some(part) = todo.pop_front() {
        if part == ".." {
            out.pop();
            continue;
        }
        let next = out.join(&part);
        match std::fs::symlink_metadata(&next) {
            Ok(meta) if meta.file_type().is_symlink() => {
                followed += 1;
                if followed > MOST_LINKS {
                    return Err(io::Error::other("too many links"));
                }
                let target = std::fs::read_link(&next)?;
                if target.is_absolute() {
                    out = root_of(&target);
                }
                for part in parts(&target).into_iter().rev() {
                    todo.push_front(part);
                }
            }
            Ok(_) => out = next,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                out = next
            }
            Err(error) => return Err(error),
        }
    }
    Ok(out)
}

fn root_of(path: &Path) -> PathBuf {
    path.components().take_while(|c| matches!(c, Component::Prefix(_) | Component::RootDir)).collect()
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            _ => None,
        })
        .collect()
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

    #[test]
    fn given_links_in_a_circle_then_the_path_is_unresolved() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        assert!(PathAccess::new(&root, "a").unresolved.is_some());
    }

    #[test]
    fn given_a_second_name_then_the_file_is_hard_linked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("one"), "x").unwrap();
        std::fs::hard_link(dir.path().join("one"), dir.path().join("two")).unwrap();
        assert!(PathAccess::new(dir.path(), "two").hard_linked);
    }
}
