//! Regular expressions over commands, as editors write them.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::collector::SkipReason;
use super::words::{self, QUOTES};
use mayi_policy::Effect;

/// The most alternatives of one expression.
const MAX_ALTERNATIVES: usize = 64;

/// The home folder, as a shell puts it in for `~` and `$HOME`.
const HOME: &str = r"(?:~|\$HOME|/[^ ]*)";

/// How often an example repeats something at most.
const LONGEST_REPEAT: u32 = 100;

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
    if names_operator(source) {
        return Err(
            "it is about lines of several commands, and mayi judges each of them by itself".to_owned()
        );
    }
    let source = translate_regex(source, effect)?;
    let case = if ignore_case { "(?i)" } else { "" };
    let patterns = vec![format!("shell(/{case}{source}/)")];
    if effect != Effect::Allow && !reaches_examples(&patterns, &source) {
        return Err(words::READ_OTHERWISE.to_owned());
    }
    Ok(patterns)
}

/// Whether patterns are about the commands that an expression is about itself, by examples of it.
fn reaches_examples(patterns: &[String], source: &str) -> bool {
    let Ok(hir) = regex_syntax::Parser::new().parse(source) else { return true };
    let Ok(expression) = regex::Regex::new(source) else { return true };
    let mut text = String::new();
    add_example(&hir, &mut text);
    let text = text.trim_end();
    let examples = [format!("{text} x"), text.to_owned()];
    examples.iter().filter(|text| expression.is_match(text)).all(|text| words::reach(patterns, text))
}

/// A short text that an expression matches, as far as what looks around does not matter.
fn add_example(hir: &Hir, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let holds = |c: &char| class.iter().any(|range| (range.start()..=range.end()).contains(c));
            let first = class.iter().next().map(|range| range.start());
            text.extend([' ', 'x', 'X', '1', '/', '-', '.'].into_iter().find(holds).or(first));
        }
        HirKind::Class(Class::Bytes(_)) => {}
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min.min(LONGEST_REPEAT) {
                add_example(&repetition.sub, text);
            }
        }
        HirKind::Capture(capture) => add_example(&capture.sub, text),
        HirKind::Concat(all) => all.iter().for_each(|of| add_example(of, text)),
        HirKind::Alternation(all) => all.iter().take(1).for_each(|of| add_example(of, text)),
    }
}

/// `/source/flags`: a key of another form, also a path, is plain.
pub(super) fn split_regex(key: &str) -> Option<(&str, &str)> {
    let (source, flags) = key.strip_prefix('/')?.rsplit_once('/')?;
    (!source.is_empty() && flags.chars().all(|c| "dgimsuvy".contains(c))).then_some((source, flags))
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

/// A pattern for all that `source` could be about, as far as that can be said: without what only narrows it.
pub(super) fn wider_pattern(source: &str, ignore_case: bool) -> String {
    let case = if ignore_case { "(?i)" } else { "" };
    let wider = match names_operator(source) {
        true => leading_text(source).map(|text| regex::escape(&text)),
        false => translate(source, Reading::Wider)
            .ok()
            .filter(|source| reaches_examples(&[format!("shell(/{case}{source}/)")], source)),
    };
    wider.map_or_else(|| "shell(*)".to_owned(), |source| format!("shell(/{case}{source}/)"))
}

/// Whether an expression is about what stands between commands: it matches in whole lines alone.
fn names_operator(source: &str) -> bool {
    let operator = |c: char| matches!(c, '|' | ';' | '&' | '<' | '>' | '\n' | '\r');
    let mut chars = source.chars().peekable();
    // In a class: whether it is negated.
    let mut class: Option<bool> = None;
    while let Some(c) = chars.next() {
        match (c, class) {
            ('\\', _) => {
                let escaped = chars.next();
                let ends = |c: char| operator(c) || matches!(c, 'n' | 'r');
                if escaped.is_some_and(ends) && class != Some(true) {
                    return true;
                }
            }
            ('[', None) => class = Some(chars.peek() == Some(&'^')),
            (']', Some(_)) => class = None,
            ('(', None) if chars.peek() == Some(&'?') => {
                // `(?<`, which is none.
                chars.next();
                chars.next_if(|c| matches!(c, '<' | 'P'));
            }
            ('|', None) => {}
            (c, class) if operator(c) && class != Some(true) => return true,
            _ => {}
        }
    }
    false
}

/// Why an expression over whole lines is not enough as one over each command.
pub(super) const SEVERAL: &str = "it is about whole lines, in which it may match over several commands, and mayi judges each of them by itself";

/// Whether what an expression matches in a line may go over the end of a command, or lie outside of any.
pub(super) fn crosses_commands(source: &str) -> bool {
    let mut chars = source.chars().peekable();
    let mut class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next().is_some_and(|c| matches!(c, 'D' | 'W' | 'S' | '(' | ')' | '{' | '}')) => {
                return true;
            }
            '\\' => {}
            '[' if !class => {
                class = true;
                if chars.peek() == Some(&'^') {
                    return true;
                }
            }
            ']' => class = false,
            '(' | ')' | '{' | '}' if class => return true,
            '.' if !class => return true,
            _ => {}
        }
    }
    false
}

/// A pattern for all commands with which a line that `source` matches in can begin to match, as far as that is certain.
pub(super) fn line_pattern(source: &str, ignore_case: bool) -> String {
    let case = if ignore_case { "(?i)" } else { "" };
    leading_text(source)
        .map_or_else(|| "shell(*)".to_owned(), |text| format!("shell(/{case}{}/)", regex::escape(&text)))
}

/// The text that everything an expression matches begins with, behind what says where it begins.
fn leading_text(source: &str) -> Option<String> {
    // With alternatives, there is none.
    let mut escaped = false;
    let bare = |c: char| {
        let was = escaped;
        escaped = c == '\\' && !was;
        !was && c == '|'
    };
    if source.chars().any(bare) {
        return None;
    }
    let mut rest = source;
    while let Some(behind) = ["^", "\\b"].iter().find_map(|start| rest.strip_prefix(start)) {
        rest = behind;
    }
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_/".contains(*c);
    let text: String = rest.chars().take_while(plain).collect();
    let counted = rest.chars().nth(text.chars().count()).is_some_and(|c| matches!(c, '*' | '+' | '?' | '{'));
    let text = if counted { text.chars().take(text.chars().count() - 1).collect() } else { text };
    (!text.is_empty()).then_some(text)
}

/// The same expression in the syntax of the `regex` crate, with the meaning that it has elsewhere.
///
/// # Errors
/// What it holds that has no counterpart.
fn translate_regex(source: &str, effect: Effect) -> Result<String, SkipReason> {
    translate(source, if effect == Effect::Allow { Reading::Exact } else { Reading::Quoted })
}

/// How an expression is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As it is.
    Exact,
    /// Quotes stand for quotes of any kind, or none: what is compared may be quoted otherwise.
    Quoted,
    /// The same, without what looks around and what refers back, which only narrow.
    Wider,
}

fn translate(source: &str, reading: Reading) -> Result<String, SkipReason> {
    let mut out = String::with_capacity(source.len() + 16);
    let mut chars = source.chars().peekable();
    let quotes = format!("(?:{QUOTES})");
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let next = chars.next().ok_or("it ends in the middle of an escape")?;
                match next {
                    // ASCII there, all of Unicode here.
                    'd' => out.push_str("[0-9]"),
                    'w' => out.push_str("[0-9A-Za-z_]"),
                    'D' => out.push_str("[^0-9]"),
                    'W' => out.push_str("[^0-9A-Za-z_]"),
                    'b' => out.push_str("(?-u:\\b)"),
                    '"' | '\'' if reading != Reading::Exact => out.push_str(&quotes),
                    's' | 'S' | 't' | 'n' | 'r' => out.extend(['\\', next]),
                    c if c.is_ascii_punctuation() => out.extend(['\\', c]),
                    '1'..='9' if reading == Reading::Wider => out.push_str("(?:.*)"),
                    c => return Err(format!("`\\{c}` in it has no certain counterpart")),
                }
            }
            '(' if chars.peek() == Some(&'?') => {
                chars.next();
                let kind: String = chars.clone().take(2).collect();
                let looks_around = kind.starts_with(['=', '!']) || kind == "<=" || kind == "<!";
                if kind.starts_with(':') {
                    chars.next();
                    out.push_str("(?:");
                } else if kind == "i:" {
                    chars.next();
                    chars.next();
                    out.push_str("(?i:");
                } else if looks_around && reading == Reading::Wider {
                    skip_group(&mut chars)?;
                } else {
                    return Err("it looks around itself (`(?...)`), which has no counterpart".to_owned());
                }
            }
            '[' => out.push_str(&translate_class(&mut chars, reading)?),
            '"' | '\'' if reading != Reading::Exact => out.push_str(&quotes),
            '~' if reading != Reading::Exact && chars.peek() == Some(&'/') => out.push_str(HOME),
            c => out.push(c),
        }
    }
    if reading != Reading::Exact {
        out = out.replace("\\$\\{HOME\\}", HOME).replace("\\$HOME", HOME);
    }
    match regex::RegexBuilder::new(&out).size_limit(1 << 18).build() {
        Ok(_) => Ok(out),
        Err(error) => {
            let line = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
            Err(format!("as a regular expression it is not understood: {line}"))
        }
    }
}

type Chars<'s> = std::iter::Peekable<std::str::Chars<'s>>;

/// From behind `[` to behind `]`.
fn translate_class(chars: &mut Chars<'_>, reading: Reading) -> Result<String, SkipReason> {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut inner = String::new();
    let mut quotes = false;
    loop {
        let c = chars.next().ok_or("a class in it does not end")?;
        match c {
            ']' => break,
            '\\' => match chars.next().ok_or("it ends in the middle of an escape")? {
                'd' => inner.push_str("0-9"),
                'w' => inner.push_str("0-9A-Za-z_"),
                c @ ('s' | 'S' | 't' | 'n' | 'r') => inner.extend(['\\', c]),
                c if c.is_ascii_punctuation() => {
                    quotes |= matches!(c, '"' | '\'');
                    inner.extend(['\\', c]);
                }
                c => return Err(format!("`\\{c}` in it has no certain counterpart")),
            },
            '[' => return Err("`[` inside of a class means something else here".to_owned()),
            '&' | '-' | '~' if chars.peek() == Some(&c) => {
                return Err(format!("`{c}{c}` inside of a class means something else here"));
            }
            c => {
                quotes |= matches!(c, '"' | '\'');
                inner.push(c);
            }
        }
    }
    Ok(match (negated, quotes && reading != Reading::Exact) {
        (false, false) => format!("[{inner}]"),
        (true, false) => format!("[^{inner}]"),
        // What is compared may have a quote there, or none where one was.
        (false, true) => format!("(?:[{inner}'\"]?)"),
        (true, true) => ".".to_owned(),
    })
}

/// To behind the parenthesis that closes a group.
fn skip_group(chars: &mut Chars<'_>) -> Result<(), SkipReason> {
    let (mut depth, mut class) = (1_usize, false);
    while depth > 0 {
        match chars.next().ok_or("a group in it does not end")? {
            '\\' => _ = chars.next(),
            '[' => class = true,
            ']' => class = false,
            '(' if !class => depth += 1,
            ')' if !class => depth -= 1,
            _ => {}
        }
    }
    // What repeats it would repeat something else.
    match chars.peek() {
        Some('*' | '+' | '?' | '{') => Err("it repeats what looks around itself".to_owned()),
        _ => Ok(()),
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
