//! Calls with literal arguments, as Codex's rules have them: `name(key = "text", list = ["a", ["b"]])`.
//! This is not Starlark: everything else is told apart, and not understood.

/// The most calls of a file, and how deep lists may go.
const MOST: usize = 5000;
const DEEPEST: usize = 4;

/// One statement of a file.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) line: usize,
    /// Its beginning, for people.
    pub(super) text: String,
    /// By name; or why it is not understood.
    pub(super) arguments: Result<Vec<(String, Argument)>, String>,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    Text(String),
    List(Vec<Argument>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Text(String),
    Mark(char),
    /// Something that no literal holds, or a text that does not end.
    Other(String),
}

/// Every statement at the top of `text`.
pub(super) fn calls(text: &str) -> Vec<Call> {
    let tokens = tokens(text);
    let mut calls = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        if calls.len() >= MOST {
            break;
        }
        let (line, token) = first;
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
                Token::Mark('(' | '[' | '{') => {
                    depth += 1;
                    opened = true;
                }
                Token::Mark(')' | ']' | '}') => {
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
        let call = |name: &str, arguments| Call {
            name: name.to_owned(),
            line: *line,
            text: shown.chars().take(200).collect(),
            arguments,
        };
        let not_a_call =
            || Err("only plain calls such as prefix_rule(pattern = [...]) are understood".to_owned());
        match (token, after.first()) {
            (Token::Name(name), Some((_, Token::Mark('(')))) if trailing == 0 => {
                calls.push(call(name, arguments(statement.get(2..).unwrap_or_default())));
            }
            _ => calls.push(call("", not_a_call())),
        }
        rest = further.get(trailing..).unwrap_or_default();
    }
    calls
}

/// From behind the opening parenthesis to the closing one.
fn arguments(mut tokens: &[(usize, Token)]) -> Result<Vec<(String, Argument)>, String> {
    let mut found: Vec<(String, Argument)> = Vec::new();
    loop {
        tokens = match tokens {
            [(_, Token::Mark(')'))] => return Ok(found),
            [(_, Token::Name(name)), (_, Token::Mark('=')), rest @ ..] => {
                if found.iter().any(|(key, _)| key == name) {
                    return Err(format!("`{name}` is there twice"));
                }
                let (value, rest) = value(rest, 0)?;
                found.push((name.clone(), value));
                rest
            }
            _ => return Err("only literal texts and lists are understood, by name".to_owned()),
        };
        tokens = match tokens {
            [(_, Token::Mark(',')), rest @ ..] => rest,
            other => other,
        };
    }
}

type Tokens<'t> = &'t [(usize, Token)];

fn value(tokens: Tokens<'_>, depth: usize) -> Result<(Argument, Tokens<'_>), String> {
    match tokens {
        [(_, Token::Text(text)), rest @ ..] if !matches!(rest.first(), Some((_, Token::Text(_)))) => {
            Ok((Argument::Text(text.clone()), rest))
        }
        [(_, Token::Mark('[')), rest @ ..] if depth < DEEPEST => {
            let mut items = Vec::new();
            let mut rest = rest;
            loop {
                rest = match rest {
                    [(_, Token::Mark(']')), rest @ ..] => return Ok((Argument::List(items), rest)),
                    other => {
                        let (item, rest) = value(other, depth + 1)?;
                        items.push(item);
                        match rest {
                            [(_, Token::Mark(',')), rest @ ..] => rest,
                            [(_, Token::Mark(']')), ..] => rest,
                            _ => return Err("only literal texts and lists are understood".to_owned()),
                        }
                    }
                };
            }
        }
        [(_, Token::Other(what)), ..] => Err(format!("`{what}` is not understood")),
        _ => Err("only literal texts and lists are understood".to_owned()),
    }
}

/// With the line of each, from 1.
fn tokens(text: &str) -> Vec<(usize, Token)> {
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
                let read = literal(quote, &mut chars, &mut line);
                // Three quotes begin a text of several lines, which no rule needs.
                let empty = read.as_deref() == Some("");
                let token = match read {
                    Some(text) if !(empty && chars.peek() == Some(&quote)) => Token::Text(text),
                    _ => Token::Other("a text like this".to_owned()),
                };
                out.push((start, token));
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                out.push((line, Token::Name(name)));
            }
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | '=' => out.push((line, Token::Mark(c))),
            c => out.push((line, Token::Other(c.to_string()))),
        }
    }
    out
}

/// A text up to its closing quote, on one line.
fn literal(
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
