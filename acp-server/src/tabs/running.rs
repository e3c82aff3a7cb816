//! What a tab was started with: the configuration may say something else under its names by now.

use mayi_core::call::ServerId;
use mayi_core::config::{AgentLaunch, Loaded, rename_agent, rename_servers};
use mayi_core::policy::Policy;

/// The agent of a tab, and the servers that are in its session.
#[derive(Clone, Debug)]
pub(super) struct Running {
    agent: AgentLaunch,
    servers: Vec<(String, ServerId)>,
}

impl Running {
    /// What is started from `loaded`.
    pub(super) fn new(agent: &AgentLaunch, loaded: &Loaded) -> Self {
        let servers = loaded.servers.values();
        let servers = servers.map(|server| (server.name.clone(), server.transport.identity())).collect();
        Self { agent: agent.clone(), servers }
    }

    /// Whether another program is configured under the agent's name now.
    pub(super) fn is_another(&self, loaded: &Loaded) -> bool {
        rename_agent(&mut loaded.policy.clone(), &loaded.agents, &self.agent)
    }

    /// The policy of `loaded` for what runs: what is written for others under the same names allows it nothing. Also what
    /// should be said of that.
    pub(super) fn fit(&self, loaded: Loaded) -> (Policy, Vec<String>) {
        let Loaded { mut policy, agents, servers, .. } = loaded;
        let mut lines = Vec::new();
        if rename_agent(&mut policy, &agents, &self.agent) {
            lines.push(format!(
                "{0}: another program is configured for this agent now. The one that runs has no bypass until it is started \
                 again, in a new tab",
                self.agent.name
            ));
        }
        lines.extend(rename_servers(&mut policy, &servers, &self.servers).into_iter().map(|name| {
            format!(
                "{name}: another server is configured under this name now. The one that runs is asked about until the agent \
                 is started again, in a new tab"
            )
        }));
        (policy, lines)
    }
}
