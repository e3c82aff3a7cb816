//! Takes the gateway away from one server, by what the entry says now.

use super::clients::{Client, Shape};
use super::gated::{Gated, Server, words};
use super::model::{Entry, Field, Form, Span, Syntax};
use super::pieces::{Piece, Splice};
use super::wrap::{colon, environment};

/// What a remote entry was called; not known: as the client writes it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hints<'a> {
    pub(super) address: Option<&'a str>,
    pub(super) kind: Option<&'a str>,
}

/// The change that takes the gateway away from `entry` of `text`.
///
/// # Errors
/// Why it is left alone.
pub(super) fn unwrap(
    text: &str,
    entry: &Entry,
    client: &Client,
    gated: &Gated,
    hints: Hints<'_>,
) -> Result<Vec<Splice>, String> {
    let words = words(entry, client.shape).ok_or("its command and arguments are not texts")?;
    let command = entry.field("command").ok_or("it has no command")?;
    match &gated.server {
        Server::Configured => Err("what stands behind it is in mayi's own configuration".to_owned()),
        Server::Local(at) => {
            let (_, first) = words.get(*at).ok_or("its command is missing")?;
            let rest = words.get(at + 1).map(|(_, at)| at.start);
            if client.shape == Shape::List {
                return Ok(vec![Splice::new(words_start(command)..first.start, "")]);
            }
            let args = entry.field("args").ok_or("its arguments are missing")?;
            let from = words_start(args);
            let cleared = match rest {
                Some(rest) => Splice::new(from..rest, ""),
                None => emptied(text, args, from..first.end),
            };
            Ok(vec![Splice { at: command.value_at.clone(), with: vec![Piece::Kept(first.clone())] }, cleared])
        }
        Server::Remote(at, headers) => {
            let (_, url) = words.get(*at).ok_or("its address is missing")?;
            remote(text, entry, client, (command, url, headers), hints)
        }
    }
}

fn words_start(list: &Field) -> usize {
    list.items.first().map_or(list.value_at.end, |first| first.start)
}

/// A list without its items; blanks stay, and commas go.
fn emptied(text: &str, list: &Field, items: Span) -> Splice {
    let rest = text.get(items.end..list.value_at.end).unwrap_or_default();
    if rest.trim() == "]" { Splice::new(items, "") } else { Splice::new(list.value_at.clone(), "[]") }
}

fn remote(
    text: &str,
    entry: &Entry,
    client: &Client,
    (command, url, headers): (&Field, &Span, &[(String, String)]),
    hints: Hints<'_>,
) -> Result<Vec<Splice>, String> {
    let syntax = client.syntax;
    let address = vec![
        Piece::New(colon(text, command, syntax, hints.address.unwrap_or(client.address))),
        Piece::Kept(url.clone()),
    ];
    let mut splices = Vec::new();
    match entry.field("args").filter(|_| client.shape == Shape::Pair) {
        None => splices.push(Splice { at: command.at.clone(), with: address }),
        Some(args) => {
            let between = text.get(command.at.end..args.at.start).unwrap_or("?");
            if between.trim_matches([' ', '\t', '\r', '\n', ',']).is_empty() {
                splices.push(Splice { at: command.at.start..args.at.end, with: address });
            } else {
                splices.push(Splice { at: command.at.clone(), with: address });
                splices.push(without(text, entry, args, syntax)?);
            }
        }
    }
    if let Some(kind) = entry.field("type") {
        let known = if client.shape == Shape::List { "remote" } else { "http" };
        splices.push(Splice::new(kind.value_at.clone(), syntax.quoted(hints.kind.unwrap_or(known))));
    }
    let mut moved: Vec<&(String, String)> = headers.iter().collect();
    let variables = entry.field(environment(client.shape));
    if let Some(field) = variables.filter(|field| field.pairs.is_empty() || !headers.is_empty()) {
        if field.form == Form::Dotted {
            return Err("its variables are written with dotted keys".to_owned());
        }
        for pair in &field.pairs {
            let Some(at) = moved.iter().position(|(_, variable)| *variable == pair.key) else {
                return Err("it has variables beside those of its headers: a remote server can't have them"
                    .to_owned());
            };
            let (header, _) = moved.remove(at);
            splices.push(Splice::new(pair.key_at.clone(), header_key(header, syntax)));
        }
        let key = if syntax == Syntax::Toml { "http_headers" } else { "headers" };
        splices.push(Splice::new(field.key_at.clone(), syntax.key(key)));
    }
    // What is left comes from variables that Codex passes on.
    match (entry.field("env_vars"), moved.as_slice()) {
        (_, []) => {}
        (Some(field), named) if field.form == Form::Plain && syntax == Syntax::Toml => {
            let pairs: Vec<String> = named
                .iter()
                .map(|(header, variable)| {
                    format!("{} = {}", header_key(header, syntax), syntax.quoted(variable))
                })
                .collect();
            let table =
                format!("{}{{ {} }}", colon(text, field, syntax, "env_http_headers"), pairs.join(", "));
            splices.push(Splice::new(field.at.clone(), table));
        }
        _ => return Err("the value of a header is in no variable of the entry".to_owned()),
    }
    Ok(splices)
}

fn header_key(header: &str, syntax: Syntax) -> String {
    let bare = header.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if syntax == Syntax::Toml && bare { header.to_owned() } else { syntax.quoted(header) }
}

/// Takes a whole field away, with one comma.
fn without(text: &str, entry: &Entry, field: &Field, syntax: Syntax) -> Result<Splice, String> {
    let (before, after) =
        (text.get(..field.at.start).unwrap_or_default(), text.get(field.at.end..).unwrap_or_default());
    if syntax == Syntax::Toml && !entry.inline {
        let line = before.trim_end_matches([' ', '\t']);
        let end = after.find('\n').map_or(after.len(), |at| at + 1);
        if after.get(..end).unwrap_or_default().trim().is_empty() {
            return Ok(Splice::new(line.len()..field.at.end + end, ""));
        }
    } else if let Some(line) = before.trim_end().strip_suffix(',') {
        return Ok(Splice::new(line.len()..field.at.end, ""));
    }
    Err("it was laid out anew since: take `command` and `args` away by hand".to_owned())
}
