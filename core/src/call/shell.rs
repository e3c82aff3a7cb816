//! Shell lines, as far as they are understood.
//!
//! Until the real grammar comes, a line is understood only if it is plain words: anything with an
//! operator, a substitution, a redirection, a variable or a glob is one access that carries a
//! [`Caveat`] and is asked about. Denials still look into such a line (see
//! [`ShellAccess::candidates`]).

use std::collections::BTreeMap;

use serde::Serialize;

/// Something that could not be understood, or that could change what runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Caveat {
    /// One line, lower case.
    pub reason: String,
    /// Asked about whatever the mode: only an answer to exactly this call discharges it.
    pub always: bool,
}

/// One simple command, or a line that was not understood.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ShellAccess {
    /// The words of the command after quotes are removed; empty if the line was not understood.
    pub argv: Vec<String>,
    /// The line as it was written, where it was not understood.
    pub line: Option<String>,
    /// Commands that the line might run: looked at by deny and ask only.
    pub candidates: Vec<Vec<String>>,
    /// Why it is asked about, whatever else speaks for it.
    pub caveats: Vec<Caveat>,
}

/// The longest line that is looked into.
const LONGEST: usize = 64 * 1024;

/// Characters that make a shell do more than run one program with these words.
const SPECIAL: &[char] = &[
    '|', '&', ';', '(', ')', '<', '>', '$', '`', '*', '?', '[', ']', '{', '}', '~', '#', '!', '\n', '\r',
    '\0', '=',
];

/// Variables that only change how a program's output looks or how much of it there is.
const INERT: &[&str] = &[
    "CI",
    "CLICOLOR",
    "COLUMNS",
    "FORCE_COLOR",
    "LANG",
    "LINES",
    "NO_COLOR",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Variables that change which programs or files later words reach.
const REBINDING: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELL",
    "HOME",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "NODE_OPTIONS",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS4",
];

/// The same, by how they begin.
const REBINDING_FAMILIES: &[&str] =
    &["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "NPM_CONFIG_", "npm_config_", "CARGO_", "RUSTC"];

impl ShellAccess {
    /// A program that is started with exactly these words, no shell in between (`terminal/create`).
    /// One literal line behind a harness's own `sh -c` is read as that line.
    #[must_use]
    pub fn from_argv(argv: Vec<String>, env: &BTreeMap<String, String>) -> Self {
        let mut access = match transported(&argv) {
            Some(line) => Self::from_line(line, &BTreeMap::new()),
            None => Self::plain(argv),
        };
        access.caveats.extend(env.keys().filter_map(|name| assignment(name)));
        access
    }

    /// A line for a shell.
    #[must_use]
    pub fn from_line(line: &str, env: &BTreeMap<String, String>) -> Self {
        let mut access = read_line(line);
        access.caveats.extend(env.keys().filter_map(|name| assignment(name)));
        access
    }

    fn plain(argv: Vec<String>) -> Self {
        let mut caveats = Vec::new();
        if argv.first().is_none_or(|word| word.trim().is_empty()) {
            caveats.push(Caveat { reason: "no command is named".to_owned(), always: true });
        }
        if argv.iter().any(|word| word.contains('\0')) {
            caveats.push(Caveat { reason: "a zero byte among the words".to_owned(), always: true });
        }
        let candidates = behind_wrapper(&argv);
        Self { argv, line: None, candidates, caveats }
    }

    /// The canonical text: words quoted as a shell needs them, or the line as it was written.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.line {
            Some(line) => line.clone(),
            None => join(&self.argv),
        }
    }

    /// Whether the line was understood.
    #[must_use]
    pub fn understood(&self) -> bool {
        self.line.is_none()
    }
}

/// Programs that run what they are given: denials look at what is behind them.
const WRAPPERS: &[&str] = &[
    "ash", "bash", "builtin", "busybox", "chroot", "command", "dash", "doas", "env", "eval", "exec", "fish",
    "flock", "ionice", "ksh", "nice", "nohup", "parallel", "pkexec", "script", "setsid", "sh", "stdbuf",
    "su", "sudo", "time", "timeout", "unshare", "watch", "xargs", "zsh",
];

/// What a wrapper would run, as far as its words tell: every tail of them, and every word that is a
/// line of its own.
fn behind_wrapper(argv: &[String]) -> Vec<Vec<String>> {
    let Some((first, rest)) = argv.split_first() else { return Vec::new() };
    let base = first.rsplit('/').next().unwrap_or(first);
    if rest.is_empty() || !WRAPPERS.contains(&base) {
        return Vec::new();
    }
    let lines = rest.iter().filter(|word| word.contains(char::is_whitespace));
    std::iter::once(rest.to_vec()).chain(lines.flat_map(|line| candidates(line))).collect()
}

/// Words as one line, each quoted where a shell would need it.
#[must_use]
pub fn join(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// The words of a command line, after quotes are removed; none if its quotes do not match.
#[must_use]
pub fn split(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

fn quote(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"%+,-./:@_^".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn read_line(line: &str) -> ShellAccess {
    let opaque = |reason: &str| ShellAccess {
        argv: Vec::new(),
        line: Some(line.to_owned()),
        candidates: candidates(line),
        caveats: vec![Caveat { reason: reason.to_owned(), always: true }],
    };
    if line.len() > LONGEST {
        return opaque("a line too long to look into");
    }
    let trimmed = line.trim_matches([' ', '\t', '\n']);
    if let Some(special) = trimmed.chars().find(|c| SPECIAL.contains(c)) {
        return opaque(&format!("the line holds {special:?}, so more may run than one plain command"));
    }
    if trimmed.chars().any(|c| c.is_control() && c != '\t') {
        return opaque("the line holds control characters");
    }
    match shlex::split(trimmed) {
        Some(argv) => match transported(&argv) {
            Some(inner) => read_line(inner),
            None => ShellAccess::plain(argv),
        },
        None => opaque("the line does not parse"),
    }
}

/// The literal line behind a harness's own `sh -c LINE`: transport, not a wrapper.
fn transported(argv: &[String]) -> Option<&str> {
    let [program, flag, line] = argv else { return None };
    let base = program.rsplit('/').next().unwrap_or(program);
    let shell =
        matches!(base, "sh" | "bash" | "zsh" | "dash") && (base == program || trusted_folder(program));
    (shell && matches!(flag.as_str(), "-c" | "-lc" | "-cl")).then_some(line.as_str())
}

/// A shell by its full name is transport only where the system keeps its shells.
fn trusted_folder(program: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
        .iter()
        .any(|folder| program.strip_prefix(folder).is_some_and(|rest| !rest.contains('/')))
}

/// What a line might run, cut at every operator: too much rather than too little, for denials.
fn candidates(line: &str) -> Vec<Vec<String>> {
    line.get(..LONGEST.min(line.len()))
        .unwrap_or(line)
        .split(['|', '&', ';', '(', ')', '`', '\n', '{', '}', '$'])
        .map(|part| {
            part.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect::<Vec<_>>()
        })
        .filter(|words| !words.is_empty())
        .collect()
}

fn assignment(name: &str) -> Option<Caveat> {
    if INERT.contains(&name) {
        return None;
    }
    let odd = !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let always =
        odd || REBINDING.contains(&name) || REBINDING_FAMILIES.iter().any(|family| name.starts_with(family));
    let what = if always { "changes what later words run" } else { "is set for the command" };
    Some(Caveat { reason: format!("the variable {name} {what}"), always })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ShellAccess {
        ShellAccess::from_line(text, &BTreeMap::new())
    }

    #[test]
    fn given_plain_words_then_quotes_are_removed() {
        assert_eq!(line("git commit -m 'a b' \"c d\"").argv, ["git", "commit", "-m", "a b", "c d"]);
        assert_eq!(line("git commit -m 'a b'").text(), "git commit -m 'a b'");
    }

    /// Issue "The main job": "treat any line with an operator, substitution, redirection or
    /// variable as asked about".
    #[test]
    fn given_anything_but_plain_words_then_it_is_a_caveat_that_always_asks() {
        for text in [
            "a && b",
            "a; b",
            "a | b",
            "a &",
            "(a)",
            "a > b",
            "a < b",
            "echo $X",
            "echo `x`",
            "echo $(x)",
            "ls *",
            "X=1 a",
            "a\nb",
            "{ a; }",
            "cat ~/x",
            "a # b",
            "echo 'x",
            "a \u{1b}[1m",
            "a <(b)",
            "! a",
        ] {
            let access = line(text);
            assert!(access.caveats.iter().any(|c| c.always), "{text:?}: {access:?}");
        }
    }

    /// Decisions, section 2: "A harness's outer `sh -c` / `bash -lc` around one literal line is
    /// transport: the line inside is judged."
    #[test]
    fn given_a_harness_shell_then_the_line_inside_is_judged() {
        let argv = |words: &[&str]| {
            ShellAccess::from_argv(words.iter().map(|w| (*w).to_owned()).collect(), &BTreeMap::new())
        };
        assert_eq!(argv(&["bash", "-lc", "cargo test"]).argv, ["cargo", "test"]);
        assert_eq!(argv(&["/bin/sh", "-c", "cargo test"]).argv, ["cargo", "test"]);
        assert!(!argv(&["bash", "-lc", "cargo test; x"]).understood());
        assert_eq!(argv(&["./bash", "-lc", "cargo test"]).argv, ["./bash", "-lc", "cargo test"]);
        assert_eq!(argv(&["ls", "a;b"]).argv, ["ls", "a;b"]);
    }

    /// Attack 18: "`terminal/create` with `env`: judged as assignments".
    #[test]
    fn given_environment_then_it_counts_as_assignments() {
        let with = |name: &str| {
            ShellAccess::from_argv(vec!["ls".into()], &BTreeMap::from([(name.to_owned(), "x".to_owned())]))
                .caveats
        };
        assert!(with("RUST_LOG").is_empty());
        assert!(with("FOO").iter().all(|c| !c.always) && !with("FOO").is_empty());
        for name in ["PATH", "LD_PRELOAD", "GIT_SSH", "BASH_ENV"] {
            assert!(with(name).iter().any(|c| c.always), "{name}");
        }
    }

    #[test]
    fn given_words_with_quotes_then_the_text_reads_back_as_the_words() {
        let words: Vec<String> = ["a b", "it's", "", "x=y", "$HOME"].map(str::to_owned).into();
        assert_eq!(shlex::split(&join(&words)).unwrap(), words);
    }
}
