//! What an object of a request is to an endpoint: a server whose tools it calls, an answer to an approval, or neither. By its
//! members, and not by its `type` alone: endpoints fill a missing `type` in, and read names in other letters.

use mayi_core::approval::escape_line;
use mayi_core::policy::fold_text;
use serde_json::{Map, Value};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// A server, whose tools the endpoint calls.
    Server,
    /// An answer to an approval.
    Approval,
    /// Anything else.
    Other,
}

/// Members that only servers have.
const SERVER: &[&str] = &["server_url", "connector_id", "tunnel_id", "require_approval"];
/// The name of a server, which calls of its tools have too.
const LABEL: &[&str] = &["server_label"];
/// What an approval answers, which a call that ran has too.
const ANSWERED: &[&str] = &["approval_request_id"];
/// The members that are read of such an object.
const NAMES: &[&str] = &[
    "type",
    "server_label",
    "server_url",
    "connector_id",
    "tunnel_id",
    "require_approval",
    "tools",
    "approval_request_id",
    "approve",
];
/// Members that hold a JSON Schema: names in it are those of an argument.
const SCHEMAS: &[&str] =
    &["parameters", "input_schema", "output_schema", "inputSchema", "outputSchema", "schema"];

/// Attack: a member that mayi does not take for one of `names`, and the endpoint does.
///
/// # Errors
/// If there is one; one line.
pub(crate) fn refuse_confusable(members: &Map<String, Value>, names: &[&str]) -> Result<(), String> {
    let taken = |name: &&String| !names.contains(&name.as_str()) && names.contains(&&*fold_text(name));
    match members.keys().find(taken) {
        Some(name) => {
            Err(format!("`{}` could be read as another member: write it in small letters", escape_line(name)))
        }
        None => Ok(()),
    }
}

/// Hears of an object, and how deep it stands.
type ObjectVisitor<'a> = dyn FnMut(ObjectKind, &mut Map<String, Value>, usize) -> Result<(), String> + 'a;

/// Hands every server and every answer to an approval in `value` to `found`, wherever it stands; `depth` 0 is `value` itself.
///
/// # Errors
/// If something could be taken for one that is not plainly one, or what `found` says; one line.
pub(crate) fn visit_objects(
    value: &mut Value,
    depth: usize,
    found: &mut ObjectVisitor<'_>,
) -> Result<(), String> {
    visit_value(value, depth, false, found)
}

fn visit_value(
    value: &mut Value,
    depth: usize,
    schema: bool,
    found: &mut ObjectVisitor<'_>,
) -> Result<(), String> {
    match value {
        Value::Array(items) => {
            items.iter_mut().try_for_each(|item| visit_value(item, depth + 1, schema, found))
        }
        Value::Object(members) => {
            match object_kind(members, schema)? {
                ObjectKind::Other => {}
                is => found(is, members, depth)?,
            }
            members.iter_mut().filter(|(name, value)| !is_metadata(name, value)).try_for_each(
                |(name, value)| visit_value(value, depth + 1, schema || SCHEMAS.contains(&&**name), found),
            )
        }
        _ => Ok(()),
    }
}

/// The app's own words about a request, which nobody reads.
fn is_metadata(name: &str, value: &Value) -> bool {
    name == "metadata" && value.as_object().is_some_and(|members| members.values().all(Value::is_string))
}

/// What an object is. `schema`: it is a part of a JSON Schema, where nothing is a server, but its type could still be read.
fn object_kind(members: &Map<String, Value>, schema: bool) -> Result<ObjectKind, String> {
    let has = |names: &[&str]| !schema && members.keys().any(|name| names.contains(&&*fold_text(name)));
    let mut types = members.iter().filter(|(name, _)| fold_text(name) == "type");
    let typed = types.any(|(_, kind)| kind.as_str().is_some_and(is_special));
    let (server, label, answered) = (has(SERVER), has(LABEL), has(ANSWERED));
    if !(typed || server || label || answered) {
        return Ok(ObjectKind::Other);
    }
    refuse_confusable(members, NAMES)?;
    let kind = members.get("type").and_then(Value::as_str);
    match kind {
        Some("mcp") if !answered && !schema => Ok(ObjectKind::Server),
        Some("mcp_approval_response") if !server && !label && !schema => Ok(ObjectKind::Approval),
        Some("mcp_call") if !server => Ok(ObjectKind::Other),
        Some("mcp_approval_request" | "mcp_list_tools") if !server && !answered => Ok(ObjectKind::Other),
        kind => Err(format!(
            "something with the type `{}` could be read as a server, or as an answer to an approval: say its type as \
             the API does",
            escape_line(kind.unwrap_or_default())
        )),
    }
}

/// Whether a type could be read as one that counts here.
fn is_special(kind: &str) -> bool {
    let kind = fold_text(kind);
    kind == "mcp" || kind.starts_with("mcp_approval_")
}
