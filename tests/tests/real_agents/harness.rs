//! Agents in their own terminal programs, without a person: how each is started on one prompt with the scripted model,
//! and how a command of the test's becomes its hook before every tool. `docs/hooks.md` says what they do with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::agent;

/// A program with hooks of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harness {
    ClaudeCode,
    Codex,
    Gemini,
    Qwen,
    Copilot,
    /// It has plugins instead: the test's plugin runs the command, and throws when the command fails.
    Opencode,
}

/// What is around a harness: where its files are, and what it talks to.
pub(crate) struct Place {
    /// Its home folder.
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    /// The scripted model's, on loopback.
    pub(crate) port: u64,
    /// The program of the MCP server `mini`, and where it writes what was called.
    pub(crate) server: (PathBuf, PathBuf),
}

/// The command before every tool.
pub(crate) struct Hook<'a> {
    /// A line for the shell.
    pub(crate) command: &'a str,
    /// How long the harness waits for it. Whole seconds.
    pub(crate) limit: Duration,
    /// More keys of its entry in the harness's settings.
    pub(crate) more: Value,
}

impl Harness {
    /// The program and its options, up to those that only some cases have. The prompt comes last.
    pub(crate) fn command(self, place: &Place) -> Command {
        let modules = agent::packages().join("node_modules");
        let at = |path: String| modules.join(path);
        let url = format!("http://127.0.0.1:{}", place.port);
        // As npm has the names.
        let machine = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        let mut command = match self {
            Self::ClaudeCode => Command::new(at(format!("@anthropic-ai/claude-code-linux-{machine}/claude"))),
            Self::Codex => {
                let system = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
                Command::new(at(format!("@openai/codex-linux-{machine}/vendor/{system}/bin/codex")))
            }
            Self::Copilot => Command::new(at(format!("@github/copilot-linux-{machine}/copilot"))),
            Self::Opencode => {
                let build = if machine == "x64" { "x64-baseline" } else { machine };
                Command::new(at(format!("opencode-linux-{build}/bin/opencode")))
            }
            Self::Gemini | Self::Qwen => Command::new("node"),
        };
        command.env_clear().current_dir(&place.project);
        command.env("HOME", &place.home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs([("LANG", "C.UTF-8"), ("TERM", "dumb")]);
        match self {
            Self::ClaudeCode => {
                command.env("ANTHROPIC_BASE_URL", url).env("ANTHROPIC_API_KEY", "scripted");
                // Nothing that would call somewhere else; and MCP tools are in the request from the start.
                command
                    .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
                    .env("ENABLE_TOOL_SEARCH", "false");
                command.env("DISABLE_TELEMETRY", "1").env("DISABLE_AUTOUPDATER", "1");
                // Else it refuses to skip permissions for root.
                command.env("IS_SANDBOX", "1");
                command.arg("--mcp-config").arg(place.home.join("mcp.json"));
            }
            Self::Codex => {
                command.env("CODEX_HOME", place.home.join(".codex")).env("SCRIPTED_KEY", "scripted");
                // Nobody is there to trust the hook in its terminal.
                command.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
            }
            Self::Gemini => {
                command.env("GOOGLE_GEMINI_BASE_URL", url).env("GEMINI_API_KEY", "scripted");
                // Else it starts itself a second time, to have more memory.
                command.env("GEMINI_CLI_NO_RELAUNCH", "true");
                command.arg(at("@google/gemini-cli/bundle/gemini.js".to_owned()));
            }
            Self::Qwen => {
                command.env("OPENAI_BASE_URL", format!("{url}/v1")).env("OPENAI_API_KEY", "scripted");
                command.env("OPENAI_MODEL", "scripted").env("QWEN_TELEMETRY_ENABLED", "0");
                command.env("QWEN_CODE_LEGACY_MCP_BLOCKING", "1");
                // The program behind its two starters, which give it more memory and a collector of garbage to call.
                command.env("QWEN_CODE_NO_RELAUNCH", "true");
                command.arg(at("@qwen-code/qwen-code/cli.js".to_owned())).args(["--auth-type", "openai"]);
            }
            Self::Copilot => {
                command
                    .env("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1"))
                    .env("COPILOT_MODEL", "scripted");
                command.env("COPILOT_OFFLINE", "true").env("COPILOT_AUTO_UPDATE", "false");
            }
            Self::Opencode => {
                command.env("OPENCODE_DISABLE_AUTOUPDATE", "1").env("OPENCODE_DISABLE_MODELS_FETCH", "1");
                command.env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1").arg("run");
            }
        }
        command
    }

    /// As `mayi hook` calls it.
    pub(crate) fn hook_name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Copilot => "copilot",
            Self::Opencode => "opencode",
        }
    }

    /// Adds the prompt.
    pub(crate) fn prompted(self, command: &mut Command, prompt: &str) {
        match self {
            Self::ClaudeCode | Self::Gemini | Self::Qwen | Self::Copilot => {
                command.arg("-p").arg(prompt);
            }
            Self::Codex | Self::Opencode => {
                command.arg(prompt);
            }
        }
    }

    /// The options with which it asks nobody by itself, so that only the hook stands before a tool.
    pub(crate) fn unasked(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["--dangerously-skip-permissions"],
            Self::Codex => &["--dangerously-bypass-approvals-and-sandbox"],
            Self::Gemini | Self::Qwen | Self::Copilot => &["--yolo"],
            // It asks about nothing here.
            Self::Opencode => &[],
        }
    }

    /// Writes its settings, with the hook in them if there is one.
    pub(crate) fn settle(self, place: &Place, hook: Option<&Hook<'_>>) {
        let write = |name: &str, text: String| write(&place.home.join(name), &text);
        let (server, log) = (json!(place.server.0), json!(place.server.1));
        let mini = json!({ "command": server, "args": [], "env": { "MINI_MCP_LOG": log } });
        let hooks = hook.map_or(json!({}), |hook| self.entry(hook));
        match self {
            Self::ClaudeCode => {
                write("mcp.json", json!({ "mcpServers": { "mini": mini } }).to_string());
                write(".claude/settings.json", json!({ "hooks": hooks }).to_string());
            }
            Self::Codex => {
                write(".codex/hooks.json", json!({ "hooks": hooks }).to_string());
                write(".codex/config.toml", codex(place));
            }
            Self::Gemini => {
                let settings = json!({
                    "security": {
                        "auth": { "selectedType": "gemini-api-key" },
                        "folderTrust": { "enabled": false },
                    },
                    "privacy": { "usageStatisticsEnabled": false },
                    "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
                    "telemetry": { "enabled": false },
                    "mcpServers": { "mini": mini },
                    "hooks": hooks,
                });
                write(".gemini/settings.json", settings.to_string());
            }
            Self::Qwen => {
                let tools = json!({ "toolSearch": { "enabled": false } });
                let settings = json!({ "tools": tools, "mcpServers": { "mini": mini }, "hooks": hooks });
                write(".qwen/settings.json", settings.to_string());
            }
            Self::Copilot => {
                let mut mini = mini;
                mini["type"] = json!("local");
                mini["tools"] = json!(["*"]);
                write(".copilot/mcp-config.json", json!({ "mcpServers": { "mini": mini } }).to_string());
                write(".copilot/hooks/test.json", json!({ "version": 1, "hooks": hooks }).to_string());
            }
            Self::Opencode => {
                let provider = json!({
                    "npm": "@ai-sdk/openai-compatible",
                    "options": { "baseURL": format!("http://127.0.0.1:{}/v1", place.port), "apiKey": "scripted" },
                    "models": { "scripted": {} },
                });
                let mini =
                    json!({ "type": "local", "command": [server], "environment": { "MINI_MCP_LOG": log } });
                let settings = json!({
                    "model": "scripted/scripted", "small_model": "scripted/scripted",
                    "autoupdate": false, "share": "disabled",
                    "provider": { "scripted": provider }, "mcp": { "mini": mini },
                });
                write(".config/opencode/opencode.json", settings.to_string());
                // What its plugins could import is there, as far as it looks: else it fetches 60 MB for each test.
                let locked = json!({ "": { "dependencies": { "@opencode-ai/plugin": "*" } } });
                write(".config/opencode/package-lock.json", json!({ "packages": locked }).to_string());
                fs::create_dir_all(place.home.join(".config/opencode/node_modules")).unwrap();
                if let Some(hook) = hook {
                    write(".config/opencode/plugin/test.js", plugin(hook));
                }
            }
        }
    }

    /// The value of `hooks`: the command before every tool, in the harness's words and its unit of time.
    fn entry(self, hook: &Hook<'_>) -> Value {
        let seconds = hook.limit.as_secs();
        let mut entry = match self {
            Self::Copilot => json!({ "type": "command", "bash": hook.command, "timeoutSec": seconds }),
            Self::Gemini => json!({ "type": "command", "command": hook.command, "timeout": seconds * 1000 }),
            _ => json!({ "type": "command", "command": hook.command, "timeout": seconds }),
        };
        for (key, value) in hook.more.as_object().into_iter().flatten() {
            entry[key] = value.clone();
        }
        match self {
            Self::Copilot => json!({ "preToolUse": [entry] }),
            Self::Gemini => json!({ "BeforeTool": [{ "matcher": "*", "hooks": [entry] }] }),
            _ => json!({ "PreToolUse": [{ "matcher": "*", "hooks": [entry] }] }),
        }
    }
}

fn codex(place: &Place) -> String {
    format!(
        r#"model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[mcp_servers.mini]
command = {}
env = {{ MINI_MCP_LOG = {} }}

[projects.{}]
trust_level = "trusted"
"#,
        place.port,
        // A string of JSON is one of TOML.
        json!(place.server.0),
        json!(place.server.1),
        json!(place.project),
    )
}

/// What stands for a hook in opencode: the call on the command's stdin, and an error of its stderr if it fails or takes
/// too long.
fn plugin(hook: &Hook<'_>) -> String {
    let (command, limit) = (json!(hook.command), hook.limit.as_millis());
    format!(
        r#"import {{ spawnSync }} from "node:child_process"
export const Test = async () => ({{
  "tool.execute.before": async (call, {{ args }}) => {{
    const input = JSON.stringify({{ ...call, args }}) + "\n"
    const ran = spawnSync("/bin/sh", ["-c", {command}], {{ input, timeout: {limit}, killSignal: "SIGKILL" }})
    if (ran.status !== 0) throw new Error(String(ran.stderr) || "the hook failed")
  }},
}})
"#
    )
}

/// Writes a file, and the folders to it.
pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
