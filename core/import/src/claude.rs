//! Claude Code: `permissions` of `.claude/settings.json`. Its deny, ask and allow are the strictest
//! first, as here.

use serde_json::Value;

use super::paths::{change_patterns, convert_gitignore};
use super::words::{PatternTail, command_patterns};
use super::{RuleCollector, SkipReason, jsonc, text_items};
use mayi_call::Names;
use mayi_policy::Effect;

const NOT_A_RULE: &str = "this is not a rule: mayi has `mode`, `mayi bypass` and `--cwd` for the like";

/// Tools that only look into files: judged here by what they read.
const READING_TOOLS: &[&str] = &["Glob", "Grep", "LS", "NotebookRead"];

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    let Some(permissions) = settings.get("permissions") else { return Ok(()) };
    let Some(permissions) = permissions.as_object() else {
        return Err("has `permissions` that are not an object".to_owned());
    };
    for (key, effect) in [("deny", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)] {
        let from = format!("permissions.{key}");
        for text in text_items(permissions.get(key), &from, rules) {
            read_rule(text, effect, &format!("{from}: {text}"), rules);
        }
    }
    for (key, value) in permissions {
        let from = format!("permissions.{key}: {value}");
        match (key.as_str(), value) {
            ("deny" | "ask" | "allow", _) => {}
            ("defaultMode", Value::String(mode)) => default_mode(mode, &from, rules),
            ("additionalDirectories", _) => rules.leave_out(
                &from,
                "folders are added when mayi asks about them, or by a rule of yours such as `read(/the/folder/**)`",
            ),
            _ => rules.leave_out(&from, NOT_A_RULE),
        }
    }
    Ok(())
}

fn default_mode(mode: &str, from: &str, rules: &mut RuleCollector<'_>) {
    match mode {
        "default" => {}
        "acceptEdits" => change_patterns("./**", Effect::Allow)
            .into_iter()
            .for_each(|pattern| rules.add_rule(Effect::Allow, pattern, from)),
        "plan" => rules.leave_out(from, "write `mode = \"plan\"` at the top of the file, or say --mode plan"),
        "bypassPermissions" => {
            rules.leave_out(from, "if you mean it, `mayi bypass claude on` lets the agent act without asking")
        }
        "dontAsk" => rules.leave_out(from, "`mayi run --on-ask deny` denies what would be asked about"),
        _ => rules.leave_out(from, "this mode is not known"),
    }
}

fn read_rule(text: &str, effect: Effect, from: &str, rules: &mut RuleCollector<'_>) {
    let text = text.trim();
    let (tool, argument) = match text.split_once('(') {
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(argument) => (tool.trim(), Some(argument.trim())),
            None => return rules.leave_out(from, "its parenthesis is not closed"),
        },
        None => (text, None),
    };
    // `Tool(*)` is `Tool`.
    let argument = argument.filter(|argument| !argument.is_empty() && *argument != "*");
    let path = |argument: Option<&str>, rules: &RuleCollector<'_>| match argument {
        Some(argument) => convert_gitignore(argument, rules.project_folder(), effect),
        None => Ok("**".to_owned()),
    };
    match tool {
        "Bash" => {
            let found = bash_patterns(argument.unwrap_or("*"), effect);
            rules.add_rules(effect, found, from);
        }
        "Read" => {
            let found = path(argument, rules).map(|path| vec![format!("read({path})")]);
            rules.add_rules(effect, found, from);
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            let found = path(argument, rules).map(|path| change_patterns(&path, effect));
            rules.add_rules(effect, found, from);
        }
        "WebFetch" => {
            let found = fetch_patterns(argument);
            rules.add_rules(effect, found, from);
        }
        _ if tool.starts_with("mcp__") => {
            if argument.is_some() {
                return rules.leave_out(
                    from,
                    "conditions on arguments of an MCP tool are written as `args` of a rule",
                );
            }
            let found = mcp_patterns(tool, effect);
            rules.add_rules(effect, found, from);
        }
        _ if READING_TOOLS.contains(&tool) => {
            rules.leave_out(from, "looking into files is judged by what is read: see read(...)")
        }
        _ if tool.is_empty() || !Names::is_plain(tool) => {
            rules.leave_out(from, "no tool is called like that")
        }
        _ if argument.is_some() => {
            rules.leave_out(from, format!("what is in the parentheses of {tool} is not known here"))
        }
        _ if effect == Effect::Allow => rules.leave_out(
            from,
            format!("what {tool} touches is not known: write `tool({tool})` if you mean it"),
        ),
        _ => rules.add_rule(effect, format!("tool({tool})"), from),
    }
}

/// `npm run test:*` is a prefix of words, `git * main` has wildcards, anything else is the whole command.
fn bash_patterns(text: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    match text.strip_suffix(":*") {
        Some(prefix) if prefix.contains('*') && effect == Effect::Allow => {
            Err("`*` before `:*` has no certain meaning".to_owned())
        }
        Some(prefix) => command_patterns(prefix, PatternTail::Words, effect),
        None => command_patterns(text, PatternTail::Written, effect),
    }
}

fn fetch_patterns(argument: Option<&str>) -> Result<Vec<String>, SkipReason> {
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
pub(super) fn mcp_patterns(name: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
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
