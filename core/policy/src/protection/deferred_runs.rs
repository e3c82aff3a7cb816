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
    if name.rsplit('/').next() != Some("git") {
        return false;
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

/// Whether git runs the value of this key, or what it finds there.
fn git_runs_key(key: &str) -> bool {
    GIT_KEYS.iter().any(|known| match known.split_once('*') {
        None => *known == key,
        Some((before, after)) => {
            key.len() > before.len() + after.len() && key.starts_with(before) && key.ends_with(after)
        }
    })
}
