//! Calls with literal arguments, as Codex's rules have them: `name(key = "text", list = ["a", ["b"]])`.
//! This is not Starlark: everything else is told apart, and not understood.

/// The most calls of a file, and how deep lists may go.
const MAX_CALLS: usize = 5000;
const MAX_LIST_DEPTH: usize = 4;

/// One statement of a file.
pub(super) struct StarlarkCall {
    pub(super) name: String,
    pub(super) line: usize,
    /// Its beginning, for people.
    pub(super) text: String,
    /// All of its lines.
    pub(super) whole: String,
    /// By name; or why it is not understood.
    pub(super) arguments: Result<Vec<(String, LiteralArgument)>, String>,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LiteralArgument {
    Text(String),
    List(Vec<LiteralArgument>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum StarlarkToken {
    Name(String),
    Text(String),
    Mark(char),
    /// Something that no literal holds, or a text that does not end.
    Other(String),
}

/// Every statement at the top of `text`.
pub(super) fn parse_calls(text: &str) -> Vec<StarlarkCall> {
    let tokens = split_tokens(text);
    let mut calls = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let (line, token) = first;
        if calls.len() >= MAX_CALLS {
            // What follows may forbid something.
            calls.push(StarlarkCall {
                name: String::new(),
                line: *line,
                text: "...".to_owned(),
                whole: text.lines().skip(line - 1).collect::<Vec<_>>().join("\n"),
                arguments: Err(format!("only the first {MAX_CALLS} rules are looked at")),
            });
            break;
        }
        // A statement goes to the bracket that closes its first one, or to the end of its line.
        let mut depth = 0_usize;
        let mut opened = false;
        let mut length = rest.len();
        for (at, (at_line, token)) in rest.iter().enumerate() {
            if depth == 0 && at > 0 && (at_line != line && !opened) {
                length = at;
                break;
            }
            match token {
                StarlarkToken::Mark('(' | '[' | '{') => {
                    depth += 1;
                    opened = true;
                }
                StarlarkToken::Mark(')' | ']' | '}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        length = at + 1;
                        break;
                    }
                }
                _ => {}
            }
        }
        let (statement, further) = rest.split_at(length.max(1));
        // What stands behind it on the same line belongs to it.
        let last = statement.last().map_or(*line, |(line, _)| *line);
        let trailing = further.iter().take_while(|(line, _)| *line == last).count();
        let shown = text.lines().nth(line - 1).unwrap_or_default().trim();
        let last = further.get(..trailing).and_then(<[_]>::last).map_or(last, |(line, _)| *line);
        let call = |name: &str, arguments| StarlarkCall {
            name: name.to_owned(),
            line: *line,
            text: shown.chars().take(200).collect(),
            whole: text.lines().skip(line - 1).take(last + 1 - line).collect::<Vec<_>>().join("\n"),
            arguments,
        };
        let not_a_call =
            || Err("only plain calls such as prefix_rule(pattern = [...]) are understood".to_owned());
        match (token, after.first()) {
            (StarlarkToken::Name(name), Some((_, StarlarkToken::Mark('(')))) if trailing == 0 => {
                calls.push(call(name, parse_arguments(statement.get(2..).unwrap_or_default())));
            }
            _ => calls.push(call("", not_a_call())),
        }
        rest = further.get(trailing..).unwrap_or_default();
    }
    calls
}

/// From behind the opening parenthesis to the closing one.
fn parse_arguments(mut tokens: &[(usize, StarlarkToken)]) -> Result<Vec<(String, LiteralArgument)>, String> {
    let mut found: Vec<(String, LiteralArgument)> = Vec::new();
    loop {
        tokens = match tokens {
            [(_, StarlarkToken::Mark(')'))] => return Ok(found),
            [(_, StarlarkToken::Name(name)), (_, StarlarkToken::Mark('=')), rest @ ..] => {
                if found.iter().any(|(key, _)| key == name) {
                    return Err(format!("`{name}` is there twice"));
                }
                let (value, rest) = parse_value(rest, 0)?;
                found.push((name.clone(), value));
                rest
            }
            _ => return Err("only literal texts and lists are understood, by name".to_owned()),
        };
        tokens = match tokens {
            [(_, StarlarkToken::Mark(',')), rest @ ..] => rest,
            other => other,
        };
    }
}

type TokenSlice<'t> = &'t [(usize, StarlarkToken)];

fn parse_value(tokens: TokenSlice<'_>, depth: usize) -> Result<(LiteralArgument, TokenSlice<'_>), String> {
    match tokens {
        [(_, StarlarkToken::Text(text)), rest @ ..]
            if !matches!(rest.first(), Some((_, StarlarkToken::Text(_)))) =>
        {
            Ok((LiteralArgument::Text(text.clone()), rest))
        }
        [(_, StarlarkToken::Mark('[')), rest @ ..] if depth < MAX_LIST_DEPTH => {
            let mut items = Vec::new();
            let mut rest = rest;
            loop {
                rest = match rest {
                    [(_, StarlarkToken::Mark(']')), rest @ ..] => {
                        return Ok((LiteralArgument::List(items), rest));
                    }
                    other => {
                        let (item, rest) = parse_value(other, depth + 1)?;
                        items.push(item);
                        match rest {
                            [(_, StarlarkToken::Mark(',')), rest @ ..] => rest,
                            [(_, StarlarkToken::Mark(']')), ..] => rest,
                            _ => return Err("only literal texts and lists are understood".to_owned()),
                        }
                    }
                };
            }
        }
        [(_, StarlarkToken::Other(what)), ..] => Err(format!("`{what}` is not understood")),
        _ => Err("only literal texts and lists are understood".to_owned()),
    }
}

/// With the line of each, from 1.
fn split_tokens(text: &str) -> Vec<(usize, StarlarkToken)> {
    let mut out = Vec::new();
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            c if c.is_whitespace() => {}
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            quote @ ('"' | '\'') => {
                let start = line;
                let read = parse_string(quote, &mut chars, &mut line);
                // Three quotes begin a text of several lines, which no rule needs.
                let empty = read.as_deref() == Some("");
                let token = match read {
                    Some(text) if !(empty && chars.peek() == Some(&quote)) => StarlarkToken::Text(text),
                    _ => StarlarkToken::Other("a text like this".to_owned()),
                };
                out.push((start, token));
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                out.push((line, StarlarkToken::Name(name)));
            }
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | '=' => out.push((line, StarlarkToken::Mark(c))),
            c => out.push((line, StarlarkToken::Other(c.to_string()))),
        }
    }
    out
}

/// A text up to its closing quote, on one line.
fn parse_string(
    quote: char,
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    line: &mut usize,
) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\n' => {
                *line += 1;
                return None;
            }
            '\\' => match chars.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                c @ ('\\' | '"' | '\'') => text.push(c),
                '\n' => {
                    *line += 1;
                    return None;
                }
                _ => return None,
            },
            c if c == quote => return Some(text),
            c => text.push(c),
        }
    }
}
