//! Names of agents and servers, and the nearest to what was meant.

use mayi_call::Names;
use mayi_kept::approval::escape_line;
use mayi_policy::aliases::normalize_name;

/// Words that no agent and no server may be called: `mayi` itself answers to them.
pub const RESERVED: &[&str] = &[
    "acp",
    "agents",
    "bypass",
    "check",
    "completions",
    "config",
    "demo-agent",
    "doctor",
    "exec",
    "grants",
    "help",
    "hook",
    "inbox",
    "init",
    "install",
    "log",
    "login",
    "logout",
    "mcp",
    "pins",
    "relay",
    "responses",
    "run",
    "sandbox",
    "serve",
    "supervise",
    "test",
    "trust",
    "undo",
    "uninstall",
    "update",
    "why",
];

/// Why a name of a server or an app (`what`) is refused, and what to write instead.
pub(super) fn refuse_name(what: &str, name: &str) -> Option<(String, String)> {
    if !Names::is_plain(name) {
        return Some(invalid_name_error(
            what,
            name,
            "use letters, digits, `.`, `_` and `-`, at most 128 of them",
        ));
    }
    RESERVED.contains(&name).then(|| reserved_name_error(what, name))
}

/// Why a name of an agent is refused, and what to write instead: names are as people write them, and none is one that a
/// person could take for another. A command of mayi is one in every spelling.
pub(super) fn refuse_agent(name: &str) -> Option<(String, String)> {
    let what = "an agent";
    if !Names::is_valid_agent_name(name) {
        let help = "begin with a letter or a digit; use letters of ASCII, digits, single blanks, `.`, `_`, `-`, `(` and `)`, at most 128 of them";
        return Some(invalid_name_error(what, name, help));
    }
    let spelled = normalize_name(name);
    RESERVED.iter().any(|word| normalize_name(word) == spelled).then(|| reserved_name_error(what, name))
}

fn invalid_name_error(what: &str, name: &str, help: &str) -> (String, String) {
    (format!("`{}` can't be the name of {what}", escape_line(name)), help.to_owned())
}

fn reserved_name_error(what: &str, name: &str) -> (String, String) {
    (
        format!("`{name}` is a command of mayi and can't be the name of {what}"),
        format!("pick another name, such as `my-{name}`"),
    )
}

/// The candidate that `word` was probably meant to be, if there is one.
#[must_use]
pub fn nearest_word<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    // One mistake in a short word, up to three in a long one.
    let most = (word.chars().count() / 3).clamp(1, 3);
    let candidates: Vec<&str> = candidates.into_iter().collect();
    candidates
        .iter()
        .copied()
        .map(|candidate| (edit_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
        // Or the beginning of it.
        .or_else(|| candidates.into_iter().find(|candidate| lower.len() > 2 && candidate.starts_with(&lower)))
}

/// How many insertions, removals, replacements and swaps of neighbours turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last = None;
    for (i, ca) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut best =
                (at(&row, j) + usize::from(ca != *cb)).min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = j > 0 && last == Some(*cb) && b.get(j - 1) == Some(&ca);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(ca);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, nearest_word};

    #[test]
    fn given_a_slip_then_the_word_that_was_meant_is_found() {
        let keys = ["mode", "command", "bypass_permissions", "env"];
        assert_eq!(nearest_word("mdoe", keys), Some("mode"));
        assert_eq!(nearest_word("Mode", keys), Some("mode"));
        assert_eq!(nearest_word("comand", keys), Some("command"));
        assert_eq!(nearest_word("bypass_permision", keys), Some("bypass_permissions"));
        assert_eq!(nearest_word("bypass", keys), Some("bypass_permissions"));
        assert_eq!(nearest_word("colour", keys), None);
        assert_eq!(nearest_word("", keys), None);
    }

    #[test]
    fn given_two_words_then_the_distance_counts_the_slips() {
        for (a, b, expected) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("ab", "ba", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(edit_distance(a, b), expected, "{a:?} {b:?}");
        }
    }
}
