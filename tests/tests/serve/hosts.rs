//! The host door: apps with a model loop of their own (S3.10 to S3.16).

use jsonrpsee::core::client::{Subscription, SubscriptionClientT};
use mayi_tests::{LIMIT, Machine};
use serde_json::{Value, json};

use super::scene::{Backend, Client, code, pick};

/// Opens a chat of `teamspark` in the machine's folder. Returns its key.
pub(super) async fn open(client: &Client, backend: &Backend, more: Value) -> Value {
    client.ask("host/open", opening(backend, more)).await
}

pub(super) fn opening(backend: &Backend, more: Value) -> Value {
    let mut wanted = json!({"app": "teamspark", "chat": "c-1", "cwd": backend.machine.work()});
    wanted.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    wanted
}

pub(super) fn shell(session: &Value, id: &str, command: &str) -> Value {
    json!({"key": session["key"], "callId": id, "call": {"kind": "shell", "command": command}, "tool": "run_command"})
}

/// Events of one session.
pub(super) struct HostEvents(Subscription<Value>);

impl HostEvents {
    pub(super) async fn of(client: &Client, session: &Value) -> Self {
        let mut params = jsonrpsee::core::params::ObjectParams::new();
        params.insert("key", &session["key"]).unwrap();
        Self(client.socket().subscribe("host/subscribe", params, "host/unsubscribe").await.unwrap())
    }

    pub(super) async fn next(&mut self) -> Value {
        tokio::time::timeout(LIMIT, self.0.next()).await.unwrap().unwrap().unwrap()
    }

    pub(super) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["type"] == kind {
                return event;
            }
        }
    }
}

/// S3.10, S3.12: the same decisions as at every door, with the app's own id; the answer says who decided, and why.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_app_that_asks_then_policy_or_a_person_decides() {
    let user = "version = 1\n[[rule]]\neffect = \"deny\"\npattern = \"shell(rm *)\"\n";
    let backend = Backend::on(Machine::new().user(user), &[]).await;
    let app = backend.client("teamspark").await;
    let mut events = app.events(None).await;
    let chat = open(&app, &backend, json!({})).await;
    assert_eq!((&chat["agent"], &chat["mode"]), (&json!("host:teamspark"), &json!("default")));
    assert!(chat["briefing"].as_str().unwrap().starts_with("Mode: default"), "{chat}");
    let allowed = app.ask("host/ask", shell(&chat, "1", "ls")).await;
    assert_eq!((&allowed["outcome"], &allowed["approvalId"]), (&json!("allowed"), &json!(null)), "{allowed}");
    let denied = app.ask("host/ask", shell(&chat, "2", "rm x")).await;
    assert_eq!((&denied["outcome"], &denied["by"]), (&json!("denied"), &json!("policy")), "{denied}");
    for (id, option, outcome) in [("3", "allow_once", "allowed"), ("4", "deny", "denied")] {
        let (asked, card) = tokio::join!(app.ask("host/ask", shell(&chat, id, "make")), async {
            let card = events.until("approval-request").await;
            app.answer(&card, option).await.unwrap();
            card
        });
        assert_eq!((&asked["outcome"], &asked["callId"]), (&json!(outcome), &json!(id)), "{asked}");
        assert_eq!(asked["by"], "teamspark");
        assert_eq!(card["host"], json!({"app": "teamspark", "chat": "c-1", "callId": id}));
        assert_eq!(
            (&card["toolCall"]["name"], &card["toolCall"]["toolCallId"]),
            (&json!("run_command"), &json!(id))
        );
        assert_eq!(card["permissionType"], "all");
    }
    app.ask("host/report", json!({"key": chat["key"], "callId": "3", "status": "started"})).await;
    app.ask("host/report", json!({"key": chat["key"], "callId": "3", "status": "failed"})).await;
    let kinds = kinds_of(&app, &chat).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "started").count(), 1, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| *kind == "finished").count(), 1, "{kinds:?}");
}

/// What the record has of a session.
async fn kinds_of(client: &Client, session: &Value) -> Vec<String> {
    let entries = client.ask("log/query", json!({"limit": 1000})).await;
    let of = entries.as_array().unwrap().iter().map(|entry| entry.get("entry").unwrap_or(entry).clone());
    let of = of.filter(|entry| entry["session"] == session["sessionId"]);
    of.map(|entry| entry["kind"].as_str().unwrap().to_owned()).collect()
}

/// S3.11, S3.14: "Allow for this chat" holds in this chat, also after a crash, and until it is taken back or the chat is gone.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_allow_for_the_chat_then_its_key_brings_it_back_and_no_other_chat_has_it() {
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let mut events = app.events(None).await;
    let chat = open(&app, &backend, json!({})).await;
    let other = open(&app, &backend, json!({"chat": "c-2"})).await;
    let (asked, ()) = tokio::join!(app.ask("host/ask", shell(&chat, "1", "make")), async {
        let card = events.until("approval-request").await;
        app.answer(&card, "allow_session").await.unwrap();
    });
    assert_eq!(asked["granted"], json!(["shell(make) (session)"]), "{asked}");
    assert_eq!(app.ask("host/ask", shell(&chat, "2", "make")).await["outcome"], "allowed");
    let waits = |session: &Value, id: &str| {
        let mut asked = shell(session, id, "make");
        asked["wait"] = json!(false);
        asked
    };
    assert_eq!(app.ask("host/ask", waits(&other, "1")).await["outcome"], "asked");
    drop((app, events));
    let machine = backend.kill().await;
    let backend = Backend::on(machine, &[]).await;
    let app = backend.client("teamspark").await;
    let gone = app.call("host/ask", shell(&chat, "3", "make")).await.unwrap_err();
    assert_eq!(code(&gone).0, -32010, "{gone}");
    let again = open(&app, &backend, json!({"key": chat["key"]})).await;
    assert_eq!((&again["sessionId"], &again["key"]), (&chat["sessionId"], &chat["key"]));
    assert_eq!(app.ask("host/ask", shell(&again, "3", "make")).await["outcome"], "allowed");
    // Put away and opened again while the backend goes on.
    app.ask("host/close", json!({"key": chat["key"]})).await;
    let again = open(&app, &backend, json!({"key": chat["key"]})).await;
    assert_eq!(app.ask("host/ask", shell(&again, "4", "make")).await["outcome"], "allowed");
    let grants = app.ask("host/grants", json!({"key": again["key"]})).await;
    assert!(grants.as_array().unwrap().iter().any(|grant| grant["what"] == "shell(make)"), "{grants}");
    let other = open(&app, &backend, json!({"chat": "c-2"})).await;
    assert_eq!(app.ask("host/grants", json!({"key": other["key"]})).await, json!([]));
    assert_eq!(app.ask("host/revoke", json!({"key": other["key"]})).await["revoked"], 0);
    app.ask("host/revoke", json!({"key": again["key"]})).await;
    assert_eq!(app.ask("host/ask", waits(&again, "5")).await["outcome"], "asked");
    // And what is forgotten does not come back.
    let (_, ()) = tokio::join!(app.ask("host/ask", shell(&again, "6", "make all")), async {
        let mut events = app.events(None).await;
        let card = loop {
            let event = events.until("approval-request").await;
            if event["host"]["callId"] == "6" {
                break event;
            }
        };
        app.answer(&card, "allow_session").await.unwrap();
    });
    app.ask("host/close", json!({"key": again["key"], "forget": true})).await;
    let again = open(&app, &backend, json!({"key": again["key"]})).await;
    let mut asked = shell(&again, "7", "make all");
    asked["wait"] = json!(false);
    assert_eq!(app.ask("host/ask", asked).await["outcome"], "asked");
}

/// S3.10, S3.16: who may only ask is a stranger: no session of others, no looser mode, no folders, no answers. Attack 860.
#[tokio::test(flavor = "multi_thread")]
async fn given_the_asking_credential_then_an_app_has_its_own_chats_and_nothing_looser() {
    let machine = Machine::new().user("version = 1\n[apps.teamspark]\ntrust_categories = true\n[[rule]]\neffect = \"allow\"\npattern = \"shell(make)\"\nagents = [\"host:teamspark\"]\n");
    let outside = machine.outside("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    let backend = Backend::on(machine, &[]).await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    assert_eq!(app.ask("host/ask", shell(&chat, "1", "make")).await["outcome"], "allowed");
    let stranger = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    for (method, params) in [
        ("host/get", json!({"key": chat["key"]})),
        ("host/ask", shell(&chat, "2", "make")),
        ("host/setMode", json!({"key": chat["key"], "mode": "auto"})),
        ("host/outcome", json!({"key": chat["key"], "callId": "1"})),
        ("host/withdraw", json!({"key": chat["key"]})),
        ("host/report", json!({"key": chat["key"], "callId": "1", "status": "completed"})),
        ("host/grants", json!({"key": chat["key"]})),
        ("host/revoke", json!({"key": chat["key"]})),
        ("host/close", json!({"key": chat["key"]})),
        ("host/open", opening(&backend, json!({"key": chat["key"]}))),
        ("host/open", opening(&backend, json!({"parent": chat["key"]}))),
        ("host/open", opening(&backend, json!({"mode": "auto"}))),
    ] {
        let error = stranger.call(method, params).await.unwrap_err();
        assert_eq!(code(&error).0, -32030, "{method}: {error}");
    }
    // It calls itself by another's name, and has nothing of it.
    let own = open(&stranger, &backend, json!({})).await;
    assert_eq!((&own["agent"], &own["trustCategories"]), (&json!("open:host"), &json!(false)));
    let mut asked = shell(&own, "1", "make");
    asked["wait"] = json!(false);
    let asked = stranger.ask("host/ask", asked).await;
    assert_eq!(asked["outcome"], "asked", "{asked}");
    // Nobody answers for it for good.
    let mut always = pick(&asked["card"], "allow_always");
    always["remember"] = json!({"scope": "user", "patterns": ["shell(make)"]});
    let error = app.call("approval/respond", always).await.unwrap_err();
    assert_eq!(code(&error).0, -32020, "{error}");
    let error = stranger.answer(&asked["card"], "allow_once").await.unwrap_err();
    assert_eq!(code(&error).0, -32030, "{error}");
    let error = stranger.call("host/setMode", json!({"key": own["key"], "mode": "auto"})).await.unwrap_err();
    assert_eq!(code(&error).0, -32030, "{error}");
    assert_eq!(
        stranger.ask("host/setMode", json!({"key": own["key"], "mode": "plan"})).await["mode"],
        "plan"
    );
    // Its folder is nobody's: auto or not, what it writes there is outside.
    let further = json!({"app": "x", "chat": "y", "cwd": outside, "folders": [outside]});
    assert_eq!(code(&stranger.call("host/open", further).await.unwrap_err()).0, -32030);
    let there = stranger.ask("host/open", json!({"app": "x", "chat": "y", "cwd": outside})).await;
    let write =
        json!({"key": there["key"], "callId": "w", "wait": false, "call": {"kind": "write", "path": "x"}});
    let asked = stranger.ask("host/ask", write).await;
    assert_eq!(asked["outcome"], "asked");
    assert!(
        asked["why"].as_array().unwrap().is_empty() && asked["card"]["why"].to_string().contains("outside"),
        "{asked}"
    );
    // Keys that nobody has.
    for key in ["", "x", &"0".repeat(64)] {
        let error = stranger.call("host/get", json!({ "key": key })).await.unwrap_err();
        assert_eq!(code(&error).0, -32010, "{key}: {error}");
    }
}

/// S3.12: the same id with the same call is the same question; with another call it is refused. Attack 861.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_id_that_is_used_again_then_it_is_the_same_question_or_refused() {
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    let mut waits = shell(&chat, "1", "make");
    waits["wait"] = json!(false);
    let first = app.ask("host/ask", waits.clone()).await;
    let again = app.ask("host/ask", waits.clone()).await;
    assert_eq!(first["approvalId"], again["approvalId"]);
    assert_eq!(
        app.ask("host/get", json!({"key": chat["key"]})).await["waiting"].as_array().unwrap().len(),
        1
    );
    let mut other = waits.clone();
    other["call"]["command"] = json!("make install");
    assert_eq!(code(&app.call("host/ask", other).await.unwrap_err()).0, -32602);
    let early = json!({"key": chat["key"], "callId": "1", "status": "started"});
    assert_eq!(code(&app.call("host/report", early.clone()).await.unwrap_err()).0, -32602);
    let poll = json!({"key": chat["key"], "callId": "1", "waitSeconds": 0});
    assert_eq!(app.ask("host/outcome", poll.clone()).await["card"]["approvalId"], first["approvalId"]);
    // Two wait for it, and both hear of the one answer; somebody who comes late does too.
    let joined = shell(&chat, "1", "make");
    let (one, two, _) = tokio::join!(
        app.ask("host/ask", joined.clone()),
        app.ask("host/outcome", json!({"key": chat["key"], "callId": "1"})),
        app.answer(&first["card"], "allow_once"),
    );
    assert_eq!((&one["outcome"], &two["outcome"]), (&json!("allowed"), &json!("allowed")));
    assert_eq!(app.ask("host/outcome", poll).await["outcome"], "allowed");
    let late = app.answer(&first["card"], "deny").await.unwrap_err();
    assert_eq!(code(&late).0, -32020, "{late}");
    // Once it has run, its id is used up, and it has ended in one way.
    let report =
        |status: &str| app.call("host/report", json!({"key": chat["key"], "callId": "1", "status": status}));
    for status in ["started", "completed", "completed"] {
        report(status).await.unwrap();
    }
    for status in ["failed", "started"] {
        assert_eq!(code(&report(status).await.unwrap_err()).0, -32602, "{status}");
    }
    assert_eq!(code(&app.call("host/ask", joined).await.unwrap_err()).0, -32602);
    for bad in [
        json!({"key": chat["key"], "callId": "", "call": {"kind": "read", "path": "x"}}),
        json!({"key": chat["key"], "callId": "2", "call": {"kind": "read", "path": "x", "mode": "auto"}}),
        json!({"key": chat["key"], "callId": "2", "call": []}),
        json!({"key": chat["key"], "callId": "2", "call": {"kind": "acp", "request": {}}}),
        json!({"key": chat["key"], "callId": "2", "call": {"kind": "read", "path": "x"}, "agent": "claude"}),
    ] {
        assert_eq!(code(&app.call("host/ask", bad.clone()).await.unwrap_err()).0, -32602, "{bad}");
    }
    // A mistake takes no id.
    assert_eq!(app.ask("host/ask", shell(&chat, "2", "ls")).await["outcome"], "allowed");
}

/// S3.13: withdrawn, closed in the middle, or run though it was refused. Attack 862.
#[tokio::test(flavor = "multi_thread")]
async fn given_calls_that_are_withdrawn_or_run_all_the_same_then_that_is_said_and_recorded() {
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    let child = open(&app, &backend, json!({"chat": "sub", "parent": chat["key"]})).await;
    let wait = |session: &Value, id: &str| {
        let mut asked = shell(session, id, "make");
        asked["wait"] = json!(false);
        asked
    };
    for (session, id) in [(&chat, "1"), (&chat, "2"), (&child, "1")] {
        assert_eq!(app.ask("host/ask", wait(session, id)).await["outcome"], "asked");
    }
    app.ask("host/withdraw", json!({"key": chat["key"], "callId": "1"})).await;
    let withdrawn = app.ask("host/outcome", json!({"key": chat["key"], "callId": "1"})).await;
    assert_eq!(withdrawn["outcome"], "cancelled", "{withdrawn}");
    // The app ran it all the same: the record says so.
    app.ask("host/report", json!({"key": chat["key"], "callId": "1", "status": "completed"})).await;
    let unasked = kinds_of(&app, &chat).await.iter().filter(|kind| *kind == "unasked").count();
    assert_eq!(unasked, 1);
    let (mut heard, mut of_child) = (HostEvents::of(&app, &chat).await, HostEvents::of(&app, &child).await);
    app.ask("host/close", json!({"key": chat["key"]})).await;
    for events in [&mut heard, &mut of_child] {
        let ended = events.until("outcome").await;
        assert_eq!(ended["outcome"]["outcome"], "cancelled", "{ended}");
        assert_eq!(ended["outcome"]["reason"], "the session was closed", "{ended}");
        events.until("closed").await;
    }
    assert!(app.ask("approval/list", json!({"pending": true})).await.as_array().unwrap().is_empty());
}

/// S3.11: a sub-task is never freer than what it is a part of, and ends with it.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_sub_task_then_it_has_the_mode_and_the_folders_of_its_parent_at_most() {
    let machine = Machine::new();
    let outside = machine.outside("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    let backend = Backend::on(machine, &[]).await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({"mode": "plan"})).await;
    let child = app
        .ask("host/open", json!({"app": "teamspark", "chat": "sub", "parent": chat["key"], "mode": "auto"}))
        .await;
    assert_eq!(child["mode"], "plan");
    let denied = app.ask("host/ask", shell(&child, "1", "make")).await;
    assert_eq!(denied["outcome"], "denied");
    for wrong in [
        json!({"parent": chat["key"], "cwd": outside}),
        json!({"parent": chat["key"], "folders": [outside]}),
        json!({"parent": chat["key"], "app": "another"}),
    ] {
        let error = app.call("host/open", opening(&backend, wrong.clone())).await.unwrap_err();
        assert_eq!(code(&error).0, -32602, "{wrong}: {error}");
    }
    app.ask("host/setMode", json!({"key": chat["key"], "mode": "auto"})).await;
    assert_eq!(app.ask("host/ask", shell(&child, "2", "make")).await["outcome"], "allowed");
    app.ask("host/close", json!({"key": chat["key"]})).await;
    let gone = app.call("host/ask", shell(&child, "3", "make")).await.unwrap_err();
    assert_eq!(code(&gone).0, -32010);
}

/// D1.3: what an app says of its tools counts only where the person trusts it in that.
#[tokio::test(flavor = "multi_thread")]
async fn given_tools_with_categories_then_they_count_where_the_person_says_so() {
    let tools = json!([
        {"name": "list_notes", "category": "read"},
        {"name": "think"},
        {"server": "crm", "name": "find", "annotations": {"readOnlyHint": true}},
        {"server": "crm", "name": "update", "annotations": {"readOnlyHint": false, "openWorldHint": false}},
    ]);
    for (trusts, effects) in [(true, ["allow", "ask", "allow", "ask"]), (false, ["ask", "ask", "ask", "ask"])]
    {
        let user = format!("version = 1\n[apps.teamspark]\ntrust_categories = {trusts}\n");
        let backend = Backend::on(Machine::new().user(&user), &[]).await;
        let app = backend.client("teamspark").await;
        let chat = open(&app, &backend, json!({})).await;
        assert_eq!(chat["trustCategories"], trusts);
        let held = app.ask("host/tools", json!({"key": chat["key"], "tools": tools})).await;
        let said: Vec<&str> =
            held["tools"].as_array().unwrap().iter().map(|tool| tool["effect"].as_str().unwrap()).collect();
        assert_eq!(said, effects, "{held}");
        let call =
            |id: &str, call: Value| json!({"key": chat["key"], "callId": id, "wait": false, "call": call});
        let own = app.ask("host/ask", call("1", json!({"kind": "tool", "tool": "list_notes"}))).await;
        assert_eq!(own["outcome"], if trusts { "allowed" } else { "asked" }, "{own}");
        let of_server = json!({"kind": "mcp", "server": "crm", "tool": "find", "arguments": {"id": 1}});
        let found = app.ask("host/ask", call("2", of_server)).await;
        assert_eq!(found["outcome"], if trusts { "allowed" } else { "asked" }, "{found}");
        // A name says nothing.
        let think = app.ask("host/ask", call("3", json!({"kind": "tool", "tool": "think"}))).await;
        assert_eq!(think["outcome"], "asked", "{think}");
        let write =
            app.ask("host/ask", call("4", json!({"kind": "mcp", "server": "crm", "tool": "update"}))).await;
        assert_eq!(write["outcome"], "asked");
        assert_eq!(write["card"]["permissionType"], if trusts { "write" } else { "all" }, "{write}");
    }
}

/// S3.15: an app hears of its own session alone, first of all how it is.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_subscription_then_it_tells_of_its_session_in_order() {
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    let other = open(&app, &backend, json!({"chat": "c-2"})).await;
    let mut waits = shell(&chat, "1", "make");
    waits["wait"] = json!(false);
    let first = app.ask("host/ask", waits).await;
    let mut heard = HostEvents::of(&app, &chat).await;
    let now = heard.next().await;
    assert_eq!(now["session"]["waiting"][0]["approvalId"], first["approvalId"], "{now}");
    let mut of_other = shell(&other, "1", "make");
    of_other["wait"] = json!(false);
    app.ask("host/ask", of_other).await;
    // By the app's answer without a digest: it was shown the card.
    let plain = json!({"approvalId": first["approvalId"], "response": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}});
    app.ask("approval/respond", plain).await;
    let resolved = heard.until("resolved").await;
    assert_eq!((&resolved["type"], &resolved["callId"]), (&json!("resolved"), &json!("1")), "{resolved}");
    let outcome = heard.next().await;
    assert_eq!(
        (&outcome["type"], &outcome["outcome"]["outcome"]),
        (&json!("outcome"), &json!("allowed")),
        "{outcome}"
    );
    app.ask("host/setMode", json!({"key": chat["key"], "mode": "plan"})).await;
    assert_eq!(heard.next().await["session"]["mode"], "plan");
    // In plan mode what waits elsewhere goes on waiting.
    assert_eq!(
        app.ask("host/get", json!({"key": other["key"]})).await["waiting"].as_array().unwrap().len(),
        1
    );
    app.ask("host/close", json!({"key": chat["key"]})).await;
    heard.until("closed").await;
}
