//! What is kept of caches, a folder for each project: `caches/PROJECT/NAME/{upper,work}`, in mayi's data folder. What is in it was
//! made by confined commands: names and sizes are theirs.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{project_name, table};
use crate::profile::path_text;
use crate::remove::delete_folder;

/// Maximum number of files and folders that are counted.
const MOST_ENTRIES: u64 = 200_000;

/// Maximum number of projects that are listed.
const MOST_PROJECTS: usize = 10_000;

/// Maximum number of bytes of the file that says which project it is.
const LONGEST: u64 = 1 << 20;

const PROJECT_FILE: &str = "project.json";
const LOCK_FILE: &str = "lock";

/// All that is kept of caches.
#[derive(Clone, Debug)]
pub struct CacheStore {
    folder: PathBuf,
}

/// What is kept for a project.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptProject {
    /// Where it is kept.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
    /// The folders of the sessions it is kept for; none if that is not known.
    pub roots: Vec<KeptRoot>,
    /// Whether a command uses it now.
    pub in_use: bool,
    /// Its layers, by name.
    pub caches: Vec<KeptCache>,
}

/// A folder of a session's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptRoot(#[serde(with = "path_text")] pub PathBuf);

/// A layer of a cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptCache {
    /// As the table has it.
    pub name: String,
    /// Number of files, folders and links in it.
    pub entries: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Whether there is more than was counted.
    pub more: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ProjectFile {
    version: u32,
    roots: Vec<KeptRoot>,
}

/// Why nothing was deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CleanError {
    /// A command uses it.
    #[error("a command uses it")]
    InUse,
    /// The system does not do it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl CacheStore {
    /// What is kept in mayi's data folder.
    #[must_use]
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("sandbox/caches") }
    }

    /// Where the layers of a session with these folders are.
    #[must_use]
    pub fn project_folder(&self, roots: &[PathBuf]) -> PathBuf {
        self.folder.join(project_name(roots))
    }

    /// Makes the folder of a session with these folders, which says whose it is.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn remember(&self, roots: &[PathBuf]) -> io::Result<()> {
        let folder = self.project_folder(roots);
        let file = folder.join(PROJECT_FILE);
        if file.is_file() {
            return Ok(());
        }
        make_private(&folder)?;
        let told = ProjectFile { version: 1, roots: roots.iter().cloned().map(KeptRoot).collect() };
        fs::write(file, serde_json::to_vec(&told)?)
    }

    /// What is kept, the projects in the order of their folders.
    ///
    /// # Errors
    /// If the folder can't be listed.
    pub fn projects(&self) -> io::Result<Vec<KeptProject>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut left = MOST_ENTRIES;
        let mut projects: Vec<KeptProject> = entries
            .filter_map(|entry| entry.ok().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())))
            .take(MOST_PROJECTS)
            .map(|entry| project(entry.path(), &mut left))
            .collect();
        projects.sort_by(|a, b| a.roots_sorted().cmp(&b.roots_sorted()).then(a.folder.cmp(&b.folder)));
        Ok(projects)
    }
}

impl KeptProject {
    fn roots_sorted(&self) -> Vec<&Path> {
        self.roots.iter().map(|root| root.0.as_path()).collect()
    }

    /// Deletes the layer of a cache, or all of them and what says whose they are.
    ///
    /// # Errors
    /// If a command uses them, or the system does not do it.
    pub fn clean(&self, name: Option<&str>) -> Result<(), CleanError> {
        let Some(_lock) = lock(&self.folder)? else { return Err(CleanError::InUse) };
        for cache in self.caches.iter().filter(|cache| name.is_none_or(|name| cache.name == name)) {
            delete_folder(&self.folder.join(&cache.name))?;
        }
        if name.is_none() {
            for file in [PROJECT_FILE, LOCK_FILE] {
                match fs::remove_file(self.folder.join(file)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                    _ => {}
                }
            }
            // What is in it besides is not mayi's.
            let _ = fs::remove_dir(&self.folder);
        }
        Ok(())
    }
}

/// A folder that only this user may enter, and those it lies in.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The lock of a project's layers: they are one command's at a time, since what two mounts write in one layer is undefined. None if
/// another one has it. It is free again when the process that has it is gone.
pub(crate) fn lock(project: &Path) -> io::Result<Option<File>> {
    let path = project.join(LOCK_FILE);
    let file = File::options().create(true).truncate(false).write(true).open(&path)?;
    match file.try_lock() {
        // One that was deleted since holds nobody off.
        Ok(()) if is_the_same(&file, &path) => Ok(Some(file)),
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(unix)]
fn is_the_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |found: io::Result<fs::Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
    number(file.metadata()) == number(fs::symlink_metadata(path))
}

#[cfg(not(unix))]
fn is_the_same(_: &File, path: &Path) -> bool {
    path.exists()
}

fn project(folder: PathBuf, left: &mut u64) -> KeptProject {
    let told = File::open(folder.join(PROJECT_FILE)).ok();
    let told = told.and_then(|file| serde_json::from_reader(io::Read::take(file, LONGEST)).ok());
    let ProjectFile { roots, .. } = told.unwrap_or_default();
    let in_use = folder.join(LOCK_FILE).exists() && matches!(lock(&folder), Ok(None));
    let layers = table().iter().filter(|row| folder.join(&row.name).is_dir());
    let mut caches: Vec<KeptCache> =
        layers.map(|row| measure(&row.name, &folder.join(&row.name).join("upper"), left)).collect();
    caches.sort_by(|a, b| a.name.cmp(&b.name));
    KeptProject { folder, roots, in_use, caches }
}

/// How much is in a layer, links not followed.
fn measure(name: &str, upper: &Path, left: &mut u64) -> KeptCache {
    let mut cache = KeptCache { name: name.to_owned(), entries: 0, bytes: 0, more: false };
    let mut folders = vec![upper.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            cache.more |= folder != upper;
            continue;
        };
        for entry in entries {
            let Some(now_left) = left.checked_sub(1) else {
                cache.more = true;
                return cache;
            };
            *left = now_left;
            cache.entries += 1;
            let Some((path, found)) =
                entry.ok().and_then(|entry| Some((entry.path(), entry.metadata().ok()?)))
            else {
                cache.more = true;
                continue;
            };
            if found.is_dir() {
                folders.push(path);
            } else {
                cache.bytes = cache.bytes.saturating_add(found.len());
            }
        }
    }
    cache
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 901. Hostile content: deep, without rights, with links that lead out.
    #[test]
    fn given_a_layer_full_of_traps_then_it_is_measured_and_deleted_and_nothing_else() {
        let data = tempfile::tempdir().unwrap();
        let store = CacheStore::new(data.path());
        let roots = [PathBuf::from("/w")];
        store.remember(&roots).unwrap();
        let upper = store.project_folder(&roots).join("cargo/upper");
        make_private(&upper.join("a/b")).unwrap();
        fs::write(upper.join("a/b/file"), "12345").unwrap();
        let outside = data.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::os::unix::fs::symlink(&outside, upper.join("link")).unwrap();
            // Deeper than a path can be said.
            for _ in 0..30 {
                let deep = upper.join(vec!["d"; 100].join("/"));
                make_private(&deep).unwrap();
                let next = upper.join("n");
                fs::rename(upper.join("d"), &next).unwrap();
                make_private(&deep).unwrap();
                fs::rename(next, deep.join("n")).unwrap();
            }
            fs::set_permissions(upper.join("a/b"), fs::Permissions::from_mode(0o000)).unwrap();
        }
        let [project] = store.projects().unwrap().try_into().unwrap();
        assert_eq!(project.roots, [KeptRoot(PathBuf::from("/w"))]);
        assert_eq!(project.caches.iter().map(|cache| cache.name.as_str()).collect::<Vec<_>>(), ["cargo"]);
        assert!(project.caches[0].entries > 100, "{project:?}");
        project.clean(None).unwrap();
        assert!(outside.join("kept").exists());
        assert!(store.projects().unwrap().is_empty());
    }

    /// What a command uses is not taken from it.
    #[test]
    fn given_a_layer_in_use_then_it_is_not_deleted() {
        let data = tempfile::tempdir().unwrap();
        let store = CacheStore::new(data.path());
        let roots = [PathBuf::from("/w")];
        store.remember(&roots).unwrap();
        let folder = store.project_folder(&roots);
        make_private(&folder.join("npm/upper")).unwrap();
        let held = lock(&folder).unwrap();
        let [project] = store.projects().unwrap().try_into().unwrap();
        assert!(held.is_some() && project.in_use);
        assert!(matches!(project.clean(Some("npm")), Err(CleanError::InUse)));
        drop(held);
        project.clean(Some("npm")).unwrap();
        assert!(!folder.join("npm").exists() && folder.exists());
    }
}
