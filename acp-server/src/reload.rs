//! What is configured has changed: a gate that is open is judged by what holds now.

use mayi_core::gate::Gate;
use mayi_core::policy::Policy;

/// Lets `policy` hold, if it has something else to say than the one that holds. Returns whether it has.
pub(crate) fn replace_policy(gate: &Gate, policy: Policy) -> bool {
    let differs = policies_differ(&gate.policy(), &policy);
    if differs {
        gate.replace_policy(policy);
    }
    differs
}

/// D5.12: nothing runs on half a policy. What held goes on holding, and all is asked about.
pub(crate) fn ask_about_all(gate: &Gate) {
    let mut policy = (*gate.policy()).clone();
    // What waits is not made another question each time.
    if policy.ask_all.is_some() {
        return;
    }
    policy.ask_all = Some(
        "the configuration has changed and can't be read: `mayi config check` says what is wrong with it"
            .to_owned(),
    );
    gate.replace_policy(policy);
}

/// Whether another policy has something else to say.
fn policies_differ(one: &Policy, other: &Policy) -> bool {
    one.files != other.files
        || one.mode != other.mode
        || one.least_modes != other.least_modes
        || one.agents != other.agents
        || one.apps != other.apps
        || one.servers != other.servers
        || one.notices != other.notices
        || one.ask_all != other.ask_all
}
