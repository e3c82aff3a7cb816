//! Shell lines, as far as they are understood.
//!
//! Until the real grammar comes, a line is understood only if it is plain words: anything with an
//! operator, a substitution, a redirection, a variable or a glob is one access that carries a
//! [`Caveat`] and is asked about. Denials still look into such a line (see
//! [`ShellAccess::candidates`]).

use super::{Access, Caveat, Named, ShellAccess, Surroundings};

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

/// A program that is started with exactly these words, no shell in between (`terminal/create`).
/// One literal line behind a harness's own `sh -c` is read as that line.
#[must_use]
pub fn argv(words: &[String], at: &Surroundings<'_>) -> Vec<Access> {
    let mut access = match transported(words) {
        Some(line) => read_line(line),
        None => plain(words.to_vec()),
    };
    access.caveats.extend(at.env.keys().filter_map(|name| assignment(name)));
    vec![Access::Shell(access)]
}

/// A line for a shell.
#[must_use]
pub fn line(line: &str, at: &Surroundings<'_>) -> Vec<Access> {
    let mut access = read_line(line);
    access.caveats.extend(at.env.keys().filter_map(|name| assignment(name)));
    vec![Access::Shell(access)]
}

fn always(reason: impl Into<String>) -> Caveat {
    Caveat { reason: reason.into(), always: true, named: Named::Nothing }
}

fn plain(argv: Vec<String>) -> ShellAccess {
    let mut caveats = Vec::new();
    if argv.first().is_none_or(|word| word.trim().is_empty()) {
        caveats.push(always("no command is named"));
    }
    if argv.iter().any(|word| word.contains('\0')) {
        caveats.push(always("a zero byte among the words"));
    }
    let candidates = behind_wrapper(&argv);
    ShellAccess { candidates, caveats, ..ShellAccess::plain(argv) }
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

fn read_line(line: &str) -> ShellAccess {
    let opaque = |reason: &str| ShellAccess {
        line: line.to_owned(),
        candidates: candidates(line),
        caveats: vec![always(reason)],
        ..ShellAccess::default()
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
            None => plain(argv),
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
    Some(Caveat { reason: format!("the variable {name} {what}"), always, named: Named::Nothing })
}
