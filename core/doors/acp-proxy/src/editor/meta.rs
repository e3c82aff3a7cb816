//! What an editor says to its agent beside the protocol, in `_meta` and members that the protocol does not have: servers stand
//! behind the session's gate there too, a mode is the asking one or the person's recorded choice, and what else would have the
//! agent not ask is left out or refused. All of it that is something else passes as it is.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::json_members::RawMembers;
use crate::splice::{TextEdit, quote_json};
use mayi_core::approval::escape_line;
use mayi_core::config::{ServerLaunch, Transport};
use mayi_core::pin::MayChange;
use mayi_core::policy::{Origin, fold_text};

/// Members of the protocol's own, which are looked at elsewhere.
const PROTOCOLS: &[&str] =
    &["sessionId", "cwd", "mcpServers", "additionalDirectories", "prompt", "systemPrompt", "configOptions"];

/// Names of MCP servers, of a mode in which an agent may ask less, and of what it is to do without asking; in small letters and
/// without what joins words.
const SERVERS: &[&str] = &["mcpservers", "mcpconfig"];
const MODES: &[&str] = &["permissionmode", "approvalmode", "approvalpolicy"];
const FREE: &[&str] = &["allowedtools", "autoapprove", "alwaysallow"];

/// Words that mean one only among an agent's settings, and what these are called.
const AMONG_SETTINGS: &[&str] =
    &["defaultmode", "extraargs", "hooks", "plugins", "enabledplugins", "settings"];
const SETTINGS: &[&str] = &["options", "settings", "config"];

/// What has an agent ask less, or gives it servers, in ways that mayi can't set right: programs that answer for a person, words of
/// a command line, files and packages.
const PAST: &[&str] = &[
    "canusetool",
    "permissionprompttoolname",
    "managedsettings",
    "enableallprojectmcpservers",
    "enabledmcpjsonservers",
    "dangerouslyskippermissions",
    "skippermissions",
    "bypasspermissions",
    "autoallowbashifsandboxed",
    "yolo",
];

/// Where Claude Code's agent has its options: it reads servers there by their names.
const CLAUDE: &[&str] = &["_meta", "claudeCode", "options"];

/// So deep is looked.
const DEEPEST: usize = 64;

/// What there is.
#[derive(Default)]
pub(super) struct EditorMeta<'t> {
    /// Servers that go behind the gate, and where they stand.
    pub(super) servers: Vec<ServerLaunch>,
    moved: Vec<&'t str>,
    /// Modes, and where they stand.
    modes: Vec<(&'t str, String)>,
    /// What is left out, and where it stands.
    left_out: Vec<(&'t str, String)>,
    /// Nothing but servers is looked for.
    servers_alone: bool,
}

/// Looks at all that a request has beside what the protocol gives it.
///
/// # Errors
/// Says what goes past mayi, and what to do.
pub(super) fn read(params: &str) -> Result<EditorMeta<'_>, String> {
    let mut found = EditorMeta::default();
    let parts = RawMembers::parse(params).map_err(|error| escape_line(&error.to_string()))?;
    for (name, value) in named_members(&parts) {
        if !PROTOCOLS.contains(&name.as_str()) {
            found.inspect_member(&mut Vec::new(), &name, value)?;
        }
    }
    Ok(found)
}

/// Whether a request that mayi has no part in has servers somewhere, or can be read in two ways where it may have some.
pub(super) fn has_servers(params: &str) -> bool {
    // Nearly all have not, and are looked at no further.
    let hint = params.contains("\\u") || params.to_ascii_lowercase().contains("mcp");
    let mut found = EditorMeta { servers_alone: true, ..EditorMeta::default() };
    hint && (found.inspect_nested(&mut Vec::new(), params).is_err() || !found.servers.is_empty())
}

/// Members with their places.
fn named_members<'t>(parts: &RawMembers<'t>) -> Vec<(String, &'t str)> {
    parts.member_names().into_iter().filter_map(|name| Some((name.clone(), parts.get(&name)?))).collect()
}

impl<'t> EditorMeta<'t> {
    fn inspect_member(&mut self, path: &mut Vec<String>, name: &str, value: &'t str) -> Result<(), String> {
        let word: String = fold_text(name).chars().filter(|c| c.is_alphanumeric()).collect();
        let alone = self.servers_alone;
        let known = |list: &[&str]| (!alone || list == SERVERS) && list.contains(&word.as_str());
        let place = || {
            let mut words: Vec<&str> = path.iter().map(String::as_str).collect();
            words.push(name);
            escape_line(&words.join("."))
        };
        let refused = |why: &str| Err(format!("`{}` of the editor's goes past mayi: {why}", place()));
        if known(SERVERS) && !is_nothing(value) {
            if path.iter().map(String::as_str).eq(CLAUDE.iter().copied()) && name == "mcpServers" {
                self.servers.extend(by_name(value).map_err(|why| format!("`{}`: {why}", place()))?);
                self.moved.push(value);
                return Ok(());
            }
            return refused("write the servers where the editor has its MCP servers");
        }
        let settings = path.iter().any(|part| SETTINGS.contains(&&*fold_text(part)));
        let among = !alone && settings && AMONG_SETTINGS.contains(&word.as_str());
        if (known(MODES) || among && word == "defaultmode") && !is_nothing(value) {
            let Some(mode) = crate::json_members::parse_text(value) else {
                return refused("a mode is a text");
            };
            self.modes.push((value, mode.into_owned()));
            return Ok(());
        }
        let allows =
            !alone && word == "allow" && path.last().is_some_and(|last| fold_text(last) == "permissions");
        if (known(FREE) || allows) && !is_nothing(value) {
            self.left_out.push((value, place()));
            return Ok(());
        }
        // Settings by the name of a file can't be looked at.
        let past = among && (word != "settings" || value.starts_with('"'));
        if (known(PAST) || past) && !is_nothing(value) {
            return refused(
                "leave it out, and write rules in mayi's configuration for what is to be allowed",
            );
        }
        path.push(name.to_owned());
        self.inspect_nested(path, value)?;
        path.pop();
        Ok(())
    }

    fn inspect_nested(&mut self, path: &mut Vec<String>, value: &'t str) -> Result<(), String> {
        if path.len() > DEEPEST {
            return Err(
                "what the editor says beside the protocol is nested too deep to be looked at".to_owned()
            );
        }
        if value.starts_with('{') {
            let parts = RawMembers::parse(value).map_err(|error| escape_line(&error.to_string()))?;
            for (name, value) in named_members(&parts) {
                self.inspect_member(path, &name, value)?;
            }
        } else if value.starts_with('[') {
            let items: Vec<&'t RawValue> = serde_json::from_str(value).unwrap_or_default();
            for item in items {
                path.push("[]".to_owned());
                self.inspect_nested(path, item.get())?;
                path.pop();
            }
        }
        Ok(())
    }

    /// Whether there are servers.
    pub(super) fn has_servers(&self) -> bool {
        !self.servers.is_empty()
    }

    /// Modes that the person is in by this, where there is no mode in which the agent asks.
    pub(super) fn chosen_modes(&self, asking: Option<&str>) -> Vec<String> {
        let modes = self.modes.iter().map(|(_, mode)| mode.clone());
        if asking.is_some() { Vec::new() } else { modes.collect() }
    }

    /// What changes in `text` by it. `note` hears what is not as the editor has it.
    pub(super) fn make_edits(
        &self,
        text: &str,
        asking: Option<&str>,
        note: impl Fn(String),
    ) -> Option<Vec<TextEdit>> {
        let mut edits = Vec::new();
        for moved in &self.moved {
            edits.push(TextEdit::replace(text, moved, "{}")?);
        }
        for (value, place) in &self.left_out {
            edits.push(TextEdit::replace(text, value, "[]")?);
            note(format!(
                "`{place}` of the editor's was left out: rules in mayi's configuration say what is allowed"
            ));
        }
        for (value, mode) in &self.modes {
            let Some(asking) = asking.filter(|asking| asking != mode) else { continue };
            edits.push(TextEdit::replace(text, value, quote_json(asking))?);
            note(format!(
                "the editor's settings have the agent begin in its mode `{}`: it begins in `{}`, and you can set another in the editor",
                escape_line(mode),
                escape_line(asking)
            ));
        }
        Some(edits)
    }
}

/// Whether it says nothing, or no.
fn is_nothing(value: &str) -> bool {
    let value: Value = serde_json::from_str(value).unwrap_or_default();
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Servers as Claude Code has them: `{"NAME": {"command": "...", "args": [], "env": {}}}`, or with `type` and `url`.
fn by_name(value: &str) -> Result<Vec<ServerLaunch>, String> {
    let read: Value =
        mayi_core::call::json::parse_strict(value).map_err(|error| escape_line(&error.to_string()))?;
    let map = read.as_object().ok_or("MCP servers are listed by their names here")?;
    map.iter()
        .map(|(name, server)| {
            let origin = Origin { file: None, line: None, layer: mayi_core::policy::Layer::Editor };
            let transport = read_transport(server)
                .ok_or_else(|| format!("mayi can't stand before the MCP server {}", escape_line(name)))?;
            Ok(ServerLaunch { name: name.clone(), transport, origin, may_change: MayChange::default() })
        })
        .collect()
}

fn read_transport(server: &Value) -> Option<Transport> {
    let text = |name: &str| server.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    match server.get("type").map(Value::as_str) {
        None | Some(Some("stdio")) => {
            let args = match server.get("args") {
                None | Some(Value::Null) => Vec::new(),
                Some(args) => args
                    .as_array()?
                    .iter()
                    .map(|arg| arg.as_str().map(str::to_owned))
                    .collect::<Option<_>>()?,
            };
            let command = std::iter::once(text("command")?).chain(args).collect();
            Some(Transport::Stdio { command, env: read_string_map(server.get("env"))? })
        }
        Some(Some("http")) => {
            Some(Transport::Http { url: text("url")?, headers: read_string_map(server.get("headers"))? })
        }
        Some(Some("sse")) => {
            Some(Transport::Sse { url: text("url")?, headers: read_string_map(server.get("headers"))? })
        }
        Some(_) => None,
    }
}

fn read_string_map(map: Option<&Value>) -> Option<BTreeMap<String, String>> {
    match map {
        None | Some(Value::Null) => Some(BTreeMap::new()),
        Some(map) => {
            let pairs = map.as_object()?.iter();
            pairs.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Attack 436: what has an agent ask less, or gives it servers, in the words of one agent.
    #[test]
    fn given_what_has_an_agent_ask_less_then_it_is_refused_wherever_it_stands() {
        for meta in [
            json!({"claudeCode": {"options": {"agents": {"a": {"mcpServers": [{"x": {"command": "y"}}]}}}}}),
            json!({"x": [{"mcp_servers": {"s": {"command": "y"}}}]}),
            json!({"MCP-Servers": [1]}),
            json!({"claudeCode": {"options": {"extraArgs": {"mcp-config": "x"}}}}),
            json!({"claudeCode": {"options": {"settings": "file.json"}}}),
            json!({"claudeCode": {"options": {"settings": {"hooks": {"PreToolUse": [1]}}}}}),
            json!({"claudeCode": {"options": {"plugins": [{"type": "local", "path": "x"}]}}}),
            json!({"claudeCode": {"options": {"mcpServers": {"s": {"type": "ws", "url": "http://x"}}}}}),
            json!({"dangerously_skip_permissions": true}),
        ] {
            assert!(read(&json!({ "_meta": meta }).to_string()).is_err(), "{meta}");
        }
        assert!(read(&json!({"mcp_servers": [1]}).to_string()).is_err());
        for meta in [
            json!({"claudeCode": {"options": {"disallowedTools": ["Bash"], "model": "x", "env": {"A": "b"}, "hooks": {}}}}),
            json!({"plugins": ["an editor's own"], "hooks": [1], "settings": "x", "defaultMode": "dark"}),
            json!({"mcp_servers": [], "yolo": false, "allow": ["x"], "any": {"list": [1, "mcpServers"]}}),
        ] {
            let text = json!({ "_meta": meta }).to_string();
            let found = read(&text).unwrap();
            assert!(found.make_edits(&text, Some("ask"), |_| ()).unwrap().is_empty(), "{meta}");
        }
    }
}
