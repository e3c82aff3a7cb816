//! Takes the gateway away from one server, by what the entry says now.

use super::clients::{Client, CommandShape};
use super::gated_entries::{GatedServer, ParsedGateway, command_words};
use super::model::{Field, ServerEntry, Span, Syntax, ValueForm};
use super::text_pieces::{Piece, Splice};
use super::wrap::{env_key, key_with_separator};

/// What a remote entry was called; not known: as the client writes it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RemoteHints<'a> {
    pub(super) address: Option<&'a str>,
    pub(super) kind: Option<&'a str>,
}

/// The change that takes the gateway away from `entry` of `text`.
///
/// # Errors
/// Why it is left alone.
pub(super) fn unwrap_entry(
    text: &str,
    entry: &ServerEntry,
    client: &Client,
    gated: &ParsedGateway,
    hints: RemoteHints<'_>,
) -> Result<Vec<Splice>, String> {
    let words = command_words(entry, client.shape).ok_or("its command and arguments are not texts")?;
    let command = entry.field("command").ok_or("it has no command")?;
    match &gated.server {
        GatedServer::Configured => Err("what stands behind it is in mayi's own configuration".to_owned()),
        GatedServer::Local(at) => {
            let (_, first) = words.get(*at).ok_or("its command is missing")?;
            let rest = words.get(at + 1).map(|(_, at)| at.start);
            if client.shape == CommandShape::List {
                return Ok(vec![Splice::new(words_start(command)..first.start, "")]);
            }
            let args = entry.field("args").ok_or("its arguments are missing")?;
            let from = words_start(args);
            let cleared = match rest {
                Some(rest) => Splice::new(from..rest, ""),
                None => clear_list(text, args, from..first.end),
            };
            Ok(vec![
                Splice { span: command.value_span.clone(), replacement: vec![Piece::Kept(first.clone())] },
                cleared,
            ])
        }
        GatedServer::Remote(at, headers) => {
            let (_, url) = words.get(*at).ok_or("its address is missing")?;
            unwrap_remote(text, entry, client, (command, url, headers), hints)
        }
    }
}

fn words_start(list: &Field) -> usize {
    list.items.first().map_or(list.value_span.end, |first| first.start)
}

/// A list without its items; blanks stay, and commas go.
fn clear_list(text: &str, list: &Field, items: Span) -> Splice {
    let rest = text.get(items.end..list.value_span.end).unwrap_or_default();
    if rest.trim() == "]" { Splice::new(items, "") } else { Splice::new(list.value_span.clone(), "[]") }
}

fn unwrap_remote(
    text: &str,
    entry: &ServerEntry,
    client: &Client,
    (command, url, headers): (&Field, &Span, &[(String, String)]),
    hints: RemoteHints<'_>,
) -> Result<Vec<Splice>, String> {
    let syntax = client.syntax;
    let address = vec![
        Piece::New(key_with_separator(text, command, syntax, hints.address.unwrap_or(client.address))),
        Piece::Kept(url.clone()),
    ];
    let mut splices = Vec::new();
    match entry.field("args").filter(|_| client.shape == CommandShape::Pair) {
        None => splices.push(Splice { span: command.span.clone(), replacement: address }),
        Some(args) => {
            let between = text.get(command.span.end..args.span.start).unwrap_or("?");
            if between.trim_matches([' ', '\t', '\r', '\n', ',']).is_empty() {
                splices.push(Splice { span: command.span.start..args.span.end, replacement: address });
            } else {
                splices.push(Splice { span: command.span.clone(), replacement: address });
                splices.push(remove_field(text, entry, args, syntax)?);
            }
        }
    }
    if let Some(kind) = entry.field("type") {
        let known = if client.shape == CommandShape::List { "remote" } else { "http" };
        splices.push(Splice::new(kind.value_span.clone(), syntax.quote_text(hints.kind.unwrap_or(known))));
    }
    let mut moved: Vec<&(String, String)> = headers.iter().collect();
    let variables = entry.field(env_key(client.shape));
    if let Some(field) = variables.filter(|field| field.pairs.is_empty() || !headers.is_empty()) {
        if field.form == ValueForm::Dotted {
            return Err("its variables are written with dotted keys".to_owned());
        }
        for pair in &field.pairs {
            let Some(at) = moved.iter().position(|(_, variable)| *variable == pair.key) else {
                return Err("it has variables beside those of its headers: a remote server can't have them"
                    .to_owned());
            };
            let (header, _) = moved.remove(at);
            splices.push(Splice::new(pair.key_span.clone(), header_key(header, syntax)));
        }
        let key = if syntax == Syntax::Toml { "http_headers" } else { "headers" };
        splices.push(Splice::new(field.key_span.clone(), syntax.format_key(key)));
    }
    // What is left comes from variables that Codex passes on.
    match (entry.field("env_vars"), moved.as_slice()) {
        (_, []) => {}
        (Some(field), named) if field.form == ValueForm::Plain && syntax == Syntax::Toml => {
            let pairs: Vec<String> = named
                .iter()
                .map(|(header, variable)| {
                    format!("{} = {}", header_key(header, syntax), syntax.quote_text(variable))
                })
                .collect();
            let table = format!(
                "{}{{ {} }}",
                key_with_separator(text, field, syntax, "env_http_headers"),
                pairs.join(", ")
            );
            splices.push(Splice::new(field.span.clone(), table));
        }
        _ => return Err("the value of a header is in no variable of the entry".to_owned()),
    }
    Ok(splices)
}

fn header_key(header: &str, syntax: Syntax) -> String {
    let bare = header.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if syntax == Syntax::Toml && bare { header.to_owned() } else { syntax.quote_text(header) }
}

/// Takes a whole field away, with one comma.
fn remove_field(text: &str, entry: &ServerEntry, field: &Field, syntax: Syntax) -> Result<Splice, String> {
    let (before, after) =
        (text.get(..field.span.start).unwrap_or_default(), text.get(field.span.end..).unwrap_or_default());
    if syntax == Syntax::Toml && !entry.inline {
        let line = before.trim_end_matches([' ', '\t']);
        let end = after.find('\n').map_or(after.len(), |at| at + 1);
        if after.get(..end).unwrap_or_default().trim().is_empty() {
            return Ok(Splice::new(line.len()..field.span.end + end, ""));
        }
    } else if let Some(line) = before.trim_end().strip_suffix(',') {
        return Ok(Splice::new(line.len()..field.span.end, ""));
    }
    Err("it was laid out anew since: take `command` and `args` away by hand".to_owned())
}
