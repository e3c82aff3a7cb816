//! Reading a command's words by the form of its program.

use std::collections::HashSet;
use std::ops::Range;

use super::form::{CommandForm, OptionMeaning, OptionSpec};
use super::option_reader::OptionReader;
use crate::shell::Word;

/// A value of an option.
#[derive(Clone, Debug)]
pub(super) struct OptionValue<'a> {
    /// Where it stands: the option's own place if it is glued to it.
    pub(super) place: usize,
    /// The text; none if it is not known.
    pub(super) text: Option<&'a str>,
}

/// An option that was found.
#[derive(Clone, Debug)]
pub(super) struct FoundOption<'a> {
    /// As the form lists it.
    pub(super) name: &'a str,
    pub(super) known: OptionSpec,
    pub(super) place: usize,
    pub(super) value: Option<OptionValue<'a>>,
}

/// What a command's words are.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan<'a> {
    pub(super) options: Vec<FoundOption<'a>>,
    /// Places of the operands.
    pub(super) operands: Vec<usize>,
    /// Places of words that look like options and are not known.
    pub(super) unknown: Vec<usize>,
    /// Harmless options that a word switches off (`--watch=false`), with the places of the words. They do not stand there then.
    pub(super) off: Vec<(usize, &'a str)>,
    /// Places of open words that could be options.
    pub(super) perhaps: Vec<usize>,
    /// Commands inside, as `find -exec` has them: up to `;` or `+`.
    pub(super) commands: Vec<Range<usize>>,
    /// Where `--` ended the options.
    pub(super) ended: Option<usize>,
    /// Where it stopped: the command of a wrapper, or a sub-command.
    pub(super) rest: Option<usize>,
    /// Options with effects that stand where another option takes its value. A version of the program
    /// to which that one takes none, or takes it otherwise, sees them: they count too, and never in
    /// place of something else.
    pub(super) swallowed: Vec<FoundOption<'a>>,
    /// Options that it met and that take a value only in some versions of the program.
    pub(super) differs: Vec<&'a str>,
}

impl<'a> Scan<'a> {
    /// The options that can be relied on where one of them makes the program spare something: none beside a word that may be an
    /// option and is not known, as `--no-dry-run` behind `--dry-run`, and of modes only one that stands there alone.
    pub(super) fn reliable_options(&self, form: &CommandForm) -> Vec<&FoundOption<'a>> {
        if !self.unknown.is_empty() || !self.off.is_empty() || !self.perhaps.is_empty() {
            return Vec::new();
        }
        let is_mode = |name: &str| form.modes.contains(name);
        let takes_back = |found: &FoundOption<'_>| {
            is_mode(found.name)
                && self
                    .options
                    .iter()
                    .chain(&self.swallowed)
                    .any(|other| other.name != found.name && is_mode(other.name))
        };
        self.options.iter().filter(|found| !takes_back(found)).collect()
    }

    /// Whether one of `sparing` is among [`Self::reliable_options`].
    pub(super) fn relies_on(&self, form: &CommandForm, sparing: &HashSet<String>) -> bool {
        // Most have none.
        !sparing.is_empty() && self.reliable_options(form).iter().any(|found| sparing.contains(found.name))
    }

    /// Whether the program reads, as far as that hangs on its options.
    pub(super) fn has_reading_options(&self, form: &CommandForm) -> bool {
        if form.reader_with.is_empty() {
            return true;
        }
        let reliable = self.reliable_options(form);
        let stands = |name: &String| reliable.iter().any(|found| found.name == name);
        form.reader_with.iter().any(|set| set.iter().all(stands))
    }

    pub(super) fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|found| found.name == option)
    }

    pub(super) fn has_meaning(&self, meaning: OptionMeaning) -> bool {
        self.options.iter().chain(&self.swallowed).any(|found| found.known.meaning == meaning)
    }
}

/// Whether `word` is `NAME=value`. What sets variables before a command takes every word with a `=` for one,
/// whatever the name.
pub(super) fn is_assignment(word: &Word) -> bool {
    match word {
        Word::Literal(text) => text.contains('='),
        Word::Open(open) => open.pieces.iter().flatten().any(|piece| piece.contains('=')),
    }
}

/// Reads `words` from `from` on. With `stop`, it ends at the operand after that many others:
/// assignments before it do not count.
pub(super) fn scan_words<'a>(
    form: &'a CommandForm,
    words: &'a [Word],
    from: usize,
    stop: Option<usize>,
) -> Scan<'a> {
    scan_without(form, words, from, stop, &[])
}

/// The same, as a version of the program reads it to which the options `bare` take no value.
pub(super) fn scan_without<'a>(
    form: &'a CommandForm,
    words: &'a [Word],
    from: usize,
    stop: Option<usize>,
    bare: &[&str],
) -> Scan<'a> {
    let reader = OptionReader { form, words, bare, alone: false };
    let mut scan = reader.read_all(from, stop);
    if let Some(rest) = scan.rest.filter(|_| form.throughout && scan.ended.is_none()) {
        reader.read_trailing_options(rest, &mut scan);
    }
    scan
}

/// Where a command of `find -exec` ends: at `;`, or at `+` behind `{}`.
pub(super) fn command_end(words: &[Word], from: usize) -> usize {
    let literal = |place: usize| words.get(place).and_then(Word::literal);
    (from..words.len())
        .find(|place| match literal(*place) {
            Some(";") => true,
            Some("+") => *place > from && literal(place - 1) == Some("{}"),
            _ => false,
        })
        .unwrap_or(words.len())
}
