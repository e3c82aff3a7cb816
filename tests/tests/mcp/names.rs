//! Names that look like others, or that are none.

use serde_json::{Value, json};

use crate::client::{Gateway, is_refused, is_wrong, ran};
use crate::scene::Scene;

const ODD: &[&str] = &[
    "l\u{456}st",
    "list\u{200b}",
    "\u{feff}list",
    "l\u{ad}ist",
    "list ",
    " list",
    "list\n",
    "list\0",
    "\u{1b}[31mlist",
    "\u{202e}tsil",
    "rogue/list",
    "rogue__list",
    "../list",
    "mcp(rogue/list)",
    "",
    "*",
    "l*",
    "{list,x}",
    "ｌｉｓｔ",
];

/// What is shown to a person or a model holds nothing that a terminal or a reader would take otherwise.
#[track_caller]
fn is_plain(text: &str) {
    let bad = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}' | '\u{ad}')
    };
    assert!(!text.contains(bad), "{text:?}");
}

fn words(answer: &Value) -> String {
    let error = answer["error"]["message"].as_str();
    error.or_else(|| answer["result"]["content"][0]["text"].as_str()).unwrap_or_default().to_owned()
}

/// Attack 7: names in other alphabets, with characters that nobody sees, with separators, of 10 kB.
#[test]
fn given_a_name_that_looks_like_an_allowed_one_then_it_does_not_run() {
    let scene = Scene::new("");
    let long = "a".repeat(10_000);
    let names: Vec<&str> = ODD.iter().copied().chain([long.as_str()]).collect();
    let listed: Vec<Value> = names
        .iter()
        .chain([&"list"])
        .map(|name| json!({ "name": name, "description": "x", "inputSchema": { "type": "object" } }))
        .collect();
    for listed in [json!(listed).to_string(), "[]".to_owned()] {
        scene.put("rogue", "tools.json", &listed);
        let mut gateway =
            scene.gateway(&["--no-record", "--allow", "mcp(rogue/list)", "--mode", "default"]).older();
        gateway.ask("tools/list", &json!({}));
        for name in &names {
            let answer = gateway.call(name, &json!({}));
            assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{name:?}: {answer}");
            is_plain(&words(&answer));
        }
        gateway.rest();
        is_plain(&gateway.errors());
    }
    assert!(scene.ran().is_empty(), "{:?}", scene.ran());
}

/// Attack 7: a denial sees through spellings, and a rule for all tools is none for names that nobody can read.
#[test]
fn given_a_denied_tool_in_another_spelling_then_it_is_denied() {
    let scene = Scene::new("");
    let mut gateway =
        scene.gateway(&["--no-record", "--allow", "mcp(rogue/*)", "--deny", "mcp(rogue/delete)"]).older();
    for name in ["delete", "DELETE", "Delete", "de\u{200d}lete", "ｄｅｌｅｔｅ", "delete\u{feff}"] {
        let answer = gateway.call(name, &json!({}));
        is_refused(&answer, "mayi did not let");
        is_plain(&words(&answer));
    }
    // Another letter is another name: no rule allows it.
    for name in ["dеlete", "d\u{435}lete", "list\u{301}"] {
        is_refused(&gateway.call(name, &json!({})), "mayi did not let");
    }
    ran(&gateway.call("list", &json!({})), "list");
    assert_eq!(scene.ran(), ["list"]);
}

/// Reported: names beyond 64 characters break every request at most providers. They are shortened, the same each time, with a
/// notice; a call by the short name is judged, pinned and carried out as the tool that it is. Attack 778.
#[test]
fn given_names_that_are_too_long_then_they_are_short_and_judged_by_the_true_ones() {
    let server = "a-server-name-which-a-company-generates-from-its-own-catalog";
    let other = &format!("{}b", &server[..server.len() - 1]);
    let long = "a_rather_long_tool_name_that_goes_on_and_on_like_generated_ones";
    let scene = Scene::with_servers(
        &[server, other, "b"],
        &format!("[rules]\nallow = [\"mcp({server}/{long})\", \"mcp({server}/fine)\"]\n"),
    );
    let tool = |name: &str, note: &str| json!({ "name": name, "description": note, "inputSchema": { "type": "object" } });
    let tools =
        |note: &str| json!([tool(long, note), tool(&format!("{long}2"), "x"), tool("fine", "x")]).to_string();
    scene.put(server, "tools.json", &tools("x"));
    scene.put(other, "tools.json", &tools("x"));
    let names = |gateway: &mut Gateway| -> Vec<String> {
        let listed = gateway.ask("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let mut gateway = scene.joint(&["--on-ask", "deny"]).older();
    let all = names(&mut gateway);
    let mut unique = all.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), all.len(), "{all:?}");
    assert!(all.iter().all(|name| name.chars().count() <= 64), "{all:?}");
    assert_eq!(names(&mut scene.joint(&["--on-ask", "deny"]).older()), all, "the same each time");
    gateway.tells("more than 64 characters, which providers refuse");
    // Of two servers whose names differ in the last character alone, each tool is its own server's.
    let (mine, theirs) =
        if server < other.as_str() { (&all[..3], &all[3..6]) } else { (&all[3..6], &all[..3]) };
    ran(&gateway.call(&mine[0], &json!({})), &format!("{long} of {server}"));
    is_refused(&gateway.call(&mine[1], &json!({})), &format!("{long}2 from {server}"));
    is_refused(&gateway.call(&theirs[0], &json!({})), &format!("{long} from {other}"));
    for name in [format!("{server}__{long}"), format!("{}0", &mine[0][..63]), mine[0].to_uppercase()] {
        is_wrong(&gateway.call(&name, &json!({})), "unknown tool");
    }
    // Without a list before, as a client calls that remembers the name.
    let mut fresh = scene.joint(&["--on-ask", "deny"]).older();
    ran(&fresh.call(&mine[0], &json!({})), &format!("{long} of {server}"));
    // It is pinned by its own name.
    scene.put(server, "tools.json", &tools("another"));
    let mut later = scene.joint(&["--on-ask", "deny"]).older();
    is_refused(&later.call(&mine[0], &json!({})), "has changed since it was accepted");
    assert!(scene.messages(other, "tools/call").is_empty());
}

/// The same with one server, whose tools have their own names. Attack 778.
#[test]
fn given_one_server_with_names_that_are_too_long_then_they_are_short_and_judged_by_the_true_ones() {
    let (long, other) = (&"long_".repeat(14), &"long_".repeat(40));
    // As long as a short one, and its own.
    let fits = &"f".repeat(64);
    let scene = Scene::new(&format!("[rules]\nallow = [\"mcp(rogue/{long})\", \"mcp(rogue/{fits})\"]\n"));
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    scene.put("rogue", "tools.json", &json!([tool(long), tool(other), tool(fits), tool("list")]).to_string());
    let mut gateway = scene.gateway(&["--on-ask", "deny"]).older();
    let listed = gateway.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    let names: Vec<String> = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    assert!(names.iter().all(|name| name.chars().count() <= 64), "{names:?}");
    assert_ne!(names[0], names[1]);
    assert_eq!(names[2..], [fits.clone(), "list".to_owned()]);
    gateway.tells("has more than 64 characters, which providers refuse");
    ran(&gateway.call(&names[0], &json!({})), long);
    is_refused(&gateway.call(&names[1], &json!({})), "mayi did not let");
    ran(&gateway.call(fits, &json!({})), fits);
    // Without a list before.
    ran(&scene.gateway(&["--on-ask", "deny"]).older().call(&names[0], &json!({})), long);
    assert_eq!(scene.ran(), [long.clone(), fits.clone(), long.clone()]);
}

fn joint(scene: &Scene, options: &[&str]) -> Gateway {
    let mut gateway = scene.joint(options).older();
    gateway.ask("tools/list", &json!({}));
    gateway
}

/// Attack 7: a joined name that splits in two ways is shown in two ways, and each is judged as the pair that it is.
#[test]
fn given_a_joined_name_that_splits_in_two_ways_then_each_is_judged_as_what_it_is() {
    let scene =
        Scene::with_servers(&["a", "a__b"], "[rules]\nallow = [\"mcp(a/*)\"]\ndeny = [\"mcp(a__b/c)\"]\n");
    let tool = |name: &str| format!(r#"[{{"name":"{name}","inputSchema":{{"type":"object"}}}}]"#);
    scene.put("a", "tools.json", &tool("b__c"));
    scene.put("a__b", "tools.json", &tool("c"));
    let mut gateway = joint(&scene, &["--no-record"]);
    let listed = gateway.ask("tools/list", &json!({}));
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a__b__c", "a__b__c_2"]);
    ran(&gateway.call("a__b__c", &json!({})), "b__c of a");
    is_refused(&gateway.call("a__b__c_2", &json!({})), "c from a__b");
    for name in ["a__b__c_3", "a__b__c_1", "a__b__c_02", "a__b__c_+2", "b__c", "c", "A__b__c", "a__b__c__"] {
        is_wrong(&gateway.call(name, &json!({})), "unknown tool");
    }
    assert!(scene.messages("a__b", "tools/call").is_empty());
    assert_eq!(scene.messages("a", "tools/call").len(), 1);
}
