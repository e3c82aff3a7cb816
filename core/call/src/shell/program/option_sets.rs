//! The options of a command apart from its other words: for rules that deny or ask, to which `rm -fr x`, `rm -r -f x` and `rm x
//! --force --recursive` are one command (D3.7).

use std::collections::BTreeMap;

use super::form::CommandForm;
use super::name;
use super::scan::{FoundOption, Scan, scan_words};
use super::table::{OptionStyle, ProgramTable};
use super::table_entry::TableEntry;
use crate::shell::Word;

/// An option that stands in a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenOption {
    /// One of its names, the same for all spellings.
    pub name: String,
    /// Its value, if it has one: where it stands, and the text, unless that is not known.
    pub value: Option<(usize, Option<String>)>,
}

/// A command's words, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionSet {
    /// Its options, bundled or apart, with those before a sub-command.
    pub options: Vec<GivenOption>,
    /// Places of the words that are neither options nor values of these: the program, sub-commands, operands, and a command
    /// that it runs.
    pub others: Vec<usize>,
}

/// Sorts the words of a command. Of a program or a sub-command that is not known, whatever begins with a dash is an option without
/// a value.
#[must_use]
pub fn option_set(words: &[Word]) -> OptionSet {
    let mut set = OptionSet::default();
    let Some(first) = words.first().and_then(Word::literal) else { return set };
    set.others.push(0);
    let Some(mut program) = ProgramTable::get().find_program(name::base_name(first)) else {
        set.add_words_of_unknown(words, 1);
        return set;
    };
    let mut from = 1;
    while program.has_subs() {
        let scan = scan_words(program.form(), words, from, Some(0));
        set.add_options(program.form(), &scan, words);
        let Some(rest) = scan.rest else { return set };
        set.others.push(rest);
        from = rest + 1;
        let sub = words.get(rest).and_then(Word::literal).and_then(|text| program.sub_command(text));
        let Some(sub) = sub else {
            set.add_words_of_unknown(words, from);
            return set;
        };
        program = sub;
    }
    let form = program.form();
    let scan = scan_words(form, words, from, form.before_command);
    set.add_options(form, &scan, words);
    set.others.extend(&scan.operands);
    set.others.extend(scan.rest.unwrap_or(words.len())..words.len());
    set
}

impl OptionSet {
    fn add_options(&mut self, form: &CommandForm, scan: &Scan<'_>, words: &[Word]) {
        let given = |found: &FoundOption<'_>| GivenOption {
            name: form.same.one_name(found.name).to_owned(),
            value: found.value.as_ref().map(|value| (value.place, value.text.map(str::to_owned))),
        };
        self.options.extend(scan.options.iter().map(given));
        let off = scan.off.iter().map(|(place, _)| place);
        for text in scan.unknown.iter().chain(off).filter_map(|place| words.get(*place)?.literal()) {
            self.add_verbatim(text);
            // Letters, of which one is not known.
            let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            if let Some(letters) = letters.filter(|_| form.style == OptionStyle::Gnu) {
                let names = letters.chars().map(|letter| format!("-{letter}"));
                let names = names.map(|name| form.same.one_name(&name).to_owned());
                self.options.extend(names.map(|name| GivenOption { name, value: None }));
            }
        }
    }

    fn add_words_of_unknown(&mut self, words: &[Word], from: usize) {
        let mut ended = false;
        for (place, word) in words.iter().enumerate().skip(from) {
            match word.literal() {
                Some("--") if !ended => ended = true,
                Some(text) if !ended && text.len() > 1 && text.starts_with('-') => self.add_verbatim(text),
                _ => self.others.push(place),
            }
        }
    }

    fn add_verbatim(&mut self, text: &str) {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        // Where it stands says nothing: it is no word of its own.
        let value = value.map(|value| (usize::MAX, Some(value.to_owned())));
        self.options.push(GivenOption { name: name.to_owned(), value });
    }
}

/// Which names of options are the same option.
#[derive(Debug, Default)]
pub(super) struct SameOptions {
    /// The one that stands for a name.
    names: BTreeMap<String, String>,
}

impl SameOptions {
    /// The table lists an option's short name right before its long one; they are one if they begin with the same letter. What
    /// does not show so, an entry says itself (`same`).
    pub(super) fn new(entry: &TableEntry, above: &[TableEntry]) -> Self {
        let mut same = Self::default();
        for entry in above.iter().chain([entry]) {
            for pair in entry.same.split_whitespace() {
                let mut names = pair.split('=');
                let first = names.next().unwrap_or_default();
                names.for_each(|other| same.join(first, other));
            }
            for (_, list) in entry.option_lists() {
                let words: Vec<&str> = list.split_whitespace().collect();
                for pair in words.windows(2) {
                    if let [short, long] = pair
                        && let Some((short, long)) = paired_names(short, long)
                    {
                        same.join(short, long);
                    }
                }
            }
        }
        same
    }

    fn join(&mut self, one: &str, other: &str) {
        let (one, other) = (self.one_name(one).to_owned(), self.one_name(other).to_owned());
        let (kept, gone) = (one.clone().min(other.clone()), one.clone().max(other.clone()));
        for name in self.names.values_mut().filter(|name| **name == gone) {
            name.clone_from(&kept);
        }
        self.names.insert(one, kept.clone());
        self.names.insert(other, kept);
    }

    /// The name that stands for all of this option's.
    pub(super) fn one_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.get(name).map_or(name, String::as_str)
    }
}

/// The names of two words of a list, if they are one option: `-f --force`, both with a value or both without.
fn paired_names<'a>(short: &'a str, long: &'a str) -> Option<(&'a str, &'a str)> {
    let split = |word: &'a str| word.split_at(word.trim_end_matches(['?', ':']).len());
    let ((short, short_takes), (long, long_takes)) = (split(short), split(long));
    let letter = short.strip_prefix('-').filter(|letter| letter.len() == 1)?;
    let word = long.strip_prefix("--").filter(|word| word.len() > 1)?;
    let begins = word.get(..1).is_some_and(|first| first.eq_ignore_ascii_case(letter));
    let same_value = short_takes.trim_end_matches('?') == long_takes.trim_end_matches('?');
    (begins && same_value).then_some((short, long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::split_words;

    fn set(line: &str) -> (Vec<String>, Vec<String>) {
        let words: Vec<Word> = split_words(line).unwrap().into_iter().map(Word::Literal).collect();
        let set = option_set(&words);
        let mut names: Vec<String> = set.options.into_iter().map(|option| option.name).collect();
        names.sort_unstable();
        let others = set.others.iter().map(|place| words[*place].literal().unwrap().to_owned()).collect();
        (names, others)
    }

    #[test]
    fn given_an_option_in_any_of_its_spellings_then_it_has_one_name() {
        for lines in [
            &[
                "rm -rf x",
                "rm -fr x",
                "rm -r -f x",
                "rm x --force -R",
                "rm --recursive --force x",
                "rm -Rf x",
            ][..],
            &["git push -f origin", "git push origin --force"],
            &["npm install -g x", "npm install x --global"],
            &["curl -k x", "curl --insecure x"],
            &["unknown --now x", "unknown x --now"],
            // A sub-command that the table does not list.
            &["hg unknown --now x", "hg unknown x --now"],
            &[
                "gh api -X DELETE x",
                "gh api x --method DELETE",
                "gh api x --method=DELETE",
                "gh api -XDELETE x",
            ],
        ] {
            for line in lines {
                assert_eq!(set(line), set(lines[0]), "{line}");
            }
        }
    }

    #[test]
    fn given_other_options_then_they_keep_their_names() {
        assert_ne!(set("ls -r x"), set("ls -R x"));
        assert_ne!(set("git push --force x"), set("git push --force-with-lease x"));
        assert_ne!(set("git push -d x"), set("git push -n x"));
        assert_eq!(set("sudo -u root rm -f x").1, ["sudo", "rm", "-f", "x"]);
        assert_eq!(set("git commit -m --amend").0, set("git commit -m x").0);
    }
}
