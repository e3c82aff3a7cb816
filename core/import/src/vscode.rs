//! VS Code: `chat.tools.terminal.autoApprove`, `chat.tools.edits.autoApprove` and
//! `chat.tools.urls.autoApprove` of `settings.json`. What is not approved there is asked about.

use serde_json::{Map, Value};

use super::collector::{Entry, RuleCollector, SkipReason, text_items};
use super::paths::{change_patterns, host_patterns};
use super::unknown::{name_denials, name_permission_keys};
use super::words::{PatternTail, START, beginning_pattern, command_patterns, first_operator};
use super::{jsonc, regexes, vscode_defaults};
use mayi_call::Names;
use mayi_policy::Effect;

const TERMINAL: &str = "chat.tools.terminal.autoApprove";
const EDITS: &str = "chat.tools.edits.autoApprove";
const URLS: &str = "chat.tools.urls.autoApprove";
const ELIGIBLE: &str = "chat.tools.eligibleForAutoApproval";
const MCP_ACCESS: &str = "chat.mcp.access";
const NETWORK_DENIED: &str = "chat.agent.deniedNetworkDomains";

/// Older names of the terminal's setting, with what an entry that is true says: still read by VS Code, or moved to the new one.
const OLDER_TERMINAL: [(&str, bool); 6] = [
    ("chat.agent.terminal.autoApprove", true),
    ("chat.agent.terminal.allowList", true),
    ("chat.agent.terminal.denyList", false),
    ("github.copilot.chat.agent.terminal.autoApprove", true),
    ("github.copilot.chat.agent.terminal.allowList", true),
    ("github.copilot.chat.agent.terminal.denyList", false),
];

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    // In the file of a workspace they are one block.
    let settings = settings.get("settings").and_then(Value::as_object).unwrap_or(settings);
    let off = settings.get("chat.tools.terminal.enableAutoApprove") == Some(&Value::Bool(false));
    for (name, approves) in [(TERMINAL, true)].into_iter().chain(OLDER_TERMINAL) {
        for (key, value) in object_entries(settings, name, "shell(*)", rules) {
            read_terminal_entry(name, &key, &value, (approves, off), rules);
        }
    }
    if !off {
        ask_about_commands(settings, rules);
    }
    for (key, value) in object_entries(settings, EDITS, "write(**)", rules) {
        read_edit_entry(&key, &value, rules);
    }
    ask_about_edits(settings, rules);
    for (key, value) in object_entries(settings, URLS, "fetch(*)", rules) {
        read_url_entry(&key, &value, rules);
    }
    for key in ["chat.tools.autoApprove", "chat.tools.global.autoApprove"] {
        if settings.get(key) == Some(&Value::Bool(true)) {
            rules.leave_out(
                &format!("{key}: true"),
                "this allows everything: `mode = \"auto\"` is the like of it, if you mean it",
            );
        }
    }
    for (tool, value) in object_entries(settings, ELIGIBLE, "tool(*)", rules) {
        let from = format!("{ELIGIBLE}: {tool:?}: {value}");
        if value == Value::Bool(false) {
            rules.take(&Entry::new(Effect::Ask, &from, ["*"]), tool_patterns(&tool));
        }
    }
    let list = Entry::new(Effect::Deny, NETWORK_DENIED, ["fetch(*)"]);
    for host in text_items(settings.get(NETWORK_DENIED), &list, rules) {
        let from = format!("{NETWORK_DENIED}: {host}");
        rules.take(&Entry::new(Effect::Deny, &from, ["fetch(*)"]), host_patterns(host));
    }
    if let Some(access) = settings.get(MCP_ACCESS).filter(|access| access.as_str() == Some("none")) {
        let from = format!("{MCP_ACCESS}: {access}");
        rules.take(&Entry::new(Effect::Deny, &from, ["mcp(*/*)"]), Ok(vec!["mcp(*/*)".to_owned()]));
    }
    name_others(settings, rules);
    Ok(())
}

/// What VS Code asks about by itself, as far as an approval that was carried over could be about it.
fn ask_about_commands(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    if settings.get("chat.tools.terminal.ignoreDefaultAutoApproveRules") == Some(&Value::Bool(true)) {
        return;
    }
    let Some(entries) = settings.get(TERMINAL).and_then(Value::as_object) else { return };
    let approves =
        |value: &Value| *value == Value::Bool(true) || value.get("approve") == Some(&Value::Bool(true));
    let approved: Vec<&str> =
        entries.iter().filter(|(_, value)| approves(value)).map(|(key, _)| key.as_str()).collect();
    for (program, key) in vscode_defaults::asked_commands(&approved) {
        if entries.contains_key(key) {
            continue;
        }
        let from = format!("{TERMINAL}: {key:?}: false, which VS Code says by itself");
        let found = match regexes::split_regex(key) {
            Some((source, flags)) => regex_key_patterns(source, flags, Effect::Ask),
            None => prefix_patterns(key, Effect::Ask),
        };
        rules.take(&Entry::new(Effect::Ask, &from, [beginning_pattern(program)]), found);
    }
}

/// The same of its edits, where all others are approved.
fn ask_about_edits(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let Some(entries) = settings.get(EDITS).and_then(Value::as_object) else { return };
    if entries.get(vscode_defaults::EVERY_FILE) != Some(&Value::Bool(true)) {
        return;
    }
    for key in vscode_defaults::ASKED_FILES.iter().filter(|key| !entries.contains_key(**key)) {
        let from = format!("{EDITS}: {key:?}: false, which VS Code says by itself");
        rules.take(&Entry::new(Effect::Ask, &from, ["write(**)"]), Ok(change_patterns(key, Effect::Ask)));
    }
}

/// A tool of VS Code's own, also by the set that it is in: `execute/runInTerminal`.
fn tool_patterns(tool: &str) -> Result<Vec<String>, SkipReason> {
    let name = tool.rsplit('/').next().unwrap_or(tool);
    if !Names::is_plain(name) {
        return Err("no tool is called like that".to_owned());
    }
    let also = match name {
        "runInTerminal" | "runTask" | "createAndRunTask" | "runTests" => Some("shell(*)"),
        "fetch" => Some("fetch(*)"),
        "editFiles" | "createFile" | "createDirectory" | "editNotebook" => Some("write(**)"),
        _ => None,
    };
    Ok(std::iter::once(format!("tool({name})")).chain(also.map(str::to_owned)).collect())
}

/// Settings of chat that are not known here and speak of permissions.
fn name_others(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let mut known: Vec<&str> = OLDER_TERMINAL.iter().map(|(name, _)| *name).collect();
    known.extend([TERMINAL, EDITS, URLS, ELIGIBLE, NETWORK_DENIED, "chat.tools.autoApprove"]);
    known.extend([
        "chat.tools.global.autoApprove",
        "chat.tools.terminal.enableAutoApprove",
        "chat.tools.terminal.ignoreDefaultAutoApproveRules",
        "chat.tools.terminal.autoApproveWorkspaceNpmScripts",
    ]);
    let of_chat = |key: &str| key.starts_with("chat.") || key.starts_with("github.copilot.");
    let chat: Map<String, Value> = settings
        .iter()
        .filter(|(key, _)| of_chat(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    name_permission_keys(&chat, &known, "", rules);
    // Of other agents.
    let others: Map<String, Value> = settings
        .iter()
        .filter(|(key, _)| !of_chat(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    name_denials(&others, &[], rules);
}

/// The entries of a setting: by name, or a list of names that are all true.
fn object_entries(
    settings: &Map<String, Value>,
    key: &str,
    scope: &str,
    rules: &mut RuleCollector<'_>,
) -> Vec<(String, Value)> {
    let list = Entry::new(Effect::Ask, key, [scope]);
    match settings.get(key) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(map)) => map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        Some(items @ Value::Array(_)) => text_items(Some(items), &list, rules)
            .into_iter()
            .map(|name| (name.to_owned(), Value::Bool(true)))
            .collect(),
        Some(other) => {
            let from = format!("{key}: {other}");
            rules.take(&Entry::new(Effect::Ask, &from, [scope]), Err("this is not an object".to_owned()));
            Vec::new()
        }
    }
}

fn read_terminal_entry(
    name: &str,
    key: &str,
    value: &Value,
    (approves, off): (bool, bool),
    rules: &mut RuleCollector<'_>,
) {
    let from = format!("{name}: {key:?}: {value}");
    let unclear = Entry::new(Effect::Ask, &from, [beginning_pattern(key)]);
    let (approve, whole) = match value {
        Value::Null => {
            return rules
                .leave_out(&from, "null takes back a default of VS Code, and mayi has no such defaults");
        }
        Value::Bool(false) if !approves => return,
        Value::Bool(is) => (*is == approves, false),
        Value::Object(of) => {
            let whole = of.get("matchCommandLine").and_then(Value::as_bool).unwrap_or(false);
            match of.get("approve") {
                Some(Value::Bool(approve)) => (*approve, whole),
                _ => return rules.take(&unclear, Err("it does not say whether it approves".to_owned())),
            }
        }
        _ => return rules.take(&unclear, Err("it is neither true nor false".to_owned())),
    };
    if approve && off {
        return rules.leave_out(
            &from,
            "`chat.tools.terminal.enableAutoApprove` is false, so it has no effect there either",
        );
    }
    if whole && approve {
        return rules.leave_out(
            &from,
            "it is about whole lines (`matchCommandLine`), and mayi judges each command of a line by itself",
        );
    }
    if key.trim().is_empty() {
        return rules.leave_out(&from, "an empty one is about nothing there");
    }
    let effect = if approve { Effect::Allow } else { Effect::Ask };
    let (found, scope) = match regexes::split_regex(key) {
        Some((source, flags)) => {
            (regex_key_patterns(source, flags, effect), regexes::wider_pattern(source, flags.contains('i')))
        }
        None => (prefix_patterns(key, effect), beginning_pattern(key)),
    };
    rules.take(&Entry::new(effect, &from, [scope]), found);
    // The same over several commands.
    if let Some((source, flags)) =
        regexes::split_regex(key).filter(|(source, _)| whole && regexes::crosses_commands(source))
    {
        let scope = regexes::line_pattern(source, flags.contains('i'));
        rules.ask_instead(&Entry::new(effect, &from, [scope]), regexes::SEVERAL);
    }
}

fn regex_key_patterns(source: &str, flags: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if let Some(flag) = flags.chars().find(|c| !"giu".contains(*c)) {
        return Err(format!("the flag `{flag}` has no counterpart"));
    }
    let ignore_case = flags.contains('i');
    regexes::regex_patterns(source, ignore_case, effect)
}

/// A plain key is the beginning of the command, up to the end of a word.
fn prefix_patterns(key: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if key.contains('*') {
        return Err("`*` is a plain character there, and a wildcard here".to_owned());
    }
    // A folder: each program in it.
    if effect == Effect::Allow && key.ends_with('/') {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./~".contains(c);
        return match key.chars().all(plain) {
            true => Ok(vec![format!("shell({key}* *)")]),
            false => Err("a folder like that has no certain counterpart".to_owned()),
        };
    }
    let found = command_patterns(key, PatternTail::Words, effect)?;
    if effect == Effect::Allow || !key.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(found);
    }
    if first_operator(key).is_some() {
        // A whole line, and whatever goes on from there.
        let lines = found.iter().filter_map(|pattern| pattern.strip_suffix(" *)"));
        return Ok(lines.map(|line| format!("{line}*)")).collect());
    }
    // `rm` is about `rm-all` and `rm.sh` there too.
    Ok(vec![format!("shell(/{START}{}(?-u:\\b)/)", regex::escape(key.trim()))])
}

fn read_edit_entry(key: &str, value: &Value, rules: &mut RuleCollector<'_>) {
    let from = format!("{EDITS}: {key:?}: {value}");
    let Some(approve) = value.as_bool() else {
        let entry = Entry::new(Effect::Ask, &from, ["write(**)"]);
        return rules.take(&entry, Err("it is neither true nor false".to_owned()));
    };
    let effect = if approve { Effect::Allow } else { Effect::Ask };
    let entry = Entry::new(effect, &from, ["write(**)"]);
    let escapes = key.contains("..") || key.contains('\\') || key.starts_with('!');
    if key.is_empty() || escapes {
        return rules.take(&entry, Err("a path like that has no certain counterpart".to_owned()));
    }
    // Alternatives in braces are the same here; what is not absolute is about the workspace.
    let path = match (approve, key.strip_prefix("**/")) {
        _ if key.starts_with('/') || key.starts_with('~') => key.to_owned(),
        (true, Some("*")) => "./**".to_owned(),
        (false, Some("*")) => "**".to_owned(),
        (false, Some(_)) => key.to_owned(),
        _ => format!("./{key}"),
    };
    rules.take(&entry, Ok(change_patterns(&path, effect)));
}

fn read_url_entry(key: &str, value: &Value, rules: &mut RuleCollector<'_>) {
    let from = format!("{URLS}: {key:?}: {value}");
    let unclear = Entry::new(Effect::Ask, &from, ["fetch(*)"]);
    let (request, response) = match value {
        Value::Bool(approve) => (*approve, *approve),
        Value::Object(of) => {
            let flag = |key: &str| match of.get(key) {
                None => Some(false),
                Some(Value::Bool(is)) => Some(*is),
                // A list of addresses by itself.
                Some(_) => None,
            };
            match (flag("approveRequest"), flag("approveResponse")) {
                (Some(request), Some(response)) => (request, response),
                _ => {
                    return rules
                        .take(&unclear, Err("a list of approvals in it has no counterpart".to_owned()));
                }
            }
        }
        _ => return rules.take(&unclear, Err("it is neither true nor false".to_owned())),
    };
    if request && !response {
        return rules
            .leave_out(&from, "there what comes back is still asked about, and mayi asks once, before");
    }
    let effect = if request { Effect::Allow } else { Effect::Ask };
    let (scheme, rest) = match key.split_once("://") {
        Some((scheme @ ("http" | "https"), rest)) => (Some(scheme), rest),
        Some(_) => {
            let entry = Entry::new(effect, &from, ["fetch(*)"]);
            return rules.take(&entry, Err("it is neither http nor https".to_owned()));
        }
        None => (None, key),
    };
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let found = match effect {
        // What is asked about, is for the whole host: that is more.
        Effect::Ask => format!("fetch({})", host.strip_prefix("*.").unwrap_or(host)),
        _ => match (scheme, rest.len() > host.len()) {
            (Some(scheme), true) => format!("fetch({scheme}://{rest})"),
            (Some(scheme), false) => format!("fetch({scheme}://{host}/)"),
            (None, false) => format!("fetch({host})"),
            (None, true) => format!("fetch(https://{rest})"),
        },
    };
    rules.take(&Entry::new(effect, &from, ["fetch(*)"]), Ok(vec![found]));
}
