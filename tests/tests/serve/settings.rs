//! The editor's own settings, the bypass, servers and their tools.

use serde_json::json;

use super::scene::{Backend, Client, demo};
use mayi_tests::Machine;

async fn editor(backend: &Backend, settings: serde_json::Value) -> Client {
    let client = Client::connect(&backend.text("ws"), &backend.token("answerTokenFile")).await.unwrap();
    let hello = json!({"protocolVersion": 1, "client": {"name": "vscode"}, "settings": settings});
    client.ask("mayi/initialize", hello).await;
    client
}

/// Seed 2: "Approve this call AND set `bypassPermissions = true` for this agent permanently": the editor writes it, and the
/// next call does not ask.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_bypass_then_the_editor_is_told_to_write_it_and_the_next_call_does_not_ask() {
    let backend = Backend::new().await;
    let client = editor(&backend, json!({})).await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    let mut answer = super::scene::pick(&card, "allow_once");
    answer["bypassAll"] = json!(true);
    client.ask("approval/respond", answer).await;
    let changed = events.until("settings-changed").await;
    assert_eq!(changed["editor"]["agents"]["demo"]["bypassPermissions"], true);
    events.until("turn-ended").await;
    client.prompt(&tab, "demo: write b.txt x").await;
    events.until("turn-ended").await;
    assert_eq!(events.count("approval-request"), 1);
    assert_eq!(backend.machine.text("b.txt").as_deref(), Some("x\n"));
    let file = backend.machine.outside("config/mayi/config.toml");
    assert!(!file.exists(), "an editor's bypass is the editor's setting");
    // Another agent still asks; and the setting can be taken back.
    client
        .ask("settings/update", json!({"editor": {"agents": {"demo": {"bypassPermissions": false}}}}))
        .await;
    client.prompt(&tab, "demo: write c.txt x").await;
    let card = events.until("approval-request").await;
    client.answer(&card, "deny").await.unwrap();
}

/// A bypass for this session is given at a card or by `session/setBypass`, counts in this
/// tab alone, is among the remembered answers, and can be taken back. What is protected is still asked about.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_bypass_for_the_session_then_it_counts_in_its_tab_and_can_be_taken_back() {
    let backend = Backend::new().await;
    let client = editor(&backend, json!({})).await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    let other = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    let mut answer = super::scene::pick(&card, "allow_once");
    answer["bypassSession"] = json!(true);
    let resolved = client.ask("approval/respond", answer).await;
    assert_eq!(resolved["grantedPermissions"], json!(["bypass demo (session)"]));
    events.until("turn-ended").await;
    client.prompt(&tab, "demo: write b.txt x").await;
    events.until("turn-ended").await;
    assert_eq!(events.count("approval-request"), 1);
    assert!(!backend.machine.outside("config/mayi/config.toml").exists(), "it is no setting");
    let grants = client.ask("grants/list", json!({})).await;
    assert_eq!((&grants[0]["what"], &grants[0]["scope"]), (&json!("bypass"), &json!("session")), "{grants}");
    // What is protected, and another session of the same agent.
    for (tab, prompt) in [(&tab, "demo: run echo x >> .git/config"), (&other, "demo: write c.txt x")] {
        client.prompt(tab, prompt).await;
        let card = events.until("approval-request").await;
        client.answer(&card, "deny").await.unwrap();
        events.until("turn-ended").await;
    }
    let id = grants[0]["id"].clone();
    client.ask("grants/revoke", json!({"ids": [id]})).await;
    client.prompt(&tab, "demo: write d.txt x").await;
    let card = events.until("approval-request").await;
    client.answer(&card, "deny").await.unwrap();
    events.until("turn-ended").await;
    // By command, and back again.
    for (on, asked) in [(true, 0), (false, 1)] {
        let info = client.ask("session/setBypass", json!({"tabId": tab, "on": on})).await;
        assert_eq!(info["bypassSession"], json!(on));
        client.prompt(&tab, &format!("demo: write {on}.txt x")).await;
        if asked == 1 {
            let card = events.until("approval-request").await;
            client.answer(&card, "deny").await.unwrap();
        }
        events.until("turn-ended").await;
        assert_eq!(backend.machine.text(&format!("{on}.txt")).is_some(), on);
    }
}

/// D5.3: managed locks hold.
#[tokio::test(flavor = "multi_thread")]
async fn given_settings_that_are_wrong_then_they_are_refused_and_what_held_goes_on() {
    let backend = Backend::new().await;
    let client = editor(
        &backend,
        json!({"agents": {"mine": {"command": "mayi", "args": ["demo-agent"], "mode": "plan"}}}),
    )
    .await;
    let got = client.ask("settings/get", json!({})).await;
    let mine =
        got["agents"].as_array().unwrap().iter().find(|agent| agent["name"] == "mine").unwrap().clone();
    assert_eq!(mine["mode"], "plan");
    for bad in [
        json!({"agents": {"bad/name": {"command": "x"}}}),
        json!({"agents": {"run": {"command": "x"}}}),
        json!({"servers": {"s": {"command": "x", "url": "http://localhost/"}}}),
        json!({"servers": {"s": {"url": "ftp://x"}}}),
    ] {
        let error = client.call("settings/update", json!({"editor": bad})).await.unwrap_err();
        assert!(error.to_string().contains("mayi."), "{bad}: {error}");
    }
    assert_eq!(client.ask("settings/get", json!({})).await["editor"], got["editor"]);
}

/// Seed 0: per server and per tool "Approval Required / Not Required", "Server Default".
#[tokio::test(flavor = "multi_thread")]
async fn given_a_server_then_it_and_its_tools_are_listed_and_changed() {
    let toml = "version = 1\n# kept\n[servers.git]\ncommand = [\"git-mcp\"]\napproval = \"required\"\n[servers.git.tools]\nlog = \"not_required\"\n";
    let backend = Backend::on(Machine::new().user(toml), &[]).await;
    let client = backend.client("test").await;
    let listed = client.ask("servers/list", json!({})).await;
    assert_eq!(
        (&listed[0]["name"], &listed[0]["approval"], &listed[0]["level"]),
        (&json!("git"), &json!("required"), &json!("none"))
    );
    let tool = &listed[0]["tools"][0];
    assert_eq!(
        (&tool["name"], &tool["approval"], &tool["effective"]),
        (&json!("log"), &json!("not_required"), &json!("not_required"))
    );
    client.ask("settings/update", json!({"servers": {"git": {"approval": "not_required", "tools": {"log": "default", "push": "required"}}}})).await;
    let listed = client.ask("servers/list", json!({})).await;
    assert_eq!(listed[0]["approval"], "not_required");
    let tools = listed[0]["tools"].as_array().unwrap();
    let of =
        |name: &str| tools.iter().find(|tool| tool["name"] == name).map(|tool| tool["effective"].clone());
    assert_eq!(of("push"), Some(json!("required")));
    assert_ne!(of("log"), Some(json!("required")));
    let text = std::fs::read_to_string(backend.machine.outside("config/mayi/config.toml")).unwrap();
    assert!(text.contains("# kept"), "{text}");
    // All of it, or nothing.
    let editor = client.ask("settings/get", json!({})).await["editor"].clone();
    for (change, why) in [
        (
            json!({"servers": {"git": {"approval": "required"}, "nobody": {"approval": "required"}}}),
            "no server is called",
        ),
        (
            json!({"agents": {"nobody": {"bypassPermissions": true}}, "servers": {"git": {"approval": "required"}}}),
            "no agent is called",
        ),
        (
            json!({"editor": {"agents": {"new": {"command": "x"}}}, "agents": {"demo": {"bypassPermissions": true}, "nobody": {"bypassPermissions": true}}}),
            "no agent is called",
        ),
    ] {
        let error = client.call("settings/update", change).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    assert_eq!(std::fs::read_to_string(backend.machine.outside("config/mayi/config.toml")).unwrap(), text);
    assert_eq!(client.ask("settings/get", json!({})).await["editor"], editor);
}

/// Seed 3: "review and modify saved permissions": what was allowed for good is a rule, and is listed, and taken back. Seed 0:
/// "Server Default" says what it comes to, and the level of a server can be changed.
#[tokio::test(flavor = "multi_thread")]
async fn given_rules_for_good_then_they_are_listed_with_the_answers_and_taken_back() {
    let toml = "version = 1\n[rules]\nallow = [\"shell(make)\", \"shell(just)\"]\n[[rule]]\neffect = \"deny\"\npattern = \"shell(rm *)\"\nagents = [\"demo\"]\n[servers.git]\ncommand = [\"git-mcp\"]\n[servers.git.tools]\nlog = \"read\"\n";
    let backend = Backend::on(Machine::new().user(toml), &[]).await;
    let client = backend.client("test").await;
    let listed = client.ask("grants/list", json!({})).await;
    let of =
        |what: &str| listed.as_array().unwrap().iter().find(|grant| grant["what"] == what).unwrap().clone();
    let (make, rm) = (of("shell(make)"), of("shell(rm *)"));
    assert_eq!(
        (&make["effect"], &make["agent"], &make["scope"]),
        (&json!("allow"), &json!("*"), &json!("user"))
    );
    assert_eq!(
        (&rm["effect"], &rm["agent"], &rm["rule"]["line"]),
        (&json!("deny"), &json!("demo"), &json!(6))
    );
    let gone = client.ask("grants/revoke", json!({"ids": [make["id"], rm["id"]]})).await;
    assert_eq!(gone["revoked"], 2);
    let text = || std::fs::read_to_string(backend.machine.outside("config/mayi/config.toml")).unwrap();
    assert!(
        !text().contains("make") && !text().contains("rm *") && text().contains("shell(just)"),
        "{}",
        text()
    );
    assert_eq!(client.ask("grants/list", json!({})).await.as_array().unwrap().len(), 1);
    let server = async || client.ask("servers/list", json!({})).await[0].clone();
    let before = server().await;
    assert_eq!((&before["byDefault"], &before["grant"]), (&json!("required"), &json!("none")));
    assert_eq!(before["tools"][0]["byDefault"], "not_required", "a read");
    let change = json!({"servers": {"git": {"grant": "all", "trustAnnotations": true, "categories": {"push": "write"}, "tools": {"log": "required"}}}});
    client.ask("settings/update", change).await;
    let after = server().await;
    assert_eq!(
        (&after["byDefault"], &after["grant"], &after["trustAnnotations"]),
        (&json!("not_required"), &json!("all"), &json!(true))
    );
    let tools: Vec<_> = after["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["name"].clone(), tool["effective"].clone(), tool["category"].clone()))
        .collect();
    assert_eq!(
        tools,
        [
            (json!("log"), json!("required"), json!("read")),
            (json!("push"), json!("not_required"), json!("write"))
        ]
    );
}

/// Seed 0: the mode of a folder is set in the editor; Auto is labelled as what it is.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_mode_for_a_folder_in_the_editors_settings_then_chats_there_begin_in_it() {
    let backend = Backend::new().await;
    let here = backend.machine.work().display().to_string();
    let client = editor(&backend, json!({"workspaces": {here: {"mode": "plan"}}})).await;
    assert_eq!(client.ask("settings/get", json!({})).await["mode"], "plan");
    let about = json!({"protocolVersion": 1, "client": {"name": "t", "version": "1"}});
    let about = client.ask("mayi/initialize", about).await;
    let auto = about["modes"].as_array().unwrap().iter().find(|mode| mode["id"] == "auto").unwrap().clone();
    assert_eq!(auto["name"], "Auto (dangerous)");
    let tab = demo(&client, &backend.machine).await;
    let sessions = client.ask("session/list", json!({})).await;
    assert_eq!((&sessions[0]["tabId"], &sessions[0]["mode"]), (&json!(tab), &json!("plan")));
}

/// `check` and `log/query` are those of the command line.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_check_and_a_query_then_they_say_what_the_command_line_says() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let work = backend.machine.work();
    let decision =
        client.ask("check", json!({"call": {"kind": "shell", "command": "make", "cwd": work}})).await;
    assert_eq!(decision["effect"], "ask");
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    client.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    let entries = client.ask("log/query", json!({"kinds": ["answered"], "agent": "demo"})).await;
    assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
    let verify = backend.machine.mayi(["log", "verify"]);
    let _ = tokio::task::spawn_blocking(move || verify.end()).await.unwrap().exits(0);
}

/// What a tool does and whether its calls are asked about are two things, in the editor's settings and in a file: a change to one
/// keeps the other, and null takes out what it does.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_tool_of_which_both_is_said_then_a_change_to_one_keeps_the_other() {
    let toml = "version = 1\n[servers.git]\ncommand = [\"git-mcp\"]\n[servers.git.tools]\nlog = \"read\"\n";
    let backend = Backend::on(Machine::new().user(toml), &[]).await;
    let settings =
        json!({"servers": {"crm": {"command": "crm-mcp", "tools": {"log": "read", "push": "required"}}}});
    let client = editor(&backend, settings).await;
    let change = async |server: &str, change: serde_json::Value| {
        client.ask("settings/update", json!({"servers": {(server): change}})).await;
        let listed = client.ask("servers/list", json!({})).await;
        let of = listed.as_array().unwrap().iter().find(|one| one["name"] == server).unwrap().clone();
        let tool = of["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "log").cloned();
        let said = |name: &str| tool.as_ref().map(|tool| tool[name].clone());
        (said("approval"), said("ownCategory"))
    };
    for server in ["crm", "git"] {
        let said = |approval: &str, category: serde_json::Value| (Some(json!(approval)), Some(category));
        let asked = change(server, json!({"tools": {"log": "required"}})).await;
        assert_eq!(asked, said("required", json!("read")), "{server}");
        let again = change(server, json!({"tools": {"log": "default"}})).await;
        assert_eq!(again, said("default", json!("read")), "{server}");
        let writes = change(server, json!({"categories": {"log": "write"}})).await;
        assert_eq!(writes, said("default", json!("write")), "{server}");
        let (approval, category) = change(server, json!({"categories": {"log": null}})).await;
        assert!(approval.is_none_or(|approval| approval == "default"), "{server}");
        assert!(category.is_none_or(|category| category.is_null()), "{server}");
    }
    let kept = client.ask("settings/get", json!({})).await["editor"]["servers"]["crm"]["tools"].clone();
    assert_eq!(kept["push"], "required", "what is not changed stays");
    let both = json!({"servers": {"crm": {"command": "x", "tools": {"log": {"approval": "required", "category": "read"}}}}});
    let view = client.ask("settings/update", json!({"editor": both})).await;
    assert_eq!(view["editor"]["servers"]["crm"]["tools"]["log"]["category"], "read");
}

/// D1.20: an agent that is configured under its long name is one row; one of which more is said has its own, under another title.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_agent_under_its_long_name_then_it_is_listed_once() {
    let backend = Backend::new().await;
    let client = editor(&backend, json!({"agents": {"Claude Code": {"command": "my-claude"}}})).await;
    let of = async |settings: serde_json::Value| {
        let view = client.ask("settings/update", json!({"editor": settings})).await;
        let agents = view["agents"].as_array().unwrap().clone();
        let claude = agents.into_iter().filter(|agent| agent["title"].as_str().unwrap().contains("Claude"));
        claude.map(|agent| (agent["name"].clone(), agent["title"].clone())).collect::<Vec<_>>()
    };
    let one = of(json!({"agents": {"Claude Code": {"command": "my-claude"}}})).await;
    assert_eq!(one, [(json!("Claude Code"), json!("Claude Code"))]);
    assert_eq!(of(json!({})).await, [(json!("claude"), json!("Claude Code"))]);
    let both =
        json!({"agents": {"Claude Code": {"command": "my-claude"}, "claude": {"bypassPermissions": true}}});
    let two = of(both).await;
    assert_eq!(two.len(), 2, "{two:?}");
    assert!(two.contains(&(json!("claude"), json!("Claude Code (claude)"))), "{two:?}");
}
