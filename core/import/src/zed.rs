//! Zed: `agent.tool_permissions` of `settings.json`. Its rules are regular expressions, of any case
//! unless they say otherwise; a denial comes before a question, and that before an allow.

use serde_json::Value;

use super::paths::{change_patterns, host_of_regex};
use super::{RuleCollector, SkipReason, jsonc, regexes};
use mayi_call::Names;
use mayi_policy::Effect;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    let Some(agent) = settings.get("agent").and_then(Value::as_object) else { return Ok(()) };
    if agent.get("always_allow_tool_actions") == Some(&Value::Bool(true)) {
        rules.leave_out("agent.always_allow_tool_actions: true", EVERYTHING);
    }
    let Some(permissions) = agent.get("tool_permissions").and_then(Value::as_object) else { return Ok(()) };
    match permissions.get("default").and_then(Value::as_str) {
        Some("allow") => rules.leave_out("agent.tool_permissions.default: \"allow\"", EVERYTHING),
        Some("deny") => rules.leave_out(
            "agent.tool_permissions.default: \"deny\"",
            "where no rule speaks, `[matrix.default]` says what becomes of a call: write `execute = \"deny\"` and the like there",
        ),
        _ => {}
    }
    let Some(tools) = permissions.get("tools").and_then(Value::as_object) else { return Ok(()) };
    for (tool, value) in tools.iter().take(super::MOST_RULES) {
        let from = format!("agent.tool_permissions.tools.{tool}");
        let Some(value) = value.as_object() else {
            rules.leave_out(&format!("{from}: {value}"), "this is not an object");
            continue;
        };
        let open = ["always_allow", "always_confirm"].iter().any(|key| {
            value.get(*key).is_some_and(|list| list.as_array().is_none_or(|list| !list.is_empty()))
        });
        for key in ["default", "default_mode"] {
            if let Some(word) = value.get(key) {
                default(tool, word, open, &format!("{from}.{key}: {word}"), rules);
            }
        }
        for (key, effect) in
            [("always_deny", Effect::Deny), ("always_confirm", Effect::Ask), ("always_allow", Effect::Allow)]
        {
            let Some(list) = value.get(key) else { continue };
            for entry in list.as_array().into_iter().flatten().take(super::MOST_RULES) {
                read_regex_entry(tool, entry, effect, &format!("{from}.{key}"), rules);
            }
            if !list.is_array() {
                rules.leave_out(&format!("{from}.{key}: {list}"), "this is not a list");
            }
        }
    }
    Ok(())
}

const EVERYTHING: &str = "this allows everything: `mode = \"auto\"` is the like of it, if you mean it";

/// What a tool does where none of its expressions match; `open` if some allow or ask.
fn default(tool: &str, word: &Value, open: bool, from: &str, rules: &mut RuleCollector<'_>) {
    let effect = match word.as_str() {
        Some("allow") => Effect::Allow,
        Some("deny") if open => {
            return rules.leave_out(from, "a denial here counts in whatever order, so nothing of this tool could be allowed: where no rule speaks, `[matrix.default]` says what becomes of a call");
        }
        Some("deny") => Effect::Deny,
        Some("confirm") => return,
        _ => return rules.leave_out(from, "it is neither allow, confirm nor deny"),
    };
    let files = if effect == Effect::Allow { "./**" } else { "**" };
    let found = match tool {
        "terminal" => Ok(vec!["shell(*)".to_owned()]),
        "edit_file" | "save_file" => Ok(change_patterns(files, effect)),
        "delete_path" => Ok(vec![format!("delete({files})")]),
        "move_path" => Ok(vec![format!("move({files})")]),
        "read_file" => Ok(vec![format!("read({files})")]),
        "fetch" => Ok(vec!["fetch(*)".to_owned()]),
        _ => mcp_patterns(tool).ok_or_else(|| format!("what {tool} touches is not known here")),
    };
    rules.add_rules(effect, found, from);
}

/// `mcp:server:tool`.
fn mcp_patterns(tool: &str) -> Option<Vec<String>> {
    let (server, tool) = tool.strip_prefix("mcp:")?.split_once(':')?;
    (Names::is_plain(server) && Names::is_plain(tool)).then(|| vec![format!("mcp({server}/{tool})")])
}

fn read_regex_entry(tool: &str, entry: &Value, effect: Effect, from: &str, rules: &mut RuleCollector<'_>) {
    let (source, sensitive) = match entry {
        Value::String(source) => (Some(source.as_str()), false),
        other => (
            other.get("pattern").and_then(Value::as_str),
            other.get("case_sensitive").and_then(Value::as_bool).unwrap_or(false),
        ),
    };
    let Some(source) = source else {
        return rules.leave_out(&format!("{from}: {entry}"), "it has no `pattern`");
    };
    let found: Result<Vec<String>, SkipReason> = match (tool, effect) {
        ("terminal", _) => regexes::regex_patterns(source, !sensitive, effect),
        ("fetch", _) => host_of_regex(source)
            .filter(|_| effect == Effect::Allow || !source.contains("www"))
            .map(|pattern| vec![pattern])
            .ok_or_else(|| {
                "only an expression that begins with a whole host (`^https?://docs\\.rs/`) has a counterpart"
                    .to_owned()
            }),
        _ => {
            Err("paths and arguments have no regular expressions here: write a path such as `write(src/**)`"
                .to_owned())
        }
    };
    rules.add_rules(effect, found, &format!("{from}: {source}"));
}
