//! Resources, and the template that makes more of them.

use rmcp::ErrorData;
use rmcp::model::ReadResourceResult;
use serde_json::json;

use crate::changes::WATCHED;
use crate::fixed::PNG;
use crate::result;

pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let (kind, key, held) = match uri {
        "test://static-text" => {
            ("text/plain", "text", "This is the content of the static text resource.".to_owned())
        }
        "test://static-binary" => ("image/png", "blob", PNG.to_owned()),
        WATCHED => ("text/plain", "text", "This resource can be watched.".to_owned()),
        _ => match id(uri) {
            Some(id) => {
                let held = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                ("application/json", "text", held.to_string())
            }
            None => {
                let data = Some(json!({ "uri": uri }));
                return Err(ErrorData::resource_not_found("Resource not found", data));
            }
        },
    };
    result(json!({ "contents": [{ "uri": uri, "mimeType": kind, key: held }] }))
}

/// The `{id}` of `test://template/{id}/data`.
fn id(uri: &str) -> Option<&str> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}
