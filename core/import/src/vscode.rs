//! VS Code: `chat.tools.terminal.autoApprove`, `chat.tools.edits.autoApprove` and
//! `chat.tools.urls.autoApprove` of `settings.json`. What is not approved there is asked about.

use serde_json::{Map, Value};

use super::paths::change_patterns;
use super::words::{PatternTail, START, command_patterns};
use super::{RuleCollector, SkipReason, jsonc, regexes};
use mayi_policy::Effect;

const TERMINAL: &str = "chat.tools.terminal.autoApprove";
const EDITS: &str = "chat.tools.edits.autoApprove";
const URLS: &str = "chat.tools.urls.autoApprove";

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let settings = jsonc::parse(text)?;
    let Some(settings) = settings.as_object() else { return Err("is not an object".to_owned()) };
    let off = settings.get("chat.tools.terminal.enableAutoApprove") == Some(&Value::Bool(false));
    for (key, value) in object_entries(settings, TERMINAL, rules) {
        read_terminal_entry(&key, &value, off, rules);
    }
    for (key, value) in object_entries(settings, EDITS, rules) {
        read_edit_entry(&key, &value, rules);
    }
    for (key, value) in object_entries(settings, URLS, rules) {
        read_url_entry(&key, &value, rules);
    }
    for key in ["chat.tools.autoApprove", "chat.tools.global.autoApprove"] {
        if settings.get(key) == Some(&Value::Bool(true)) {
            rules.leave_out(
                &format!("{key}: true"),
                "this allows everything: `mode = \"auto\"` is the like of it, if you mean it",
            );
        }
    }
    Ok(())
}

fn object_entries(
    settings: &Map<String, Value>,
    key: &str,
    rules: &mut RuleCollector<'_>,
) -> Vec<(String, Value)> {
    match settings.get(key) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(map)) => {
            map.iter().take(super::MOST_RULES).map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        Some(other) => {
            rules.leave_out(&format!("{key}: {other}"), "this is not an object");
            Vec::new()
        }
    }
}

fn read_terminal_entry(key: &str, value: &Value, off: bool, rules: &mut RuleCollector<'_>) {
    let from = format!("{TERMINAL}: {key:?}: {value}");
    let (approve, whole) = match value {
        Value::Null => {
            return rules
                .leave_out(&from, "null takes back a default of VS Code, and mayi has no such defaults");
        }
        Value::Bool(approve) => (*approve, false),
        Value::Object(of) => {
            let whole = of.get("matchCommandLine").and_then(Value::as_bool).unwrap_or(false);
            match of.get("approve") {
                Some(Value::Bool(approve)) => (*approve, whole),
                _ => return rules.leave_out(&from, "it does not say whether it approves"),
            }
        }
        _ => return rules.leave_out(&from, "it is neither true nor false"),
    };
    if approve && off {
        return rules.leave_out(
            &from,
            "`chat.tools.terminal.enableAutoApprove` is false, so it has no effect there either",
        );
    }
    if whole && approve {
        return rules.leave_out(
            &from,
            "it is about whole lines (`matchCommandLine`), and mayi judges each command of a line by itself",
        );
    }
    if whole {
        rules.note_difference(
            &from,
            "it is about whole lines (`matchCommandLine`), and here about each command: what stands in several of them is not seen together",
        );
    }
    let effect = if approve { Effect::Allow } else { Effect::Ask };
    let found = match split_regex(key) {
        Some((source, flags)) => regex_key_patterns(source, flags, effect),
        None => prefix_patterns(key, effect),
    };
    rules.add_rules(effect, found, &from);
}

/// `/source/flags`: a key of another form, also a path, is plain.
fn split_regex(key: &str) -> Option<(&str, &str)> {
    let (source, flags) = key.strip_prefix('/')?.rsplit_once('/')?;
    (!source.is_empty() && flags.chars().all(|c| "dgimsuvy".contains(c))).then_some((source, flags))
}

fn regex_key_patterns(source: &str, flags: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if let Some(flag) = flags.chars().find(|c| !"giu".contains(*c)) {
        return Err(format!("the flag `{flag}` has no counterpart"));
    }
    let ignore_case = flags.contains('i');
    regexes::regex_patterns(source, ignore_case, effect)
}

/// A plain key is the beginning of the command, up to the end of a word.
fn prefix_patterns(key: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if key.contains('*') {
        return Err("`*` is a plain character there, and a wildcard here".to_owned());
    }
    let found = command_patterns(key, PatternTail::Words, effect)?;
    if effect == Effect::Allow || !key.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(found);
    }
    // `rm` is about `rm-all` and `rm.sh` there too.
    Ok(vec![format!("shell(/{START}{}(?-u:\\b)/)", regex::escape(key.trim()))])
}

fn read_edit_entry(key: &str, value: &Value, rules: &mut RuleCollector<'_>) {
    let from = format!("{EDITS}: {key:?}: {value}");
    let Some(approve) = value.as_bool() else {
        return rules.leave_out(&from, "it is neither true nor false");
    };
    let effect = if approve { Effect::Allow } else { Effect::Ask };
    let escapes = key.contains("..") || key.contains('\\') || key.starts_with('!');
    if key.is_empty() || escapes {
        return rules.leave_out(&from, "a path like that has no certain counterpart");
    }
    // Alternatives in braces are the same here; what is not absolute is about the workspace.
    let path = match (approve, key.strip_prefix("**/")) {
        _ if key.starts_with('/') || key.starts_with('~') => key.to_owned(),
        (true, Some("*")) => "./**".to_owned(),
        (false, Some("*")) => "**".to_owned(),
        (false, Some(_)) => key.to_owned(),
        _ => format!("./{key}"),
    };
    rules.add_rules(effect, Ok(change_patterns(&path, effect)), &from);
}

fn read_url_entry(key: &str, value: &Value, rules: &mut RuleCollector<'_>) {
    let from = format!("{URLS}: {key:?}: {value}");
    let (request, response) = match value {
        Value::Bool(approve) => (*approve, *approve),
        Value::Object(of) => {
            let flag = |key: &str| match of.get(key) {
                None => Some(false),
                Some(Value::Bool(is)) => Some(*is),
                // A list of addresses by itself.
                Some(_) => None,
            };
            match (flag("approveRequest"), flag("approveResponse")) {
                (Some(request), Some(response)) => (request, response),
                _ => return rules.leave_out(&from, "a list of approvals in it has no counterpart"),
            }
        }
        _ => return rules.leave_out(&from, "it is neither true nor false"),
    };
    if request && !response {
        return rules
            .leave_out(&from, "there what comes back is still asked about, and mayi asks once, before");
    }
    let effect = if request { Effect::Allow } else { Effect::Ask };
    let (scheme, rest) = match key.split_once("://") {
        Some((scheme @ ("http" | "https"), rest)) => (Some(scheme), rest),
        Some(_) => return rules.leave_out(&from, "it is neither http nor https"),
        None => (None, key),
    };
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let found = match effect {
        // What is asked about, is for the whole host: that is more.
        Effect::Ask => format!("fetch({})", host.strip_prefix("*.").unwrap_or(host)),
        _ => match (scheme, rest.len() > host.len()) {
            (Some(scheme), true) => format!("fetch({scheme}://{rest})"),
            (Some(scheme), false) => format!("fetch({scheme}://{host}/)"),
            (None, false) => format!("fetch({host})"),
            (None, true) => format!("fetch(https://{rest})"),
        },
    };
    rules.add_rule(effect, found, &from);
}
