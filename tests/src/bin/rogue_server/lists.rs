//! What it says of its tools.

use std::io;

use serde_json::{Value, json};

use crate::{Behaviour, Server, result, say};

impl Server {
    /// `tools/list`.
    pub(crate) fn list(&self, id: &Value, parameters: &Value) -> io::Result<()> {
        let cursor = parameters.get("cursor").and_then(Value::as_str);
        match self.behaviour {
            Behaviour::Mute => Ok(()),
            Behaviour::EndlessPages => say(&result(
                id,
                &json!({ "tools": if cursor.is_none() { tools() } else { json!([]) }, "nextCursor": "again" }),
            )),
            Behaviour::MorePages => {
                let next = cursor.and_then(|cursor| cursor.parse::<u64>().ok()).unwrap_or_default() + 1;
                let tool = json!({ "name": format!("page{next}"), "inputSchema": { "type": "object" } });
                say(&result(id, &json!({ "tools": [tool], "nextCursor": next.to_string() })))
            }
            Behaviour::ManyTools | Behaviour::ManyPages => {
                let page = cursor.and_then(|cursor| cursor.parse::<u64>().ok()).unwrap_or_default();
                let tool = |n: u64| {
                    let name = format!("page{page}_{n}");
                    json!({ "name": name, "description": "d".repeat(40), "inputSchema": { "type": "object" } })
                };
                let mut said = json!({ "tools": (0..100_000).map(tool).collect::<Vec<_>>() });
                if self.behaviour == Behaviour::ManyPages
                    && let Some(said) = said.as_object_mut()
                {
                    said.insert("nextCursor".to_owned(), json!((page + 1).to_string()));
                }
                say(&result(id, &said))
            }
            Behaviour::Plain | Behaviour::Older => match self.text("tools.json") {
                // Verbatim: it may hold what no JSON library writes.
                Some(text) => say(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":{}}}}}"#,
                    text.trim().replace('\n', " ")
                )),
                None => say(&result(
                    id,
                    &json!({ "tools": tools(), "resultType": "complete", "ttlMs": 0, "cacheScope": "private" }),
                )),
            },
        }
    }
}

fn tools() -> Value {
    let schema = json!({ "type": "object" });
    let mut tools = json!([
        { "name": "list", "description": "Lists things.", "inputSchema": schema,
          "annotations": { "readOnlyHint": true } },
        { "name": "delete", "description": "Deletes a thing.", "inputSchema": schema,
          "annotations": { "destructiveHint": true } },
        { "name": "echo", "description": "Says it back.", "inputSchema": schema },
    ]);
    let others = ODD.iter().map(|name| json!({ "name": name, "inputSchema": schema }));
    if let Some(tools) = tools.as_array_mut() {
        tools.extend(others);
    }
    tools
}

/// What else its tools do (`calls`).
const ODD: &[&str] = &[
    "never", "huge", "endless", "die", "wrong", "flood", "imitate", "input", "change", "several", "twofold",
    "get",
];
