//! Patterns for commands: words, or a regular expression.

use std::sync::OnceLock;

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

use super::PatternError;
use crate::call::ShellAccess;

/// Matched against the words of one simple command.
#[derive(Clone, Debug)]
pub(super) enum ShellPattern {
    /// Word by word.
    Words {
        /// One for each word.
        words: Vec<Word>,
        /// A last word `*`: any remaining words, also none.
        rest: bool,
    },
    /// `/.../` over the canonical text.
    Regex {
        /// As it is: for ask and deny.
        loose: Regex,
        /// Anchored at both ends, for allow and `unless`: compiled when it is needed.
        anchored: OnceLock<Option<Regex>>,
        /// What stands between the slashes.
        source: String,
    },
}

#[derive(Clone, Debug)]
pub(super) enum Word {
    Literal(String),
    Glob(GlobMatcher),
}

impl Word {
    fn parse(text: &str) -> Result<Self, PatternError> {
        if !text.contains('*') {
            return Ok(Self::Literal(text.to_owned()));
        }
        // Only `*` is special: everything else of a word means itself.
        let escaped = text.split('*').map(super::escape).collect::<Vec<_>>().join("*");
        GlobBuilder::new(&escaped)
            .literal_separator(false)
            .build()
            .map(|glob| Self::Glob(glob.compile_matcher()))
            .map_err(|error| {
                PatternError::argument(format!("`{text}` is not a word pattern"), error.kind().to_string())
            })
    }

    fn matches(&self, word: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == word,
            Self::Glob(glob) => glob.is_match(word),
        }
    }
}

impl ShellPattern {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        if let Some(source) =
            text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|s| !s.is_empty())
        {
            let compile = |source: &str| {
                Regex::new(source).map_err(|error| {
                    let line = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
                    PatternError::argument(format!("`/{text}/` is not a regular expression"), line)
                })
            };
            return Ok(Self::Regex {
                loose: compile(source)?,
                anchored: OnceLock::new(),
                source: source.to_owned(),
            });
        }
        let mut words = shlex::split(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            PatternError::argument(
                format!("the quotes in `{text}` do not match"),
                "close them, as in a shell",
            )
        })?;
        let rest = words.last().is_some_and(|word| word == "*");
        if rest {
            words.pop();
        }
        let words = words.iter().map(|word| Word::parse(word)).collect::<Result<_, _>>()?;
        Ok(Self::Words { words, rest })
    }

    pub(super) fn exact(words: &[String]) -> Self {
        Self::Words { words: words.iter().cloned().map(Word::Literal).collect(), rest: false }
    }

    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::Words { words, rest } => !rest && words.iter().all(|word| matches!(word, Word::Literal(_))),
            Self::Regex { .. } => false,
        }
    }

    pub(super) fn allows(&self, argv: &[String]) -> bool {
        match self {
            Self::Words { words, rest } => matches_words(words, *rest, argv),
            Self::Regex { anchored, source, .. } => anchored
                .get_or_init(|| Regex::new(&format!("^(?:{source})$")).ok())
                .as_ref()
                .is_some_and(|regex| regex.is_match(&crate::call::shell::join(argv))),
        }
    }

    /// As an allow, but a last `*` covers no words that start with `-` (decisions, section 3).
    pub(super) fn excepts(&self, argv: &[String]) -> bool {
        match self {
            Self::Words { words, rest: true } => {
                self.allows(argv) && argv.iter().skip(words.len()).all(|word| !word.starts_with('-'))
            }
            _ => self.allows(argv),
        }
    }

    /// The command, its base name, and everything that a line which was not understood may run.
    pub(super) fn concerns(&self, shell: &ShellAccess) -> bool {
        let one =
            |argv: &[String]| self.allows(argv) || base_named(argv).is_some_and(|argv| self.allows(&argv));
        match self {
            Self::Regex { loose, .. } => {
                loose.is_match(&shell.text())
                    || shell.candidates.iter().any(|argv| loose.is_match(&crate::call::shell::join(argv)))
            }
            Self::Words { words, rest } => {
                shell.literal().is_some_and(|argv| one(&argv))
                    || (!shell.understood && words.is_empty() && *rest)
                    // A command may stand behind wrappers and assignments: look at every tail.
                    || shell.candidates.iter().any(|argv| (0..argv.len()).any(|at| argv.get(at..).is_some_and(one)))
            }
        }
    }
}

fn matches_words(words: &[Word], rest: bool, argv: &[String]) -> bool {
    (argv.len() == words.len() || (rest && argv.len() > words.len()))
        && words.iter().zip(argv).all(|(word, arg)| word.matches(arg))
}

/// The same command by the last part of its path: `/bin/rm x` as `rm x`.
fn base_named(argv: &[String]) -> Option<Vec<String>> {
    let (first, rest) = argv.split_first()?;
    let base = first.rsplit('/').next().filter(|base| *base != first)?;
    Some(std::iter::once(base.to_owned()).chain(rest.iter().cloned()).collect())
}
