//! What holds of configuration, by the sentences of D3 and D5.

mod approvals;
mod compiled;
mod editor;
mod edits;
mod folders;
mod layers;
mod levels;
mod mistakes;
mod names;
mod presets;
mod reading;
mod safety;
mod scalars;
mod schema;
mod trust;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{EditorSettings, Folders, LoadedConfig, PRESETS, Sources, load};
use mayi_call::{
    Access, AgentId, Call, Category, Door, McpAccess, PathAccess, SessionId, WriteKind,
    shell::{self, Surroundings},
};
use mayi_policy::grant::Grants;
use mayi_policy::{Effect, Mode, Policy, SessionStanding, decide};

/// A machine of its own: a home, a workspace and a managed folder.
struct Machine {
    _dir: tempfile::TempDir,
    sources: Sources,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let at = |name: &str| {
            let folder = top.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            folder
        };
        let sources = Sources {
            managed: Some(at("etc").join("config.toml")),
            user: Some(at("home/.config/mayi").join("config.toml")),
            workspace: Some(at("work").join(".mayi.toml")),
            only: None,
            editor: None,
            environment: BTreeMap::new(),
            command_line: super::CommandLine::default(),
            cwd: at("work"),
            folders: Folders {
                home: Some(at("home")),
                config: Some(at("home/.config/mayi")),
                data: Some(at("home/.local/share/mayi")),
                state: Some(at("home/.local/state/mayi")),
            },
            compiled: false,
        };
        Self { _dir: dir, sources }
    }

    fn managed(self, text: &str) -> Self {
        put(self.sources.managed.as_deref().unwrap(), text);
        self
    }

    fn user(self, text: &str) -> Self {
        put(self.user_file(), text);
        self
    }

    fn workspace(self, text: &str) -> Self {
        put(self.sources.workspace.as_deref().unwrap(), text);
        self
    }

    fn editor(mut self, settings: serde_json::Value) -> Self {
        self.sources.editor = Some(EditorSettings::read(&settings).unwrap());
        self
    }

    fn environment(mut self, name: &str, value: &str) -> Self {
        self.sources.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    fn mode(mut self, mode: Mode) -> Self {
        self.sources.command_line.mode = Some(mode);
        self
    }

    fn user_file(&self) -> &Path {
        self.sources.user.as_deref().unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.user_file()).unwrap()
    }

    fn load(&self) -> LoadedConfig {
        load(&self.sources).unwrap()
    }

    /// Every mistake on a line of its own, without the names of temporary folders.
    fn mistakes(&self) -> String {
        let errors = load(&self.sources).unwrap_err();
        let lines: Vec<String> = errors.all().iter().map(|error| self.plain(&error.one_line())).collect();
        lines.join("\n")
    }

    fn notices(&self) -> String {
        self.load().policy.notices.iter().map(|notice| self.plain(notice)).collect::<Vec<_>>().join("\n")
    }

    fn plain(&self, text: &str) -> String {
        let top = self.sources.cwd.parent().unwrap().display().to_string();
        text.replace(&top, "")
    }
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn shell(line: &str) -> Access {
    shell::line_accesses(line, &Surroundings::new(Path::new("/w"), &[])).remove(0)
}

fn mcp(server: &str, tool: &str) -> Access {
    Access::Mcp(McpAccess::new(vec![(server.into(), tool.into())], serde_json::json!({}), Path::new("/w")))
}

fn write(cwd: &Path, path: &str) -> Access {
    Access::Write(WriteKind::Write, PathAccess::new(cwd, path))
}

fn tool(name: &str) -> Access {
    Access::Tool { name: name.to_owned(), category: Category::Execute }
}

/// What `policy` decides for one access of the agent `claude`.
fn effect(policy: &Policy, cwd: &Path, access: Access) -> Effect {
    let settings = policy.agents.get("claude").cloned().unwrap_or_default();
    let servers: Vec<String> = policy.servers.keys().cloned().collect();
    let grants = Grants::default();
    let standing = SessionStanding {
        mode: settings.mode.unwrap_or(policy.mode),
        bypass: settings.bypass_permissions,
        grants: &grants,
        servers: &servers,
    };
    decide(policy, &call(cwd, access), &standing).effect
}

fn call(cwd: &Path, access: Access) -> Call {
    Call {
        roots: vec![PathBuf::from(cwd)],
        raw_input: serde_json::Value::Null,
        accesses: vec![access],
        ..Call::new(Door::AcpPermission, AgentId::from_name("claude"), SessionId("s".into()), cwd.to_owned())
    }
}
