//! Parts of well-formed messages.

use serde_json::{Value, json};

/// A file of the session's folder; an absolute path stays what it is.
pub(crate) fn path(cwd: &str, path: &str) -> String {
    std::path::Path::new(cwd).join(path).to_string_lossy().into_owned()
}

/// The parameters of a permission request.
pub(crate) fn permission(session: &str, call: &Value, options: &Value) -> Value {
    json!({ "sessionId": session, "toolCall": call, "options": options })
}

/// A call that writes a new file.
pub(crate) fn edit(cwd: &str, file: &str, content: &str) -> Value {
    let path = path(cwd, file);
    json!({
        "toolCallId": format!("edit-{file}"),
        "title": format!("Write {file}"),
        "kind": "edit",
        "status": "pending",
        "rawInput": { "path": path, "content": content },
        "locations": [{ "path": path }],
        "content": [{ "type": "diff", "path": path, "oldText": null, "newText": content }],
    })
}

/// The call that runs `touch b.txt`.
pub(crate) fn execute(cwd: &str) -> Value {
    json!({
        "toolCallId": "execute-1",
        "title": "touch b.txt",
        "kind": "execute",
        "status": "pending",
        "rawInput": { "command": "touch b.txt", "cwd": cwd },
    })
}

pub(crate) fn option(id: &str, name: &str, kind: &str) -> Value {
    json!({ "optionId": id, "name": name, "kind": kind })
}

/// The usual options.
pub(crate) fn options() -> Value {
    json!([option("allow", "Allow", "allow_once"), option("reject", "Reject", "reject_once")])
}

/// The object with this member, in place of one of that name.
pub(crate) fn with(mut object: Value, name: &str, member: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), member);
    }
    object
}
