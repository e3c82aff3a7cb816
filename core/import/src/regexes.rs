//! Regular expressions over commands, as editors write them.

use super::SkipReason;
use super::words;
use mayi_policy::Effect;

/// The most alternatives of one expression.
const MAX_ALTERNATIVES: usize = 64;

/// Patterns for the commands that `source` matches, somewhere in them unless it is anchored.
///
/// # Errors
/// Why there is no such pattern.
pub(super) fn regex_patterns(
    source: &str,
    ignore_case: bool,
    effect: Effect,
) -> Result<Vec<String>, SkipReason> {
    if effect == Effect::Allow {
        if let Some(patterns) = simple_patterns(source) {
            return Ok(patterns);
        }
        if !is_anchored(source) {
            return Err(
                "it is not anchored at both ends, so it would allow whatever follows: write the words of the command"
                    .to_owned(),
            );
        }
    }
    let source = translate_regex(source)?;
    let case = if ignore_case { "(?i)" } else { "" };
    Ok(vec![format!("shell(/{case}{source}/)")])
}

fn is_anchored(source: &str) -> bool {
    let end = source.ends_with('$') && !source.ends_with("\\$");
    let mut depth = 0_usize;
    let mut escaped = false;
    let top = source.chars().any(|c| {
        let was = std::mem::take(&mut escaped);
        match c {
            _ if was => {}
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => return true,
            _ => {}
        }
        false
    });
    source.starts_with('^') && end && !top
}

/// The same expression in the syntax of the `regex` crate, with the meaning that it has elsewhere.
///
/// # Errors
/// What it holds that has no counterpart.
pub(super) fn translate_regex(source: &str) -> Result<String, SkipReason> {
    let mut out = String::with_capacity(source.len() + 16);
    let mut chars = source.chars().peekable();
    let mut class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let next = chars.next().ok_or("it ends in the middle of an escape")?;
                match (next, class) {
                    // ASCII there, all of Unicode here.
                    ('d', false) => out.push_str("[0-9]"),
                    ('w', false) => out.push_str("[0-9A-Za-z_]"),
                    ('D', false) => out.push_str("[^0-9]"),
                    ('W', false) => out.push_str("[^0-9A-Za-z_]"),
                    ('d', true) => out.push_str("0-9"),
                    ('w', true) => out.push_str("0-9A-Za-z_"),
                    ('b', false) => out.push_str("(?-u:\\b)"),
                    ('s' | 'S' | 't' | 'n' | 'r', _) => out.extend(['\\', next]),
                    (c, _) if c.is_ascii_punctuation() => out.extend(['\\', c]),
                    (c, _) => return Err(format!("`\\{c}` in it has no certain counterpart")),
                }
            }
            '(' if !class && chars.peek() == Some(&'?') => {
                chars.next();
                match chars.next() {
                    Some(':') => out.push_str("(?:"),
                    _ => return Err("it looks around itself (`(?...)`), which has no counterpart".to_owned()),
                }
            }
            '[' if class => return Err("`[` inside of a class means something else here".to_owned()),
            '[' => {
                class = true;
                out.push('[');
            }
            ']' if class => {
                class = false;
                out.push(']');
            }
            '&' | '-' | '~' if class && chars.peek() == Some(&c) => {
                return Err(format!("`{c}{c}` inside of a class means something else here"));
            }
            c => out.push(c),
        }
    }
    match regex::RegexBuilder::new(&out).size_limit(1 << 20).build() {
        Ok(_) => Ok(out),
        Err(error) => {
            let line = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
            Err(format!("as a regular expression it is not understood: {line}"))
        }
    }
}

/// An expression that is nothing but `^` and literal words, with alternatives: as words, and narrower
/// where it does not say how a word ends.
fn simple_patterns(source: &str) -> Option<Vec<String>> {
    let mut rest = source.strip_prefix('^')?;
    let mut texts = vec![String::new()];
    let open = loop {
        if [
            "",
            "\\b",
            "\\b.*",
            "\\b.*$",
            "(\\s|$)",
            "( |$)",
            "(?:\\s|$)",
            "(?: |$)",
            "( .*)?$",
            "(\\s.*)?$",
            "(\\s+.*)?$",
            "(?:\\s.*)?$",
            "(?: .*)?$",
            "(?:\\s+.*)?$",
        ]
        .contains(&rest)
        {
            break true;
        }
        if rest == "$" {
            break false;
        }
        let space = ["\\s+", "\\s", " +", " "].iter().find_map(|space| rest.strip_prefix(space));
        if let Some(after) = space {
            if ["", ".*", ".*$", ".+", ".+$"].contains(&after) {
                break true;
            }
            texts.iter_mut().for_each(|text| text.push(' '));
            rest = after;
            continue;
        }
        let (alternatives, after) = match rest.strip_prefix("(?:").or_else(|| rest.strip_prefix('(')) {
            Some(group) => {
                let (inside, after) = group.split_once(')')?;
                (inside.split('|').map(literal_text).collect::<Option<Vec<String>>>()?, after)
            }
            None => {
                let end = if rest.starts_with('\\') {
                    1 + rest.get(1..)?.chars().next()?.len_utf8()
                } else {
                    rest.chars().next()?.len_utf8()
                };
                (vec![literal_text(rest.get(..end)?)?], rest.get(end..)?)
            }
        };
        if after.starts_with(['*', '+', '?', '{']) || texts.len() * alternatives.len() > MAX_ALTERNATIVES {
            return None;
        }
        texts = texts
            .iter()
            .flat_map(|text| alternatives.iter().map(move |more| format!("{text}{more}")))
            .collect();
        rest = after;
    };
    texts
        .iter()
        .map(|text| {
            let words: Vec<String> =
                text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let pattern = if open {
                words::prefix_pattern(&words, Effect::Allow)
            } else {
                words::exact_pattern(&words, Effect::Allow)
            };
            pattern.ok()
        })
        .collect()
}

/// The text that a part of an expression matches, if it is only one.
fn literal_text(part: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next().filter(char::is_ascii_punctuation)?),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' | '\n' => {
                return None;
            }
            c => out.push(c),
        }
    }
    Some(out)
}
