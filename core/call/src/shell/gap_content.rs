//! What a word holds where its text is not known: by what was printed, or by who set the variable.

use super::Word;

/// What stands in the gaps of a word at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GapContent {
    /// Anything: it may be a secret that the environment holds.
    #[default]
    Anything,
    /// What commands of the line print, or what is no secret.
    Printed,
    /// The same, with no more in it than a name has that leads to no other folder: a branch's, or a file's.
    Name,
    /// What names a commit: its hash, with letters in it that mean much in a script, or HEAD; or nothing.
    Commit,
    /// A number, or nothing.
    Number,
}

impl GapContent {
    /// What a command of these words prints.
    pub(super) fn printed_by(words: &[Word]) -> Self {
        let Some(words) = words.iter().map(Word::literal).collect::<Option<Vec<&str>>>() else {
            return Self::Printed;
        };
        let Some((name, rest)) = words.split_first() else { return Self::Printed };
        let among = |options: &[&str], of: &[&str]| options.iter().all(|option| of.contains(option));
        match (*name, rest) {
            ("wc", ["-l" | "-w" | "-c" | "-m"])
            | ("nproc", [])
            | ("id", ["-u" | "-g"])
            | ("date", ["+%s"]) => Self::Number,
            ("grep" | "egrep" | "fgrep", [options @ .., pattern]) => {
                let plain =
                    ["-c", "-ci", "-ic", "-cv", "-vc", "-cE", "-Ec", "-cF", "-i", "-v", "-E", "-F", "-w"];
                let counts = options.iter().any(|option| option.starts_with("-") && option.contains('c'));
                let only = counts && among(options, &plain) && !pattern.starts_with('-');
                if only { Self::Number } else { Self::Printed }
            }
            ("whoami" | "hostname" | "arch", []) | ("uname", ["-s" | "-m" | "-r"] | []) => Self::Name,
            ("date", [format]) if is_plain_format(format) => Self::Name,
            // One below the other.
            ("seq", [_, ..]) if rest.len() <= 3 && rest.iter().all(|word| is_natural(word)) => Self::Name,
            ("git", rest) => Self::of_git(rest),
            _ => Self::Printed,
        }
    }

    fn of_git(words: &[&str]) -> Self {
        let words = match words {
            ["--no-pager", rest @ ..] => rest,
            words => words,
        };
        let plain = |words: &[&str]| !words.is_empty() && words.iter().copied().all(is_plain_revision);
        match words {
            ["merge-base", rest @ ..]
            | ["rev-parse", "--short" | "--verify", "-q", rest @ ..]
            | ["rev-parse", "-q", "--short" | "--verify", rest @ ..]
            | ["rev-parse", "--short" | "--verify", rest @ ..]
                if plain(rest) =>
            {
                Self::Commit
            }
            // What is no revision is printed as it was written, and could be anything else.
            ["rev-parse", rest @ ..] if plain(rest) && rest.iter().all(|word| is_head(word)) => Self::Commit,
            ["rev-list", "--count", rest @ ..] if plain(rest) => Self::Number,
            ["rev-parse", "--abbrev-ref", rest @ ..] if plain(rest) => Self::Name,
            ["branch", "--show-current"] | ["symbolic-ref", "--short", "HEAD"] => Self::Name,
            ["describe", rest @ ..]
                if rest.iter().all(|word| {
                    matches!(*word, "--tags" | "--always" | "--abbrev=0" | "--dirty" | "--long" | "HEAD")
                }) =>
            {
                Self::Name
            }
            _ => Self::Printed,
        }
    }

    /// Whether nothing of it could be an option.
    pub(super) fn is_no_option(self) -> bool {
        self >= Self::Commit
    }

    /// A word that it could be, for what only tells options and numbers from others.
    pub(super) fn sample(self) -> &'static str {
        if self == Self::Number { "0" } else { "a0" }
    }
}

fn is_natural(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a word is the current commit, or one of those before it.
fn is_head(word: &str) -> bool {
    word.trim_end_matches(['~', '^', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) == "HEAD"
}

/// Whether a word can be nothing else than one revision, or a plain name.
fn is_plain_revision(word: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_./-".contains(&b);
    let (name, parents) = word.split_at(word.find(['~', '^']).unwrap_or(word.len()));
    !name.is_empty()
        && !name.starts_with(['-', '/', '.'])
        && !name.contains("..")
        && name.bytes().all(plain)
        && parents.bytes().all(|b| matches!(b, b'~' | b'^' | b'0'..=b'9'))
}

/// Whether a format of `date` has no more than what names have.
fn is_plain_format(format: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"%_.:-".contains(&b);
    format.strip_prefix("+%").is_some_and(|rest| rest.bytes().all(plain) && !rest.contains(".."))
        && !format.contains("%n")
}

#[cfg(test)]
mod tests {
    use super::GapContent;
    use crate::shell::{Word, split_words};

    fn printed_by_line(line: &str) -> GapContent {
        let words: Vec<_> = split_words(line).unwrap().into_iter().map(Word::Literal).collect();
        GapContent::printed_by(&words)
    }

    /// D2.10: what a substitution gives can't become an option, or a name elsewhere.
    #[test]
    fn given_a_command_then_it_is_known_what_it_prints_at_most() {
        for (line, held) in [
            ("wc -l", GapContent::Number),
            ("grep -c x", GapContent::Number),
            ("git rev-list --count HEAD", GapContent::Number),
            ("git merge-base main HEAD", GapContent::Commit),
            ("git rev-parse --short HEAD~1", GapContent::Commit),
            ("git branch --show-current", GapContent::Name),
            ("git rev-parse --abbrev-ref HEAD", GapContent::Name),
            ("date +%Y-%m-%d", GapContent::Name),
            ("wc -l a", GapContent::Printed),
            ("grep -c x a", GapContent::Printed),
            ("grep -ch x", GapContent::Printed),
            ("grep -e -c", GapContent::Printed),
            ("git rev-parse --output=x", GapContent::Printed),
            ("git rev-parse /x*", GapContent::Printed),
            ("git rev-parse ^HEAD", GapContent::Printed),
            ("git rev-parse main", GapContent::Printed),
            ("git rev-parse -q e", GapContent::Printed),
            ("git rev-parse --verify e", GapContent::Commit),
            ("git rev-parse HEAD^-", GapContent::Printed),
            ("git rev-parse HEAD^2~1", GapContent::Commit),
            ("git rev-parse --git-dir", GapContent::Printed),
            ("git merge-base -a", GapContent::Printed),
            ("git -c alias.branch=x branch --show-current", GapContent::Printed),
            ("git config user.name", GapContent::Printed),
            // A program of the project's, whatever it prints.
            ("./wc -l", GapContent::Printed),
            ("bin/git rev-parse HEAD", GapContent::Printed),
            ("date +/x/*", GapContent::Printed),
            ("cat a", GapContent::Printed),
        ] {
            assert_eq!(printed_by_line(line), held, "{line}");
        }
    }
}
