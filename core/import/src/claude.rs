//! Claude Code: `permissions` and `sandbox` of `.claude/settings.json`. Its deny, ask and allow are the strictest first, as
//! here. Qwen Code has the same form with other names, and reads some of it otherwise.

use serde_json::{Map, Value};

use super::collector::{Entry, RuleCollector, SkipReason, text_items};
use super::jsonc;
use super::paths::{self, change_patterns, convert_gitignore};
use super::unknown::{name_all_keys, name_permission_keys};
use super::words::{PatternTail, beginning_pattern, command_patterns};
use mayi_call::Names;
use mayi_policy::Effect;
use mayi_policy::aliases::tool_names;

const NOT_A_RULE: &str = "this is not a rule: mayi has `mode`, `mayi bypass` and `--cwd` for the like";

/// Whose names and readings count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// Claude Code.
    Claude,
    /// Qwen Code: a command without a wildcard is the beginning of one, and hosts stand without `domain:`.
    Qwen,
}

/// What a tool does, as far as its rules go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolKind {
    Runs,
    Reads,
    /// Looks into files: judged here by what it reads.
    Looks,
    Changes,
    Fetches,
    Other,
}

impl Grammar {
    fn kind_of(self, tool: &str) -> ToolKind {
        match (tool, self) {
            ("Bash", _) | ("run_shell_command" | "Shell" | "ShellTool", Self::Qwen) => ToolKind::Runs,
            ("Read", _) | ("read_file" | "ReadFile" | "ReadFileTool", Self::Qwen) => ToolKind::Reads,
            ("Glob" | "Grep" | "LS" | "NotebookRead", _) => ToolKind::Looks,
            (
                "grep_search"
                | "GrepTool"
                | "search_file_content"
                | "SearchFiles"
                | "glob"
                | "GlobTool"
                | "FindFiles"
                | "list_directory"
                | "ListFiles"
                | "ListFilesTool"
                | "ReadFolder",
                Self::Qwen,
            ) => ToolKind::Looks,
            ("Edit" | "Write" | "MultiEdit" | "NotebookEdit", _) => ToolKind::Changes,
            ("edit" | "EditTool" | "replace" | "write_file" | "WriteFile" | "WriteFileTool", Self::Qwen) => {
                ToolKind::Changes
            }
            ("WebFetch", _) | ("web_fetch" | "WebFetchTool", Self::Qwen) => ToolKind::Fetches,
            _ => ToolKind::Other,
        }
    }
}

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    read_permissions(settings, Grammar::Claude, rules)?;
    match settings.get("sandbox") {
        None | Some(Value::Null) => {}
        Some(Value::Object(sandbox)) => read_sandbox(sandbox, rules),
        Some(_) => return Err("has a `sandbox` that is not an object".to_owned()),
    }
    read_servers(settings, rules);
    name_all_keys_of(settings, "autoMode", rules);
    name_permission_keys(
        settings,
        &["permissions", "sandbox", "autoMode", "disabledMcpjsonServers", "deniedMcpServers"],
        "",
        rules,
    );
    Ok(())
}

fn name_all_keys_of(settings: &Map<String, Value>, key: &str, rules: &mut RuleCollector<'_>) {
    if let Some(block) = settings.get(key).and_then(Value::as_object) {
        for (name, value) in block {
            let from = format!("{key}.{name}: {value}");
            let why = "this is prose for a classifier, and mayi goes by rules: write what you mean as one";
            if name.contains("deny") { rules.lose_denial(&from, why) } else { rules.leave_out(&from, why) }
        }
    }
}

/// `permissions`, of either program.
pub(super) fn read_permissions(
    settings: &Map<String, Value>,
    grammar: Grammar,
    rules: &mut RuleCollector<'_>,
) -> Result<(), String> {
    let permissions = match settings.get("permissions") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(permissions)) => permissions,
        Some(_) => return Err("has `permissions` that are not an object".to_owned()),
    };
    for (key, effect) in [("deny", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)] {
        let from = format!("permissions.{key}");
        let list = Entry::new(effect, &from, ["*"]);
        for text in text_items(permissions.get(key), &list, rules) {
            read_rule(text, effect, &format!("{from}: {text}"), grammar, rules);
        }
    }
    for (key, value) in permissions {
        let from = format!("permissions.{key}: {value}");
        match (key.as_str(), value) {
            ("deny" | "ask" | "allow", _) => {}
            ("defaultMode", Value::String(mode)) => default_mode(mode, &from, rules),
            ("additionalDirectories", _) => {
                let list = Entry::new(Effect::Allow, "permissions.additionalDirectories", [""; 0]);
                for folder in text_items(Some(value), &list, rules) {
                    rules.add_folder(folder, &format!("permissions.additionalDirectories: {folder}"));
                }
            }
            ("defaultMode", _) => rules.leave_out(&from, "this is not a text"),
            ("disableBypassPermissionsMode" | "disableAutoMode", _) => rules.leave_out(&from, NOT_A_RULE),
            _ => {}
        }
    }
    let known = [
        "deny",
        "ask",
        "allow",
        "defaultMode",
        "additionalDirectories",
        "disableBypassPermissionsMode",
        "disableAutoMode",
    ];
    name_all_keys(permissions, &known, "permissions.", rules);
    Ok(())
}

fn default_mode(mode: &str, from: &str, rules: &mut RuleCollector<'_>) {
    match mode {
        "default" | "manual" => {}
        "acceptEdits" => {
            let entry = Entry::new(Effect::Allow, from, ["write(./**)"]);
            rules.take(&entry, Ok(change_patterns("./**", Effect::Allow)));
        }
        "plan" => rules.leave_out(from, "write `mode = \"plan\"` at the top of the file, or say --mode plan"),
        "auto" => rules.leave_out(
            from,
            "there a model judges what is not allowed: mayi goes by rules, and `mode = \"auto\"` at the top of the file allows what \
             no rule asks about or denies, if you mean that",
        ),
        "bypassPermissions" => {
            rules.leave_out(from, "if you mean it, `mayi bypass claude on` lets the agent act without asking")
        }
        "dontAsk" => rules.leave_out(from, "`mayi run --on-ask deny` denies what would be asked about"),
        _ => rules.leave_out(from, "this mode is not known"),
    }
}

/// `sandbox`: what sandboxed commands may not read, write or reach is denied to everything here.
fn read_sandbox(sandbox: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    type Translate = fn(&str, &RuleCollector<'_>) -> Result<Vec<String>, SkipReason>;
    let denials: [(&str, &str, &str, Translate); 3] = [
        ("filesystem", "denyRead", "read(**)", |path, rules| sandbox_patterns("read", path, rules)),
        ("filesystem", "denyWrite", "write(**)", |path, rules| sandbox_patterns("write", path, rules)),
        ("network", "deniedDomains", "fetch(*)", |host, _| paths::host_patterns(host)),
    ];
    for (block, key, scope, translate) in denials {
        let from = format!("sandbox.{block}.{key}");
        let list = Entry::new(Effect::Deny, &from, [scope]);
        let items = sandbox.get(block).and_then(|block| block.get(key));
        for text in text_items(items, &list, rules) {
            let from = format!("{from}: {text}");
            let found = translate(text, rules);
            rules.take(&Entry::new(Effect::Deny, &from, [scope]), found);
        }
    }
    for (block, known) in [("filesystem", &["denyRead", "denyWrite"][..]), ("network", &["deniedDomains"])] {
        let map = match sandbox.get(block) {
            None | Some(Value::Null) => continue,
            Some(Value::Object(map)) => map,
            Some(other) => {
                rules.lose_denial(&format!("sandbox.{block}: {other}"), "this is not an object");
                continue;
            }
        };
        for (key, value) in map.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            let from = format!("sandbox.{block}.{key}: {value}");
            match key.as_str() {
                "allowWrite" => rules.leave_out(
                    &from,
                    "mayi is no sandbox: name folders to work in as `folders` under [workspace], with `mayi run --add-dir` for once",
                ),
                "allowRead" => {
                    rules.leave_out(&from, "an exception to a denial is written as `unless` of that rule")
                }
                "allowedDomains" => rules.leave_out(
                    &from,
                    "it is about what the sandbox lets through: `fetch(host)` is about an agent's own fetching, and mayi asks about \
                     every other host",
                ),
                key if key.starts_with("deny") || key.starts_with("block") => {
                    rules.lose_denial(&from, "it is not known here: write what you mean as a rule")
                }
                _ => rules.leave_out(&from, "mayi is no sandbox: it judges what is asked for"),
            }
        }
    }
    for (key, value) in sandbox.iter().filter(|(key, _)| !["filesystem", "network"].contains(&key.as_str())) {
        match key.as_str() {
            "enabled" => {}
            "autoAllowBashIfSandboxed"
            | "excludedCommands"
            | "allowUnsandboxedCommands"
            | "failIfUnavailable" => {
                let from = format!("sandbox.{key}: {value}");
                rules.leave_out(&from, "mayi is no sandbox: it judges each command by your rules");
            }
            _ => {
                let one = Map::from_iter([(key.clone(), value.clone())]);
                name_all_keys(&one, &[], "sandbox.", rules);
            }
        }
    }
}

/// A path of the sandbox: a name is one in the folder that is worked in, or beside the settings, and wildcards may stand in it.
fn sandbox_patterns(
    selector: &str,
    path: &str,
    rules: &RuleCollector<'_>,
) -> Result<Vec<String>, SkipReason> {
    let mut paths = convert_gitignore(path, rules.file, Effect::Deny)?;
    // Here a path with one slash may be a whole one, too.
    if path.starts_with('/') && !path.starts_with("//") {
        paths.extend(convert_gitignore(&format!("/{path}"), rules.file, Effect::Deny)?);
    }
    paths.dedup();
    Ok(paths.iter().map(|path| format!("{selector}({path})")).collect())
}

/// Servers that were turned down.
fn read_servers(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let names = |value: &Value| -> Option<String> {
        value.as_str().or_else(|| value.get("serverName")?.as_str()).map(str::to_owned)
    };
    for key in ["disabledMcpjsonServers", "deniedMcpServers"] {
        for value in settings.get(key).and_then(Value::as_array).into_iter().flatten() {
            let from = format!("{key}: {value}");
            let found = match names(value).filter(|name| Names::is_plain(name)) {
                Some(name) => Ok(vec![format!("mcp({name}/*)")]),
                None => Err("a server is denied by its name here: `mcp(server/*)`".to_owned()),
            };
            rules.take(&Entry::new(Effect::Deny, &from, ["mcp(*/*)"]), found);
        }
    }
}

/// `Tool(argument)`, or the tool alone.
///
/// # Errors
/// If its parenthesis is not closed.
pub(super) fn split_rule(text: &str) -> Result<(&str, Option<&str>), SkipReason> {
    match text.trim().split_once('(') {
        None => Ok((text.trim(), None)),
        Some((tool, rest)) => {
            let argument = rest.strip_suffix(')').ok_or("its parenthesis is not closed")?.trim();
            // `Tool(*)` is `Tool`.
            Ok((tool.trim(), Some(argument).filter(|argument| !argument.is_empty() && *argument != "*")))
        }
    }
}

fn read_rule(text: &str, effect: Effect, from: &str, grammar: Grammar, rules: &mut RuleCollector<'_>) {
    let (tool, argument) = match split_rule(text) {
        Ok(parts) => parts,
        Err(why) => {
            // What is in it may be anything, and the tool is known.
            let (tool, rest) = text.trim().split_once('(').unwrap_or((text, ""));
            let scope = tool_scope(tool.trim(), Some(rest), grammar);
            return rules.take(&Entry::new(effect, from, scope), Err(why));
        }
    };
    let entry = Entry::new(effect, from, tool_scope(tool, argument, grammar));
    let kind = grammar.kind_of(tool);
    // A denial without what is taken out of it denies more.
    if matches!(kind, ToolKind::Reads | ToolKind::Looks | ToolKind::Changes)
        && argument.is_some_and(|argument| argument.starts_with('!'))
    {
        return rules.leave_out(from, "`!` takes something out, which only `unless` of a rule does here");
    }
    let path = |argument: Option<&str>| match argument {
        Some(argument) => convert_gitignore(argument, rules.file, effect),
        None => Ok(vec!["**".to_owned()]),
    };
    let found = match kind {
        ToolKind::Runs => bash_patterns(argument.unwrap_or("*"), effect, grammar),
        ToolKind::Looks if effect == Effect::Allow => {
            Err("looking into files is judged by what is read: see read(...)".to_owned())
        }
        ToolKind::Reads | ToolKind::Looks => {
            path(argument).map(|paths| paths.iter().map(|path| format!("read({path})")).collect())
        }
        ToolKind::Changes => {
            path(argument).map(|paths| paths.iter().flat_map(|path| change_patterns(path, effect)).collect())
        }
        ToolKind::Fetches => fetch_patterns(argument, effect, grammar),
        ToolKind::Other => other_patterns(tool, argument, effect),
    };
    if found.is_ok()
        && argument.is_some_and(never_writes)
        && kind == ToolKind::Changes
        && effect == Effect::Allow
    {
        rules.note_difference(
            from,
            "a change outside of the folders that are worked in is asked about all the same: name the folder as one of `folders` under \
             [workspace]",
        );
    }
    rules.take(&entry, found);
}

/// Whether a path of an allow lies outside of the folder that is worked in, as it is written.
fn never_writes(path: &str) -> bool {
    path.starts_with("//") || path.starts_with("~/")
}

/// All that a rule about `tool` could be about.
fn tool_scope(tool: &str, argument: Option<&str>, grammar: Grammar) -> Vec<String> {
    match grammar.kind_of(tool) {
        ToolKind::Runs => {
            let argument = argument.unwrap_or("*");
            let prefix = argument.strip_suffix(":*").map(|prefix| format!("{prefix} *"));
            vec![beginning_pattern(prefix.as_deref().unwrap_or(argument))]
        }
        ToolKind::Reads | ToolKind::Looks => vec!["read(**)".to_owned()],
        ToolKind::Changes => vec!["write(**)".to_owned()],
        ToolKind::Fetches => vec!["fetch(*)".to_owned()],
        ToolKind::Other if tool.starts_with("mcp__") => {
            mcp_patterns(tool, Effect::Ask).unwrap_or_else(|_| vec!["mcp(*/*)".to_owned()])
        }
        ToolKind::Other if !tool.is_empty() && Names::is_plain(tool) => {
            tool_names(tool).iter().map(|name| format!("tool({name})")).collect()
        }
        // Nothing is called like that.
        ToolKind::Other => Vec::new(),
    }
}

fn other_patterns(tool: &str, argument: Option<&str>, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if tool.starts_with("mcp__") {
        return match argument {
            Some(_) => {
                Err("conditions on arguments of an MCP tool are written as `args` of a rule".to_owned())
            }
            None => mcp_patterns(tool, effect),
        };
    }
    if tool == "*" && effect != Effect::Allow {
        return Ok(vec!["*".to_owned()]);
    }
    if tool.is_empty() || !Names::is_plain(tool) {
        return Err("no tool is called like that".to_owned());
    }
    if argument.is_some() {
        return Err(format!("what is in the parentheses of {tool} is not known here"));
    }
    if effect == Effect::Allow {
        return Err(format!("what {tool} touches is not known: write `tool({tool})` if you mean it"));
    }
    // Also by its older and newer names.
    Ok(tool_names(tool).iter().map(|name| format!("tool({name})")).collect())
}

/// `npm run test:*` is a prefix of words, `git * main` has wildcards, anything else is the whole command.
fn bash_patterns(text: &str, effect: Effect, grammar: Grammar) -> Result<Vec<String>, SkipReason> {
    match text.strip_suffix(":*") {
        Some(prefix) if prefix.contains('*') && effect == Effect::Allow => {
            Err("`*` before `:*` has no certain meaning".to_owned())
        }
        Some(prefix) => command_patterns(prefix, PatternTail::Words, effect),
        None if grammar == Grammar::Qwen && !text.contains('*') => {
            command_patterns(text, PatternTail::Words, effect)
        }
        None => command_patterns(text, PatternTail::Written, effect),
    }
}

fn fetch_patterns(
    argument: Option<&str>,
    effect: Effect,
    grammar: Grammar,
) -> Result<Vec<String>, SkipReason> {
    let Some(argument) = argument else { return Ok(vec!["fetch(*)".to_owned()]) };
    let host = match (argument.strip_prefix("domain:"), grammar) {
        (Some(host), _) => host,
        (None, Grammar::Qwen) => argument,
        (None, Grammar::Claude) => return Err("only `domain:` is known in it".to_owned()),
    };
    match effect {
        Effect::Allow => paths::exact_host_pattern(host.trim()).map(|pattern| vec![pattern]),
        _ => paths::host_patterns(host.trim()),
    }
}

/// `mcp__server__tool`: where the name can be split in several ways, a denial is about every pair, and
/// there is no allow.
pub(super) fn mcp_patterns(name: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let rest = name.strip_prefix("mcp__").unwrap_or(name);
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-*".contains(&b))
    };
    let mut pairs: Vec<(&str, &str)> = rest
        .match_indices("__")
        .map(|(at, _)| (rest.get(..at).unwrap_or_default(), rest.get(at + 2..).unwrap_or_default()))
        .filter(|(server, tool)| plain(server) && plain(tool))
        .collect();
    if !rest.contains("__") {
        pairs.push((rest, "*"));
    } else if effect != Effect::Allow && plain(rest) {
        // The server could be called so itself.
        pairs.push((rest, "*"));
    }
    match pairs.as_slice() {
        [] => Err("no server and tool can be called like that".to_owned()),
        [(server, tool)] if plain(server) && plain(tool) => {
            if effect == Effect::Allow && server.contains('*') {
                return Err("it would allow tools of any server".to_owned());
            }
            Ok(vec![format!("mcp({server}/{tool})")])
        }
        [_] => Err("no server and tool can be called like that".to_owned()),
        _ if effect == Effect::Allow => Err(
            "it is not certain where the server's name ends and the tool's begins: write `mcp(server/tool)`"
                .to_owned(),
        ),
        all => Ok(all.iter().map(|(server, tool)| format!("mcp({server}/{tool})")).collect()),
    }
}
