//! The rest of the product: what it is called, settings, servers, remembered answers, the record.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use mayi_core::call::Category;
use mayi_core::config::{EditorSettings, Setting};
use mayi_core::policy::{Approval, Effect, Level, Mode, Origin};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `mayi/initialize`.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Initialize {
    /// The version of the API that the client speaks.
    pub protocol_version: u32,
    /// Who it is.
    pub client: ClientInfo,
    /// The editor's own settings; none: it has none, or leaves them as they are.
    #[serde(default)]
    #[ts(type = "unknown")]
    pub settings: Option<Value>,
}

/// Who calls.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
pub struct ClientInfo {
    /// What others hear as who answered: letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
}

/// The name of a server of the API.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct ServerName {
    /// `mayi`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// The answer to `mayi/initialize`.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Initialized {
    /// The version of the API.
    pub protocol_version: u32,
    /// Who answers.
    pub server: ServerName,
    /// Another one after each start.
    pub instance: String,
    /// `ask` or `answer`.
    pub credential: &'static str,
    /// Agents that can be started.
    pub agents: Vec<AgentInfo>,
    /// The modes, strictest first.
    pub modes: Vec<ModeInfo>,
    /// The one that new sessions have.
    pub mode: Mode,
    /// What was noticed about the configuration.
    pub notices: Vec<String>,
    /// Where the page is, if it is served.
    pub ui: Option<String>,
}

/// A mode, for people.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct ModeInfo {
    /// Its id.
    pub id: Mode,
    /// Its name.
    pub name: &'static str,
    /// What it means, in one line.
    pub description: &'static str,
}

/// An agent that is configured.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// Its name in the configuration.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Whether its program is there.
    pub found: bool,
    /// What to do if not.
    pub hint: Option<String>,
    /// The mode that is configured for it.
    pub mode: Option<Mode>,
    /// Whether it acts without asking.
    pub bypass_permissions: bool,
    /// The file that locks that.
    pub bypass_locked: Option<PathBuf>,
}

/// A folder to look from: what is configured may differ by folder.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct Place {
    /// The folder; none: the one that the backend was started in.
    pub cwd: Option<PathBuf>,
}

/// The answer to `settings/get` and `settings/update`.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct SettingsView {
    /// The mode of new sessions.
    pub mode: Mode,
    /// The agents.
    pub agents: Vec<AgentInfo>,
    /// The editor's own settings.
    pub editor: Option<EditorSettings>,
    /// Every scalar that counts, with its origin.
    pub settings: Vec<SettingInfo>,
    /// What was noticed about the configuration.
    pub notices: Vec<String>,
}

/// Where a setting is written.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct OriginInfo {
    /// The layer: `built-in`, `managed`, `user`, `workspace`, `editor`, ...
    pub layer: &'static str,
    /// The file, if it is one.
    pub file: Option<PathBuf>,
    /// The line in that file, from 1.
    pub line: Option<u32>,
}

impl From<&Origin> for OriginInfo {
    fn from(origin: &Origin) -> Self {
        Self { layer: origin.layer.as_str(), file: origin.file.clone(), line: origin.line }
    }
}

/// One scalar as it counts.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct SettingInfo {
    /// Its place in a file: `agents.claude.mode`.
    pub key: String,
    /// Its value: a text, or true or false.
    #[ts(type = "unknown")]
    pub value: Value,
    /// Where it is written.
    pub origin: OriginInfo,
}

impl From<&Setting> for SettingInfo {
    fn from(setting: &Setting) -> Self {
        let Setting { key, value, origin } = setting;
        Self { key: key.clone(), value: value.clone(), origin: origin.into() }
    }
}

/// `settings/update`.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default, deny_unknown_fields)]
#[ts(optional_fields)]
pub struct SettingsUpdate {
    /// In place of all of the editor's settings.
    #[ts(type = "unknown")]
    pub editor: Option<Value>,
    /// By agent.
    pub agents: BTreeMap<String, AgentChange>,
    /// By server.
    pub servers: BTreeMap<String, ServerChange>,
}

/// A change to an agent's settings.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct AgentChange {
    /// Whether it acts without asking.
    pub bypass_permissions: Option<bool>,
}

/// A change to a server's settings.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default, deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ServerChange {
    /// Of all its tools; `default`: as the matrix says.
    pub approval: Option<Approval>,
    /// By tool; `default`: as the server's.
    pub tools: BTreeMap<String, Approval>,
    /// The level that is granted to it.
    pub grant: Option<Level>,
    /// Whether what it says of its tools may loosen a decision.
    #[serde(rename = "trustAnnotations")]
    pub trust_annotations: Option<bool>,
    /// What single tools do, as the user knows them; null: nothing is said of it any more.
    pub categories: BTreeMap<String, Option<Category>>,
}

/// A server that is configured, or that was met.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// Its name in the configuration.
    pub name: String,
    /// How it is reached, for people.
    pub address: String,
    /// Where that is written.
    pub origin: OriginInfo,
    /// Whether its tools are asked about; `default`: as the matrix says.
    pub approval: Approval,
    /// What `default` means for a tool of which nothing is known, in the mode that new sessions have here.
    pub by_default: Approval,
    /// The level that is granted for its tools, by a setting or an answer.
    pub level: &'static str,
    /// The level of the setting alone.
    pub grant: Level,
    /// Whether what it says of its tools may loosen a decision.
    pub trust_annotations: bool,
    /// What it says of itself has changed and is blocked.
    pub changed: bool,
    /// Its tools, as far as they are known.
    pub tools: Vec<ToolInfo>,
}

/// A tool of a server.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// What the server says of it: data.
    pub description: Option<String>,
    /// Its own setting.
    pub approval: Approval,
    /// What counts, all settings and the mode together; rules may say otherwise of single calls.
    pub effective: Approval,
    /// What would count without its own setting.
    pub by_default: Approval,
    /// The category that is configured for it, or that its server claims and is trusted in.
    pub category: Option<&'static str>,
    /// The category that is configured for it.
    pub own_category: Option<Category>,
    /// It has changed since it was trusted.
    pub blocked: bool,
}

/// A remembered answer.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct GrantInfo {
    /// Its id.
    pub id: String,
    /// Allow or deny.
    pub effect: Effect,
    /// Whose calls: an agent, several with commas, or `*` for all.
    pub agent: String,
    /// `session`, `workspace` or `user`.
    pub scope: &'static str,
    /// The session that it ends with.
    pub session: Option<String>,
    /// The folder that it counts in.
    pub workspace: Option<String>,
    /// What it is about: a pattern, or words for people.
    pub what: String,
    /// The MCP server that it is about.
    pub server: Option<String>,
    /// The level for all tools of that server.
    pub level: Option<&'static str>,
    /// Where it is written, if it is a rule of the user's file: one for good.
    pub rule: Option<OriginInfo>,
    /// When it was given; none: a rule's file does not tell.
    #[ts(type = "string | null")]
    pub created_at: Option<Timestamp>,
    /// When it ends by itself.
    #[ts(type = "string | null")]
    pub expires_at: Option<Timestamp>,
    /// How often it can still be used.
    pub uses_left: Option<u32>,
    /// How often it was used.
    pub used: u64,
}

/// `grants/revoke`.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default, deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Revoke {
    /// These.
    pub ids: Vec<String>,
    /// All of this server.
    pub server: Option<String>,
}

/// The answer to `grants/revoke`.
#[derive(Clone, Copy, Debug, Serialize, ts_rs::TS)]
pub struct Revoked {
    /// How many were ended.
    pub revoked: usize,
}

/// `log/query`.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default, deny_unknown_fields)]
#[ts(optional_fields)]
pub struct LogQuery {
    /// At most so many; 100 if it is not said, 1,000 at most.
    pub limit: Option<u32>,
    /// Only entries before this number.
    pub before: Option<u64>,
    /// Only entries after this number.
    pub after: Option<u64>,
    /// Of this agent.
    pub agent: Option<String>,
    /// Of these kinds.
    pub kinds: Vec<mayi_core::record::Kind>,
    /// Whose access or detail holds this text.
    pub contains: Option<String>,
}

/// `log/stats`.
#[derive(Clone, Debug, Default, Deserialize, ts_rs::TS)]
#[serde(default, deny_unknown_fields)]
#[ts(optional_fields)]
pub struct StatsQuery {
    /// Of this agent.
    pub agent: Option<String>,
    /// Of the last so many days; none: of all that is in the database.
    pub days: Option<u32>,
}

/// A configuration to begin with, as `mayi init` has them.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct TemplateInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is for: its first words.
    pub about: String,
    /// The file, with the rules of the languages that the folder has.
    pub text: String,
}

/// The answer to `ui/pair`.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Pairing {
    /// To be typed on the page, once.
    pub code: String,
    /// Where the page is.
    pub url: String,
    /// Until when the code counts.
    #[ts(type = "string")]
    pub expires_at: Timestamp,
}
