//! What secrets look like that mayi was never told: the table of well-known forms. `forms.toml` says what its keys mean.
//!
//! The files are only cut into forms at first, and of each only what it is found by is looked at: a form is read when a text has
//! one of its marks, so that a process of one call does not pay for all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

/// One form of secret: its part of a file, and what that says once a text had one of its marks.
#[derive(Debug)]
pub(super) struct SecretForm {
    /// By its place in a command.
    command: bool,
    text: &'static str,
    head: OnceLock<(Cow<'static, str>, usize)>,
    whole: OnceLock<FormDetails>,
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
    #[cfg_attr(
        not(test),
        allow(
            dead_code,
            reason = "a name that is missing is a mistake of the table; what it says is cut out"
        )
    )]
    name: String,
    #[cfg_attr(not(test), allow(dead_code, reason = "as the name"))]
    marks: String,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code, reason = "as the name"))]
    also: String,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code, reason = "as the name"))]
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
    #[cfg_attr(not(test), allow(dead_code, reason = "it is cut out"))]
    name: Option<String>,
}

/// The header of a form by its place in a command.
const COMMAND: &str = "command";

/// What such a form is called if it has no name.
const PASSWORD: &str = "password";

const HEAD: &str = include_str!("forms.toml");

/// The files, in the order in which forms name what they find.
const FILES: &[&str] = &[
    include_str!("forms/platforms.toml"),
    include_str!("forms/services.toml"),
    include_str!("forms/places.toml"),
    include_str!("forms/commands.toml"),
];

/// All forms.
pub(super) static FORMS: LazyLock<Vec<SecretForm>> =
    LazyLock::new(|| FILES.iter().flat_map(|text| split_forms(text)).collect());

/// The texts that patterns name.
static HEADS: LazyLock<PatternParts> = LazyLock::new(|| toml::from_str(HEAD).unwrap_or_default());

/// The forms of a file, and behind them those by their place in a command. A header stands at the beginning of a line, as nothing
/// else does that begins with two brackets; a test holds that every line is read so, as the library reads the whole.
fn split_forms(text: &'static str) -> Vec<SecretForm> {
    let parts = split_parts(text);
    let of = |kind: &'static str| {
        parts.iter().filter(move |(header, _)| *header == kind).map(move |(_, text)| SecretForm {
            command: kind == COMMAND,
            text,
            head: OnceLock::new(),
            whole: OnceLock::new(),
        })
    };
    of("form").chain(of(COMMAND)).collect()
}

/// Headers and what stands below each. Line by line: to look for the brackets in all of the text takes several times as long.
fn split_parts(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let (mut starts, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if at > 0 && line.starts_with("[[") {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([text.len()]);
    let parts =
        starts.iter().zip(ends).filter_map(|(start, end)| text.get(start + 2..end)?.split_once("]]\n"));
    parts.collect()
}

/// What the line of `key` says in a part of the table.
fn table_value(text: &'static str, key: &str) -> Option<Cow<'static, str>> {
    let line =
        text.lines().find(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" = ")))?;
    let value = line.get(key.len() + " = ".len()..)?;
    for (quotes, others) in [("\'\'\'", &[][..]), ("\"", &['\\', '"'][..])] {
        if let Some(inner) = value.strip_prefix(quotes).and_then(|rest| rest.strip_suffix(quotes))
            && !inner.contains(others)
        {
            return Some(Cow::Borrowed(inner));
        }
    }
    if value.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Cow::Borrowed(value));
    }
    // Whatever is written otherwise, the library reads.
    toml::from_str::<BTreeMap<String, String>>(line).ok()?.remove(key).map(Cow::Owned)
}

impl SecretForm {
    /// What it is called in the mark that replaces it.
    pub(super) fn name(&self) -> &str {
        &self.header().0
    }

    /// A run of so many letters and digits stands in every match.
    pub(super) fn run(&self) -> usize {
        self.header().1
    }

    fn header(&self) -> &(Cow<'static, str>, usize) {
        self.head.get_or_init(|| {
            let run = table_value(self.text, "run").and_then(|run| run.parse().ok());
            (table_value(self.text, "name").unwrap_or(Cow::Borrowed(PASSWORD)), run.unwrap_or_default())
        })
    }

    /// Whether a text with one of the marks also has what stands in every match besides, in any case. To look for that takes far
    /// less than to compile the pattern, and most texts that name a program don't give it a password.
    pub(super) fn could_be_in(&self, text: &str) -> bool {
        if self.command {
            let options = table_value(self.text, "options").unwrap_or_default();
            return options.is_empty() || options.split_whitespace().any(|option| is_there(option, text));
        }
        let Some(also) = table_value(self.text, "also") else { return true };
        also.split_whitespace().any(|word| match word {
            "{named}" => NAMED.split_whitespace().any(|word| contains_word(text, word)),
            word => contains_word(text, word),
        })
    }

    /// Tells `each` the marks: lower-case text, one of which stands in every match, in any case.
    pub(super) fn each_mark(&self, mut each: impl FnMut(&str)) {
        if self.command {
            let sub = table_value(self.text, "sub").unwrap_or_default();
            let programs = table_value(self.text, "programs").unwrap_or_default();
            return CommandForm::each_mark(&programs, &sub, each);
        }
        let marks = table_value(self.text, "marks").unwrap_or_default();
        for mark in marks.split_whitespace() {
            match mark {
                "{named}" => NAMED.split_whitespace().for_each(&mut each),
                mark => each(mark),
            }
        }
    }

    /// All of it.
    pub(super) fn details(&self) -> &FormDetails {
        self.whole.get_or_init(|| self.read().unwrap_or_default())
    }

    fn read(&self) -> Result<FormDetails, toml::de::Error> {
        let head = &*HEADS;
        Ok(if self.command {
            toml::from_str::<CommandForm>(self.text)?.to_details(head)
        } else {
            let WrittenForm { pattern, only, .. } = toml::from_str(self.text)?;
            FormDetails { pattern: head.expand_pattern(&pattern), check: only }
        })
    }
}

/// The marks of names that say secret.
static NAMED: LazyLock<Cow<'static, str>> = LazyLock::new(|| table_value(HEAD, "named").unwrap_or_default());

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

    /// The sub-command, where that is rarer than the programs.
    fn each_mark(programs: &str, sub: &str, mut each: impl FnMut(&str)) {
        let plain = sub.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if plain && sub.len() > "user".len() {
            return each(&sub.to_ascii_lowercase());
        }
        let mut mark = String::new();
        for program in programs.split_whitespace() {
            mark.clear();
            mark.extend([program, " "]);
            mark.make_ascii_lowercase();
            each(&mark);
        }
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
    use super::*;

    /// One file of the table, as the library reads it.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        form: Vec<WrittenForm>,
        #[serde(default)]
        command: Vec<CommandForm>,
    }

    fn collect_marks(form: &SecretForm) -> Vec<String> {
        let mut marks = Vec::new();
        form.each_mark(|mark| marks.push(mark.to_owned()));
        marks
    }

    #[test]
    fn given_the_files_then_they_are_cut_into_what_the_library_reads_in_them() {
        let head: PatternParts = toml::from_str(HEAD).unwrap();
        for text in FILES {
            let File { form, command } = toml::from_str(text).unwrap();
            let cut = split_forms(text);
            assert_eq!(cut.len(), form.len() + command.len());
            let (forms, commands) = cut.split_at(form.len());
            for (of, written) in forms.iter().zip(form) {
                assert_eq!((of.name(), of.run()), (&*written.name, written.run));
                assert_eq!(table_value(of.text, "also").unwrap_or_default(), written.also);
                let all = written.marks.replace("{named}", &head.parts["named"]);
                assert_eq!(collect_marks(of), all.split_whitespace().collect::<Vec<_>>(), "{}", of.name());
                assert_eq!(
                    of.read().unwrap(),
                    FormDetails { pattern: head.expand_pattern(&written.pattern), check: written.only }
                );
            }
            for (of, written) in commands.iter().zip(command) {
                assert_eq!((of.name(), of.run()), (written.name.as_deref().unwrap_or(PASSWORD), 0));
                assert_eq!(table_value(of.text, "options").unwrap_or_default(), written.options);
                let mut all = Vec::new();
                CommandForm::each_mark(&written.programs, &written.sub, |mark| all.push(mark.to_owned()));
                assert_eq!(collect_marks(of), all);
                assert_eq!(of.read().unwrap(), written.to_details(&head));
            }
        }
    }
}
