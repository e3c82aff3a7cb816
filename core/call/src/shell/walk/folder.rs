//! The folder that a shell is in.

use std::path::Path;
use std::rc::Rc;

use brush_parser::ast::SimpleCommand;

use crate::Dialect;

/// As many folders that it could be are told apart.
const MOST: usize = 4;

/// Known, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CurrentFolder {
    /// This one: absolute, links not followed.
    Known(Rc<Path>),
    /// One of these, since a `cd` may fail; where the second is true, or any other, as in a loop that moves on. For denials
    /// each counts, for an allow none does.
    OneOf(Vec<Rc<Path>>, bool),
    /// It depends on what happens.
    Unknown,
}

impl CurrentFolder {
    pub(super) fn new(cwd: &Path) -> Self {
        Self::Known(cwd.into())
    }

    pub(super) fn known_path(&self) -> Option<&Path> {
        match self {
            Self::Known(path) => Some(path),
            Self::OneOf(..) | Self::Unknown => None,
        }
    }

    /// Whether it could be one that nobody has named.
    pub(super) fn could_be_any(&self) -> bool {
        matches!(self, Self::Unknown | Self::OneOf(_, true))
    }

    /// Those that it could be, where it is not known which.
    pub(super) fn candidates(&self) -> &[Rc<Path>] {
        match self {
            Self::OneOf(paths, _) => paths,
            Self::Known(_) | Self::Unknown => &[],
        }
    }

    /// Where `cd folder` leads from here. `..` goes back along the names, as shells do.
    pub(super) fn after_cd(&self, folder: &str) -> Self {
        let start = match self {
            Self::Known(path) => path,
            Self::Unknown | Self::OneOf(..) if folder.starts_with('/') => Path::new("/"),
            Self::Unknown => return Self::Unknown,
            Self::OneOf(paths, others) => {
                let ends = paths.iter().map(|path| Self::Known(Rc::clone(path)).after_cd(folder));
                let ends = ends.chain(others.then_some(Self::Unknown));
                return ends.reduce(Self::merged_with).unwrap_or(Self::Unknown);
            }
        };
        // With a link before it, `..` may mean two folders.
        let joined = start.join(folder);
        let lexical = crate::PathAccess::new(start, folder);
        if joined.components().any(|part| matches!(part, std::path::Component::ParentDir)) {
            let physical = crate::resolve_path(&lexical.lexical).ok();
            if physical.as_ref() != Some(&lexical.resolved) {
                return Self::Unknown;
            }
        }
        Self::Known(lexical.lexical.into())
    }

    /// Whether one can certainly go there: it is a folder that can be gone into.
    pub(super) fn is_there(&self) -> bool {
        let Self::Known(path) = self else { return false };
        crate::can_be_entered(path)
    }

    /// One of two. Where one can't be, the other.
    pub(super) fn merge_optional(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) if one != other => Some(one.merged_with(other)),
            (Some(one), _) => Some(one),
            (None, other) => other,
        }
    }

    /// One of two.
    pub(super) fn merged_with(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let parts = |folder| match folder {
            Self::Known(path) => (vec![path], false),
            Self::OneOf(paths, others) => (paths, others),
            Self::Unknown => (Vec::new(), true),
        };
        let ((mut all, some), (more, others)) = (parts(self), parts(other));
        for path in more {
            if !all.contains(&path) {
                all.push(path);
            }
        }
        let many = all.len() > MOST;
        all.truncate(MOST);
        if all.is_empty() { Self::Unknown } else { Self::OneOf(all, some || others || many) }
    }
}

/// Whether it is a `cd` with one folder at most, by its own name, beside which nothing could make it fail or mean something
/// else: no redirection, no assignment, no option, and nothing that may become another number of words. Not every shell has
/// a `pushd`.
pub(super) fn is_plain(of: &SimpleCommand, dialect: Dialect) -> bool {
    let Some((name, words)) = plain_words(of) else { return false };
    let here = name == "cd" || name == "pushd" && matches!(dialect, Dialect::Bash | Dialect::Zsh);
    here && words.len() <= 1 && !words.iter().any(|word| is_option(word) || may_be_several(word))
}

/// Whether a word as it is written is an option.
fn is_option(word: &str) -> bool {
    word.trim_start_matches(['"', '\'', '\\']).starts_with(['-', '+'])
}

/// Whether a word as it is written may become another number of words than one: of `{b,}` bash makes one, and zsh two.
fn may_be_several(word: &str) -> bool {
    let brace = |(at, _): (usize, &str)| !word.get(..at).unwrap_or_default().ends_with('$');
    word.contains(['*', '?', '[', '(', '`']) || word.match_indices('{').any(brace)
}

/// Whether it is a `cd` that is where it was when it fails. `pushd` and `cd -` print, which may fail when they have moved.
pub(super) fn is_cd(of: &SimpleCommand) -> bool {
    use brush_parser::ast::CommandPrefixOrSuffixItem::Word;
    let words = of.suffix.iter().flat_map(|suffix| &suffix.0).filter_map(|item| match item {
        Word(word) => Some(word.value.as_str()),
        _ => None,
    });
    let mut words = of.word_or_name.iter().map(|name| name.value.as_str()).chain(words);
    let name = words.by_ref().find(|word| !matches!(*word, "command" | "builtin"));
    matches!(name, Some("cd" | "chdir")) && !words.any(is_option)
}

/// Whether it is `exit` by its own name, with a number or without one, and nothing beside it.
pub(super) fn is_exit(of: &SimpleCommand) -> bool {
    let Some((name, words)) = plain_words(of) else { return false };
    let number = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    name == "exit" && words.len() <= 1 && words.iter().all(number)
}

/// The name and the words as they are written, if there is nothing else.
fn plain_words(of: &SimpleCommand) -> Option<(&str, Vec<&str>)> {
    use brush_parser::ast::CommandPrefixOrSuffixItem::Word;
    let suffix = of.suffix.iter().flat_map(|suffix| &suffix.0);
    let words = suffix.map(|item| match item {
        Word(word) => Some(word.value.as_str()),
        _ => None,
    });
    let words: Option<Vec<&str>> = words.collect();
    Some((of.word_or_name.as_ref()?.value.as_str(), words.filter(|_| of.prefix.is_none())?))
}
