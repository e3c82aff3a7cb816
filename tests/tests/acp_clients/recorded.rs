//! Sessions of real agents, recorded: what `tests/tests/acp/replay.rs` plays. `MAYI_WRITE_RECORDINGS=1 just test-acp` writes them anew.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::agent::{self, Agent};
use crate::client::{Client, Says};
use crate::scene::{Scene, Way};

const CASE: &str = "write then run";

/// The recordings are what these agents say: each method and each kind of update that one says today is in its recording.
#[test]
fn given_a_session_of_today_then_its_recording_has_all_that_it_is_made_of() {
    for agent in [Agent::Claude, Agent::Codex] {
        let scene = Scene::new(agent, "");
        let seen = scene.run(Client::Python, Way::Tapped, Says::Yes, CASE);
        assert!(scene.has("c.txt") && scene.has("d.txt"), "{seen:?}");
        let today = without_machine(&scene, &scene.wire());
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("acp/recordings/{}.jsonl", agent.name()));
        if std::env::var_os("MAYI_WRITE_RECORDINGS").is_some() {
            std::fs::write(&file, &today).unwrap();
        }
        let recorded = std::fs::read_to_string(&file).unwrap();
        let missing: Vec<_> = made_of(&today).difference(&made_of(&recorded)).cloned().collect();
        assert!(missing.is_empty(), "{agent:?}: record anew, {missing:?} is not in {}", file.display());
    }
}

/// Nothing of a machine is in what is committed.
#[test]
fn given_the_recordings_then_no_path_of_a_machine_and_no_secret_is_in_them() {
    for agent in [Agent::Claude, Agent::Codex] {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("acp/recordings/{}.jsonl", agent.name()));
        let text = std::fs::read_to_string(file).unwrap();
        for part in ["/tmp", "/root", "/home/", "/Users/", "sk-", "127.0.0.1", "localhost", ".cache"] {
            assert!(!text.contains(part), "{agent:?}: {part}");
        }
    }
}

fn without_machine(scene: &Scene, text: &str) -> String {
    let text = text.replace(&scene.project().display().to_string(), "/stage/project");
    let text = text.replace(&scene.stage().display().to_string(), "/stage");
    let text = text.replace(&agent::packages().display().to_string(), "/packages");
    text.replace(&format!("127.0.0.1:{}", scene.model_port()), "model")
}

/// Who said it, method, and kind of update.
fn made_of(recording: &str) -> BTreeSet<(String, String, String)> {
    let rows = recording.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
    let messages = rows.filter_map(|row| {
        let (who, line) = row.as_object()?.iter().next()?;
        let message: Value = serde_json::from_str(line.as_str()?).ok()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Some((who.clone(), text(&message["method"]), text(&message["params"]["update"]["sessionUpdate"])))
    });
    messages.collect()
}
