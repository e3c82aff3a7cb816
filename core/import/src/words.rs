//! Commands as other tools write them: text with `*` for any text, spaces too.

use super::SkipReason;
use mayi_call::shell::{quote_word, split_words};
use mayi_policy::Effect;

/// What makes a text more than the words of one command.
const OPERATORS: &[char] = &['|', '&', ';', '<', '>', '(', ')', '$', '`', '\n', '\r', '\0', '{', '}'];

/// Where the text of a command begins: also behind assignments, and by a path.
pub(super) const START: &str = r"^([A-Za-z_][A-Za-z0-9_]*=[^ ]* )*([^ ]*\/)?";

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
    if let Some(operator) = text.chars().find(|c| OPERATORS.contains(c)) {
        return Err(format!(
            "it is more than one plain command (`{}`), and mayi judges each command of a line by itself: write a rule for each",
            operator.escape_default()
        ));
    }
    if text.contains('\\') {
        return Err("what `\\` means in it is not certain".to_owned());
    }
    let words = split_words(text).filter(|words| !words.is_empty()).ok_or("its quotes do not match")?;
    let inner_star = words.iter().rev().skip(1).any(|word| word.contains('*'))
        || words.last().is_some_and(|word| word.trim_end_matches('*').contains('*'));
    // (`?` only comes here from a tool where it is one character.)
    if (inner_star || text.contains('?')) && effect != Effect::Allow {
        // There `*` stands for several words too, and all of them have to be denied.
        return regex_pattern(text, tail).map(|pattern| vec![pattern]);
    }
    let quoted = text.contains(['"', '\'']);
    let mut words: Vec<String> = words
        .iter()
        .map(|word| match word.as_str() {
            // Quotes would be part of the glob, and leave `~` as it is.
            word if !word.contains('*') => Ok(match word.strip_prefix("~/").filter(|_| !quoted) {
                Some(below) => format!("~/{}", quote_word(below)),
                None if word == "~" && !quoted => word.to_owned(),
                None => quote_word(word),
            }),
            word if is_plain_word(&word.replace('*', "").replacen(
                "~/",
                "",
                usize::from(word.starts_with("~/")),
            )) =>
            {
                Ok(word.to_owned())
            }
            _ => Err("`*` inside of quotes has no counterpart".to_owned()),
        })
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

/// The same as a regular expression: for denials, which have to reach as far as `*` does there.
fn regex_pattern(text: &str, tail: PatternTail) -> Result<String, SkipReason> {
    if text.contains(['"', '\'']) {
        return Err("`*` beside quotes has no counterpart".to_owned());
    }
    let (stem, end) = match text.strip_suffix(" *") {
        Some(stem) => (stem, "( .*)?$"),
        None if tail == PatternTail::Words => (text, "( .*)?$"),
        None => (text, "$"),
    };
    // A word may stand in quotes in the text that is compared, and `~` is the home folder by then.
    let part = |part: &str| {
        regex::escape(part).replace("\\?", ".").replace(" \\~/", " (\\~|/[^ ]*)/").replace(' ', "'? '?")
    };
    let parts: Vec<String> = stem.split('*').map(part).collect();
    Ok(format!("shell(/{START}{}'?{end}/)", parts.join(".*")))
}

fn is_plain_word(word: &str) -> bool {
    word.is_empty() || quote_word(word) == word
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
