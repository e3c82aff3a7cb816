//! Cursor: `permissions` of its command line program (`cli-config.json`, `.cursor/cli.json`), and the lists of its editor
//! (`permissions.json`). A denial comes before an allow.

use serde_json::{Map, Value};

use super::claude::split_rule;
use super::collector::{Entry, RuleCollector, SkipReason, text_items};
use super::jsonc;
use super::paths::{change_patterns, exact_host_pattern, host_patterns};
use super::unknown::{name_all_keys, name_permission_keys};
use super::words::{PatternTail, beginning_pattern, command_patterns};
use mayi_policy::Effect;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    match settings.get("permissions") {
        None | Some(Value::Null) => {}
        Some(Value::Object(permissions)) => {
            for (key, effect) in [("deny", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)] {
                let from = format!("permissions.{key}");
                for text in text_items(permissions.get(key), &Entry::new(effect, &from, ["*"]), rules) {
                    read_token(text, effect, &format!("{from}: {text}"), rules);
                }
            }
            name_all_keys(permissions, &["deny", "ask", "allow"], "permissions.", rules);
        }
        Some(_) => return Err("has `permissions` that are not an object".to_owned()),
    }
    read_editor_lists(settings, rules);
    if let Some(mode) = settings.get("approvalMode") {
        let from = format!("approvalMode: {mode}");
        rules.leave_out(&from, "this is not a rule: mayi has `mode` and `mayi bypass` for the like");
    }
    let known = ["permissions", "approvalMode", "mcpAllowlist", "terminalAllowlist", "autoRun"];
    name_permission_keys(settings, &known, "", rules);
    Ok(())
}

/// `permissions.json` of the editor: what runs without a question.
fn read_editor_lists(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let list = Entry::new(Effect::Allow, "terminalAllowlist", [""; 0]);
    for text in text_items(settings.get("terminalAllowlist"), &list, rules) {
        let from = format!("terminalAllowlist: {text}");
        rules.take(&Entry::new(Effect::Allow, &from, [""; 0]), shell_patterns(text, Effect::Allow));
    }
    let list = Entry::new(Effect::Allow, "mcpAllowlist", [""; 0]);
    for text in text_items(settings.get("mcpAllowlist"), &list, rules) {
        let from = format!("mcpAllowlist: {text}");
        rules.take(&Entry::new(Effect::Allow, &from, [""; 0]), mcp_patterns(text, Effect::Allow));
    }
    let Some(auto_run) = settings.get("autoRun").and_then(Value::as_object) else { return };
    for (key, value) in auto_run {
        let from = format!("autoRun.{key}: {value}");
        let why = "this is prose for a classifier, and mayi goes by rules: write what you mean as one";
        if key.contains("block") { rules.lose_denial(&from, why) } else { rules.leave_out(&from, why) }
    }
}

/// `Shell(git)`, `Read(src/**)`, `Write(...)`, `WebFetch(host)`, `Mcp(server:tool)`.
fn read_token(text: &str, effect: Effect, from: &str, rules: &mut RuleCollector<'_>) {
    let (tool, argument) = match split_rule(text) {
        Ok(parts) => parts,
        Err(why) => {
            let (tool, rest) = text.split_once('(').unwrap_or((text, ""));
            return rules.take(&Entry::new(effect, from, scope_of(tool.trim(), Some(rest))), Err(why));
        }
    };
    let argument = argument.filter(|argument| *argument != "**");
    let path =
        |argument: Option<&str>| argument.map_or_else(|| Ok("**".to_owned()), |path| placed(path, effect));
    let found = match tool {
        "Shell" => {
            argument.map_or_else(|| Ok(vec!["shell(*)".to_owned()]), |text| shell_patterns(text, effect))
        }
        "Read" => path(argument).map(|path| vec![format!("read({path})")]),
        "Write" | "Edit" | "Delete" => path(argument).map(|path| change_patterns(&path, effect)),
        "WebFetch" => match (argument, effect) {
            (None, _) => Ok(vec!["fetch(*)".to_owned()]),
            (Some(host), Effect::Allow) => exact_host_pattern(host).map(|pattern| vec![pattern]),
            (Some(host), _) => host_patterns(host),
        },
        "Mcp" => mcp_patterns(argument.unwrap_or("*:*"), effect),
        _ => Err("it is none of Shell, Read, Write, WebFetch and Mcp".to_owned()),
    };
    rules.take(&Entry::new(effect, from, scope_of(tool, argument)), found);
}

/// All that a token could be about.
fn scope_of(tool: &str, argument: Option<&str>) -> Vec<String> {
    let one = match tool {
        "Shell" => beginning_pattern(&argument.unwrap_or("*").replacen(':', " ", 1)),
        "Read" => "read(**)".to_owned(),
        "Write" | "Edit" | "Delete" => "write(**)".to_owned(),
        "WebFetch" => "fetch(*)".to_owned(),
        "Mcp" => "mcp(*/*)".to_owned(),
        _ => return Vec::new(),
    };
    vec![one]
}

/// `git` is every command of that program, `curl:*` has its arguments behind the colon. More words than one are the whole command
/// for an allow, since it is not certain what may follow.
fn shell_patterns(text: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let text = text.trim();
    if let Some((command, arguments)) =
        text.split_once(':').filter(|(command, _)| !command.contains([' ', '/']))
    {
        let tail = if effect == Effect::Allow { PatternTail::Written } else { PatternTail::Words };
        return match arguments.trim() {
            "" | "*" | "**" => command_patterns(command, PatternTail::Words, effect),
            arguments => command_patterns(&format!("{command} {arguments}"), tail, effect),
        };
    }
    let whole = effect == Effect::Allow && text.contains(' ');
    let tail = if whole { PatternTail::Written } else { PatternTail::Words };
    command_patterns(text.trim_end_matches("**"), tail, effect)
}

/// `server:tool`, either with wildcards.
fn mcp_patterns(text: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let (server, tool) = text.split_once([':', ',']).unwrap_or((text, "*"));
    let (server, tool) = (server.trim(), tool.trim());
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-*".contains(&b))
    };
    if !plain(server) || !plain(tool) {
        return Err("no server and tool can be called like that".to_owned());
    }
    if effect == Effect::Allow && server.contains('*') {
        return Err("it would allow tools of any server".to_owned());
    }
    Ok(vec![format!("mcp({server}/{tool})")])
}

/// What is not absolute is about the folder that is worked in; a denial of a name by itself, wherever it is.
fn placed(path: &str, effect: Effect) -> Result<String, SkipReason> {
    let climbs = path.split('/').any(|part| part == "..");
    if path.contains(['\\', '!', '{', '}']) || climbs {
        return Err("a path like that has no certain counterpart".to_owned());
    }
    if path.starts_with('/') || path.starts_with("~/") || path.starts_with("./") {
        return Ok(path.to_owned());
    }
    Ok(match effect {
        Effect::Allow => format!("./{path}"),
        _ if path.starts_with("**/") || !path.contains('/') => path.to_owned(),
        _ => format!("./{path}"),
    })
}
