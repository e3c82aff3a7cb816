//! The scripted model of one test, and what the agent told it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A model server that ends with the test.
pub(crate) struct Model {
    server: Child,
    port: u64,
    log: PathBuf,
}

impl Model {
    /// Starts it, with its log in `folder`.
    pub(crate) fn start(folder: &Path) -> Self {
        let log = folder.join("model.jsonl");
        let mut server = Command::new(env!("CARGO_BIN_EXE_scripted_model"))
            .arg("--until-stdin-closes")
            .arg("--log")
            .arg(&log)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let ready: Value = serde_json::from_str(&ready)
            .unwrap_or_else(|error| panic!("the scripted model said {ready:?}: {error}"));
        let port = ready["port"].as_u64().unwrap();
        Self { server, port, log }
    }

    pub(crate) fn port(&self) -> u64 {
        self.port
    }

    /// What was asked of it so far, oldest first.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(|line| Asked(serde_json::from_str(line).unwrap())).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // It is no child of the agent's, so it is ended here.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// One request to the model.
pub(crate) struct Asked(Value);

impl Asked {
    /// The step of the script that it got, if it is in one.
    pub(crate) fn step(&self, case: &str) -> Option<u64> {
        (self.0["case"] == case).then(|| self.0["step"].as_u64())?
    }

    /// The last thing that the agent put into the conversation: a prompt, or the results of calls.
    pub(crate) fn last(&self) -> &Value {
        &self.0["last"]
    }

    /// The tools that the model could call.
    pub(crate) fn tools(&self) -> Vec<&str> {
        let tools = self.0["tools"].as_array().into_iter().flatten();
        tools.filter_map(Value::as_str).collect()
    }

    /// How many things were said before.
    pub(crate) fn said(&self) -> Vec<&str> {
        let said = self.0["said"].as_array().into_iter().flatten();
        said.filter_map(Value::as_str).collect()
    }

    /// For messages of failed tests.
    pub(crate) fn short(&self) -> String {
        let last: String = self.last().to_string().chars().take(300).collect();
        format!("{} {} said {}: {last}", self.0["case"], self.0["step"], self.0["text"])
    }
}
