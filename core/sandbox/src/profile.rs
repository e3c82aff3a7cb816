//! What a process may do, as plain data: made from a policy, printed, compared, and held by the kernel.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Cache;

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
