//! Servers over HTTP with SSE, the older transport: the TypeScript SDK's (server-everything) and the Python SDK's. They are found
//! out by their address (`mayi mcp`, `mayi run`), and named by an editor (`mayi acp`).

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::ground::{Ground, Line, Served, text};
use crate::same::{asked_in_both_eras, without_era};
use crate::sdk;
use crate::servers::Server;

const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mcp/sse_server.py");

fn serve_python(ground: &Ground) -> Served {
    ground.serve(&ground.python(&[PYTHON]))
}

fn call(tool: &str, arguments: Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A file of this test's that is there.
fn old_file(ground: &Ground) -> PathBuf {
    let file = ground.folder("stage").join("old.txt");
    std::fs::write(&file, "old").unwrap();
    file
}

/// The TypeScript SDK's transport: each answer is that which the same server gives on pipes.
#[test]
fn given_everything_over_sse_then_its_answers_are_those_on_pipes() {
    let ground = Ground::new();
    let served = ground.serve_everything_by("sse", "/sse");
    let requests = asked_in_both_eras(Server::Everything, &ground);
    let direct = sdk::stdio(&ground, "legacy", &Server::Everything.fresh(&ground), &requests);
    for mode in ["legacy", "auto"] {
        let gateway = Ground::gateway("everything", &[], &["--url", &served.url]);
        let through = sdk::stdio(&ground, mode, &gateway, &requests);
        for ((direct, through), request) in direct.iter().zip(&through).skip(1).zip(&requests) {
            let [direct, through] = [direct, through].map(|answer| without_era(std::slice::from_ref(answer)));
            assert_eq!(direct, through, "{mode}: {request:?}");
        }
        assert_eq!(direct.len(), through.len());
    }
    drop(served);
    ground.is_quiet();
}

/// The Python SDK's transport: what is denied, or would be asked about and nobody answers, does not reach it; what is allowed does.
#[test]
fn given_denied_asked_and_allowed_calls_over_sse_then_only_the_allowed_one_reaches_the_server() {
    let ground = Ground::new();
    let served = serve_python(&ground);
    let (old, new) = (old_file(&ground), ground.folder("stage").join("new.txt"));
    let gateway = |allow: &str| {
        let mayi = text(&mayi_tests::mayi_program());
        let words = [
            &mayi,
            "mcp",
            "--name",
            "py",
            "--on-ask",
            "deny",
            "--no-record",
            "--allow",
            allow,
            "--deny",
            "mcp(py/remove)",
            "--url",
            &served.url,
        ];
        Line::new(words.map(str::to_owned))
    };
    let calls = [
        call("remove", json!({"path": text(&old)})),
        call("write", json!({"path": text(&new), "text": "ünïcödé\n"})),
    ];
    for (allow, allowed) in [("mcp(py/other)", false), ("mcp(py/*)", true)] {
        for mode in ["legacy", "auto"] {
            let answers = sdk::stdio(&ground, mode, &gateway(allow), &calls);
            assert_eq!(answers[1]["result"]["isError"], true, "{answers:?}");
            assert!(old.exists());
            assert_eq!(new.exists(), allowed, "{answers:?}");
            assert_eq!(answers[2].to_string().contains("written: "), allowed, "{answers:?}");
            let _ = std::fs::remove_file(&new);
        }
    }
    drop(served);
    ground.is_quiet();
}

/// Attack 561: the stream ends while a call is under way: the call fails, with why, and so do later ones.
#[test]
fn given_a_server_that_dies_in_a_call_over_sse_then_the_call_fails() {
    let ground = Ground::new();
    let served = serve_python(&ground);
    let file = ground.folder("stage").join("late.txt");
    let write = call("write", json!({"path": text(&file), "text": "x"}));
    let calls = [write.clone(), call("stop", json!({})), write];
    let gateway = Ground::gateway("py", &[], &["--url", &served.url]);
    let answers = sdk::stdio(&ground, "legacy", &gateway, &calls);
    assert!(answers[1].to_string().contains("written: x"), "{answers:?}");
    let stopped = answers[2].to_string();
    assert!(stopped.contains("the server py is gone: its stream of events"), "{stopped}");
    assert!(!answers[3].to_string().contains("written"), "{answers:?}");
    drop(served);
    ground.is_quiet();
}

/// `mayi run`: a server of the configuration, through the relay that its agent starts.
#[test]
fn given_a_server_over_sse_in_an_agents_session_then_its_calls_go_through_the_relay() {
    let ground = Ground::new();
    let served = serve_python(&ground);
    let (url, file) = (served.url.clone(), ground.folder("stage").join("new.txt"));
    let front = ground.in_a_session_with("py", &format!("url = {url:?}"));
    let calls = [call("write", json!({"path": text(&file), "text": "x"}))];
    let answers = sdk::http(&ground, "legacy", &front.url, &calls);
    assert!(answers[1].to_string().contains("written: x") && file.exists(), "{answers:?}");
    drop(front);
    drop(served);
    ground.is_quiet();
}

/// `mayi acp`: a server that the editor names as one over SSE; its calls are asked about in the editor.
#[test]
fn given_an_editors_server_over_sse_then_its_calls_are_asked_about_in_the_editor() {
    let ground = Ground::new();
    let served = serve_python(&ground);
    let old = old_file(&ground);
    let new = ground.folder("stage").join("new.txt");
    let mayi = text(&mayi_tests::mayi_program());
    let agent = env!("CARGO_BIN_EXE_server_agent");
    let mut editor =
        ground.start(&Line::new([&mayi, "acp", "--deny", "mcp(py/remove)", "--", agent].map(str::to_owned)));
    let server = json!({"type": "sse", "name": "py", "url": served.url, "headers": []});
    let cwd = ground.folder("work");
    let script = format!(
        "do: call py remove {} ;; call py write {} ;; call py write {}",
        json!({"path": old}),
        json!({"path": new, "text": "no"}),
        json!({"path": new, "text": "yes"})
    );
    for (id, method, params) in [
        (1, "initialize", json!({"protocolVersion": 1, "clientCapabilities": {}})),
        (2, "session/new", json!({"cwd": cwd, "mcpServers": [server]})),
    ] {
        editor.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
    }
    let (mut said, mut asked) = (String::new(), 0);
    loop {
        let line = editor.line().unwrap_or_else(|| panic!("no more after {said}: {}", editor.errors()));
        let message: Value = serde_json::from_str(&line).unwrap();
        match (message["method"].as_str(), message["id"].as_u64()) {
            (None, Some(1)) => {
                let ways = &message["result"]["agentCapabilities"]["mcpCapabilities"];
                assert_eq!(*ways, json!({"http": true, "sse": true}));
            }
            (None, Some(2)) => {
                let prompt = json!({"sessionId": message["result"]["sessionId"], "prompt": [{"type": "text", "text": script}]});
                let asks = json!({"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": prompt});
                editor.send(&asks.to_string());
            }
            (None, Some(3)) => break,
            (Some("session/request_permission"), _) => {
                assert!(line.contains("mcp(py/write"), "{line}");
                assert!(!new.exists(), "nothing runs before it is answered");
                asked += 1;
                let option = if asked == 1 { "mayi-deny" } else { "mayi-once" };
                let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": outcome});
                editor.send(&answer.to_string());
            }
            _ => said.push_str(&line),
        }
    }
    assert_eq!(asked, 2, "{said}");
    assert!(old.exists() && std::fs::read_to_string(&new).unwrap() == "yes", "{said}");
    assert!(said.contains("py/remove -> refused") && said.contains("written: yes"), "{said}");
    drop(editor);
    drop(served);
    ground.is_quiet();
}
