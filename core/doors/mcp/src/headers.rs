//! HTTP headers that repeat what a message says, so that what stands between can route it (MCP 2026-07-28, SEP-2243).
//!
//! Both sides are here: what a message has to have beside it, and whether what came with it is that.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use serde_json::value::RawValue;

use super::era::{STATELESS, meta};
use super::frame::Frame;
use super::members::Members;
use mayi_core::approval::escape_line;

/// The protocol's version.
pub(crate) const VERSION: &str = "mcp-protocol-version";
/// The session of the older era.
pub(crate) const SESSION: &str = "mcp-session-id";
/// The method of a message.
pub(crate) const METHOD: &str = "mcp-method";
/// What it is about: a tool, a prompt, a resource, a task.
pub(crate) const NAME: &str = "mcp-name";
/// Before the name of an argument.
pub(crate) const PARAM: &str = "mcp-param-";
/// The last event that a client has seen of a stream.
pub(crate) const LAST_EVENT: &str = "last-event-id";

/// The first version whose clients know an event without data, with which a stream begins (SEP-1699).
pub(crate) const PRIMING: &str = "2025-11-25";

const OPENS: &str = "=?base64?";
const CLOSES: &str = "?=";

/// The version that a message names in its `_meta`: only those of 2026-07-28 and later do.
pub(crate) fn version_in(frame: &Frame) -> Option<String> {
    frame.params()?.object_member("_meta")?.string_member(meta::VERSION)
}

/// Whether a request has all that 2026-07-28 wants in `_meta`.
pub(crate) fn meta_complete(frame: &Frame) -> bool {
    let said = frame.params().and_then(|params| params.object_member("_meta"));
    said.is_some_and(|said| {
        said.string_member(meta::VERSION).is_some() && said.object_member(meta::CAPABILITIES).is_some()
    })
}

/// Whether `version` is one without sessions, and with these headers. Versions are dates, so they sort as text.
pub(crate) fn is_stateless_version(version: &str) -> bool {
    version >= STATELESS
}

/// What `Mcp-Name` has to be for this message, if it has to be there.
pub(crate) fn name_in(frame: &Frame) -> Option<String> {
    let member = match frame.method()? {
        "tools/call" | "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return None,
    };
    frame.params()?.string_member(member)
}

/// An argument that is repeated in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderAnnotation {
    /// The names of properties from the root to it.
    path: Vec<String>,
    /// The header's name after [`PARAM`].
    header: String,
}

/// The arguments that a tool's `inputSchema` wants to have in headers. Annotations that the specification forbids
/// are left out.
pub(crate) fn header_annotations(schema: &Value) -> Vec<HeaderAnnotation> {
    let mut found = Vec::new();
    collect_annotations(schema.get("properties"), &mut Vec::new(), &mut found);
    found
}

fn collect_annotations(
    properties: Option<&Value>,
    path: &mut Vec<String>,
    found: &mut Vec<HeaderAnnotation>,
) {
    let Some(Value::Object(properties)) = properties else { return };
    for (name, schema) in properties {
        path.push(name.clone());
        if let Some(Value::String(header)) = schema.get("x-mcp-header")
            && is_token(header)
            && !found.iter().any(|known| known.header.eq_ignore_ascii_case(header))
        {
            found.push(HeaderAnnotation { path: path.clone(), header: header.clone() });
        }
        collect_annotations(schema.get("properties"), path, found);
        path.pop();
    }
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// The headers that `frame` has to be sent with, apart from the version.
pub(crate) fn headers_for(frame: &Frame, annotated: &[HeaderAnnotation]) -> Vec<(String, String)> {
    let Some(method) = frame.method() else { return Vec::new() };
    let mut headers = vec![(METHOD.to_owned(), encode_value(method))];
    if let Some(name) = name_in(frame) {
        headers.push((NAME.to_owned(), encode_value(&name)));
    }
    if method == "tools/call" {
        let arguments = call_arguments(frame);
        for annotation in annotated {
            if let Some(value) = plain_at(arguments.as_ref(), &annotation.path) {
                let name = format!("{PARAM}{}", annotation.header.to_ascii_lowercase());
                headers.push((name, encode_value(&value)));
            }
        }
    }
    headers
}

/// Whether the headers that came with `frame` say what it says. `header` gives the one value of a header; an error
/// for a header that is there twice, or is no text.
///
/// # Errors
/// What does not agree; text of others is escaped.
pub(crate) fn check_headers<'h>(
    frame: &Frame,
    annotated: &[HeaderAnnotation],
    header: impl Fn(&str) -> Result<Option<&'h str>, String>,
) -> Result<(), String> {
    let Some(method) = frame.method() else { return Ok(()) };
    match header(METHOD)? {
        Some(said) if said == method => {}
        Some(said) => return Err(mismatch_message("Mcp-Method", said, method)),
        None => return Err("there is no Mcp-Method header: send the method in it".to_owned()),
    }
    if let Some(name) = name_in(frame) {
        let said = header(NAME)?.ok_or("there is no Mcp-Name header: send the name in it")?;
        if decode_value(said).as_deref() != Some(&*name) {
            return Err(mismatch_message("Mcp-Name", said, &name));
        }
    }
    if method != "tools/call" {
        return Ok(());
    }
    let arguments = call_arguments(frame);
    for annotation in annotated {
        let full = format!("Mcp-Param-{}", annotation.header);
        match (header(&full)?, plain_at(arguments.as_ref(), &annotation.path)) {
            (None, None) => {}
            (Some(said), Some(value)) => {
                if !decode_value(said).is_some_and(|said| is_same_value(&said, &value)) {
                    return Err(mismatch_message(&full, said, &value));
                }
            }
            (Some(_), None) => {
                return Err(format!("{} is there, and its argument is not", escape_line(&full)));
            }
            (None, Some(_)) => return Err(format!("there is no {} header", escape_line(&full))),
        }
    }
    Ok(())
}

fn mismatch_message(header: &str, said: &str, is: &str) -> String {
    format!("{} says {}, and the message {}", escape_line(header), escape_line(said), escape_line(is))
}

/// Numbers may be written in several ways.
fn is_same_value(said: &str, is: &str) -> bool {
    let whole = |text: &str| text.parse::<i128>().ok();
    said == is || whole(said).is_some_and(|number| whole(is) == Some(number))
}

fn call_arguments(frame: &Frame) -> Option<Members> {
    frame.params()?.object_member("arguments")
}

/// The value at `path` as text, if it is a string, a number or a boolean.
fn plain_at(arguments: Option<&Members>, path: &[String]) -> Option<String> {
    let (last, before) = path.split_last()?;
    let mut object = arguments?.clone();
    for name in before {
        object = object.object_member(name)?;
    }
    primitive_text(object.get(last)?)
}

fn primitive_text(value: &RawValue) -> Option<String> {
    let text = value.get();
    match text.as_bytes().first()? {
        b'"' => serde_json::from_str(text).ok(),
        b'{' | b'[' | b'n' => None,
        _ => Some(text.to_owned()),
    }
}

/// `text` as a header's value: as it is where that survives, else in Base64.
fn encode_value(text: &str) -> String {
    let edges = text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    let odd = text.chars().any(|c| !(' '..='~').contains(&c));
    if edges || odd || (text.starts_with(OPENS) && text.ends_with(CLOSES)) {
        format!("{OPENS}{}{CLOSES}", BASE64_STANDARD.encode(text))
    } else {
        text.to_owned()
    }
}

/// The text that a header's value stands for; `None` if its Base64 is none.
fn decode_value(value: &str) -> Option<String> {
    match value.strip_prefix(OPENS).and_then(|rest| rest.strip_suffix(CLOSES)) {
        Some(inside) => String::from_utf8(BASE64_STANDARD.decode(inside).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::*;

    fn tool_call_frame(arguments: &str) -> Frame {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{arguments}}}}}"#
        );
        Frame::parse(&text).unwrap()
    }

    fn annotated_schema() -> Value {
        json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N"},
            "deep": {"properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
            "bad": {"type": "string", "x-mcp-header": "a:b"},
        }})
    }

    fn check_against(frame: &Frame, headers: &[(String, String)]) -> Result<(), String> {
        let map: HashMap<&str, &str> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        check_headers(frame, &header_annotations(&annotated_schema()), |name| {
            Ok(map.get(name.to_ascii_lowercase().as_str()).copied())
        })
    }

    /// MCP 2026-07-28, SEP-2243: what one side sends, the other side takes.
    #[test]
    fn given_any_arguments_then_the_headers_made_for_them_agree() {
        for arguments in [
            r#"{"region":"eu","n":42,"deep":{"flag":true}}"#,
            r#"{"region":" caf\u00e9\r\nEvil: 1","n":123456789012345678901234567890}"#,
            r#"{"region":"=?base64?x?=","n":null}"#,
            r#"{"region":""}"#,
            "{}",
        ] {
            let frame = tool_call_frame(arguments);
            let headers = headers_for(&frame, &header_annotations(&annotated_schema()));
            assert_eq!(check_against(&frame, &headers), Ok(()), "{arguments} {headers:?}");
            assert!(headers.iter().all(|(_, value)| !value.contains(['\r', '\n'])));
        }
    }

    /// MCP 2026-07-28, SEP-2243: a mismatch is refused.
    #[test]
    fn given_headers_that_say_something_else_then_it_is_told() {
        let frame = tool_call_frame(r#"{"region":"eu"}"#);
        let good = headers_for(&frame, &header_annotations(&annotated_schema()));
        for (name, value) in [
            (METHOD, Some("tools/list")),
            (METHOD, None),
            (NAME, Some("other")),
            (NAME, Some("=?base64?!?=")),
            (NAME, None),
            ("mcp-param-region", Some("us")),
            ("mcp-param-region", None),
            ("mcp-param-n", Some("1")),
        ] {
            let mut headers = good.clone();
            headers.retain(|(known, _)| known != name);
            headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
            assert!(check_against(&frame, &headers).is_err(), "{name} {value:?}");
        }
    }
}
