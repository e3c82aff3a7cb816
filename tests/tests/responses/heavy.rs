//! What is made to be slow or large, in what the model calls tools with.

use mayi_tests::heavy::Input;
use mayi_tests::random::Random;
use serde_json::json;

use crate::scene::{Scene, message, wants};

/// D2.40. Attack 731.
#[test]
fn given_calls_that_are_made_to_be_slow_or_large_then_each_is_denied_and_the_next_response_goes_on() {
    let scene = Scene::new(&["--on-ask", "deny", "--allow", "mcp(docs/search)"]);
    let mut random = Random(7_313);
    for nth in 0..40 {
        scene.endpoint.gives(Some(Input::any(&mut random).call().1.to_string()));
        let got = scene.create(&wants(&json!([["read"]]), nth % 2 == 0));
        assert!(got.status == 200 && got.body.contains("read was not approved"), "{:.300}", got.body);
    }
    assert!(scene.ran().is_empty());
    scene.endpoint.gives(None);
    let got = scene.create(&wants(&json!([["search"]]), false));
    assert_eq!(message(&got.json()), "search ran");
}
