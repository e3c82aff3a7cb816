//! What of Codex's `config.toml` is like a rule.

use serde_json::{Map, Value};

use super::collector::{Entry, RuleCollector, SkipReason, text_items};
use super::paths::host_patterns;
use super::unknown::{name_all_keys, name_permission_keys};
use mayi_call::Names;
use mayi_policy::Effect;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let table: toml::Table =
        toml::from_str(text).map_err(|error| format!("is not TOML: {}", error.message()))?;
    let table = serde_json::to_value(table).map_err(|error| error.to_string())?;
    let Some(table) = table.as_object() else { return Ok(()) };
    for (key, why) in [
        (
            "approval_policy",
            "when to ask is said by `mode` here; `mayi bypass codex on` lets it act without asking",
        ),
        (
            "sandbox_mode",
            "mayi is no sandbox: it judges what is asked for, and `mode = \"plan\"` denies everything but reading",
        ),
    ] {
        if let Some(value) = table.get(key) {
            rules.leave_out(&format!("{key} = {value}"), why);
        }
    }
    read_workspace_write(table, rules);
    read_permissions(table, rules)?;
    if let Some(servers) = table.get("mcp_servers").and_then(Value::as_object) {
        for (name, server) in servers {
            read_server(name, server, rules);
        }
    }
    for (name, profile) in table.get("profiles").and_then(Value::as_object).into_iter().flatten() {
        if let Some(profile) = profile.as_object() {
            for key in ["approval_policy", "sandbox_mode"] {
                if let Some(value) = profile.get(key) {
                    let why = "profiles are chosen when Codex is started: here `--mode` says when to ask";
                    rules.leave_out(&format!("profiles.{name}.{key} = {value}"), why);
                }
            }
            let known = ["approval_policy", "sandbox_mode"];
            name_permission_keys(profile, &known, &format!("profiles.{name}."), rules);
        }
    }
    for (name, app) in table.get("apps").and_then(Value::as_object).into_iter().flatten() {
        if let Some(app) = app.as_object() {
            name_all_keys(app, &[], &format!("apps.{name}."), rules);
        }
    }
    let known = [
        "approval_policy",
        "sandbox_mode",
        "sandbox_workspace_write",
        "default_permissions",
        "permissions",
        "mcp_servers",
        "profiles",
        "apps",
    ];
    name_permission_keys(table, &known, "", rules);
    Ok(())
}

fn read_workspace_write(table: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    let Some(block) = table.get("sandbox_workspace_write") else { return };
    let from = "sandbox_workspace_write.writable_roots";
    let list = Entry::new(Effect::Allow, from, [""; 0]);
    for folder in text_items(block.get("writable_roots"), &list, rules) {
        rules.add_folder(folder, &format!("{from}: {folder}"));
    }
    for (key, value) in block.as_object().into_iter().flatten().filter(|(key, _)| *key != "writable_roots") {
        let from = format!("sandbox_workspace_write.{key} = {value}");
        rules.leave_out(&from, "mayi is no sandbox: it judges what is asked for");
    }
}

/// `[permissions.NAME]`: the one that `default_permissions` names, with what it extends; without that, each of them.
fn read_permissions(table: &Map<String, Value>, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let chosen = table.get("default_permissions").and_then(Value::as_str);
    let profiles = match table.get("permissions") {
        None => return Ok(()),
        Some(Value::Object(profiles)) => profiles,
        Some(_) => return Err("has `permissions` that are not a table".to_owned()),
    };
    let mut in_force: Vec<&str> = chosen.into_iter().collect();
    while let Some(parent) = in_force
        .last()
        .and_then(|name| profiles.get(*name)?.get("extends")?.as_str())
        .filter(|parent| !in_force.contains(parent))
    {
        in_force.push(parent);
    }
    for (name, profile) in profiles {
        let prefix = format!("permissions.{name}");
        let Some(profile) = profile.as_object() else {
            rules.lose_denial(&format!("{prefix} = {profile}"), "this is not a table");
            continue;
        };
        if chosen.is_some() && !in_force.contains(&name.as_str()) {
            rules.leave_out(&prefix, "it is not the profile that `default_permissions` names");
            continue;
        }
        read_profile(&prefix, profile, rules);
    }
    Ok(())
}

fn read_profile(prefix: &str, profile: &Map<String, Value>, rules: &mut RuleCollector<'_>) {
    for key in ["filesystem", "network", "workspace_roots"] {
        if let Some(other) = profile.get(key).filter(|value| !value.is_object()) {
            rules.lose_denial(&format!("{prefix}.{key} = {other}"), "this is not a table");
        }
    }
    for (path, access) in profile.get("filesystem").and_then(Value::as_object).into_iter().flatten() {
        let from = format!("{prefix}.filesystem.{path:?}");
        match access {
            Value::Object(scoped) => {
                for (below, access) in scoped {
                    let from = format!("{from}.{below:?} = {access}");
                    read_access(scoped_path(path, below), access, &from, rules);
                }
            }
            access => read_access(whole_path(path), access, &format!("{from} = {access}"), rules),
        }
    }
    let network = profile.get("network").and_then(Value::as_object);
    for (host, access) in
        network.and_then(|network| network.get("domains")?.as_object()).into_iter().flatten()
    {
        let from = format!("{prefix}.network.domains.{host:?} = {access}");
        match access.as_str() {
            Some("allow") => rules.leave_out(
                &from,
                "it is about what the sandbox lets through: `fetch(host)` is about an agent's own fetching",
            ),
            _ => rules.take(&Entry::new(Effect::Deny, &from, ["fetch(*)"]), host_patterns(host)),
        }
    }
    for (key, value) in network.into_iter().flatten() {
        let from = format!("{prefix}.network.{key} = {value}");
        match key.as_str() {
            "domains" if value.is_object() => {}
            "domains" => rules.lose_denial(&from, "this is not a table"),
            key if key.contains("den") || key.contains("block") => {
                rules.lose_denial(&from, "it is not known here: write what you mean as a rule");
            }
            _ => rules.leave_out(&from, "mayi is no sandbox: it judges what is asked for"),
        }
    }
    for (folder, on) in profile.get("workspace_roots").and_then(Value::as_object).into_iter().flatten() {
        if *on == Value::Bool(true) {
            rules.add_folder(folder, &format!("{prefix}.workspace_roots: {folder}"));
        }
    }
    let known = ["filesystem", "network", "workspace_roots", "extends", "description"];
    name_all_keys(profile, &known, &format!("{prefix}."), rules);
}

/// A path by itself: a whole one, or a name for one.
fn whole_path(path: &str) -> Result<String, SkipReason> {
    match path {
        ":workspace_roots" | ":project_roots" | ":cwd" => Ok("./**".to_owned()),
        ":slash_tmp" => Ok("/tmp/**".to_owned()),
        ":root" => Ok("**".to_owned()),
        path if path.starts_with('/') || path.starts_with("~/") || path == "~" => plain_path(path),
        _ => Err("what it stands for is not known here".to_owned()),
    }
}

fn scoped_path(top: &str, below: &str) -> Result<String, SkipReason> {
    let below = below.trim_start_matches("./");
    match (top, below) {
        (":workspace_roots" | ":project_roots" | ":cwd", "." | "") => Ok("./**".to_owned()),
        (":workspace_roots" | ":project_roots" | ":cwd", below) => plain_path(&format!("./{below}")),
        (":slash_tmp", below) => plain_path(&format!("/tmp/{below}")),
        (top, below) if top.starts_with(['/', '~']) => {
            plain_path(&format!("{}/{below}", top.trim_end_matches('/')))
        }
        _ => Err("what it stands for is not known here".to_owned()),
    }
}

fn plain_path(path: &str) -> Result<String, SkipReason> {
    if path.contains("..") || path.contains(['\\', '!']) {
        return Err("a path like that has no certain counterpart".to_owned());
    }
    Ok(path.to_owned())
}

/// `deny` is never lifted there, `read` is asked about where something is to be written.
fn read_access(path: Result<String, SkipReason>, access: &Value, from: &str, rules: &mut RuleCollector<'_>) {
    match access.as_str() {
        Some("write") => rules.leave_out(
            from,
            "mayi is no sandbox: name folders to work in as `folders` under [workspace], and allow edits by a rule such as `write(src/**)`",
        ),
        Some("read") => {
            // In the folders that are worked in, something else may be writable; elsewhere mayi asks by itself.
            match path {
                Ok(path) if path == "./**" || path.starts_with("./") => {
                    rules.take(&Entry::new(Effect::Ask, from, ["write(**)"]), Ok(vec![format!("write({path})")]));
                }
                _ => rules.leave_out(from, "what may be read is said by mayi's own protection, or by a rule such as `read(/usr/**)`"),
            }
        }
        _ => {
            let found = path.map(|path| vec![format!("read({path})"), format!("write({path})")]);
            rules.take(&Entry::new(Effect::Deny, from, ["read(**)", "write(**)"]), found);
        }
    }
}

fn read_server(name: &str, server: &Value, rules: &mut RuleCollector<'_>) {
    let of = |tool: &str| -> Result<Vec<String>, SkipReason> {
        match Names::is_plain(name) && (tool == "*" || Names::is_plain(tool)) {
            true => Ok(vec![format!("mcp({name}/{tool})")]),
            false => Err("no server and tool can be called like that".to_owned()),
        }
    };
    let whole = || of("*").unwrap_or_else(|_| vec!["mcp(*/*)".to_owned()]);
    if server.get("enabled") == Some(&Value::Bool(false)) {
        let from = format!("mcp_servers.{name}.enabled = false");
        rules.take(&Entry::new(Effect::Deny, &from, whole()), of("*"));
    }
    let from = format!("mcp_servers.{name}.disabled_tools");
    for tool in text_items(server.get("disabled_tools"), &Entry::new(Effect::Deny, &from, whole()), rules) {
        let from = format!("{from}: {tool}");
        rules.take(&Entry::new(Effect::Deny, &from, whole()), of(tool));
    }
    if server.get("enabled_tools").is_some() {
        let from = format!("mcp_servers.{name}.enabled_tools");
        rules.leave_out(&from, "it says which tools there are at all, which stays so in Codex itself");
    }
    let tools = server.get("tools").and_then(Value::as_object);
    let approved = tools
        .into_iter()
        .flatten()
        .any(|(_, tool)| tool.get("approval_mode").and_then(Value::as_str) == Some("approve"));
    if let Some(mode) = server.get("default_tools_approval_mode") {
        let from = format!("mcp_servers.{name}.default_tools_approval_mode = {mode}");
        match approval_effect(mode) {
            Some(Effect::Ask) if approved => {
                rules.leave_out(&from, "mayi asks about each tool that no rule allows");
            }
            Some(effect) => rules.take(&Entry::new(effect, &from, whole()), of("*")),
            None => rules.leave_out(&from, "mayi asks about each tool that no rule allows"),
        }
    }
    for (tool, settings) in tools.into_iter().flatten() {
        let Some(settings) = settings.as_object() else { continue };
        if let Some(mode) = settings.get("approval_mode") {
            let from = format!("mcp_servers.{name}.tools.{tool}.approval_mode = {mode}");
            match approval_effect(mode) {
                Some(effect) => rules.take(&Entry::new(effect, &from, whole()), of(tool)),
                None => rules.leave_out(&from, "mayi asks about each tool that no rule allows"),
            }
        }
        let prefix = format!("mcp_servers.{name}.tools.{tool}.");
        name_all_keys(settings, &["approval_mode"], &prefix, rules);
    }
    if let Some(server) = server.as_object() {
        let known = ["disabled_tools", "enabled_tools", "default_tools_approval_mode", "tools"];
        name_permission_keys(server, &known, &format!("mcp_servers.{name}."), rules);
    }
}

/// What an approval mode asks for; none: what it does by itself.
fn approval_effect(mode: &Value) -> Option<Effect> {
    match mode.as_str() {
        Some("approve") => Some(Effect::Allow),
        Some("auto") => None,
        _ => Some(Effect::Ask),
    }
}
