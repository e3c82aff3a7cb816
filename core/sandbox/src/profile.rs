//! What a process may do, as plain data: made from a policy, printed, compared, and held by the kernel.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Cache;
use crate::needed::{SYSTEM, TEMPORARY};

/// What a process and all that it starts may do. What is not named can't be written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Profile {
    /// What may be read besides what may be written and the folders of the system; none: everything but what is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readable: Option<Vec<Place>>,
    /// The user's home, where not all of it may be read: a folder in memory, with what may be read in its place, that is gone with the
    /// command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<Place>,
    /// Folders and files that may be written.
    pub writable: Vec<Place>,
    /// Within what is writable: what stays as it is. Its ancestors there keep their names.
    pub read_only: Vec<Place>,
    /// Settings of repositories, of which it has copies of its own: what it changes in them is put through when it has ended, less what
    /// git would run.
    pub copied: Vec<Place>,
    /// Names in folders of repositories that are not there and must not appear: a command that makes one is ended.
    pub absent: Vec<Place>,
    /// What may not be read.
    pub hidden: Vec<Place>,
    /// Caches of tools, each written in a layer above it. Where there are no mounts they are read-only.
    pub caches: Vec<Cache>,
    /// Whom it may reach.
    pub network: Network,
    /// Names of variables that are taken out of its environment.
    pub withheld_variables: Vec<String>,
    /// How much it may take.
    pub bounds: Bounds,
}

impl Profile {
    /// What becomes of a path, absolute and without links, and why: one line.
    #[must_use]
    pub fn tell(&self, path: &Path) -> String {
        let holds = |place: &&Place| path.starts_with(&place.path);
        let of = |places: &[Place]| {
            places.iter().filter(holds).max_by_key(|place| place.path.as_os_str().len()).cloned()
        };
        if let Some(place) = of(&self.hidden) {
            return format!("it is out of sight ({})", place.because);
        }
        if let Some(place) = of(&self.read_only) {
            return format!("it stays as it is ({})", place.because);
        }
        if let Some(place) = of(&self.copied) {
            return format!(
                "it has a copy of it, put through key by key when it has ended ({})",
                place.because
            );
        }
        if let Some(cache) = self.caches.iter().find(|cache| path.starts_with(&cache.folder)) {
            if cache.kept_paths().any(|kept| path.starts_with(kept)) {
                return format!(
                    "it may be read, and not written (what is run from the cache of {})",
                    cache.name
                );
            }
            return format!("it is written in a layer of the project's (the cache of {})", cache.name);
        }
        if let Some(place) = of(&self.writable) {
            return format!("it may be read and written ({})", place.because);
        }
        if TEMPORARY.iter().any(|folder| path.starts_with(folder)) {
            return "it is not there: it has a temporary folder of its own".to_owned();
        }
        let system = SYSTEM.iter().any(|folder| path.starts_with(folder));
        match &self.readable {
            None => "it may be read, and not written".to_owned(),
            Some(places) => match of(places) {
                Some(place) => format!("it may be read, and not written ({})", place.because),
                None if self.home.as_ref().is_some_and(|home| path.starts_with(&home.path)) => {
                    "it is not there: of the home folder it sees what programs need".to_owned()
                }
                None if system => "it may be read, and not written (the system)".to_owned(),
                None => "it is not there: it needs nothing of it".to_owned(),
            },
        }
    }
}

/// A place, and the rule or setting that put it there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Place {
    /// Absolute, without links.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// One line.
    pub because: String,
}

/// Whom a process may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Itself, by a loopback of its own.
    #[default]
    None,
    /// Itself, and by a listener on its loopback, at [`PROXY`](crate::PROXY), whatever whoever serves that lets it reach.
    Proxied,
}

/// How much a process may take with all that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Bounds {
    /// Maximum number of processes and threads.
    pub processes: u64,
    /// Maximum number of bytes of the private temporary folder.
    pub temporary_bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { processes: 4096, temporary_bytes: 1 << 30 }
    }
}

/// A path as a text; as its bytes, where it is none.
pub(crate) mod path_text {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        #[cfg(unix)]
        Bytes(Vec<u8>),
    }

    pub(crate) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        #[cfg(unix)]
        let other = || Written::Bytes(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec());
        #[cfg(not(unix))]
        let other = || Written::Text(path.to_string_lossy().into_owned());
        path.to_str().map_or_else(other, |text| Written::Text(text.to_owned())).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        Ok(match Written::deserialize(from)? {
            Written::Text(text) => PathBuf::from(text),
            #[cfg(unix)]
            Written::Bytes(bytes) => {
                PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
            }
        })
    }
}
