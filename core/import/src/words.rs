//! Commands as other tools write them: text with `*` for any text, spaces too.

use std::collections::BTreeMap;
use std::path::Path;

use super::collector::SkipReason;
use mayi_call::shell::{line_accesses, quote_word, split_words};
use mayi_call::{Access, Dialect, Surroundings};
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Effect, Pattern};

/// What makes a text more than the words of one command, where it stands outside of quotes.
const OPERATORS: &[char] = &['|', '&', ';', '<', '>', '(', ')', '`', '\n', '\r', '\0', '{', '}'];

/// Where the text of a command begins: also behind assignments, and by a path.
pub(super) const START: &str = r"^([A-Za-z_][A-Za-z0-9_]*=[^ ]* )*([^ ]*\/)?";

/// Where quotes may stand in what is compared, or not.
pub(super) const QUOTES: &str = r#"['"]*"#;

/// How a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternTail {
    /// As it is written: `*` at its end stands for any text.
    Written,
    /// Any further words may follow.
    Words,
}

/// Patterns for the commands that `text` matches: no more of them for an allow, no fewer else.
///
/// # Errors
/// Why there is no such pattern.
pub(super) fn command_patterns(
    text: &str,
    tail: PatternTail,
    effect: Effect,
) -> Result<Vec<String>, SkipReason> {
    let text = text.trim();
    if text.is_empty() || text.chars().all(|c| c == '*' || c == ' ') {
        return Ok(vec!["shell(*)".to_owned()]);
    }
    if let Some(operator) = first_operator(text) {
        return line_pattern(text, operator, tail, effect).map(|pattern| vec![pattern]);
    }
    let patterns = plain_patterns(text, tail, effect)?;
    if effect != Effect::Allow && !reach_examples(&patterns, text, tail) {
        return Err(READ_OTHERWISE.to_owned());
    }
    Ok(patterns)
}

/// Why a denial that would be about its command, as it is written, is not.
pub(super) const READ_OTHERWISE: &str = "a command that it is about reads otherwise here: `~` is the home folder, a variable that changes \
                                         nothing is left out, and a line for a shell is judged as that line";

/// Patterns for a text that is one command.
fn plain_patterns(text: &str, tail: PatternTail, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if text.contains('\\') {
        return Err("what `\\` means in it is not certain".to_owned());
    }
    let words = split_words(text).filter(|words| !words.is_empty());
    let quoted = text.contains(['"', '\'']);
    let open_ended = |word: &String| word.trim_end_matches('*').contains('*');
    let inner_star = words.as_ref().is_none_or(|words| {
        words.iter().rev().skip(1).any(|word| word.contains('*')) || words.last().is_some_and(open_ended)
    });
    // (`?` only comes here from a tool where it is one character.)
    let any_text = inner_star || text.contains('?') || (quoted && text.contains('*'));
    if any_text && effect != Effect::Allow {
        // There `*` stands for several words too, and all of them have to be denied.
        return regex_pattern(text, tail).map(|pattern| vec![pattern]);
    }
    let mut words: Vec<String> = words
        .ok_or("its quotes do not match")?
        .iter()
        .map(|word| pattern_word(word, quoted))
        .collect::<Result<_, _>>()?;
    let open = match words.last_mut() {
        Some(last) if last.ends_with('*') => {
            let stem = last.trim_end_matches('*').len();
            last.truncate(stem);
            if last.is_empty() {
                words.pop();
            } else if let Some(last) = words.last_mut() {
                // `npm*`: the rest of this word, and further ones.
                last.push('*');
            }
            true
        }
        _ => tail == PatternTail::Words,
    };
    if open {
        words.push("*".to_owned());
    }
    Ok(vec![format!("shell({})", words.join(" "))])
}

/// Whether patterns are about the commands that `text` itself is about, as far as these are understood.
fn reach_examples(patterns: &[String], text: &str, tail: PatternTail) -> bool {
    let open = tail == PatternTail::Words || text.ends_with('*');
    let plain = text.trim_end_matches('*').replace(['*', '?'], "x");
    let mut examples = vec![plain.clone()];
    if open {
        examples.push(format!("{} x", plain.trim_end()));
        // What begins with a shell may be a line for it.
        if split_words(&plain).is_some_and(|words| matches!(words.as_slice(), [one] if is_shell(one))) {
            examples.push(format!("{} -c x", plain.trim_end()));
        }
    }
    examples.iter().all(|example| reach(patterns, example))
}

fn is_shell(word: &str) -> bool {
    matches!(word.rsplit('/').next(), Some("sh" | "bash" | "zsh" | "dash"))
}

/// Whether one of the patterns is about `example`; also where nobody knows what that runs.
pub(super) fn reach(patterns: &[String], example: &str) -> bool {
    let home = Path::new("/home/x");
    let places = PatternBases { home: Some(home.to_owned()), ..PatternBases::default() };
    let (roots, none) = ([home.join("work")], BTreeMap::new());
    let at = Surroundings {
        cwd: &home.join("work"),
        roots: &roots,
        home: Some(home),
        env: &none,
        dialect: Dialect::Unknown,
    };
    let accesses = line_accesses(example, &at);
    let understood = |access: &Access| matches!(access, Access::Shell(shell) if shell.understood);
    let patterns: Vec<Pattern> =
        patterns.iter().filter_map(|pattern| Pattern::parse(pattern, &places).ok()).collect();
    !accesses.iter().any(understood)
        || accesses.iter().any(|access| patterns.iter().any(|of| of.could_match(access, &roots)))
}

/// A word as one of a pattern. `quoted`: the text that it comes from has quotes.
fn pattern_word(word: &str, quoted: bool) -> Result<String, SkipReason> {
    // What a shell puts the home folder in for, if it is written without quotes.
    let (before, rest) = ["~", "$HOME", "${HOME}"]
        .iter()
        .filter(|_| !quoted)
        .find_map(|home| {
            let rest = word.strip_prefix(home)?;
            (rest.is_empty() || rest.starts_with('/')).then_some((*home, rest))
        })
        .unwrap_or(("", word));
    if rest.contains('$') && !quoted {
        return Err("what a variable in it stands for is not known".to_owned());
    }
    if !rest.contains('*') {
        return Ok(match rest {
            "" if !before.is_empty() => before.to_owned(),
            rest => {
                format!("{before}{}", if before.is_empty() { quote_word(rest) } else { quote_below(rest) })
            }
        });
    }
    // Quotes would be part of the glob.
    let plain = |c: char| c.is_ascii_alphanumeric() || "*-_./=:,+@%^[]".contains(c);
    if !rest.chars().all(plain) {
        return Err("`*` inside of quotes has no counterpart".to_owned());
    }
    Ok(word.to_owned())
}

/// What stands behind the home folder, quoted as far as it has to be.
fn quote_below(rest: &str) -> String {
    match rest.strip_prefix('/') {
        Some("") | None => rest.to_owned(),
        Some(rest) => format!("/{}", quote_word(rest)),
    }
}

/// The first character outside of quotes that makes it more than one command.
pub(super) fn first_operator(text: &str) -> Option<char> {
    let mut quote = None;
    let mut before = ' ';
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            // The braces of `${HOME}` are none.
            None if c == '{' && before == '$' => quote = Some('}'),
            None if OPERATORS.contains(&c) => return Some(c),
            None => {}
        }
        before = c;
    }
    None
}

/// A pattern for a whole line: these only deny and ask, and `*` is a word there but at its end.
fn line_pattern(text: &str, operator: char, tail: PatternTail, effect: Effect) -> Result<String, SkipReason> {
    let several = format!(
        "it is more than one plain command (`{}`), and mayi judges each command of a line by itself: write a rule for each",
        operator.escape_default()
    );
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./=:,+@%^".contains(c);
    let stem = text.strip_suffix(" *").unwrap_or(text);
    let words = || stem.split(' ').filter(|word| !word.is_empty());
    // A word may end in `;`.
    let bare = |word: &str| word.strip_suffix(';').unwrap_or(word).chars().all(plain);
    let parts_commands = |word: &str| matches!(word, "&&" | "||" | "|" | ";" | "&");
    let simple = words().all(|word| parts_commands(word) || bare(word));
    if effect == Effect::Allow || !simple {
        return Err(several);
    }
    let further = if tail == PatternTail::Words || stem.len() < text.len() { " *" } else { "" };
    Ok(format!("shell({stem}{further})"))
}

/// The same as a regular expression: for denials, which have to reach as far as `*` does there.
fn regex_pattern(text: &str, tail: PatternTail) -> Result<String, SkipReason> {
    let text = text.replace("${HOME}", "$HOME");
    if text.replace("$HOME", "").contains('$') {
        return Err("what a variable in it stands for is not known".to_owned());
    }
    let (stem, end) = match text.strip_suffix(" *") {
        Some(stem) => (stem, "( .*)?$"),
        None if tail == PatternTail::Words => (text.as_str(), "( .*)?$"),
        None => (text.as_str(), "$"),
    };
    let part = |part: &str| {
        let escaped = regex::escape(part).replace("\\?", ".").replace(['"', '\''], QUOTES);
        let home = "(\\~|/\\S*)";
        escaped.replace(" \\~/", &format!(" {home}/")).replace("\\$HOME", home).replace(' ', " +")
    };
    let parts: Vec<String> = stem.split('*').map(part).collect();
    Ok(format!("shell(/{START}{}{end}/)", parts.join(".*")))
}

/// A pattern for every command that begins as `text` does, as far as it is certain how that is: what is asked about where
/// `text` can't be said.
pub(super) fn beginning_pattern(text: &str) -> String {
    let text = without_assignments(text.trim());
    let pattern = beginning_words(text);
    let open = first_operator(text).is_none()
        && !reach_examples(std::slice::from_ref(&pattern), text, PatternTail::Words);
    if open { "shell(*)".to_owned() } else { pattern }
}

/// A command without what is set before it: some of it is no part of what mayi compares.
fn without_assignments(text: &str) -> &str {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut rest = text;
    while let Some((word, behind)) = rest.split_once(' ') {
        let set = word
            .split_once('=')
            .is_some_and(|(name, value)| is_name(name) && !value.contains(['"', '\'', '$', '`']));
        if !set {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

fn beginning_words(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./:,+@%".contains(c);
    let end = text.find(|c: char| !plain(c)).unwrap_or(text.len());
    let (known, rest) = text.split_at(end);
    // The last word goes on, unless all of it was read.
    let ends = |c: char| matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '\n');
    let whole = if rest.is_empty() || rest.starts_with(ends) {
        known
    } else {
        known.rsplit_once(' ').map_or("", |(whole, _)| whole)
    };
    let words: Vec<&str> = whole.split(' ').filter(|word| !word.is_empty()).collect();
    match (words.as_slice(), rest.chars().next()) {
        ([], Some('*')) if !known.is_empty() => format!("shell({known}*)"),
        ([], _) => "shell(*)".to_owned(),
        (words, _) => format!("shell({} *)", words.join(" ")),
    }
}

/// A pattern for commands that begin with exactly these words.
///
/// # Errors
/// Why there is no such pattern.
pub(super) fn prefix_pattern(words: &[String], effect: Effect) -> Result<String, SkipReason> {
    if words.is_empty() || words.iter().any(String::is_empty) {
        return Err("it has no words".to_owned());
    }
    if effect == Effect::Allow && words.iter().any(|word| word.contains('*')) {
        return Err("`*` is a plain character there, and a wildcard here".to_owned());
    }
    let words: Vec<String> = words.iter().map(|word| quote_word(word)).collect();
    Ok(format!("shell({} *)", words.join(" ")))
}

/// A pattern for exactly these words.
///
/// # Errors
/// Why there is no such pattern.
pub(super) fn exact_pattern(words: &[String], effect: Effect) -> Result<String, SkipReason> {
    let pattern = prefix_pattern(words, effect)?;
    Ok(pattern.strip_suffix(" *)").map(|stem| format!("{stem})")).unwrap_or(pattern))
}
