//! Braces in what a variable holds. To bash they mean nothing there; mksh, which may be `sh`, expands them as those that stand
//! in the line, and zsh counts with what a variable holds in `{1..$x}`.

use super::braces::expand_braces;
use super::variants::Pieces;

/// What stands for a gap.
const GAP: char = '\u{0}';

/// A word as it is for braces: what had quotes has a backslash before each character.
#[derive(Debug, Default)]
pub(super) struct Shape {
    text: String,
    /// Something in it comes from a variable, without quotes.
    given: bool,
}

impl Shape {
    pub(super) fn push_quoted(&mut self, text: &str) {
        text.chars().for_each(|c| self.push(c, true));
    }

    pub(super) fn push_bare(&mut self, text: &str) {
        text.chars().for_each(|c| self.push(c, !is_sign(c)));
    }

    pub(super) fn push_value(&mut self, text: &str) {
        self.given = true;
        self.push_bare(text);
    }

    /// What is not known. Without quotes it may hold a comma.
    pub(super) fn push_gap(&mut self, splits: bool) {
        self.given |= splits;
        self.push(GAP, false);
    }

    fn push(&mut self, c: char, quoted: bool) {
        if quoted && !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '/' | '_') {
            self.text.push('\\');
        }
        self.text.push(c);
    }

    /// The words that it becomes by its braces, if it has any.
    pub(super) fn words(&self) -> Option<Vec<String>> {
        if !self.given || !self.text.contains('{') {
            return None;
        }
        let plain = |word: String| {
            let mut chars = word.chars();
            let mut text = String::new();
            while let Some(c) = chars.next() {
                text.extend(if c == '\\' { chars.next() } else { Some(c) });
            }
            text
        };
        match expand_braces(&self.text) {
            Ok(words) if words.len() == 1 && words.first() == Some(&self.text) => None,
            Ok(words) => Some(words.into_iter().map(plain).collect()),
            // Too many.
            Err(_) => Some(Vec::new()),
        }
    }

    /// Whether a gap stands between braces: what it holds may be a list.
    pub(super) fn lists_gap(&self) -> bool {
        let inner = |(_, behind): (&str, &str)| behind.rsplit_once('}').map(|(inner, _)| inner.contains(GAP));
        self.given && self.text.split_once('{').and_then(inner).unwrap_or_default()
    }
}

fn is_sign(c: char) -> bool {
    matches!(c, '{' | ',' | '}')
}

/// What a word could be, and what it could be by braces in that: each by itself, and all of them.
pub(super) fn brace_readings(pieces: &Pieces) -> Vec<Pieces> {
    let mut shape = Shape { given: true, ..Shape::default() };
    for piece in pieces {
        match piece {
            Some(text) => shape.push_bare(text),
            None => shape.push_gap(true),
        }
    }
    let words = shape.words().unwrap_or_default();
    let whole = words.join(" ");
    words.iter().chain((words.len() > 1).then_some(&whole)).map(|word| pieces_of(word)).collect()
}

fn pieces_of(word: &str) -> Pieces {
    let mut pieces = Vec::new();
    for (at, text) in word.split(GAP).enumerate() {
        if at > 0 && pieces.last() != Some(&None) {
            pieces.push(None);
        }
        if !text.is_empty() {
            pieces.push(Some(text.to_owned()));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 608.
    #[test]
    fn given_a_value_with_braces_then_the_words_that_it_may_become_are_found() {
        let read = |text: &str| {
            let known =
                |pieces: Pieces| pieces.into_iter().map(|piece| piece.unwrap_or("*".into())).collect();
            brace_readings(&vec![Some(text.to_owned())]).into_iter().map(known).collect::<Vec<String>>()
        };
        assert_eq!(read("{.env,zz}"), [".env", "zz", ".env zz"]);
        assert_eq!(read(".e{n..n}v"), [".env"]);
        assert_eq!(read("{{.env,q},z}"), [".env", "q", "z", ".env q z"]);
        assert_eq!(read("it's{a,\"$(}"), ["it'sa", "it's\"$(", "it'sa it's\"$("]);
        for plain in ["a,b", "{a}", "{a", "a}b", "{}", "{a b}"] {
            assert_eq!(read(plain), Vec::<String>::new(), "{plain}");
        }
        let open = vec![Some("{.env,".to_owned()), None, Some("}".to_owned())];
        assert_eq!(brace_readings(&open).first(), Some(&vec![Some(".env".to_owned())]));
    }

    /// The same.
    #[test]
    fn given_braces_in_quotes_then_they_are_text() {
        let mut shape = Shape::default();
        shape.push_quoted("{");
        shape.push_value("a,b");
        shape.push_quoted("}");
        assert_eq!(shape.words(), None);
        shape.push_value("{c,d}");
        assert_eq!(shape.words(), Some(vec!["{a,b}c".to_owned(), "{a,b}d".to_owned()]));
    }
}
