//! The rules of Gemini CLI's `policies/*.toml`. There the rule of the highest priority counts; here the strictest does.

use serde_json::Value;

use super::collector::{Entry, RuleCollector, SkipReason};
use super::gemini_tools::{prefix_patterns, scope_of, tool_patterns};
use super::regexes;
use super::unknown::name_all_keys;
use mayi_call::Names;
use mayi_policy::Effect;

/// `policies/*.toml`: `[[rule]]` with `toolName`, conditions, `decision` and `priority`.
pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let table: toml::Table =
        toml::from_str(text).map_err(|error| format!("is not TOML: {}", error.message()))?;
    let top = serde_json::to_value(&table).unwrap_or_default();
    if let Some(top) = top.as_object() {
        name_all_keys(top, &["rule"], "", rules);
    }
    let Some(list) = table.get("rule") else { return Ok(()) };
    let list = list.as_array().ok_or("has a `rule` that is not a list of tables")?;
    let mut stricter: Vec<(f64, Vec<String>, String)> = Vec::new();
    let mut allowed: Vec<(f64, Vec<String>)> = Vec::new();
    for (at, rule) in list.iter().enumerate() {
        let value = serde_json::to_value(rule).unwrap_or_default();
        let tools = one_or_more(value.get("toolName"));
        let shown = if tools.is_empty() { "every tool".to_owned() } else { tools.join(", ") };
        let decision = value.get("decision").and_then(Value::as_str).unwrap_or_default();
        let from = format!("rule {}: {shown}: {decision}", at + 1);
        let effect = match decision {
            "allow" => Effect::Allow,
            "ask_user" => Effect::Ask,
            _ => Effect::Deny,
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
    let server = value.get("mcpName").and_then(Value::as_str);
    let prefixes = one_or_more(value.get("commandPrefix"));
    let mut entry = Entry::new(effect, from, rule_scope(server, tools, &prefixes));
    entry.reason =
        ["denyMessage", "deny_message"].iter().find_map(|key| value.get(*key)?.as_str()).map(str::to_owned);
    let condition =
        value.as_object().and_then(|of| of.keys().find(|key| !KNOWN.contains(&key.as_str())).cloned());
    if let Some(key) = condition {
        // Without the condition, a denial would be about more, and an allow too.
        return rules.take(&entry, Err(format!("its condition `{key}` has no counterpart")));
    }
    if !matches!(value.get("decision").and_then(Value::as_str), Some("allow" | "ask_user" | "deny")) {
        return rules.take(&entry, Err("its decision is neither allow, ask_user nor deny".to_owned()));
    }
    if value.get("modes").is_some() {
        if effect == Effect::Allow {
            return rules.leave_out(from, "it is only for some modes of Gemini CLI");
        }
        rules.note_difference(from, "it counts in every mode here");
    }
    let mut found: Vec<Result<Vec<String>, SkipReason>> = Vec::new();
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
        entry.scope = vec![regexes::wider_pattern(source, false)];
        found.push(match effect {
            Effect::Allow => {
                Err("a regular expression there may end anywhere in the command: write its words".to_owned())
            }
            _ => regexes::regex_patterns(source, false, effect),
        });
    } else if tools.is_empty() {
        found.push(tool_patterns("*", effect));
    } else {
        found.extend(tools.iter().map(|tool| tool_patterns(tool, effect)));
    }
    for patterns in found {
        rules.take(&entry, patterns);
    }
    // It is compared with the whole line there.
    let expression =
        value.get("commandRegex").and_then(Value::as_str).filter(|_| server.is_none() && prefixes.is_empty());
    if let Some(source) =
        expression.filter(|source| effect != Effect::Allow && regexes::crosses_commands(source))
    {
        entry.scope = vec![regexes::line_pattern(source, false)];
        rules.ask_instead(&entry, regexes::SEVERAL);
    }
}

/// All that a rule could be about, whatever its conditions are.
fn rule_scope(server: Option<&str>, tools: &[String], prefixes: &[String]) -> Vec<String> {
    if let Some(server) = server {
        return vec![if Names::is_plain(server) {
            format!("mcp({server}/*)")
        } else {
            "mcp(*/*)".to_owned()
        }];
    }
    if !prefixes.is_empty() {
        return prefixes.iter().flat_map(|prefix| scope_of("run_shell_command", Some(prefix))).collect();
    }
    if tools.is_empty() {
        return vec!["*".to_owned()];
    }
    let of_tool = |tool: &String| match scope_of(tool, None) {
        // A name with wildcards, of a tool or of a server's.
        scope if scope.is_empty() => vec!["mcp(*/*)".to_owned(), "tool(*)".to_owned()],
        scope => scope,
    };
    tools.iter().flat_map(of_tool).collect()
}

fn one_or_more(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(one)) => vec![one.clone()],
        // What is no text is no name of anything, and is told as such.
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}
