//! Requests that something runs outside of a sandbox that the harness would put it in, or with more rights than it gives by
//! itself (D4.30). Harnesses ask for it by members of a tool's input, each by its own words: what a name speaks of counts, in
//! any spelling (`dangerouslyDisableSandbox`, `sandbox_permissions`, `with-escalated-permissions`).

use serde_json::Value;

use super::argument_names::ToolKind;
use super::{Access, Call, McpAccess, effort};

/// What is left: parts of names that speak of it, written without marks and in small letters.
const SANDBOX: &[&str] = &["sandbox", "seatbelt", "landlock", "bubblewrap", "isolation", "confine"];
/// Parts of a name beside these by which a value that says yes leaves it, not one that says no.
const LEAVING: &[&str] = &[
    "allow",
    "bypass",
    "danger",
    "disable",
    "escalat",
    "escape",
    "elevat",
    "except",
    "exempt",
    "ignore",
    "leave",
    "no",
    "non",
    "not",
    "off",
    "out",
    "outside",
    "override",
    "permission",
    "skip",
    "suspend",
    "un",
    "without",
];
/// Parts of a name that speak of more rights.
const ESCALATING: &[&str] = &["escalat", "elevat", "privileg", "superuser", "sudo", "asroot", "asadmin"];
/// The same, where one of both lists stands in it.
const MORE: &[&str] = &[
    "additional",
    "all",
    "bypass",
    "danger",
    "extra",
    "full",
    "ignore",
    "more",
    "request",
    "skip",
    "unrestrict",
];
const RIGHTS: &[&str] = &["permission", "access", "approval", "restriction"];
/// Parts of names whose value may be one of [`WORDS`].
const MODES: &[&str] =
    &["sandbox", "permission", "approval", "mode", "policy", "access", "profile", "security"];
/// Parts of values that say it by themselves.
const WORDS: &[&str] = &[
    "bypass",
    "dangerfullaccess",
    "dangerously",
    "disablesandbox",
    "escalat",
    "fullaccess",
    "nosandbox",
    "unrestricted",
    "unsandboxed",
    "withadditional",
];
/// Values that say no, and those that leave it at what is usual.
const NO: &[&str] = &["", "0", "disabled", "false", "never", "no", "none", "null", "off"];
const USUAL: &[&str] =
    &["default", "inherit", "inherited", "restricted", "sandboxed", "standard", "usedefault"];
/// Names of a member that says of what stands around it whether it holds.
const HOLDS: &[&str] = &["active", "enable", "enabled", "on", "use"];

/// Ends of names whose text may be arguments, as JSON. Any other text is what is written or said, whatever it looks like.
const ARGUMENTS: &[&str] = &["args", "arguments", "input", "options", "parameters", "params"];

/// Maximum depth to which texts that hold JSON are read.
const DEEPEST_INNER: usize = 4;
/// The longest such text; more of one asks for nothing that is known.
const LONGEST_INNER: usize = 64 * 1024;
/// Steps of a member, beside its name's bytes: all parts of names are looked for in it.
const MEMBER: usize = 40;

impl Call {
    /// The member of its input by which it would leave the harness's sandbox, or get more rights. Of a tool of a server only if
    /// that runs something: to others such words are about something else.
    #[must_use]
    pub fn leaves_sandbox(&self) -> Option<String> {
        let runs = |access: &Access| match access {
            Access::Mcp(mcp) => runs_something(mcp),
            _ => true,
        };
        self.accesses.iter().any(runs).then(|| leaving_member(&self.raw_input)).flatten()
    }
}

/// The member of a tool's input by which it asks for that. Where the budget ends, none: then it is asked about anyway (D2.40).
#[must_use]
pub fn leaving_member(input: &Value) -> Option<String> {
    match input {
        Value::String(text) => leaving_member_of_text(text, false, 0),
        input => leaving_member_within(input, false, 0),
    }
}

fn runs_something(mcp: &McpAccess) -> bool {
    let shell = |access: &Access| matches!(access, Access::Shell(_));
    ToolKind::of(&mcp.readings).is_shell()
        || mcp.inside.iter().chain(&mcp.guesses).any(shell)
        || mcp.arguments.as_object().is_some_and(ToolKind::names_code)
}

/// The first member in `input`, at any depth, that asks for it. `within`: it stands in a member that is about a sandbox, and is
/// about that, too; `depth`: number of texts that it stands in.
fn leaving_member_within(input: &Value, within: bool, depth: usize) -> Option<String> {
    let mut todo = vec![(input, within, false)];
    while let Some((value, within, arguments)) = todo.pop() {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if !effort::spend(MEMBER + name.len()) {
                        return None;
                    }
                    let plain = plain_text(name);
                    if asks_to_leave(&plain, member, within) {
                        return Some(name.clone());
                    }
                    let arguments = ARGUMENTS.iter().any(|end| plain.ends_with(end));
                    todo.push((member, within || speaks_of(&plain, SANDBOX), arguments));
                }
            }
            Value::Array(items) => todo.extend(items.iter().map(|item| (item, within, arguments))),
            Value::String(text) if within || arguments => {
                if let Some(found) = leaving_member_of_text(text, within, depth) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// The same in arguments that are written as text.
fn leaving_member_of_text(text: &str, within: bool, depth: usize) -> Option<String> {
    let bounded = depth < DEEPEST_INNER && text.len() <= LONGEST_INNER && effort::spend(text.len());
    if !bounded || !text.trim_start().starts_with(['{', '[', '"']) {
        return None;
    }
    let inner: Value = serde_json::from_str(text).ok()?;
    match inner {
        Value::String(inner) => leaving_member_of_text(&inner, within, depth + 1),
        inner => leaving_member_within(&inner, within, depth + 1),
    }
}

fn asks_to_leave(name: &str, value: &Value, within: bool) -> bool {
    let (sandbox, about) = (speaks_of(name, SANDBOX), |parts| speaks_of(name, parts));
    let more = about(MORE) && about(RIGHTS);
    if sandbox && leaves_by_name(name) || !sandbox && (about(ESCALATING) || more) {
        return says_yes(value);
    }
    let says = |text: &str| {
        let word = text.len() <= 64 && !text.trim().contains(char::is_whitespace);
        word && speaks_of(&plain_text(text), WORDS)
    };
    match value {
        Value::String(text) if sandbox || within => says(text) || sandbox && says_no(value),
        Value::String(text) => about(MODES) && says(text),
        Value::Bool(_) | Value::Number(_) if within => {
            let (holds, ends) = (HOLDS.contains(&name), about(&["disable", "bypass", "off"]));
            holds && says_no(value) || (ends || more) && says_yes(value)
        }
        Value::Bool(_) | Value::Number(_) => sandbox && says_no(value),
        _ => false,
    }
}

/// Whether a name that is about a sandbox is about leaving it: beside the word itself, so that `isolation` has no `no` in it.
fn leaves_by_name(name: &str) -> bool {
    let around = SANDBOX.iter().fold(name.to_owned(), |name, part| name.replace(part, "-"));
    // Few letters are a word only right beside it.
    let beside = |part: &str| around.contains(&format!("{part}-")) || around.contains(&format!("-{part}"));
    LEAVING.iter().any(|part| if part.len() > 3 { around.contains(part) } else { beside(part) })
}

fn speaks_of(plain: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| plain.contains(part))
}

fn says_no(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => !yes,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => NO.contains(&plain_text(text).as_str()) && !text.is_empty(),
        _ => false,
    }
}

fn says_yes(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let plain = plain_text(text);
            !NO.contains(&plain.as_str()) && !USUAL.contains(&plain.as_str())
        }
        Value::Array(items) => items.iter().any(says_yes),
        Value::Object(members) => members.values().any(says_yes),
    }
}

/// A name without what spellings differ in.
fn plain_text(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Attack 730.
    #[test]
    fn given_a_member_that_speaks_of_leaving_a_sandbox_then_it_is_found_in_any_spelling() {
        for input in [
            json!({ "dangerouslyDisableSandbox": true }),
            json!({ "dangerously_disable_sandbox": true }),
            json!({ "dangerously-disable-sandbox": "true" }),
            json!({ "with_escalated_permissions": true }),
            json!({ "withEscalatedPermissions": 1 }),
            json!({ "sandbox_permissions": "require_escalated" }),
            json!({ "sandboxPermissions": "with_additional_permissions" }),
            json!({ "sandbox_permissions": ["disk-full-read-access"] }),
            json!({ "require_escalated": true }),
            json!({ "requireEscalated": "yes" }),
            json!({ "additional_permissions": { "network": true } }),
            json!({ "escalate": true }),
            json!({ "elevated": true }),
            json!({ "runAsRoot": true }),
            json!({ "no_sandbox": true }),
            json!({ "noSandbox": true }),
            json!({ "SANDBOX_OFF": true }),
            json!({ "unsandboxed": true }),
            json!({ "outside-sandbox": "on" }),
            json!({ "bypassSandbox": {} , "skip_sandbox": { "reason": "network" } }),
            json!({ "sandbox": false }),
            json!({ "sandbox": "none" }),
            json!({ "use_sandbox": 0 }),
            json!({ "sandbox_mode": "danger-full-access" }),
            json!({ "sandboxPolicy": { "type": "dangerFullAccess" } }),
            json!({ "sandbox": { "enabled": false } }),
            json!({ "sandbox": { "network": { "disabled": true } } }),
            json!({ "permission_mode": "bypassPermissions" }),
            json!({ "dangerouslySkipPermissions": true }),
            json!({ "command": "npm test", "options": [{ "execution": { "disableSandbox": true } }] }),
            json!({ "arguments": "{\"command\":\"ls\",\"sandbox_permissions\":\"require_escalated\"}" }),
            json!({ "arguments": json!(json!({ "sandbox": false }).to_string()).to_string() }),
            json!("{\"sandbox\": false}"),
            json!({ "toolInput": "{\"sandbox\": false}" }),
        ] {
            assert!(leaving_member(&input).is_some(), "{input}");
        }
    }

    #[test]
    fn given_what_leaves_it_at_what_is_usual_then_nothing_is_found() {
        for input in [
            json!({ "dangerouslyDisableSandbox": false }),
            json!({ "dangerouslyDisableSandbox": null }),
            json!({ "disable_sandbox": "false" }),
            json!({ "sandbox_permissions": "use_default" }),
            json!({ "sandbox_permissions": "useDefault" }),
            json!({ "sandbox_permissions": null }),
            json!({ "sandbox_permissions": [] }),
            json!({ "with_escalated_permissions": false, "justification": "to run outside of the sandbox" }),
            json!({ "sandbox": true }),
            json!({ "sandbox": { "enabled": true, "mode": "workspace-write" } }),
            json!({ "sandbox_mode": "read-only" }),
            json!({ "isolation": "worktree" }),
            json!({ "sandbox": "docker", "sandbox_id": "a1" }),
            json!({ "permission_mode": "default", "mode": "auto" }),
            json!({ "description": "disable the sandbox", "command": "echo disableSandbox" }),
            json!({ "notes": "{ not json" }),
            // What is written to a file, and what an agent is told.
            json!({ "file_path": "a.json", "content": "{\"sandbox\": false, \"elevation\": 1200}" }),
            json!({ "new_string": "{\"privileged\": true}", "prompt": "[{\"sandbox\": \"none\"}]" }),
        ] {
            assert_eq!(leaving_member(&input), None, "{input}");
        }
    }
}
