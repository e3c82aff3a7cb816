//! What commands write that only say something, for the shell that may read it.

use super::Walker;
use super::line_values::variant_commands;
use super::printed_names::known_text;
use crate::shell::{Word, split_words};

/// As many texts are kept, each as long.
const MOST: usize = 16;
const LONGEST: usize = 10_000;

impl Walker<'_> {
    /// Keeps what a command writes: its words (`echo`, `printf`), or what it reads (`cat`, and all that
    /// only read).
    pub(super) fn keep_output_texts(&mut self, words: &[Word], input: &[String], reader: bool) {
        self.keep_texts_of(words, input, reader);
        // By what the line tells of its words, it prints other texts.
        for command in variant_commands(words).unwrap_or_default().iter().take(MOST) {
            self.keep_texts_of(command, input, reader);
        }
    }

    fn keep_texts_of(&mut self, words: &[Word], input: &[String], reader: bool) {
        let name = words.first().and_then(Word::literal).unwrap_or_default();
        let rest = words.get(1..).unwrap_or_default();
        let mut texts = match name.rsplit('/').next().unwrap_or_default() {
            "echo" => {
                let flag = |word: &&Word| {
                    let letters = word.literal().and_then(|text| text.strip_prefix('-')).unwrap_or("?");
                    !letters.is_empty() && letters.bytes().all(|b| b"neE".contains(&b))
                };
                let words = rest.iter().skip_while(flag).map(known_text);
                vec![words.collect::<Vec<_>>().join(" ")]
            }
            "printf" => printf_texts(rest),
            "tee" => input.to_vec(),
            "ls" | "find" | "git" | "pwd" | "dirname" | "basename" | "realpath" | "readlink" => {
                self.printed_names(words)
            }
            _ if reader => input.to_vec(),
            _ => return,
        };
        let plain: Vec<String> =
            texts.iter().filter(|text| text.contains('\\')).map(|text| unescape_backslashes(text)).collect();
        texts.extend(plain);
        texts
            .retain(|text| !text.trim().is_empty() && text.len() <= LONGEST && !self.out.said.contains(text));
        self.out.said.extend(texts);
        self.out.said.truncate(MOST);
    }
}

/// The text that a command writes to its output, where that is certain in every shell: its words, or the whole of
/// its input.
pub(super) fn exact_output(words: &[Word], input: Option<&str>) -> Option<String> {
    let words = words.iter().map(Word::literal).collect::<Option<Vec<_>>>()?;
    let (name, rest) = words.split_first()?;
    match *name {
        "echo" => {
            let (end, rest) = match rest.split_first() {
                Some((&"-n", rest)) => ("", rest),
                _ => ("\n", rest),
            };
            // Shells differ about backslashes, and about what is an option.
            let odd = rest.iter().any(|word| word.contains('\\'))
                || rest.first().is_some_and(|word| word.starts_with('-'));
            (!odd).then(|| rest.join(" ") + end)
        }
        "printf" => format_printf(rest),
        "cat" if rest.iter().all(|word| *word == "-") && rest.len() <= 1 => input.map(str::to_owned),
        "tee" if !rest.iter().any(|word| word.starts_with("--")) => input.map(str::to_owned),
        _ => None,
    }
}

/// `printf FORMAT WORDS`, where the format holds nothing but `%s`, `%%`, `\n`, `\t` and `\\`.
fn format_printf(words: &[&str]) -> Option<String> {
    let (format, words) = match words {
        ["--", format, words @ ..] | [format, words @ ..] => (format, words),
        [] => return None,
    };
    if format.starts_with('-') {
        return None;
    }
    let (mut left, mut text) = (words.iter(), String::new());
    loop {
        let before = left.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '%' => match chars.next()? {
                    's' => text.push_str(left.next().copied().unwrap_or_default()),
                    '%' => text.push('%'),
                    _ => return None,
                },
                '\\' => text.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    '\\' => '\\',
                    _ => return None,
                }),
                c => text.push(c),
            }
        }
        if left.len() == 0 || left.len() == before || text.len() > LONGEST {
            return (left.len() == 0 || before == words.len() && left.len() == before).then_some(text);
        }
    }
}

/// Lines inside of a text that a program is fed and runs lines of: behind the `!` of an editor, behind the
/// times of a table of `cron`, and what `xargs` takes for one word.
pub(super) fn embedded_lines(text: &str) -> Vec<String> {
    let mut found: Vec<String> = split_words(text).unwrap_or_default();
    found.retain(|word| word.contains(' '));
    for line in text.lines().map(str::trim) {
        found.extend(line.split_once('!').map(|(_, rest)| rest.to_owned()));
        let fields = match line.chars().next() {
            Some('@') => 1,
            Some('*' | '0'..='9') => 5,
            _ => continue,
        };
        let rest: Vec<&str> = line.split_whitespace().skip(fields).collect();
        found.push(rest.join(" "));
    }
    found.retain(|line| !line.trim().is_empty() && line != text);
    found.truncate(MOST);
    found
}

/// `printf FORMAT WORDS`: the format with the words in it, and the words by themselves.
pub(super) fn printf_texts(words: &[Word]) -> Vec<String> {
    let mut words = words.iter().filter(|word| word.literal() != Some("--")).map(known_text);
    let format = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    let mut left = words.iter();
    let mut text = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        match chars.by_ref().find(|c| c.is_ascii_alphabetic() || *c == '%') {
            Some('%') => text.push('%'),
            _ => text.extend(left.next().map(String::as_str)),
        }
    }
    if words.is_empty() { vec![text] } else { vec![text, words.join(" "), words.join("\n")] }
}

/// With `\n`, `\x41` and `\101` as what they stand for.
fn unescape_backslashes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        out.push_str(before);
        let (radix, from, most) = match behind.chars().next() {
            Some('x') => (16, 1, 2),
            Some('0') => (8, 1, 3),
            Some('1'..='7') => (8, 0, 3),
            _ => (0, 0, 0),
        };
        let digits: String =
            behind.chars().skip(from).take(most).take_while(|c| radix > 0 && c.is_digit(radix)).collect();
        if let Some(c) = u32::from_str_radix(&digits, radix.max(2)).ok().and_then(char::from_u32) {
            out.push(c);
            rest = behind.get(from + digits.len()..).unwrap_or_default();
            continue;
        }
        let mut chars = behind.chars();
        match chars.next() {
            Some('n' | 'r' | '0') => out.push('\n'),
            Some('t') => out.push(' '),
            Some('c') => return out,
            Some(c) => out.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    out + rest
}
