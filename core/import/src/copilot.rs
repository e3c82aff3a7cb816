//! Copilot's command line program: what was approved for good (`permissions-config.json`), and the addresses, paths and hosts of its
//! `settings.json`, or of an older `config.json`. A denial comes before an allow.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::collector::{Entry, RuleCollector, SkipReason, text_items};
use super::jsonc;
use super::paths::{change_patterns, host_patterns};
use super::unknown::{name_all_keys, name_permission_keys};
use super::words::{PatternTail, command_patterns};
use mayi_call::Names;
use mayi_policy::Effect;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    match settings.get("locations") {
        None | Some(Value::Null) => {}
        Some(Value::Object(locations)) => {
            for (folder, approvals) in locations {
                read_location(folder, approvals, rules);
            }
        }
        Some(_) => return Err("has `locations` that are not an object".to_owned()),
    }
    read_urls(settings, rules);
    read_sandbox(settings, rules);
    for server in text_items(
        settings.get("disabledMcpServers"),
        &Entry::new(Effect::Deny, "disabledMcpServers", ["mcp(*/*)"]),
        rules,
    ) {
        let from = format!("disabledMcpServers: {server}");
        let found = match Names::is_plain(server) {
            true => Ok(vec![format!("mcp({server}/*)")]),
            false => Err("no server can be called like that".to_owned()),
        };
        rules.take(&Entry::new(Effect::Deny, &from, ["mcp(*/*)"]), found);
    }
    for key in ["trusted_folders", "trustedFolders"] {
        if settings.get(key).is_some() {
            rules.leave_out(key, "which folders are trusted stays so in Copilot itself");
        }
    }
    if let Some(permissions) = settings.get("permissions").and_then(Value::as_object) {
        for (key, value) in permissions.iter().filter(|(key, _)| *key == "disableBypassPermissionsMode") {
            let from = format!("permissions.{key}: {value}");
            rules.leave_out(
                &from,
                "this is not a rule: mayi has `mode`, `mayi bypass` and `--cwd` for the like",
            );
        }
        name_all_keys(permissions, &["disableBypassPermissionsMode"], "permissions.", rules);
    }
    let known = [
        "locations",
        "allowedUrls",
        "allowed_urls",
        "deniedUrls",
        "denied_urls",
        "sandbox",
        "disabledMcpServers",
        "trusted_folders",
        "trustedFolders",
        "permissions",
    ];
    name_permission_keys(settings, &known, "", rules);
    Ok(())
}

/// What was approved for work in one folder: rules for that folder alone.
fn read_location(folder: &str, approvals: &Value, rules: &mut RuleCollector<'_>) {
    let from = format!("locations.{folder:?}");
    let path = Path::new(folder);
    if !path.is_absolute() {
        return rules.leave_out(&from, "it is no whole path of this system");
    }
    rules.for_workspace(PathBuf::from(folder), |rules| {
        for approval in approvals.get("tool_approvals").and_then(Value::as_array).into_iter().flatten() {
            let from = format!("{from}: {approval}");
            for found in approval_patterns(approval) {
                rules.take(&Entry::new(Effect::Allow, &from, [""; 0]), found);
            }
        }
        let named = format!("{from}.allowed_directories");
        let list = Entry::new(Effect::Allow, &named, [""; 0]);
        for folder in text_items(approvals.get("allowed_directories"), &list, rules) {
            rules.add_folder(folder, &format!("{named}: {folder}"));
        }
        if let Some(map) = approvals.as_object() {
            name_all_keys(map, &["tool_approvals", "allowed_directories"], &format!("{from}."), rules);
        }
    });
}

fn approval_patterns(approval: &Value) -> Vec<Result<Vec<String>, SkipReason>> {
    let text = |key: &str| approval.get(key).and_then(Value::as_str);
    match text("kind") {
        Some("commands") => {
            let items = approval.get("commandIdentifiers").and_then(Value::as_array);
            items
                .into_iter()
                .flatten()
                .map(|item| command_pattern(item.as_str().unwrap_or_default()))
                .collect()
        }
        Some("read") => vec![Ok(vec!["read(./**)".to_owned()])],
        Some("write") => vec![Ok(change_patterns("./**", Effect::Allow))],
        Some("mcp") => {
            let tool = match approval.get("toolName") {
                Some(Value::Null) => Some("*"),
                Some(tool) => tool.as_str().filter(|tool| Names::is_plain(tool)),
                None => None,
            };
            let server = text("serverName").filter(|server| Names::is_plain(server));
            vec![match (server, tool) {
                (Some(server), Some(tool)) => Ok(vec![format!("mcp({server}/{tool})")]),
                _ => Err("no server and tool can be called like that".to_owned()),
            }]
        }
        Some(kind) => vec![Err(format!("what {kind} allows has no counterpart"))],
        None => vec![Err("it does not say what kind it is".to_owned())],
    }
}

/// `git status` is just that, `git:*` any command that begins so; nothing else is a wildcard.
fn command_pattern(text: &str) -> Result<Vec<String>, SkipReason> {
    let (words, tail) = match text.strip_suffix(":*") {
        Some(words) => (words, PatternTail::Words),
        None => (text, PatternTail::Written),
    };
    if words.trim().is_empty() || words.contains('*') {
        return Err("`*` is a plain character there, and a wildcard here".to_owned());
    }
    command_patterns(words, tail, Effect::Allow)
}

fn read_urls(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    for (key, effect) in [
        ("deniedUrls", Effect::Deny),
        ("denied_urls", Effect::Deny),
        ("allowedUrls", Effect::Allow),
        ("allowed_urls", Effect::Allow),
    ] {
        for url in text_items(settings.get(key), &Entry::new(effect, key, ["fetch(*)"]), rules) {
            let from = format!("{key}: {url}");
            rules.take(&Entry::new(effect, &from, ["fetch(*)"]), url_patterns(url, effect));
        }
    }
}

/// An address, or a host with `*.` before it. To deny, the host as a whole.
fn url_patterns(url: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme @ ("http" | "https"), rest)) => (Some(scheme), rest),
        Some(_) => return Err("it is neither http nor https".to_owned()),
        None => (None, url),
    };
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    if effect != Effect::Allow {
        return host_patterns(host);
    }
    Ok(vec![match (scheme, rest.len() > host.len()) {
        (Some(scheme), true) => format!("fetch({scheme}://{rest})"),
        (Some(scheme), false) => format!("fetch({scheme}://{host}/)"),
        (None, false) => format!("fetch({host})"),
        (None, true) => format!("fetch(https://{rest})"),
    }])
}

fn read_sandbox(settings: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let Some(sandbox) = settings.get("sandbox").and_then(Value::as_object) else { return };
    let policy = sandbox.get("userPolicy");
    let from = "sandbox.userPolicy.filesystem.deniedPaths";
    let scope = ["read(**)", "write(**)"];
    let paths = policy.and_then(|policy| policy.pointer("/filesystem/deniedPaths"));
    for path in text_items(paths, &Entry::new(Effect::Deny, from, scope), rules) {
        let from = format!("{from}: {path}");
        let plain = !path.contains("..") && !path.contains(['\\', '!', '*', '?', '[', '{']);
        let found = match plain && (path.starts_with('/') || path.starts_with("~/")) {
            true => Ok(vec![format!("read({path})"), format!("write({path})")]),
            false if plain && !path.is_empty() => {
                let path = path.trim_start_matches("./");
                Ok(vec![format!("read(./{path})"), format!("write(./{path})")])
            }
            false => Err("a path like that has no certain counterpart".to_owned()),
        };
        rules.take(&Entry::new(Effect::Deny, &from, scope), found);
    }
    let from = "sandbox.userPolicy.network.blockedHosts";
    let hosts = policy.and_then(|policy| policy.pointer("/network/blockedHosts"));
    for host in text_items(hosts, &Entry::new(Effect::Deny, from, ["fetch(*)"]), rules) {
        let from = format!("{from}: {host}");
        rules.take(&Entry::new(Effect::Deny, &from, ["fetch(*)"]), host_patterns(host));
    }
    for block in ["filesystem", "network"] {
        let map = policy.and_then(|policy| policy.get(block)?.as_object());
        for (key, value) in map.into_iter().flatten() {
            let from = format!("sandbox.userPolicy.{block}.{key}: {value}");
            match key.as_str() {
                "deniedPaths" | "blockedHosts" => {}
                key if key.starts_with("den") || key.starts_with("block") => {
                    rules.lose_denial(&from, "it is not known here: write what you mean as a rule");
                }
                _ => rules.leave_out(&from, "mayi is no sandbox: it judges what is asked for"),
            }
        }
    }
    name_all_keys(sandbox, &["userPolicy", "enabled"], "sandbox.", rules);
}
