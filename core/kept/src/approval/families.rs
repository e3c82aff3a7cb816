//! Commands that are offered with any further words. A list of what may be, not of what may not: a program
//! that nobody thought of gets its exact words.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    alone: String,
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

/// As many words say which family it is.
const MOST_WORDS: usize = 3;

/// `cargo test -p x` → `shell(cargo test *)`, if that is a family.
pub(super) fn family(argv: &[String]) -> Option<String> {
    // Two words are no single one with a space in it.
    let begins = |count: usize| {
        let words = argv.get(..count).filter(|words| !words.iter().any(|word| word.contains(' ')));
        words.map(|words| words.join(" "))
    };
    let found = (1..=MOST_WORDS).filter_map(begins).find(|begins| FAMILIES.contains(begins))?;
    Some(format!("shell({found} *)"))
}

#[cfg(test)]
mod tests;
