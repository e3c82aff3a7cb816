//! `--toolbelt`: two tools in place of hundreds. A call through `run_tool` is the call of the tool that it runs.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::servers::visible_name;
use crate::era::Era;
use crate::frame::Frame;
use crate::members::{Members, to_raw_json};

/// So many tools are found at once, unless the model asks for another number.
const FOUND: usize = 10;
const MOST: usize = 100;

/// What a call of the toolbelt means.
pub(crate) enum ToolbeltCall {
    /// This tool, with these parameters.
    Tool(String, Members),
    /// A search.
    Find(Value),
    /// Nothing: one line for the client.
    Wrong(String),
}

/// The two tools.
pub(super) fn toolbelt_tools() -> Vec<Box<RawValue>> {
    let find = json!({
        "name": "find_tools",
        "title": "Find tools",
        "description": "Looks for tools by words in their names and descriptions. Returns names, descriptions and input \
                        schemas. Call what was found with run_tool. Without words it returns the first tools of all.",
        "inputSchema": { "type": "object", "properties": {
            "query": { "type": "string", "description": "words to look for" },
            "limit": { "type": "integer", "minimum": 1, "maximum": MOST, "description": "how many to return (10)" },
        } },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    });
    let run = json!({
        "name": "run_tool",
        "title": "Run a tool",
        "description": "Calls a tool that find_tools returned, with arguments that fit its input schema. The user's \
                        permission gate judges it as a call of that tool.",
        "inputSchema": { "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string", "description": "the tool's name, as find_tools returned it" },
            "arguments": { "type": "object", "description": "the tool's arguments" },
        } },
    });
    vec![to_raw_json(&find), to_raw_json(&run)]
}

/// What a call with these parameters means.
pub(crate) fn unfold_call(name: &str, mut params: Members) -> ToolbeltCall {
    let arguments = params.object_member("arguments");
    match name {
        "find_tools" => ToolbeltCall::Find(params.parsed_member("arguments").unwrap_or_default()),
        "run_tool" => {
            let Some(arguments) = arguments else {
                return ToolbeltCall::Wrong("`arguments` is not an object".to_owned());
            };
            let Some(tool) = arguments.string_member("name") else {
                return ToolbeltCall::Wrong("`arguments.name` is to be the name of a tool".to_owned());
            };
            if matches!(tool.as_str(), "find_tools" | "run_tool") {
                return ToolbeltCall::Wrong(format!("`{tool}` is called by itself, and not with run_tool"));
            }
            match arguments.get("arguments") {
                Some(inner) => params.set("arguments", inner.to_owned()),
                None => drop(params.remove("arguments")),
            }
            ToolbeltCall::Tool(tool, params)
        }
        _ => ToolbeltCall::Wrong(format!(
            "unknown tool: {}; call it with run_tool, as find_tools returns it",
            visible_name(name)
        )),
    }
}

/// The response of `find_tools`: those of `offered` that the query is about, the best ones first.
pub(super) fn search_tools(query: &Value, offered: &[Box<RawValue>], era: Era) -> Frame {
    let words: Vec<String> = query
        .get("query")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let limit = query.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(FOUND).clamp(1, MOST);
    let read = offered.iter().filter_map(|tool| serde_json::from_str::<Value>(tool.get()).ok());
    let mut found: Vec<(usize, Value)> = read.map(|tool| (score_tool(&tool, &words), tool)).collect();
    let total = found.len();
    found.retain(|(score, _)| words.is_empty() || *score > 0);
    // Stable: equals stay in the order of servers and tools.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let matching = found.len();
    let tools: Vec<Value> = found.into_iter().take(limit).map(|(_, tool)| brief_tool(tool)).collect();
    let said = json!({ "tools": tools, "matching": matching, "total": total });
    let text = serde_json::to_string_pretty(&said).unwrap_or_default();
    let mut result = json!({ "content": [{ "type": "text", "text": text }], "structuredContent": said });
    if era == Era::Stateless
        && let Some(result) = result.as_object_mut()
    {
        result.insert("resultType".to_owned(), json!("complete"));
    }
    Frame::result(RawValue::NULL, &result)
}

/// What a model needs to call it.
fn brief_tool(tool: Value) -> Value {
    let Value::Object(members) = tool else { return Value::Null };
    let kept = ["name", "title", "description", "inputSchema", "annotations"];
    members.into_iter().filter(|(name, _)| kept.contains(&name.as_str())).collect()
}

/// How well a tool fits: a word in its name counts most.
fn score_tool(tool: &Value, words: &[String]) -> usize {
    let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let (name, title, description) = (text("name"), text("title"), text("description"));
    words
        .iter()
        .map(|word| {
            let at = |text: &str, weight| if text.contains(word.as_str()) { weight } else { 0 };
            at(&name, 5) + at(&title, 3) + at(&description, 1)
        })
        .sum()
}
