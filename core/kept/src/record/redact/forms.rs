//! What secrets look like that mayi was never told: the table of well-known forms. `forms.toml` says what its keys mean.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// One form of secret.
#[derive(Debug)]
pub(super) struct Form {
    /// What it is called in the mark that replaces it.
    pub(super) name: String,
    /// Lower-case text, one of which stands in every match, in any case.
    pub(super) marks: Vec<String>,
    /// A run of so many letters and digits stands in every match.
    pub(super) run: usize,
    /// The pattern, as the library has it.
    pub(super) pattern: String,
    /// How it is told from what only looks like it.
    pub(super) only: Only,
}

/// What a match must be besides.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Only {
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

impl Only {
    /// So many groups before the secret are names.
    pub(super) fn names(self) -> usize {
        usize::from(matches!(self, Self::Named | Self::Setting | Self::Option))
    }
}

/// The head of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    parts: BTreeMap<String, String>,
}

/// One file of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    form: Vec<Written>,
    #[serde(default)]
    command: Vec<Command>,
}

/// A form as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    marks: String,
    #[serde(default)]
    run: usize,
    pattern: String,
    #[serde(default)]
    only: Only,
}

/// A form by the place in a command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    programs: String,
    #[serde(default)]
    sub: String,
    #[serde(default)]
    options: String,
    #[serde(default)]
    user: String,
    #[serde(default)]
    operand: usize,
    #[serde(default = "password")]
    name: String,
}

fn password() -> String {
    "password".to_owned()
}

const HEAD: &str = include_str!("forms.toml");

/// The files, in the order in which forms name what they find.
const FILES: &[&str] = &[
    include_str!("forms/platforms.toml"),
    include_str!("forms/services.toml"),
    include_str!("forms/places.toml"),
    include_str!("forms/commands.toml"),
];

/// All forms.
pub(super) static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    // A test holds that every line of the table is read and compiled.
    let head: Head = toml::from_str(HEAD).unwrap_or_default();
    FILES.iter().flat_map(|text| toml::from_str::<File>(text).unwrap_or_default().forms(&head)).collect()
});

impl File {
    fn forms(self, head: &Head) -> Vec<Form> {
        let commands = self.command.iter().map(|command| command.form(head));
        let mut forms: Vec<Form> = self.form.into_iter().map(|form| form.read(head)).collect();
        forms.extend(commands);
        forms
    }
}

impl Head {
    fn part(&self, name: &str) -> &str {
        self.parts.get(name).map(String::as_str).unwrap_or_default()
    }

    /// `pattern` with its parts, as the library reads it.
    fn filled(&self, pattern: &str) -> String {
        let mut text = pattern.to_owned();
        for (name, part) in &self.parts {
            text = text.replace(&["{", name, "}"].concat(), part);
        }
        text.replace(r"\b", r"(?-u:\b)")
    }

    fn marks(&self, marks: &str) -> Vec<String> {
        marks.replace("{named}", self.part("named")).split_whitespace().map(str::to_owned).collect()
    }
}

impl Written {
    fn read(self, head: &Head) -> Form {
        Form {
            marks: head.marks(&self.marks),
            run: self.run,
            pattern: head.filled(&self.pattern),
            only: self.only,
            name: self.name,
        }
    }
}

impl Command {
    fn form(&self, head: &Head) -> Form {
        let programs: Vec<String> = self.programs.split_whitespace().map(regex::escape).collect();
        let sub = if self.sub.is_empty() { String::new() } else { format!(r"{{rest}}\s{}", self.sub) };
        let begin = format!(r"(?:^|[^A-Za-z0-9_.-])(?:{})(?:\.exe)?{sub}", programs.join("|"));
        let pattern = if self.operand > 0 {
            let others = self.operand - 1;
            format!(
                r#"{begin}\s+(?:-[^\s"']+\s+){{0,4}}(?:(?:"[^"\n]*"|'[^'\n]*'|[^\s;|&"']+)\s+){{{others}}}{{value}}"#
            )
        } else {
            let options: Vec<String> = self.options.split_whitespace().map(taken).collect();
            format!(r#"{begin}(?:\s|{{rest}}\s)["']?(?:{}){}"#, options.join("|"), self.value())
        };
        Form {
            name: self.name.clone(),
            marks: self.marks(),
            run: 0,
            pattern: head.filled(&pattern),
            only: Only::Given,
        }
    }

    /// The sub-command, where that is rarer than the programs.
    fn marks(&self) -> Vec<String> {
        let plain = self.sub.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if plain && self.sub.len() > "user".len() {
            return vec![self.sub.to_ascii_lowercase()];
        }
        self.programs.split_whitespace().map(|program| format!("{} ", program.to_ascii_lowercase())).collect()
    }

    /// The value: all of it, or what is behind the user's name.
    fn value(&self) -> String {
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

/// An option as it is written in the table, and what is between it and its value.
fn taken(option: &str) -> String {
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

/// How many forms the table has as it is written, in each of its files.
#[cfg(test)]
pub(super) fn written() -> usize {
    let begins = |line: &&str| matches!(*line, "[[form]]" | "[[command]]");
    FILES.iter().map(|text| text.lines().filter(begins).count()).sum()
}
