//! Commands as other tools write them: text with `*` for any text, spaces too.

use super::collector::SkipReason;
use mayi_call::shell::{quote_word, split_words};
use mayi_policy::Effect;

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
    let text = text.trim();
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
