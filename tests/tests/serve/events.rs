//! The subscription: a reconnect misses nothing, and a slow reader holds nobody up.

use serde_json::{Value, json};

use super::scene::{Backend, demo};

/// S3.6: with a cursor, so that a reconnect misses nothing.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_reconnect_with_its_cursor_then_exactly_what_was_missed_comes() {
    let backend = Backend::new().await;
    let driver = backend.client("driver").await;
    let mut all = driver.events(None).await;
    let tab = demo(&driver, &backend.machine).await;
    let first = backend.client("other").await;
    let mut before = first.events(None).await;
    driver.prompt(&tab, "demo: write a.txt x").await;
    let card = before.until("approval-request").await;
    let cursor = before.cursor.clone();
    drop((before, first));
    driver.answer(&card, "allow_once").await.unwrap();
    all.until("turn-ended").await;
    driver.ask("session/setMode", json!({"tabId": tab, "mode": "auto"})).await;
    all.until("session-changed").await;

    let again = backend.client("other").await;
    let mut after = again.events(Some(cursor.clone())).await;
    let mut missed = Vec::new();
    while !(missed.last().is_some_and(|event: &Value| event["session"]["mode"] == "auto")) {
        missed.push(after.next().await);
    }
    assert!(missed.iter().all(|event| event["type"] != "snapshot"));
    // One who was there all the time has heard the same, in the same order.
    let late = backend.client("late").await;
    let mut whole = late.events(None).await;
    while !whole.seen.last().is_some_and(|event| event["session"]["mode"] == "auto") {
        whole.next().await;
    }
    let tail = &whole.seen[whole.seen.len() - missed.len()..];
    assert_eq!(tail, &missed[..]);
    assert_eq!(whole.seen[0]["type"], "snapshot");
    let (seq, from) = (whole.seen.len() - 1, cursor["seq"].as_u64().unwrap());
    assert_eq!(usize::try_from(from).unwrap() + missed.len(), seq, "nothing lost, nothing twice");
}

/// "back-pressure towards slow subscribers": one who does not read costs the others nothing.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_subscriber_that_does_not_read_then_the_others_hear_everything() {
    let backend = Backend::new().await;
    let slow = backend.client("slow").await;
    let _unread = slow.events(None).await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.ask("session/setMode", json!({"tabId": tab, "mode": "auto"})).await;
    client.prompt(&tab, "demo: loop 500").await;
    events.until("turn-ended").await;
    assert_eq!(events.count("decided"), 500);
    assert!(events.said().contains("allow 500"), "{}", events.said());
}

/// A snapshot tells everything as it is: tabs, and what waits.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_card_that_waits_then_a_new_subscriber_is_told_of_it_at_once() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    let late = backend.client("late").await;
    let snapshot = late.events(None).await.next().await;
    assert_eq!(snapshot["waiting"][0], card);
    assert_eq!(
        (&snapshot["sessions"][0]["tabId"], &snapshot["sessions"][0]["state"]),
        (&json!(tab), &json!("running"))
    );
    assert_eq!((&snapshot["sessions"][0]["waiting"], &snapshot["lost"]), (&json!(1), &json!(false)));
    late.answer(&snapshot["waiting"][0], "allow_once").await.unwrap();
    events.until("turn-ended").await;
}
