//! The clients: how each is started on one prompt, and what it has seen.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A client that others wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    Acpx,
    /// The SDK's package has no example client in it: `tests/acp/client.py` is a thin one on its public API.
    Python,
    /// The same, `tests/acp/client.mjs`.
    TypeScript,
}

/// What its person says to every question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Yes,
    No,
}

/// Where they are installed.
fn installed() -> PathBuf {
    let Some(folder) = std::env::var_os("MAYI_TEST_ACP").filter(|folder| !folder.is_empty()) else {
        panic!(
            "MAYI_TEST_ACP is not set, so there are no clients to test with: run `just test-acp`, or set it to the folder that \
             tests/acp/install prints"
        );
    };
    PathBuf::from(folder)
}

impl Client {
    /// Has it start `agent`, say `prompt` in a session in `cwd`, and end; the lines that it wrote, and its exit code.
    pub(crate) fn run(
        self,
        home: &Path,
        cwd: &Path,
        agent: &[String],
        prompt: &str,
        says: Says,
    ) -> (Vec<Value>, i32) {
        let installed = installed();
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("acp");
        let mut command = match self {
            Self::Acpx | Self::TypeScript => Command::new("node"),
            Self::Python => Command::new(installed.join("venv/bin/python")),
        };
        command.env_clear().current_dir(home).env("HOME", home).env("LANG", "C.UTF-8");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("MAYI_TEST_ACP", &installed);
        let kind = if says == Says::Yes { "allow_once" } else { "reject_once" };
        match self {
            Self::Acpx => {
                let all = if says == Says::Yes { "--approve-all" } else { "--deny-all" };
                command.arg(installed.join("node_modules/acpx/dist/cli.js"));
                command.arg("--agent").arg(mayi_tests::command_line(agent)).arg("--cwd").arg(cwd);
                // What it carries out for an agent itself it would deny too.
                command.args(["--no-fs", "--no-terminal", all, "--format", "json", "exec", prompt]);
            }
            Self::Python => {
                command.arg(own.join("client.py")).arg(kind).arg(cwd).arg(prompt).args(agent);
            }
            Self::TypeScript => {
                command.arg(own.join("client.mjs")).arg(kind).arg(cwd).arg(prompt).args(agent);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let out = command.spawn().unwrap().wait_with_output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
            .collect();
        let lines = if self == Self::Acpx { of_messages(lines) } else { lines };
        (lines, out.status.code().unwrap_or(-1))
    }
}

/// `acpx` writes all messages as they are: the same in the words of the other two.
fn of_messages(messages: Vec<Value>) -> Vec<Value> {
    // Both sides number their requests as they like: this is an answer to a question.
    let picked = |id: &Value| {
        let mut answers =
            messages.iter().filter(|message| message["id"] == *id && message.get("method").is_none());
        answers.find_map(|answer| answer["result"].get("outcome")).map(|outcome| outcome["optionId"].clone())
    };
    let mut lines = Vec::new();
    let mut prompts = Vec::new();
    for message in &messages {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            Some("session/update") => lines.push(json!({"update": params["update"]})),
            Some("session/request_permission") => {
                let picked = picked(id);
                lines.push(
                    json!({"asked": params["toolCall"], "options": params["options"], "picked": picked}),
                );
            }
            Some("session/prompt") => prompts.push(id.clone()),
            None if prompts.contains(id) => {
                prompts.retain(|prompt| prompt != id);
                match message.get("result") {
                    Some(result) => lines.push(json!({"stop": result["stopReason"]})),
                    None => lines.push(json!({"raised": message["error"]})),
                }
            }
            _ => {}
        }
    }
    lines
}
