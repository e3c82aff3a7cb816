//! Several servers behind one gateway.

use serde_json::{Value, json};

use crate::client::{Gateway, ran};
use crate::scene::Scene;

fn names(gateway: &mut Gateway, method: &str, list: &str) -> Vec<String> {
    let answer = gateway.ask(method, &json!({}));
    let items = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

fn is_failed(answer: &Value, server: &str) {
    assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{answer}");
    assert!(answer.to_string().contains(server), "{answer}");
}

/// S5.2: one server or many (names `server__tool`, stable order).
#[test]
fn given_three_servers_of_which_one_is_dead_then_the_others_are_listed_in_order_and_work() {
    let scene = Scene::with_servers(&["alpha", "beta", "gamma"], "[rules]\nallow = [\"mcp(*)\"]\n");
    scene.put("beta", "dead", "");
    let tool = |name: &&str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let three: Vec<Value> = ["list", "delete", "echo"].iter().map(tool).collect();
    for server in ["alpha", "gamma"] {
        scene.put(server, "tools.json", &json!(three).to_string());
    }
    for gateway in [scene.joint(&["--no-record"]).older(), scene.joint(&["--no-record"]).stateless()] {
        let mut gateway = gateway;
        let expected =
            ["alpha__list", "alpha__delete", "alpha__echo", "gamma__list", "gamma__delete", "gamma__echo"];
        assert_eq!(names(&mut gateway, "tools/list", "tools"), expected);
        ran(&gateway.call("alpha__echo", &json!({})), "echo of alpha");
        ran(&gateway.call("gamma__echo", &json!({})), "echo of gamma");
        is_failed(&gateway.call("beta__echo", &json!({})), "beta");
        ran(&gateway.call("alpha__list", &json!({})), "list of alpha");
    }
    scene.configure(&format!("{}[rules]\nallow = [\"mcp(*)\"]\n", scene.servers(&["gamma", "alpha"])));
    let mut gateway = scene.joint(&["--no-record"]).older();
    let first = names(&mut gateway, "tools/list", "tools");
    assert!(first[0].starts_with("alpha__") && first[3].starts_with("gamma__"), "{first:?}");
}

/// Prompts and resources go where they came from, and what nobody has is an error.
#[test]
fn given_prompts_and_resources_of_several_servers_then_each_request_goes_to_its_own() {
    let scene = Scene::with_servers(&["alpha", "beta"], "");
    let mut gateway = scene.joint(&["--no-record"]).older();
    assert_eq!(names(&mut gateway, "prompts/list", "prompts"), ["alpha__greet", "beta__greet"]);
    let prompt = gateway.ask("prompts/get", &json!({ "name": "beta__greet" })).to_string();
    assert!(prompt.contains("greetings from beta"), "{prompt}");
    // By its address alone, before any list and after it.
    for _ in 0..2 {
        let read = gateway.ask("resources/read", &json!({ "uri": "rogue://beta/one" })).to_string();
        assert!(read.contains(r#""text":"beta""#), "{read}");
        names(&mut gateway, "resources/list", "resources");
    }
    for (method, params) in [
        ("prompts/get", json!({ "name": "greet" })),
        ("prompts/get", json!({ "name": "gamma__greet" })),
        ("resources/read", json!({ "uri": "rogue://gamma/one" })),
        ("tasks/get", json!({ "taskId": "1" })),
        ("tools/run", json!({ "name": "alpha__delete" })),
    ] {
        let answer = gateway.ask(method, &params);
        assert!(answer["error"].is_object(), "{method}: {answer}");
    }
    gateway.end();
}

/// A server that never says what its tools are is in nobody else's way, and a name that could be its own is nobody's.
#[test]
fn given_a_server_that_says_nothing_then_calls_of_the_others_do_not_wait_for_it() {
    let scene = Scene::new("");
    let mute = format!("[servers.mute]\ncommand = {:?}\n", scene.command("rogue", "mute"));
    scene
        .configure(&format!("{mute}{}[rules]\nallow = [\"mcp(*)\"]\n", scene.servers(&["alpha", "mute__x"])));
    for gateway in [scene.joint(&["--no-record"]).older(), scene.joint(&["--no-record"]).stateless()] {
        let mut gateway = gateway;
        let hidden = gateway.begin("mute__x__echo", &json!({}));
        let begun = std::time::Instant::now();
        ran(&gateway.call("alpha__echo", &json!({})), "echo of alpha");
        assert!(begun.elapsed() < std::time::Duration::from_secs(15), "{:?}", begun.elapsed());
        assert!(gateway.rest().iter().all(|message| message["id"] != hidden));
    }
    assert!(scene.messages("mute__x", "tools/call").is_empty());
    scene.nothing_ran();
}
