//! Changes that only the input of a call tells.

use super::*;

/// S2.13, attack 750: the lines that change stand on the card, with what the file holds now where all of it is written anew.
#[test]
fn given_a_change_in_the_input_alone_then_the_card_has_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a.js"), "one\ntwo\n").unwrap();
    let session = Session { roots: vec![root.clone()], cwd: root, ..session() };
    let of = |input: Value| {
        let known = ToolCallState::from_fields(&json!({"kind": "edit", "title": "Edit", "rawInput": input}));
        let from = CallOrigin { door: Door::AcpPermission, session: &session, tool_call_id: Some("t") };
        tool_call(&from, &known, Vec::new()).diffs
    };
    let diff = |path: &str, old: Option<&str>, new: &str| Diff {
        path: path.to_owned(),
        old_text: old.map(str::to_owned),
        new_text: new.to_owned(),
    };
    let whole = diff("a.js", Some("one\ntwo\n"), "one\n2\n");
    assert_eq!(of(json!({"file_path": "a.js", "content": "one\n2\n"})), [whole]);
    assert_eq!(of(json!({"file_path": "new.js", "content": "x"})), [diff("new.js", None, "x")]);
    let part = diff("a.js", Some("two"), "2");
    assert_eq!(of(json!({"filePath": "a.js", "oldString": "two", "newString": "2"})), [part]);
}
