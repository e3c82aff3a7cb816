//! The clients: how each is started on one prompt, and what it has seen.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A client that others wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    Acpx,
    /// The same, which also carries out `fs/*` and `terminal/*` for the agent.
    Serving,
    /// The SDK's package has no example client in it: `tests/acp/client.py` is a thin one on its public API.
    Python,
    /// The same, `tests/acp/client.mjs`.
    TypeScript,
    /// The same in version 2 of the protocol, `tests/acp/client_v2.mjs`.
    Preview,
}

/// What its person says to every question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Yes,
    No,
    /// Reading may happen, and nothing else. Of `acpx` alone.
    Reads,
}

/// Where they are installed.
pub(crate) fn installed() -> PathBuf {
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
            Self::Acpx | Self::Serving | Self::TypeScript | Self::Preview => Command::new("node"),
            Self::Python => Command::new(installed.join("venv/bin/python")),
        };
        command.env_clear().current_dir(home).env("HOME", home).env("LANG", "C.UTF-8");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("MAYI_TEST_ACP", &installed);
        let kind = if says == Says::Yes { "allow_once" } else { "reject_once" };
        match self {
            Self::Acpx | Self::Serving => {
                command.arg(installed.join("node_modules/acpx/dist/cli.js"));
                command.arg("--agent").arg(mayi_tests::command_line(agent)).arg("--cwd").arg(cwd);
                // What it carries out for an agent itself it would deny too.
                command
                    .args((self == Self::Acpx).then_some(["--no-fs", "--no-terminal"]).into_iter().flatten());
                command.arg(match says {
                    Says::Yes => "--approve-all",
                    Says::No => "--deny-all",
                    Says::Reads => "--approve-reads",
                });
                command.args(["--format", "json", "exec", prompt]);
            }
            Self::Python => {
                command.arg(own.join("client.py")).arg(kind).arg(cwd).arg(prompt).args(agent);
            }
            Self::TypeScript => {
                command.arg(own.join("client.mjs")).arg(kind).arg(cwd).arg(prompt).args(agent);
            }
            Self::Preview => {
                command.arg(own.join("client_v2.mjs")).arg(kind).arg(cwd).arg(prompt).args(agent);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let out = command.spawn().unwrap().wait_with_output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
            .collect();
        let lines = match self {
            Self::Acpx | Self::Serving => of_messages(&lines),
            Self::Python | Self::TypeScript | Self::Preview => lines,
        };
        (lines, out.status.code().unwrap_or(-1))
    }
}

/// `acpx` writes all messages as they are: the same in the words of the other two, and what it has carried out.
fn of_messages(messages: &[Value]) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut prompts = Vec::new();
    // Both sides number their requests as they like: the answer to one of the agent's is the next with its id.
    let mut answers = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let (id, params) = (&message["id"], &message["params"]);
        let mut answer = || {
            let rest = messages.iter().enumerate().skip(at + 1);
            let is = |(_, other): &(usize, &Value)| other["id"] == *id && other.get("method").is_none();
            let (at, answer) = rest.filter(is).find(|(at, _)| !answers.contains(at))?;
            answers.push(at);
            Some(answer)
        };
        match message["method"].as_str() {
            Some("session/update") => lines.push(json!({"update": params["update"]})),
            Some("session/request_permission") => {
                let picked = answer().map(|answer| &answer["result"]["outcome"]["optionId"]);
                lines.push(
                    json!({"asked": params["toolCall"], "options": params["options"], "picked": picked}),
                );
            }
            Some(method) if method.starts_with("fs/") || method.starts_with("terminal/") => {
                let came = answer().map(|answer| answer.get("result").unwrap_or(&answer["error"]));
                let mut params = params.clone();
                params.as_object_mut().unwrap().remove("sessionId");
                lines.push(json!({"served": method, "params": params, "came": came}));
            }
            Some("session/prompt") => prompts.push(id.clone()),
            None if prompts.contains(id) && !answers.contains(&at) => {
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
