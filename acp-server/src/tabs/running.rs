//! What to say where the configuration has something else by now under the names of what a tab was started with.

use mayi_core::config::ConflictingNames;

/// A line for each.
pub(super) fn changed_config_notices(others: &ConflictingNames) -> Vec<String> {
    let agent = others.agent.iter().map(|name| {
        format!(
            "{name}: another program is configured for this agent now. The one that runs has no bypass until it is started \
             again, in a new tab"
        )
    });
    let servers = others.servers.iter().map(|name| {
        format!(
            "{name}: another server is configured under this name now. The one that runs is asked about until the agent \
             is started again, in a new tab"
        )
    });
    agent.chain(servers).collect()
}
