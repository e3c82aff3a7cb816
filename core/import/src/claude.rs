//! Claude Code: `permissions` of `.claude/settings.json`. Its deny, ask and allow are the strictest
//! first, as here.

use serde_json::Value;

use super::paths::{changes, gitignore};
use super::words::{Tail, patterns};
use super::{Collect, Why, jsonc, texts};
use mayi_call::Names;
use mayi_policy::Effect;

const NOT_A_RULE: &str = "this is not a rule: mayi has `mode`, `mayi bypass` and `--cwd` for the like";

/// Tools that only look into files: judged here by what they read.
const LOOKING: &[&str] = &["Glob", "Grep", "LS", "NotebookRead"];

pub(super) fn read(text: &str, rules: &mut Collect<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    let Some(permissions) = settings.get("permissions") else { return Ok(()) };
    let Some(permissions) = permissions.as_object() else {
        return Err("has `permissions` that are not an object".to_owned());
    };
    for (key, effect) in [("deny", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)] {
        let from = format!("permissions.{key}");
        for text in texts(permissions.get(key), &from, rules) {
            rule(text, effect, &format!("{from}: {text}"), rules);
        }
    }
    for (key, value) in permissions {
        let from = format!("permissions.{key}: {value}");
        match (key.as_str(), value) {
            ("deny" | "ask" | "allow", _) => {}
            ("defaultMode", Value::String(mode)) => default_mode(mode, &from, rules),
            ("additionalDirectories", _) => rules.left(
                &from,
                "folders are added when mayi asks about them, or by a rule of yours such as `read(/the/folder/**)`",
            ),
            _ => rules.left(&from, NOT_A_RULE),
        }
    }
    Ok(())
}

fn default_mode(mode: &str, from: &str, rules: &mut Collect<'_>) {
    match mode {
        "default" => {}
        "acceptEdits" => changes("./**", Effect::Allow)
            .into_iter()
            .for_each(|pattern| rules.rule(Effect::Allow, pattern, from)),
        "plan" => rules.left(from, "write `mode = \"plan\"` at the top of the file, or say --mode plan"),
        "bypassPermissions" => {
            rules.left(from, "if you mean it, `mayi bypass claude on` lets the agent act without asking")
        }
        "dontAsk" => rules.left(from, "`mayi run --on-ask deny` denies what would be asked about"),
        _ => rules.left(from, "this mode is not known"),
    }
}

fn rule(text: &str, effect: Effect, from: &str, rules: &mut Collect<'_>) {
    let text = text.trim();
    let (tool, argument) = match text.split_once('(') {
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(argument) => (tool.trim(), Some(argument.trim())),
            None => return rules.left(from, "its parenthesis is not closed"),
        },
        None => (text, None),
    };
    // `Tool(*)` is `Tool`.
    let argument = argument.filter(|argument| !argument.is_empty() && *argument != "*");
    let path = |argument: Option<&str>, rules: &Collect<'_>| match argument {
        Some(argument) => gitignore(argument, rules.project(), effect),
        None => Ok("**".to_owned()),
    };
    match tool {
        "Bash" => {
            let found = command(argument.unwrap_or("*"), effect);
            rules.rules(effect, found, from);
        }
        "Read" => {
            let found = path(argument, rules).map(|path| vec![format!("read({path})")]);
            rules.rules(effect, found, from);
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            let found = path(argument, rules).map(|path| changes(&path, effect));
            rules.rules(effect, found, from);
        }
        "WebFetch" => {
            let found = fetch(argument);
            rules.rules(effect, found, from);
        }
        _ if tool.starts_with("mcp__") => {
            if argument.is_some() {
                return rules
                    .left(from, "conditions on arguments of an MCP tool are written as `args` of a rule");
            }
            let found = mcp(tool, effect);
            rules.rules(effect, found, from);
        }
        _ if LOOKING.contains(&tool) => {
            rules.left(from, "looking into files is judged by what is read: see read(...)")
        }
        _ if tool.is_empty() || !Names::plain(tool) => rules.left(from, "no tool is called like that"),
        _ if argument.is_some() => {
            rules.left(from, format!("what is in the parentheses of {tool} is not known here"))
        }
        _ if effect == Effect::Allow => {
            rules.left(from, format!("what {tool} touches is not known: write `tool({tool})` if you mean it"))
        }
        _ => rules.rule(effect, format!("tool({tool})"), from),
    }
}

/// `npm run test:*` is a prefix of words, `git * main` has wildcards, anything else is the whole command.
fn command(text: &str, effect: Effect) -> Result<Vec<String>, Why> {
    match text.strip_suffix(":*") {
        Some(prefix) if prefix.contains('*') && effect == Effect::Allow => {
            Err("`*` before `:*` has no certain meaning".to_owned())
        }
        Some(prefix) => patterns(prefix, Tail::Words, effect),
        None => patterns(text, Tail::Written, effect),
    }
}

fn fetch(argument: Option<&str>) -> Result<Vec<String>, Why> {
    let Some(argument) = argument else { return Ok(vec!["fetch(*)".to_owned()]) };
    let host = argument.strip_prefix("domain:").ok_or("only `domain:` is known in it")?.trim();
    let stem = host.strip_prefix("*.").unwrap_or(host);
    if stem.is_empty() || stem.contains(['*', '/', ':', '?']) {
        return Err(format!("`{host}` is not a host, nor one with `*.` before it"));
    }
    Ok(vec![format!("fetch({host})")])
}

/// `mcp__server__tool`: where the name can be split in several ways, a denial is about every pair, and
/// there is no allow.
pub(super) fn mcp(name: &str, effect: Effect) -> Result<Vec<String>, Why> {
    let rest = name.strip_prefix("mcp__").unwrap_or(name);
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-*".contains(&b))
    };
    let mut pairs: Vec<(&str, &str)> = rest
        .match_indices("__")
        .map(|(at, _)| (rest.get(..at).unwrap_or_default(), rest.get(at + 2..).unwrap_or_default()))
        .filter(|(server, tool)| plain(server) && plain(tool))
        .collect();
    if !rest.contains("__") {
        pairs.push((rest, "*"));
    } else if effect != Effect::Allow && plain(rest) {
        // The server could be called so itself.
        pairs.push((rest, "*"));
    }
    match pairs.as_slice() {
        [] => Err("no server and tool can be called like that".to_owned()),
        [(server, tool)] if plain(server) && plain(tool) => {
            if effect == Effect::Allow && server.contains('*') {
                return Err("it would allow tools of any server".to_owned());
            }
            Ok(vec![format!("mcp({server}/{tool})")])
        }
        [_] => Err("no server and tool can be called like that".to_owned()),
        _ if effect == Effect::Allow => Err(
            "it is not certain where the server's name ends and the tool's begins: write `mcp(server/tool)`"
                .to_owned(),
        ),
        all => Ok(all.iter().map(|(server, tool)| format!("mcp({server}/{tool})")).collect()),
    }
}
