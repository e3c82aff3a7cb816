//! The words that rules, cards and the record begin with: what an access is, and what a pattern is about.

use std::fmt;
use std::str::FromStr;

use super::{Access, WriteKind};

/// What kind of access it is (D3.1). Whoever tells accesses or patterns apart by it matches all of them, so that a new one is
/// forgotten nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// A file or folder is read.
    Read,
    /// A file is changed; [`WriteKind::Write`] stands for any change.
    Write(WriteKind),
    /// A command runs.
    Shell,
    /// An address is fetched.
    Fetch,
    /// A tool on an MCP server.
    Mcp,
    /// Any other tool of the agent.
    Tool,
    /// A switch of the agent's mode.
    Mode,
}

impl Selector {
    /// All of them, in the order in which errors list them.
    pub const ALL: [Self; 11] = [
        Self::Read,
        Self::Write(WriteKind::Write),
        Self::Write(WriteKind::Create),
        Self::Write(WriteKind::Edit),
        Self::Write(WriteKind::Delete),
        Self::Write(WriteKind::Move),
        Self::Shell,
        Self::Fetch,
        Self::Mcp,
        Self::Tool,
        Self::Mode,
    ];

    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write(kind) => kind.as_str(),
            Self::Shell => "shell",
            Self::Fetch => "fetch",
            Self::Mcp => "mcp",
            Self::Tool => "tool",
            Self::Mode => "mode",
        }
    }

    /// All words, in their order.
    pub fn all_words() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::as_str)
    }

    /// All words, as a sentence lists them: `read, write, ... or mode`.
    #[must_use]
    pub fn words_as_sentence() -> String {
        let words: Vec<&str> = Self::all_words().collect();
        words.split_last().map_or_else(String::new, |(last, rest)| format!("{} or {last}", rest.join(", ")))
    }

    /// What the text of an access or a pattern is about: the word before its first parenthesis. None for `*`, and for what is
    /// neither.
    #[must_use]
    pub fn from_leading_word(text: &str) -> Option<Self> {
        text.split_once('(')?.0.parse().ok()
    }
}

/// A word that no selector has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSelector;

impl FromStr for Selector {
    type Err = UnknownSelector;

    fn from_str(word: &str) -> Result<Self, UnknownSelector> {
        Self::ALL.into_iter().find(|selector| selector.as_str() == word).ok_or(UnknownSelector)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Access {
    /// What kind of access this is.
    #[must_use]
    pub fn selector(&self) -> Selector {
        match self {
            Self::Read(_) => Selector::Read,
            Self::Write(kind, _) => Selector::Write(*kind),
            Self::Shell(_) => Selector::Shell,
            Self::Fetch(_) => Selector::Fetch,
            Self::Mcp(_) => Selector::Mcp,
            Self::Tool { .. } => Selector::Tool,
            Self::Mode { .. } => Selector::Mode,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ALL` is what every list of selectors is made of: a variant that is missing there could be written in no rule.
    #[test]
    fn given_any_selector_then_all_has_it_once_and_its_word_reads_back() {
        let place = |selector: Selector| match selector {
            Selector::Read => 0,
            Selector::Write(kind) => match kind {
                WriteKind::Write => 1,
                WriteKind::Create => 2,
                WriteKind::Edit => 3,
                WriteKind::Delete => 4,
                WriteKind::Move => 5,
            },
            Selector::Shell => 6,
            Selector::Fetch => 7,
            Selector::Mcp => 8,
            Selector::Tool => 9,
            Selector::Mode => 10,
        };
        let places: Vec<usize> = Selector::ALL.into_iter().map(place).collect();
        assert_eq!(places, (0..Selector::ALL.len()).collect::<Vec<_>>());
        assert!(Selector::ALL.into_iter().all(|selector| selector.as_str().parse() == Ok(selector)));
        assert_eq!("Read".parse::<Selector>(), Err(UnknownSelector));
        assert_eq!(Selector::from_leading_word("create(/w/a(b))"), Some(Selector::Write(WriteKind::Create)));
        assert_eq!((Selector::from_leading_word("*"), Selector::from_leading_word("exec(x)")), (None, None));
    }
}
