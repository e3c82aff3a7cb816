//! opencode: `permission` of `opencode.json`, and `permissions` of its second version. There the last rule that matches counts;
//! here the strictest does. So a denial before an allow stays, and what the allow would take back is told.

use serde_json::{Map, Value};

use super::collector::{Entry, RuleCollector, SkipReason};
use super::paths::change_patterns;
use super::unknown::name_permission_keys;
use super::words::{PatternTail, beginning_pattern, command_patterns};
use super::{glob, jsonc, path_texts};
use mayi_call::Names;
use mayi_policy::Effect;

/// One rule, in its order.
#[derive(Clone)]
struct PermissionEntry {
    tool: String,
    pattern: String,
    effect: Effect,
    from: String,
}

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    let top = entries_of(settings, "", rules)?;
    let mut inner: Vec<PermissionEntry> = Vec::new();
    for key in ["agent", "agents", "mode"] {
        let Some(Value::Object(map)) = settings.get(key) else { continue };
        for (name, value) in map {
            if let Some(agent) = value.as_object() {
                inner.extend(entries_of(agent, &format!("{key}.{name}."), rules)?);
            }
        }
    }
    inner.retain(|entry| entry.effect != Effect::Allow);
    // A denial of everything counts here wherever it stands.
    let denied = top.iter().any(|of| of.tool == "*" && of.pattern == "*" && of.effect == Effect::Deny);
    let mut before: Vec<PermissionEntry> = Vec::new();
    for of in top {
        read_entry(&of, denied, &before, &inner, rules);
        before.push(of);
    }
    for of in &inner {
        read_inner_entry(of, rules);
    }
    for (server, of) in settings.get("mcp").and_then(Value::as_object).into_iter().flatten() {
        rules.take_server_off(server, of, "mcp");
    }
    name_permission_keys(
        settings,
        &["permission", "permissions", "agent", "agents", "mode", "tools", "disabled_providers"],
        "",
        rules,
    );
    Ok(())
}

/// What an object says: of opencode itself, or of one of its agents.
fn entries_of(
    settings: &Map<String, Value>,
    prefix: &str,
    rules: &mut RuleCollector<'_>,
) -> Result<Vec<PermissionEntry>, String> {
    let mut entries = Vec::new();
    match settings.get("permission") {
        None | Some(Value::Null) => {}
        Some(Value::Object(map)) => {
            for (tool, value) in map {
                add_tool_entries(tool, value, prefix, &mut entries, rules);
            }
        }
        Some(word @ Value::String(_)) => add_tool_entries("*", word, prefix, &mut entries, rules),
        Some(_) => return Err(format!("has a `{prefix}permission` that is neither a word nor an object")),
    }
    match settings.get("permissions") {
        None | Some(Value::Null) => {}
        Some(Value::Array(list)) => {
            for item in list {
                let text = |key: &str| item.get(key).and_then(Value::as_str);
                let from = format!("{prefix}permissions: {item}");
                let (tool, pattern) =
                    (tool_of_action(text("action").unwrap_or("*")), text("resource").unwrap_or("*"));
                let effect = text("effect");
                add_entry((tool, pattern), effect, from, &mut entries, rules);
            }
        }
        Some(_) => return Err(format!("has `{prefix}permissions` that are not a list")),
    }
    // A tool that is switched off is a denial.
    if let Some(Value::Object(map)) = settings.get("tools") {
        for (tool, value) in map.iter().filter(|(_, value)| **value == Value::Bool(false)) {
            let from = format!("{prefix}tools.{tool}: {value}");
            add_entry((tool, "*"), Some("deny"), from, &mut entries, rules);
        }
    }
    Ok(entries)
}

/// The second version's names of what is done.
fn tool_of_action(action: &str) -> &str {
    match action {
        "shell" => "bash",
        "fetch" => "webfetch",
        other => other,
    }
}

fn add_tool_entries(
    tool: &str,
    value: &Value,
    prefix: &str,
    entries: &mut Vec<PermissionEntry>,
    rules: &mut RuleCollector<'_>,
) {
    match value {
        Value::Object(map) => {
            for (pattern, value) in map {
                let from = format!("{prefix}permission.{tool}: {pattern:?}: {value}");
                add_entry((tool, pattern), value.as_str(), from, entries, rules);
            }
        }
        other => {
            let from = format!("{prefix}permission.{tool}: {other}");
            add_entry((tool, "*"), other.as_str(), from, entries, rules);
        }
    }
}

fn add_entry(
    (tool, pattern): (&str, &str),
    word: Option<&str>,
    from: String,
    entries: &mut Vec<PermissionEntry>,
    rules: &mut RuleCollector<'_>,
) {
    let effect = match word {
        Some("allow") => Effect::Allow,
        Some("ask") => Effect::Ask,
        Some("deny") => Effect::Deny,
        _ => {
            let entry = Entry::new(Effect::Deny, &from, scope_of(tool, pattern));
            return rules.take(&entry, Err("it is neither allow, ask nor deny".to_owned()));
        }
    };
    entries.push(PermissionEntry { tool: tool.to_owned(), pattern: pattern.to_owned(), effect, from });
}

/// The permissions that are about something known here.
const KNOWN_PERMISSIONS: &[&str] =
    &["bash", "edit", "write", "patch", "read", "webfetch", "external_directory"];

/// Permissions that are one: whatever changes files.
fn same_tool(tool: &str) -> &str {
    match tool {
        "write" | "patch" | "multiedit" | "apply_patch" => "edit",
        tool => tool,
    }
}

/// `before`: all entries so far; `inner`: what agents inside of opencode are denied or asked about.
fn read_entry(
    of: &PermissionEntry,
    denied: bool,
    before: &[PermissionEntry],
    inner: &[PermissionEntry],
    rules: &mut RuleCollector<'_>,
) {
    let tools_meet =
        |other: &PermissionEntry| glob::globs_overlap(same_tool(&of.tool), same_tool(&other.tool));
    let allowed = before.iter().any(|other| other.effect == Effect::Allow && tools_meet(other));
    if of.pattern == "*" && of.effect == Effect::Ask && !allowed {
        rules.leave_out(
            &of.from,
            "mayi asks about what no rule allows, except for commands and tools that only read (`readers = false` asks about those commands too)",
        );
        return;
    }
    if of.effect == Effect::Allow && !may_allow(of, denied, before, inner, rules) {
        return;
    }
    if note_outside(of, rules) {
        return;
    }
    let entry = Entry::new(of.effect, &of.from, scope_of(&of.tool, &of.pattern));
    if of.tool != "*" && of.tool.contains(['*', '?']) && of.effect != Effect::Allow {
        // Whatever it could be about.
        for known in KNOWN_PERMISSIONS.iter().filter(|known| glob::globs_overlap(&of.tool, known)) {
            let entry = Entry::new(of.effect, &of.from, scope_of(known, &of.pattern));
            rules.take(&entry, translate_entry(known, &of.pattern, of.effect));
        }
    }
    rules.take(&entry, translate_entry(&of.tool, &of.pattern, of.effect));
}

/// Whether nothing that is stricter, and counts here in whatever order, covers an allow.
fn may_allow(
    of: &PermissionEntry,
    denied: bool,
    before: &[PermissionEntry],
    inner: &[PermissionEntry],
    rules: &mut RuleCollector<'_>,
) -> bool {
    if denied {
        rules
            .leave_out(&of.from, "`\"*\": \"deny\"` beside it counts for everything here, in whatever order");
        return false;
    }
    let meets = |other: &&PermissionEntry| glob::globs_overlap(same_tool(&of.tool), same_tool(&other.tool));
    // What is narrower than all of a tool is a rule of its own.
    if let Some(other) = inner.iter().filter(meets).find(|other| other.pattern == "*") {
        let why =
            "agents inside of opencode are not told apart here, and one of them may not do so by itself";
        rules.leave_out(&of.from, format!("{} beside it: {why}", other.from));
        return false;
    }
    let stricter = || {
        let same = |other: &&PermissionEntry| same_tool(&other.tool) == same_tool(&of.tool);
        // A plain ask before any allow is no rule here.
        let rule = |other: &&PermissionEntry| !(other.pattern == "*" && other.effect == Effect::Ask);
        before.iter().filter(same).filter(|other| other.effect != Effect::Allow).filter(rule)
    };
    if let Some(other) = stricter().find(|other| glob::glob_covers(&other.pattern, &of.pattern)) {
        let (pattern, effect) = (&other.pattern, other.effect);
        rules.leave_out(&of.from, format!("it comes after {pattern:?}: \"{effect}\", which here counts in whatever order; write the exception as `unless` of that rule"));
        return false;
    }
    for other in stricter().filter(|other| glob::globs_overlap(&other.pattern, &of.pattern)) {
        let (pattern, effect) = (&other.pattern, other.effect);
        rules
            .note_difference(&of.from, format!("{pattern:?}: \"{effect}\" before it stays where both match"));
    }
    true
}

/// What an agent inside of opencode is denied or asked about is asked about for all of them; all of a tool is left to
/// mayi, which asks where nothing is allowed.
fn read_inner_entry(of: &PermissionEntry, rules: &mut RuleCollector<'_>) {
    if note_outside(of, rules) {
        return;
    }
    let why = "agents inside of opencode are not told apart here";
    let entry = Entry::new(of.effect, &of.from, [""; 0]);
    let asked_anyway = matches!(same_tool(&of.tool), "*" | "bash" | "edit" | "webfetch");
    if of.pattern == "*" && asked_anyway {
        let why = format!("{why}: mayi asks each of them where no rule allows");
        return match of.effect {
            Effect::Deny => rules.note_asked(&of.from, why),
            _ => rules.leave_out(&of.from, why),
        };
    }
    match translate_entry(&of.tool, &of.pattern, of.effect) {
        Ok(patterns) => rules.ask_instead(&Entry { scope: patterns, ..entry }, why),
        Err(reason) => {
            let scope = scope_of(&of.tool, &of.pattern);
            rules.ask_instead(&Entry { scope, ..entry }, &format!("{why}; {reason}"));
        }
    }
}

/// What lies outside of the folders is asked about, whatever is written for it.
fn note_outside(of: &PermissionEntry, rules: &mut RuleCollector<'_>) -> bool {
    if of.tool != "external_directory" || of.effect == Effect::Allow {
        return false;
    }
    let why = "what lies outside of the folders is asked about here";
    match of.effect {
        Effect::Deny => rules.note_asked(&of.from, why),
        _ => rules.leave_out(&of.from, why),
    }
    true
}

/// All that an entry could be about.
fn scope_of(tool: &str, pattern: &str) -> Vec<String> {
    match same_tool(tool) {
        "bash" => vec![beginning_pattern(pattern)],
        "edit" => vec!["write(**)".to_owned()],
        "read" | "glob" | "grep" | "list" => vec!["read(**)".to_owned()],
        "webfetch" => vec!["fetch(*)".to_owned()],
        // Asked about always.
        "external_directory" => Vec::new(),
        _ => translate_entry(tool, "*", Effect::Ask).unwrap_or_default(),
    }
}

fn translate_entry(tool: &str, pattern: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let allow = effect == Effect::Allow;
    match same_tool(tool) {
        "bash" => {
            if allow && pattern.contains('?') {
                return Err("`?` in it has no counterpart among words".to_owned());
            }
            command_patterns(pattern, PatternTail::Written, effect)
        }
        "edit" => Ok(path_patterns(pattern, effect)?.iter().flat_map(|path| change_patterns(path, effect)).collect()),
        "read" => Ok(path_patterns(pattern, effect)?.iter().map(|path| format!("read({path})")).collect()),
        "webfetch" if pattern == "*" => Ok(vec!["fetch(*)".to_owned()]),
        "webfetch" => Err("addresses with wildcards mean something else here: write `fetch(host)`".to_owned()),
        "external_directory" => Err(
            "what lies outside of the folders is asked about here: name a further folder as one of `folders` under [workspace]".to_owned()
        ),
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

/// There `*` is any text, `/` too, and `$HOME` at the beginning is the home folder.
fn path_patterns(pattern: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let home = pattern.strip_prefix("$HOME").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let at_home = home.map(|rest| format!("~{rest}"));
    let pattern = at_home.as_deref().unwrap_or(pattern);
    if pattern == "*" || pattern == "**" || pattern == "**/*" {
        return Ok(vec![if effect == Effect::Allow { "./**".to_owned() } else { "**".to_owned() }]);
    }
    if effect != Effect::Allow {
        return path_texts::globs_of_wildcards(pattern);
    }
    if pattern.contains("..") || pattern.contains(['\\', '!', '[', ']', '{', '}']) {
        return Err("a path like that has no certain counterpart".to_owned());
    }
    // Narrower here, where `*` stays in one folder. A slash behind stars has to be there, so that there is a folder before it.
    let pattern = pattern.replace("**/", "*/**/");
    Ok(vec![if pattern.starts_with('/') || pattern.starts_with("~/") {
        pattern
    } else {
        format!("./{}", pattern.trim_start_matches("./"))
    }])
}
