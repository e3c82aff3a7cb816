//! Instructions to the model, by a table of words.

use std::sync::OnceLock;

use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::hidden::hides;
use mayi_policy::fold_text;

/// A line of the table.
#[derive(Debug, Deserialize)]
struct Phrase {
    words: String,
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
struct Table {
    phrase: Vec<Phrase>,
}

/// The table, compiled.
struct Phrases {
    all: RegexSet,
    each: Vec<(Regex, String)>,
}

/// So many characters before and after what was found are shown.
const AROUND: usize = 40;

/// So many characters in a row without a space may be something encoded.
const BLOB: usize = 100;

fn compiled_phrases() -> &'static Phrases {
    static COMPILED: OnceLock<Phrases> = OnceLock::new();
    COMPILED.get_or_init(|| {
        // A test holds that every line of the table is read and compiled.
        let table: Table = toml::from_str(include_str!("phrases.toml")).unwrap_or_default();
        let each: Vec<(Regex, String)> = table
            .phrase
            .into_iter()
            .filter_map(|phrase| Some((Regex::new(&phrase.words).ok()?, phrase.reason)))
            .collect();
        let all = RegexSet::new(each.iter().map(|(regex, _)| regex.as_str())).unwrap_or_default();
        Phrases { all, each }
    })
}

/// How many lines of the table count.
#[cfg(test)]
pub(super) fn count_phrases() -> (usize, usize) {
    let lines = include_str!("phrases.toml").lines().filter(|line| *line == "[[phrase]]").count();
    (lines, compiled_phrases().all.len())
}

/// What `text` tells a model, with the words around it.
pub(super) fn find_phrases(text: &str) -> Vec<(String, String)> {
    let text = normalize_text(text);
    let phrases = compiled_phrases();
    let mut found: Vec<(String, String)> = Vec::new();
    for at in phrases.all.matches(&text) {
        let Some((regex, reason)) = phrases.each.get(at) else { continue };
        let Some(words) = regex.find(&text) else { continue };
        if !found.iter().any(|(other, _)| other == reason) {
            found.push((reason.clone(), excerpt_around(&text, words.start(), words.end(), AROUND)));
        }
    }
    found
}

/// A long run of letters as encodings give them.
pub(super) fn find_blob(text: &str) -> Option<String> {
    let encoded = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-');
    text.split(|c| !encoded(c)).find(|run| is_blob(run)).map(|run| run.chars().take(AROUND * 2).collect())
}

/// Whether it could be nothing but encoded: not a long word, a path or a digest.
fn is_blob(run: &str) -> bool {
    let has = |of: fn(&char) -> bool| run.chars().filter(of).count() * 20 >= run.len();
    run.len() >= BLOB
        && run.matches('/').count() * 8 < run.len()
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && run.contains(|c: char| c.is_ascii_digit())
}

/// Lower case, without what nobody sees, in plain forms of letters, and with one space for any white space.
fn normalize_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let blanks: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    for c in fold_text(&blanks).chars() {
        match c {
            c if c.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            '\u{2019}' | '\u{2018}' => plain.push('\''),
            c if hides(c) => {}
            c => plain.push(c),
        }
    }
    plain
}

/// What stands from `start` to `end`, and so many characters around it at most: whole words, unless one of them is longer than that.
pub(super) fn excerpt_around(text: &str, start: usize, end: usize, around: usize) -> String {
    let before = text.get(..start).unwrap_or_default();
    let from = before.char_indices().rev().nth(around.saturating_sub(1)).map_or(0, |(at, _)| at);
    let after = text.get(end..).unwrap_or_default();
    let to = after.char_indices().nth(around).map_or(after.len(), |(at, _)| at);
    let (left, head) = before.split_at_checked(from).unwrap_or_default();
    let (tail, right) = after.split_at_checked(to).unwrap_or_default();
    let head = match head.split_once(char::is_whitespace) {
        _ if left.is_empty() || left.ends_with(char::is_whitespace) => head.to_owned(),
        Some((_, words)) => words.to_owned(),
        None => format!("…{head}"),
    };
    let tail = match tail.rsplit_once(char::is_whitespace) {
        _ if right.is_empty() || right.starts_with(char::is_whitespace) => tail.to_owned(),
        Some((words, _)) => words.to_owned(),
        None => format!("{tail}…"),
    };
    let found = text.get(start..end).unwrap_or_default();
    let mut words = format!("{head}{found}{tail}").trim().to_owned();
    if words.chars().count() > MOST {
        words = words.chars().take(MOST).chain(['…']).collect();
    }
    words
}

/// No excerpt has more characters.
const MOST: usize = 200;
