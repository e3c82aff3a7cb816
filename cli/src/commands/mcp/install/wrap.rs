//! Puts the gateway in front of one server.

use mayi_core::approval::escape_line;

use super::clients::{Client, CommandShape};
use super::gated_entries::command_words;
use super::model::{Field, ServerEntry, Syntax, ValueForm, duplicate_key};
use super::text_pieces::{Piece, Splice};

/// What a client uses to log in by itself. The gateway would have to do that in its place.
const LOGINS: &[&str] = &[
    "oauth",
    "oauth_resource",
    "auth",
    "authProviderType",
    "headersHelper",
    "bearer_token_env_var",
    "bearer_token",
];

/// The variables that headers are moved to.
pub(super) const VARIABLE: &str = "MAYI_HEADER_";

/// How the gateway is started.
#[derive(Clone, Copy, Debug)]
pub(super) struct GatewaySpec<'a> {
    pub(super) client: &'static Client,
    /// The program.
    pub(super) program: &'a str,
    pub(super) name: &'a str,
    pub(super) agent: &'a str,
}

/// The change that puts the gateway in front of `entry` of `text`.
///
/// # Errors
/// Why the entry is left alone.
pub(super) fn wrap_entry(
    text: &str,
    entry: &ServerEntry,
    gate: GatewaySpec<'_>,
) -> Result<Vec<Splice>, String> {
    if let Some(odd) = &entry.problem {
        return Err(odd.clone());
    }
    let addresses: Vec<&Field> =
        ["url", "serverUrl", "httpUrl"].iter().filter_map(|key| entry.field(key)).collect();
    match (entry.field("command"), addresses.as_slice()) {
        (Some(_), []) => wrap_local(text, entry, gate),
        (None, [address]) => wrap_remote(text, entry, address, gate),
        (Some(_), _) => Err("it has a command and an address".to_owned()),
        (None, [_, ..]) => Err("it has more than one address".to_owned()),
        (None, [])
            if entry.field_text("source") == Some("extension") || entry.field("settings").is_some() =>
        {
            Err(format!("an extension of {} starts it", gate.client.title))
        }
        (None, []) => Err("it has neither a command nor an address".to_owned()),
    }
}

fn wrap_local(text: &str, entry: &ServerEntry, gate: GatewaySpec<'_>) -> Result<Vec<Splice>, String> {
    let syntax = gate.client.syntax;
    let Some(words) = command_words(entry, gate.client.shape) else {
        return Err("its command and arguments are not texts".to_owned());
    };
    if words.first().is_none_or(|(command, _)| command.is_empty()) {
        return Err("its command is empty".to_owned());
    }
    let command = entry.field("command").ok_or("it has no command")?;
    let front = ["mcp", "--name", gate.name, "--agent", gate.agent, "--"];
    if gate.client.shape == CommandShape::List {
        let mut all = vec![gate.program];
        all.extend(front);
        return Ok(vec![before_items(text, command, vec![Piece::New(syntax.format_list(&all))])?]);
    }
    let moved = vec![
        Piece::New(format!("{}, ", syntax.format_list(&front))),
        Piece::Kept(command.value_span.clone()),
    ];
    let program = Splice::new(command.value_span.clone(), syntax.quote_text(gate.program));
    match entry.field("args") {
        Some(args) => Ok(vec![program, before_items(text, args, moved)?]),
        None => {
            let mut with = program.replacement;
            with.push(Piece::New(format!(
                "{}{}[",
                field_separator(text, entry, command, syntax),
                key_with_separator(text, command, syntax, "args")
            )));
            with.extend(moved);
            with.push(Piece::New("]".to_owned()));
            Ok(vec![Splice { span: program.span, replacement: with }])
        }
    }
}

/// Puts `what` in front of the items of a list, with the blanks that stand there already.
fn before_items(text: &str, list: &Field, mut what: Vec<Piece>) -> Result<Splice, String> {
    let open = list.value_span.start + 1;
    let Some(first) = list.items.first() else { return Ok(Splice { span: open..open, replacement: what }) };
    let blanks = blanks_before(text, first.start);
    let blanks = if blanks.contains('\n') { blanks } else { " " };
    what.push(Piece::New(format!(",{blanks}")));
    Ok(Splice { span: first.start..first.start, replacement: what })
}

fn wrap_remote(
    text: &str,
    entry: &ServerEntry,
    address: &Field,
    gate: GatewaySpec<'_>,
) -> Result<Vec<Splice>, String> {
    let (client, syntax) = (gate.client, gate.client.syntax);
    if let Some(login) = LOGINS.iter().find(|key| entry.field(key).is_some()) {
        return Err(format!(
            "{} logs in to it by its own `{login}`; make it a server of mayi's configuration to have it behind the \
             gateway",
            client.title
        ));
    }
    let kind = ["type", "transport"].iter().find_map(|key| entry.field_text(key));
    match kind {
        Some("sse" | "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote") => {}
        Some(other) => {
            return Err(format!("it is of the type `{}`, which mayi does not know", escape_line(other)));
        }
        // Which of both it is, the gateway finds out.
        None => {}
    }
    let url = address.value.as_str().ok_or("its address is not a text")?;
    if url.is_empty()
        || url.starts_with('-')
        || !(url.contains("://") || url.contains('$') || url.contains('{'))
    {
        return Err("its address is none".to_owned());
    }
    let mut splices = Vec::new();
    let mut headers: Vec<String> = Vec::new();
    let environment = env_key(client.shape);
    for key in ["headers", "http_headers"] {
        let Some(field) = entry.field(key) else { continue };
        if !splices.is_empty() {
            return Err(format!("it has `{key}` besides others"));
        }
        if entry.field(environment).is_some() {
            return Err(format!("it has `{key}` and `{environment}`"));
        }
        if field.form == ValueForm::Dotted || !field.value.is_object() {
            return Err(format!("its `{key}` is not an object"));
        }
        splices.push(Splice::new(field.key_span.clone(), syntax.format_key(environment)));
        for (at, header) in field.pairs.iter().enumerate() {
            if !is_http_token(&header.key) || header.form != ValueForm::Plain || !header.value.is_string() {
                return Err(format!("its header `{}` is none", escape_line(&header.key)));
            }
            if duplicate_key(&field.pairs).is_some() {
                return Err("a header is there twice".to_owned());
            }
            let variable = format!("{VARIABLE}{}", at + 1);
            headers.push(format!("{}={variable}", header.key));
            splices.push(Splice::new(header.key_span.clone(), syntax.format_key(&variable)));
        }
    }
    if let Some(field) = entry.field("env_http_headers") {
        let (names, change) = move_header_variables(text, entry, field, syntax)?;
        headers.extend(names);
        splices.push(change);
    }
    let mut front = vec!["mcp", "--name", gate.name, "--agent", gate.agent, "--url"];
    let mut behind = Vec::new();
    for header in &headers {
        behind.extend(["--header-env", header]);
    }
    let behind = if behind.is_empty() { String::new() } else { format!(", {}", syntax.format_list(&behind)) };
    let mut with = Vec::new();
    if client.shape == CommandShape::List {
        front.insert(0, gate.program);
        with.push(Piece::New(format!(
            "{}[{}, ",
            key_with_separator(text, address, syntax, "command"),
            syntax.format_list(&front)
        )));
    } else {
        with.push(Piece::New(format!(
            "{}{}{}{}[{}, ",
            key_with_separator(text, address, syntax, "command"),
            syntax.quote_text(gate.program),
            field_separator(text, entry, address, syntax),
            key_with_separator(text, address, syntax, "args"),
            syntax.format_list(&front)
        )));
    }
    with.push(Piece::Kept(address.value_span.clone()));
    with.push(Piece::New(format!("{behind}]")));
    splices.push(Splice { span: address.span.clone(), replacement: with });
    if let Some(kind) = entry.field("type") {
        let local = if client.shape == CommandShape::List { "local" } else { "stdio" };
        splices.push(Splice::new(kind.value_span.clone(), syntax.quote_text(local)));
    }
    Ok(splices)
}

/// Codex's headers from variables: the gateway is given those variables, and takes them by name.
fn move_header_variables(
    text: &str,
    entry: &ServerEntry,
    field: &Field,
    syntax: Syntax,
) -> Result<(Vec<String>, Splice), String> {
    let odd = || Err("its `env_http_headers` can't be carried over as they are written".to_owned());
    if field.form != ValueForm::Plain || entry.field("env_vars").is_some() {
        return odd();
    }
    let (mut headers, mut names) = (Vec::new(), Vec::new());
    for pair in &field.pairs {
        match pair.value.as_str() {
            Some(name) if is_http_token(&pair.key) && is_http_token(name) && !name.starts_with(VARIABLE) => {
                headers.push(format!("{}={name}", pair.key));
                names.push(name);
            }
            _ => return odd(),
        }
    }
    let list =
        format!("{}[{}]", key_with_separator(text, field, syntax, "env_vars"), syntax.format_list(&names));
    Ok((headers, Splice::new(field.span.clone(), list)))
}

/// The key for variables of what is started.
pub(super) fn env_key(shape: CommandShape) -> &'static str {
    match shape {
        CommandShape::Pair => "env",
        CommandShape::List => "environment",
    }
}

/// A key with what stands between key and value, as it does at another field.
pub(super) fn key_with_separator(text: &str, like: &Field, syntax: Syntax, key: &str) -> String {
    let between = text.get(like.key_span.end..like.value_span.start).filter(|between| {
        let sign = if syntax == Syntax::Json { ":" } else { "=" };
        between.trim() == sign
    });
    let plain = if syntax == Syntax::Json { ": " } else { " = " };
    format!("{}{}", syntax.format_key(key), between.unwrap_or(plain))
}

/// What stands between two fields, as it does before `field`.
fn field_separator(text: &str, entry: &ServerEntry, field: &Field, syntax: Syntax) -> String {
    let blanks = blanks_before(text, field.key_span.start);
    match syntax {
        Syntax::Toml if !entry.inline => {
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let indent = blanks.rsplit('\n').next().unwrap_or_default();
            format!("{end}{indent}")
        }
        Syntax::Toml => ", ".to_owned(),
        // On one line, as after colons.
        Syntax::Json if blanks.is_empty() && key_with_separator(text, field, syntax, "").ends_with(' ') => {
            ", ".to_owned()
        }
        Syntax::Json => format!(",{blanks}"),
    }
}

/// The blanks that end at `end`.
fn blanks_before(text: &str, end: usize) -> &str {
    let before = text.get(..end).unwrap_or_default();
    let from = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
    before.get(from..).unwrap_or_default()
}

/// A name as HTTP wants it.
fn is_http_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Whether an address holds what others should not see: they can, in the list of processes.
pub(super) fn exposes_secret(entry: &ServerEntry) -> bool {
    ["url", "serverUrl", "httpUrl"]
        .iter()
        .filter_map(|key| entry.field_text(key))
        .any(|url| url.contains(['?', '@']))
}
