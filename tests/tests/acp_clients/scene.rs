//! One test's world: homes, a project, a model, and an agent that clients start with and without mayi.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::agent::{self, Agent};
use crate::client::{Client, Says};
use crate::model::Model;
use crate::processes;
use crate::seen::Seen;

pub(crate) struct Scene {
    agent: Agent,
    model: Model,
    folder: tempfile::TempDir,
}

/// What the client starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The agent.
    Direct,
    /// `mayi acp`, and the agent behind it.
    Mayi,
    /// The agent, and all that it says and gets is written to `wire.jsonl`.
    Tapped,
}

impl Scene {
    /// With more of the user's file.
    pub(crate) fn new(agent: Agent, rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The model is outside of the stage: it is not what a run may leave behind.
        let model = Model::start(folder.path());
        let scene = Self { agent, model, folder };
        for name in ["home/.config/mayi", "agent", "project"] {
            std::fs::create_dir_all(scene.at(name)).unwrap();
        }
        std::fs::write(scene.at("project/notes.txt"), "line one\nline two\n").unwrap();
        // A string of JSON is one of TOML. The name is that of the preset: its mode, and what is known of it.
        let text = format!("{rules}\n[agents.{}]\ncommand = {}\n", scene.name(), json!(scene.launch()));
        std::fs::write(scene.at("home/.config/mayi/config.toml"), text).unwrap();
        scene
    }

    fn name(&self) -> &'static str {
        // No preset is made for this adapter any more.
        if self.agent == Agent::Codex { "codex-before" } else { self.agent.name() }
    }

    /// Has a client play a case to its end.
    pub(crate) fn run(&self, client: Client, way: Way, says: Says, case: &str) -> Seen {
        // What the agent remembers of an earlier run is not to count.
        let _ = std::fs::remove_dir_all(self.at("agent"));
        std::fs::create_dir_all(self.at("agent")).unwrap();
        let text = |path: PathBuf| path.into_os_string().into_string().unwrap();
        let words = match way {
            Way::Direct => self.launch(),
            Way::Mayi => vec![text(agent::mayi()), "acp".to_owned(), self.name().to_owned()],
            Way::Tapped => {
                let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("acp");
                [text(own.join("tap")), text(self.at("wire.jsonl"))]
                    .into_iter()
                    .chain(self.launch())
                    .collect()
            }
        };
        let prompt = format!("case: {case} in {}", self.project().display());
        let (lines, code) = client.run(&self.at("home"), &self.project(), &words, &prompt, says);
        if way == Way::Mayi {
            let left = processes::left(&self.stage(), Duration::from_secs(20));
            assert!(left.is_empty(), "{client:?}: left behind: {left:?}");
        } else {
            // Not every agent ends with its client.
            processes::end(&self.stage());
        }
        Seen::new(lines, code)
    }

    fn launch(&self) -> Vec<String> {
        let text = |path: PathBuf| path.into_os_string().into_string().unwrap();
        vec![
            text(Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/launch")),
            self.agent.name().to_owned(),
            text(agent::packages()),
            self.model.port().to_string(),
            text(self.at("agent")),
            text(self.project()),
        ]
    }

    /// Whether a file of the project's is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.project().join(name).exists()
    }

    /// Takes a file of the project's away.
    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.project().join(name)).unwrap();
    }

    /// Entries of mayi's record.
    pub(crate) fn record(&self) -> Vec<Value> {
        let mut command = std::process::Command::new(agent::mayi());
        command.args(["log", "--json"]).env_clear().current_dir(self.project()).env("HOME", self.at("home"));
        let out = command.output().unwrap();
        String::from_utf8(out.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.at("project")
    }

    /// Everything that a run may touch.
    pub(crate) fn stage(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("stage")
    }

    /// What the tap wrote down.
    pub(crate) fn wire(&self) -> String {
        std::fs::read_to_string(self.at("wire.jsonl")).unwrap()
    }

    pub(crate) fn model_port(&self) -> u64 {
        self.model.port()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.stage().join(name)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // Also when the test has failed, and whatever was left behind.
        processes::end(&self.stage());
    }
}
