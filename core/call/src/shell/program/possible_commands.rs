//! What may be a command among a command's words, though nobody can tell: for denials alone.

use super::analyzer::{CommandAnalyzer, LONGEST_TAIL, MOST_TAILS};
use super::quoted_commands::quoted_commands;
use super::scan::Scan;
use super::spellings;
use super::started_lines::started_lines;
use super::texts::{lines_in, lines_of};
use crate::shell::Word;

impl CommandAnalyzer<'_> {
    /// Any word from `from` on could begin a command, or be a line: for denials alone.
    pub(super) fn add_possible_commands(&mut self, from: usize) {
        let words = self.words.get(from..).unwrap_or_default();
        if words.is_empty() {
            return;
        }
        self.known.tails.push(words.to_vec());
        for (at, word) in words.iter().enumerate() {
            let text = word.literal().unwrap_or_default();
            if word.known_prefix().contains(char::is_whitespace)
                || matches!(word, Word::Open(open) if open.has_blank())
            {
                let lines =
                    lines_of(word).filter(|line| !self.known.prose.contains(line)).collect::<Vec<_>>();
                self.known.prose.extend(lines);
            } else if let Some(value) = glued_command(text)
                && self.known.also.len() < MOST_TAILS
            {
                // `--run=rm x`, and `ENV:rm x` as runners have it
                let rest = words.iter().skip(at + 1).take(LONGEST_TAIL).cloned();
                self.known.also.push(std::iter::once(Word::from(value)).chain(rest).collect());
            }
            if at < MOST_TAILS && self.program_at(from + at).is_some() {
                spellings::add_spellings(self.words, from + at, &mut self.known.spellings);
            }
        }
    }

    /// A text that may be a line for a shell, or hold one behind `=`: for denials alone.
    pub(super) fn add_possible_line(&mut self, word: &Word) {
        let lines = lines_of(word).chain(lines_in(word));
        let lines = lines.filter(|line| !self.known.lines.contains(line)).collect::<Vec<_>>();
        self.known.lines.extend(lines);
    }

    /// The values of options that set something: `cmake -D CMAKE_C_COMPILER=x`. One may be a program: for denials alone.
    pub(super) fn add_set_lines(&mut self, scan: &Scan<'_>) {
        for value in scan.options.iter().filter_map(|found| found.value.as_ref()) {
            let word = value.text.map(Word::from).or_else(|| self.words.get(value.place).cloned());
            if let Some(word) = word.filter(|word| word.known_prefix().contains('=')) {
                self.add_possible_line(&word);
            }
        }
    }

    /// What a program in a language of its own says that it starts: for denials alone.
    pub(super) fn add_started_lines(&mut self, text: &str, at: usize) {
        let name = self.words.get(..at).unwrap_or_default().iter().rev().find_map(Word::literal);
        let name = name.map(super::name::base_name).unwrap_or_default();
        let template =
            ["node", "bun", "deno", "mongo", "python", "pypy"].iter().any(|other| name.starts_with(other));
        for line in started_lines(text, !template) {
            if !self.known.prose.contains(&line) {
                self.known.prose.push(line);
            }
        }
        self.known.guesses.extend(quoted_commands(text));
    }

    /// What a program whose sub-command is not listed could run: what stands behind the name of that.
    pub(super) fn behind_vague(&mut self, from: usize) {
        let bare = |at: &usize| self.words.get(*at).is_some_and(|word| !word.known_prefix().starts_with('-'));
        if let Some(first) = (from..self.words.len()).find(bare) {
            self.add_possible_commands(first + 1);
        }
    }

    /// The value of an option that runs something, or opens a file: it may be a line, or hold one (`|x`, `!x`, `exec:x`), or
    /// words with commas between.
    pub(super) fn add_option_value(&mut self, word: &Word) {
        self.add_possible_line(word);
        let Some(text) = word.literal() else { return };
        let lower = text.to_lowercase();
        let marks =
            ["exec:", "system:", "shell:"].iter().filter_map(|mark| Some(lower.find(mark)? + mark.len()));
        let behind = marks.filter_map(|at| text.get(at..)).next();
        let bare = behind.unwrap_or(text).trim_start_matches(['|', '!', ' ']).trim_end_matches(['|', ' ']);
        let commas = bare.contains(',').then(|| bare.replace(',', " "));
        let first = bare.contains(',').then(|| bare.split(',').next().unwrap_or_default().to_owned());
        // `popen//python=LINE`
        let setting = bare.split_once('=').map(|(_, line)| line.to_owned());
        for line in std::iter::once(bare.to_owned()).chain(commas).chain(first).chain(setting) {
            if !line.is_empty() && line != text {
                self.add_possible_line(&Word::Literal(line));
            }
        }
    }

    /// What a wrapper could run, for denials alone.
    pub(super) fn add_tails(&mut self, from: impl Iterator<Item = usize>) {
        let tail = |at: usize| Some(self.words.get(at..)?.iter().take(LONGEST_TAIL).cloned().collect());
        self.known.also.extend(from.take(MOST_TAILS).filter_map(tail));
    }
}

/// What may be a command behind the name that it is glued to: `--run=rm`, `lint:rm`.
fn glued_command(text: &str) -> Option<&str> {
    let plain =
        |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    match text.starts_with('-') {
        true => text.split_once('=').map(|(_, value)| value),
        false => text
            .split_once(':')
            .filter(|(name, command)| !command.is_empty() && plain(name) && plain(command))
            .map(|(_, command)| command),
    }
}
