//! The MCP servers that an editor puts into a session: each stands behind the session's gate, or the session is not opened.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use mayi_core::approval::escape_line;
use mayi_core::config::{ServerLaunch, Transport};
use mayi_core::pin::MayChange;
use mayi_core::policy::Origin;

/// Reads them.
///
/// # Errors
/// If mayi can't stand before one of them.
pub(super) fn read(params: &Value) -> Result<Vec<ServerLaunch>, String> {
    let items = match params.get("mcpServers") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err("mcpServers is no list".to_owned()),
    };
    let mut servers: Vec<ServerLaunch> = Vec::new();
    for item in items {
        let name = text_member(item, "name").ok_or("an MCP server needs a name")?;
        let shown = escape_line(&name);
        if servers.iter().any(|server| server.name == name) {
            return Err(format!("two MCP servers are called {shown}"));
        }
        let transport = match item.get("type").map(Value::as_str) {
            None | Some(Some("stdio")) => {
                let program = text_member(item, "command")
                    .ok_or_else(|| format!("the MCP server {shown} has no command"))?;
                let args = read_string_list(item.get("args"))
                    .ok_or_else(|| format!("the args of the MCP server {shown} are no texts"))?;
                let env = read_name_values(item.get("env"))
                    .ok_or_else(|| format!("the env of the MCP server {shown} is no list of pairs"))?;
                Transport::Stdio { command: std::iter::once(program).chain(args).collect(), env }
            }
            Some(Some(kind @ ("http" | "sse"))) => {
                let url =
                    text_member(item, "url").ok_or_else(|| format!("the MCP server {shown} has no url"))?;
                let headers = read_name_values(item.get("headers"))
                    .ok_or_else(|| format!("the headers of the MCP server {shown} are no list of pairs"))?;
                if kind == "sse" { Transport::Sse { url, headers } } else { Transport::Http { url, headers } }
            }
            Some(other) => {
                let kind = escape_line(other.unwrap_or("that is no text"));
                return Err(format!(
                    "mayi can't stand before the MCP server {shown}: it knows no type {kind}, and passes on nothing that it does not stand before"
                ));
            }
        };
        let origin = Origin { file: None, line: None, layer: mayi_core::policy::Layer::Editor };
        servers.push(ServerLaunch { name, transport, origin, may_change: MayChange::default() });
    }
    Ok(servers)
}

/// What the agent gets in their place.
pub(super) fn relays_to_json(relays: &[ServerLaunch], v2: bool) -> Value {
    let pairs = |map: &BTreeMap<String, String>| -> Vec<Value> {
        map.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
    };
    let one = |relay: &ServerLaunch| match &relay.transport {
        Transport::Stdio { command, env } => {
            let (program, args) = command.split_first()?;
            let (name, env) = (&relay.name, pairs(env));
            // In version 1 none is of this kind by name.
            Some(if v2 {
                json!({"type": "stdio", "name": name, "command": program, "args": args, "env": env})
            } else {
                json!({"name": name, "command": program, "args": args, "env": env})
            })
        }
        // A relay is a program.
        Transport::Http { .. } | Transport::Sse { .. } => None,
    };
    relays.iter().filter_map(one).collect()
}

fn text_member(item: &Value, name: &str) -> Option<String> {
    item.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn read_string_list(list: Option<&Value>) -> Option<Vec<String>> {
    match list {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(list) => list.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
    }
}

fn read_name_values(list: Option<&Value>) -> Option<BTreeMap<String, String>> {
    let items = match list {
        None | Some(Value::Null) => return Some(BTreeMap::new()),
        Some(list) => list.as_array()?,
    };
    let one = |item: &Value| {
        Some((item.get("name")?.as_str()?.to_owned(), item.get("value")?.as_str()?.to_owned()))
    };
    items.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 398: a server that nothing can stand before.
    #[test]
    fn given_a_server_that_nothing_can_stand_before_then_no_session_is_opened() {
        for server in [
            json!({"type": "sse", "name": "s", "headers": []}),
            json!({"type": "sse", "name": "s", "url": "http://localhost/", "headers": {"X": "y"}}),
            json!({"type": "SSE", "name": "s", "url": "http://localhost/", "headers": []}),
            json!({"type": "acp", "name": "s", "id": "1"}),
            json!({"type": 7, "name": "s"}),
            json!({"name": "s"}),
            json!({"command": "x", "args": [], "env": []}),
            json!({"name": "s", "command": "x", "args": [1]}),
        ] {
            assert!(read(&json!({ "mcpServers": [server] })).is_err(), "{server}");
        }
        let one = json!({"name": "s", "command": "x", "args": [], "env": []});
        assert!(read(&json!({ "mcpServers": [one, one] })).is_err());
        assert_eq!(read(&json!({ "mcpServers": [one] })).unwrap().len(), 1);
        let headers = json!([{"name": "X", "value": "y"}]);
        let sse = json!({"type": "sse", "name": "s", "url": "http://localhost/sse", "headers": headers});
        let found = read(&json!({ "mcpServers": [sse] })).unwrap();
        assert!(
            matches!(&found[0].transport, Transport::Sse { url, headers } if url == "http://localhost/sse" && headers["X"] == "y")
        );
    }
}
