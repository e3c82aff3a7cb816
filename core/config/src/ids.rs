//! What the names of agents in a configuration stand for (D1.20; `mayi_policy::aliases`).
//!
//! A name is an id where an agent is configured under it, however it is spelled: "My Agent" is `my-agent`. A name that mayi
//! knows for an agent of its own, such as "Claude Code", is that agent, unless a command is written under it: then it is a way
//! of starting an agent that is configured by itself, and what was allowed to `claude` is not for it.

use std::collections::BTreeMap;

use super::read::AgentEntry;
use super::scalars::Scalars;
use super::{AgentLaunch, LoadedConfig, PRESETS};
use mayi_call::AgentId;
use mayi_policy::aliases::{agent_called, normalize_name};
use mayi_policy::{Effect, Rule};

/// The id that `name` stands for among `ids`, of which the presets' are always some.
pub(super) fn id_of<'a>(ids: impl Iterator<Item = &'a str> + Clone, name: &str) -> Option<&'a str> {
    let spelled = normalize_name(name);
    let by_spelling = ids.clone().find(|id| normalize_name(id) == spelled);
    by_spelling.or_else(|| {
        let known = agent_called(name);
        ids.clone().find(|id| **id == *known)
    })
}

impl LoadedConfig {
    /// The agent that is called `name`, by its id, or as people write it: `claude`, "Claude Code".
    #[must_use]
    pub fn find_agent(&self, name: &str) -> Option<&AgentLaunch> {
        self.agents.get(id_of(self.agents.keys().map(String::as_str), name)?)
    }

    /// Who comes under `name`, as it was given on the command line: the id of the agent that is called so, else the name, which
    /// nobody has. It may say a door, as ids do: `mcp:cursor`.
    #[must_use]
    pub fn agent_id(&self, name: &str) -> AgentId {
        let id =
            |name: &str| self.find_agent(name).map_or_else(|| name.to_owned(), |agent| agent.name.clone());
        let written = AgentId::from_name(name);
        match (written.door(), written.name()) {
            (Some(door), Some(at)) => AgentId::at_door(door, &id(at)),
            (None, Some(name)) => AgentId::from_name(&id(name)),
            (_, None) => written,
        }
    }
}

impl LoadedConfig {
    /// The one of `names`, those of agents in a file or in an editor's settings, that stands for the agent `id`; else the id
    /// itself, which is written beside them then.
    #[must_use]
    pub fn name_of<'a>(&self, id: &'a str, names: impl IntoIterator<Item = &'a str>) -> &'a str {
        let mut names = names.into_iter();
        names.find(|name| self.find_agent(name).is_some_and(|agent| agent.name == id)).unwrap_or(id)
    }
}

/// Two names of one agent in one layer: which of them counts, nobody could say.
#[derive(Debug)]
pub(super) struct NameClash {
    pub(super) message: String,
    pub(super) help: String,
}

impl NameClash {
    fn between(other: &str, entry: &AgentEntry) -> Self {
        let line = entry.origin.line.map(|line| format!(" in line {line}")).unwrap_or_default();
        Self {
            message: format!("`{}`{line} is the same agent as `{other}`", entry.name),
            help: "write what is about it under one of the names".to_owned(),
        }
    }
}

/// What the names in one layer stand for.
#[derive(Debug, Default)]
pub(super) struct AgentIds {
    /// By the name as it is written.
    by_name: BTreeMap<String, String>,
    /// Why they can't all be in one layer.
    pub(super) clash: Option<NameClash>,
}

impl AgentIds {
    /// What `entries` are called by, over the `agents` that are there already. Whoever may not start agents (`starts`) makes
    /// none either.
    pub(super) fn resolve(
        agents: &BTreeMap<String, AgentLaunch>,
        entries: &[AgentEntry],
        starts: bool,
    ) -> Self {
        let mut ids = Self::default();
        let mut owners: BTreeMap<String, String> = BTreeMap::new();
        for entry in entries {
            let there =
                |name: &str| agents.keys().find(|id| normalize_name(id) == normalize_name(name)).cloned();
            let known = agent_called(&entry.name);
            let preset = PRESETS.iter().any(|preset| preset.name == known);
            let id = there(&entry.name)
                .or_else(|| (preset && !(starts && entry.command.is_some())).then_some(known))
                .unwrap_or_else(|| entry.name.clone());
            if let Some(other) = owners.insert(normalize_name(&id), entry.name.clone()) {
                ids.clash.get_or_insert_with(|| NameClash::between(&other, entry));
            }
            ids.by_name.insert(entry.name.clone(), id);
        }
        ids
    }

    /// The id of `name`.
    pub(super) fn id(&self, name: &str) -> String {
        self.by_name.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Settings under ids.
    pub(super) fn apply_to(&self, scalars: &mut Scalars) {
        scalars.rename_agents(|name| self.id(name));
    }
}

/// Names in `rules` become ids: those that are there as the rules' own layer knows them. What no agent is called stays.
pub(super) fn settle_rules<'r>(
    agents: &BTreeMap<String, AgentLaunch>,
    rules: impl IntoIterator<Item = &'r mut Rule>,
) {
    let ids = || agents.keys().map(String::as_str);
    let settled = |name: &str| id_of(ids(), name).unwrap_or(name).to_owned();
    for rule in rules.into_iter().filter(|rule| rule.effect == Effect::Allow) {
        for name in &mut rule.agents {
            *name = match name.split_once(':') {
                Some((door, at)) => format!("{door}:{}", settled(at)),
                None => settled(name),
            };
        }
    }
}
