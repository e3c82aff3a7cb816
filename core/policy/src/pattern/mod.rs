//! Patterns: `selector(argument)`, as rules and grants write them (D3).

mod access_forms;
mod doubts;
mod fetch;
pub(crate) mod glob;
mod mcp;
pub(crate) mod path;
pub(crate) mod shell;
mod touch;

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use doubts::Doubt;
pub use mcp::{ArgGlobs, ArgumentConditions};
pub use shell::regexes_compiled;

pub(crate) use access_forms::AccessForms;
pub(crate) use path::could_stay_at;
pub(crate) use touch::{Certainty, PatternAuthor, TouchForms, TouchMatch, above_write};

use super::aliases::tool_names;
use super::fold::fold_text;
use glob::Globs;
use mayi_call::effort;
use mayi_call::{Access, Caveat, Names, PathResolver, Selector, ShellAccess, WriteKind};
use path::{AncestorMatch, Fit};

/// Steps for each comparison with a pattern, besides those for what is long. Where nothing is left of them nothing matches any
/// more, and the decision says so.
pub(crate) const COMPARISON: usize = 4;

/// What a pattern may be about.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    /// `*`: everything.
    Everything,
    Read(path::PathPattern),
    /// `write` means any kind of change; the others just theirs.
    Write(WriteKind, path::PathPattern),
    Shell(shell::ShellPattern),
    Fetch(fetch::FetchPattern),
    Mcp(mcp::McpPattern),
    Tool(Globs),
    Mode(Globs),
}

/// A pattern, compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    matcher: Matcher,
    /// What the long form says besides, as it was written.
    conditions: Option<Box<ArgumentConditions>>,
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
        "no selector is called `{word}`: write {list}", word = .0, list = Selector::words_as_sentence()
    )]
    Selector(String),
    /// Not about paths.
    #[error("`{0}` is not about paths: write read, or a kind of change")]
    NoPath(Selector),
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
    pub(crate) fn bad_argument(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Argument { what: what.into(), hint: hint.into() }
    }
}

/// What relative and `~` patterns start from. Links are followed while a pattern is compiled, so
/// that matching needs no file system.
#[derive(Clone, Debug, Default)]
pub struct PatternBases {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The session's folders, as far as they are known: links in the literal part of a pattern that is
    /// anchored at them are followed.
    pub roots: Vec<PathBuf>,
    /// What was looked up for other patterns, where many are compiled at once; none: each looks by itself.
    pub ways: Option<PathResolver>,
    /// No link is followed: for patterns of which it is known that none is on their way.
    pub as_written: bool,
}

impl PatternBases {
    /// The same for many patterns that are compiled at once: what lies above several of them is looked up once. Not to be kept
    /// for later ones.
    #[must_use]
    pub fn of_one_moment(home: Option<PathBuf>, roots: Vec<PathBuf>) -> Self {
        Self { home, roots, ways: Some(PathResolver::default()), as_written: false }
    }

    /// Places for a path that is absolute, with what was looked up.
    pub(crate) fn for_absolute(&self) -> Self {
        Self { ways: self.ways.clone(), as_written: self.as_written, ..Self::default() }
    }
}

impl Pattern {
    /// Reads and compiles a pattern.
    ///
    /// # Errors
    /// Says what is wrong and what to write instead.
    pub fn parse(text: &str, places: &PatternBases) -> Result<Self, PatternError> {
        Self::with_conditions(text, ArgumentConditions::default(), places)
    }

    /// The long form, with globs for arguments of `mcp`.
    ///
    /// # Errors
    /// As [`Self::parse`]; also if `args` are given to a selector other than `mcp`.
    pub fn with_args(
        text: &str,
        args: Option<ArgGlobs>,
        places: &PatternBases,
    ) -> Result<Self, PatternError> {
        Self::with_conditions(text, ArgumentConditions { args, paths: None }, places)
    }

    /// The long form, with globs for arguments of `mcp`, and for those that are paths.
    ///
    /// # Errors
    /// As [`Self::with_args`].
    pub fn with_conditions(
        text: &str,
        of: ArgumentConditions,
        places: &PatternBases,
    ) -> Result<Self, PatternError> {
        let text = text.trim();
        for (name, given) in [("args", of.args.is_some()), ("paths", of.paths.is_some())] {
            if given && !text.starts_with("mcp(") {
                let what = format!("`{name}` belong to `mcp(...)` alone");
                return Err(PatternError::bad_argument(what, "leave them out here"));
            }
        }
        let conditions = (of.args.is_some() || of.paths.is_some()).then(|| Box::new(of.clone()));
        let matcher = if text == "*" { Matcher::Everything } else { parse_matcher(text, of, places)? };
        Ok(Self { text: text.to_owned(), matcher, conditions })
    }

    /// The pattern about everything.
    pub(crate) fn everything() -> Self {
        Self { text: "*".to_owned(), matcher: Matcher::Everything, conditions: None }
    }

    /// As many bytes as compiling `text` may take, about: a regular expression and braces take far more
    /// than they are long.
    #[must_use]
    pub fn compile_cost(text: &str) -> usize {
        let argument = text.trim().strip_prefix("shell(").and_then(|rest| rest.strip_suffix(')'));
        if argument.and_then(shell::regex_source).is_some() {
            shell::LARGEST_REGEX
        } else if text.contains('{') {
            text.len().saturating_mul(glob::MOST_ALTERNATIVES)
        } else {
            text.len()
        }
    }

    /// A pattern for exactly this command, with its assignments, and nothing else: what "Allow for this
    /// session" of a command remembers. None if not all of it is known.
    #[must_use]
    pub fn exact_command(shell: &ShellAccess) -> Option<Self> {
        if !shell.understood || shell.words.is_empty() {
            return None;
        }
        let words = shell.words.iter().map(mayi_call::shell::Word::literal).collect::<Option<Vec<_>>>()?;
        let assignments = shell.assignments.iter().map(|of| Some((of.name.as_str(), of.value.literal()?)));
        let assignments = assignments.collect::<Option<Vec<_>>>()?;
        let text = format!("shell({})", shell.text());
        let matcher = Matcher::Shell(shell::ShellPattern::exact_command(&assignments, &words));
        Some(Self { text, matcher, conditions: None })
    }

    /// A pattern for one path, or for everything below a folder.
    ///
    /// # Errors
    /// If the path can't be written as a glob.
    pub fn exact_path(selector: Selector, path: &Path, below: bool) -> Result<Self, PatternError> {
        let escaped = escape_glob(&path.display().to_string());
        let argument = if below { format!("{}/**", escaped.trim_end_matches('/')) } else { escaped };
        Self::of_path(selector, &argument, &PatternBases::default())
    }

    /// As [`Self::exact_path`], with what was looked up for others.
    ///
    /// # Errors
    /// If the path can't be written as a glob.
    pub fn exact_path_at(
        selector: Selector,
        path: &Path,
        places: &PatternBases,
    ) -> Result<Self, PatternError> {
        Self::of_path(selector, &escape_glob(&path.display().to_string()), &places.for_absolute())
    }

    /// A pattern for the names that lie directly in a folder and are not hidden.
    ///
    /// # Errors
    /// If the path can't be written as a glob.
    pub fn names_in(selector: Selector, folder: &Path) -> Result<Self, PatternError> {
        let escaped = escape_glob(&folder.display().to_string());
        Self::of_path(selector, &format!("{}/[!.]*", escaped.trim_end_matches('/')), &PatternBases::default())
    }

    fn of_path(selector: Selector, argument: &str, places: &PatternBases) -> Result<Self, PatternError> {
        let text = format!("{selector}({argument})");
        // Not trimmed: a name may end in a space.
        let path = path::PathPattern::parse_exactly(argument, places)?;
        let matcher = match selector {
            Selector::Read => Matcher::Read(path),
            Selector::Write(kind) => Matcher::Write(kind, path),
            Selector::Shell | Selector::Fetch | Selector::Mcp | Selector::Tool | Selector::Mode => {
                return Err(PatternError::NoPath(selector));
            }
        };
        Ok(Self { text, matcher, conditions: None })
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What the long form says besides.
    pub(crate) fn conditions(&self) -> Option<&ArgumentConditions> {
        self.conditions.as_deref()
    }

    /// Where its paths begin, as they are written: from the top, or so many folders above each root, and the names from
    /// there on.
    pub(crate) fn path_prefixes(&self) -> Vec<(Option<usize>, Vec<&str>)> {
        match &self.matcher {
            Matcher::Read(path) | Matcher::Write(_, path) => path.path_prefixes().collect(),
            Matcher::Mcp(mcp) => mcp.path_prefixes().collect(),
            _ => Vec::new(),
        }
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

    /// Whether it names one tool of one server.
    pub(crate) fn names_a_tool(&self) -> bool {
        let plain = self.text.contains('/') && !self.text.contains(['*', '?', '[', '{']);
        plain && matches!(&self.matcher, Matcher::Mcp(_))
    }

    /// Whether it is certain that this is about `access`: how allows and grants match.
    #[must_use]
    pub fn certainly_matches(&self, access: &Access, roots: &[PathBuf]) -> bool {
        self.certainly_matches_forms(&AccessForms::new(access, roots))
    }

    /// As [`Self::certainly_matches`], with what was worked out once for many patterns.
    pub(crate) fn certainly_matches_forms(&self, seen: &AccessForms<'_>) -> bool {
        if !effort::spend(COMPARISON) {
            return false;
        }
        match (&self.matcher, seen.access) {
            (Matcher::Everything, access) => match access {
                Access::Mode { .. } => false,
                Access::Shell(shell) => shell.understood,
                Access::Mcp(mcp) => {
                    mcp.unique_reading().is_some_and(|(s, t)| Names::is_plain(s) && Names::is_plain(t))
                }
                Access::Tool { name, .. } => Names::is_plain(name),
                Access::Fetch(url) => !url.unsound && !url.open,
                Access::Read(_) | Access::Write(..) => true,
            },
            (Matcher::Read(pattern), access) => {
                matches!(access, Access::Read(_))
                    && seen.path().is_some_and(|path| pattern.certainly_matches(path))
            }
            (Matcher::Write(kind, pattern), access) => {
                let Access::Write(of, _) = access else { return false };
                // Who changes a folder changes files below it, and leaves the folder where it is (D3.6).
                let edits = *of == WriteKind::Edit;
                write_kind_covers(*kind, *of)
                    && seen.path().is_some_and(|path| {
                        pattern.certainly_matches(path) || (edits && pattern.certainly_matches_in_root(path))
                    })
            }
            (Matcher::Shell(pattern), access) => {
                matches!(access, Access::Shell(shell) if pattern.certainly_matches(shell))
            }
            (Matcher::Fetch(pattern), access) => {
                matches!(access, Access::Fetch(url) if pattern.certainly_matches(url))
            }
            (Matcher::Mcp(pattern), access) => {
                matches!(access, Access::Mcp(mcp) if pattern.certainly_matches(mcp, seen.roots))
            }
            (Matcher::Tool(glob), access) => {
                matches!(access, Access::Tool { name, .. } if Names::is_plain(name) && glob.matches(name))
            }
            // A switch of the agent's mode is asked about in every mode, whatever is allowed.
            (Matcher::Mode(_), _) => false,
        }
    }

    /// Whether it is certain that this is about an address of which not all is known, where it is about it.
    pub(crate) fn is_certain_of(&self, address: &Access) -> bool {
        match (&self.matcher, address) {
            (Matcher::Fetch(pattern), Access::Fetch(url)) => pattern.is_certain(url),
            _ => true,
        }
    }

    /// Whether an allow that matches `shell` names what `caveat` is about, and so allows that too
    /// (D2.19).
    #[must_use]
    pub fn names_caveat(&self, shell: &ShellAccess, caveat: &Caveat) -> bool {
        matches!(&self.matcher, Matcher::Shell(pattern) if pattern.certainly_matches(shell) && pattern.names_caveat(shell, caveat))
    }

    /// Why it never matches as an allow, if it can't: it was written as more than one command.
    #[must_use]
    pub fn never_allows(&self) -> Option<&'static str> {
        matches!(&self.matcher, Matcher::Shell(pattern) if pattern.has_operators())
            .then_some("commands are allowed one by one: write a rule for each")
    }

    /// Whether this could be about `access`: how asks and denials match.
    #[must_use]
    pub fn could_match(&self, access: &Access, roots: &[PathBuf]) -> bool {
        self.fit(&AccessForms::new(access, roots), PatternAuthor::ByHand) != Fit::No
    }

    /// As [`Self::could_match`], with what was worked out once for many patterns.
    pub(crate) fn could_match_forms(&self, seen: &AccessForms<'_>) -> bool {
        self.fit(seen, PatternAuthor::ByHand) != Fit::No
    }

    /// Whether, and how, this could be about an access, where `written` says whose pattern it is.
    pub(crate) fn fit(&self, seen: &AccessForms<'_>, written: PatternAuthor) -> Fit {
        if !effort::spend(COMPARISON) {
            return Fit::No;
        }
        let fits = match (&self.matcher, seen.access) {
            (Matcher::Read(pattern), access) => {
                let Access::Read(_) = access else { return Fit::No };
                return seen.path().map(|path| pattern.fit(path, AncestorMatch::No)).unwrap_or_default();
            }
            (Matcher::Write(kind, pattern), access) => {
                let Access::Write(of, path) = access else { return Fit::No };
                // What is only said to be written could be any kind of change.
                if !write_kind_covers(*kind, *of) && *of != WriteKind::Write {
                    return Fit::No;
                }
                let Some(seen) = seen.path() else { return Fit::No };
                let above = touch::above_write(*of, path.folder);
                let fit = match written {
                    PatternAuthor::ByHand => return pattern.fit(seen, above),
                    PatternAuthor::BuiltIn | PatternAuthor::Named => {
                        pattern.fit(seen, above.min(AncestorMatch::PlaceBelowRoot))
                    }
                };
                // What is built in is about any folder of the machine: it counts where it really is.
                let takes_along = above == AncestorMatch::Any && fit == Fit::No;
                return if takes_along && pattern.fits_below(seen, &path.holds) { Fit::Above } else { fit };
            }
            (Matcher::Everything, _) => true,
            (Matcher::Shell(pattern), access) => {
                matches!(access, Access::Shell(_))
                    && seen.shell().is_some_and(|shell| pattern.could_match(shell))
            }
            (Matcher::Fetch(pattern), access) => {
                matches!(access, Access::Fetch(url) if pattern.could_match(url))
            }
            (Matcher::Mcp(pattern), access) => {
                matches!(access, Access::Mcp(mcp) if pattern.could_match(mcp, seen.roots))
            }
            (Matcher::Tool(glob), access) => {
                matches!(access, Access::Tool { name, .. }
                    if tool_names(name).iter().any(|name| glob.matches_folded(&fold_text(name))))
            }
            (Matcher::Mode(glob), access) => {
                matches!(access, Access::Mode { id } if glob.matches_folded(&fold_text(id)))
            }
        };
        if fits { Fit::Whole } else { Fit::No }
    }

    /// Whether it is certain that `access` was meant by this `unless`: as [`Self::certainly_matches`], and a
    /// last word `*` covers no options.
    #[must_use]
    pub fn excepts(&self, access: &Access, roots: &[PathBuf]) -> bool {
        match (&self.matcher, access) {
            (Matcher::Shell(pattern), Access::Shell(shell)) => pattern.excepts(shell),
            (Matcher::Mode(glob), Access::Mode { id }) => glob.matches(id),
            _ => self.certainly_matches(access, roots),
        }
    }

    /// Whether it is about arguments that are paths on this machine.
    pub(crate) fn has_paths(&self) -> bool {
        matches!(&self.matcher, Matcher::Mcp(pattern) if pattern.has_paths())
    }

    /// Whether it is about machines below a name of more than one part: others are like the names of files, `*.sh`.
    pub(crate) fn names_a_machine(&self) -> bool {
        matches!(&self.matcher, Matcher::Fetch(pattern) if pattern.host().is_some_and(|host| host.contains('.')))
    }

    /// Whether it is `*`.
    pub(crate) fn is_everything(&self) -> bool {
        matches!(self.matcher, Matcher::Everything)
    }

    /// What it is about, for the index.
    pub(crate) fn matcher(&self) -> &Matcher {
        &self.matcher
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Text as a glob that matches just it.
#[must_use]
pub fn escape_glob(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn write_kind_covers(pattern: WriteKind, access: WriteKind) -> bool {
    pattern == WriteKind::Write || pattern == access
}

fn parse_matcher(text: &str, of: ArgumentConditions, places: &PatternBases) -> Result<Matcher, PatternError> {
    let form = || PatternError::Form(text.to_owned());
    let (selector, rest) = text.split_once('(').ok_or_else(form)?;
    let argument = rest.strip_suffix(')').ok_or_else(form)?;
    let selector = selector.trim();
    if argument.trim().is_empty() {
        return Err(PatternError::Empty(selector.to_owned()));
    }
    let selector: Selector = selector.parse().map_err(|_| PatternError::Selector(selector.to_owned()))?;
    let path = || path::PathPattern::parse(argument, places);
    Ok(match selector {
        Selector::Read => Matcher::Read(path()?),
        Selector::Write(kind) => Matcher::Write(kind, path()?),
        Selector::Shell => Matcher::Shell(shell::ShellPattern::parse(argument, places.home.as_deref())?),
        Selector::Fetch => Matcher::Fetch(fetch::FetchPattern::parse(argument)?),
        Selector::Mcp => Matcher::Mcp(mcp::McpPattern::parse(argument, of, places)?),
        Selector::Tool => Matcher::Tool(Globs::parse(argument.trim())?),
        Selector::Mode => Matcher::Mode(Globs::parse(argument.trim())?),
    })
}

#[cfg(test)]
mod tests;
