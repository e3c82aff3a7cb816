//! Answers: the first one wins, whoever gives it; several at once; and what becomes of a question when a process dies.

use serde_json::json;

use super::scene::{Backend, code, demo, pick};

/// D6.4: First answer wins; later ones get "already answered", by whom and what; other surfaces are
/// told.
#[tokio::test(flavor = "multi_thread")]
async fn given_two_front_ends_then_the_first_answer_wins_and_the_other_hears_who_gave_it() {
    let backend = Backend::new().await;
    let (one, two) = (backend.client("first").await, backend.client("second").await);
    let (mut of_one, mut of_two) = (one.events(None).await, two.events(None).await);
    let tab = demo(&one, &backend.machine).await;
    one.prompt(&tab, "demo: write a.txt hello").await;
    let card = of_one.until("approval-request").await;
    assert_eq!(of_two.until("approval-request").await["approvalId"], card["approvalId"]);
    two.answer(&card, "deny").await.unwrap();
    let late = one.answer(&card, "allow_once").await.unwrap_err();
    assert_eq!(code(&late), (-32020, json!({"reason": "settled", "state": "denied", "by": "second"})));
    for events in [&mut of_one, &mut of_two] {
        let resolved = events.until("approval-resolved").await;
        assert_eq!((&resolved["state"], &resolved["by"]), (&json!("denied"), &json!("second")));
    }
    of_one.until("turn-ended").await;
    assert!(backend.machine.text("a.txt").is_none());
}

/// D6.2: The answer echoes the digest that was rendered.
#[tokio::test(flavor = "multi_thread")]
async fn given_another_digest_or_option_then_the_answer_is_refused_and_it_still_waits() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt hello").await;
    let card = events.until("approval-request").await;
    let mut other = pick(&card, "allow_once");
    other["digest"] = json!("0".repeat(64));
    let error = client.call("approval/respond", other).await.unwrap_err();
    assert_eq!(code(&error), (-32020, json!({"reason": "changed"})));
    let error = client.answer(&card, "allow_everything").await.unwrap_err();
    assert_eq!(code(&error), (-32020, json!({"reason": "option"})));
    let waiting = client.ask("approval/list", json!({"pending": true})).await;
    assert_eq!(waiting.as_array().unwrap().len(), 1);
    assert_eq!(waiting[0]["card"]["approvalId"], card["approvalId"]);
    client.answer(&card, "deny").await.unwrap();
    let past = client.ask("approval/list", json!({"ids": [card["approvalId"]]})).await;
    assert_eq!((&past[0]["state"], &past[0]["by"]), (&json!("denied"), &json!("test")));
}

/// Several are answered together, alike or not, each with the digest that was shown; what is asked about always is
/// answered by itself (D6.18). Attack 173.
#[tokio::test(flavor = "multi_thread")]
async fn given_several_cards_then_alike_ones_are_answered_together_and_always_ones_are_not() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let mut cards = Vec::new();
    let asked = [
        "demo: write a.txt x",
        "demo: write b.txt x",
        "demo: run touch c.txt",
        "demo: write .git/hooks/pre-commit x",
    ];
    for text in asked {
        let tab = demo(&client, &backend.machine).await;
        client.prompt(&tab, text).await;
        cards.push(events.until("approval-request").await);
    }
    assert!(cards[..3].iter().all(|card| card["alike"].is_string()));
    assert!(cards[3]["alike"].is_null(), "{}", cards[3]);
    let responses: Vec<_> = cards.iter().map(|card| pick(card, "allow_once")).collect();
    let results =
        client.ask("approval/respondMany", json!({"responses": responses})).await["results"].clone();
    for at in 0..3 {
        assert_eq!(results[at]["resolved"]["state"], "approved", "{results}");
    }
    assert!(results[3]["error"].as_str().unwrap().contains("by itself"), "{results}");
    let waiting = client.ask("approval/list", json!({"pending": true})).await;
    assert_eq!(waiting.as_array().unwrap().len(), 1);
    let denied = client.ask("approval/respondMany", json!({"responses": [pick(&cards[3], "deny")]})).await;
    assert_eq!(denied["results"][0]["resolved"]["state"], "denied");
}

/// An answer for the session covers the like in this tab, and is in the list of what is remembered until it is revoked.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_answer_for_the_session_then_the_like_is_not_asked_until_it_is_revoked() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: run touch a.txt").await;
    let card = events.until("approval-request").await;
    let resolved = client.answer(&card, "allow_session").await.unwrap();
    assert!(resolved["grantedPermissions"][0].as_str().unwrap().contains("touch a.txt"), "{resolved}");
    events.until("turn-ended").await;
    client.prompt(&tab, "demo: run touch a.txt").await;
    events.until("turn-ended").await;
    assert_eq!(events.count("approval-request"), 1);
    let grants = client.ask("grants/list", json!({})).await;
    assert_eq!((&grants[0]["agent"], &grants[0]["scope"]), (&json!("demo"), &json!("session")));
    let revoked = client.ask("grants/revoke", json!({"ids": [grants[0]["id"]]})).await;
    assert_eq!(revoked["revoked"], 1);
    events.until("grants-changed").await;
    client.prompt(&tab, "demo: run touch a.txt").await;
    let again = events.until("approval-request").await;
    client.answer(&again, "deny").await.unwrap();
}

/// D0.7: A queue that outlives ... a restarted backend: ... late answers refused.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_backend_that_is_killed_while_a_card_waits_then_the_next_one_knows_that_it_was_interrupted() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: two").await;
    let allowed = events.until("approval-request").await;
    let waiting = events.until("approval-request").await;
    client.answer(&allowed, "allow_once").await.unwrap();
    events.until("approval-resolved").await;
    let old = events.cursor.clone();
    let machine = backend.kill().await;
    let backend = Backend::on(machine, &[]).await;
    let client = backend.client("test").await;
    let mut events = client.events(Some(old)).await;
    let snapshot = events.next().await;
    assert_eq!((&snapshot["type"], &snapshot["waiting"]), (&json!("snapshot"), &json!([])));
    let ids = json!([allowed["approvalId"], waiting["approvalId"]]);
    let list = client.ask("approval/list", json!({"ids": ids})).await;
    let of = |card: &serde_json::Value| {
        let found =
            list.as_array().unwrap().iter().find(|entry| entry["card"]["approvalId"] == card["approvalId"]);
        let found = found.unwrap();
        (found["state"].clone(), found["by"].clone(), found["reason"].clone())
    };
    assert_eq!(of(&allowed), (json!("approved"), json!("test"), json!(null)));
    assert_eq!(of(&waiting), (json!("cancelled"), json!("mayi"), json!("interrupted")));
    let late = client.answer(&waiting, "allow_once").await.unwrap_err();
    assert_eq!(code(&late).0, -32020);
}

/// Questions of the user's other processes are shown, and answered, like the backend's own.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_question_of_another_process_then_it_can_be_answered_here() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let args = ["run", "demo", "demo: write other.txt x", "--on-ask", "wait", "--timeout", "50s"];
    let asking = backend.machine.mayi(args);
    let running = tokio::task::spawn_blocking(move || asking.start().end());
    let card = events.until("approval-request").await;
    assert!(card["tabId"].is_null());
    let resolved = client.answer(&card, "allow_once").await.unwrap();
    assert_eq!((&resolved["state"], &resolved["by"]), (&json!("approved"), &json!("test")));
    assert_eq!(events.until("approval-resolved").await["by"], "test");
    let _ = running.await.unwrap().exits(0);
    assert_eq!(backend.machine.text("other.txt").as_deref(), Some("x\n"));
}
