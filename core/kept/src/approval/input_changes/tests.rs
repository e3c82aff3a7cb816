use std::path::Path;

use super::*;
use mayi_call::{AgentId, Door, SessionId, UrlAccess, WriteKind};
use serde_json::json;

fn changing(input: Value, paths: &[&str]) -> Call {
    let write =
        |path: &&str| Access::write(WriteKind::Edit, PathAccess::without_lookup(Path::new("/w"), path));
    let accesses = paths.iter().map(write).collect();
    let nothing =
        Call::new(Door::AcpPermission, AgentId::from_name("a"), SessionId("s".to_owned()), "/w".into());
    Call { kind: "edit".to_owned(), raw_input: input, accesses, ..nothing }
}

/// The diffs of an input that changes `a.js`, and what stands open beside them.
fn shown(input: Value) -> (Vec<(Option<String>, String)>, Value) {
    shown_of(input, &["a.js"])
}

fn shown_of(input: Value, paths: &[&str]) -> (Vec<(Option<String>, String)>, Value) {
    let mut call = changing(input, paths);
    call.diffs = untold_diffs(&call);
    let diffs = call.diffs.iter().map(|diff| (diff.old_text.clone(), diff.new_text.clone())).collect();
    (diffs, open_input(&call).unwrap_or(Value::Null))
}

fn part(old: &str, new: &str) -> Vec<(Option<String>, String)> {
    vec![(Some(old.to_owned()), new.to_owned())]
}

const UNIFIED: &str = "--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";

/// S2.13: a change that only the input tells is shown as a diff, whatever an agent calls its parts. Attack 750.
#[test]
fn given_a_change_in_the_input_alone_then_it_is_a_diff() {
    for input in [
        json!({"file_path": "a.js", "old_string": "x", "new_string": "y"}),
        json!({"filePath": "/w/a.js", "oldString": "x", "newString": "y", "replaceAll": false}),
        json!({"path": "a.js", "old_str": "x", "new_str": "y", "command": "str_replace"}),
        json!({"target_file": "a.js", "search": "x", "replace": "y"}),
        json!({"uri": "a.js", "find": "x", "replacement": "y"}),
        json!({"file": "a.js", "before": "x", "after": "y"}),
        json!({"path": "a.js", "edits": [{"oldText": "x", "newText": "y"}]}),
        json!({"edits": [{"filename": "a.js", "search_text": "x", "replace_with": "y"}]}),
        json!({"old_string": "x", "new_string": "y"}),
        json!({"edit": {"file": {"path": "a.js"}, "original_code": "x", "updated_code": "y"}}),
        json!({"path": "a.js", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"}),
        json!({"path": "a.js", "diff": "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE"}),
        json!({"patch": "*** Begin Patch\n*** Update File: a.js\n@@\n-x\n+y\n*** End Patch"}),
        json!({"changes": {"/w/a.js": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n"}}, "call_id": "c"}),
        json!("*** Begin Patch\n*** Update File: a.js\n@@\n-x\n+y\n*** End Patch"),
    ] {
        let (diffs, open) = shown(input.clone());
        let trimmed: Vec<_> =
            diffs.iter().map(|(old, new)| (old.as_deref().map(str::trim), new.trim())).collect();
        assert_eq!(trimmed, [(Some("x"), "y")], "{input}");
        assert_eq!(open, Value::Null, "{input}");
    }
    for input in [
        json!({"file_path": "a.js", "content": "x\n"}),
        json!({"path": "a.js", "file_text": "x\n", "command": "create"}),
        json!({"filename": "a.js", "code": "x\n"}),
        json!({"changes": {"a.js": {"type": "add", "content": "x\n"}}}),
        json!({"patch": "*** Begin Patch\n*** Add File: a.js\n+x\n*** End Patch\n"}),
        json!({"diff": "--- /dev/null\n+++ b/a.js\n@@ -0,0 +1 @@\n+x\n"}),
    ] {
        let (diffs, open) = shown(input.clone());
        assert_eq!((diffs, open), (vec![(None, "x\n".to_owned())], Value::Null), "{input}");
    }
    assert_eq!(
        shown(json!({"path": "a.js", "patch": UNIFIED})),
        (part("one\ntwo\n", "one\n2\n"), Value::Null)
    );
}

/// S2.13: what no diff says stands open, and what is not understood makes none. Attack 751.
#[test]
fn given_more_in_the_input_than_its_diff_says_then_that_stands_open() {
    for (input, diffs, open) in [
        (
            json!({"path": "a.js", "old": "x", "new": "y", "then_run": "rm -rf ~"}),
            1,
            json!({"then_run": "rm -rf ~"}),
        ),
        (
            json!({"path": "a.js", "old": "x", "new": "y", "replace_all": true}),
            1,
            json!({"replace_all": true}),
        ),
        (json!({"path": "a.js", "content": "x", "description": "why"}), 1, json!({"description": "why"})),
        (json!({"path": "a.js", "content": "x", "append": true}), 0, json!({"append": true, "content": "x"})),
        (
            json!({"path": "a.js", "insert_line": 3, "insert_text": "x"}),
            0,
            json!({"insert_line": 3, "insert_text": "x"}),
        ),
        (
            json!({"path": "a.js", "pattern": "x+", "replacement": "y"}),
            0,
            json!({"pattern": "x+", "replacement": "y"}),
        ),
        (json!({"path": "a.js", "new_string": "y"}), 0, json!({"new_string": "y"})),
        (
            json!({"changes": {"a.js": {"type": "delete", "content": "x"}}}),
            0,
            json!({"changes": {"a.js": {"content": "x", "type": "delete"}}}),
        ),
        (
            json!({"path": "a.js", "old": "x", "new": "y", "old_text": "z"}),
            0,
            json!({"new": "y", "old": "x", "old_text": "z"}),
        ),
        (json!({"path": "other.js", "old": "x", "new": "y"}), 1, json!({"path": "other.js"})),
        (
            json!({"path": "a.js", "edits": [{"old": "x", "new": "y"}, {"at": 3, "put": "z"}]}),
            1,
            json!({"edits": [{"at": 3, "put": "z"}]}),
        ),
    ] {
        let (made, beside) = shown(input.clone());
        assert_eq!((made.len(), beside), (diffs, open), "{input}");
    }
    let hinted = "*** Begin Patch\n*** Update File: a.js\n@@ fn main\n-x\n+y\n*** End Patch";
    assert_eq!(shown(json!({"patch": hinted})), (part("x\n", "y\n"), json!({"patch": hinted})));
    // A line that no patch has, a hunk that is shorter than it says, a file that the call does not change.
    for odd in [
        format!("{UNIFIED}rm -rf ~\n"),
        "--- a/a.js\n+++ b/a.js\n@@ -1,3 +1,3 @@\n-x\n+y\n".to_owned(),
        UNIFIED.replace("a.js", "b.js"),
        "*** Begin Patch\n*** Update File: b.js\n@@\n-x\n+y\n*** End Patch".to_owned(),
        "<<<<<<< SEARCH\nx\n=======\ny\n".to_owned(),
    ] {
        assert_eq!(shown(json!({"path": "a.js", "patch": odd})), (vec![], json!({"patch": odd})), "{odd}");
    }
}

/// What came as a diff is not shown once more, also where the input has a part of it only; another change is. Attack 751.
#[test]
fn given_a_diff_that_came_with_the_call_then_only_what_it_does_not_say_is_added() {
    let whole = |new: &str| Diff {
        path: "/w/a.js".into(),
        old_text: Some("a\nx\nb\nx\n".into()),
        new_text: new.into(),
    };
    let mut call = changing(
        json!({"path": "a.js", "old_string": "x", "new_string": "y", "replace_all": true}),
        &["a.js"],
    );
    for said in ["a\ny\nb\nx\n", "a\ny\nb\ny\n"] {
        call.diffs = vec![whole(said)];
        assert_eq!(untold_diffs(&call), []);
        assert_eq!(open_input(&call), Some(json!({"replace_all": true})));
    }
    call.diffs = vec![whole("a\nz\nb\nx\n")];
    assert_eq!(untold_diffs(&call).len(), 1, "the input says another change than the diff");
    assert_eq!(open_input(&call), Some(call.raw_input.clone()), "until it is shown, all of the input is");
    let patch = json!({"filepath": "a.js", "diff": "Index: a.js\n====\n--- a.js\n+++ a.js\n@@ -1,2 +1,2 @@\n a\n-x\n+1\n@@ -3,2 +3,2 @@\n b\n-x\n+2\n"});
    let call = Call { diffs: vec![whole("a\n1\nb\n2\n")], ..changing(patch, &["a.js"]) };
    assert_eq!((untold_diffs(&call), open_input(&call)), (vec![], None));
}

/// Several files each have their own. Attack 750.
#[test]
fn given_changes_of_several_files_then_each_diff_is_of_its_own() {
    let input =
        json!({"edits": [{"path": "a.js", "old": "x", "new": "y"}, {"path": "b.js", "content": "z"}]});
    let call = changing(input, &["a.js", "b.js"]);
    let paths: Vec<_> = untold_diffs(&call).into_iter().map(|diff| diff.path).collect();
    assert_eq!(paths, ["a.js", "b.js"]);
    assert_eq!(
        shown_of(json!({"old": "x", "new": "y"}), &["a.js", "b.js"]).0,
        [],
        "it does not say of which"
    );
}

/// S2.14: a change of which nothing is told is one that no key allows; a diff or an argument tells something. Attack 752.
#[test]
fn given_a_change_that_nothing_tells_then_that_is_known() {
    let untold = |call: &Call| tells_no_change(call, open_input(call).as_ref());
    assert!(untold(&changing(json!({"file_path": "a.js"}), &["a.js"])));
    assert!(untold(&changing(Value::Null, &["a.js"])));
    assert!(!untold(&changing(json!({"file_path": "a.js", "how": "better"}), &["a.js"])));
    let noted = Call { notes: vec!["Makes it better".into()], ..changing(Value::Null, &["a.js"]) };
    assert!(untold(&noted), "what an agent says of it is not it");
}

/// What is sent is no less shown than what is written. Attack 751.
#[test]
fn given_an_address_with_something_to_send_then_that_stands_open() {
    let input = json!({"url": "https://e.org/x", "method": "POST", "body": "secret"});
    let url = UrlAccess::parse_lenient("https://e.org/x").unwrap();
    let call = Call { accesses: vec![Access::Fetch(url)], ..changing(input, &[]) };
    assert_eq!(open_input(&call), Some(json!({"method": "POST", "body": "secret"})));
}

/// Large inputs, and ones that lie deep, take no time and hide nothing. Attack 751.
#[test]
fn given_a_large_or_deep_input_then_what_is_not_looked_into_stands_open() {
    let edits: Vec<Value> = (0..5_000).map(|at| json!({"old": format!("{at}"), "new": "y"})).collect();
    let (diffs, open) = shown(json!({"path": "a.js", "edits": edits}));
    assert!(diffs.len() <= MOST + 1, "{}", diffs.len());
    assert_eq!(diffs.len() + open["edits"].as_array().unwrap().len(), 5_000);
    let deep = (0..50).fold(json!({"old": "x", "new": "y"}), |inner, _| json!({"in": inner}));
    assert_eq!(shown(deep.clone()), (vec![], deep));
}
