//! Patterns: `selector(argument)`, as rules and grants write them (decisions, section 3).

mod fetch;
mod mcp;
mod path;
mod shell;

use std::fmt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use thiserror::Error;

pub use mcp::ArgGlobs;

use crate::call::{Access, Names, WriteKind};

/// What a pattern may be about.
#[derive(Clone, Debug)]
enum Matcher {
    /// `*`: everything.
    Everything,
    Read(path::PathPattern),
    /// `write` means any kind of change; the others just theirs.
    Write(WriteKind, path::PathPattern),
    Shell(shell::ShellPattern),
    Fetch(fetch::FetchPattern),
    Mcp(mcp::McpPattern),
    Tool(GlobMatcher),
    Mode(GlobMatcher),
}

/// A pattern, compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    matcher: Matcher,
}

/// Why a pattern was refused. One line, lower case, with what to write instead.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    /// Not of the form `selector(argument)`.
    #[error(
        "`{0}` is not a pattern: write selector(argument), such as `shell(cargo test *)` or `write(src/**)`"
    )]
    Form(String),
    /// No such selector.
    #[error(
        "no selector is called `{0}`: write read, write, create, edit, delete, move, shell, fetch, mcp, tool or mode"
    )]
    Selector(String),
    /// The argument is missing.
    #[error("`{0}()` needs an argument: `{0}(*)` means any, where that is what you want")]
    Empty(String),
    /// The argument is wrong for this selector.
    #[error("{what}: {hint}")]
    Argument {
        /// What is wrong.
        what: String,
        /// What to write instead.
        hint: String,
    },
}

impl PatternError {
    pub(crate) fn argument(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Argument { what: what.into(), hint: hint.into() }
    }
}

/// What relative and `~` patterns start from. Links are followed while a pattern is compiled, so
/// that matching needs no file system.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The user's home folder.
    pub home: Option<PathBuf>,
}

impl Pattern {
    /// Reads and compiles a pattern.
    ///
    /// # Errors
    /// Says what is wrong and what to write instead.
    pub fn parse(text: &str, places: &Places) -> Result<Self, PatternError> {
        Self::with_args(text, None, places)
    }

    /// The long form, with globs for arguments of `mcp`.
    ///
    /// # Errors
    /// As [`Self::parse`]; also if `args` are given to a selector other than `mcp`.
    pub fn with_args(text: &str, args: Option<ArgGlobs>, places: &Places) -> Result<Self, PatternError> {
        let text = text.trim();
        if args.is_some() && !text.starts_with("mcp(") {
            return Err(PatternError::argument("`args` belong to `mcp(...)` alone", "leave them out here"));
        }
        let matcher = if text == "*" { Matcher::Everything } else { matcher(text, args, places)? };
        Ok(Self { text: text.to_owned(), matcher })
    }

    /// A pattern for exactly these words and nothing else: what "Allow for this session" of a
    /// command remembers.
    #[must_use]
    pub fn exact_command(words: &[String]) -> Self {
        let text = format!("shell({})", crate::call::shell::join(words));
        Self { text, matcher: Matcher::Shell(shell::ShellPattern::exact(words)) }
    }

    /// A pattern for one path, or for everything below a folder.
    ///
    /// # Errors
    /// If the path can't be written as a glob.
    pub fn exact_path(selector: &str, path: &Path, below: bool) -> Result<Self, PatternError> {
        let escaped = escape(&path.display().to_string());
        let argument = if below { format!("{}/**", escaped.trim_end_matches('/')) } else { escaped };
        let text = format!("{selector}({argument})");
        // Not trimmed: a name may end in a space.
        let path = path::PathPattern::parse_exactly(&argument, &Places::default())?;
        let matcher = match selector {
            "read" => Matcher::Read(path),
            "create" => Matcher::Write(WriteKind::Create, path),
            "edit" => Matcher::Write(WriteKind::Edit, path),
            "delete" => Matcher::Write(WriteKind::Delete, path),
            "move" => Matcher::Write(WriteKind::Move, path),
            "write" => Matcher::Write(WriteKind::Write, path),
            other => return Err(PatternError::Selector(other.to_owned())),
        };
        Ok(Self { text, matcher })
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it names exactly one thing to do: these words, reading this path, or one kind of
    /// change to this path. A host, a server or a tool is never one thing: much can be done there.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let plain = || !self.text.contains(['*', '?', '[', '{']);
        match &self.matcher {
            Matcher::Shell(shell) => shell.is_exact(),
            Matcher::Read(_) => plain(),
            Matcher::Write(kind, _) => *kind != WriteKind::Write && plain(),
            _ => false,
        }
    }

    /// Whether it is certain that this is about `access`: how allows and grants match.
    #[must_use]
    pub fn allows(&self, access: &Access, roots: &[PathBuf]) -> bool {
        match (&self.matcher, access) {
            (Matcher::Everything, access) => match access {
                Access::Mode { .. } => false,
                Access::Shell(shell) => shell.understood,
                Access::Mcp(mcp) => mcp.certain().is_some_and(|(s, t)| Names::plain(s) && Names::plain(t)),
                Access::Tool { name, .. } => Names::plain(name),
                _ => true,
            },
            (Matcher::Read(pattern), Access::Read(path)) => pattern.allows(path, roots),
            (Matcher::Write(kind, pattern), Access::Write(of, path)) => {
                covers(*kind, *of) && pattern.allows(path, roots)
            }
            (Matcher::Shell(pattern), Access::Shell(shell)) => {
                shell.literal().is_some_and(|argv| pattern.allows(&argv))
            }
            (Matcher::Fetch(pattern), Access::Fetch(url)) => pattern.allows(url),
            (Matcher::Mcp(pattern), Access::Mcp(mcp)) => pattern.allows(mcp),
            (Matcher::Tool(glob), Access::Tool { name, .. }) => Names::plain(name) && glob.is_match(name),
            _ => false,
        }
    }

    /// Whether this could be about `access`: how asks and denials match.
    #[must_use]
    pub fn concerns(&self, access: &Access, roots: &[PathBuf]) -> bool {
        match (&self.matcher, access) {
            (Matcher::Everything, _) => true,
            (Matcher::Read(pattern), Access::Read(path)) => pattern.concerns(path, roots),
            (Matcher::Write(kind, pattern), Access::Write(of, path)) => {
                // What is only said to be written could be any kind of change.
                (covers(*kind, *of) || *of == WriteKind::Write) && pattern.concerns(path, roots)
            }
            (Matcher::Shell(pattern), Access::Shell(shell)) => pattern.concerns(shell),
            (Matcher::Fetch(pattern), Access::Fetch(url)) => pattern.concerns(url),
            (Matcher::Mcp(pattern), Access::Mcp(mcp)) => pattern.concerns(mcp),
            (Matcher::Tool(glob), Access::Tool { name, .. }) => glob.is_match(name),
            (Matcher::Mode(glob), Access::Mode { id }) => glob.is_match(id),
            _ => false,
        }
    }

    /// Whether it is certain that `access` was meant by this `unless`: as [`Self::allows`], and a
    /// last word `*` covers no options.
    #[must_use]
    pub fn excepts(&self, access: &Access, roots: &[PathBuf]) -> bool {
        match (&self.matcher, access) {
            (Matcher::Shell(pattern), Access::Shell(shell)) => {
                shell.literal().is_some_and(|argv| pattern.excepts(&argv))
            }
            (Matcher::Mode(glob), Access::Mode { id }) => glob.is_match(id),
            _ => self.allows(access, roots),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Text as a glob that matches just it. (The one of globset leaves backslashes as they are.)
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn covers(pattern: WriteKind, access: WriteKind) -> bool {
    pattern == WriteKind::Write || pattern == access
}

fn matcher(text: &str, args: Option<ArgGlobs>, places: &Places) -> Result<Matcher, PatternError> {
    let form = || PatternError::Form(text.to_owned());
    let (selector, rest) = text.split_once('(').ok_or_else(form)?;
    let argument = rest.strip_suffix(')').ok_or_else(form)?;
    let selector = selector.trim();
    if argument.trim().is_empty() {
        return Err(PatternError::Empty(selector.to_owned()));
    }
    let path = || path::PathPattern::parse(argument, places);
    Ok(match selector {
        "read" => Matcher::Read(path()?),
        "write" => Matcher::Write(WriteKind::Write, path()?),
        "create" => Matcher::Write(WriteKind::Create, path()?),
        "edit" => Matcher::Write(WriteKind::Edit, path()?),
        "delete" => Matcher::Write(WriteKind::Delete, path()?),
        "move" => Matcher::Write(WriteKind::Move, path()?),
        "shell" => Matcher::Shell(shell::ShellPattern::parse(argument)?),
        "fetch" => Matcher::Fetch(fetch::FetchPattern::parse(argument)?),
        "mcp" => Matcher::Mcp(mcp::McpPattern::parse(argument, args)?),
        "tool" => Matcher::Tool(name_glob(argument)?),
        "mode" => Matcher::Mode(name_glob(argument)?),
        other => return Err(PatternError::Selector(other.to_owned())),
    })
}

pub(crate) fn name_glob(text: &str) -> Result<GlobMatcher, PatternError> {
    GlobBuilder::new(text.trim())
        .literal_separator(false)
        .backslash_escape(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| PatternError::argument(format!("`{text}` is not a glob"), error.kind().to_string()))
}

#[cfg(test)]
mod tests;
