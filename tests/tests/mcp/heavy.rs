//! What is made to be slow or large, among the calls of other clients.

use mayi_tests::heavy::Input;
use mayi_tests::random::Random;
use serde_json::json;

use crate::http::Served;
use crate::scene::Scene;

/// D2.40. Attack 731.
#[test]
fn given_calls_that_are_made_to_be_slow_or_large_then_each_is_answered_and_so_is_the_next_client() {
    let scene = Scene::new("");
    let mut command = scene.mayi(&[
        "mcp",
        "--name",
        "rogue",
        "--allow",
        "mcp(rogue/list)",
        "--http",
        "127.0.0.1:0",
        "--open",
        "--",
    ]);
    command.args(scene.command("rogue", "plain"));
    let served = Served::start(command);
    let mut random = Random(7_312);
    for _ in 0..60 {
        let (_, arguments) = Input::any(&mut random).call();
        let answer = served.ask("tools/call", "echo", json!({ "name": "echo", "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{:.300}", answer.to_string());
    }
    let answer = served.ask("tools/call", "list", json!({ "name": "list", "arguments": {} }));
    assert!(answer["result"].is_object() && answer["result"]["isError"] != true, "{answer}");
    assert_eq!(scene.ran(), ["list"]);
}
