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
    json!([
        { "name": "list", "description": "Lists things.", "inputSchema": schema,
          "annotations": { "readOnlyHint": true } },
        { "name": "delete", "description": "Deletes a thing.", "inputSchema": schema,
          "annotations": { "destructiveHint": true } },
        { "name": "echo", "description": "Says it back.", "inputSchema": schema },
    ])
}
