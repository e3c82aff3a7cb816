//! What secrets look like that mayi was never told: the table of well-known forms. `forms.toml` says what its keys mean.
//!
//! The build has cut the files into forms (`build.rs`), with all that they are found by: a form is read when a text has one of its
//! marks, so that a process of one call does not pay for all of them.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

include!(concat!(env!("OUT_DIR"), "/forms.rs"));

/// What the parts of the table say, one behind the other.
static TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/forms.txt"));

/// So many forms there are.
pub(super) const COUNT: usize = PARTS.len();

/// A form: where in [`TEXT`] it is.
#[derive(Debug)]
struct Part {
    /// By its place in a command.
    command: bool,
    /// A run of so many letters and digits stands in every match.
    run: u16,
    name: (u32, u32),
    /// What stands in every match besides, as it is written: `options` of a command, `also` of any other form.
    besides: (u32, u32),
    /// Its part of a file.
    text: (u32, u32),
}

/// What forms say, once a text had one of their marks.
static WHOLE: [OnceLock<FormDetails>; COUNT] = [const { OnceLock::new() }; COUNT];

/// One form of secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecretForm {
    part: &'static Part,
    whole: &'static OnceLock<FormDetails>,
}

/// What only matters where one could be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FormDetails {
    /// The pattern, as the library has it.
    pub(super) pattern: String,
    /// How it is told from what only looks like it.
    pub(super) check: FormCheck,
}

/// What a match must be besides.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormCheck {
    /// Nothing: the form is sure.
    Sure,
    /// Letters and digits: words joined by hyphens are none.
    Mixed,
    /// Capital and small letters, and digits.
    Random,
    /// The same, which change as often as those of a random text, and are no hexadecimal number.
    Scattered,
    /// Not the place of a secret: `$TOKEN`, `<token>`, `****`.
    #[default]
    Given,
    /// What the first group names is secret by that name, and the value could be.
    Named,
    /// Letters and digits, and no path, address or name in a program.
    Value,
    /// As [`Self::Named`] and [`Self::Value`] together.
    Setting,
    /// What the first group names is an option that takes a secret.
    Option,
    /// As [`Self::Given`], and made of pairs that a shell would only set variables by: it ends where it ends.
    Pairs,
    /// The key that stands behind it.
    Behind,
}

impl FormCheck {
    /// So many groups before the secret are names.
    pub(super) fn name_groups(self) -> usize {
        usize::from(matches!(self, Self::Named | Self::Setting | Self::Option))
    }
}

/// The head of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PatternParts {
    parts: BTreeMap<String, String>,
}

/// A form as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenForm {
    #[cfg_attr(not(test), allow(dead_code, reason = "the build has cut it out"))]
    name: String,
    #[cfg_attr(not(test), allow(dead_code, reason = "the build has cut it out"))]
    marks: String,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code, reason = "the build has cut it out"))]
    also: String,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code, reason = "the build has cut it out"))]
    run: usize,
    pattern: String,
    #[serde(default)]
    only: FormCheck,
}

/// A form by the place in a command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandForm {
    programs: String,
    #[serde(default)]
    sub: String,
    #[serde(default)]
    options: String,
    #[serde(default)]
    user: String,
    #[serde(default)]
    operand: usize,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code, reason = "the build has cut it out"))]
    name: Option<String>,
}

const HEAD: &str = include_str!("forms.toml");

/// All forms.
pub(super) fn all_forms() -> impl Iterator<Item = SecretForm> {
    PARTS.iter().zip(&WHOLE).map(|(part, whole)| SecretForm { part, whole })
}

/// The form that has the place `at` in the table.
pub(super) fn form_at(at: usize) -> Option<SecretForm> {
    PARTS.get(at).zip(WHOLE.get(at)).map(|(part, whole)| SecretForm { part, whole })
}

fn slice_text((from, to): (u32, u32)) -> &'static str {
    let place = |at| usize::try_from(at).unwrap_or(usize::MAX);
    TEXT.get(place(from)..place(to)).unwrap_or_default()
}

/// The texts that patterns name.
static HEADS: LazyLock<PatternParts> = LazyLock::new(|| toml::from_str(HEAD).unwrap_or_default());

impl SecretForm {
    /// What it is called in the mark that replaces it.
    pub(super) fn name(self) -> &'static str {
        slice_text(self.part.name)
    }

    /// A run of so many letters and digits stands in every match.
    pub(super) fn run(self) -> usize {
        usize::from(self.part.run)
    }

    /// Whether a text with one of the marks also has what stands in every match besides, in any case. To look for that takes far
    /// less than to compile the pattern, and most texts that name a program don't give it a password.
    pub(super) fn could_be_in(self, text: &str) -> bool {
        let mut besides = slice_text(self.part.besides).split_whitespace().peekable();
        if besides.peek().is_none() {
            return true;
        }
        if self.part.command {
            return besides.any(|option| is_there(option, text));
        }
        besides.any(|word| match word {
            "{named}" => slice_text(NAMED_AT).split_whitespace().any(|word| contains_word(text, word)),
            word => contains_word(text, word),
        })
    }

    /// All of it.
    pub(super) fn details(self) -> &'static FormDetails {
        self.whole.get_or_init(|| self.read().unwrap_or_default())
    }

    fn read(self) -> Result<FormDetails, toml::de::Error> {
        let (head, text) = (&*HEADS, slice_text(self.part.text));
        Ok(if self.part.command {
            toml::from_str::<CommandForm>(text)?.to_details(head)
        } else {
            let WrittenForm { pattern, only, .. } = toml::from_str(text)?;
            FormDetails { pattern: head.expand_pattern(&pattern), check: only }
        })
    }
}

impl PatternParts {
    /// `pattern` with its parts, as the library reads it.
    fn expand_pattern(&self, pattern: &str) -> String {
        let mut text = pattern.to_owned();
        for (name, part) in &self.parts {
            text = text.replace(&["{", name, "}"].concat(), part);
        }
        text.replace(r"\b", r"(?-u:\b)")
    }
}

impl CommandForm {
    fn to_details(&self, head: &PatternParts) -> FormDetails {
        let programs: Vec<String> = self.programs.split_whitespace().map(regex::escape).collect();
        let sub = if self.sub.is_empty() { String::new() } else { format!(r"{{rest}}\s{}", self.sub) };
        let begin = format!(r"(?:^|[^A-Za-z0-9_.-])(?:{})(?:\.exe)?{sub}", programs.join("|"));
        let pattern = if self.operand > 0 {
            let others = self.operand - 1;
            format!(
                r#"{begin}\s+(?:-[^\s"']+\s+){{0,4}}(?:(?:"[^"\n]*"|'[^'\n]*'|[^\s;|&"']+)\s+){{{others}}}{{value}}"#
            )
        } else {
            let options: Vec<String> = self.options.split_whitespace().map(option_pattern).collect();
            format!(r#"{begin}(?:\s|{{rest}}\s)["']?(?:{}){}"#, options.join("|"), self.value_pattern())
        };
        FormDetails { pattern: head.expand_pattern(&pattern), check: FormCheck::Given }
    }

    /// The value: all of it, or what is behind the user's name.
    fn value_pattern(&self) -> String {
        if self.user.is_empty() {
            return "{value}".to_owned();
        }
        let user = &self.user;
        let in_quotes =
            |quote: char| format!(r#"{quote}[^\s{user}'"]{{1,80}}[{user}]([^{quote}\n]+){quote}"#);
        let plain = format!(r#"[^\s{user}'"]{{1,80}}[{user}]([^\s'"]+)"#);
        format!("(?:{}|{}|{plain})", in_quotes('\''), in_quotes('"'))
    }
}

/// Whether an option, as it is written in the table, could be in `text`.
fn is_there(option: &str, text: &str) -> bool {
    let option = option.strip_suffix(['+', ':']).unwrap_or(option);
    match option.strip_prefix('-') {
        // Others may be written before it in the same word.
        Some(letter) if letter.len() == 1 => text.split('-').skip(1).any(|behind| {
            let word = behind.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            contains_word(word, letter)
        }),
        _ => contains_word(text, option),
    }
}

/// Whether `word` stands in `text`, in any case of ASCII.
fn contains_word(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len().max(1)).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// An option as it is written in the table, and what is between it and its value.
fn option_pattern(option: &str) -> String {
    if let Some(option) = option.strip_suffix('+') {
        return regex::escape(option);
    }
    if let Some(option) = option.strip_suffix(':') {
        return format!(r"{}(?:=|\s+)", regex::escape(option));
    }
    match option.strip_prefix('-') {
        // Others may be written before it in the same word: then it is the last.
        Some(letter) if letter.len() == 1 => format!(r"-{letter}(?:=|\s+)?|-[A-Za-z]{{1,4}}{letter}\s+"),
        _ => format!(r"{}(?:=|\s+)", regex::escape(option)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::cut::{self, CutForm};
    use super::super::table::MARKS;
    use super::*;

    /// The files, in the order in which the build cuts them.
    const FILES: [&str; 4] = [
        include_str!("forms/platforms.toml"),
        include_str!("forms/services.toml"),
        include_str!("forms/places.toml"),
        include_str!("forms/commands.toml"),
    ];

    /// One file of the table, as the library reads it.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        form: Vec<WrittenForm>,
        #[serde(default)]
        command: Vec<CommandForm>,
    }

    /// The marks that the build gave the form `at`.
    fn marks_of(at: usize) -> BTreeSet<String> {
        let of = |mark: usize| {
            let (from, to) = (usize::from(MARK_ENDS[mark]), usize::from(MARK_ENDS[mark + 1]));
            MARK_FORMS[from..to].iter().any(|form| usize::from(*form) == at)
        };
        let marks = MARKS.text.lines().enumerate().filter(|(mark, _)| of(*mark));
        marks.map(|(_, text)| text.to_owned()).collect()
    }

    #[test]
    fn given_the_files_then_the_build_has_cut_them_into_what_the_library_reads_in_them() {
        let head: PatternParts = toml::from_str(HEAD).unwrap();
        let named = &head.parts["named"];
        assert_eq!(slice_text(NAMED_AT), named);
        let mut at = 0;
        let mut check =
            |name: &str, run: usize, besides: &str, marks: BTreeSet<String>, whole: FormDetails| {
                let form = form_at(at).unwrap();
                assert_eq!((form.name(), form.run()), (name, run));
                assert_eq!(slice_text(form.part.besides), besides, "{name}");
                assert_eq!(marks_of(at), marks, "{name}");
                assert_eq!(UNMARKED.contains(&u16::try_from(at).unwrap()), marks.is_empty(), "{name}");
                assert_eq!(form.read().unwrap(), whole, "{name}");
                at += 1;
            };
        for text in FILES {
            let File { form, command } = toml::from_str(text).unwrap();
            for of in form {
                let marks = of.marks.replace("{named}", named);
                let marks = marks.split_whitespace().map(str::to_owned).collect();
                let whole = FormDetails { pattern: head.expand_pattern(&of.pattern), check: of.only };
                check(&of.name, of.run, &of.also, marks, whole);
            }
            for of in command {
                let marks = cut::command_marks(&of.programs, &of.sub).into_iter().collect();
                check(
                    of.name.as_deref().unwrap_or(cut::PASSWORD),
                    0,
                    &of.options,
                    marks,
                    of.to_details(&head),
                );
            }
        }
        assert_eq!(at, COUNT);
        assert_eq!(MARK_ENDS.len(), MARKS.text.lines().count() + 1);
        let cut = FILES.iter().flat_map(|text| cut::cut_forms(text, named).unwrap());
        for (at, (cut, form)) in cut.zip(all_forms()).enumerate() {
            let CutForm { command, text, name, run, marks, besides } = cut;
            assert_eq!((command, text, run), (form.part.command, slice_text(form.part.text), form.run()));
            assert_eq!((&*name, &*besides), (form.name(), slice_text(form.part.besides)));
            assert_eq!(marks.into_iter().collect::<BTreeSet<_>>(), marks_of(at));
        }
    }

    #[test]
    fn given_a_command_then_its_sub_command_is_the_mark_where_that_is_rarer() {
        assert_eq!(cut::command_marks("Docker podman", "login"), ["login"]);
        assert_eq!(cut::command_marks("Net", "user"), ["net "]);
        assert_eq!(cut::command_marks("a b", ""), ["a ", "b "]);
        assert_eq!(cut::command_marks("a", "(?:x|y)login"), ["a "]);
    }

    #[test]
    fn given_what_the_cutter_does_not_understand_then_it_is_refused() {
        for line in ["a = [1]", "a = \"x\\n\"", "a = \"\"\"x\"\"\"", "a = true", "a = \"b\" # c"] {
            assert!(cut::read_value(line, "a").is_err(), "{line}");
        }
        assert_eq!(cut::read_value("b = 1\na = \"x\\\"\\\\\"", "a").unwrap().unwrap(), "x\"\\");
        assert_eq!(cut::read_value("ab = 1", "a").unwrap(), None);
        assert!(cut::cut_forms("\n[[other]]\nname = 1\n", "").is_err());
    }
}
