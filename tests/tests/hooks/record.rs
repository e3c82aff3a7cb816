//! What the hook saw and what the harness then did, joined in the record.

use serde_json::{Value, json};

use crate::scene::Scene;

fn kinds(entries: &[Value]) -> Vec<String> {
    let word = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    entries
        .iter()
        .map(|entry| match entry["effect"].as_str() {
            Some(effect) => format!("{} {effect}", word(entry, "kind")),
            None => word(entry, "kind"),
        })
        .collect()
}

#[test]
fn given_a_call_that_was_judged_then_its_end_belongs_to_it() {
    let scene = Scene::new("[rules]\nallow = [\"shell(make *)\"]\n");
    let input = json!({ "command": "make x" });
    scene.before("Bash", &input).is("allow");
    let after = scene.answer(&scene.event("PostToolUse", "Bash", &input, "toolu_1"));
    assert_eq!((after.code, after.value), (0, Value::Null));
    let entries = scene.entries();
    assert_eq!(kinds(&entries), ["proposed", "decided allow", "started", "finished"]);
    assert!(entries.iter().all(|entry| entry["call"] == entries[0]["call"]), "{entries:?}");
    assert_eq!(entries[0]["detail"]["door"], "hook");
    // Told again, it is nothing new.
    scene.answer(&scene.event("PostToolUse", "Bash", &input, "toolu_1"));
    assert_eq!(scene.entries().len(), 4);
    scene.before("Bash", &json!({ "command": "make y" })).is("allow");
    scene.answer(&scene.event("PostToolUseFailure", "Bash", &json!({ "command": "make y" }), "toolu_1"));
    assert_eq!(scene.entries().last().unwrap()["detail"]["how"], "failed");
    assert!(scene.machine.mayi(["log", "verify"]).end().exits(0).text().contains("sound"));
}

/// D7.9. Attack 364: another hook changes the input after it was judged, or a repository switches hooks off for
/// a while: what ran is told as what it is.
#[test]
fn given_what_ran_though_it_was_denied_or_never_judged_then_it_is_unasked() {
    let scene = Scene::new("[rules]\nallow = [\"shell(make *)\"]\ndeny = [\"shell(rm *)\"]\n");
    let denied = json!({ "command": "rm x" });
    scene.before("Bash", &denied).is("deny");
    scene.answer(&scene.event("PostToolUse", "Bash", &denied, "toolu_1"));
    assert_eq!(kinds(&scene.entries()), ["proposed", "decided deny", "unasked deny", "finished"]);
    scene.answer(&scene.event("PostToolUse", "Bash", &json!({ "command": "touch x" }), "never-judged"));
    assert_eq!(kinds(&scene.entries())[4..], ["unasked ask", "finished"]);
    // Another input than was judged.
    scene.answer(&scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "changed"));
    scene.answer(&scene.event("PostToolUse", "Bash", &json!({ "command": "rm y" }), "changed"));
    assert_eq!(kinds(&scene.entries())[6..], ["proposed", "decided allow", "unasked deny", "finished"]);
    // Another session has no part in it.
    let mut other = scene.event("PostToolUse", "Bash", &json!({ "command": "make x" }), "changed");
    other["session_id"] = json!("session-2");
    scene.answer(&other);
    assert_eq!(kinds(&scene.entries())[10..], ["unasked allow", "finished"]);
}

/// A harness that asks although mayi has judged: the question is the person's, and the record has the call once.
#[test]
fn given_a_permission_request_for_a_call_that_was_judged_then_the_harness_asks_and_it_is_recorded_once() {
    let scene = Scene::new("[rules]\nallow = [\"shell(make *)\"]\ndeny = [\"shell(rm *)\"]\n");
    for (line, decision) in [("make x", "allow"), ("touch x", "ask")] {
        let input = json!({ "command": line });
        scene.before("Bash", &input).is(decision);
        let before = scene.entries().len();
        let answer = scene.answer(&scene.event("PermissionRequest", "Bash", &input, "toolu_1"));
        assert_eq!((answer.code, answer.value), (0, Value::Null));
        assert_eq!(scene.entries().len(), before);
    }
    // One that was never judged is, and a denial stands.
    let request = |line: &str| {
        let mut event = scene.event("PermissionRequest", "Bash", &json!({ "command": line }), "");
        event.as_object_mut().unwrap().remove("tool_use_id");
        scene.answer(&event).value["hookSpecificOutput"]["decision"]["behavior"].clone()
    };
    assert_eq!(request("rm y"), "deny");
    assert_eq!(request("make y"), "allow");
    assert_eq!(request("touch y"), Value::Null);
}

#[test]
fn given_a_session_that_begins_then_the_model_is_told_the_mode_and_the_record_which_policy_holds() {
    let scene = Scene::new("mode = \"plan\"\n");
    let mut event = scene.event("SessionStart", "", &Value::Null, "");
    event["source"] = json!("startup");
    let told = scene.answer(&event).value["hookSpecificOutput"]["additionalContext"].clone();
    assert!(told.as_str().is_some_and(|text| text.contains("Mode: plan")), "{told}");
    event["hook_event_name"] = json!("SubagentStart");
    let told = scene.answer(&event).value["hookSpecificOutput"]["additionalContext"].clone();
    assert!(told.as_str().is_some_and(|text| text.contains("Mode: plan")), "{told}");
    assert_eq!(kinds(&scene.entries()), ["config"]);
}

/// "`mayi log suggest` and `replay` serve people who never use another door."
#[test]
fn given_only_hooks_then_what_was_recorded_can_be_replayed() {
    let scene = Scene::new("");
    for n in 0..3 {
        let input = json!({ "command": format!("make x{n}") });
        scene.answer(&scene.event("PreToolUse", "Bash", &input, &format!("t{n}"))).is("ask");
        scene.answer(&scene.event("PostToolUse", "Bash", &input, &format!("t{n}")));
    }
    let new = scene.machine.configuration("new.toml", "[rules]\nallow = [\"shell(make *)\"]\n");
    let replayed = scene.machine.mayi(["log", "replay", "--json", "--config"]).args([new]).end();
    assert!(replayed.text().contains("\"allow\""), "{replayed}");
}
