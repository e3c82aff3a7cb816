//! Recordings, and playing them.

use serde_json::{Value, json};

use crate::scene::{Scene, message, wants};

fn lines(scene: &Scene) -> Vec<Value> {
    let text = std::fs::read_to_string(scene.machine.outside("recording")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn has(lines: &[Value], kind: &str) -> usize {
    lines.iter().filter(|line| line["kind"] == kind).count()
}

/// "Recording continuity: Ensure recordings capture the full approve/deny flow", and seed 1, "Recording Handling": "Don't finalize
/// recording when approval is pending; Continue recording when user responds; Finalize after the complete flow completes". Then
/// it plays without an endpoint, and holds no secret.
#[test]
fn recording_continuity() {
    for stream in [true, false] {
        let mut scene = Scene::recording(&[]);
        let approved = wants(&json!([["search", "read"]]), stream);
        let reading = scene.begin(&approved);
        scene.waits(2);
        let pending = lines(&scene);
        assert_eq!((has(&pending, "waits"), has(&pending, "answers"), has(&pending, "end")), (1, 0, 0));
        scene.person("approve", "search");
        scene.person("deny", "read");
        let first = reading.end();
        let plain = wants(&json!("hello"), stream);
        let second = scene.create(&plain);
        let wrong = json!({ "model": "m", "input": "x", "nonsense": 1 });
        assert_eq!(scene.create(&wrong).status, 400);

        let whole = lines(&scene);
        assert_eq!((has(&whole, "request"), has(&whole, "end")), (3, 3));
        let answers = whole.iter().find(|line| line["kind"] == "answers").unwrap();
        let approve = |id: &Value| {
            answers["answers"]
                .as_array()
                .unwrap()
                .iter()
                .find(|answer| answer["approval_request_id"] == *id)
                .unwrap()["approve"]
                .clone()
        };
        let waits = whole.iter().find(|line| line["kind"] == "waits").unwrap();
        for asked in waits["approvals"].as_array().unwrap() {
            assert_eq!(approve(&asked["id"]), asked["name"] == "search", "{answers}");
        }
        let text = Value::from(whole).to_string();
        assert!(!text.contains("secret-of-the-server") && !text.contains(scene.token()), "{text}");
        assert!(!text.contains(mayi_tests::endpoint::KEY));

        scene.replay();
        let requests = scene.endpoint.requests().len();
        let said = |got: &crate::scene::Got| if stream { got.response() } else { got.json() };
        let cleaned =
            |got: &crate::scene::Got| said(got).to_string().replace("secret-of-the-server", "[redacted]");
        for (body, got) in [(&approved, &first), (&plain, &second), (&approved, &first)] {
            let again = scene.create(body);
            assert_eq!(cleaned(&again), cleaned(got));
            assert_eq!(message(&said(&again)), message(&said(got)));
        }
        assert_eq!(scene.create(&wrong).status, 400);
        assert_eq!(scene.create(&wants(&json!("something else"), stream)).status, 404);
        assert_eq!(scene.endpoint.requests().len(), requests, "nobody was asked");
    }
}

/// "Neither is ever recorded": with `--open` the key is the app's own, which nobody has told mayi of before. Attack 514.
#[test]
fn given_open_then_the_apps_own_key_is_in_no_recording() {
    use mayi_tests::endpoint::KEY;
    let scene = Scene::recording(&["--open"]);
    let got = scene.create(&wants(&json!(format!("my key is {KEY}")), true));
    assert!(got.body.contains(KEY), "{got:?}");
    let text = Value::from(lines(&scene)).to_string();
    assert!(text.contains("my key is [redacted]") && !text.contains(KEY), "{text}");
}

/// A recording that ends while an approval waits plays as far as it goes, and has no end.
#[test]
fn given_a_recording_that_breaks_off_then_it_plays_to_there() {
    let mut scene = Scene::recording(&[]);
    let body = wants(&json!([["search"]]), true);
    let reading = scene.begin(&body);
    scene.waits(1);
    reading.abort();
    scene.waits(0);
    scene.replay();
    let got = scene.create(&body);
    assert!(got.body.contains("response.created") && !got.body.contains("response.completed"), "{got:?}");
}

/// A name, what the model calls round by round, and options of mayi.
type Flow = (&'static str, Value, &'static [&'static str]);

/// Seed 1, "Related Recording", and "Restore `recordings/single-turn-mcp-approval.jsonl` for e2e testing of approval flow": one of
/// each flow.
fn flows() -> [Flow; 7] {
    let both: &[&str] = &["--allow", "mcp(docs/search)", "--deny", "mcp(docs/write)"];
    [
        ("single-turn-mcp-approval", json!([["search"]]), &["--allow", "mcp(docs/*)"]),
        ("single-turn-mcp-denial", json!([["search"]]), &["--deny", "mcp(docs/*)"]),
        ("several-approvals", json!([["search", "write"], ["search"]]), both),
        (
            "denial-with-a-fresh-chain",
            json!([["search", "write"]]),
            &["--reset-on-deny", "--deny", "mcp(docs/*)"],
        ),
        ("failed-tool", json!([["broken"]]), &["--mode", "auto", "--allow", "mcp(docs/*)"]),
        ("no-approval", json!("hello"), &[]),
        ("failed-response", json!("fail"), &[]),
    ]
}

/// A recording of each of its flows replays in CI. Those that are kept are what is recorded today (written anew with
/// `MAYI_WRITE_RECORDINGS=1`), and play, event by event, without an endpoint.
#[test]
fn given_a_recording_of_each_flow_then_it_plays_as_it_was_recorded() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("responses/recordings");
    for (name, rounds, options) in flows() {
        let kept = folder.join(format!("{name}.jsonl"));
        let mut scene = Scene::recording(options);
        let mut body = wants(&rounds, true);
        if let Some(text) = rounds.as_str() {
            body["input"] = json!(text);
        }
        let reading = scene.begin(&body);
        if name == "failed-tool" {
            // It is in no list, and asked about in every mode.
            scene.waits(1);
            scene.person("approve", "broken");
        }
        let got = reading.end();
        let recording = scene.machine.outside("recording");
        let text = std::fs::read_to_string(&recording).unwrap();
        if std::env::var_os("MAYI_WRITE_RECORDINGS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&kept, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&kept).unwrap_or_default(), text, "{name}");
        scene.replay();
        let again = scene.create(&body);
        let cleaned = got.body.replace("secret-of-the-server", "[redacted]");
        let events = |body: &str| -> Vec<Value> {
            let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
            data.map(|data| serde_json::from_str(data).unwrap()).collect()
        };
        assert_eq!(events(&again.body), events(&cleaned), "{name}");
        assert!(!events(&again.body).is_empty());
    }
}
