//! Prompts, and words that complete their arguments.

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResult};
use serde_json::{Value, json};

use crate::fixed::image;
use crate::result;

/// What an argument may begin with.
const WORDS: &[&str] = &["paris", "park", "party", "test", "testing"];

pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let argument = |key: &str| {
        let found = request.arguments.as_ref().and_then(|arguments| arguments.get(key)?.as_str());
        found.ok_or_else(|| ErrorData::invalid_params(format!("{key} is missing"), None))
    };
    let content = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1")?, argument("arg2")?);
            vec![text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => vec![
            json!({ "type": "resource", "resource": {
                "uri": argument("resourceUri")?,
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            } }),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        name => return Err(ErrorData::invalid_params(format!("Unknown prompt: {name}"), None)),
    };
    let messages: Vec<Value> =
        content.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    result(json!({ "messages": messages }))
}

pub(crate) fn complete(request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let begun = &request.argument.value;
    let values: Vec<&str> = WORDS.iter().copied().filter(|word| word.starts_with(begun.as_str())).collect();
    result(json!({ "completion": { "values": values, "total": values.len(), "hasMore": false } }))
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
