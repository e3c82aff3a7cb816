//! Modes, settings and rules at the gateway, and changes to them while it runs.

use serde_json::json;

use crate::client::{is_refused, ran, text};
use crate::scene::Scene;

/// The server `rogue` in the configuration, with more behind it.
fn configured(scene: &Scene, more: &str) {
    scene.configure(&format!("{}{more}", scene.servers(&["rogue"])));
}

/// Attack 10: `readOnlyHint` counts only where the user said so; in mode plan nothing else than reading runs.
#[test]
fn given_mode_plan_then_only_what_the_user_counts_as_reading_runs() {
    let scene = Scene::with_servers(&["rogue"], "");
    let mut gateway = scene.joint(&["--mode", "plan", "rogue"]).older();
    for tool in ["list", "delete", "echo"] {
        let answer = gateway.call(tool, &json!({}));
        is_refused(&answer, "plan");
    }
    // Found in review: of this one nothing is known, which comes first.
    is_refused(&gateway.call("unlisted", &json!({})), "does not list a tool of this name");
    scene.nothing_ran();
    drop(gateway);

    configured(&scene, "[servers.rogue.tools]\necho = { category = \"read\" }\n");
    let mut gateway = scene.joint(&["--mode", "plan", "rogue"]).older();
    ran(&gateway.call("echo", &json!({})), "echo");
    is_refused(&gateway.call("list", &json!({})), "plan");
    drop(gateway);

    configured(&scene, "trust_annotations = true\n");
    let mut gateway = scene.joint(&["--mode", "plan", "rogue"]).older();
    ran(&gateway.call("list", &json!({})), "list");
    for tool in ["delete", "echo"] {
        is_refused(&gateway.call(tool, &json!({})), "plan");
    }
    // What says both is not believed.
    scene.put(
        "rogue",
        "tools.json",
        r#"[{"name":"both","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":true}}]"#,
    );
    let mut gateway = scene.joint(&["--mode", "plan", "rogue"]).older();
    is_refused(&gateway.call("both", &json!({})), "plan");
    assert_eq!(scene.ran(), ["echo", "list"]);
}

/// D4.14: settings of a server and its tools; rules with arguments.
#[test]
fn given_settings_and_rules_about_arguments_then_they_hold() {
    let scene = Scene::with_servers(&["rogue"], "");
    let rule = "[[rule]]\neffect = \"allow\"\npattern = \"mcp(rogue/get)\"\nargs = { repo = \"me/*\" }\n\
                [[rule]]\neffect = \"deny\"\npattern = \"mcp(rogue/list)\"\nargs = { all = \"yes\" }\n";
    configured(
        &scene,
        &format!("approval = \"not_required\"\n[servers.rogue.tools]\necho = \"required\"\n{rule}"),
    );
    let mut gateway = scene.joint(&["rogue"]).older();
    ran(&gateway.call("list", &json!({ "all": "no" })), "list");
    for arguments in [
        json!({ "all": "yes" }),
        json!({ "all": "no", "ALL": "yes" }),
        json!({ "all": "YES" }),
        json!({ "all": ["yes"] }),
        json!({}),
    ] {
        is_refused(&gateway.call("list", &arguments), "mayi did not let");
    }
    is_refused(&gateway.call("echo", &json!({})), "mayi did not let");
    drop(gateway);
    configured(&scene, rule);
    let mut gateway = scene.joint(&["rogue"]).older();
    ran(&gateway.call("get", &json!({ "repo": "me/x" })), "get");
    for arguments in [
        json!({ "repo": "you/x" }),
        json!({ "Repo": "me/x" }),
        json!({ "repo": "me/x", "Repo": "you/x" }),
        json!({ "repo": ["me/x"] }),
        json!({}),
    ] {
        is_refused(&gateway.call("get", &arguments), "mayi did not let");
    }
    assert_eq!(scene.ran(), ["list", "get"]);
}

/// D5.12: what is written while the gateway runs counts; "nothing runs on half a policy".
#[test]
fn given_a_configuration_that_changes_then_it_counts_and_a_broken_one_allows_nothing() {
    let scene = Scene::new("[rules]\nallow = [\"mcp(rogue/*)\"]\n");
    let mut gateway = scene.gateway(&[]).older();
    ran(&gateway.call("list", &json!({})), "list");
    let told = |gateway: &crate::client::Gateway, times: usize| {
        scene.soon("the gateway reads the file", || {
            gateway.errors().matches("configuration has changed").count() >= times
        });
    };
    scene.configure("[rules]\nallow = [\"mcp(rogue/*)\"]\ndeny = [\"mcp(rogue/list)\"]\n");
    told(&gateway, 1);
    is_refused(&gateway.call("list", &json!({})), "mayi did not let");
    ran(&gateway.call("echo", &json!({})), "echo");
    for broken in
        ["[rules]\nallow = [\"mcp(rogue/*)\"\n", "[rules]\nallow = [\"mcp(rogue/*)\"]\nden = [\"x\"]\n", "\0"]
    {
        scene.configure(broken);
        scene.soon("nothing is allowed", || {
            let out = scene.mayi(&["config", "check"]).output().unwrap();
            !out.status.success()
        });
        let denied = |answer: &serde_json::Value| answer["result"]["isError"] == true;
        let deadline = std::time::Instant::now() + crate::client::LIMIT;
        loop {
            let answer = gateway.call("echo", &json!({}));
            if denied(&answer) {
                assert!(text(&answer).contains("mayi"), "{answer}");
                break;
            }
            assert!(std::time::Instant::now() < deadline, "{answer}");
        }
        // From then on.
        assert!(denied(&gateway.call("echo", &json!({}))));
        scene.configure("[rules]\nallow = [\"mcp(rogue/*)\"]\n");
        let before = gateway.errors().matches("counts as it is now").count();
        scene.soon("it is read again", || gateway.errors().matches("counts as it is now").count() > before);
        ran(&gateway.call("echo", &json!({})), "echo");
    }
    // A file that is gone leaves nothing that allows.
    std::fs::remove_file(scene.machine.outside("config/mayi/config.toml")).unwrap();
    let before = gateway.errors().matches("counts as it is now").count();
    scene.soon("it is read again", || gateway.errors().matches("counts as it is now").count() > before);
    is_refused(&gateway.call("echo", &json!({})), "mayi did not let");
}

/// Attack 113: nothing runs that can't be recorded; `--no-record` has to be said.
#[test]
fn given_a_store_that_can_not_be_written_then_nothing_runs() {
    let scene = Scene::new("[rules]\nallow = [\"mcp(rogue/*)\"]\n");
    let mut gateway = scene.gateway(&[]).older();
    ran(&gateway.call("list", &json!({})), "list");
    // Somebody else holds it.
    let store = scene.machine.outside("data/mayi/lock");
    let lock = std::fs::File::open(&store).unwrap_or_else(|error| panic!("{}: {error}", store.display()));
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let answer = gateway.call("echo", &json!({}));
    is_refused(&answer, "mayi did not let");
    assert_eq!(scene.ran(), ["list"]);
    // Another gateway does not begin, or lets nothing through; without a record it does.
    let mut quiet = scene.gateway(&["--no-record"]).older();
    ran(&quiet.call("list", &json!({})), "list");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::Unlock).unwrap();
    ran(&gateway.call("echo", &json!({})), "echo");
}

/// Attack 113: a store that is damaged.
#[test]
fn given_a_store_that_can_not_be_read_then_the_gateway_does_not_begin() {
    let scene = Scene::new("[rules]\nallow = [\"mcp(rogue/*)\"]\n");
    let mut gateway = scene.gateway(&[]).older();
    ran(&gateway.call("list", &json!({})), "list");
    // Ended in good order: what is written is in the one file.
    gateway.end();
    let store = scene.machine.outside("data/mayi/store.db");
    assert!(store.is_file());
    std::fs::write(&store, "this is no store").unwrap();
    let mut command = scene.mayi(&["mcp", "--name", "rogue", "--"]);
    command.args(scene.command("rogue", "plain"));
    let out = command.output().unwrap();
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && told.contains("--no-record"), "{told}");
}
