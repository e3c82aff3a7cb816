//! Paths that a call could mean, without saying what it does with them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{PathAccess, WriteKind};

/// How a command would use a path among its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// It only reads there: the program and all its options are known.
    Read,
    /// It changes what is there.
    Write(WriteKind),
    /// Not known.
    #[default]
    Either,
}

/// How far below a path a command goes. Ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Not at all: of a folder, it sees the names at most.
    #[default]
    Itself,
    /// It shows what changed below, of which it is not known where: `git diff`.
    Changed,
    /// It goes through everything below that is not hidden: `rg`.
    Shown,
    /// It goes through everything below.
    All,
}

/// A path that a word is, holds (`@x`, `--o=x`, `k:x`) or could mean: for deny, ask and protection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Touch {
    /// The path, as far as it is known.
    pub path: TouchedPath,
    /// How it is used.
    #[serde(default)]
    pub how: Use,
    /// How far below it the command goes.
    #[serde(default)]
    pub reach: Reach,
}

/// A path as a word gives it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TouchedPath {
    /// It is known.
    Known(PathAccess),
    /// Some of its text is known.
    Open(OpenPath),
}

/// A path of which only some text is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OpenPath {
    /// As it was written.
    pub given: String,
    /// The known text and, as `None`, what is not known. Absolute if the first piece begins with `/`:
    /// then `.`, `..` and links of its known folders are resolved. It may be any path if the first
    /// piece is `None` and [`Self::slashes`] holds.
    pub pieces: Vec<Option<String>>,
    /// Whether what is not known may hold `/`: it comes from an expansion, and not from a glob.
    #[serde(default)]
    pub slashes: bool,
}

/// As many strings of one call's arguments are looked at as paths.
const MOST: usize = 256;

impl Touch {
    /// A known path.
    #[must_use]
    pub fn known(path: PathAccess, how: Use) -> Self {
        Self { path: TouchedPath::Known(path), how, reach: Reach::Itself }
    }

    /// Strings of a tool's arguments that are paths, or addresses of files.
    #[must_use]
    pub fn of_arguments(arguments: &Value, cwd: &Path) -> Vec<Self> {
        let mut found = Vec::new();
        let mut todo = vec![arguments];
        while let Some(value) = todo.pop() {
            match value {
                Value::String(text) if found.len() < MOST => {
                    let text = text.strip_prefix("file://").unwrap_or(text);
                    let one_line = !text.is_empty() && text.len() <= 4096 && !text.contains('\n');
                    if one_line {
                        found.push(Self::known(PathAccess::new(cwd, text), Use::Either));
                    }
                }
                Value::Array(items) => todo.extend(items),
                Value::Object(members) => todo.extend(members.values()),
                _ => {}
            }
        }
        found
    }
}
