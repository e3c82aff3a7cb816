//! Gemini CLI: `tools` of `settings.json`, and the rules of `policies/*.toml`. There the rule of the
//! highest priority counts; here the strictest does.

use serde_json::Value;

use super::paths::change_patterns;
use super::words::{PatternTail, command_patterns};
use super::{RuleCollector, SkipReason, jsonc, regexes, text_items};
use mayi_call::Names;
use mayi_policy::Effect;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    if rules.file.path.extension().is_some_and(|end| end == "toml") {
        return read_policy(text, rules);
    }
    let settings = jsonc::parse(text)?;
    if !settings.is_object() {
        return Err("is not an object".to_owned());
    }
    let at = |place: &str| place.split('.').try_fold(&settings, |value, key| value.get(key));
    for place in ["tools.exclude", "excludeTools"] {
        for text in text_items(at(place), place, rules) {
            read_tool_entry(text, Effect::Deny, &format!("{place}: {text}"), rules);
        }
    }
    for place in ["tools.allowed", "allowedTools"] {
        for text in text_items(at(place), place, rules) {
            read_tool_entry(text, Effect::Allow, &format!("{place}: {text}"), rules);
        }
    }
    for place in ["tools.core", "coreTools"] {
        if at(place).is_some() {
            rules.leave_out(
                place,
                "it says which tools there are at all, which stays so in Gemini CLI itself",
            );
        }
    }
    for text in text_items(at("mcp.excluded"), "mcp.excluded", rules) {
        let from = format!("mcp.excluded: {text}");
        match Names::is_plain(text) {
            true => rules.add_rule(Effect::Deny, format!("mcp({text}/*)"), &from),
            false => rules.leave_out(&from, "no server can be called like that"),
        }
    }
    if at("mcp.allowed").is_some() {
        rules.leave_out(
            "mcp.allowed",
            "it says which servers there are at all: here these are [servers.NAME]",
        );
    }
    for place in ["tools.autoAccept", "autoAccept", "security.disableYoloMode", "general.defaultApprovalMode"]
    {
        if let Some(value) = at(place) {
            rules.leave_out(
                &format!("{place}: {value}"),
                "this is not a rule: mayi has `mode` and `mayi bypass` for the like",
            );
        }
    }
    for (name, server) in
        at("mcpServers").and_then(Value::as_object).into_iter().flatten().take(super::MOST_RULES)
    {
        if server.get("trust") == Some(&Value::Bool(true)) {
            let from = format!("mcpServers.{name}.trust: true");
            rules.leave_out(&from, "a server is told by how it is started: write [servers.NAME] with `command` and `approval = \"not_required\"`");
        }
        for tool in text_items(server.get("excludeTools"), &format!("mcpServers.{name}.excludeTools"), rules)
        {
            let from = format!("mcpServers.{name}.excludeTools: {tool}");
            let tool = tool.split('(').next().unwrap_or_default().trim();
            match Names::is_plain(name) && Names::is_plain(tool) {
                true => rules.add_rule(Effect::Deny, format!("mcp({name}/{tool})"), &from),
                false => rules.leave_out(&from, "no server and tool can be called like that"),
            }
        }
    }
    Ok(())
}

/// `run_shell_command(git status)`: a tool, and the beginning of a command.
fn read_tool_entry(text: &str, effect: Effect, from: &str, rules: &mut RuleCollector<'_>) {
    let (tool, argument) = match text.trim().split_once('(') {
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(argument) => (tool.trim(), Some(argument.trim()).filter(|argument| !argument.is_empty())),
            None => return rules.leave_out(from, "its parenthesis is not closed"),
        },
        None => (text.trim(), None),
    };
    let found = match (tool, argument) {
        ("run_shell_command" | "ShellTool", Some(prefix)) => prefix_patterns(prefix, effect),
        (_, Some(_)) => Err(format!("what is in the parentheses of {tool} is not known here")),
        (tool, None) => tool_patterns(tool, effect),
    };
    rules.add_rules(effect, found, from);
}

fn prefix_patterns(prefix: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if prefix.contains('*') {
        return Err("`*` is a plain character there, and a wildcard here".to_owned());
    }
    command_patterns(prefix, PatternTail::Words, effect)
}

fn tool_patterns(tool: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let allow = effect == Effect::Allow;
    let files = if allow { "./**" } else { "**" };
    Ok(match tool {
        "run_shell_command" | "ShellTool" => vec!["shell(*)".to_owned()],
        "read_file" | "read_many_files" | "ReadFileTool" | "ReadManyFilesTool" => {
            vec![format!("read({files})")]
        }
        "write_file" | "WriteFileTool" => change_patterns(files, effect),
        "replace" | "edit" | "EditTool" if allow => vec![format!("edit({files})")],
        "replace" | "edit" | "EditTool" => change_patterns(files, effect),
        "web_fetch" | "WebFetchTool" => vec!["fetch(*)".to_owned()],
        "*" if allow => {
            return Err(
                "this allows everything: `mode = \"auto\"` is the like of it, if you mean it".to_owned()
            );
        }
        "*" => vec!["*".to_owned()],
        tool if !Names::is_plain(tool) => return Err("no tool is called like that".to_owned()),
        tool if tool.contains("__") => super::claude::mcp_patterns(tool, effect)?,
        tool if allow => {
            return Err(format!("what {tool} touches is not known: write `tool({tool})` if you mean it"));
        }
        tool => vec![format!("tool({tool})")],
    })
}

/// `policies/*.toml`: `[[rule]]` with `toolName`, conditions, `decision` and `priority`.
fn read_policy(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let table: toml::Table =
        toml::from_str(text).map_err(|error| format!("is not TOML: {}", error.message()))?;
    let Some(list) = table.get("rule") else { return Ok(()) };
    let list = list.as_array().ok_or("has a `rule` that is not a list of tables")?;
    let mut stricter: Vec<(f64, Vec<String>, String)> = Vec::new();
    let mut allowed: Vec<(f64, Vec<String>)> = Vec::new();
    for (at, rule) in list.iter().enumerate().take(super::MOST_RULES) {
        let value = serde_json::to_value(rule).unwrap_or_default();
        let tools = one_or_more(value.get("toolName"));
        let shown = if tools.is_empty() { "every tool".to_owned() } else { tools.join(", ") };
        let decision = value.get("decision").and_then(Value::as_str).unwrap_or_default();
        let from = format!("rule {}: {shown}: {decision}", at + 1);
        let effect = match decision {
            "allow" => Effect::Allow,
            "ask_user" => Effect::Ask,
            "deny" => Effect::Deny,
            _ => {
                rules.leave_out(&from, "its decision is neither allow, ask_user nor deny");
                continue;
            }
        };
        let priority = value.get("priority").and_then(Value::as_f64).unwrap_or_default();
        one_rule(&value, &tools, effect, &from, rules);
        match effect {
            Effect::Allow => allowed.push((priority, tools)),
            _ => stricter.push((priority, tools, from)),
        }
    }
    let any = |tools: &[String]| tools.is_empty() || tools.iter().any(|tool| tool == "*");
    let meet = |a: &[String], b: &[String]| any(a) || any(b) || a.iter().any(|tool| b.contains(tool));
    for (priority, tools, from) in &stricter {
        if allowed.iter().any(|(above, others)| above > priority && meet(tools, others)) {
            rules.note_difference(
                from,
                "an allow of higher priority does not override it here: write the exception as `unless`",
            );
        }
    }
    Ok(())
}

fn one_rule(value: &Value, tools: &[String], effect: Effect, from: &str, rules: &mut RuleCollector<'_>) {
    const KNOWN: [&str; 9] = [
        "toolName",
        "commandPrefix",
        "commandRegex",
        "mcpName",
        "decision",
        "priority",
        "modes",
        "denyMessage",
        "deny_message",
    ];
    let condition =
        value.as_object().and_then(|of| of.keys().find(|key| !KNOWN.contains(&key.as_str())).cloned());
    if let Some(key) = condition {
        // Without the condition, a denial would be about more, and an allow too.
        return rules.leave_out(from, format!("its condition `{key}` has no counterpart"));
    }
    if value.get("modes").is_some() {
        if effect == Effect::Allow {
            return rules.leave_out(from, "it is only for some modes of Gemini CLI");
        }
        rules.note_difference(from, "it counts in every mode here");
    }
    let reason =
        ["denyMessage", "deny_message"].iter().find_map(|key| value.get(*key)?.as_str()).map(str::to_owned);
    let server = value.get("mcpName").and_then(Value::as_str);
    let mut found: Vec<Result<Vec<String>, SkipReason>> = Vec::new();
    let prefixes = one_or_more(value.get("commandPrefix"));
    if let Some(server) = server {
        let tools: Vec<String> = if tools.is_empty() { vec!["*".to_owned()] } else { tools.to_vec() };
        found.extend(tools.iter().map(|tool| {
            match Names::is_plain(server) && (tool == "*" || Names::is_plain(tool)) {
                true => Ok(vec![format!("mcp({server}/{tool})")]),
                false => Err("no server and tool can be called like that".to_owned()),
            }
        }));
    } else if !prefixes.is_empty() {
        found.extend(prefixes.iter().map(|prefix| prefix_patterns(prefix.trim_end(), effect)));
    } else if let Some(source) = value.get("commandRegex").and_then(Value::as_str) {
        found.push(match effect {
            Effect::Allow => {
                Err("a regular expression there may end anywhere in the command: write its words".to_owned())
            }
            _ => regexes::translate_regex(source).map(|source| vec![format!("shell(/{source}/)")]),
        });
    } else if tools.is_empty() {
        found.push(tool_patterns("*", effect));
    } else {
        found.extend(tools.iter().map(|tool| tool_patterns(tool, effect)));
    }
    for patterns in found {
        match patterns {
            Ok(patterns) => patterns
                .into_iter()
                .for_each(|pattern| rules.rule_because(effect, pattern, from, reason.clone())),
            Err(why) => rules.leave_out(from, why),
        }
    }
}

fn one_or_more(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(items)) => {
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).take(100).collect()
        }
        _ => Vec::new(),
    }
}
