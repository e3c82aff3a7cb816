//! The keys of a request.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Machine;
use crate::{KINDS, Request, RequestedAction};
use mayi_core::policy::Effect;

fn error(line: &str) -> String {
    Request::from_json(line).unwrap_err().to_string()
}

/// S3.12: what says how to judge is no key of a call that is asked for, and no hint names it.
#[test]
fn given_a_call_that_is_asked_for_then_keys_that_judge_it_are_unknown() {
    let error = |call: Value| Request::from_asked(call).unwrap_err().to_string();
    assert_eq!(
        error(json!({"kind": "read", "path": "x", "foo": 1})),
        "there is no key `foo`: known here: id, kind, path, shell, cwd"
    );
    for (key, value) in [("agent", json!("claude")), ("mode", json!("auto")), ("isolated", json!(true))] {
        let found = error(json!({"kind": "read", "path": "x", key: value}));
        assert!(found.starts_with(&format!("there is no key `{key}`")), "{found}");
    }
    assert!(Request::from_asked(json!({"kind": "read", "path": "x", "cwd": "y"})).is_ok());
}

/// S1.13: the three example lines of `check --stdin`.
#[test]
fn given_the_examples_of_the_surface_then_they_are_understood() {
    let machine = Machine::new("");
    for (line, effect) in [
        (
            r#"{"id":"1","kind":"shell","command":"git status && rm -rf x","cwd":"/w","agent":"claude"}"#,
            Effect::Ask,
        ),
        (
            r#"{"id":"2","kind":"mcp","server":"github","tool":"list_issues","arguments":{"repo":"me/x"}}"#,
            Effect::Ask,
        ),
        (
            r#"{"id":"3","kind":"write","path":"src/a.rs","rules":{"allow":["write(src/**)"],"ask":[],"deny":[]},"matrix":{"write":"deny"},"isolated":true}"#,
            Effect::Allow,
        ),
    ] {
        let request = Request::from_json(line).unwrap();
        assert_eq!(machine.checker().decide(&request).unwrap().effect, effect, "{line}");
    }
}

/// Each kind is about the access that its selector names.
#[test]
fn given_each_kind_then_the_access_is_of_that_kind() {
    let machine = Machine::new("");
    let path = machine.path("w/a");
    for (request, access) in [
        (json!({"kind": "shell", "command": "make -x"}), "shell(make -x)".to_owned()),
        (json!({"kind": "shell", "command": ["make", "a b"]}), "shell(make 'a b')".to_owned()),
        (json!({"kind": "read", "path": "a"}), format!("read({path})")),
        (json!({"kind": "write", "path": "a"}), format!("write({path})")),
        (json!({"kind": "create", "path": "a"}), format!("create({path})")),
        (json!({"kind": "edit", "path": "./a"}), format!("edit({path})")),
        (json!({"kind": "delete", "path": "x/../a"}), format!("delete({path})")),
        (json!({"kind": "move", "path": "a"}), format!("move({path})")),
        (json!({"kind": "fetch", "url": "https://Docs.rs/x"}), "fetch(https://docs.rs/x)".to_owned()),
        (json!({"kind": "fetch", "url": "docs.rs/x"}), "fetch(https://docs.rs/x)".to_owned()),
        (json!({"kind": "fetch", "url": "localhost:3000"}), "fetch(https://localhost:3000/)".to_owned()),
        (json!({"kind": "fetch", "url": "mailto:a@b"}), "tool(an address that is not understood)".to_owned()),
        (
            json!({"kind": "fetch", "url": "javascript:x('y')"}),
            "tool(an address that is not understood)".to_owned(),
        ),
        (json!({"kind": "mcp", "server": "s", "tool": "t"}), "mcp(s/t)".to_owned()),
        (json!({"kind": "tool", "tool": "t", "arguments": {"a": 1}}), "tool(t)".to_owned()),
    ] {
        let decision = machine.decide(request.clone());
        assert_eq!(decision.trail[0].access, access, "{request}");
    }
}

/// "a line that is not understood" says what to write instead, and names the key.
#[test]
fn given_a_mistake_then_the_error_names_the_key() {
    for (line, expected) in [
        (r#"{}"#, "a call needs a `kind`: add `kind`, such as shell, read, write, fetch or mcp"),
        (r#"{"kin":"read"}"#, "there is no key `kin`: did you mean `kind`?"),
        (r#"{"kind":"shel","command":"x"}"#, "no kind is called `shel`: did you mean `shell`?"),
        (
            r#"{"kind":"shell"}"#,
            "a call of kind shell needs `command`: add `command`, such as \"git status\"",
        ),
        (r#"{"kind":"shell","comand":"x"}"#, "there is no key `comand`: did you mean `command`?"),
        (r#"{"kind":"shell","command":1}"#, "`command` is a line, or a list of words: write \"git status\""),
        (
            r#"{"kind":"shell","command":["a",1]}"#,
            "`command` is a line, or a list of words: write \"git status\"",
        ),
        (r#"{"kind":"read","path":""}"#, "`path` is empty: write \".\" for the folder itself"),
        (r#"{"kind":"read","path":["a"]}"#, "`path` is a text, not a list: write \"...\""),
        (
            r#"{"kind":"read","path":"a","workspce":"/"}"#,
            "there is no key `workspce`: did you mean `workspace`?",
        ),
        (
            r#"{"kind":"mcp","server":"s"}"#,
            "a call of kind mcp needs `tool`: add `tool`, such as \"list_issues\"",
        ),
        (
            r#"{"kind":"read","path":"a","mode":"yolo"}"#,
            "no mode is called `yolo`: write plan, default or auto",
        ),
        (
            r#"{"kind":"read","path":"a","agent":"a:b"}"#,
            "no agent can be called `a:b`: write the name as in [agents.NAME]",
        ),
        (
            r#"{"kind":"read","path":"a","rules":{"alow":[]}}"#,
            "there is no key `alow`: did you mean `allow`?",
        ),
        (
            r#"{"kind":"read","path":"a","rules":{"allow":"x"}}"#,
            "`allow` is a list of texts, not a text: write [\"...\"]",
        ),
        (
            r#"{"kind":"read","path":"a","rules":{"allow":["x",1]}}"#,
            "item 2 of `allow` is a text, not a number: write \"...\"",
        ),
        (
            r#"{"kind":"read","path":"a","matrix":{"write":"no"}}"#,
            "no effect is called `no`: write allow, ask or deny",
        ),
        (
            r#"{"kind":"read","path":"a","isolated":"yes"}"#,
            "`isolated` is true or false, not a text: write true",
        ),
        (r#"{"kind":"read","path":"a","id":[]}"#, "`id` is a text or a number: write \"1\""),
        (
            r#"{"kind":"read","path":"a","protection":false}"#,
            "`protection` belongs to an isolated call: set `isolated` too, or leave it out: it counts by itself",
        ),
    ] {
        assert_eq!(error(line), expected, "{line}");
    }
    for kind in KINDS {
        let line = format!("{{\"kind\":\"{kind}\",\"nonsense\":1}}");
        assert!(error(&line).contains("needs"), "{line}: {}", error(&line));
    }
}

/// A pattern that is wrong has its place, for whoever shows the file that it stands in.
#[test]
fn given_a_bad_pattern_then_the_error_says_which() {
    let machine = Machine::new("");
    let request = json!({"kind": "read", "path": "a", "rules": {"ask": ["read(a)", "shel(b)"]}});
    let request: Request = serde_json::from_value(request).unwrap();
    let error = machine.checker().decide(&request).unwrap_err();
    let crate::CheckError::Request(error) = error else { panic!("{error}") };
    assert_eq!((error.at.as_str(), error.hint.as_str()), ("/rules/ask/1", "did you mean `shell(...)`?"));
}

/// Attack 14: "duplicate JSON keys, `1e400`, lone surrogates in arguments: refused".
#[test]
fn given_a_line_that_readers_disagree_on_then_it_is_refused() {
    for line in [
        r#"{"kind":"read","kind":"shell","command":"x","path":"a"}"#,
        r#"{"kind":"mcp","server":"s","tool":"t","arguments":{"a":1,"a":2}}"#,
        r#"{"kind":"mcp","server":"s","tool":"t","arguments":{"a":1e400}}"#,
        r#"{"kind":"read","path":"\ud800"}"#,
        "{\"kind\":\"read\",\"path\":\"a\"} {}",
        "[]",
        "1",
        "",
    ] {
        assert!(Request::from_json(line).is_err(), "{line}");
    }
}

/// `null` is as good as none.
#[test]
fn given_null_then_the_key_counts_as_left_out() {
    let line = r#"{"id":null,"kind":"read","path":"a","cwd":null,"agent":null,"mode":null,"rules":null,"matrix":null,"isolated":null}"#;
    assert_eq!(Request::from_json(line).unwrap(), Request::new(RequestedAction::Read("a".to_owned())));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z*/~.$()\\\\ \u{0}\u{202e}]{0,12}".prop_map(Value::from),
        prop::sample::select(KINDS).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let keys =
            prop_oneof!["allow", "deny", "read", "toolCall", "toolCallId", "rawInput", "path", "command"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    /// "Everything from agents, lines, repositories is hostile": any line gives a decision or an error.
    #[test]
    fn any_line_gives_a_decision_or_an_error(
        text in "\\PC{0,40}",
        kind in prop::sample::select(KINDS),
        values in prop::collection::vec(any_value(), 12),
    ) {
        let _ = Request::from_json(&text);
        let keys = ["command", "path", "url", "server", "tool", "arguments", "request", "cwd", "workspace", "rules", "matrix", "mode"];
        let mut line = json!({"kind": kind, "isolated": true});
        let wanted: &[&str] = match kind {
            "shell" => &["command"],
            "fetch" => &["url"],
            "mcp" => &["server", "tool", "arguments"],
            "tool" => &["tool"],
            "acp" => &["request"],
            _ => &["path"],
        };
        for (key, value) in keys.iter().zip(values) {
            if wanted.contains(key) || (keys.iter().position(|k| k == key) > Some(6) && value.is_object()) {
                line[*key] = value;
            }
        }
        if let Ok(request) = Request::from_json(&line.to_string()) {
            let mut checker = Machine::new("").checker();
            let first = checker.decide(&request).ok();
            prop_assert_eq!(first, checker.decide(&request).ok());
        }
    }
}
