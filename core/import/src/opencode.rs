//! opencode: `permission` of `opencode.json`. There the last rule that matches counts; here the
//! strictest does. So a denial before an allow stays, and what the allow would take back is told.

use serde_json::Value;

use super::paths::change_patterns;
use super::words::{PatternTail, command_patterns};
use super::{RuleCollector, SkipReason, glob, jsonc};
use mayi_call::Names;
use mayi_policy::Effect;

/// One entry of a map, in its order.
struct PermissionEntry<'v> {
    pattern: &'v str,
    effect: Effect,
    from: String,
}

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    match settings.get("permission") {
        None | Some(Value::Null) => {}
        Some(Value::Object(map)) => {
            // A denial of everything counts here wherever it stands.
            let denied = map.get("*").and_then(Value::as_str) == Some("deny");
            let mut before = Vec::new();
            for (tool, value) in map.iter().take(super::MOST_RULES) {
                read_tool_entries(tool, value, denied, &mut before, rules);
            }
        }
        Some(Value::String(word)) => {
            read_tool_entries("*", &Value::String(word.clone()), false, &mut Vec::new(), rules)
        }
        Some(_) => return Err("has a `permission` that is neither a word nor an object".to_owned()),
    }
    for key in ["agent", "mode"] {
        let Some(Value::Object(map)) = settings.get(key) else { continue };
        for (name, value) in map {
            if value.get("permission").is_some() {
                rules.leave_out(
                    &format!("{key}.{name}.permission"),
                    "agents inside of opencode are not told apart here",
                );
            }
        }
    }
    if let Some(Value::Object(map)) = settings.get("tools") {
        for (tool, value) in map.iter().filter(|(_, value)| **value == Value::Bool(false)) {
            rules.leave_out(
                &format!("tools.{tool}: {value}"),
                "a tool that is switched off stays so in opencode itself",
            );
        }
    }
    Ok(())
}

fn effect_of(word: &str) -> Option<Effect> {
    match word {
        "allow" => Some(Effect::Allow),
        "ask" => Some(Effect::Ask),
        "deny" => Some(Effect::Deny),
        _ => None,
    }
}

/// The permissions that are about something known here.
const KNOWN_PERMISSIONS: &[&str] =
    &["bash", "edit", "write", "patch", "read", "webfetch", "external_directory"];

/// `before`: the tools that something was allowed for so far.
fn read_tool_entries(
    tool: &str,
    value: &Value,
    denied: bool,
    before: &mut Vec<String>,
    rules: &mut RuleCollector<'_>,
) {
    let mut entries = Vec::new();
    let mut entry = |pattern, value: &Value, from: String, rules: &mut RuleCollector<'_>| match value
        .as_str()
        .and_then(effect_of)
    {
        Some(effect) => entries.push(PermissionEntry { pattern, effect, from }),
        None => rules.leave_out(&from, "it is neither allow, ask nor deny"),
    };
    match value {
        Value::Object(map) => {
            for (pattern, value) in map.iter().take(super::MOST_RULES) {
                entry(pattern, value, format!("permission.{tool}: {pattern:?}: {value}"), rules);
            }
        }
        other => entry("*", other, format!("permission.{tool}: {other}"), rules),
    }
    // Stricter entries so far that are rules now.
    let mut stricter: Vec<(&str, Effect)> = Vec::new();
    let mut allowed = before.iter().any(|other| glob::globs_overlap(tool, other));
    for of in &entries {
        let default = of.pattern == "*" && of.effect == Effect::Ask && !allowed;
        if default {
            rules.leave_out(
                &of.from,
                "mayi asks about what no rule allows, except for commands and tools that only read (`readers = false` asks about those commands too)",
            );
            continue;
        }
        if of.effect == Effect::Allow {
            if denied {
                rules.leave_out(
                    &of.from,
                    "`\"*\": \"deny\"` beside it counts for everything here, in whatever order",
                );
                continue;
            }
            if let Some((pattern, effect)) =
                stricter.iter().find(|(wide, _)| glob::glob_covers(wide, of.pattern))
            {
                rules.leave_out(&of.from, format!("it comes after {pattern:?}: \"{effect}\", which here counts in whatever order; write the exception as `unless` of that rule"));
                continue;
            }
            for (pattern, effect) in
                stricter.iter().filter(|(other, _)| glob::globs_overlap(other, of.pattern))
            {
                rules.note_difference(
                    &of.from,
                    format!("{pattern:?}: \"{effect}\" before it stays where both match"),
                );
            }
            allowed = true;
            before.push(tool.to_owned());
        } else {
            stricter.push((of.pattern, of.effect));
        }
        if tool != "*" && tool.contains(['*', '?']) && of.effect != Effect::Allow {
            // Whatever it could be about.
            for known in KNOWN_PERMISSIONS.iter().filter(|known| glob::globs_overlap(tool, known)) {
                rules.add_rules(of.effect, translate_entry(known, of.pattern, of.effect), &of.from);
            }
        }
        rules.add_rules(of.effect, translate_entry(tool, of.pattern, of.effect), &of.from);
    }
}

fn translate_entry(tool: &str, pattern: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let allow = effect == Effect::Allow;
    match tool {
        "bash" => {
            if allow && pattern.contains('?') {
                return Err("`?` in it has no counterpart among words".to_owned());
            }
            command_patterns(pattern, PatternTail::Written, effect)
        }
        "edit" | "write" | "patch" => Ok(change_patterns(&path_pattern(pattern, effect)?, effect)),
        "read" => Ok(vec![format!("read({})", path_pattern(pattern, effect)?)]),
        "webfetch" if pattern == "*" => Ok(vec!["fetch(*)".to_owned()]),
        "webfetch" => Err("addresses with wildcards mean something else here: write `fetch(host)`".to_owned()),
        "external_directory" => Err("what lies outside of the folders is always asked about here".to_owned()),
        "glob" | "grep" | "list" if allow => Err("looking into files is judged by what is read: see read(...)".to_owned()),
        "*" if pattern != "*" => Err("it is not certain what it is about".to_owned()),
        "*" if allow => Err("this allows everything: `mode = \"auto\"` is the like of it, if you mean it".to_owned()),
        "*" => Ok(vec!["*".to_owned()]),
        _ if pattern != "*" => Err(format!("what is in the patterns of {tool} is not known here")),
        _ if allow && tool.contains('_') => {
            Err("if it is a tool of an MCP server: write `mcp(server/tool)`; where the server's name ends is not certain".to_owned())
        }
        _ if allow => Err(format!("what {tool} touches is not known: write `tool({tool})` if you mean it")),
        _ => {
            // The tool itself, and every server and tool whose names joined are this.
            let plain = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-*".contains(&b));
            if !plain(tool) && !Names::is_plain(tool) {
                return Err("no tool is called like that".to_owned());
            }
            let pairs = tool.match_indices('_').filter_map(|(at, _)| {
                let (server, name) = (tool.get(..at)?, tool.get(at + 1..)?);
                (plain(server) && plain(name)).then(|| format!("mcp({server}/{name})"))
            });
            Ok(std::iter::once(format!("tool({tool})")).chain(pairs).collect())
        }
    }
}

/// There `*` is any text, `/` too.
fn path_pattern(pattern: &str, effect: Effect) -> Result<String, SkipReason> {
    if pattern == "*" || pattern == "**" || pattern == "**/*" {
        return Ok(if effect == Effect::Allow { "./**".to_owned() } else { "**".to_owned() });
    }
    if pattern.contains("..") || pattern.contains(['\\', '!', '[', ']', '{', '}']) {
        return Err("a path like that has no certain counterpart".to_owned());
    }
    let placed = |text: &str| {
        if text.starts_with('/') || text.starts_with("~/") {
            text.to_owned()
        } else {
            format!("./{}", text.trim_start_matches("./"))
        }
    };
    if effect == Effect::Allow {
        // Narrower here, where `*` stays in one folder.
        return Ok(placed(pattern));
    }
    let inner = pattern.trim_end_matches('*');
    if let Some(end) = pattern.strip_prefix("**/").or_else(|| pattern.strip_prefix('*'))
        && !end.contains(['*', '/', '?'])
    {
        return Ok(if pattern.starts_with("**/") { end.to_owned() } else { format!("*{end}") });
    }
    if inner.contains(['*', '?']) {
        return Err("`*` in the middle of a path goes deeper there than any pattern here".to_owned());
    }
    match inner.strip_suffix('/') {
        Some(folder) if inner.len() < pattern.len() => Ok(format!("{}/**", placed(folder))),
        _ if inner.len() < pattern.len() => {
            Err("`*` at the end of a name goes deeper there than any pattern here".to_owned())
        }
        _ => Ok(placed(pattern)),
    }
}
