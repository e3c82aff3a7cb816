//! What runs already while the configuration changes. D1.22: an agent is "how and by whom it was configured
//! and started", and "a server of another identity under a known name has no settings, grants or trust".

use std::collections::BTreeMap;

use super::{AgentLaunch, LoadedConfig, ServerLaunch};
use mayi_call::ServerId;
use mayi_policy::{AgentSettings, Approval, Policy, ServerSettings};

/// What was started: the configuration may say something else under its names by now.
#[derive(Clone, Debug, Default)]
pub struct RunningSession {
    agent: Option<AgentLaunch>,
    servers: Vec<(String, ServerId)>,
}

/// What is configured under the names of what runs, and is something else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConflictingNames {
    /// The name of the agent.
    pub agent: Option<String>,
    /// The names of servers.
    pub servers: Vec<String>,
}

impl RunningSession {
    /// An agent (none: it is known by its name alone), and MCP servers by their names.
    pub fn new(agent: Option<&AgentLaunch>, servers: impl IntoIterator<Item = (String, ServerId)>) -> Self {
        Self { agent: agent.cloned(), servers: servers.into_iter().collect() }
    }

    /// An agent with all servers that are configured for its session.
    #[must_use]
    pub fn for_session(agent: Option<&AgentLaunch>, loaded: &LoadedConfig) -> Self {
        let servers = loaded.servers.values();
        Self::new(agent, servers.map(|server| (server.name.clone(), server.transport.server_id())))
    }

    /// Whether `loaded` has another program under the agent's name.
    #[must_use]
    pub fn is_another_agent(&self, loaded: &LoadedConfig) -> bool {
        self.agent.as_ref().is_some_and(|agent| is_another(&loaded.agents, agent))
    }

    /// Makes the policy of `loaded` one for what runs: what is written for others under the same names allows it nothing.
    pub fn restrict_to_running(&self, loaded: &mut LoadedConfig) -> ConflictingNames {
        let LoadedConfig { policy, agents, servers, .. } = loaded;
        let agent = self.agent.as_ref().filter(|agent| strip_other_agent(policy, agents, agent));
        ConflictingNames {
            agent: agent.map(|agent| agent.name.clone()),
            servers: strip_other_servers(policy, servers, &self.servers),
        }
    }
}

/// Takes from `policy` what it allows to another server under the name of one that runs. Returns their names.
fn strip_other_servers(
    policy: &mut Policy,
    configured: &BTreeMap<String, ServerLaunch>,
    running: &[(String, ServerId)],
) -> Vec<String> {
    let other = |(name, identity): &&(String, ServerId)| {
        configured.get(name).is_some_and(|server| server.transport.server_id() != *identity)
    };
    let names: Vec<String> = running.iter().filter(other).map(|(name, _)| name.clone()).collect();
    for name in &names {
        let asked = ServerSettings { approval: Some(Approval::Required), ..ServerSettings::default() };
        policy.servers.insert(name.clone(), asked);
    }
    names
}

/// Takes from `policy` what it allows to another agent under the name of the one that runs; a stricter mode stays. Says
/// whether there is another one.
fn strip_other_agent(
    policy: &mut Policy,
    configured: &BTreeMap<String, AgentLaunch>,
    running: &AgentLaunch,
) -> bool {
    if !is_another(configured, running) {
        return false;
    }
    // Nor may a mode be chosen that is left to the other one alone.
    if let Some(least) = &mut policy.least_modes
        && let Some(mode) = least.agents.get_mut(&running.name)
    {
        *mode = least.mode.max(*mode);
    }
    if let Some(settings) = policy.agents.get_mut(&running.name) {
        let mode = settings.mode.filter(|mode| *mode > policy.mode);
        *settings = AgentSettings { mode, ..AgentSettings::default() };
    }
    true
}

fn is_another(configured: &BTreeMap<String, AgentLaunch>, running: &AgentLaunch) -> bool {
    let same = |agent: &AgentLaunch| agent.command == running.command && agent.env == running.env;
    !configured.get(&running.name).is_none_or(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentCommand, Transport};
    use mayi_call::AgentId;
    use mayi_policy::{LeastModes, Mode, Origin};

    fn test_agent(program: &str) -> AgentLaunch {
        AgentLaunch {
            name: "a".to_owned(),
            title: "a".to_owned(),
            command: Some(AgentCommand::Words(vec![program.to_owned()])),
            env: BTreeMap::new(),
            asking_mode: None,
            asks: crate::Asks::NotKnown,
            missing_files_are_empty: false,
            on_unasked: crate::OnUnasked::default(),
            preset: false,
            install: None,
            origin: Origin { file: None, line: None, layer: crate::Layer::User },
        }
    }

    /// Attack 7: a bypass, or a looser mode, that is written for another program under the name of the one that runs.
    #[test]
    fn given_another_agent_under_the_name_of_one_that_runs_then_its_settings_only_tighten() {
        let configured = BTreeMap::from([("a".to_owned(), test_agent("new"))]);
        let settings =
            |mode| AgentSettings { bypass_permissions: true, mode: Some(mode), ..AgentSettings::default() };
        for (mode, left) in [(Mode::Auto, None), (Mode::Plan, Some(Mode::Plan))] {
            let mut policy = Policy::default();
            policy.agents.insert("a".to_owned(), settings(mode));
            assert!(!strip_other_agent(&mut policy, &configured, &test_agent("new")));
            assert_eq!(policy.agents["a"], settings(mode));
            assert!(strip_other_agent(&mut policy, &configured, &test_agent("old")));
            assert_eq!(policy.agents["a"], AgentSettings { mode: left, ..AgentSettings::default() });
        }
        for (own, least) in [(Mode::Auto, Mode::Default), (Mode::Plan, Mode::Plan)] {
            let agents = BTreeMap::from([("a".to_owned(), own)]);
            let least_modes = Some(LeastModes { mode: Mode::Default, agents });
            let mut policy = Policy { least_modes, ..Policy::default() };
            assert!(strip_other_agent(&mut policy, &configured, &test_agent("old")));
            assert_eq!(policy.least_mode(&AgentId::from_name("a")), least);
        }
    }

    fn http_transport(url: &str) -> Transport {
        Transport::Http { url: url.to_owned(), headers: BTreeMap::new() }
    }

    /// Attack 143: what is written for another server under the name of one that runs is not for that one.
    #[test]
    fn given_another_server_under_a_name_that_runs_then_its_settings_allow_it_nothing() {
        let running: Vec<(String, ServerId)> = ["a", "b"]
            .map(|name| (name.to_owned(), http_transport("https://old.example").server_id()))
            .into();
        let mut policy = Policy::default();
        let allowed = ServerSettings { approval: Some(Approval::NotRequired), ..ServerSettings::default() };
        let mut configured = BTreeMap::new();
        for (name, url) in [("a", "https://old.example"), ("b", "https://new.example")] {
            policy.servers.insert(name.to_owned(), allowed.clone());
            let origin = Origin { file: None, line: None, layer: crate::Layer::User };
            let (name, transport) = (name.to_owned(), http_transport(url));
            let launch =
                ServerLaunch { name: name.clone(), transport, origin, may_change: Default::default() };
            configured.insert(name, launch);
        }
        assert_eq!(strip_other_servers(&mut policy, &configured, &running), ["b"]);
        assert_eq!(policy.servers["a"], allowed);
        assert_eq!(policy.servers["b"].approval, Some(Approval::Required));
    }
}
