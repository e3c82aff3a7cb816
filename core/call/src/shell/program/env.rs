//! `env -S TEXT`: env splits the text by rules of its own, and reads the words in the place of the option.

use super::InnerCommand;
use super::analyzer::CommandAnalyzer;
use super::scan::FoundOption;
use crate::shell::Word;

/// What env runs with this option: the words of its value, and those that stand behind it.
pub(super) fn analyze_split_option(judge: &mut CommandAnalyzer<'_>, found: &FoundOption<'_>) {
    let Some(value) = &found.value else { return };
    let Some(text) = value.text else {
        judge.known.inner.extend(judge.words.get(value.place).cloned().map(InnerCommand::Line));
        return judge.add_possible_commands(value.place + 1);
    };
    let (words, plain) = split_like_env(text);
    if !plain {
        judge.add_always_caveat("env expands variables or escapes in what it splits");
        judge.known.lines.push(text.to_owned());
        judge.add_possible_commands(value.place + 1);
    }
    let behind = judge.words.iter().skip(value.place + 1).cloned();
    let mut words: Vec<Word> = words.into_iter().map(Word::Literal).chain(behind).collect();
    let Some(first) = words.first() else { return };
    // Its own options and variables may come first.
    let own = first.literal().is_none_or(|text| text.starts_with('-') || text.contains('='));
    if own {
        words.insert(0, Word::from("env"));
    }
    judge.known.inner.push(InnerCommand::Words(words));
}

/// The words that env makes of a text, and whether that is certain: escapes other than of signs that would mean
/// something are read as blanks, and what it expands stays as it stands.
fn split_like_env(text: &str) -> (Vec<String>, bool) {
    let (mut words, mut plain) = (Vec::new(), true);
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => {
                let next = chars.next();
                match next {
                    Some('_') if quote.is_none() => words.extend(word.take()),
                    Some('_') if quote == Some('"') => word.get_or_insert_default().push(' '),
                    Some(c @ ('"' | '\'' | '\\' | '$')) => {
                        // Between single quotes, only these two are escaped.
                        if quote == Some('\'') && !matches!(c, '\'' | '\\') {
                            word.get_or_insert_default().push('\\');
                        }
                        word.get_or_insert_default().push(c);
                    }
                    Some('#') => {
                        plain = false;
                        word.get_or_insert_default().push('#');
                    }
                    _ => {
                        plain = false;
                        words.extend(word.take());
                    }
                }
            }
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_ascii_whitespace() || c == '\x0b' => words.extend(word.take()),
            ('#', None) if word.is_none() => {
                // Only some versions know comments.
                plain = false;
                word = Some('#'.to_string());
            }
            (c, _) => {
                plain &= c != '$' || quote == Some('\'');
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    (words, plain && quote.is_none())
}

#[cfg(test)]
mod tests {
    use super::split_like_env;

    fn split_text(text: &str) -> (Vec<String>, bool) {
        split_like_env(text)
    }

    /// As env(1) of coreutils has it.
    #[test]
    fn given_a_text_then_it_is_split_as_env_splits_it() {
        let cases: &[(&str, &[&str], bool)] = &[
            ("a b", &["a", "b"], true),
            (r"a\_b", &["a", "b"], true),
            (r#""a\_b" c"#, &["a b", "c"], true),
            (r#"-S"a b""#, &["-Sa b"], true),
            (r"'a\'b' ''", &["a'b", ""], true),
            (r"'\$x'", &[r"\$x"], true),
            (r"\$x", &["$x"], true),
            (r"a\tb", &["a", "b"], false),
            (r"a\c b", &["a", "b"], false),
            ("${X} a", &["${X}", "a"], false),
            ("a # b", &["a", "#", "b"], false),
            ("'a", &["a"], false),
        ];
        for (text, expected, plain) in cases {
            let expected: Vec<String> = expected.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(split_text(text), (expected, *plain), "{text}");
        }
    }
}
