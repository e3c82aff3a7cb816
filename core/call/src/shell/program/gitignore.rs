//! What a repository's `.gitignore` files leave out, as far as that is certain: a pattern that is not understood leaves
//! out nothing.

use std::str::Chars;

/// As many `**` in one pattern.
const MOST_STARS: usize = 4;

/// One line of such a file.
#[derive(Clone, Debug)]
pub(super) struct IgnoreRule {
    /// The folder of the file, from the top, with `/` behind it where it is not the top.
    base: String,
    /// The pattern's parts; none if it is not understood, so that it could match anything.
    parts: Option<Vec<String>>,
    /// It counts from the file's folder, and not for names at any depth.
    anchored: bool,
    folders: bool,
    keeps: bool,
}

/// The rules of a file in the folder `base`, in the order in which they stand there.
pub(super) fn parse_rules<'t>(text: &'t str, base: &'t str) -> impl Iterator<Item = IgnoreRule> + 't {
    text.trim_start_matches('\u{feff}').lines().filter_map(move |line| {
        let line = line.trim_end_matches(' ');
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (keeps, pattern) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (folders, pattern) = pattern.strip_suffix('/').map_or((false, pattern), |rest| (true, rest));
        let anchored = pattern.contains('/');
        let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
        // Some programs read braces as a choice, and git does not.
        let plain = !pattern.contains(['\\', '[', '{']) && pattern.matches("**").count() <= MOST_STARS;
        let parts = plain.then(|| pattern.split('/').map(str::to_owned).collect());
        Some(IgnoreRule { base: base.to_owned(), parts, anchored, folders, keeps })
    })
}

/// Whether the rules leave out what has this path from the top: the last one that matches says so.
pub(super) fn is_ignored(rules: &[IgnoreRule], path: &str, folder: bool) -> bool {
    rules.iter().rev().find(|rule| rule.matches(path, folder)).is_some_and(|rule| !rule.keeps)
}

/// Whether the last rule that matches takes back in what has this path.
pub(super) fn takes_in(rules: &[IgnoreRule], path: &str, folder: bool) -> bool {
    rules.iter().rev().find(|rule| rule.matches(path, folder)).is_some_and(|rule| rule.keeps)
}

/// The same as [`is_ignored`], where what matches a folder matches all that is in it, too.
pub(super) fn is_ignored_below(rules: &[IgnoreRule], path: &str, folder: bool) -> bool {
    let above = || path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    let matches =
        |rule: &&IgnoreRule| rule.matches(path, folder) || above().any(|path| rule.matches(path, true));
    rules.iter().rev().find(matches).is_some_and(|rule| !rule.keeps)
}

impl IgnoreRule {
    /// Whether it takes something back in.
    pub(super) fn is_negation(&self) -> bool {
        self.keeps
    }

    /// Makes it count from the folder of its file alone, as docker reads such files.
    pub(super) fn anchor(&mut self) {
        self.anchored = true;
    }

    /// Makes it count from any folder: that of its file says nothing.
    pub(super) fn unanchor(&mut self) {
        if let (true, Some(parts)) = (self.anchored, &mut self.parts) {
            parts.insert(0, "**".to_owned());
        }
    }

    fn matches(&self, path: &str, folder: bool) -> bool {
        let Some(path) = path.strip_prefix(&self.base) else { return false };
        let Some(parts) = &self.parts else { return self.keeps };
        if self.folders && !folder {
            return false;
        }
        if !self.anchored {
            let name = path.rsplit('/').next().unwrap_or_default();
            return parts.first().is_some_and(|part| name_matches(part, name));
        }
        let names: Vec<&str> = path.split('/').collect();
        all_fit(parts, &names)
    }
}

fn all_fit(parts: &[String], names: &[&str]) -> bool {
    match parts.split_first() {
        None => names.is_empty(),
        Some((part, rest)) if part == "**" => match rest {
            [] => !names.is_empty(),
            _ => (0..=names.len()).any(|at| names.get(at..).is_some_and(|names| all_fit(rest, names))),
        },
        Some((part, rest)) => {
            names.split_first().is_some_and(|(name, names)| name_matches(part, name) && all_fit(rest, names))
        }
    }
}

/// One name, with `*` and `?` in the pattern.
fn name_matches(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    let mut star: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        let (mut behind, mut left) = (pattern.clone(), name.clone());
        match (behind.next(), left.next()) {
            (Some('*'), _) => {
                star = Some((behind.clone(), name.clone()));
                pattern = behind;
            }
            (None, None) => return true,
            (Some(c), Some(own)) if c == '?' || c == own => (pattern, name) = (behind, left),
            _ => {
                let Some((from, taken)) = &mut star else { return false };
                if taken.next().is_none() {
                    return false;
                }
                (pattern, name) = (from.clone(), taken.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_ignored, parse_rules};

    #[test]
    fn given_patterns_of_git_then_they_leave_out_what_git_leaves_out() {
        for (text, path, folder, expected) in [
            (".env", ".env", false, true),
            (".env", "a/b/.env", false, true),
            ("/.env", "a/.env", false, false),
            ("a/.env", "a/.env", false, true),
            ("a/.env", "b/a/.env", false, false),
            (".env*", ".env.local", false, true),
            ("*.env\n!.env", ".env", false, false),
            ("!.env\n*.env", ".env", false, true),
            ("# .env", ".env", false, false),
            (".env/", ".env", false, false),
            ("build/", "build", true, true),
            ("**/build", "a/b/build", true, true),
            ("a/**/c", "a/c", false, true),
            ("a/**/c", "a/b/b/c", false, true),
            ("a/**", "a/b/c", false, true),
            ("a/**", "a", true, false),
            ("*", "x", false, true),
            (".en?", ".env", false, true),
            (".en[v]", ".env", false, false),
            (".env\\ ", ".env", false, false),
            (".env\n!.en[v]", ".env", false, false),
            (".env  ", ".env", false, true),
            (".env\r\n", ".env", false, true),
        ] {
            let rules: Vec<_> = parse_rules(text, "").collect();
            assert_eq!(is_ignored(&rules, path, folder), expected, "{text:?} {path}");
        }
        let rules: Vec<_> = parse_rules("/.env", "sub/").collect();
        assert!(is_ignored(&rules, "sub/.env", false) && !is_ignored(&rules, ".env", false));
    }
}
