//! Accesses without what follows from the rest: most of a command's words could be paths, and most paths
//! are just where they seem to be.

use std::path::Path;

use serde_json::{Map, Value};

use mayi_call::PathAccess;

/// Members that are left out where they are `null`, `false` or empty, which is what they are if they are
/// left out.
const USUAL: &[&str] = &[
    "always",
    "assignments",
    "candidates",
    "caveats",
    "glob",
    "hard_linked",
    "other_host",
    "outer",
    "port",
    "reader",
    "scripts",
    "slashes",
    "splits",
    "touches",
    "unresolved",
    "urls",
];

/// What somebody else wrote: it stays as it is.
const FOREIGN: &str = "arguments";

/// Leaves out what [`restore_value`] puts back.
pub(super) fn shrink_value(value: &mut Value, cwd: &Path) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| shrink_value(item, cwd)),
        Value::Object(members) => {
            for (_, member) in members.iter_mut().filter(|(name, _)| *name != FOREIGN) {
                shrink_value(member, cwd);
            }
            members.retain(|name, member| !(USUAL.contains(&name.as_str()) && is_usual(member)));
            if members.get("how").is_some_and(|how| how == "either") {
                members.remove("how");
            }
            if members.get("reach").is_some_and(|reach| reach == "itself") {
                members.remove("reach");
            }
            if members.get("named").is_some_and(|named| named == "nothing") {
                members.remove("named");
            }
            shrink_path(members, cwd);
        }
        _ => {}
    }
}

/// Puts back what [`shrink_value`] left out of paths; the rest has defaults.
pub(super) fn restore_value(value: &mut Value, cwd: &Path) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| restore_value(item, cwd)),
        Value::Object(members) => {
            for (_, member) in members.iter_mut().filter(|(name, _)| *name != FOREIGN) {
                restore_value(member, cwd);
            }
            grow_path(members, cwd);
        }
        _ => {}
    }
}

fn is_usual(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// The lexical form of what was given, in the call's own folder.
fn lexical_path(given: &str, cwd: &Path) -> Option<String> {
    PathAccess::without_lookup(cwd, given).lexical.into_os_string().into_string().ok()
}

/// A path has its resolved form only where it is another than the lexical one, and that only where it is
/// not what was given, in the call's own folder. An address has neither.
fn shrink_path(members: &mut Map<String, Value>, cwd: &Path) {
    let (Some(Value::String(given)), Some(Value::String(of_text)), Some(resolved)) =
        (members.get("given"), members.get("lexical"), members.get("resolved"))
    else {
        return;
    };
    let same = resolved.as_str() == Some(of_text);
    let follows = lexical_path(given, cwd).as_ref() == Some(of_text);
    if same {
        members.remove("resolved");
    }
    if follows {
        members.remove("lexical");
    }
}

fn grow_path(members: &mut Map<String, Value>, cwd: &Path) {
    // Addresses have a host, and what is open has pieces.
    let Some(given) = members.get("given").and_then(Value::as_str) else { return };
    if members.contains_key("host") || members.contains_key("pieces") {
        return;
    }
    let of_text = match members.get("lexical").and_then(Value::as_str) {
        Some(of_text) => of_text.to_owned(),
        // Without one that is text, it is beside.
        None => lexical_path(given, cwd).unwrap_or_default(),
    };
    if !members.contains_key("resolved") {
        members.insert("resolved".to_owned(), Value::from(of_text.clone()));
    }
    members.insert("lexical".to_owned(), Value::from(of_text));
}
