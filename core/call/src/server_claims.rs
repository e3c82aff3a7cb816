//! What an MCP server says of itself and of a tool: shown with a question as its words, never as mayi's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Category;

/// What a server says of itself, and of the tool that is called: claims, kept as they came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerAbout {
    /// Its name in the configuration: mayi's word, not the server's.
    pub name: String,
    /// What it calls itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// What it says it is for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// Its icons, as it sent them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub icons: Vec<Value>,
    /// What it says of the tool.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<ToolAbout>,
}

/// The category that hints of a server claim for a tool (MCP `ToolAnnotations`); whoever asks has to trust it in that. What a
/// tool changes is its server's own only where the server says so: by the protocol, it reaches out unless `openWorldHint`
/// is false.
#[must_use]
pub fn claimed_category(
    reads: Option<bool>,
    destroys: Option<bool>,
    reaches_out: Option<bool>,
) -> Option<Category> {
    match (reads, reaches_out) {
        (Some(true), _) if destroys != Some(true) => Some(Category::Read),
        (Some(false), Some(false)) => Some(Category::Write),
        _ => None,
    }
}

/// What a server says of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolAbout {
    /// What it calls the tool, for people.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub title: Option<String>,
    /// What it says that the tool does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub description: Option<String>,
    /// Its hints, such as `readOnlyHint`.
    #[serde(skip_serializing_if = "Value::is_null", default)]
    #[ts(type = "unknown")]
    pub annotations: Value,
}
