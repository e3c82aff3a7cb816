//! What is made to be slow or large, beside the tabs of an editor.

use mayi_tests::heavy::Input;
use mayi_tests::random::Random;
use serde_json::json;

use super::scene::{Backend, Client, demo};

/// D2.40. Attack 731.
#[tokio::test(flavor = "multi_thread")]
async fn given_questions_that_are_made_to_be_slow_or_large_then_each_is_settled_and_the_tabs_go_on() {
    let backend = Backend::new().await;
    let asker = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    asker
        .ask("mayi/initialize", json!({"protocolVersion": 1, "client": {"name": "tool", "version": "1"}}))
        .await;
    let person = backend.client("test").await;
    let mut events = person.events(None).await;
    let tab = demo(&person, &backend.machine).await;
    let (mut random, work) = (Random(7_314), backend.machine.work());
    for _ in 0..40 {
        let mut call = Input::any(&mut random).request(&work);
        // The folders are the person's.
        call.as_object_mut().unwrap().remove("workspace");
        let asked =
            asker.call("approval/request", json!({"call": call, "title": "a tool", "timeoutSeconds": 60}));
        tokio::pin!(asked);
        let settled = loop {
            tokio::select! {
                settled = &mut asked => break settled,
                card = events.until("approval-request") => {
                    person.answer(&card, "deny").await.unwrap();
                }
            }
        };
        let outcome = settled.unwrap()["outcome"].clone();
        assert!(outcome == "allowed" || outcome == "denied", "{outcome}");
    }
    person.prompt(&tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    person.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    assert_eq!(backend.machine.text("a.txt").as_deref(), Some("x\n"));
}
