//! Settings that have one value each, and how the layers' values become one.
//!
//! The `config` crate lays the layers over each other, the nearest last; before a layer is laid,
//! what it may not loosen is taken out of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use config::builder::DefaultState;
use config::{Config, ConfigBuilder, Map, Value, ValueKind};
use serde::Deserialize;

use super::{ConfigError, Layer};
use mayi_call::{AgentId, Category, Names};
use mayi_policy::aliases::same_agent;
use mayi_policy::{Approval, Effect, LeastModes, Level, Matrix, Mode, Origin};

pub(super) const ON_UNASKED: &[(&str, OnUnasked)] =
    &[("record", OnUnasked::Record), ("stop", OnUnasked::Stop)];

/// What follows when a tool call ran without asking that the policy asks about or denies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnUnasked {
    /// It is shown and recorded, and the turn goes on.
    #[default]
    Record,
    /// The turn is cancelled too.
    Stop,
}

impl OnUnasked {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Stop => "stop",
        }
    }
}

pub(super) const MODES: &[(&str, Mode)] =
    &[("plan", Mode::Plan), ("default", Mode::Default), ("auto", Mode::Auto)];

const CATEGORIES: [Category; 4] = [Category::Read, Category::Write, Category::Execute, Category::External];

/// A value, and where it is written.
#[derive(Clone, Debug)]
pub(super) struct WithOrigin<T> {
    pub(super) value: T,
    pub(super) origin: Origin,
}

impl<T> WithOrigin<T> {
    pub(super) fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

/// The scalars of one layer.
#[derive(Clone, Debug, Default)]
pub(super) struct Scalars {
    pub(super) mode: Option<WithOrigin<Mode>>,
    pub(super) on_unasked: Option<WithOrigin<OnUnasked>>,
    pub(super) readers: Option<WithOrigin<bool>>,
    pub(super) protocol_v2: Option<WithOrigin<bool>>,
    pub(super) matrix: Vec<(Mode, Category, WithOrigin<Effect>)>,
    pub(super) agents: BTreeMap<String, AgentScalars>,
    pub(super) servers: BTreeMap<String, ServerScalars>,
    pub(super) apps: BTreeMap<String, AppScalars>,
    pub(super) tools: BTreeMap<String, WithOrigin<Category>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct AgentScalars {
    pub(super) mode: Option<WithOrigin<Mode>>,
    pub(super) on_unasked: Option<WithOrigin<OnUnasked>>,
    pub(super) bypass_permissions: Option<WithOrigin<bool>>,
    pub(super) trust_elicitation: Option<WithOrigin<bool>>,
    pub(super) asking_mode: Option<WithOrigin<String>>,
    pub(super) tools: BTreeMap<String, WithOrigin<Category>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ServerScalars {
    pub(super) approval: Option<WithOrigin<Approval>>,
    pub(super) grant: Option<WithOrigin<Level>>,
    pub(super) trust_annotations: Option<WithOrigin<bool>>,
    pub(super) tools: BTreeMap<String, ToolScalars>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct AppScalars {
    pub(super) trust_require_approval: Option<WithOrigin<bool>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ToolScalars {
    pub(super) approval: Option<WithOrigin<Approval>>,
    pub(super) category: Option<WithOrigin<Category>>,
}

/// All layers so far as one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    on_unasked: OnUnasked,
    pub(super) readers: bool,
    pub(super) acp: AcpSetting,
    matrix: BTreeMap<String, BTreeMap<String, Effect>>,
    pub(super) agents: BTreeMap<String, AgentSetting>,
    pub(super) servers: BTreeMap<String, ServerSetting>,
    pub(super) apps: BTreeMap<String, AppSetting>,
    pub(super) tools: BTreeMap<String, Category>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AcpSetting {
    pub(super) protocol_v2: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AgentSetting {
    pub(super) mode: Option<Mode>,
    on_unasked: Option<OnUnasked>,
    pub(super) bypass_permissions: bool,
    pub(super) trust_elicitation: bool,
    pub(super) asking_mode: Option<String>,
    pub(super) tools: BTreeMap<String, Category>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ServerSetting {
    pub(super) approval: Option<Approval>,
    pub(super) grant: Level,
    pub(super) trust_annotations: bool,
    pub(super) tools: BTreeMap<String, ToolSetting>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AppSetting {
    pub(super) trust_require_approval: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolSetting {
    pub(super) approval: Option<Approval>,
    pub(super) category: Option<Category>,
}

impl Settings {
    /// The mode of an agent, or the one of all.
    pub(super) fn mode_of(&self, agent: Option<&str>) -> Mode {
        agent.and_then(|agent| self.agents.get(agent)?.mode).unwrap_or(self.mode)
    }

    /// What follows when the agent does something without asking.
    pub(super) fn on_unasked(&self, agent: Option<&str>) -> OnUnasked {
        agent.and_then(|agent| self.agents.get(agent)?.on_unasked).unwrap_or(self.on_unasked)
    }

    /// The modes of all.
    pub(super) fn least_modes(&self) -> LeastModes {
        let of = |(name, agent): (&String, &AgentSetting)| Some((name.clone(), agent.mode?));
        LeastModes { mode: self.mode, agents: self.agents.iter().filter_map(of).collect() }
    }

    pub(super) fn matrix(&self) -> Matrix {
        let mut matrix = Matrix::default();
        for (name, mode) in MODES {
            for category in CATEGORIES {
                if let Some(effect) = self.matrix.get(*name).and_then(|row| row.get(category.as_str())) {
                    *matrix.row_mut(*mode).effect_for_mut(category) = *effect;
                }
            }
        }
        matrix
    }
}

/// One scalar as it counts, for `config show`.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its place in a file: `agents.claude.mode`.
    pub key: String,
    /// Its value: a text, or true or false.
    pub value: serde_json::Value,
    /// Where it is written.
    pub origin: Origin,
}

/// Whose setting is locked, none being everybody's, and the file that says so.
type LockEntry = (Option<String>, PathBuf);

/// What a managed file keeps others from loosening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    mode: Option<PathBuf>,
    bypass: Vec<LockEntry>,
    trust: Vec<LockEntry>,
}

impl Locks {
    /// Takes a line of `lock`; false if it is not understood.
    pub(super) fn add_lock(&mut self, line: &str, by: Option<&Path>) -> bool {
        let by = by.map_or_else(PathBuf::new, Path::to_owned);
        if line == "mode" {
            self.mode = Some(by);
            return true;
        }
        let of = |kind: &str, setting: &str| line.strip_prefix(kind)?.strip_suffix(setting);
        let (locked, name, may_be) = match of("agents.", ".bypass_permissions") {
            Some(agent) => (&mut self.bypass, agent, Names::is_valid_agent_name as fn(&str) -> bool),
            None => match of("apps.", ".trust_require_approval") {
                Some(app) => (&mut self.trust, app, Names::is_plain as fn(&str) -> bool),
                None => return false,
            },
        };
        if name != "*" && !may_be(name) {
            return false;
        }
        locked.push(((name != "*").then(|| name.to_owned()), by));
        true
    }

    /// The file that locks the mode.
    #[must_use]
    pub fn mode_lock(&self) -> Option<&Path> {
        self.mode.as_deref()
    }

    /// The file that locks `bypass_permissions` of `agent`, under whichever of its names.
    #[must_use]
    pub fn bypass_lock(&self, agent: &str) -> Option<&Path> {
        let agent = AgentId::from_name(agent);
        find_lock(&self.bypass, |name| same_agent(name, &agent))
    }

    /// The file that locks `trust_require_approval` of `app`.
    #[must_use]
    pub fn app_trust_lock(&self, app: &str) -> Option<&Path> {
        find_lock(&self.trust, |name| name == app)
    }
}

fn find_lock(all: &[LockEntry], is_it: impl Fn(&str) -> bool) -> Option<&Path> {
    let is = |(locked, _): &&LockEntry| locked.as_deref().is_none_or(&is_it);
    all.iter().find(is).map(|(_, by)| by.as_path())
}

/// The layers, laid one over the other.
pub(super) struct LayerMerge {
    builder: ConfigBuilder<DefaultState>,
    pub(super) current: Settings,
    /// As the managed layer left it: what locks hold on to.
    pub(super) managed: Settings,
    pub(super) locks: Locks,
    origins: BTreeMap<Vec<String>, Origin>,
}

#[derive(Clone, Debug)]
struct OneLayer(Map<String, Value>);

impl config::Source for OneLayer {
    fn clone_into_box(&self) -> Box<dyn config::Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

impl LayerMerge {
    /// With nothing but what is built in.
    pub(super) fn new() -> Result<Self, ConfigError> {
        let mut merge = Self {
            builder: Config::builder(),
            current: Settings::default(),
            managed: Settings::default(),
            locks: Locks::default(),
            origins: BTreeMap::new(),
        };
        let origin = Origin { file: None, line: None, layer: Layer::BuiltIn.as_str() };
        let matrix = Matrix::default();
        let mut built_in = Scalars {
            mode: Some(WithOrigin::new(Mode::default(), origin.clone())),
            on_unasked: Some(WithOrigin::new(OnUnasked::default(), origin.clone())),
            readers: Some(WithOrigin::new(true, origin.clone())),
            ..Scalars::default()
        };
        for (_, mode) in MODES {
            for category in CATEGORIES {
                built_in.matrix.push((
                    *mode,
                    category,
                    WithOrigin::new(matrix.row(*mode).effect_for(category), origin.clone()),
                ));
            }
        }
        merge.add_layer(Layer::BuiltIn, &built_in)?;
        Ok(merge)
    }

    /// Lays a layer over those that are there; what it may not say was taken out before.
    pub(super) fn add_layer(&mut self, layer: Layer, scalars: &Scalars) -> Result<(), ConfigError> {
        let failed = |error: config::ConfigError| {
            ConfigError::new(layer, format!("settings can't be merged: {error}"), None)
        };
        let mut map = Map::new();
        for (path, value, origin) in scalars.leaf_values() {
            insert(&mut map, &path, Value::new(Some(&layer.as_str().to_owned()), value));
            self.origins.insert(path, origin);
        }
        self.builder = std::mem::take(&mut self.builder).add_source(OneLayer(map));
        let merged = self.builder.build_cloned().map_err(failed)?;
        self.current = merged.try_deserialize().map_err(failed)?;
        if layer <= Layer::Managed {
            self.managed = self.current.clone();
        }
        Ok(())
    }

    /// Every scalar with its origin, by key.
    pub(super) fn settings_with_origin(&self) -> Vec<Setting> {
        let Ok(merged) = self.builder.build_cloned() else {
            return Vec::new();
        };
        let mut origins: Vec<_> = self.origins.iter().collect();
        // What is about everything comes first.
        origins.sort_by_key(|(path, _)| path.len() > 1);
        origins
            .into_iter()
            .filter_map(|(path, origin)| {
                let value = path.iter().try_fold(&merged.cache, |value, part| match &value.kind {
                    ValueKind::Table(table) => table.get(part),
                    _ => None,
                })?;
                let value = match &value.kind {
                    ValueKind::Boolean(is) => serde_json::Value::Bool(*is),
                    other => serde_json::Value::String(other.to_string()),
                };
                Some(Setting {
                    key: path.iter().map(|part| toml_key(part)).collect::<Vec<_>>().join("."),
                    value,
                    origin: origin.clone(),
                })
            })
            .collect()
    }
}

/// A part of a key as TOML wants it written.
fn toml_key(part: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if !part.is_empty() && part.bytes().all(plain) { part.to_owned() } else { format!("{part:?}") }
}

fn insert(table: &mut Map<String, Value>, path: &[String], leaf: Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), leaf);
        }
        [first, rest @ ..] => {
            let entry =
                table.entry(first.clone()).or_insert_with(|| Value::new(None, ValueKind::Table(Map::new())));
            if let ValueKind::Table(inner) = &mut entry.kind {
                insert(inner, rest, leaf);
            }
        }
    }
}

impl Scalars {
    /// Every value with its path and origin.
    fn leaf_values(&self) -> Vec<(Vec<String>, ValueKind, Origin)> {
        let mut leaves = Vec::new();
        let mut text = |path: &[&str], value: &str, origin: &Origin| {
            leaves.push((
                path.iter().map(|part| (*part).to_owned()).collect(),
                ValueKind::from(value),
                origin.clone(),
            ));
        };
        if let Some(WithOrigin { value, origin }) = &self.mode {
            text(&["mode"], value.as_str(), origin);
        }
        if let Some(WithOrigin { value, origin }) = &self.on_unasked {
            text(&["on_unasked"], value.as_str(), origin);
        }
        for (mode, category, WithOrigin { value, origin }) in &self.matrix {
            text(&["matrix", mode.as_str(), category.as_str()], &value.to_string(), origin);
        }
        for (tool, WithOrigin { value, origin }) in &self.tools {
            text(&["tools", tool], value.as_str(), origin);
        }
        for (name, agent) in &self.agents {
            for (tool, WithOrigin { value, origin }) in &agent.tools {
                text(&["agents", name, "tools", tool], value.as_str(), origin);
            }
            if let Some(WithOrigin { value, origin }) = &agent.mode {
                text(&["agents", name, "mode"], value.as_str(), origin);
            }
            if let Some(WithOrigin { value, origin }) = &agent.on_unasked {
                text(&["agents", name, "on_unasked"], value.as_str(), origin);
            }
            if let Some(WithOrigin { value, origin }) = &agent.asking_mode {
                text(&["agents", name, "asking_mode"], value, origin);
            }
        }
        for (name, server) in &self.servers {
            if let Some(WithOrigin { value, origin }) = &server.approval {
                text(&["servers", name, "approval"], approval_word(*value), origin);
            }
            if let Some(WithOrigin { value, origin }) = &server.grant {
                text(&["servers", name, "grant"], level_word(*value), origin);
            }
            for (tool, scalars) in &server.tools {
                if let Some(WithOrigin { value, origin }) = &scalars.approval {
                    text(&["servers", name, "tools", tool, "approval"], approval_word(*value), origin);
                }
                if let Some(WithOrigin { value, origin }) = &scalars.category {
                    text(&["servers", name, "tools", tool, "category"], value.as_str(), origin);
                }
            }
        }
        let mut flag = |path: &[&str], at: &Option<WithOrigin<bool>>| {
            if let Some(WithOrigin { value, origin }) = at {
                let path = path.iter().map(|part| (*part).to_owned()).collect();
                leaves.push((path, ValueKind::Boolean(*value), origin.clone()));
            }
        };
        flag(&["readers"], &self.readers);
        flag(&["acp", "protocol_v2"], &self.protocol_v2);
        for (name, agent) in &self.agents {
            flag(&["agents", name, "bypass_permissions"], &agent.bypass_permissions);
            flag(&["agents", name, "trust_elicitation"], &agent.trust_elicitation);
        }
        for (name, server) in &self.servers {
            flag(&["servers", name, "trust_annotations"], &server.trust_annotations);
        }
        for (name, app) in &self.apps {
            flag(&["apps", name, "trust_require_approval"], &app.trust_require_approval);
        }
        leaves
    }
}

pub(super) fn approval_word(approval: Approval) -> &'static str {
    match approval {
        Approval::Required => "required",
        Approval::NotRequired => "not_required",
        Approval::Default => "default",
    }
}

pub(super) fn level_word(level: Level) -> &'static str {
    match level {
        Level::None => "none",
        Level::Read => "read",
        Level::Write => "write",
        Level::All => "all",
    }
}
