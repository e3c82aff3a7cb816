//! Zed: `agent.tool_permissions` of `settings.json`. Its rules are regular expressions, of any case
//! unless they say otherwise; a denial comes before a question, and that before an allow.

use serde_json::{Map, Value};

use super::collector::{Entry, RuleCollector, SkipReason};
use super::paths::{change_patterns, host_of_regex};
use super::unknown::{name_all_keys, name_denials, name_permission_keys};
use super::{jsonc, path_texts, regexes};
use mayi_call::Names;
use mayi_policy::Effect;

/// What Zed itself blocks, and mayi does not by itself: removing all of the folder that is worked in.
const BLOCKED: &str = r"shell(/^rm( [^ ]+)* \.{1,2}\/?\*?( [^ ]+)*$/)";

/// Lists of a tool's expressions, with what they are for.
const LISTS: [(&str, Effect); 3] =
    [("always_deny", Effect::Deny), ("always_confirm", Effect::Ask), ("always_allow", Effect::Allow)];

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    for (server, of) in settings.get("context_servers").and_then(Value::as_object).into_iter().flatten() {
        rules.take_server_off(server, of, "context_servers");
    }
    // Also of one system, one release or one profile.
    name_denials(settings, &["agent", "context_servers"], rules);
    let Some(agent) = settings.get("agent").and_then(Value::as_object) else { return Ok(()) };
    if agent.get("always_allow_tool_actions") == Some(&Value::Bool(true)) {
        rules.leave_out("agent.always_allow_tool_actions: true", EVERYTHING);
    }
    read_profiles(agent, rules);
    name_permission_keys(
        agent,
        &["always_allow_tool_actions", "tool_permissions", "profiles"],
        "agent.",
        rules,
    );
    let permissions = match agent.get("tool_permissions") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(permissions)) => permissions,
        Some(_) => return Err("has an `agent.tool_permissions` that is not an object".to_owned()),
    };
    let denied = match permissions.get("default").and_then(Value::as_str) {
        Some("allow") => {
            rules.leave_out("agent.tool_permissions.default: \"allow\"", EVERYTHING);
            false
        }
        Some("deny") => {
            rules.note_asked(
                "agent.tool_permissions.default: \"deny\"",
                "for tools that are not known here: where no rule speaks, mayi asks, but for what only reads",
            );
            true
        }
        _ => false,
    };
    name_all_keys(permissions, &["default", "tools"], "agent.tool_permissions.", rules);
    let none = Map::new();
    let tools = permissions.get("tools").and_then(Value::as_object).unwrap_or(&none);
    if denied {
        deny_others(tools, rules);
    }
    for (tool, value) in tools {
        let from = format!("agent.tool_permissions.tools.{tool}");
        match value.as_object() {
            Some(value) => read_tool(tool, value, denied, &from, rules),
            None => {
                let from = format!("{from}: {value}");
                rules.take(
                    &Entry::new(Effect::Deny, &from, scope_of(tool)),
                    Err("this is not an object".to_owned()),
                );
            }
        }
    }
    Ok(())
}

/// Tools that a profile is without: where it is the one that a thread begins with, they are asked about.
fn read_profiles(agent: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let chosen = agent.get("default_profile").and_then(Value::as_str).unwrap_or("write");
    for (name, profile) in agent.get("profiles").and_then(Value::as_object).into_iter().flatten() {
        let from = format!("agent.profiles.{name}");
        let off = |tools: Option<&Value>| -> Vec<String> {
            let tools = tools.and_then(Value::as_object).into_iter().flatten();
            tools.filter(|(_, on)| **on == Value::Bool(false)).map(|(tool, _)| tool.clone()).collect()
        };
        let mut tools = off(profile.get("tools"));
        for (server, of) in profile.get("context_servers").and_then(Value::as_object).into_iter().flatten() {
            tools.extend(off(of.get("tools")).iter().map(|tool| format!("mcp:{server}:{tool}")));
        }
        for tool in tools {
            let from = format!("{from}: {tool}: false");
            if name == chosen {
                let entry = Entry::new(Effect::Deny, &from, scope_of(&tool));
                rules.ask_instead(&entry, "profiles are not told apart here");
            } else {
                rules.leave_out(
                    &from,
                    "profiles are not told apart here, and this is not the one that a thread begins with",
                );
            }
        }
    }
}

const EVERYTHING: &str = "this allows everything: `mode = \"auto\"` is the like of it, if you mean it";

/// Denies the tools that are not among `tools`. Of those that change files, only where none of them is.
fn deny_others(tools: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let files =
        ["edit_file", "save_file", "write_file", "restore_file_from_disk", "create_directory", "copy_path"];
    let changes =
        if tools.keys().any(|tool| files.contains(&tool.as_str())) { None } else { Some("edit_file") };
    let others = ["terminal", "fetch", "delete_path", "move_path"].into_iter().chain(changes);
    for tool in others.filter(|tool| !tools.contains_key(*tool)) {
        let from = format!("agent.tool_permissions.default: \"deny\", of {tool}");
        rules.take(&Entry::new(Effect::Deny, &from, scope_of(tool)), tool_patterns(tool, Effect::Deny));
    }
}

/// `denied`: what no list of it speaks of is denied, unless it says otherwise.
fn read_tool(
    tool: &str,
    value: &Map<String, Value>,
    denied: bool,
    from: &str,
    rules: &mut RuleCollector<'_>,
) {
    let open = ["always_allow", "always_confirm"]
        .iter()
        .any(|key| value.get(*key).is_some_and(|list| list.as_array().is_none_or(|list| !list.is_empty())));
    for key in ["default", "default_mode"] {
        if let Some(word) = value.get(key) {
            default(tool, word, open, &format!("{from}.{key}: {word}"), rules);
        }
    }
    if denied && !["default", "default_mode"].iter().any(|key| value.contains_key(*key)) {
        let from = format!("agent.tool_permissions.default: \"deny\", of {tool}");
        default(tool, &Value::from("deny"), open, &from, rules);
    }
    let allows = value.get("always_allow").is_some_and(|list| !list.is_null());
    if tool == "terminal"
        && (allows
            || ["default", "default_mode"].iter().any(|key| value.get(*key) == Some(&Value::from("allow"))))
    {
        let from = format!("{from}, where Zed itself blocks that");
        rules.take(&Entry::new(Effect::Deny, &from, ["shell(rm *)"]), Ok(vec![BLOCKED.to_owned()]));
    }
    for (key, effect) in LISTS {
        let Some(list) = value.get(key) else { continue };
        for entry in list.as_array().into_iter().flatten() {
            read_regex_entry(tool, entry, effect, &format!("{from}.{key}"), rules);
        }
        if !list.is_array() {
            let from = format!("{from}.{key}: {list}");
            rules.take(&Entry::new(effect, &from, scope_of(tool)), Err("this is not a list".to_owned()));
        }
    }
    let known = ["default", "default_mode", "always_deny", "always_confirm", "always_allow"];
    name_all_keys(value, &known, &format!("{from}."), rules);
}

/// All that a tool could be about.
fn scope_of(tool: &str) -> Vec<String> {
    tool_patterns(tool, Effect::Ask).unwrap_or_default()
}

fn tool_patterns(tool: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let files = if effect == Effect::Allow { "./**" } else { "**" };
    path_patterns(tool, files, effect).map_or_else(
        || match tool {
            "terminal" => Ok(vec!["shell(*)".to_owned()]),
            "fetch" => Ok(vec!["fetch(*)".to_owned()]),
            _ if tool.starts_with("mcp:") => {
                mcp_patterns(tool).ok_or_else(|| "no server and tool can be called like that".to_owned())
            }
            _ if effect != Effect::Allow && !tool.is_empty() && Names::is_plain(tool) => {
                Ok(vec![format!("tool({tool})")])
            }
            _ => Err(format!("what {tool} touches is not known here")),
        },
        Ok,
    )
}

/// For a tool that is about paths: what it does with `path`.
fn path_patterns(tool: &str, path: &str, effect: Effect) -> Option<Vec<String>> {
    Some(match tool {
        "edit_file" | "save_file" | "write_file" | "restore_file_from_disk" => change_patterns(path, effect),
        "create_directory" | "copy_path" if effect == Effect::Allow => vec![format!("create({path})")],
        "create_directory" | "copy_path" => vec![format!("write({path})")],
        "delete_path" => vec![format!("delete({path})")],
        "move_path" => vec![format!("move({path})")],
        "read_file" | "list_directory" | "find_path" | "grep" | "open" => vec![format!("read({path})")],
        _ => return None,
    })
}

/// What a tool does where none of its expressions match; `open` if some allow or ask.
fn default(tool: &str, word: &Value, open: bool, from: &str, rules: &mut RuleCollector<'_>) {
    let effect = match word.as_str() {
        Some("allow") => Effect::Allow,
        Some("deny") if open => {
            let why = "a denial here counts in whatever order, so nothing of this tool could be allowed: where no rule speaks, \
                 `[matrix.default]` says what becomes of a call";
            // What only reads would run without a rule.
            if path_patterns(tool, "**", Effect::Ask).is_some_and(|of| of == ["read(**)"]) {
                return rules.ask_instead(&Entry::new(Effect::Deny, from, ["read(**)"]), why);
            }
            let but = if tool == "terminal" { ", but for commands that only read" } else { "" };
            return rules.note_asked(from, format!("mayi asks there{but}: {why}"));
        }
        Some("deny") => Effect::Deny,
        Some("confirm") => return,
        _ => {
            let entry = Entry::new(Effect::Deny, from, scope_of(tool));
            return rules.take(&entry, Err("it is neither allow, confirm nor deny".to_owned()));
        }
    };
    rules.take(&Entry::new(effect, from, scope_of(tool)), tool_patterns(tool, effect));
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
        let from = format!("{from}: {entry}");
        return rules.take(&Entry::new(effect, &from, scope_of(tool)), Err("it has no `pattern`".to_owned()));
    };
    // Written in the expression itself, it is the same.
    let (source, sensitive) = source.strip_prefix("(?i)").map_or((source, sensitive), |rest| (rest, false));
    let from = &format!("{from}: {source}");
    let mut entry = Entry::new(effect, from, scope_of(tool));
    let files = path_patterns(tool, "**", Effect::Ask).is_some();
    let found: Result<Vec<String>, SkipReason> = match (tool, effect) {
        ("terminal", _) => {
            entry.scope = vec![regexes::wider_pattern(source, !sensitive)];
            regexes::regex_patterns(source, !sensitive, effect)
        }
        ("fetch", Effect::Allow) => {
            host_of_regex(source, effect).map(|pattern| vec![pattern]).ok_or_else(|| ONLY_HOSTS.to_owned())
        }
        ("fetch", _) => host_of_regex(source, effect)
            .filter(|_| !source.contains("www"))
            .map(|pattern| vec![pattern])
            .ok_or_else(|| ONLY_HOSTS.to_owned()),
        (_, Effect::Allow) if files => {
            allowed_paths(source).map(|path| path_patterns(tool, &path, effect).unwrap_or_default())
        }
        _ if files => path_texts::globs_of_regex(source).map(|globs| {
            globs.iter().flat_map(|glob| path_patterns(tool, glob, effect).unwrap_or_default()).collect()
        }),
        _ => Err("what a tool is given has no regular expressions here".to_owned()),
    };
    rules.take(&entry, found);
}

const ONLY_HOSTS: &str =
    "only an expression that begins with a whole host (`^https?://docs\\.rs/`) has a counterpart";

/// The folder that an expression begins with, and everything below: `^src/`.
fn allowed_paths(source: &str) -> Result<String, SkipReason> {
    let why = || {
        "only an expression that is a folder (`^src/`) has a counterpart: write a path such as `write(src/**)`"
            .to_owned()
    };
    let folder = source.strip_prefix('^').and_then(|rest| rest.strip_suffix('/')).ok_or_else(why)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
    if folder.is_empty() || folder.starts_with('/') || !folder.chars().all(plain) {
        return Err(why());
    }
    Ok(format!("./{folder}/**"))
}
