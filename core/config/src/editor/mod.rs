//! What an editor's settings say of agents, servers and folders (`mayi.agents`, `mayi.servers`, `mayi.mode`,
//! `mayi.workspaces`, `mayi.tools`): a layer of its own (D5.5). They are the user's, for all folders of the editor: they loosen as the user's file may.

mod entries;
mod read;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ids::{AgentIds, NameClash};
use super::load::ConfigLoader;
use super::read::WorkspaceEntry;
use super::scalars::{ScalarRow, Scalars, WithOrigin, keys, rows_in};
use super::{ConfigError, Layer, nearest_word};
use mayi_call::Category;
use mayi_kept::approval::escape_line;
use mayi_policy::{Approval, Level, Mode, Origin};

/// How notices name them.
const PLACE: &str = "the editor's settings";

/// Keys that nobody knows: kept, since an editor writes its settings back as a whole.
type UnknownKeys = BTreeMap<String, Value>;

/// An editor's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct EditorSettings {
    /// The mode of all sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mode: Option<Mode>,
    /// Agents, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, EditorAgent>,
    /// MCP servers, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub servers: BTreeMap<String, EditorServer>,
    /// What agents' own tools do, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Category>,
    /// The user's own settings for folders, by their paths: absolute, or from `~/`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub workspaces: BTreeMap<String, EditorWorkspace>,
    /// What else is there: told, and nothing more.
    #[serde(flatten)]
    #[ts(skip)]
    pub unknown: UnknownKeys,
}

/// A folder, and all below it, in an editor's settings: the user's own, never what a repository brings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct EditorWorkspace {
    /// The mode of sessions there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mode: Option<Mode>,
    /// What else is there: told, and nothing more.
    #[serde(flatten)]
    #[ts(skip)]
    pub unknown: UnknownKeys,
}

/// What is said of a tool of a server: one word, or both of what there is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(untagged)]
pub enum EditorTool {
    /// Whether its calls ask: `required`, `not_required` or `default`.
    Approval(Approval),
    /// What it does: `read`, `write`, `execute` or `external`.
    Category(Category),
    /// Both.
    Both(EditorToolParts),
}

/// What is said of a tool, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(default, deny_unknown_fields)]
pub struct EditorToolParts {
    /// Whether its calls ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub approval: Option<Approval>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub category: Option<Category>,
}

impl EditorTool {
    /// Both parts.
    #[must_use]
    pub fn parts(self) -> EditorToolParts {
        match self {
            Self::Approval(approval) => EditorToolParts { approval: Some(approval), category: None },
            Self::Category(category) => EditorToolParts { approval: None, category: Some(category) },
            Self::Both(parts) => parts,
        }
    }
}

impl EditorToolParts {
    /// As it is written in the shortest way; none where nothing is said. That a tool asks as its server does is said too: another
    /// file may say something else of it.
    #[must_use]
    pub fn shortest(self) -> Option<EditorTool> {
        match (self.approval, self.category) {
            (None, None) => None,
            (Some(approval), None) => Some(EditorTool::Approval(approval)),
            (None, Some(category)) => Some(EditorTool::Category(category)),
            (Some(_), Some(_)) => Some(EditorTool::Both(self)),
        }
    }
}

/// An agent in an editor's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct EditorAgent {
    /// The program that starts it, in place of what other files say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub args: Option<Vec<String>>,
    /// Variables that are set for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub env: Option<BTreeMap<String, String>>,
    /// Whether it acts without asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub bypass_permissions: Option<bool>,
    /// The mode of its sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mode: Option<Mode>,
    /// What its own tools do, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tools: Option<BTreeMap<String, Category>>,
    /// What else is there: told, and nothing more.
    #[serde(flatten)]
    #[ts(skip)]
    pub unknown: UnknownKeys,
}

/// An MCP server in an editor's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct EditorServer {
    /// The program that is the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub args: Option<Vec<String>>,
    /// Variables that are set for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub env: Option<BTreeMap<String, String>>,
    /// Where it is reached, in place of a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub url: Option<String>,
    /// Headers that are sent there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub headers: Option<BTreeMap<String, String>>,
    /// Whether its tools ask: `required` or `not_required`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub approval: Option<Approval>,
    /// The level that is granted to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub grant: Option<Level>,
    /// Whether what it says of its tools may loosen a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub trust_annotations: Option<bool>,
    /// For single tools: whether they ask, also `default`, or what they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tools: Option<BTreeMap<String, EditorTool>>,
    /// What else is there: told, and nothing more.
    #[serde(flatten)]
    #[ts(skip)]
    pub unknown: UnknownKeys,
}

impl EditorSettings {
    /// Lays the settings over what is there already.
    pub(super) fn apply_to(&self, loading: &mut ConfigLoader<'_>) {
        let before = loading.errors.len();
        let mut scalars = Scalars::of(keys::MODE, self.mode.map(with_editor_origin));
        entries::check_tool_names("mayi.tools", &self.tools, &mut loading.errors);
        for (tool, category) in &self.tools {
            scalars.set(keys::TOOL_CATEGORY, &[tool], Some(with_editor_origin(*category)));
        }
        let (mut agents, mut servers) = (Vec::new(), Vec::new());
        for (name, agent) in &self.agents {
            agents.push(agent.agent_entry(name, &mut loading.errors));
            agent.add_scalars(name, &mut scalars, &mut loading.errors);
        }
        let home = loading.places.home.clone();
        let workspaces: Vec<WorkspaceEntry> = self
            .workspaces
            .iter()
            .filter_map(|(folder, settings)| {
                settings.workspace_entry(folder, home.as_deref(), &mut loading.errors)
            })
            .collect();
        for (name, server) in &self.servers {
            servers.push(server.server_entry(name, &mut loading.errors));
            server.add_scalars(name, &mut scalars);
        }
        let ids = AgentIds::resolve(&loading.agents, &agents, true);
        if let Some(NameClash { message, help }) = &ids.clash {
            let message = format!("mayi.agents: {message}");
            loading.errors.push(ConfigError::new(Layer::Editor, message, Some(help.clone())));
        }
        ids.apply_to(&mut scalars);
        loading.notices.extend(self.unknown_key_lines());
        if loading.errors.len() > before {
            return;
        }
        let ignored = loading.apply_scalars(Layer::Editor, scalars, false);
        loading.note_locked(&PLACE, &ignored);
        loading.start(&ids, agents, servers);
        loading.apply_workspaces(Layer::Editor, &PLACE, workspaces);
    }

    /// A line for each key that nobody knows.
    fn unknown_key_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut tell = |place: String, unknown: &UnknownKeys, section: &str, others: &[&str]| {
            for key in unknown.keys() {
                let known = known_keys(section, others);
                let meant = nearest_word(key, known.iter().map(String::as_str))
                    .map(|meant| format!("; did you mean `{meant}`?"));
                let line =
                    format!("{PLACE}: no key is called `{key}` in `{place}`{}", meant.unwrap_or_default());
                lines.push(escape_line(&line));
            }
        };
        tell("mayi".to_owned(), &self.unknown, "", &["agents", "servers", "tools", "workspaces"]);
        for (name, agent) in &self.agents {
            let others = ["args", "command", "env", "tools"];
            tell(setting_path("agents", name), &agent.unknown, "agents.*", &others);
        }
        for (name, server) in &self.servers {
            let others = ["args", "command", "env", "headers", "tools", "url"];
            tell(setting_path("servers", name), &server.unknown, "servers.*", &others);
        }
        for (folder, settings) in &self.workspaces {
            tell(setting_path("workspaces", folder), &settings.unknown, "workspaces.*", &["mode"]);
        }
        lines
    }
}

/// A setting's key as an editor writes it: `bypassPermissions`.
fn editor_key(row: &ScalarRow) -> String {
    let (_, key) = row.split_path();
    let mut words = key.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// What an editor may write in a section: its settings, and `others`.
fn known_keys(section: &str, others: &[&str]) -> Vec<String> {
    let settings = rows_in(section).filter(|row| row.editor).map(editor_key);
    let mut keys: Vec<String> = settings.chain(others.iter().map(|key| (*key).to_owned())).collect();
    keys.sort_unstable();
    keys
}

fn editor_origin() -> Origin {
    Origin { file: None, line: None, layer: Layer::Editor }
}

fn with_editor_origin<T>(value: T) -> WithOrigin<T> {
    WithOrigin::new(value, editor_origin())
}

/// As the editor's own file has it: `mayi.agents."claude"`.
fn setting_path(group: &str, name: &str) -> String {
    format!("mayi.{group}.{name:?}")
}
