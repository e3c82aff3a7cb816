//! Where harnesses keep their hooks, and how an entry is written there, as data. What was tried of it, and with which version, stands
//! in `docs/hooks.md`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

/// A harness's settings.
#[derive(Debug)]
pub(super) struct HarnessSettings {
    /// The harness, by its name on the command line.
    pub(super) harness: &'static str,
    /// The user's own file, below the home folder.
    pub(super) own: &'static str,
    /// The variable by which the harness has its folder elsewhere, and how many parts of `own` that stands for.
    pub(super) moved_by: Option<(&'static str, usize)>,
    /// The file of a project.
    pub(super) project_path: Option<&'static str>,
    pub(super) shape: HookShape,
    /// The events, and whether what happens depends on the answer.
    pub(super) events: &'static [(&'static str, bool)],
    /// What has to stand at the top of the file, besides.
    pub(super) top_members: &'static [(&'static str, u64)],
    /// Events for which the harness waits no longer than so many seconds: a longer limit is one that it warns of.
    pub(super) limits: &'static [(&'static str, u64)],
    /// What a person has to do once, or to know.
    pub(super) note: Option<&'static str>,
}

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookShape {
    /// As Claude Code has it, seconds: a matcher, and below it a list of hooks. Events about tools have a matcher.
    Nested {
        /// So many of its units are a second.
        second: u64,
        /// It knows `onFailure`.
        on_failure: bool,
    },
    /// One object for each hook, with these keys for the command and the seconds.
    Flat {
        /// The command.
        command: &'static str,
        /// The time limit.
        timeout: &'static str,
        /// It knows `failClosed`.
        fail_closed: bool,
    },
    /// A whole file: a plugin.
    Plugin,
}

const CLAUDE: &[(&str, bool)] = &[
    ("PreToolUse", true),
    ("PermissionRequest", true),
    ("PostToolUse", false),
    ("PostToolUseFailure", false),
    ("SessionStart", false),
    ("SubagentStart", false),
    ("SessionEnd", false),
];

pub(super) const HARNESS_SETTINGS: &[HarnessSettings] = &[
    HarnessSettings {
        harness: "claude-code",
        own: ".claude/settings.json",
        moved_by: Some(("CLAUDE_CONFIG_DIR", 1)),
        project_path: Some(".claude/settings.json"),
        shape: HookShape::Nested { second: 1, on_failure: true },
        events: CLAUDE,
        top_members: &[],
        limits: &[],
        note: Some(
            "a project's settings can switch all hooks off; `mayi hook status` says where one does, and only managed settings are safe from it",
        ),
    },
    HarnessSettings {
        harness: "codex",
        own: ".codex/hooks.json",
        moved_by: Some(("CODEX_HOME", 1)),
        project_path: Some(".codex/hooks.json"),
        shape: HookShape::Nested { second: 1, on_failure: false },
        events: &[
            ("PreToolUse", true),
            ("PermissionRequest", true),
            ("PostToolUse", false),
            ("SessionStart", false),
            ("SubagentStart", false),
            ("SessionEnd", false),
        ],
        top_members: &[],
        limits: &[("SessionEnd", 3)],
        note: Some(
            "Codex skips hooks without a word until you trust them: start it, and say so under /hooks",
        ),
    },
    HarnessSettings {
        harness: "gemini",
        own: ".gemini/settings.json",
        moved_by: None,
        project_path: Some(".gemini/settings.json"),
        shape: HookShape::Nested { second: 1000, on_failure: false },
        events: &[("BeforeTool", true), ("AfterTool", false), ("SessionStart", false), ("SessionEnd", false)],
        top_members: &[],
        limits: &[],
        note: None,
    },
    HarnessSettings {
        harness: "qwen",
        own: ".qwen/settings.json",
        moved_by: None,
        project_path: Some(".qwen/settings.json"),
        shape: HookShape::Nested { second: 1000, on_failure: false },
        events: CLAUDE,
        top_members: &[],
        limits: &[],
        note: None,
    },
    HarnessSettings {
        harness: "copilot",
        own: ".copilot/hooks/mayi.json",
        moved_by: None,
        project_path: Some(".github/hooks/mayi.json"),
        shape: HookShape::Flat { command: "bash", timeout: "timeoutSec", fail_closed: false },
        events: &[
            ("preToolUse", true),
            ("postToolUse", false),
            ("sessionStart", false),
            ("sessionEnd", false),
        ],
        top_members: &[("version", 1)],
        limits: &[],
        note: Some("Copilot CLI runs the tool when a hook takes longer than its time limit"),
    },
    HarnessSettings {
        harness: "cursor",
        own: ".cursor/hooks.json",
        moved_by: None,
        project_path: Some(".cursor/hooks.json"),
        shape: HookShape::Flat { command: "command", timeout: "timeout", fail_closed: true },
        events: &[
            ("preToolUse", true),
            ("postToolUse", false),
            ("sessionStart", false),
            ("sessionEnd", false),
        ],
        top_members: &[("version", 1)],
        limits: &[],
        note: None,
    },
    HarnessSettings {
        harness: "vscode",
        own: ".copilot/hooks/mayi-vscode.json",
        moved_by: None,
        project_path: Some(".github/hooks/mayi-vscode.json"),
        shape: HookShape::Flat { command: "command", timeout: "timeout", fail_closed: false },
        events: &[("PreToolUse", true), ("PostToolUse", false), ("SessionStart", false)],
        top_members: &[],
        limits: &[],
        note: None,
    },
    HarnessSettings {
        harness: "opencode",
        own: ".config/opencode/plugin/mayi.js",
        moved_by: None,
        project_path: Some(".opencode/plugin/mayi.js"),
        shape: HookShape::Plugin,
        events: &[("tool.execute.before", true), ("tool.execute.after", false)],
        top_members: &[],
        limits: &[],
        note: None,
    },
];

impl HarnessSettings {
    /// The one of this harness.
    pub(super) fn for_harness(harness: &str) -> Option<&'static Self> {
        HARNESS_SETTINGS.iter().find(|place| place.harness == harness)
    }

    /// The user's own file. The harness's variable counts here, where the person says what is to be changed.
    pub(super) fn own_file(&self, home: &Path) -> PathBuf {
        let moved = self.moved_by.and_then(|(name, parts)| Some((std::env::var_os(name)?, parts)));
        match moved {
            Some((folder, parts)) if !folder.is_empty() => {
                let rest: PathBuf = Path::new(self.own).components().skip(parts).collect();
                PathBuf::from(folder).join(rest)
            }
            _ => home.join(self.own),
        }
    }

    /// The entry for one event: what comes into the list under its name.
    pub(super) fn hook_entry(&self, event: &str, decides: bool, command: &str, limit: Duration) -> Value {
        let most = self.limits.iter().find(|(name, _)| *name == event).map(|(_, seconds)| *seconds);
        let seconds = most.unwrap_or(u64::MAX).min(limit.as_secs());
        match self.shape {
            HookShape::Nested { second, on_failure } => {
                let mut hook = json!({ "type": "command", "command": command, "timeout": seconds * second });
                // Any other exit than 2 would have the tool run.
                if on_failure
                    && decides
                    && let Some(members) = hook.as_object_mut()
                {
                    members.insert("onFailure".to_owned(), json!("block"));
                }
                json!({ "matcher": "*", "hooks": [hook] })
            }
            HookShape::Flat { command: key, timeout, fail_closed } => {
                let mut hook = json!({ "type": "command", key: command, timeout: seconds });
                if fail_closed
                    && decides
                    && let Some(members) = hook.as_object_mut()
                {
                    members.insert("failClosed".to_owned(), json!(true));
                }
                hook
            }
            HookShape::Plugin => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use mayi_check::{Checker, Request};
    use mayi_core::config::{Folders, Sources};

    use super::*;

    /// D4.8: an agent that writes where hooks are kept could take mayi's out.
    #[test]
    fn given_the_files_of_every_harness_then_an_agent_that_writes_one_is_always_asked_about() {
        let home = Path::new("/home/me");
        let folders = Folders { home: Some(home.into()), ..Folders::default() };
        let sources = Sources { folders, cwd: home.join("work"), ..Sources::default() };
        let mut checker = Checker::new(sources, true);
        for settings in HARNESS_SETTINGS {
            let of_project = settings.project_path.map(|path| home.join("work").join(path));
            for file in of_project.into_iter().chain([home.join(settings.own)]) {
                let request = json!({ "kind": "write", "path": file, "mode": "auto" }).to_string();
                let decision = checker.decide(&Request::from_json(&request).unwrap()).unwrap();
                assert!(decision.always_asks(), "{}: {}", settings.harness, file.display());
            }
        }
    }
}
