//! Caches of tools. A confined command sees them as they are and writes in a layer of its project's above them: what it changes in a
//! registry's sources would otherwise be built by the next project, without anything that holds it.

mod kept;

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use mayi_call::digest_of_bytes;
use serde::{Deserialize, Serialize};

use crate::profile::path_text;

pub use kept::{CacheStore, CleanError, KeptCache, KeptProject, KeptRoot};
#[cfg(target_os = "linux")]
pub(crate) use kept::{lock, make_private};

/// A cache of a tool's, which is read as it is and written in a layer above it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cache {
    /// As the table has it.
    pub name: String,
    /// The cache itself, which is never written. Absolute, without links.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
    /// The folder of mayi's in which the project's layer is kept.
    #[serde(with = "path_text")]
    pub upper: PathBuf,
    /// What of it stays as it is also in the layer, by its path within the cache.
    pub never_written: Vec<String>,
    /// A variable that leads the tool to it, where it would look elsewhere: a layer is another file system than the project.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub variable: Option<String>,
}

impl Cache {
    /// What stays as it is.
    pub fn kept_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.never_written.iter().map(|below| self.folder.join(below))
    }
}

/// Where what a cache takes up is kept, for a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheLayer {
    /// In the project's layer.
    Project,
    /// In memory, until the command has ended, and why not longer.
    Command(String),
    /// Nowhere, and why: the cache can't be written.
    Nowhere(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    cache: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    places: Vec<Known>,
    #[serde(default)]
    never_written: Vec<String>,
    variable: Option<String>,
}

/// Where a tool looks for its cache: the first that is told.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, untagged)]
enum Known {
    Variable {
        variable: String,
        #[serde(default)]
        below: String,
    },
    Home {
        home: String,
    },
}

fn table() -> &'static [Row] {
    static TABLE: OnceLock<Vec<Row>> = OnceLock::new();
    TABLE.get_or_init(|| {
        toml::from_str::<Table>(include_str!("table.toml")).map(|table| table.cache).unwrap_or_default()
    })
}

/// Where caches are looked for.
#[derive(Clone, Copy)]
pub struct CacheGround<'a> {
    /// The user's home.
    pub home: &'a Path,
    /// The session's folders, without links.
    pub roots: &'a [PathBuf],
    /// mayi's data folder.
    pub data: &'a Path,
    /// A variable of the environment that the command gets.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl std::fmt::Debug for CacheGround<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CacheGround")
            .field("home", &self.home)
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

/// Where nobody keeps a cache. Less than what a command reads of the system: `/usr/local`, `/opt` and `/var/lib` may have some.
const NO_CACHES: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/sbin",
    "/usr/share",
];

impl CacheGround<'_> {
    /// The caches that there are.
    #[must_use]
    pub fn caches(&self) -> Vec<Cache> {
        let project = CacheStore::new(self.data).project_folder(self.roots);
        let mut found: Vec<Cache> = Vec::new();
        for row in table() {
            let Some(folder) = row.places.iter().find_map(|known| self.told(known)) else { continue };
            let Some(folder) = folder.canonicalize().ok().filter(|folder| self.is_cache(folder)) else {
                continue;
            };
            found.push(Cache {
                name: row.name.clone(),
                folder,
                upper: project.join(&row.name),
                never_written: row.never_written.clone(),
                variable: row.variable.clone(),
            });
        }
        merge(found)
    }

    /// The folder that a tool is told to use. A relative one is another one in each folder, and none.
    fn told(&self, known: &Known) -> Option<PathBuf> {
        match known {
            Known::Home { home } => Some(self.home.join(home)),
            Known::Variable { variable, below } => {
                let folder =
                    (self.variable)(variable).filter(|value| !value.is_empty()).map(PathBuf::from)?;
                Some(if below.is_empty() { folder } else { folder.join(below) })
            }
        }
    }

    /// Whether a folder may be one. Whoever starts a command may have set the variable that leads to it: it is a folder of this
    /// user's, below home or in a place where nobody else writes; and it has nothing in it that has its own place in a profile.
    fn is_cache(&self, folder: &Path) -> bool {
        let holds = |other: &Path| other.starts_with(folder);
        let own = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let home = own(&self.home.to_owned());
        if !folder.is_absolute() || holds(&home) || holds(&own(&self.data.to_owned())) {
            return false;
        }
        if self.roots.iter().map(own).any(|root| holds(&root) || folder.starts_with(&root)) {
            return false;
        }
        let private = folder.starts_with(&home)
            || (folder.components().filter(|part| matches!(part, Component::Normal(_))).count() > 1
                && !NO_CACHES.iter().any(|system| folder.starts_with(system)));
        private && is_own_folder(folder, folder.starts_with(&home))
    }
}

/// Whether it is a folder of this user's: outside of home, also one that others can't write.
#[cfg(unix)]
fn is_own_folder(folder: &Path, in_home: bool) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().is_ok_and(|found| {
        let own = found.uid() == rustix::process::geteuid().as_raw();
        found.is_dir() && own && (in_home || found.mode() & 0o022 == 0)
    })
}

#[cfg(not(unix))]
fn is_own_folder(folder: &Path, in_home: bool) -> bool {
    in_home && folder.is_dir()
}

/// One layer for a cache and for those within it.
fn merge(mut found: Vec<Cache>) -> Vec<Cache> {
    found.sort_by_key(|cache| cache.folder.components().count());
    let mut merged: Vec<Cache> = Vec::new();
    for cache in found {
        let outer = merged.iter_mut().find(|outer| cache.folder.starts_with(&outer.folder));
        let Some(outer) = outer else {
            merged.push(cache);
            continue;
        };
        let Some(below) = cache.folder.strip_prefix(&outer.folder).ok().and_then(Path::to_str) else {
            continue;
        };
        let within =
            cache.never_written.iter().map(|kept| Path::new(below).join(kept).to_string_lossy().into_owned());
        outer.never_written.extend(within);
    }
    merged.sort_by(|a, b| a.name.cmp(&b.name));
    merged
}

/// The name of what is kept for a session's folders.
fn project_name(roots: &[PathBuf]) -> String {
    let mut roots: Vec<&[u8]> = roots.iter().map(|root| root.as_os_str().as_encoded_bytes()).collect();
    roots.sort_unstable();
    roots.dedup();
    digest_of_bytes(&roots.join(&0)).as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct World {
        folder: tempfile::TempDir,
    }

    impl World {
        fn new(folders: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for name in folders.iter().chain(&["home", "w", "data"]) {
                fs::create_dir_all(folder.path().join(name)).unwrap();
            }
            Self { folder }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().canonicalize().unwrap().join(name)
        }

        /// Name and place below the folder of each that is found.
        fn found(&self, variables: &[(&str, &str)]) -> Vec<(String, String)> {
            let value = |name: &str| {
                let (_, value) = variables.iter().find(|(own, _)| *own == name)?;
                Some(if value.starts_with('/') { (*value).into() } else { self.path(value).into_os_string() })
            };
            let (home, data) = (self.path("home"), self.path("data"));
            let ground = CacheGround { home: &home, roots: &[self.path("w")], data: &data, variable: &value };
            let below = |cache: Cache| {
                (cache.name, cache.folder.strip_prefix(self.path("")).unwrap().display().to_string())
            };
            ground.caches().into_iter().map(below).collect()
        }
    }

    #[test]
    fn given_the_table_then_it_is_read_and_names_are_single() {
        let mut names: Vec<&str> = table().iter().map(|row| row.name.as_str()).collect();
        assert!(names.len() > 20, "{names:?}");
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(names.iter().all(|name| plain(name)), "{names:?}");
    }

    /// S1.28: caches are those of the table that there are, each within its outermost.
    #[test]
    fn given_folders_of_tools_then_each_is_found_once() {
        let world = World::new(&["home/.cargo/bin", "home/.cache/pip", "home/.npm"]);
        let named = |name: &str, folder: &str| (name.to_owned(), folder.to_owned());
        assert_eq!(
            world.found(&[]),
            [named("cache", "home/.cache"), named("cargo", "home/.cargo"), named("npm", "home/.npm")]
        );
    }

    /// S1.28: a variable leads to a cache only where that is a folder of the user's own.
    #[test]
    fn given_a_variable_then_it_is_believed_below_home_or_in_a_private_place() {
        let world = World::new(&["home/c", "home/.cargo", "w/c", "private/c"]);
        let cargo = |value: &str| {
            world
                .found(&[("CARGO_HOME", value)])
                .into_iter()
                .find(|(name, _)| name == "cargo")
                .map(|(_, folder)| folder)
        };
        assert_eq!(cargo("home/c").as_deref(), Some("home/c"));
        assert_eq!(cargo("private/c").as_deref(), Some("private/c"));
        for other in ["w/c", "w", "home", "", "/etc", "/", "/usr/lib", "data", "missing"] {
            assert_eq!(cargo(other), None, "{other}");
        }
    }

    /// What is run from a cache that lies within another one stays as it is too.
    #[test]
    fn given_a_cache_within_another_then_what_it_keeps_is_kept() {
        let world = World::new(&["home/.cache/pnpm/dlx"]);
        let (home, data) = (world.path("home"), world.path("data"));
        let ground = CacheGround { home: &home, roots: &[world.path("w")], data: &data, variable: &|_| None };
        let kept: Vec<PathBuf> = ground.caches().iter().flat_map(Cache::kept_paths).collect();
        assert!(kept.contains(&world.path("home/.cache/pnpm/dlx")), "{kept:?}");
    }
}
