//! The credential that may only ask.

use serde_json::json;

use super::scene::{Backend, Client, code, demo};

/// S3.1: one kind may only ask (given to gated processes). Attack 171.
#[tokio::test(flavor = "multi_thread")]
async fn given_the_asking_credential_then_nothing_else_can_be_done_with_it() {
    let backend = Backend::new().await;
    let asker = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    let hello = asker
        .ask(
            "mayi/initialize",
            json!({"protocolVersion": 1, "client": {"name": "tool"},
        "settings": {"agents": {"demo": {"bypassPermissions": true}}}}),
        )
        .await;
    assert_eq!(hello["credential"], "ask");
    let person = backend.client("test").await;
    let mut events = person.events(None).await;
    let tab = demo(&person, &backend.machine).await;
    person.prompt(&tab, "demo: write a.txt x").await;
    // Its settings did not count: it is asked.
    let card = events.until("approval-request").await;
    for (method, params) in [
        ("approval/list", json!({})),
        ("approval/respond", super::scene::pick(&card, "allow_once")),
        ("approval/respondMany", json!({"responses": []})),
        ("session/new", json!({"agent": "demo", "cwd": backend.machine.work()})),
        ("session/list", json!({})),
        ("session/prompt", json!({"tabId": tab, "text": "hi"})),
        ("session/cancel", json!({"tabId": tab})),
        ("session/setMode", json!({"tabId": tab, "mode": "auto"})),
        ("session/close", json!({"tabId": tab})),
        ("settings/get", json!({})),
        ("settings/update", json!({"agents": {"demo": {"bypassPermissions": true}}})),
        ("servers/list", json!({})),
        ("grants/list", json!({})),
        ("grants/revoke", json!({"server": "x"})),
        ("log/query", json!({})),
        ("ui/pair", json!({})),
        ("events/subscribe", json!({})),
    ] {
        let error = asker.call(method, params).await.unwrap_err();
        assert_eq!(code(&error).0, -32030, "{method}: {error}");
    }
    person.answer(&card, "deny").await.unwrap();
}

/// `approval/request`: how a program asks through the backend; judged as a stranger. Attack 171.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_program_that_asks_then_policy_or_a_person_decides() {
    let machine = mayi_tests::Machine::new().user("version = 1\n[[rule]]\neffect = \"deny\"\npattern = \"shell(rm *)\"\n[agents.demo]\nbypass_permissions = true\n");
    let backend = Backend::on(machine, &[]).await;
    let asker = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    let work = backend.machine.work();
    let call = |command: &str| json!({"call": {"kind": "shell", "command": command, "cwd": work}, "title": "a tool"});
    let read = asker.ask("approval/request", call("ls")).await;
    assert_eq!((&read["outcome"], &read["approvalId"]), (&json!("allowed"), &json!(null)));
    let denied = asker.ask("approval/request", call("rm x")).await;
    assert_eq!(denied["outcome"], "denied");
    assert!(denied["reason"].as_str().unwrap().contains("policy"), "{denied}");
    let person = backend.client("test").await;
    let mut events = person.events(None).await;
    for (option, outcome) in [("allow_once", "allowed"), ("deny", "denied")] {
        let (asked, card) = tokio::join!(asker.ask("approval/request", call("make")), async {
            let card = events.until("approval-request").await;
            person.answer(&card, option).await.unwrap();
            card
        });
        assert_eq!(asked["outcome"], outcome, "{asked}");
        assert_eq!(card["accesses"][0]["display"], "make");
        // "No session scope where the protocol has no session".
        assert!(!card["options"].to_string().contains("allow_session"));
        // Nor for longer: nobody is called that in the configuration.
        assert!(!card["options"].to_string().contains("allow_always"), "{card}");
    }
    let mut late = call("make install");
    late["timeoutSeconds"] = json!(1);
    let expired = asker.ask("approval/request", late).await;
    assert_eq!(expired["outcome"], "denied");
    for judging in ["agent", "mode", "rules", "isolated"] {
        let mut sly = call("make");
        sly["call"][judging] = match judging {
            "agent" => json!("demo"),
            "mode" => json!("auto"),
            "rules" => json!({"allow": ["shell(make)"]}),
            _ => json!(true),
        };
        let error = asker.call("approval/request", sly).await.unwrap_err();
        assert_eq!(code(&error).0, -32602, "{judging}: {error}");
    }
}

/// D1.26: roots are the person's. Attack: a program that says that it works where it wants to write.
/// Attack 175.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_program_that_chooses_its_folder_then_it_is_outside_of_what_a_person_has_opened() {
    let machine = mayi_tests::Machine::new().user("version = 1\nmode = \"auto\"\n");
    let outside = machine.outside("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, machine.work().join("link")).unwrap();
    let backend = Backend::on(machine, &[]).await;
    let asker = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    let work = backend.machine.work();
    let asked = |call: serde_json::Value| {
        let asked = json!({"call": call, "timeoutSeconds": 1});
        async { asker.ask("approval/request", asked).await["outcome"].clone() }
    };
    let inside = json!({"kind": "write", "path": "a.txt", "cwd": work});
    assert_eq!(asked(inside).await, "allowed");
    for folder in [outside.as_path(), &work.join("link"), &work.join(".."), std::path::Path::new("/")] {
        for mut call in [
            json!({"kind": "write", "path": outside.join("x")}),
            json!({"kind": "write", "path": "x"}),
            json!({"kind": "shell", "command": "make install"}),
        ] {
            call["cwd"] = json!(folder);
            assert_eq!(asked(call.clone()).await, "denied", "nobody answered: {call}");
        }
    }
    let sly = json!({"call": {"kind": "write", "path": "/opt/x", "cwd": work, "workspace": ["/opt"]}});
    assert_eq!(code(&asker.call("approval/request", sly).await.unwrap_err()).0, -32602);
}

/// Attack 14: "duplicate JSON keys ... in arguments": two programs may read them differently. Attack 175.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_call_that_can_be_read_in_two_ways_then_it_is_refused() {
    let backend = Backend::new().await;
    let token = backend.token("askTokenFile");
    for call in [
        r#"{"kind":"shell","command":"rm -rf x","command":"ls"}"#,
        r#"{"kind":"tool","name":"think","arguments":{"n":12345678901234567890}}"#,
    ] {
        for method in ["approval/request", "check"] {
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"call":{call}}}}}"#);
            let answer = super::hostile::post_with(&backend.address(), &token, &body).await;
            assert!(answer.contains("-32602"), "{method} {call}: {answer}");
        }
    }
}
