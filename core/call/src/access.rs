//! One thing that a call would touch.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shell::Touch;
use super::{LineLookups, PathAccess, ShellAccess, UrlAccess};

/// What the matrix is about (D4.17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Looks, and changes nothing.
    Read,
    /// Changes files.
    Write,
    /// Runs something.
    Execute,
    /// Reaches beyond this machine, or into a tool server.
    External,
}

impl Category {
    /// The word for it in files and on cards.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::External => "external",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a file is changed. `write` in a rule means any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteKind {
    /// It is not said how, or the whole file is written.
    Write,
    /// A file that was not there.
    Create,
    /// A part of a file.
    Edit,
    /// The file goes.
    Delete,
    /// The file gets another name.
    Move,
}

impl WriteKind {
    /// The selector's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
        }
    }
}

/// A call of a tool on an MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpAccess {
    /// Every way to split the name that was given into server and tool: one where it is certain.
    /// All count for deny and ask, and more than one for no allow (D1.23).
    pub readings: Vec<(String, String)>,
    /// The arguments.
    pub arguments: Value,
    /// Paths among the strings of the arguments: for deny, ask and protection.
    #[serde(default)]
    pub touches: Vec<Touch>,
    /// The paths that arguments could mean, each by its name: for rules about them. An argument that could mean something else
    /// is not among them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paths: BTreeMap<String, Vec<PathAccess>>,
    /// What its arguments would reach and run, where the server does as they say: for rules that deny or ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<Access>,
    /// The same of which it is only a guess that a text means it: asked about at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<Access>,
    /// The category that the server claims for the tool, where the user trusts it in that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Category>,
    /// Who asks for the call wants nobody asked about the tool, and the user trusts it in that: it counts where nothing else
    /// speaks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spared: bool,
}

impl McpAccess {
    /// A call with these readings of its name; paths among its arguments are looked up from `cwd`, and from the user's home
    /// folder.
    #[must_use]
    pub fn new(readings: Vec<(String, String)>, arguments: Value, cwd: &Path) -> Self {
        Self::with_home(readings, arguments, cwd, crate::home_folder().as_deref())
    }

    /// The same with another home folder, or none.
    #[must_use]
    pub fn with_home(
        readings: Vec<(String, String)>,
        arguments: Value,
        cwd: &Path,
        home: Option<&Path>,
    ) -> Self {
        let looked = LineLookups::default();
        let tool = super::argument_names::ToolKind::of(&readings);
        let (touches, paths, (inside, guesses)) = super::effort::bounded(|| {
            let touches = Touch::of_arguments(&arguments, cwd, home, &looked);
            let paths = super::argument::paths_by_argument(&arguments, cwd, &looked);
            (touches, paths, super::argument_calls::accesses_in_arguments(&arguments, tool, cwd, home))
        });
        Self { readings, arguments, touches, paths, inside, guesses, claims: None, spared: false }
    }

    /// Every way to split the name `joined` into a server and a tool at one of its `separator`s. Overlapping: with `__`,
    /// `a___b` is `a` and `_b`, or `a_` and `b`.
    #[must_use]
    pub fn split_name(joined: &str, separator: &str) -> Vec<(String, String)> {
        (0..joined.len())
            .filter(|at| joined.get(*at..).is_some_and(|rest| rest.starts_with(separator)))
            .filter_map(|at| Some((joined.get(..at)?, joined.get(at + separator.len()..)?)))
            .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
            .map(|(server, tool)| (server.to_owned(), tool.to_owned()))
            .collect()
    }

    /// The server and tool, where the name has just one reading.
    #[must_use]
    pub fn unique_reading(&self) -> Option<(&str, &str)> {
        match self.readings.as_slice() {
            [(server, tool)] => Some((server, tool)),
            _ => None,
        }
    }
}

/// One thing that a call would touch (D1.10).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// A file or folder is read.
    Read(PathAccess),
    /// A file is changed.
    Write(WriteKind, PathAccess),
    /// One simple command, or a line that was not understood.
    Shell(ShellAccess),
    /// An address is fetched.
    Fetch(UrlAccess),
    /// A tool on an MCP server.
    Mcp(McpAccess),
    /// Any other tool of the agent, by its name.
    Tool {
        /// The tool's name, or the protocol's kind where it has none.
        name: String,
        /// `think` reads; everything else runs.
        category: Category,
    },
    /// A switch of the agent's mode.
    Mode {
        /// The mode or option that would be set.
        id: String,
    },
}

impl Access {
    /// A change of a file or folder. Of a folder that goes away, it is looked up what goes with it.
    #[must_use]
    pub fn write(kind: WriteKind, path: PathAccess) -> Self {
        let goes = matches!(kind, WriteKind::Delete | WriteKind::Move);
        Self::Write(kind, if goes { path.with_contents() } else { path })
    }

    /// The row of the matrix; none for mode switches, which are asked about in every mode.
    #[must_use]
    pub fn category(&self) -> Option<Category> {
        match self {
            Self::Read(_) => Some(Category::Read),
            Self::Write(..) => Some(Category::Write),
            Self::Shell(_) => Some(Category::Execute),
            Self::Fetch(_) | Self::Mcp(_) => Some(Category::External),
            Self::Tool { category, .. } => Some(*category),
            Self::Mode { .. } => None,
        }
    }

    /// What is touched, as text. Not escaped: surfaces do that.
    #[must_use]
    pub fn object(&self) -> String {
        match self {
            Self::Read(path) | Self::Write(_, path) => super::display_path(&path.resolved).into_owned(),
            Self::Shell(shell) => shell.text(),
            Self::Fetch(url) => url.href.clone(),
            Self::Mcp(mcp) => match mcp.readings.first() {
                Some((server, tool)) => format!("{server}/{tool}"),
                None => "?".to_owned(),
            },
            Self::Tool { name, .. } => name.clone(),
            Self::Mode { id } => id.clone(),
        }
    }
}

impl Access {
    /// The form that findings, cards and the record use: `shell(rm -rf x)`. Written for every decision.
    #[must_use]
    pub fn text(&self) -> String {
        let around = |object: &str| [self.selector().as_str(), "(", object, ")"].concat();
        match self {
            Self::Read(path) | Self::Write(_, path) => around(&super::display_path(&path.resolved)),
            Self::Fetch(url) => around(&url.href),
            _ => around(&self.object()),
        }
    }
}

impl fmt::Display for Access {
    /// As [`Access::text`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
