//! The agent's options: chosen by kind, never by position, name or id, and a mode switch never.

use serde_json::Value;

use mayi_core::approval::{AgentOption, OptionKind};

/// Reads the options of a request. Items that are no options are dropped, and said so.
pub fn read(options: Option<&Value>, not_shown: &mut Vec<String>) -> Vec<AgentOption> {
    let Some(items) = options.and_then(Value::as_array) else {
        not_shown.push("the request has no list of options".to_owned());
        return Vec::new();
    };
    let mut read = Vec::new();
    for item in items {
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        match (text("optionId"), text("kind")) {
            (Some(option_id), Some(word)) => {
                let kind = OptionKind::from_word(&word);
                // What another kind would do is not known.
                if kind == OptionKind::Unknown {
                    not_shown.push(format!("an option of the unknown kind {word} was left out"));
                    continue;
                }
                let name = text("name").unwrap_or_else(|| option_id.clone());
                let mut option = AgentOption { option_id, name, kind, danger: None };
                option.danger = describe_danger(&option);
                read.push(option);
            }
            _ => not_shown.push("an option without id or kind was left out".to_owned()),
        }
    }
    // An id that stands for two options says nothing.
    let ids: Vec<String> = read.iter().map(|option| option.option_id.clone()).collect();
    let before = read.len();
    read.retain(|option| ids.iter().filter(|id| **id == option.option_id).count() == 1);
    if read.len() < before {
        not_shown.push("options that share one id were left out".to_owned());
    }
    read
}

/// The option that allows this call and nothing more: one of kind `allow_once` that switches no
/// mode. Never `allow_always`: what is remembered, mayi remembers.
pub fn find_allow_once(options: &[AgentOption]) -> Option<&AgentOption> {
    options.iter().find(|option| option.kind == OptionKind::AllowOnce && option.danger.is_none())
}

/// The option that rejects this call, if possible one after which the turn goes on.
pub fn find_reject_once(options: &[AgentOption]) -> Option<&AgentOption> {
    let mut rejects = options.iter().filter(|option| option.kind == OptionKind::RejectOnce).peekable();
    let first = rejects.peek().copied();
    rejects.find(|option| !ends_turn(option)).or(first)
}

fn ends_turn(option: &AgentOption) -> bool {
    has_any(option, &["abort", "cancel", "stop", "tell", "differently", "interrupt"])
}

fn describe_danger(option: &AgentOption) -> Option<String> {
    if option.kind.allows() && has_any(option, MODES) {
        return Some("switches the agent into a mode in which it asks less, or not at all".to_owned());
    }
    match option.kind {
        OptionKind::AllowOnce if has_any(option, MORE) => {
            Some("allows more than this once, whatever its kind says".to_owned())
        }
        OptionKind::AllowOnce | OptionKind::RejectOnce => None,
        _ => Some("the agent remembers this by itself, where mayi can't see it".to_owned()),
    }
}

/// Words of options that do more than answer this one question.
const MODES: &[&str] = &[
    "mode",
    "bypass",
    "yolo",
    "auto-approve",
    "auto approve",
    "acceptedits",
    "accept edits",
    "full access",
    "full-access",
    "all edits",
    "dontask",
    "exit-plan",
    "skip permission",
    "dangerously",
];

/// Words of options that allow more than this once.
const MORE: &[&str] =
    &["always", "don't ask", "do not ask", "session", "remember", "to all", "everything", "from now on"];

fn has_any(option: &AgentOption, words: &[&str]) -> bool {
    let text = format!("{}\n{}", option.option_id, option.name).to_lowercase();
    words.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn options_from_list(list: &[(&str, &str, &str)]) -> Vec<AgentOption> {
        let list: Vec<Value> =
            list.iter().map(|(id, name, kind)| json!({"optionId": id, "name": name, "kind": kind})).collect();
        read(Some(&json!(list)), &mut Vec::new())
    }

    fn picked_ids(list: &[(&str, &str, &str)]) -> (Option<String>, Option<String>) {
        let options = options_from_list(list);
        (
            find_allow_once(&options).map(|o| o.option_id.clone()),
            find_reject_once(&options).map(|o| o.option_id.clone()),
        )
    }

    /// D6.26: mayi's own allow picks only `allow_once`.
    #[test]
    fn given_allow_always_first_then_allow_once_is_picked() {
        let list = [
            ("always", "Always", "allow_always"),
            ("once", "Yes", "allow_once"),
            ("no", "No", "reject_once"),
        ];
        assert_eq!(picked_ids(&list), (Some("once".into()), Some("no".into())));
        assert_eq!(picked_ids(&[("a", "All", "allow_always"), ("n", "No", "reject_once")]).0, None);
    }

    /// Attack 12: "a mode switch offered as `allow_once`: asked in every mode, never automatic".
    #[test]
    fn given_a_mode_switch_as_allow_once_then_it_is_not_picked() {
        for (id, name) in [
            ("exit-plan-default", "Yes, manually approve edits"),
            ("bypassPermissions", "Yes"),
            ("x", "Yes, and switch to auto mode"),
            ("x", "Yes, allow all edits during this session"),
            ("acceptEdits", "Yes"),
            ("x", "Yes, and don't ask again this session"),
            ("x", "Always allow"),
            ("x", "Yes to all"),
        ] {
            assert_eq!(picked_ids(&[(id, name, "allow_once")]).0, None, "{id} {name}");
        }
    }

    /// D6.27: A denial picks a `reject_once` that lets the turn go on.
    #[test]
    fn given_two_rejects_then_the_one_that_goes_on_is_picked() {
        let list = [
            ("abort", "No, and tell Codex what to do differently", "reject_once"),
            ("denied", "No, continue without running it", "reject_once"),
        ];
        assert_eq!(picked_ids(&list).1, Some("denied".into()));
        assert_eq!(picked_ids(&[("abort", "No", "reject_once")]).1, Some("abort".into()));
        assert_eq!(picked_ids(&[("never", "Never", "reject_always")]).1, None);
    }

    /// Attack 30.
    #[test]
    fn given_one_id_for_two_options_then_neither_counts() {
        assert_eq!(picked_ids(&[("x", "Yes", "allow_once"), ("x", "No", "reject_once")]), (None, None));
    }

    #[test]
    fn given_rubbish_then_it_is_said() {
        let mut said = Vec::new();
        assert!(read(None, &mut said).is_empty());
        assert!(read(Some(&json!([1, {"optionId": "x"}, {"kind": "allow_once"}])), &mut said).is_empty());
        assert_eq!(said.len(), 4);
    }
}
