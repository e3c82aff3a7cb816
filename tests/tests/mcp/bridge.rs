//! A client of 2026-07-28 in front of servers with sessions; versions that nobody speaks; what is said of a call that has no answer.

use serde_json::{Value, json};

use crate::client::{Gateway, ran, text};
use crate::scene::Scene;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

fn asked(gateway: &mut Gateway, id: i64, method: &str, version: &str, capabilities: &Value) -> Value {
    let meta = json!({
        VERSION: version,
        "io.modelcontextprotocol/clientInfo": { "name": "lines", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": { "_meta": meta } });
    gateway.send(&request.to_string());
    gateway.answer(&json!(id))
}

/// Found in review: `server/discover` in front of a server with sessions was an error, another one at an address. The gateway
/// answers it, without what has no way to such a client; a client that would lose something by it is sent to `initialize`.
#[test]
fn given_servers_with_sessions_then_the_gateway_says_itself_what_is_here() {
    let scene = Scene::with_servers(&["good"], "");
    let older = format!("[servers.older]\ncommand = {:?}\n", scene.command("other", "older"));
    scene.configure(&format!("{}{older}", scene.servers(&["good"])));
    scene.put("other", "instructions", "Use list first.");
    for servers in [&["older"] as &[&str], &[]] {
        let hello = asked(&mut scene.joint(servers), 1, "server/discover", "2026-07-28", &json!({}));
        let result = &hello["result"];
        assert_eq!(result["resultType"], "complete", "{hello}");
        assert_eq!(result["supportedVersions"][0], "2026-07-28", "{hello}");
        assert!(result["instructions"].as_str().unwrap().contains("Use list first."), "{hello}");
        let capabilities = &result["capabilities"];
        assert!(
            capabilities["tools"].is_object() && !capabilities.to_string().contains("listChanged"),
            "{hello}"
        );
        assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].is_string(), "{hello}");
        for offers in ["elicitation", "sampling", "roots"] {
            let offers = json!({ offers: {} });
            let refused = asked(&mut scene.joint(servers), 1, "server/discover", "2026-07-28", &offers);
            assert_eq!(refused["error"]["code"], -32601, "{refused}");
            assert_eq!(refused["error"]["data"]["supported"][0], "2025-11-25", "{refused}");
        }
    }
    let mut gateway = scene.joint(&["older", "--allow", "mcp(older/list)"]).stateless();
    ran(&gateway.call("list", &json!({})), "list");
    let refused =
        gateway.ask("subscriptions/listen", &json!({ "notifications": { "toolsListChanged": true } }));
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}

/// MCP 2026-07-28: a version that is not spoken is refused with -32022 and with those that are, by the gateway, before any server
/// is asked.
#[test]
fn given_a_version_that_nobody_speaks_then_it_is_refused_with_those_that_are_spoken() {
    let scene = Scene::new("");
    for behaviour in ["plain", "older"] {
        let mut gateway = scene.in_front(behaviour, &["--no-record"]);
        let mut id = 0;
        for version in ["9999-01-01", "2027-01-01", "1999-12-31", "", "latest", "2026-07-28\u{1b}"] {
            for method in ["tools/list", "server/discover", "prompts/list"] {
                id += 1;
                let refused = asked(&mut gateway, id, method, version, &json!({}));
                let error = &refused["error"];
                assert_eq!(error["code"], -32022, "{version} {refused}");
                assert_eq!(error["data"]["requested"], version, "{refused}");
                let supported: Vec<&str> =
                    error["data"]["supported"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
                assert_eq!(supported[..2], ["2026-07-28", "2025-11-25"]);
                assert!(!error["message"].as_str().unwrap().contains('\u{1b}'));
            }
        }
    }
    assert!(scene.lines("rogue").is_empty(), "{:?}", scene.lines("rogue"));
}

/// Attack 777. Found in review: an error after an approval did not say whether the call ran.
#[test]
fn given_a_call_without_an_answer_then_it_is_said_whether_it_can_have_run() {
    let scene = Scene::new("");
    let all = &["--allow", "mcp(rogue/*)"];
    let mut gateway = scene.gateway(all).older();
    let died = gateway.call("die", &json!({}));
    let said = died["error"]["message"].as_str().unwrap_or_else(|| panic!("{died}"));
    assert!(said.contains("The call was sent, and it is not known whether it ran"), "{said}");
    // It is not there any more: nothing can be sent.
    scene.put("rogue", "dead", "");
    let mut gateway = scene.gateway(all).older_or_dead();
    let answer = gateway.call("list", &json!({}));
    let said = answer["error"]["message"].as_str().map_or_else(|| text(&answer), str::to_owned);
    assert!(!said.contains("The call was sent"), "{said}");
    assert!(scene.ran().iter().all(|tool| tool == "die"), "{:?}", scene.ran());
    let log = scene.mayi(&["log", "--json", "--all"]).output().unwrap();
    let log = String::from_utf8(log.stdout).unwrap();
    assert!(log.contains("the outcome is unknown"), "{log}");
}
