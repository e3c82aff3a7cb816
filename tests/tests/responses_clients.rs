//! The official clients of the Responses API, for Python and Node.js, and both Agents SDKs, unchanged but for base URL and key,
//! before `mayi responses`: they know no approvals, and see one answer.
//!
//! `just test-responses` installs them and runs this.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed, and a missing key of JSON reads as null"
)]

#[path = "../../cli/tests/support/pty.rs"]
mod pty;

#[allow(dead_code, reason = "the app here is a client of others")]
#[path = "responses/scene.rs"]
mod scene;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use mayi_tests::endpoint::KEY;
use rustix::process::Signal;
use serde_json::{Value, json};

use scene::Scene;

/// Language, client, shape.
const APPS: [(&str, &str, &str); 8] = [
    ("python", "openai", "plain"),
    ("python", "openai", "stream"),
    ("python", "agents", "plain"),
    ("python", "agents", "stream"),
    ("node", "openai", "plain"),
    ("node", "openai", "stream"),
    ("node", "agents", "plain"),
    ("node", "agents", "stream"),
];

fn installed() -> PathBuf {
    let folder = std::env::var_os("MAYI_TEST_RESPONSES").filter(|folder| !folder.is_empty());
    let Some(folder) = folder else {
        panic!(
            "MAYI_TEST_RESPONSES is not set, so there are no clients to test with: run `just test-responses`, or set it to \
             the folder that tests/responses/install prints"
        );
    };
    PathBuf::from(folder)
}

/// Starts an app that says these texts, one after the other, to the API at `url`.
fn app(
    scene: &Scene,
    (language, client, shape): (&str, &str, &str),
    (url, key): (&str, &str),
    texts: &[&str],
) -> Child {
    let installed = installed();
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/responses"));
    let (program, script) = match language {
        "python" => (installed.join("venv/bin/python"), "client.py"),
        _ => (PathBuf::from("node"), "client.mjs"),
    };
    let mut command = Command::new(program);
    command.arg(folder.join(script)).args([client, shape]).args(texts);
    command.current_dir(scene.machine.work()).env_clear().envs(scene.machine.environment());
    command.env("OPENAI_BASE_URL", url).env("OPENAI_API_KEY", key).env("MAYI_TEST_RESPONSES", &installed);
    // What the Agents SDKs would tell their maker about each run.
    command.env("OPENAI_AGENTS_DISABLE_TRACING", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

/// What an app has said.
fn said(app: Child) -> Vec<Value> {
    let out = app.wait_with_output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
        .collect()
}

/// The four clients "run through mayi against it, streaming and not, unchanged but for the base URL": a call
/// that a rule allows, one that it denies, and a next turn that goes on from the id that the app saw.
#[test]
fn given_each_official_client_then_approvals_are_answered_and_it_sees_one_answer() {
    for each in APPS {
        let scene = Scene::new(&["--allow", "mcp(docs/search)", "--deny", "mcp(docs/read)"]);
        let texts = [r#"[["search"],["read"]]"#, "and now?"];
        let lines = said(app(&scene, each, (&scene.base(), scene.token()), &texts));
        let [first, second] =
            <[Value; 2]>::try_from(lines).unwrap_or_else(|lines| panic!("{each:?} {lines:?}"));
        assert_eq!(first["text"], "read was not approved", "{each:?} {first}");
        assert_eq!(first["tokens"], 45, "{each:?} {first}");
        let types = first["types"].to_string();
        assert!(types.contains("mcp_call") && !types.contains("mcp_approval"), "{each:?} {first}");
        assert!([&json!(0), &Value::Null].contains(&&first["interruptions"]), "{each:?} {first}");
        assert!([&json!(1), &Value::Null].contains(&&first["ends"]), "{each:?} {first}");
        assert_eq!(second["text"], "You said: and now?", "{each:?} {second}");
        assert_eq!(scene.ran(), ["search"], "{each:?}");
        let requests = scene.endpoint.requests();
        assert_eq!(requests.len(), 4, "{each:?}");
        // It goes on from the last response, of which the app does not know.
        assert!(requests[3]["previous_response_id"].is_string(), "{each:?} {}", requests[3]);
        assert_ne!(requests[3]["previous_response_id"], first["id"], "{each:?}");
    }
}

/// "works without it, works the same with it": where nothing is called, a client sees the same with mayi between and without.
#[test]
fn given_each_official_client_then_without_calls_it_sees_what_the_endpoint_says() {
    for each in APPS {
        let scene = Scene::new(&[]);
        let mut direct = said(app(&scene, each, (&scene.endpoint.url, KEY), &["hello"]));
        let mut through = said(app(&scene, each, (&scene.base(), scene.token()), &["hello"]));
        for line in direct.iter_mut().chain(&mut through) {
            line["id"].take();
        }
        assert!(direct[0]["text"] == "You said: hello", "{each:?} {direct:?}");
        assert_eq!(direct, through, "{each:?}");
    }
}

/// The same where a person answers, at a terminal, while the client waits.
#[test]
fn given_each_official_client_then_a_person_answers_while_it_waits() {
    for each in APPS {
        let scene = Scene::new(&[]);
        let app = app(&scene, each, (&scene.base(), scene.token()), &[r#"[["search", "read"]]"#]);
        scene.waits(2);
        scene.person("approve", "search");
        scene.person("deny", "read");
        let lines = said(app);
        assert_eq!(lines[0]["text"], "search ran, read was not approved", "{each:?} {lines:?}");
        assert_eq!(
            (scene.ran(), scene.endpoint.requests().len()),
            (vec!["search".to_owned()], 2),
            "{each:?}"
        );
    }
}

/// SIGTERM while an approval is pending: the app gets an error event; kill -9: the stream ends without a
/// closing event, the clients raise; nothing was approved upstream.
#[test]
fn given_mayi_that_ends_while_an_approval_waits_then_the_clients_raise() {
    for signal in [Signal::TERM, Signal::KILL] {
        for each in APPS.into_iter().filter(|(_, _, shape)| *shape == "stream") {
            let mut scene = Scene::new(&[]);
            let app = app(&scene, each, (&scene.base(), scene.token()), &[r#"[["search"]]"#]);
            scene.waits(1);
            let _ = scene.signal(signal);
            let lines = said(app);
            assert!(lines[0]["raised"].is_string(), "{each:?} {signal:?} {lines:?}");
            if signal == Signal::TERM {
                assert!(lines[0]["said"].as_str().unwrap().contains("mayi was ended"), "{each:?} {lines:?}");
            }
            assert_eq!((scene.endpoint.requests().len(), scene.ran().len()), (1, 0), "{each:?}");
        }
    }
}
