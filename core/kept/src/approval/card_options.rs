//! The choices of a card.

use super::Suggestion;
use super::card::{AgentOption, CardOption, OptionKind, choice};
use super::covers::{session_covers, session_grants};
use mayi_call::Call;
use mayi_policy::Decision;

/// mayi's own choices for a call, and behind them the agent's.
pub(super) fn card_options(
    call: &Call,
    decision: &Decision,
    suggestions: &[Suggestion],
    agent: &[AgentOption],
) -> Vec<CardOption> {
    let own = |id: &str, name: &str, kind: OptionKind, scope: &'static str| CardOption {
        option_id: id.to_owned(),
        name: name.to_owned(),
        kind,
        scope: scope.into(),
        danger: None,
        grants: Vec::new(),
        covers: None,
    };
    let mut options = Vec::new();
    let switches_mode = call.accesses.iter().any(|access| matches!(access, mayi_call::Access::Mode { .. }));
    // Only one of the agent's own options, picked by hand, allows these.
    if !switches_mode && call.by_hand.is_none() {
        options.push(own(choice::ALLOW_ONCE, "Allow once", OptionKind::AllowOnce, "once"));
        // What a person allows each time anew is remembered for no session either.
        if !decision.asks_each_time() && call.without_substance().is_none() {
            let grants = session_grants(call, decision);
            options.push(CardOption {
                covers: Some(session_covers(&grants)),
                grants,
                ..own(choice::ALLOW_SESSION, "Allow for this session", OptionKind::AllowAlways, "session")
            });
        }
        if !suggestions.is_empty() {
            options.push(own(choice::ALLOW_ALWAYS, "Always allow …", OptionKind::AllowAlways, "user"));
        }
    }
    options.push(own(choice::DENY, "Deny", OptionKind::RejectOnce, "once"));
    options.extend(agent.iter().map(|option| CardOption {
        option_id: format!("{}{}", choice::AGENT, option.option_id),
        name: option.name.clone(),
        kind: option.kind,
        scope: if option.kind.lasts() { "agent" } else { "once" }.into(),
        danger: option.danger.clone(),
        grants: Vec::new(),
        covers: None,
    }));
    options
}
