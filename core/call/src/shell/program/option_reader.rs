//! The reader of a command's words: which of them are options, and which the values of these.

use super::form::{CommandForm, OptionMeaning, OptionSpec, ValueCount};
use super::option_aliases::{Spelling, find_loose_option};
use super::option_lookup::{find_long_option, looks_like_option, open_option};
use super::option_values::split_number_with_unit;
use super::scan::{FoundOption, OptionValue, Scan, is_assignment};
use super::table::{OptionStyle, SpecialCase};
use crate::shell::Word;

/// One way to read a command's words.
#[derive(Clone, Copy)]
pub(super) struct OptionReader<'a, 'b> {
    pub(super) form: &'a CommandForm,
    pub(super) words: &'a [Word],
    /// Options that take no value to it, though they do to other versions of the program.
    pub(super) bare: &'b [&'b str],
    /// It looks at one word alone: values are not looked at as options again.
    pub(super) alone: bool,
}

impl<'a> OptionReader<'a, '_> {
    /// All of its words from `from` on, as [`scan_words`] has them.
    pub(super) fn read_all(self, from: usize, stop: Option<usize>) -> Scan<'a> {
        let Self { form, words, .. } = self;
        let mut scan = Scan::default();
        let mut ended = false;
        let mut before = 0;
        let mut at = from;
        while let Some(word) = words.get(at) {
            let place = at;
            at += 1;
            let text = word.literal();
            if !ended {
                if form.special == Some(SpecialCase::Tar)
                    && place == from
                    && let Some(letters) = text.filter(|text| !text.starts_with('-'))
                {
                    at += self.read_bundle(place, letters, &mut scan);
                    continue;
                }
                // Behind the first operand it is another to `xxd`.
                let operand = form.style == OptionStyle::First && !scan.operands.is_empty();
                if text == Some("--")
                    && !operand
                    && !matches!(form.style, OptionStyle::Words | OptionStyle::Text)
                    && !form.options.contains_key("--")
                {
                    ended = true;
                    scan.ended = Some(place);
                    continue;
                }
                if let Some(text) = text
                    && looks_like_option(form, text)
                    && self.is_late_option(place, text, &mut scan)
                {
                    at += self.read_option(place, text, &mut scan);
                    let ends = |meaning| meaning == OptionMeaning::Command || meaning == OptionMeaning::Split;
                    if scan.options.last().is_some_and(|found| {
                        found.place == place && ends(found.known.meaning) && stop.is_some()
                    }) {
                        scan.rest = Some(at);
                        return scan;
                    }
                    let ended = |found: &&FoundOption<'_>| found.known.meaning == OptionMeaning::Command;
                    let behind = |found: &&FoundOption<'_>| ended(found) && found.value.is_none();
                    if form.parts_commands() && scan.options.last().filter(behind).is_some() {
                        let end = form.command_end(words, at);
                        scan.commands.push(at..end);
                        at = end + 1;
                    }
                    continue;
                }
                if let Word::Open(open) = word {
                    if let Some(found) = open_option(form, word, place) {
                        scan.options.push(found);
                        if open.splits && !open.glob {
                            scan.perhaps.push(place);
                        }
                        continue;
                    }
                    let unquoted = open.splits && !open.glob;
                    if word.known_prefix().is_empty() || word.known_prefix().starts_with('-') || unquoted {
                        scan.perhaps.push(place);
                    }
                }
            }
            if stop == Some(before) && !(is_assignment(word) && takes_assignments(form)) {
                scan.rest = Some(place);
                return scan;
            }
            if !(takes_assignments(form) && is_assignment(word)) {
                before += 1;
            }
            scan.operands.push(place);
        }
        scan
    }

    /// `tar xzf a.tar`: letters without a dash, their values behind them in order. So it is with a dash for
    /// some programs (`tree -Lo 2 FILE`).
    fn read_bundle(self, place: usize, letters: &'a str, scan: &mut Scan<'a>) -> usize {
        let mut taken = 0;
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            let Some((name, known)) = self.form.letter_option(letter) else {
                // `zstd -19`
                if !(self.form.style == OptionStyle::Letters && self.form.digits && letter.is_ascii_digit()) {
                    scan.unknown.push(place);
                }
                continue;
            };
            if self.form.style == OptionStyle::Letters
                && let Some((value, behind)) = self.glued_to_letter(name, known, rest)
            {
                rest = behind;
                let value = Some(OptionValue { place, text: value });
                scan.options.push(FoundOption { name, known, place, value });
                continue;
            }
            taken += match self.value_count(name, known, scan) {
                ValueCount::One => self.add_with_value(name, known, place, place + taken + 1, None, scan),
                _ => {
                    self.add_option(FoundOption { name, known, place, value: None }, scan);
                    0
                }
            };
        }
        taken
    }

    /// What is glued to a letter whose value otherwise is the next word, and the letters behind it: a number (`tree -L2`), or
    /// what stands behind a `=` (`zstd -o=FILE`).
    fn glued_to_letter(
        self,
        name: &str,
        known: OptionSpec,
        behind: &'a str,
    ) -> Option<(Option<&'a str>, &'a str)> {
        if let Some(value) = behind.strip_prefix('=').filter(|_| known.takes != ValueCount::Nothing) {
            return Some((Some(value), ""));
        }
        let (number, rest) = match self.form.takes_number(name) {
            true => split_number_with_unit(self.form, behind),
            false => behind.split_at(behind.bytes().take_while(u8::is_ascii_digit).count()),
        };
        (!number.is_empty()).then_some((None, rest))
    }

    /// Whether the word at `place` is still an option, where options end at the first operand.
    fn is_late_option(self, place: usize, text: &'a str, scan: &mut Scan<'a>) -> bool {
        let Some(first) = self.form.options_first.as_ref().filter(|_| !scan.operands.is_empty()) else {
            return true;
        };
        if first.contains("*") {
            // To some it is an operand.
            scan.unknown.push(place);
            return true;
        }
        let mut own = Scan::default();
        self.read_option(place, text, &mut own);
        let kept = !own.options.is_empty() && own.options.iter().all(|found| first.contains(found.name));
        kept && own.unknown.is_empty()
    }

    /// The option at `place`; returns how many of the next words are its values.
    pub(super) fn read_option(self, place: usize, text: &'a str, scan: &mut Scan<'a>) -> usize {
        let form = self.form;
        if let Some((name, known)) = form.options.get_key_value(text) {
            return self.add_with_value(name, *known, place, place + 1, None, scan);
        }
        if form.spelling == Spelling::Dashes {
            return self.read_dashed_option(place, text, scan);
        }
        if form.style == OptionStyle::Words {
            scan.unknown.push(place);
            return 0;
        }
        if let Some(behind) = text.strip_prefix('+')
            && let Some((name, known)) = form.options.get_key_value("+")
        {
            return self.add_with_value(name, *known, place, place + 1, Some(behind), scan);
        }
        let marks: &[char] = if form.colon { &['=', ':'] } else { &['='] };
        let (name, glued) = match text.split_once(marks) {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if form.style == OptionStyle::Single {
            let single = name.strip_prefix('-').filter(|name| name.starts_with('-')).unwrap_or(name);
            if let Some((name, known)) =
                form.options.get_key_value(name).or(form.options.get_key_value(single))
            {
                return self.add_with_value(name, *known, place, place + 1, glued, scan);
            }
            if let Some((name, known, _)) =
                find_loose_option(form, name).filter(|_| form.spelling == Spelling::Loose)
            {
                return self.add_with_value(name, known, place, place + 1, glued, scan);
            }
            scan.unknown.push(place);
            return 0;
        }
        if text.starts_with("--") {
            return match find_long_option(form, name) {
                Some((name, known, certain)) => {
                    if !certain {
                        scan.unknown.push(place);
                    }
                    self.add_with_value(name, known, place, place + 1, glued, scan)
                }
                None => {
                    scan.unknown.push(place);
                    0
                }
            };
        }
        // `-fplugin=x` is the option of this name, and not `-f` with the rest as its value.
        if name.len() > 2
            && glued.is_some()
            && let Some((name, known)) = form.options.get_key_value(name)
        {
            return self.add_with_value(name, *known, place, place + 1, glued, scan);
        }
        // `-MFx` to a compiler: a name of several letters, and its value. To others these are letters by themselves.
        if let Some((name, known, behind)) = glued_option(form, text)
            && known.meaning.has_effect()
            && !form.is_tame(name, behind)
        {
            let value = Some(OptionValue { place, text: Some(behind) });
            scan.swallowed.push(FoundOption { name, known, place, value });
        }
        // `xxd -seekx 8 FILE`: behind the name nothing counts, and the value is the next word.
        let begun = |(of, known): &(&'a String, &OptionSpec)| {
            of.len() > 2 && known.takes != ValueCount::Nothing && text.starts_with(of.as_str())
        };
        if form.style == OptionStyle::First
            && let Some((name, known)) = form.options.iter().find(begun)
        {
            scan.unknown.push(place);
            return self.add_with_value(name, *known, place, place + 1, None, scan);
        }
        if form.style == OptionStyle::Letters {
            return self.read_bundle(place, text.get(1..).unwrap_or_default(), scan);
        }
        self.read_cluster(place, text, scan)
    }

    /// `-abc`, `-ovalue`.
    pub(super) fn read_cluster(self, place: usize, text: &'a str, scan: &mut Scan<'a>) -> usize {
        self.read_letters(place, text.get(1..).unwrap_or_default(), scan)
    }

    fn read_letters(self, place: usize, letters: &'a str, scan: &mut Scan<'a>) -> usize {
        if self.form.digits && letters.bytes().all(|b| b.is_ascii_digit()) {
            return 0;
        }
        for (index, letter) in letters.char_indices() {
            let Some((name, known)) = self.form.letter_option(letter) else {
                if scan.unknown.last() != Some(&place) {
                    scan.unknown.push(place);
                }
                continue;
            };
            let behind = letters.get(index + letter.len_utf8()..).filter(|behind| !behind.is_empty());
            if self.value_count(name, known, scan) != ValueCount::Nothing {
                if let Some(behind) = behind.filter(|_| self.form.takes_number(name)) {
                    let (number, rest) = split_number_with_unit(self.form, behind);
                    if !rest.is_empty() {
                        let text = Some(number).filter(|number| !number.is_empty());
                        let value = text.map(|_| OptionValue { place, text });
                        self.add_option(FoundOption { name, known, place, value }, scan);
                        return self.read_letters(place, rest, scan);
                    }
                }
                if let Some(behind) = behind {
                    self.read_glued_letters((name, known), place, behind, scan);
                    let number = |c: char| c.is_ascii_hexdigit() || matches!(c, '+' | '-' | 'x');
                    if self.form.style == OptionStyle::First && !behind.chars().all(number) {
                        scan.unknown.push(place);
                    }
                }
                return self.add_with_value(name, known, place, place + 1, behind, scan);
            }
            self.add_option(FoundOption { name, known, place, value: None }, scan);
            // `xxd -bc 8 FILE`: the rest says nothing.
            if self.form.style == OptionStyle::First {
                return 0;
            }
        }
        0
    }

    /// How many values an option takes to this reader.
    fn value_count(self, name: &'a str, known: OptionSpec, scan: &mut Scan<'a>) -> ValueCount {
        if known.takes != ValueCount::Differs {
            return known.takes;
        }
        if !self.alone && !scan.differs.contains(&name) {
            scan.differs.push(name);
        }
        if self.bare.contains(&name) { ValueCount::Nothing } else { ValueCount::One }
    }

    /// Adds an option. One that this reader takes without a value stands in place of nothing (`awk -e`).
    fn add_option(self, mut found: FoundOption<'a>, scan: &mut Scan<'a>) {
        // Without a value it is tame where the empty one is.
        let value = found.value.as_ref().map_or(Some(""), |value| value.text);
        if value.is_some_and(|value| self.form.is_tame(found.name, value)) {
            found.known.meaning = OptionMeaning::Pattern;
        }
        if !self.bare.contains(&found.name) || found.known.meaning.has_effect() {
            scan.options.push(found);
        }
    }

    /// Adds the option at `place` with its value, which is glued or begins at `next`; returns how many of the
    /// next words that takes.
    pub(super) fn add_with_value(
        self,
        name: &'a str,
        known: OptionSpec,
        place: usize,
        next: usize,
        glued: Option<&'a str>,
        scan: &mut Scan<'a>,
    ) -> usize {
        let word =
            |place: usize| self.words.get(place).map(|word| OptionValue { place, text: word.literal() });
        let (value, taken) = match (self.value_count(name, known, scan), glued) {
            (_, Some("false")) if self.form.is_switch(known) => {
                scan.off.push((place, name));
                return 0;
            }
            (_, Some("true")) if self.form.is_switch(known) => (None, 0),
            (_, Some(text)) => {
                if known.takes == ValueCount::Nothing {
                    scan.unknown.push(place);
                }
                (Some(OptionValue { place, text: Some(text) }), 0)
            }
            (ValueCount::Nothing | ValueCount::Perhaps, None) => (None, 0),
            (ValueCount::One | ValueCount::Differs, None) => (word(next), 1),
            (ValueCount::Two, None) => {
                scan.options.push(FoundOption { name, known, place, value: word(next + 1) });
                (word(next), 2)
            }
        };
        self.add_option(FoundOption { name, known, place, value }, scan);
        if !self.alone {
            (next..next + taken).for_each(|place| self.read_swallowed_word(place, scan));
        }
        taken
    }
}

/// The option of several letters behind one dash that `text` begins with, if a value may be glued to it; the longest of them.
fn glued_option<'a>(form: &'a CommandForm, text: &'a str) -> Option<(&'a str, OptionSpec, &'a str)> {
    if form.style != OptionStyle::Gnu {
        return None;
    }
    let begun = form.options.iter().filter(|(name, known)| {
        name.len() > 2
            && !name.starts_with("--")
            && known.takes != ValueCount::Nothing
            && text.starts_with(name.as_str())
    });
    let (name, known) = begun.max_by_key(|(name, _)| name.len())?;
    Some((name.as_str(), *known, text.get(name.len()..)?))
}

fn takes_assignments(form: &CommandForm) -> bool {
    let assignment = super::form::Role::Assignment;
    form.operands.as_ref().is_some_and(|of| of.first.contains(&assignment) || of.many == Some(assignment))
}
