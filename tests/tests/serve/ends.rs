//! How a backend ends, and requests that come in another way than they should.

use std::time::Duration;

use serde_json::json;

use super::hostile::post_with;
use super::scene::Backend;

/// Found in review: the files of the tokens stayed if it ended in the middle of a request.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_request_under_way_when_it_ends_then_no_file_of_a_token_stays() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let (at, token) = (backend.address(), backend.token("askTokenFile"));
    let call = json!({"kind": "shell", "command": "make", "cwd": backend.machine.work()});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "approval/request", "params": {"call": call}});
    let asking = tokio::spawn(async move { post_with(&at, &token, &body.to_string()).await });
    let _ = events.until("approval-request").await;
    let machine = backend.stop().await;
    let left: Vec<_> = std::fs::read_dir(machine.outside("state/mayi/serve")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    let _ = tokio::time::timeout(Duration::from_secs(10), asking).await.unwrap();
}

/// Found in review: whoever subscribes over HTTP is told what to do, and not of an error in here. Who
/// may only ask is told that first.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_subscription_over_http_then_it_is_refused_for_that() {
    let backend = Backend::new().await;
    for method in ["events/subscribe", "events/unsubscribe"] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).to_string();
        let said = post_with(&backend.address(), &backend.token("answerTokenFile"), &body).await;
        assert!(said.contains("\"code\":-32600") && said.contains("over a WebSocket"), "{said}");
        let said = post_with(&backend.address(), &backend.token("askTokenFile"), &body).await;
        assert!(said.contains("\"code\":-32030"), "{said}");
    }
}
