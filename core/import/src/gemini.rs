//! Gemini CLI: `tools` of `settings.json`, and the rules of `policies/*.toml`. There the rule of the
//! highest priority counts; here the strictest does.

use serde_json::Value;

use super::paths::changes;
use super::words::{Tail, patterns};
use super::{Collect, Why, jsonc, regexes, texts};
use mayi_call::Names;
use mayi_policy::Effect;

pub(super) fn read(text: &str, rules: &mut Collect<'_>) -> Result<(), String> {
    if rules.file.path.extension().is_some_and(|end| end == "toml") {
        return policy(text, rules);
    }
    let settings = jsonc::parse(text)?;
    if !settings.is_object() {
        return Err("is not an object".to_owned());
    }
    let at = |place: &str| place.split('.').try_fold(&settings, |value, key| value.get(key));
    for place in ["tools.exclude", "excludeTools"] {
        for text in texts(at(place), place, rules) {
            named(text, Effect::Deny, &format!("{place}: {text}"), rules);
        }
    }
    for place in ["tools.allowed", "allowedTools"] {
        for text in texts(at(place), place, rules) {
            named(text, Effect::Allow, &format!("{place}: {text}"), rules);
        }
    }
    for place in ["tools.core", "coreTools"] {
        if at(place).is_some() {
            rules.left(place, "it says which tools there are at all, which stays so in Gemini CLI itself");
        }
    }
    for text in texts(at("mcp.excluded"), "mcp.excluded", rules) {
        let from = format!("mcp.excluded: {text}");
        match Names::plain(text) {
            true => rules.rule(Effect::Deny, format!("mcp({text}/*)"), &from),
            false => rules.left(&from, "no server can be called like that"),
        }
    }
    if at("mcp.allowed").is_some() {
        rules.left("mcp.allowed", "it says which servers there are at all: here these are [servers.NAME]");
    }
    for place in ["tools.autoAccept", "autoAccept", "security.disableYoloMode", "general.defaultApprovalMode"]
    {
        if let Some(value) = at(place) {
            rules.left(
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
            rules.left(&from, "a server is told by how it is started: write [servers.NAME] with `command` and `approval = \"not_required\"`");
        }
        for tool in texts(server.get("excludeTools"), &format!("mcpServers.{name}.excludeTools"), rules) {
            let from = format!("mcpServers.{name}.excludeTools: {tool}");
            let tool = tool.split('(').next().unwrap_or_default().trim();
            match Names::plain(name) && Names::plain(tool) {
                true => rules.rule(Effect::Deny, format!("mcp({name}/{tool})"), &from),
                false => rules.left(&from, "no server and tool can be called like that"),
            }
        }
    }
    Ok(())
}

/// `run_shell_command(git status)`: a tool, and the beginning of a command.
fn named(text: &str, effect: Effect, from: &str, rules: &mut Collect<'_>) {
    let (tool, argument) = match text.trim().split_once('(') {
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(argument) => (tool.trim(), Some(argument.trim()).filter(|argument| !argument.is_empty())),
            None => return rules.left(from, "its parenthesis is not closed"),
        },
        None => (text.trim(), None),
    };
    let found = match (tool, argument) {
        ("run_shell_command" | "ShellTool", Some(prefix)) => command(prefix, effect),
        (_, Some(_)) => Err(format!("what is in the parentheses of {tool} is not known here")),
        (tool, None) => of_tool(tool, effect),
    };
    rules.rules(effect, found, from);
}

fn command(prefix: &str, effect: Effect) -> Result<Vec<String>, Why> {
    if prefix.contains('*') {
        return Err("`*` is a plain character there, and a wildcard here".to_owned());
    }
    patterns(prefix, Tail::Words, effect)
}

fn of_tool(tool: &str, effect: Effect) -> Result<Vec<String>, Why> {
    let allow = effect == Effect::Allow;
    let files = if allow { "./**" } else { "**" };
    Ok(match tool {
        "run_shell_command" | "ShellTool" => vec!["shell(*)".to_owned()],
        "read_file" | "read_many_files" | "ReadFileTool" | "ReadManyFilesTool" => {
            vec![format!("read({files})")]
        }
        "write_file" | "WriteFileTool" => changes(files, effect),
        "replace" | "edit" | "EditTool" if allow => vec![format!("edit({files})")],
        "replace" | "edit" | "EditTool" => changes(files, effect),
        "web_fetch" | "WebFetchTool" => vec!["fetch(*)".to_owned()],
        "*" if allow => {
            return Err(
                "this allows everything: `mode = \"auto\"` is the like of it, if you mean it".to_owned()
            );
        }
        "*" => vec!["*".to_owned()],
        tool if !Names::plain(tool) => return Err("no tool is called like that".to_owned()),
        tool if tool.contains("__") => super::claude::mcp(tool, effect)?,
        tool if allow => {
            return Err(format!("what {tool} touches is not known: write `tool({tool})` if you mean it"));
        }
        tool => vec![format!("tool({tool})")],
    })
}

/// `policies/*.toml`: `[[rule]]` with `toolName`, conditions, `decision` and `priority`.
fn policy(text: &str, rules: &mut Collect<'_>) -> Result<(), String> {
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
                rules.left(&from, "its decision is neither allow, ask_user nor deny");
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
            rules.partly(
                from,
                "an allow of higher priority does not override it here: write the exception as `unless`",
            );
        }
    }
    Ok(())
}

fn one_rule(value: &Value, tools: &[String], effect: Effect, from: &str, rules: &mut Collect<'_>) {
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
        return rules.left(from, format!("its condition `{key}` has no counterpart"));
    }
    if value.get("modes").is_some() {
        if effect == Effect::Allow {
            return rules.left(from, "it is only for some modes of Gemini CLI");
        }
        rules.partly(from, "it counts in every mode here");
    }
    let reason =
        ["denyMessage", "deny_message"].iter().find_map(|key| value.get(*key)?.as_str()).map(str::to_owned);
    let server = value.get("mcpName").and_then(Value::as_str);
    let mut found: Vec<Result<Vec<String>, Why>> = Vec::new();
    let prefixes = one_or_more(value.get("commandPrefix"));
    if let Some(server) = server {
        let tools: Vec<String> = if tools.is_empty() { vec!["*".to_owned()] } else { tools.to_vec() };
        found.extend(tools.iter().map(|tool| {
            match Names::plain(server) && (tool == "*" || Names::plain(tool)) {
                true => Ok(vec![format!("mcp({server}/{tool})")]),
                false => Err("no server and tool can be called like that".to_owned()),
            }
        }));
    } else if !prefixes.is_empty() {
        found.extend(prefixes.iter().map(|prefix| command(prefix.trim_end(), effect)));
    } else if let Some(source) = value.get("commandRegex").and_then(Value::as_str) {
        found.push(match effect {
            Effect::Allow => {
                Err("a regular expression there may end anywhere in the command: write its words".to_owned())
            }
            _ => regexes::translate(source).map(|source| vec![format!("shell(/{source}/)")]),
        });
    } else if tools.is_empty() {
        found.push(of_tool("*", effect));
    } else {
        found.extend(tools.iter().map(|tool| of_tool(tool, effect)));
    }
    for patterns in found {
        match patterns {
            Ok(patterns) => patterns
                .into_iter()
                .for_each(|pattern| rules.rule_because(effect, pattern, from, reason.clone())),
            Err(why) => rules.left(from, why),
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
