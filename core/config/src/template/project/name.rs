//! Names out of a project's files: whoever wrote the repository chose them.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

/// No longer name goes into a rule.
const MAX_NAME_LENGTH: usize = 64;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NameWords {
    usual: String,
    never: String,
}

static WORDS: LazyLock<(HashSet<String>, HashSet<String>)> = LazyLock::new(|| {
    let words: NameWords = toml::from_str(include_str!("../data/tasks.toml")).unwrap_or_default();
    let set = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    (set(&words.usual), set(&words.never))
});

/// Whether a pattern with this name means this name and nothing else: no option, no blank, nothing that a pattern, a
/// shell or a runner of tasks takes for more than a name.
pub(super) fn is_plain(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    name.len() <= MAX_NAME_LENGTH
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(inner)
}

/// Whether a task of this name is what everybody runs all day.
pub(super) fn is_usual(name: &str) -> bool {
    let parts = split_name(name);
    let (usual, never) = &*WORDS;
    is_plain(name)
        && parts.first().is_some_and(|first| usual.contains(first))
        && !parts.iter().any(|part| never.contains(part))
}

/// `testUnit:ci` → `test`, `unit`, `ci`.
fn split_name(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && lower;
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        if begins || !c.is_ascii_alphanumeric() {
            parts.push(String::new());
        }
        if let (true, Some(part)) = (c.is_ascii_alphanumeric(), parts.last_mut()) {
            part.push(c.to_ascii_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::{is_plain, is_usual};

    /// A task is allowed by a name that everybody knows, and by none that says that it leaves the project.
    #[test]
    fn given_names_then_the_first_word_is_a_usual_one_and_no_word_says_more() {
        for name in ["test", "test-unit", "test:e2e", "lintFix", "build_docs", "ci", "e2e", "check.types"] {
            assert!(is_usual(name), "{name}");
        }
        for name in [
            "deploy",
            "test-deploy",
            "buildAndPublish",
            "release",
            "build:prod",
            "migrate",
            "x",
            "testing1x-push",
            "start-release",
            "TEST_AND_UPLOAD",
            "",
            "run-sh",
            "docker",
            "build.docker",
            "bash",
            "exec",
            "add",
        ] {
            assert!(!is_usual(name), "{name}");
        }
    }

    /// Nothing in a name is more than a name: to a pattern, to a shell, to a runner. Attack 340.
    #[test]
    fn given_odd_names_then_none_is_plain() {
        for name in [
            "-test",
            "--all",
            "test *",
            "test*",
            "te?t",
            "test[ab]",
            "{test,x}",
            "test) ",
            "te\"st",
            "te'st",
            "te\\st",
            "test\n",
            "test\u{202e}",
            "tést",
            "a/b",
            "../test",
            "test=1",
            "$test",
            "~test",
            "%test",
            ".test",
            "@test",
            "test;rm",
            "test|x",
            "test#",
            "",
            "test\u{0}",
            "!test",
            ":test",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
        assert!(!is_plain(&"a".repeat(65)) && is_plain(&"a".repeat(64)));
    }
}
