//! Many paths of one moment: what lies above several of them is looked up once.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::walk;

/// Where paths lead, as [`resolve_path`](super::resolve_path) says it. What was found at a folder is remembered as long as this lives, so
/// it is for paths that are looked up together, and not for later ones. Clones share what they know.
#[derive(Clone, Debug, Default)]
pub struct PathResolver {
    /// By the folder as it is written: to hash it part by part, as a path is, takes longer than to look it up.
    known: Arc<Mutex<HashMap<OsString, ResolvedPath>>>,
}

/// Where a path leads.
#[derive(Clone, Debug)]
struct ResolvedPath {
    path: PathBuf,
    /// Something is there.
    there: bool,
}

impl PathResolver {
    /// Where an absolute path leads.
    ///
    /// # Errors
    /// As [`resolve_path`](super::resolve_path).
    pub fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = match (path.parent(), path.file_name()) {
            (Some(parent), Some(_)) if is_plain(path) => parent,
            // The top itself, or a way up again.
            _ => return super::resolve_path(path),
        };
        let above = resolve_folder(&mut known, parent)?;
        // Few names are asked for twice; what lies above them is.
        resolve_child(&above, path).map(|reached| reached.path)
    }
}

/// Whether it is absolute, and only goes down.
fn is_plain(path: &Path) -> bool {
    path.has_root() && path.components().all(|part| !matches!(part, std::path::Component::ParentDir))
}

fn resolve_folder(known: &mut HashMap<OsString, ResolvedPath>, path: &Path) -> io::Result<ResolvedPath> {
    if let Some(reached) = known.get(path.as_os_str()) {
        return Ok(reached.clone());
    }
    let reached = match path.parent() {
        Some(parent) => {
            let above = resolve_folder(known, parent)?;
            resolve_child(&above, path)?
        }
        None => resolve_whole(path)?,
    };
    known.insert(path.as_os_str().to_owned(), reached.clone());
    Ok(reached)
}

/// Where `path` leads, whose folder leads to `above`.
fn resolve_child(above: &ResolvedPath, path: &Path) -> io::Result<ResolvedPath> {
    let Some(name) = path.file_name() else { return resolve_whole(path) };
    let at = above.path.join(name);
    // Below what is not there, nothing is.
    if !above.there {
        return Ok(ResolvedPath { path: at, there: false });
    }
    match std::fs::symlink_metadata(&at) {
        // How many there were on the way, only a whole walk counts.
        Ok(meta) if meta.file_type().is_symlink() => resolve_whole(path),
        Ok(_) => Ok(ResolvedPath { path: at, there: true }),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(ResolvedPath { path: at, there: false })
        }
        Err(error) => Err(error),
    }
}

fn resolve_whole(path: &Path) -> io::Result<ResolvedPath> {
    walk::walk_path(path).map(|walked| ResolvedPath { path: walked.path, there: walked.there })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn given_folders_files_and_links_then_each_path_leads_where_a_walk_of_its_own_does() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        std::fs::create_dir_all(top.join("c")).unwrap();
        std::fs::write(top.join("a/file"), "").unwrap();
        symlink("../c", top.join("a/link")).unwrap();
        symlink(top.join("a/link"), top.join("c/again")).unwrap();
        symlink("gone/on", top.join("a/dangling")).unwrap();
        symlink("round", top.join("a/round")).unwrap();
        symlink("b/..", top.join("a/up")).unwrap();
        let names = ["a", "b", "c", "file", "link", "again", "dangling", "round", "up", "none", ".."];
        let ways = PathResolver::default();
        let shown = |found: io::Result<PathBuf>| found.map_err(|error| error.to_string());
        for first in names {
            for second in names {
                for third in names {
                    let path = top.join(first).join(second).join(third);
                    for path in [path.as_path(), path.parent().unwrap()] {
                        assert_eq!(
                            shown(ways.resolve(path)),
                            shown(crate::resolve_path(path)),
                            "{}",
                            path.display()
                        );
                    }
                }
            }
        }
        for path in ["/", "/..", "//", "/./tmp", ""] {
            let path = Path::new(path);
            assert_eq!(shown(ways.resolve(path)), shown(crate::resolve_path(path)), "{}", path.display());
        }
    }

    #[test]
    fn given_a_row_of_links_then_it_ends_where_the_kernel_gives_up() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        std::fs::create_dir(top.join("0")).unwrap();
        for at in 1..=45 {
            symlink((at - 1).to_string(), top.join(at.to_string())).unwrap();
        }
        let ways = PathResolver::default();
        // Each by itself before, so that most of the way is known.
        for at in 1..=45 {
            let path = top.join(at.to_string()).join("x");
            assert_eq!(ways.resolve(&path).is_ok(), crate::resolve_path(&path).is_ok(), "{at}");
        }
        // Two links in one path count together.
        symlink("25", top.join("0/in")).unwrap();
        let path = top.join("20/in/x");
        assert_eq!(ways.resolve(&path).is_ok(), crate::resolve_path(&path).is_ok());
    }
}
