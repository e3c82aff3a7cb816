//! Messages in the shapes that other clients have: answers without a digest, and a prompt with a mode (D6.32).

use serde_json::{Value, json};

use super::scene::{Backend, code, demo, pick};

/// `approval-response` with nothing but ACP's outcome.
fn short(card: &Value, option: &str) -> Value {
    json!({
        "type": "approval-response", "approvalId": card["approvalId"],
        "response": { "outcome": { "outcome": "selected", "optionId": option } }, "bypassAll": false,
    })
}

/// "Answers without a digest ... count only for a card shown once to that connection and never updated, only as allow once
/// or deny": by mayi's id or by the agent's.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_answer_without_a_digest_then_it_allows_once_or_denies() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    let of_kind = |card: &Value, kind: &str| {
        let options = card["agentOptions"].as_array().unwrap();
        options
            .iter()
            .find(|option| option["kind"] == kind)
            .map(|option| option["optionId"].as_str().unwrap().to_owned())
    };
    for (file, option, state) in [("a.txt", "allow_once", "approved"), ("b.txt", "deny", "denied")] {
        client.prompt(&tab, &format!("demo: write {file} hello")).await;
        let card = events.until("approval-request").await;
        let answered = client.ask("approval/respond", short(&card, option)).await;
        assert_eq!(answered["state"], state);
        assert_eq!(answered["grantedPermissions"], json!([]));
        events.until("turn-ended").await;
    }
    client.prompt(&tab, "demo: write c.txt hello").await;
    let card = events.until("approval-request").await;
    if let Some(option) = of_kind(&card, "allow_always") {
        let refused = client.call("approval/respond", short(&card, &option)).await.unwrap_err();
        assert_eq!(code(&refused).0, -32602, "{refused:?}");
    }
    let option = of_kind(&card, "allow_once").unwrap();
    let answered = client.ask("approval/respond", short(&card, &option)).await;
    assert_eq!(answered["state"], "approved");
    events.until("turn-ended").await;
    assert!(backend.machine.text("a.txt").is_some() && backend.machine.text("c.txt").is_some());
    assert!(backend.machine.text("b.txt").is_none());
    let late = client.call("approval/respond", short(&card, "deny")).await.unwrap_err();
    assert_eq!(code(&late), (-32020, json!({"reason": "settled", "state": "approved", "by": "test"})));
}

/// "Never bypass, remember, an always-ask or a mode switch"; and not by a connection that was not shown the card. Each is
/// refused, and the card still waits. Attack 330.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_answer_without_a_digest_that_does_more_then_it_is_refused() {
    let backend = Backend::new().await;
    let (client, blind) = (backend.client("test").await, backend.client("blind").await);
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt hello").await;
    let card = events.until("approval-request").await;
    let with = |name: &str, value: Value| {
        let mut answer = short(&card, "allow_once");
        answer[name] = value;
        answer
    };
    let cancelled = json!({ "outcome": { "outcome": "cancelled" } });
    for answer in [
        with("bypassAll", json!(true)),
        with("bypassSession", json!(true)),
        with("remember", json!({ "scope": "session", "patterns": [] })),
        with("response", cancelled),
        short(&card, "allow_session"),
        short(&card, "allow_always"),
        short(&card, "nothing"),
        json!({ "tool_call_id": card["toolCall"]["toolCallId"], "decision": "allow_for_chat" }),
        json!({ "tool_call_id": "another", "decision": "allow" }),
    ] {
        client.call("approval/respond", answer.clone()).await.expect_err(&answer.to_string());
    }
    let unseen = blind.call("approval/respond", short(&card, "allow_once")).await.unwrap_err();
    assert_eq!(code(&unseen).0, -32602, "{unseen:?}");
    assert_eq!(client.ask("approval/list", json!({"pending": true})).await.as_array().unwrap().len(), 1);
    client.answer(&card, "deny").await.unwrap();
    events.until("turn-ended").await;
    client.prompt(&tab, "demo: write .git/hooks/pre-commit x").await;
    let always = events.until("approval-request").await;
    let refused = client.call("approval/respond", short(&always, "allow_once")).await.unwrap_err();
    assert_eq!(code(&refused).0, -32602, "{refused:?}");
    let denied = client.ask("approval/respond", short(&always, "deny")).await;
    assert_eq!(denied["state"], "denied");
    events.until("turn-ended").await;
    client.prompt(&tab, "demo: mode").await;
    let switch = events.until("approval-request").await;
    let refused = client.call("approval/respond", short(&switch, "allow_once")).await.unwrap_err();
    assert_eq!(code(&refused).0, -32602, "{refused:?}");
    client.answer(&switch, "deny").await.unwrap();
}

/// `tool_approval_response {tool_call_id, decision}`, and `permission_mode` with a message.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_decision_by_the_id_of_the_tool_call_then_it_is_taken() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    for (decision, state) in [("allow", "approved"), ("deny", "denied")] {
        client.prompt(&tab, "demo: write a.txt hello").await;
        let card = events.until("approval-request").await;
        let answer = json!({
            "type": "tool_approval_response", "tool_call_id": card["toolCall"]["toolCallId"], "decision": decision,
        });
        assert_eq!(client.ask("approval/respond", answer).await["state"], state);
        events.until("turn-ended").await;
    }
    let prompt = json!({ "tabId": tab, "text": "demo: write p.txt hello", "permission_mode": "plan" });
    client.ask("session/prompt", prompt).await;
    events.until("turn-ended").await;
    assert!(backend.machine.text("p.txt").is_none(), "plan mode only reads");
    let sessions = client.ask("session/list", json!({})).await;
    assert_eq!(sessions[0]["mode"], "plan");
    let prompt = json!({ "tabId": tab, "text": "demo: write p.txt hello", "mode": "auto" });
    client.ask("session/prompt", prompt).await;
    events.until("turn-ended").await;
    assert!(backend.machine.text("p.txt").is_some());
}

/// A digest still says what was shown, whoever was shown it.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_digest_then_it_is_what_counts() {
    let backend = Backend::new().await;
    let (client, other) = (backend.client("test").await, backend.client("other").await);
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt hello").await;
    let card = events.until("approval-request").await;
    assert_eq!(other.ask("approval/respond", pick(&card, "allow_once")).await["state"], "approved");
}

/// D6.32 for every answer that can be made of the seeds' two shapes, the options' ids, and what else an answer may
/// hold, on a card of each kind: what is taken allows once or denies just this, as its own word says, and leaves nothing
/// that is remembered or bypassed. What is not taken leaves the card waiting.
#[tokio::test(flavor = "multi_thread")]
async fn given_any_answer_without_a_digest_then_it_never_does_more_than_allow_once_or_deny() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    let mut taken = 0;
    for (prompt, may_allow) in [
        ("demo: write a.txt hello", true),
        ("demo: write .git/hooks/pre-commit x", false),
        ("demo: mode", false),
    ] {
        client.prompt(&tab, prompt).await;
        let mut card = events.until("approval-request").await;
        let ids = ids_of(&card);
        let many = answers(&card, &ids).len();
        for at in 0..many {
            let (answer, word) = answers(&card, &ids).swap_remove(at);
            let Ok(settled) = client.call("approval/respond", answer.clone()).await else {
                let waiting = client.ask("approval/list", json!({"pending": true})).await;
                assert!(
                    waiting.to_string().contains(card["approvalId"].as_str().unwrap()),
                    "{answer}: {waiting}"
                );
                continue;
            };
            taken += 1;
            let allowed = word == Word::Allow;
            assert!(word != Word::Other && (may_allow || !allowed), "{prompt}: {answer}");
            assert_eq!(settled["state"], if allowed { "approved" } else { "denied" }, "{answer}");
            assert_eq!(settled["grantedPermissions"], json!([]), "{answer}");
            events.until("turn-ended").await;
            assert_eq!(client.ask("grants/list", json!({})).await, json!([]), "{answer}");
            // It is asked about as before: neither remembered nor bypassed.
            client.prompt(&tab, prompt).await;
            card = events.until("approval-request").await;
        }
        client.answer(&card, "deny").await.unwrap();
        events.until("turn-ended").await;
    }
    assert!(taken > 20, "most of what may be taken was refused: {taken}");
}

/// What an answer says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Allow,
    Deny,
    /// More than either, or nothing that is known.
    Other,
}

/// Ids of options with what they say: mayi's, the agent's, and one of nobody's.
fn ids_of(card: &Value) -> Vec<(String, Word)> {
    let word = |kind: &str| match kind {
        "allow_once" => Word::Allow,
        "reject_once" => Word::Deny,
        _ => Word::Other,
    };
    let mut ids = vec![("nothing".to_owned(), Word::Other), ("cancelled".to_owned(), Word::Other)];
    for option in card["options"].as_array().unwrap() {
        let id = option["optionId"].as_str().unwrap();
        let word = match id {
            "allow_once" => Word::Allow,
            "deny" => Word::Deny,
            _ => Word::Other,
        };
        ids.push((id.to_owned(), word));
    }
    for option in card["agentOptions"].as_array().unwrap() {
        ids.push((option["optionId"].as_str().unwrap().to_owned(), word(option["kind"].as_str().unwrap())));
    }
    ids
}

/// Every answer to `card` without its digest.
fn answers(card: &Value, ids: &[(String, Word)]) -> Vec<(Value, Word)> {
    let further = [
        json!({}),
        json!({"bypassAll": true}),
        json!({"bypassSession": true}),
        json!({"remember": null}),
        json!({"remember": {"scope": "session", "patterns": []}}),
        json!({"remember": {"scope": "user", "patterns": ["write(**)"]}}),
        json!({"reason": "because"}),
        json!({"digest": null}),
        json!({"digest": "sha256:0000"}),
    ];
    let mut made = Vec::new();
    for (id, word) in ids {
        // What is refused as it is needs no further member to be.
        for more in further.iter().take(if *word == Word::Other { 1 } else { further.len() }) {
            let mut answer = short(card, id);
            let members = more.as_object().unwrap();
            members.iter().for_each(|(name, value)| answer[name] = value.clone());
            let plain = members.keys().all(|name| name == "reason")
                || more["remember"].is_null() && members.contains_key("remember");
            made.push((answer, if plain { *word } else { Word::Other }));
        }
    }
    let call = &card["toolCall"]["toolCallId"];
    for (decision, word) in [
        ("allow", Word::Allow),
        ("allow_once", Word::Allow),
        ("approve", Word::Allow),
        ("deny", Word::Deny),
        ("reject", Word::Deny),
        ("allow_for_chat", Word::Other),
        ("allow_always", Word::Other),
        ("bypass", Word::Other),
        ("", Word::Other),
    ] {
        made.push((
            json!({"type": "tool_approval_response", "tool_call_id": call, "decision": decision}),
            word,
        ));
    }
    made
}
