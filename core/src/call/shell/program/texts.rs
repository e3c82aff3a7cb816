//! Words that are lines, and lines as one word.

use crate::call::shell::{OpenWord, Word};

/// A word as a line for a shell, and what it holds behind `=`.
pub(super) fn lines_of(word: &Word) -> impl Iterator<Item = String> {
    let text: String = match word {
        Word::Literal(text) => text.clone(),
        // What is not known stands for itself.
        Word::Open(open) => open.pieces.iter().map(|piece| piece.as_deref().unwrap_or("${_}")).collect(),
    };
    let behind = text.split_once('=').filter(|(name, _)| !name.contains(char::is_whitespace));
    let behind = behind.map(|(_, value)| value.to_owned());
    let bare = |line: String| line.trim_start_matches('!').trim().to_owned();
    behind.into_iter().chain([text]).map(bare).filter(|line| !line.is_empty())
}

/// Words as the one line that a program makes of them.
pub(super) fn joined(words: &[Word]) -> Word {
    if let [one] = words {
        return one.clone();
    }
    let literal: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    if let Some(texts) = literal {
        return Word::Literal(texts.join(" "));
    }
    let mut pieces: Vec<Option<String>> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            pieces.push(Some(" ".to_owned()));
        }
        match word {
            Word::Literal(text) => pieces.push(Some(text.clone())),
            Word::Open(open) => pieces.extend(open.pieces.iter().cloned()),
        }
    }
    let text = words.iter().map(Word::text).collect::<Vec<_>>().join(" ");
    Word::Open(OpenWord { text, pieces, splits: false, glob: false, tame: false })
}
