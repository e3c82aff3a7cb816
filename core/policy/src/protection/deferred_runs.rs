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
    if renames_into_guarded(&words) {
        return true;
    }
    if only_looks(&words) {
        return false;
    }
    // A key, and after it a value.
    words
        .iter()
        .enumerate()
        .any(|(at, word)| at + 1 < words.len() && literal(word).is_some_and(|key| git_runs_key(&key)))
}

/// Whether `git config` with these words shows something, or takes it out. A sub-command is one as the first word alone:
/// behind a key, `list` is a value.
fn only_looks(words: &[&Word]) -> bool {
    const OPTIONS: &[&str] =
        &["--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--unset", "--unset-all"];
    const VALUES: &[&str] =
        &["-f", "--file", "--blob", "--type", "--default", "--comment", "--value", "--url"];
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.literal() {
            Some(option) if OPTIONS.contains(&option) => return true,
            Some(option) if VALUES.contains(&option) => drop(rest.next()),
            Some("--") => return false,
            Some(option) if option.starts_with('-') => {}
            // Behind the first operand git takes no more options: `git config KEY --get` sets the key to `--get`.
            operand => return matches!(operand, Some("get" | "list" | "unset")),
        }
    }
    false
}

/// Whether a section gets the name of one in which git finds what it runs: `git config --rename-section x core`.
fn renames_into_guarded(words: &[&Word]) -> bool {
    const LONG: &str = "--rename-section";
    let option = |word: &str| word.len() > "--re".len() && LONG.starts_with(word);
    let is = |word: &&Word| word.literal().is_some_and(|word| word == "rename-section" || option(word));
    let Some(at) = words.iter().position(is) else { return false };
    let names = words.iter().skip(at + 1).filter(|word| !word.known_prefix().starts_with('-'));
    let names: Vec<Option<String>> =
        names.map(|word| Some(fold_text(word.literal()?).into_owned())).collect();
    // What is only a label in the name of a section can be another one: `remote.a` and `remote.b`.
    let holds = |section: &str, guarded: &str| match guarded.rsplit_once('.') {
        Some((known, "*")) => {
            section == known || section.strip_prefix(known).is_some_and(|at| at.starts_with('.'))
        }
        Some((known, _)) => match known.strip_suffix(".*") {
            Some(known) => section.strip_prefix(known).is_some_and(|label| label.starts_with('.')),
            None => section == known,
        },
        None => false,
    };
    let gets = |old: Option<&str>, new: &str| {
        let same = |guarded: &str| !guarded.ends_with('*') && old.is_some_and(|old| holds(old, guarded));
        GIT_KEYS.iter().any(|guarded| holds(new, guarded) && !same(guarded))
    };
    names.windows(2).any(|pair| match pair {
        [old, Some(new)] => gets(old.as_deref(), new),
        _ => true,
    })
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

/// Whether git runs the value of a key of its settings, or what it finds there: `core.fsmonitor`, in any case of letters.
#[must_use]
pub fn git_runs_key(key: &str) -> bool {
    let key = &*fold_text(key);
    GIT_KEYS.iter().any(|known| match known.split_once('*') {
        None => **known == *key,
        Some((before, after)) => {
            key.len() > before.len() + after.len() && key.starts_with(before) && key.ends_with(after)
        }
    })
}
