//! What the line gives to variables, as far as it stands in the line, and what words that hold these could be: `x=.git; cp a
//! $x/hooks`. It counts for deny, ask and protection: each value that the line gives anywhere.

use std::collections::HashMap;

use super::Walker;
use super::command_parts::CommandParts;
use super::extended_globs::GlobbedCommand;
use super::printed_input::printf_texts;
use super::printed_names::{pieces_of_text, split_pieces};
use crate::shell::expand::{POSITIONAL, Pieces, sizes};
use crate::shell::program::{self, CommandFacts, FolderChange, InnerCommand};
use crate::shell::{OpenWord, Touch, TouchedPath, Use, Word, split_words};
use crate::{Access, effort};

/// As many values of one variable are told apart, as many readings of one command, and as many inputs of another.
const MOST_VALUES: usize = 64;
const MOST_COMMANDS: usize = 256;
const MOST_INPUTS: usize = 64;

/// As often a line is walked in which variables are used before they are set, in loops and functions.
const MOST_PASSES: usize = 3;

/// The values of variables.
#[derive(Debug, Default)]
pub(super) struct LineValues {
    given: HashMap<String, Vec<Pieces>>,
    /// Of those that were looked at, how many values were known then.
    looked: HashMap<String, usize>,
    passes: usize,
}

impl LineValues {
    fn add(&mut self, name: &str, value: Pieces) {
        let number = |text: &String| text.bytes().all(|b| b.is_ascii_digit());
        // A number leads nowhere, nor does what is not known at all.
        if value.iter().flatten().all(number) {
            return;
        }
        let values = self.given.entry(name.to_owned()).or_default();
        if !effort::spend(sizes(std::slice::from_ref(&value))) {
            return;
        }
        if !values.contains(&value) && values.len() < MOST_VALUES {
            values.push(value);
        }
    }

    fn look_up(&mut self, name: &str) -> Vec<Pieces> {
        let given = self.given.get(name).filter(|given| effort::spend(sizes(given)));
        let values = given.cloned().unwrap_or_default();
        let count = self.looked.entry(name.to_owned()).or_insert(usize::MAX);
        *count = values.len().min(*count);
        values
    }

    /// Whether some were looked at before all of their values were given; then the line is walked again, with these.
    pub(super) fn take_late(&mut self) -> Option<Self> {
        let count = |name: &String| self.given.get(name).map_or(0, Vec::len);
        let late = self.looked.iter().any(|(name, known)| count(name) > *known);
        let again = late && self.passes + 1 < MOST_PASSES;
        again.then(|| Self {
            given: std::mem::take(&mut self.given),
            looked: HashMap::new(),
            passes: self.passes + 1,
        })
    }
}

/// What a word could be, by itself and by what the line tells.
fn word_pieces(word: &Word) -> Vec<Pieces> {
    match word {
        Word::Literal(text) => vec![vec![Some(text.clone())]],
        Word::Open(open) => std::iter::once(&open.pieces).chain(&open.variants).cloned().collect(),
    }
}

/// A value as a word has it: where no quotes are, it is read as a glob again.
pub(in crate::shell) fn value_readings(value: &Pieces, splits: bool) -> Vec<Pieces> {
    let wild = |text: &String| text.contains(['*', '?', '[']);
    if !splits || !value.iter().flatten().any(wild) {
        return vec![value.clone()];
    }
    let mut read: Pieces = Vec::new();
    for piece in value {
        let Some(text) = piece else {
            read.push(None);
            continue;
        };
        for (at, part) in text.split(['*', '?', '[']).enumerate() {
            if at > 0 && read.last() != Some(&None) {
                read.push(None);
            }
            let known = if at > 0 { part.rsplit_once(']').map_or(part, |(_, behind)| behind) } else { part };
            if !known.is_empty() {
                read.push(Some(known.to_owned()));
            }
        }
    }
    // A glob that finds nothing stays as it is.
    vec![read, value.clone()]
}

/// What a substitution that prints one of `printed` could be.
pub(in crate::shell) fn printed_values(printed: &[String], splits: bool) -> Vec<Pieces> {
    let text = |text: &String| pieces_of_text(text.trim_end_matches('\n'));
    let said = |pieces: &Pieces| pieces.iter().flatten().any(|text| !text.is_empty());
    printed.iter().map(text).filter(said).flat_map(|pieces| value_readings(&pieces, splits)).collect()
}

/// The commands that these words could be; none if those are too many.
pub(super) fn variant_commands(words: &[Word]) -> Option<Vec<Vec<Word>>> {
    let readings = |word: &Word| -> Vec<Vec<Word>> {
        let Word::Open(open) = word else { return Vec::new() };
        let split = |word: Word| match (&word, open.splits) {
            // Without a quote beside it, it is no word.
            (Word::Literal(text), true) if text.is_empty() && !open.text.contains(['\'', '"']) => Vec::new(),
            (Word::Literal(text), true) if text.contains(char::is_whitespace) => {
                text.split_whitespace().map(Word::from).collect()
            }
            (Word::Open(inner), true) if inner.has_blank() => {
                split_pieces(&inner.pieces).into_iter().map(|pieces| word_of(pieces, &open.text)).collect()
            }
            _ => vec![word],
        };
        open.variant_words().map(split).collect()
    };
    let all: Vec<Vec<Vec<Word>>> = words.iter().map(readings).collect();
    let count: usize = all.iter().map(Vec::len).sum();
    if count > MOST_COMMANDS {
        return None;
    }
    let mut found: Vec<Vec<Word>> = Vec::new();
    for (place, of_word) in all.iter().enumerate() {
        for reading in of_word {
            let mut command = Vec::new();
            for (at, (word, others)) in words.iter().zip(&all).enumerate() {
                match others.first() {
                    _ if at == place => command.extend_from_slice(reading),
                    Some(other) => command.extend_from_slice(other),
                    None => command.push(word.clone()),
                }
            }
            if !command.is_empty() && !found.contains(&command) {
                found.push(command);
            }
        }
    }
    Some(found)
}

/// A word of these pieces, written as `text`.
pub(super) fn word_of(pieces: Pieces, text: &str) -> Word {
    match pieces.iter().cloned().collect::<Option<String>>() {
        Some(text) => Word::Literal(text),
        None => Word::Open(OpenWord { text: text.to_owned(), pieces, ..OpenWord::default() }),
    }
}

impl Walker<'_> {
    /// The values that the line gives a variable anywhere.
    pub(in crate::shell) fn line_values(&mut self, name: &str) -> Vec<Pieces> {
        let values = self.out.values.look_up(name);
        if !values.is_empty() {
            return values;
        }
        let at_home = |below: &str| Some(vec![Some(format!("{}/{below}", self.known_home()?))]);
        let usual = match name {
            "GIT_DIR" => Some(vec![Some(".git".to_owned())]),
            "XDG_CONFIG_HOME" => at_home(".config"),
            "CARGO_HOME" => at_home(".cargo"),
            _ => None,
        };
        usual.into_iter().collect()
    }

    /// Keeps in mind that a variable is given this.
    pub(super) fn keep_value(&mut self, name: &str, value: &Word, appended: bool) {
        let before = if appended { self.out.values.look_up(name) } else { Vec::new() };
        for pieces in word_pieces(value) {
            for before in &before {
                self.out.values.add(name, before.iter().chain(&pieces).cloned().collect());
            }
            self.out.values.add(name, pieces);
        }
    }

    /// The same of the values of a loop, each of which may be several words.
    pub(super) fn keep_loop_values(&mut self, name: &str, values: &[Word]) {
        for value in values {
            let splits = matches!(value, Word::Open(open) if open.splits);
            for pieces in word_pieces(value) {
                let words = if splits { split_pieces(&pieces) } else { vec![pieces] };
                words.into_iter().for_each(|word| self.out.values.add(name, word));
            }
        }
    }

    /// Keeps what a command gives to variables by its words, or by what it reads.
    pub(super) fn keep_given_values(&mut self, words: &[Word], input: &[String]) {
        let Some((name, rest)) = words.split_first() else { return };
        let Some(name) = name.literal() else { return };
        match name {
            "declare" | "typeset" | "local" | "export" | "readonly" => {
                for word in rest {
                    let Some((target, _)) = word.known_prefix().split_once('=') else { continue };
                    for mut pieces in word_pieces(word) {
                        let Some(Some(first)) = pieces.first_mut() else { continue };
                        *first = first.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
                        self.out.values.add(target.trim_end_matches('+'), pieces);
                    }
                }
            }
            "read" | "mapfile" | "readarray" | "vared" => {
                let names: Vec<&str> =
                    rest.iter().filter_map(Word::literal).filter(|name| !name.starts_with('-')).collect();
                let lines = input.iter().flat_map(|text| text.lines()).take(MOST_VALUES);
                for pieces in lines.map(pieces_of_text) {
                    for name in names.iter().chain(&["REPLY", "MAPFILE"]) {
                        // With several names, each gets a word.
                        split_pieces(&pieces).into_iter().for_each(|word| self.out.values.add(name, word));
                        self.out.values.add(name, pieces.clone());
                    }
                }
            }
            "printf" | "print" => {
                let at = rest.iter().position(|word| word.literal() == Some("-v"));
                let target = at.and_then(|at| rest.get(at + 1)?.literal());
                let behind = at.and_then(|at| rest.get(at + 2..));
                if let (Some(target), Some(behind)) = (target, behind) {
                    printf_texts(behind)
                        .iter()
                        .for_each(|text| self.out.values.add(target, pieces_of_text(text)));
                }
            }
            "set" => self.keep_loop_values(POSITIONAL, rest),
            _ if self.is_function(Some(name)) => self.keep_loop_values(POSITIONAL, rest),
            // `sh -c LINE NAME WORDS`
            _ if program::is_shell(program::name_of(name)) && rest.len() > 2 => {
                self.keep_loop_values(POSITIONAL, rest.get(2..).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// What a command touches if its words are what the line tells, where it goes then, and what what it starts touches with
    /// what it is given to read. None if that is too much to look at.
    pub(super) fn variant_touches(
        &mut self,
        words: &[Word],
        known: &CommandFacts,
        (fed, piped): (bool, bool),
        input: &[String],
    ) -> Option<(Vec<Touch>, Vec<String>)> {
        let (mut touches, mut folders) = (Vec::new(), Vec::new());
        for command in variant_commands(words)? {
            let (told, moves) = self.other_touches(&command, known, (fed, piped));
            touches.extend(told);
            if let Some(FolderChange::To(folder)) = moves {
                folders.push(folder);
            }
        }
        let behind = words.get(known.transparent..).unwrap_or_default();
        if behind.first().and_then(Word::literal).map(program::name_of) == Some("xargs") {
            touches.extend(self.input_touches(behind, known, input));
        }
        let mut seen = std::collections::HashSet::new();
        touches.retain(|touch| seen.insert(touch.clone()));
        Some((touches, folders))
    }

    /// What a command touches besides what is `known`, and where it goes.
    fn other_touches(
        &mut self,
        command: &[Word],
        known: &CommandFacts,
        (fed, piped): (bool, bool),
    ) -> (Vec<Touch>, Option<FolderChange>) {
        let there = self.analyze_words(command, fed, piped);
        let mut touches = Vec::new();
        for (kind, path) in &there.writes {
            match self.path_from_here(path) {
                Some(path) => touches.push(Touch::known_path(path, Use::Write(*kind))),
                None => self.open_touch(&Word::Literal(path.clone()), Use::Write(*kind)),
            }
        }
        touches.extend(there.touches.into_iter().filter(|touch| !known.touches.contains(touch)));
        (touches, there.moves)
    }

    /// What a command could touch by words that are globs to some shells: `globbed` is what it is then.
    pub(super) fn globbed_touches(
        &mut self,
        globbed: &[GlobbedCommand],
        known: &CommandFacts,
        from: (bool, bool),
    ) -> Vec<Touch> {
        let mut told = Vec::new();
        for command in globbed {
            let touches = self.other_touches(&command.words, known, from).0;
            told.extend(touches.into_iter().filter_map(|touch| command.counting_touch(touch)));
        }
        let mut seen = std::collections::HashSet::new();
        told.retain(|touch| seen.insert(touch.clone()));
        told
    }

    /// What a command that `xargs` starts touches with the words that stand in `input`.
    fn input_touches(&mut self, words: &[Word], known: &CommandFacts, input: &[String]) -> Vec<Touch> {
        let mark = input_mark(words);
        let inner = known.inner.iter().find_map(|inner| match inner {
            InnerCommand::Words(words) => Some(words.clone()),
            InnerCommand::Line(_) => None,
        });
        let Some(inner) = inner else { return Vec::new() };
        let mut touches = Vec::new();
        let mut commands: Vec<Vec<Word>> = Vec::new();
        for text in input {
            let plain = split_pieces(&pieces_of_text(&text.replace('\0', "\n")));
            let quoted = split_words(text).unwrap_or_default();
            let quoted = quoted.iter().map(|word| pieces_of_text(word));
            let given: Vec<Pieces> = match &mark {
                Some(_) => text.lines().map(pieces_of_text).chain(quoted).take(MOST_INPUTS).collect(),
                None => plain.iter().cloned().chain(quoted.filter(|word| !plain.contains(word))).collect(),
            };
            match &mark {
                Some(mark) => commands.extend(given.iter().map(|value| replace_mark(&inner, mark, value))),
                None => {
                    let given = given.into_iter().take(MOST_INPUTS).map(|pieces| word_of(pieces, text));
                    commands.push(inner.iter().cloned().chain(given).collect());
                }
            }
        }
        commands.dedup();
        for command in commands.into_iter().take(MOST_INPUTS) {
            if !self.budget.spend_round() {
                break;
            }
            touches.extend(self.trial_touches(command));
        }
        touches
    }

    /// What a command of these words would touch.
    fn trial_touches(&mut self, words: Vec<Word>) -> Vec<Touch> {
        let (noted, known) = (std::mem::take(&mut self.noted), self.out.len());
        let (moved, unpacked, said) = (self.out.moved.len(), self.out.unpacked, self.out.said.len());
        let (sets, kept) = (self.out.sets, self.out.kept);
        let there = self.place.clone();
        let trial = self.walk_trial(known, |walker| {
            let parts = CommandParts { shell: false, ..CommandParts::default() };
            walker.walk_with_state(there, |walker| {
                walker.walk_nested(|walker| walker.walk_command_words(words, parts).map(drop))
            })
        });
        self.noted = noted;
        self.out.moved.truncate(moved);
        self.out.said.truncate(said);
        (self.out.unpacked, self.out.sets, self.out.kept) = (unpacked, sets, kept);
        let mut found = Vec::new();
        for access in trial.found {
            match access {
                Access::Shell(shell) => found.extend(shell.touches),
                Access::Write(kind, path) => found.push(Touch::known_path(path, Use::Write(kind))),
                _ => {}
            }
        }
        // What its own input names is looked at here.
        let nothing = |touch: &Touch| matches!(&touch.path, TouchedPath::Open(path) if path.pieces == [None]);
        found.retain(|touch| !nothing(touch));
        found
    }
}

/// What `xargs` puts each name in place of: `-I MARK`, `-IMARK`, `--replace=MARK`, `-i`.
fn input_mark(words: &[Word]) -> Option<String> {
    let mut words = words.iter().skip(1).map_while(Word::literal);
    while let Some(word) = words.next() {
        let mark = match word {
            "-I" | "-J" => words.next(),
            "-i" | "--replace" => Some("{}"),
            _ => word
                .strip_prefix("--replace=")
                .or(word.strip_prefix("-I"))
                .or(word.strip_prefix("-J"))
                .or(word.strip_prefix("-i")),
        };
        // `-0I{}`
        let among = || {
            let short = word.strip_prefix('-').filter(|short| !short.starts_with('-'))?;
            let (before, mark) = short.split_once(['I', 'J'])?;
            let flags = before.bytes().all(|b| b.is_ascii_digit() || b"rtxop".contains(&b));
            flags.then_some(mark)
        };
        match mark.or_else(among) {
            Some("") => return words.next().map(str::to_owned),
            Some(mark) => return Some(mark.to_owned()),
            None if !word.starts_with('-') && !word.bytes().all(|b| b.is_ascii_digit()) => return None,
            None => {}
        }
    }
    None
}

/// The words with `value` in place of the mark.
fn replace_mark(words: &[Word], mark: &str, value: &Pieces) -> Vec<Word> {
    let replaced = |word: &Word| {
        let Some(text) = word.literal().filter(|text| text.contains(mark)) else { return word.clone() };
        let mut pieces: Pieces = Vec::new();
        let mut push = |piece: Option<&str>| match (piece, pieces.last_mut()) {
            (Some(text), Some(Some(before))) => before.push_str(text),
            (piece, _) => pieces.push(piece.map(str::to_owned)),
        };
        for (at, part) in text.split(mark).enumerate() {
            if at > 0 {
                value.iter().for_each(|piece| push(piece.as_deref()));
            }
            if !part.is_empty() {
                push(Some(part));
            }
        }
        word_of(pieces, text)
    };
    words.iter().map(replaced).collect()
}
