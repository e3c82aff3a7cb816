//! What runs already while the configuration changes. Decisions, section 1: an agent is "how and by whom it was configured
//! and started", and "a server of another identity under a known name has no settings, grants or trust".

use std::collections::BTreeMap;

use super::{AgentLaunch, ServerLaunch};
use crate::call::ServerId;
use crate::policy::{AgentSettings, Approval, Policy, ServerSettings};

/// Takes from `policy` what it allows to another server under the name of one that runs. Returns their names.
#[must_use]
pub fn rename_servers(
    policy: &mut Policy,
    configured: &BTreeMap<String, ServerLaunch>,
    running: &[(String, ServerId)],
) -> Vec<String> {
    let other = |(name, identity): &&(String, ServerId)| {
        configured.get(name).is_some_and(|server| server.transport.identity() != *identity)
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
#[must_use]
pub fn rename_agent(
    policy: &mut Policy,
    configured: &BTreeMap<String, AgentLaunch>,
    running: &AgentLaunch,
) -> bool {
    let same = |agent: &AgentLaunch| agent.command == running.command && agent.env == running.env;
    if configured.get(&running.name).is_none_or(same) {
        return false;
    }
    if let Some(settings) = policy.agents.get_mut(&running.name) {
        let mode = settings.mode.filter(|mode| *mode > policy.mode);
        *settings = AgentSettings { mode, ..AgentSettings::default() };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AgentCommand;
    use crate::policy::{Mode, Origin};

    fn agent(program: &str) -> AgentLaunch {
        AgentLaunch {
            name: "a".to_owned(),
            title: "a".to_owned(),
            command: Some(AgentCommand::Words(vec![program.to_owned()])),
            env: BTreeMap::new(),
            asking_mode: None,
            preset: false,
            install: None,
            origin: Origin { file: None, line: None, layer: "user" },
        }
    }

    /// Attack 7: a bypass, or a looser mode, that is written for another program under the name of the one that runs.
    #[test]
    fn given_another_agent_under_the_name_of_one_that_runs_then_its_settings_only_tighten() {
        let configured = BTreeMap::from([("a".to_owned(), agent("new"))]);
        let settings =
            |mode| AgentSettings { bypass_permissions: true, mode: Some(mode), ..AgentSettings::default() };
        for (mode, left) in [(Mode::Auto, None), (Mode::Plan, Some(Mode::Plan))] {
            let mut policy = Policy::default();
            policy.agents.insert("a".to_owned(), settings(mode));
            assert!(!rename_agent(&mut policy, &configured, &agent("new")));
            assert_eq!(policy.agents["a"], settings(mode));
            assert!(rename_agent(&mut policy, &configured, &agent("old")));
            assert_eq!(policy.agents["a"], AgentSettings { mode: left, ..AgentSettings::default() });
        }
    }
}
