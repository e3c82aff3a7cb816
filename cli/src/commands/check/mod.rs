//! `mayi check`: what would be decided, and why.

mod args;
mod show;
mod stream;

pub(super) use self::args::{AFTER, CheckArgs};

use std::io::Read;

use mayi_check::{ACP, CheckAnswer, CheckError, CheckedCall, Checker, KINDS, Request, RequestedAction};
use mayi_core::call::{AgentId, Selector, json};
use mayi_core::config::nearest_word;
use mayi_core::policy::Effect;
use serde_json::{Map, Value};

pub(super) use self::show::finding_lines;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

/// The largest value that is read from standard input: 16 MiB.
const LARGEST: u64 = 16 << 20;

pub(super) fn run(args: CheckArgs, ctx: &Context) -> Result<Exit, CliError> {
    let mut checker = Checker::new(ctx.sources.clone(), ctx.cwd_named);
    if args.stdin {
        return stream::check_lines(&mut checker, &args, ctx);
    }
    let request = build_request(&args)?;
    let judged = checker.check_request(&request)?;
    if let Some(loaded) = &judged.loaded {
        ctx.print_notices(loaded);
    }
    tell_doubts(&checker, &judged, args.agent.as_deref(), ctx);
    let shown = if args.json {
        print::stdout_json(&CheckAnswer::Decided { id: None, decision: &judged.decision })
            .map_err(CliError::from)
    } else {
        show::print_decision(&mut checker, &request, &judged, ctx)
    };
    let decided = match judged.decision.effect {
        Effect::Allow => Exit::Done,
        Effect::Ask => Exit::Unanswered,
        Effect::Deny => Exit::Denied,
    };
    // Whoever has read enough (`| head -1`) may go: that changes nothing about what was decided.
    shown.map(|()| decided).or_else(|error| error.is_quiet().then_some(decided).ok_or(error))
}

/// What makes the answer another one than people may think.
fn tell_doubts(checker: &Checker, judged: &CheckedCall, agent: Option<&str>, ctx: &Context) {
    if let Some((name, loaded)) = agent.zip(judged.loaded.as_ref())
        && AgentId::from_name(name).is_named()
        && loaded.find_agent(name).is_none()
    {
        let meant = nearest_word(name, loaded.agents.keys().map(String::as_str));
        let meant = meant.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        ctx.print_note(format!("mayi: no agent is called {name}{meant}"));
    }
    // Hooks may go by another file.
    if judged.loaded.is_some() {
        let hooks = super::hook::find_hooks(ctx);
        for other in hooks.iter().filter_map(|hook| super::hook::other_rules(hook, ctx)) {
            ctx.print_note(format!("mayi: {}", mayi_core::approval::escape_line(&other)));
        }
    }
    if judged.call.roots.is_empty() && !checker.works_here() {
        let here = mayi_core::approval::escape_line(&judged.call.cwd.display().to_string());
        ctx.print_note(format!(
            "mayi: {here} is no workspace unless you name it: everything is outside; see --cwd"
        ));
    }
}

fn build_request(args: &CheckArgs) -> Result<Request, CliError> {
    let kind = args.kind.as_deref().unwrap_or_default();
    let what = parse_subject(kind, &args.value)?;
    let mut request = Request::new(what);
    match args.shell {
        Some(_) if !matches!(request.what, RequestedAction::Line(_)) => {
            return Err(CliError::usage(
                "--shell says which shell reads a line: give the kind shell, and the line in quotes",
            ));
        }
        shell => request.shell = shell.unwrap_or_default(),
    }
    if let Some(name) = &args.agent {
        if AgentId::parse(name).is_none() {
            let name = mayi_core::approval::escape_line(name);
            return Err(CliError::usage(format!(
                "no agent can be called `{name}`: `mayi agents` lists them"
            )));
        }
        request.agent = Some(name.clone());
    }
    request.confined = args.confined;
    Ok(request)
}

fn parse_subject(kind: &str, values: &[String]) -> Result<RequestedAction, CliError> {
    let text = match values {
        // A line of one word or more; words that the shell has split already are a program's own.
        [one] if one == "-" => from_stdin()?,
        [one] => one.clone(),
        _ if kind == "shell" => return Ok(RequestedAction::Words(values.to_vec())),
        _ if kind == "mcp" => values.join(" "),
        _ => {
            return Err(CliError::usage(format!(
                "one {kind} at a time: put quotes around it if it holds spaces"
            )));
        }
    };
    if text.trim().is_empty() {
        return Err(CliError::usage(format!("there is nothing to check: the {kind} is empty")));
    }
    if kind == ACP {
        return Ok(RequestedAction::Acp(parse_strict_json(&text, "the request")?));
    }
    let unknown = || CliError::usage(format!("no call is of kind {kind}: write {}", KINDS.join(", ")));
    Ok(match kind.parse().map_err(|_| unknown())? {
        Selector::Shell => RequestedAction::Line(text),
        Selector::Read => RequestedAction::Read(text),
        Selector::Write(kind) => RequestedAction::Write(kind, text),
        Selector::Fetch => RequestedAction::Fetch(text),
        Selector::Mcp => parse_mcp_call(&text)?,
        Selector::Tool => RequestedAction::Tool { name: text, arguments: Value::Object(Map::new()) },
        // An agent asks for it with a whole request.
        Selector::Mode => return Err(unknown()),
    })
}

/// `SERVER/TOOL [JSON]`.
fn parse_mcp_call(text: &str) -> Result<RequestedAction, CliError> {
    let text = text.trim();
    let (name, arguments) = match text.find(|c: char| c.is_whitespace() || c == '{') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let Some((server, tool)) =
        name.split_once('/').filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    else {
        let name = mayi_core::approval::escape_line(name);
        return Err(CliError::usage(format!(
            "`{name}` names no tool: write SERVER/TOOL, such as github/list_issues"
        )));
    };
    let arguments = match arguments.trim() {
        "" => Value::Object(Map::new()),
        json => parse_strict_json(json, "the arguments")?,
    };
    if !arguments.is_object() {
        return Err(CliError::usage("the arguments of a tool are an object, such as {\"repo\": \"me/x\"}"));
    }
    Ok(RequestedAction::Mcp { server: server.to_owned(), tool: tool.to_owned(), arguments })
}

fn parse_strict_json(text: &str, what: &str) -> Result<Value, CliError> {
    json::parse_strict(text)
        .map_err(|error| CliError::usage(format!("{what} can't be read as JSON: {error}")))
}

fn from_stdin() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(CliError::usage("standard input holds more than 16 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| CliError::usage("standard input is not UTF-8 text"))
}

impl From<CheckError> for CliError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Config(errors) => errors.into(),
            CheckError::Request(error) => Self::usage(mayi_core::approval::escape_line(&error.to_string())),
        }
    }
}
