//! Words of a command.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::expand::sizes;
use super::{GapContent, Search};

/// Room for the text of a usual command.
const LINE: usize = 64;

/// One word, after quotes are removed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// Known to the last character.
    Literal(String),
    /// Some of it is known when it runs: an expansion, a substitution, a glob.
    Open(OpenWord),
}

/// A word of which only some text is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OpenWord {
    /// As it was written.
    pub text: String,
    /// The known text, quotes removed, and, as `None`, what is not known.
    pub pieces: Vec<Option<String>>,
    /// It may become several words, or none: not quoted.
    #[serde(default)]
    pub splits: bool,
    /// What is not known is all from globs: names of files, without `/`.
    #[serde(default)]
    pub glob: bool,
    /// What is not known is a number of the shell's own, or a value of a loop that stands in the line.
    #[serde(default)]
    pub tame: bool,
    /// What it is if variables hold what the line has set them to. It counts where a command only reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned: Option<String>,
    /// What it could be as far as the line tells, by the texts that it gives to variables and that its commands print: pieces
    /// as above. They count for deny, ask and protection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Vec<Option<String>>>,
    /// It is all that this search prints.
    #[serde(skip)]
    pub search: Option<Arc<Search>>,
    /// What stands in its gaps at most.
    #[serde(skip)]
    pub held: GapContent,
    /// It is all of a name that a glob gives, by way of a variable without quotes: it is split, and read as a glob again.
    #[serde(skip)]
    pub split_name: bool,
}

impl Word {
    /// The text, if it is known.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Open(_) => None,
        }
    }

    /// As a shell needs it: literal words quoted where they have to be, others as they were written.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Literal(text) => quote_word(text),
            Self::Open(open) => open.text.clone(),
        }
    }

    /// Adds [`Self::text`] to what is there.
    fn add_text(&self, line: &mut String) {
        match self {
            Self::Literal(text) => add_quoted(text, line),
            Self::Open(open) => line.push_str(&open.text),
        }
    }

    /// How many bytes are known of it, in all that it could be.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            Self::Open(open) => sizes(std::slice::from_ref(&open.pieces)) + sizes(&open.variants),
        }
    }

    /// The known text at its beginning.
    #[must_use]
    pub fn known_prefix(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Open(open) => open.pieces.first().and_then(Option::as_deref).unwrap_or_default(),
        }
    }
}

impl OpenWord {
    /// Whether nothing in its gaps goes up, as `..` does: names that a glob gives, values of a loop that stand in the line, and
    /// what leads to no other folder.
    #[must_use]
    pub fn stays_below(&self) -> bool {
        self.glob || self.tame || self.held >= GapContent::Name
    }

    /// The words that it could be.
    pub(super) fn variant_words(&self) -> impl Iterator<Item = Word> {
        self.variants.iter().map(|pieces| match pieces.iter().cloned().collect::<Option<String>>() {
            Some(text) => Word::Literal(text),
            None => Word::Open(Self {
                text: self.text.clone(),
                pieces: pieces.clone(),
                splits: self.splits,
                ..Self::default()
            }),
        })
    }

    /// Whether its known text holds a blank.
    pub(super) fn has_blank(&self) -> bool {
        self.pieces.iter().flatten().any(|piece| piece.contains(char::is_whitespace))
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self::Literal(text.to_owned())
    }
}

/// Words as one line, each quoted where a shell would need it.
#[must_use]
pub fn join_words(words: &[String]) -> String {
    words.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" ")
}

/// Words as one line, each as [`Word::text`] has it.
#[must_use]
pub fn join_word_texts<'w>(words: impl IntoIterator<Item = &'w Word>) -> String {
    let mut line = String::with_capacity(LINE);
    for (at, word) in words.into_iter().enumerate() {
        if at > 0 {
            line.push(' ');
        }
        word.add_text(&mut line);
    }
    line
}

/// The words of a command line, after quotes are removed; none if its quotes do not match.
#[must_use]
pub fn split_words(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

/// One word, quoted where a shell would need it.
#[must_use]
pub fn quote_word(word: &str) -> String {
    let mut line = String::with_capacity(word.len());
    add_quoted(word, &mut line);
    line
}

fn add_quoted(word: &str, line: &mut String) {
    let plain = |b: u8| {
        b.is_ascii_alphanumeric() || matches!(b, b'%' | b'+' | b',' | b'-'..=b'/' | b':' | b'@' | b'_' | b'^')
    };
    if !word.is_empty() && word.bytes().all(plain) {
        return line.push_str(word);
    }
    line.push('\'');
    line.push_str(&word.replace('\'', r"'\''"));
    line.push('\'');
}
