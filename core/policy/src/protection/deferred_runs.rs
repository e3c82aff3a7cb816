//! Commands that change what is run later, without writing a file that they name.

use super::table::GIT_KEYS;
use crate::fold::fold_text;
use mayi_call::ShellAccess;
use mayi_call::shell::Word;

/// Whether `shell` sets something in git's configuration that git runs: `git config core.hooksPath x`.
pub(super) fn sets_what_git_runs(shell: &ShellAccess) -> bool {
    std::iter::once(&shell.words).chain(&shell.outer).any(|words| words_set_git_config(words))
}

fn words_set_git_config(words: &[Word]) -> bool {
    let literal = |word: &Word| word.literal().map(|text| fold_text(text).into_owned());
    let Some(name) = words.first().and_then(literal) else { return false };
    if !matches!(name.rsplit('/').next(), Some("git" | "gh")) {
        return false;
    }
    let mut cloned = words.iter().skip(1).skip_while(|word| word.literal() != Some("clone")).skip(1);
    if cloned.any(|word| stores_setting(word.known_prefix())) {
        return true;
    }
    let mut rest = words.iter().skip(1).skip_while(|word| word.literal() != Some("config"));
    if rest.next().is_none() {
        return false;
    }
    let words: Vec<&Word> = rest.collect();
    let looks = [
        "get",
        "list",
        "--get",
        "--get-all",
        "--get-regexp",
        "--list",
        "-l",
        "--get-urlmatch",
        "--unset",
        "unset",
    ];
    if words.iter().any(|word| word.literal().is_some_and(|word| looks.contains(&word))) {
        return false;
    }
    // A key, and after it a value.
    words
        .iter()
        .enumerate()
        .any(|(at, word)| at + 1 < words.len() && literal(word).is_some_and(|key| git_runs_key(&key)))
}

/// Whether `git clone` would store with this word what it runs: `-c KEY=VALUE`, `-qcKEY=VALUE`, `--config=KEY=VALUE`.
fn stores_setting(word: &str) -> bool {
    let runs = |setting: &str| setting.split_once('=').is_some_and(|(key, _)| git_runs_key(&fold_text(key)));
    if let Some(long) = word.strip_prefix("--") {
        return long.split_once('=').is_some_and(|(_, setting)| runs(setting));
    }
    if !word.starts_with('-') {
        return runs(word);
    }
    word.match_indices(['c', 'C']).any(|(at, c)| word.get(at + c.len()..).is_some_and(runs))
}

/// Whether git runs the value of this key, or what it finds there.
fn git_runs_key(key: &str) -> bool {
    GIT_KEYS.iter().any(|known| match known.split_once('*') {
        None => *known == key,
        Some((before, after)) => {
            key.len() > before.len() + after.len() && key.starts_with(before) && key.ends_with(after)
        }
    })
}
