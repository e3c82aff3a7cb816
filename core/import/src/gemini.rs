//! Gemini CLI, and Qwen Code, which was made of it: `tools` of `settings.json`.

use serde_json::{Map, Value};

use super::claude::{self, Grammar, split_rule};
use super::collector::{Entry, RuleCollector, text_items};
use super::gemini_tools::{is_shell, prefix_patterns, scope_of, tool_patterns};
use super::unknown::name_permission_keys;
use super::{gemini_policy, jsonc};
use mayi_call::Names;
use mayi_policy::Effect;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    if rules.file.path.extension().is_some_and(|end| end == "toml") {
        return gemini_policy::read(text, rules);
    }
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    for (place, effect) in [
        ("tools.exclude", Effect::Deny),
        ("excludeTools", Effect::Deny),
        ("tools.confirmationRequired", Effect::Ask),
        ("tools.allowed", Effect::Allow),
        ("allowedTools", Effect::Allow),
    ] {
        let list = Entry::new(effect, place, ["*"]);
        for text in text_items(at(settings, place), &list, rules) {
            read_tool_entry(text, effect, &format!("{place}: {text}"), rules);
        }
    }
    for place in ["tools.core", "coreTools"] {
        if at(settings, place).is_some() {
            rules.leave_out(
                place,
                "it says which tools there are at all, which stays so in the program itself",
            );
        }
    }
    // Qwen Code's own.
    claude::read_permissions(settings, Grammar::Qwen, rules)?;
    read_servers(settings, rules);
    for place in ["context.includeDirectories", "includeDirectories"] {
        let list = Entry::new(Effect::Allow, place, [""; 0]);
        for folder in text_items(at(settings, place), &list, rules) {
            rules.add_folder(folder, &format!("{place}: {folder}"));
        }
    }
    for place in NO_RULES {
        if let Some(value) = at(settings, place) {
            rules.leave_out(
                &format!("{place}: {value}"),
                "this is not a rule: mayi has `mode` and `mayi bypass` for the like",
            );
        }
    }
    let known = [
        "permissions",
        "excludeTools",
        "allowedTools",
        "autoAccept",
        "approvalMode",
        "allowMCPServers",
        "excludeMCPServers",
        "tools",
        "security",
        "mcp",
        "general",
        "mcpServers",
    ];
    name_permission_keys(settings, &known, "", rules);
    for block in ["tools", "security", "mcp", "general"] {
        let Some(map) = settings.get(block).and_then(Value::as_object) else { continue };
        let known: Vec<&str> = NO_RULES
            .iter()
            .filter_map(|place| place.strip_prefix(block)?.strip_prefix('.'))
            .chain(["exclude", "allowed", "core", "excluded", "confirmationRequired"])
            .collect();
        name_permission_keys(map, &known, &format!("{block}."), rules);
    }
    Ok(())
}

/// Settings of when to ask, which are no rules.
const NO_RULES: [&str; 7] = [
    "tools.autoAccept",
    "tools.approvalMode",
    "autoAccept",
    "approvalMode",
    "security.disableYoloMode",
    "general.defaultApprovalMode",
    "security.disableAlwaysAllow",
];

fn at<'v>(settings: &'v Map<String, Value>, place: &str) -> Option<&'v Value> {
    let mut keys = place.split('.');
    let first = settings.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

/// Servers that are switched off, and what is said of single ones.
fn read_servers(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    for place in ["mcp.excluded", "excludeMCPServers"] {
        let list = Entry::new(Effect::Deny, place, ["mcp(*/*)"]);
        for text in text_items(at(settings, place), &list, rules) {
            let from = format!("{place}: {text}");
            let found = match Names::is_plain(text) {
                true => Ok(vec![format!("mcp({text}/*)")]),
                false => Err("no server can be called like that".to_owned()),
            };
            rules.take(&Entry::new(Effect::Deny, &from, ["mcp(*/*)"]), found);
        }
    }
    for place in ["mcp.allowed", "allowMCPServers"] {
        if at(settings, place).is_some() {
            rules.leave_out(place, "it says which servers there are at all: here these are [servers.NAME]");
        }
    }
    for (name, server) in at(settings, "mcpServers").and_then(Value::as_object).into_iter().flatten() {
        if server.get("trust") == Some(&Value::Bool(true)) {
            let from = format!("mcpServers.{name}.trust: true");
            rules.leave_out(&from, "a server is told by how it is started: write [servers.NAME] with `command` and `approval = \"not_required\"`");
        }
        let place = format!("mcpServers.{name}.excludeTools");
        let whole = if Names::is_plain(name) { format!("mcp({name}/*)") } else { "mcp(*/*)".to_owned() };
        let list = Entry::new(Effect::Deny, &place, [whole.as_str()]);
        for tool in text_items(server.get("excludeTools"), &list, rules) {
            let from = format!("{place}: {tool}");
            let tool = tool.split('(').next().unwrap_or_default().trim();
            let found = match Names::is_plain(name) && Names::is_plain(tool) {
                true => Ok(vec![format!("mcp({name}/{tool})")]),
                false => Err("no server and tool can be called like that".to_owned()),
            };
            rules.take(&Entry::new(Effect::Deny, &from, [whole.as_str()]), found);
        }
        if let Some(server) = server.as_object() {
            let known = ["trust", "excludeTools"];
            name_permission_keys(server, &known, &format!("mcpServers.{name}."), rules);
        }
    }
}

/// `run_shell_command(git status)`: a tool, and the beginning of a command.
fn read_tool_entry(text: &str, effect: Effect, from: &str, rules: &mut RuleCollector<'_>) {
    let (tool, argument) = match split_rule(text) {
        Ok(parts) => parts,
        Err(why) => {
            let (tool, rest) = text.trim().split_once('(').unwrap_or((text, ""));
            return rules.take(&Entry::new(effect, from, scope_of(tool.trim(), Some(rest))), Err(why));
        }
    };
    let found = match argument {
        Some(prefix) if is_shell(tool) => prefix_patterns(prefix, effect),
        Some(_) => Err(format!("what is in the parentheses of {tool} is not known here")),
        None => tool_patterns(tool, effect),
    };
    rules.take(&Entry::new(effect, from, scope_of(tool, argument)), found);
}
