//! Paths that a call could mean, without saying what it does with them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::program::{self, ArgumentText};
use crate::argument_names::Quoting;
use crate::{LineLookups, PathAccess, WriteKind};

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
    /// As [`Self::Said`], and the text may as well mean nothing of the sort: what it is about is asked about, and never denied.
    Mentioned,
    /// Not at all, and only where somebody wrote a rule about the path: it stands in a text which may mean it.
    Said,
    /// Not at all: of a folder, it sees the names at most.
    #[default]
    Itself,
    /// As [`Self::Unmade`], but for what is hidden.
    UnmadeShown,
    /// Nothing is there: it would go through everything below, were a folder made there before it runs.
    Unmade,
    /// It shows what changed below, of which it is not known where: `git diff`.
    Changed,
    /// It shows what was there at any time, of which it is not known where: `git show`.
    Past,
    /// It changes something below, of which it is not known where: `git checkout main`.
    Somewhere,
    /// It goes through everything below that is not hidden: `rg`.
    Shown,
    /// It goes through everything below.
    All,
}

impl Reach {
    /// Whether it is not known what below the path is meant.
    #[must_use]
    pub fn is_unsure(self) -> bool {
        matches!(self, Self::Changed | Self::Past | Self::Somewhere)
    }

    /// The same for a path at which no folder is: nothing lies below a file, and below nothing could lie anything by then.
    pub(crate) fn without_folder(self, there: bool) -> Self {
        match self {
            Self::All if !there => Self::Unmade,
            Self::Shown if !there => Self::UnmadeShown,
            _ => Self::Itself,
        }
    }
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
    /// Whether what is not known can't go up, as `..` does: see [`OpenWord::stays_below`](super::OpenWord::stays_below).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays_below: bool,
    /// What it gives now was looked up, and each path of that is a touch of its own: it could be others only if somebody
    /// makes them in between.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looked_up: bool,
}

/// As many strings of one call's arguments are looked at as paths.
const MOST: usize = 1024;
/// As much text is read as arguments inside of arguments, and as deep.
const LONGEST_INNER: usize = 64 * 1024;
const DEEPEST_INNER: usize = 4;

/// The strings of a tool's arguments.
#[derive(Default)]
struct ArgumentStrings {
    values: Vec<ArgumentText>,
    names: Vec<ArgumentText>,
    /// One of them says that links are followed.
    follows: bool,
}

impl ArgumentStrings {
    fn collect_from(&mut self, arguments: Value, name: &str, depth: usize) {
        let mut todo = vec![(arguments, Quoting::of(name))];
        while let Some((value, quoting)) = todo.pop() {
            if self.values.len() + self.names.len() > MOST {
                return;
            }
            match value {
                Value::String(text) => {
                    let json = text.trim_start().starts_with(['{', '[', '"']);
                    if json
                        && depth < DEEPEST_INNER
                        && text.len() <= LONGEST_INNER
                        && let Ok(inner) = serde_json::from_str(&text)
                    {
                        let name = match quoting {
                            Quoting::Program => "code",
                            Quoting::Question => "query",
                            Quoting::Nothing => "",
                        };
                        self.collect_from(inner, name, depth + 1);
                    }
                    let code = quoting.counts_in(&text);
                    self.values.push(ArgumentText { text, code, value: true });
                }
                Value::Array(items) => todo.extend(items.into_iter().map(|item| (item, quoting))),
                Value::Object(members) => {
                    for (name, member) in members {
                        let yes = member == Value::Bool(true) || member.as_str() == Some("true");
                        self.follows |= yes && says_to_follow(&name);
                        todo.push((member, Quoting::of(&name)));
                        self.names.push(ArgumentText { text: name, code: false, value: false });
                    }
                }
                _ => {}
            }
        }
    }
}

/// `followSymlinks`, `dereference`.
fn says_to_follow(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["follow", "dereference", "symlink"].iter().any(|word| name.contains(word))
}

impl Touch {
    /// A known path.
    #[must_use]
    pub fn known_path(path: PathAccess, how: Use) -> Self {
        Self { path: TouchedPath::Known(path), how, reach: Reach::Itself }
    }

    /// Strings of a tool's arguments that are paths, or addresses of files.
    pub(crate) fn of_arguments(
        arguments: &Value,
        cwd: &Path,
        home: Option<&Path>,
        looked: &LineLookups,
    ) -> Vec<Self> {
        let mut texts = ArgumentStrings::default();
        texts.collect_from(arguments.clone(), "", 0);
        // What is a value is more likely to be a path than what is a name.
        let all = texts.values.iter().chain(&texts.names);
        program::touches_in_strings(all, texts.follows, cwd, home, looked)
    }
}
