//! Commands that are offered with any further words. A list of what may be, not of what may not: a program
//! that nobody thought of gets its exact words.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    alone: String,
    repeated: String,
    with: std::collections::BTreeMap<String, String>,
}

const TEXT: &str = include_str!("families.toml");

/// How their commands begin: `pytest`, `cargo test`, `gh pr view`.
static FAMILIES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let file: File = toml::from_str(TEXT).unwrap_or_default();
    let with = file
        .with
        .iter()
        .flat_map(|(program, subs)| subs.split_whitespace().map(move |sub| format!("{program} {sub}")));
    file.alone.split_whitespace().map(str::to_owned).chain(with).collect()
});

/// How commands begin that are proposed with any further words once several were said yes to.
static REPEATED: LazyLock<(Vec<Vec<String>>, HashSet<String>)> = LazyLock::new(|| {
    let file: File = toml::from_str(TEXT).unwrap_or_default();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    (
        file.repeated.lines().map(words).filter(|words: &Vec<String>| !words.is_empty()).collect(),
        words(&file.alone).into_iter().collect(),
    )
});

/// As many words say which family it is.
const MOST_WORDS: usize = 3;

/// `cargo test -p x` → `shell(cargo test *)`, if that is a family.
pub(super) fn family_pattern(argv: &[String]) -> Option<String> {
    // Two words are no single one with a space in it.
    let begins = |count: usize| {
        let words = argv.get(..count).filter(|words| !words.iter().any(|word| word.contains(' ')));
        words.map(|words| words.join(" "))
    };
    let found = (1..=MOST_WORDS).filter_map(begins).find(|begins| FAMILIES.contains(begins))?;
    Some(format!("shell({found} *)"))
}

/// `npm run lint -- --fix` → `shell(npm run lint *)`: for whoever said yes to several like it.
pub(crate) fn repeated_pattern(argv: &[String]) -> Option<String> {
    let (families, tools) = &*REPEATED;
    let plain = |word: &str| {
        let inner = |b: u8| b.is_ascii_alphanumeric() || b"-_.:".contains(&b);
        word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.bytes().all(inner)
    };
    let fits = |(of, word): (&String, &String)| match of.as_str() {
        "NAME" => plain(word),
        "PLACE" => word.strip_prefix("./").is_some_and(|rest| rest.split('/').all(plain)),
        "TOOL" => tools.contains(word) && word != "find",
        of => of == word,
    };
    let family = families.iter().find(|of| of.len() <= argv.len() && of.iter().zip(argv).all(fits))?;
    Some(format!("shell({} *)", argv.get(..family.len())?.join(" ")))
}

#[cfg(test)]
mod tests;
