//! Variables by name: which of them only change how output looks, and which change what later words run.
//! The names are in the table of programs.

use super::{Dialect, GapContent, Word, program};

/// What setting a variable means for what runs later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableKind {
    /// Nothing, if its value is literal.
    Inert,
    /// Other programs or files than the words say.
    Rebinding,
    /// Not known.
    Other,
}

/// Whether setting `name` to `value` changes only how output looks.
pub(super) fn is_inert(name: &str, value: &Word) -> bool {
    // A path stands for a file of messages or times.
    let path = |text: &str| {
        let file = name.starts_with("LC_") || matches!(name, "LANG" | "LANGUAGE" | "TZ" | "TERM");
        let zone = name == "TZ" && !text.starts_with([':', '/', '.']) && !text.contains("..");
        file && !zone && text.contains('/')
    };
    // What `make` and others put such a value into may be a line, and `make` has a language of its own.
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.,:+@%=/*~-".contains(&b));
    // By its name a file of settings may be chosen.
    let elsewhere = |text: &str| name == "NODE_ENV" && text.contains(['/', '\\', '.']);
    if is_evaluated(name, value) {
        return false;
    }
    value.literal().is_some_and(|text| has_inert_value(name, text))
        || variable_kind(name) == VariableKind::Inert
            && value.literal().is_some_and(|text| plain(text) && !path(text) && !elsewhere(text))
}

/// Whether a shell that is given `value` for `name` evaluates it: as a number, so that a name in it stands for what that
/// variable holds, with the commands that its subscripts substitute.
pub(super) fn is_evaluated(name: &str, value: &Word) -> bool {
    program::is_evaluated_variable(name) && !is_number(value)
}

/// Whether a word is a number and nothing else, or nothing.
pub(super) fn is_number(word: &Word) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    match word {
        Word::Literal(text) => digits(text.strip_prefix(['-', '+']).unwrap_or(text)),
        Word::Open(open) => {
            open.held == GapContent::Number && open.pieces.iter().flatten().all(|piece| digits(piece))
        }
    }
}

/// Whether each word of a value is one with which the variable changes nothing of what runs.
fn has_inert_value(name: &str, value: &str) -> bool {
    let forms = program::inert_values(name);
    let is_of = |word: &str| {
        forms.iter().any(|form| match form.strip_suffix(['#', '@']) {
            None => form == word,
            Some(begin) => word.strip_prefix(begin).is_some_and(|rest| {
                let fits = |b: u8| match form.ends_with('#') {
                    true => b.is_ascii_digit(),
                    false => b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b','),
                };
                !rest.is_empty() && rest.bytes().all(fits)
            }),
        })
    };
    let mut words = value.split_whitespace().peekable();
    if words.peek().is_none() {
        return false;
    }
    while let Some(word) = words.next() {
        let letter = word.len() == 2 && forms.iter().any(|form| form.strip_suffix('@') == Some(word));
        let whole = match (letter, words.peek()) {
            (true, Some(next)) => [word, next].concat(),
            _ => word.to_owned(),
        };
        if !is_of(&whole) {
            return false;
        }
        if letter {
            words.next();
        }
    }
    true
}

/// Looks a name up. One that is no name of a variable rebinds: it may hold a subscript to evaluate.
pub(super) fn variable_kind(name: &str) -> VariableKind {
    if !is_name(name) {
        return VariableKind::Rebinding;
    }
    let (inert, rebinding) = program::inert_and_rebinding();
    let named = |of: &String| match of.split_once('*') {
        Some((begin, end)) => name.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end)),
        None => of == name,
    };
    if inert.iter().any(named) {
        return VariableKind::Inert;
    }
    if rebinding.iter().any(named) { VariableKind::Rebinding } else { VariableKind::Other }
}

/// Looks a name up for a shell of `dialect`: zsh ties some of its own names to what runs.
pub(super) fn variable_kind_in(name: &str, dialect: Dialect) -> VariableKind {
    if dialect.may_be_zsh() && program::zsh_variables().iter().any(|of| of == name) {
        return VariableKind::Rebinding;
    }
    variable_kind(name)
}

/// Whether a shell sets `name` by itself, so that no assignment tells what it holds.
pub(super) fn is_set_by_shells(name: &str) -> bool {
    const SET: &[&str] = &[
        "_",
        "reply",
        "match",
        "mbegin",
        "mend",
        "pipestatus",
        "status",
        "argv",
        "signals",
        "words",
        "dirstack",
        "historywords",
        "epochtime",
        "options",
        "parameters",
        "jobstates",
        "jobtexts",
        "jobdirs",
        "nameddirs",
        "userdirs",
        "usergroups",
        "errnos",
        "sysparams",
        "langinfo",
        "terminfo",
        "termcap",
        "keymaps",
        "widgets",
        "buffer",
    ];
    const CAPITALS: &[&str] = &[
        "REPLY",
        "OPTARG",
        "OPTIND",
        "OPTERR",
        "MAPFILE",
        "MATCH",
        "MBEGIN",
        "MEND",
        "RANDOM",
        "SRANDOM",
        "SECONDS",
        "LINENO",
        "PWD",
        "OLDPWD",
        "COPROC",
        "PIPESTATUS",
        "FUNCNAME",
        "DIRSTACK",
        "GROUPS",
        "HOSTNAME",
        "HOSTTYPE",
        "MACHTYPE",
        "OSTYPE",
        "VENDOR",
        "UID",
        "EUID",
        "GID",
        "EGID",
        "PPID",
        "SHLVL",
        "COLUMNS",
        "LINES",
        "TTY",
        "TTYIDLE",
        "USERNAME",
        "ERRNO",
        "ARGC",
        "CPUTYPE",
        "LOGNAME",
        "HOST",
        "BUFFER",
        "CURSOR",
        "KEYS",
        "NUMERIC",
        "PREFIX",
        "SUFFIX",
        "CURRENT",
        "COMPREPLY",
    ];
    const BEGIN: &[&str] =
        &["BASH", "COMP_", "EPOCH", "FUNC", "HIST", "READLINE_", "TRY_BLOCK_", "ZSH_", "zsh_", "func"];
    SET.contains(&name) || CAPITALS.contains(&name) || BEGIN.iter().any(|begin| name.starts_with(begin))
}

/// Whether a shell gives `name` by itself a text that may come from anywhere: the last word of a command, what an expression
/// matched, the name of a folder. What it counts by itself is a number.
pub(super) fn holds_text_of_the_shell(name: &str) -> bool {
    const NUMBERS: &[&str] = &[
        "ARGC",
        "BASHPID",
        "BASH_SUBSHELL",
        "BASH_VERSINFO",
        "COLUMNS",
        "COMP_CWORD",
        "COMP_POINT",
        "CURRENT",
        "CURSOR",
        "EGID",
        "EPOCHREALTIME",
        "EPOCHSECONDS",
        "ERRNO",
        "EUID",
        "GID",
        "GROUPS",
        "HISTCMD",
        "LINENO",
        "LINES",
        "MBEGIN",
        "MEND",
        "NUMERIC",
        "OPTERR",
        "OPTIND",
        "PIPESTATUS",
        "PPID",
        "RANDOM",
        "SECONDS",
        "SHLVL",
        "SRANDOM",
        "TTYIDLE",
        "UID",
        "epochtime",
        "mbegin",
        "mend",
        "pipestatus",
        "status",
    ];
    is_set_by_shells(name) && !NUMBERS.contains(&name)
}

/// A text without what quotes in it: `d\x` and `'d'x` are both `dx`.
pub(super) fn strip_quotes(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains(['\\', '\'', '"']) {
        true => {
            let text = text.replace("\\\n", "").replace("$'", "").replace("$\"", "\"");
            text.replace(['\\', '\'', '"'], "").into()
        }
        false => text.into(),
    }
}

/// Whether a shell that takes `text` for a number would run a command: the value of a variable, say, in a subscript
/// of which a substitution stands.
pub(super) fn runs_if_evaluated(text: &str) -> bool {
    text.split_once('[').is_some_and(|(_, subscript)| {
        ["$(", "`", "${"].iter().any(|substitution| subscript.contains(substitution))
    })
}

/// The commands that stand in substitutions of such a text.
pub(super) fn substituted_commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, open) in text.match_indices("$(") {
        let inner = text.get(at + open.len()..).unwrap_or_default();
        let end = substitution_end(inner).unwrap_or(inner.len());
        found.extend(inner.get(..end).map(str::to_owned));
    }
    found.extend(text.split('`').skip(1).step_by(2).map(str::to_owned));
    found.truncate(8);
    found
}

/// Where the parenthesis before `text` is closed again, if all of them count, also those in quotes.
pub(super) fn substitution_end(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    })
}

/// Whether `text` is a variable's name and nothing else.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// How often `line` speaks of `name` other than by `$name`, `${name}` or `${name%x}`: it may be set there.
pub(super) fn count_mentions(line: &str, name: &str) -> usize {
    let inside = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    line.match_indices(name)
        .filter(|(at, _)| {
            let before = line.get(..*at).unwrap_or_default();
            let after = line.get(at + name.len()..).unwrap_or_default();
            let whole = !inside(before.as_bytes().last()) && !inside(after.as_bytes().first());
            let operators = ["}", "%", "#", ",", "^", ":-", ":+"];
            let reads = operators.iter().any(|operator| after.starts_with(operator)) || is_element(after);
            let read = before.ends_with('$')
                || before.ends_with("${") && reads
                || before.ends_with("${#") && after.starts_with('}');
            whole && !read && !is_letter(before, after)
        })
        .count()
}

/// A text without the arithmetic in it that only reads what its names hold: `$((n+1))`.
pub(super) fn without_plain_arithmetic(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("$((") {
        left.push_str(before);
        match behind.split_once("))").filter(|(inside, _)| is_plain_arithmetic(inside)) {
            Some((_, after)) => {
                left.push('0');
                rest = after;
            }
            None => {
                left.push_str("$((");
                rest = behind;
            }
        }
    }
    left.push_str(rest);
    left
}

/// Whether an expression is of names and numbers, with one of `+-*/%` between them: it sets nothing.
pub(super) fn is_plain_arithmetic(text: &str) -> bool {
    let operand = |text: &str| {
        let text = text.trim();
        let name = text.strip_prefix('$').unwrap_or(text);
        is_name(name) || !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit())
    };
    text.split(['+', '-', '*', '/', '%']).all(operand)
}

/// Whether what stands between these is an option of a command: `wc -l x`, and not `((a -l ++))`.
fn is_letter(before: &str, after: &str) -> bool {
    const CHANGES: &[&str] = &["++", "--", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];
    let behind = after.trim_start();
    before.ends_with(" -")
        && (after.is_empty() || after.starts_with(' '))
        && !CHANGES.iter().any(|sign| behind.starts_with(sign))
}

/// Whether this is the end of an element that is read: `[0]}`.
fn is_element(after: &str) -> bool {
    let index = after.strip_prefix('[').and_then(|rest| rest.split_once("]}")).map(|(index, _)| index);
    index.is_some_and(|index| matches!(index, "@" | "*") || index.bytes().all(|b| b.is_ascii_digit()))
}
