//! Values that could be options, and options that take a value only in some versions of a program.
//!
//! What an option takes is the least certain of all that the table says: versions of a program differ, and
//! some programs read their words twice. So a word that is taken as a value, and that would be an option
//! with an effect, counts as that option too; and where a version is known to take no value, the whole line
//! is read as that version reads it.
//!
//! A program that reads a glued value as a number by itself goes on behind the last digit: `zstd -T1o` is `-T1 -o`.

use super::form::{CommandForm, OptionMeaning, OptionSpec, ValueCount};
use super::option_lookup::looks_like_option;
use super::option_reader::OptionReader;
use super::scan::{FoundOption, Scan, scan_without};
use crate::shell::Word;

/// As many options with an arity that differs are told apart: a line is read in every combination.
const MOST_DIFFERING: usize = 3;

impl<'a> OptionReader<'a, '_> {
    /// The word at `place`, which an option takes as its value: what it would be as an option.
    pub(super) fn read_swallowed_word(self, place: usize, scan: &mut Scan<'a>) {
        if !self.form.effects {
            return;
        }
        let text = match self.words.get(place) {
            Some(Word::Literal(text)) => text,
            // It could be several words, and the second of them an option.
            Some(Word::Open(open)) if open.splits && !open.glob && !open.tame => {
                return scan.perhaps.push(place);
            }
            _ => return,
        };
        if !looks_like_option(self.form, text) {
            return;
        }
        let mut own = Scan::default();
        Self { alone: true, ..self }.read_option(place, text, &mut own);
        // `-d '-2 weeks'`: among letters that no option has, none is one.
        if text.starts_with("--") || own.unknown.is_empty() {
            self.count_effects(own, scan);
        }
    }

    /// Letters that are glued to an option as its value: what they would be if it took none, or only the number that they
    /// begin with. Nothing, unless all of them are options.
    pub(super) fn read_glued_letters(
        self,
        of: (&str, OptionSpec),
        place: usize,
        letters: &'a str,
        scan: &mut Scan<'a>,
    ) {
        // An option that is asked about is, whatever is glued to it.
        let (name, known) = of;
        if !self.form.effects || known.meaning.is_dangerous() || self.form.always_takes_value(name) {
            return;
        }
        let (_, letters) = split_number(letters);
        let mut own = Scan::default();
        for (index, letter) in letters.char_indices() {
            let Some((name, known)) = self.form.letter_option(letter) else { return };
            if matches!(known.takes, ValueCount::Nothing | ValueCount::Differs) {
                own.options.push(FoundOption { name, known, place, value: None });
                continue;
            }
            let behind = letters.get(index + letter.len_utf8()..).filter(|behind| !behind.is_empty());
            Self { alone: true, ..self }.add_with_value(name, known, place, place + 1, behind, &mut own);
            break;
        }
        self.count_effects(own, scan);
    }

    /// Adds those options that have an effect, or take back what another one spares, and the commands behind them.
    fn count_effects(self, own: Scan<'a>, scan: &mut Scan<'a>) {
        for found in own.options.into_iter().chain(own.swallowed) {
            if !found.known.meaning.has_effect() && !self.form.modes.contains(found.name) {
                continue;
            }
            if found.known.meaning == OptionMeaning::Command {
                let from = found.place + 1;
                scan.commands.push(from..self.form.command_end(self.words, from));
            }
            scan.swallowed.push(found);
        }
    }
}

/// Whether a value is one that the table calls tame: `#` in it is a number, `@` a plain name, and `*` at its end any text without
/// control characters.
pub(super) fn fits_tame(tame: &str, value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let (mut tame, mut value) = (tame, value);
    while let Some((text, behind)) = tame.split_once(['#', '@']) {
        let name = tame.get(text.len()..).is_some_and(|marked| marked.starts_with('@'));
        let Some(rest) = value.strip_prefix(text) else { return false };
        let end = rest.find(|c: char| if name { !plain(c) } else { !c.is_ascii_digit() });
        let (known, rest) = rest.split_at(end.unwrap_or(rest.len()));
        // `-x` and `..` are none.
        if known.is_empty() || name && known.starts_with(['-', '.']) {
            return false;
        }
        (tame, value) = (behind, rest);
    }
    match tame.strip_suffix('*') {
        Some(start) => value.starts_with(start) && !value.contains(char::is_control),
        None => value == tame,
    }
}

/// The number that a glued value begins with, with its sign; empty if there is none. Perl takes `_` for a digit.
fn split_number(value: &str) -> (&str, &str) {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    match behind.len() == digits.len() {
        true => ("", value),
        false => value.split_at(value.len() - behind.len()),
    }
}

/// The number that the value of an option is read as, and the letters behind it, which are options. A unit belongs to the
/// number (`-M128MiB`), as far as none of its letters is an option but such a one.
pub(super) fn split_number_with_unit<'v>(form: &CommandForm, value: &'v str) -> (&'v str, &'v str) {
    let (_, mut behind) = split_number(value);
    let free = |letter: char| form.letter_option(letter).is_none_or(|(name, _)| form.takes_number(name));
    for unit in [['k', 'K', 'm', 'M', 'g', 'G'].as_slice(), &['i'], &['B']] {
        let rest = behind.strip_prefix(unit);
        match rest.filter(|_| behind.starts_with(free)) {
            Some(rest) => behind = rest,
            None if unit.len() > 1 => break,
            None => {}
        }
    }
    value.split_at(value.len() - behind.len())
}

/// The further ways in which versions of the program read the words, besides `first`; none if they are too
/// many to tell apart.
pub(super) fn version_readings<'a>(
    form: &'a CommandForm,
    words: &'a [Word],
    from: usize,
    stop: Option<usize>,
    first: &Scan<'a>,
) -> Option<Vec<Scan<'a>>> {
    if first.differs.is_empty() {
        return Some(Vec::new());
    }
    let mut names = first.differs.clone();
    let mut scans = Vec::new();
    let mut at = 1;
    // What one reading takes for a value is an option to another: more names may turn up on the way.
    while at < 1 << names.len() {
        if names.len() > MOST_DIFFERING {
            return None;
        }
        let bare: Vec<&str> =
            names.iter().enumerate().filter(|(bit, _)| at >> bit & 1 == 1).map(|(_, name)| *name).collect();
        let mut scan = scan_without(form, words, from, stop, &bare);
        for name in &scan.differs {
            if !names.contains(name) {
                names.push(name);
            }
        }
        // An option that this version does not know ends it before it does anything.
        scan.unknown.clear();
        scans.push(scan);
        at += 1;
    }
    Some(scans)
}

#[cfg(test)]
mod tests {
    use super::fits_tame;

    #[test]
    fn given_a_tame_value_then_its_marks_are_a_number_a_plain_name_and_any_end() {
        for (tame, value) in [
            ("json", "json"),
            ("#", "20"),
            ("@/@", "owner/repo.js"),
            ("no:@", "no:cacheprovider"),
            ("@=ON", "BUILD_TESTING=ON"),
            ("@=#", "CMAKE_CXX_STANDARD=17"),
            ("test=*", "test=a.BTest#c d"),
        ] {
            assert!(fits_tame(tame, value), "{tame}: {value}");
        }
        for (tame, value) in [
            ("json", "json:x"),
            ("#", ""),
            ("#", "2x"),
            ("@/@", "evil.example/owner/repo"),
            ("@/@", "../repo"),
            ("@/@", "owner/"),
            ("@/@", "-x/repo"),
            ("no:@", "no:"),
            ("@=ON", "A=B=ON"),
            ("@=#", "A=./1"),
            ("test=*", "test=a\nb"),
        ] {
            assert!(!fits_tame(tame, value), "{tame}: {value}");
        }
    }
}
