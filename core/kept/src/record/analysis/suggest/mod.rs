//! Rules that would have saved the most questions, without allowing anything that was ever denied.

mod candidate;
mod outcomes;
mod words;

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;

use super::replay::decide_as_recorded;
use crate::record::Recorded;
use crate::record::entry_details::VERSION;
use candidate::{Candidate, find_candidates};
use mayi_call::AgentId;
use mayi_policy::{Effect, Origin, Policy, Rule};
use outcomes::{PastAnswers, PastApproval};

/// Rules for the user's file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleSuggestions {
    /// The version of this shape.
    pub v: u32,
    /// So many questions were answered with yes, and would be asked again.
    pub prompts: usize,
    /// So many of them all the rules together had saved: at least the sum of what each does.
    pub saved: usize,
    /// The rules, in the order in which they save the most.
    pub proposals: Vec<Proposal>,
}

/// One rule, or several that are needed together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// What to allow.
    pub patterns: Vec<String>,
    /// To whom: who was asked about it.
    pub agents: Vec<AgentId>,
    /// So many questions it had saved, besides those that the proposals before it save.
    pub prompts_saved: usize,
    /// Some of what was asked about.
    pub examples: Vec<String>,
    /// What each of the patterns allows besides, in words.
    pub besides: Vec<String>,
    /// When it was first asked about.
    pub since: Timestamp,
}

/// Fewer are not worth a rule.
const FEWEST: usize = 2;
/// As many rules are proposed.
const MOST: usize = 40;
/// As many examples of each are given.
const EXAMPLES: usize = 3;

/// Rules that, added to `policy`, had saved the most questions of `entries`. The figures are those of
/// deciding again with the rules in place.
#[must_use]
pub fn suggest_rules(entries: &[Recorded], policy: &Policy) -> RuleSuggestions {
    let heard = PastAnswers::from_entries(entries, policy);
    let mut open: BTreeSet<usize> = (0..heard.approved.len()).collect();
    let mut left = find_candidates(&heard);
    let mut chosen = policy.clone();
    let mut proposals: Vec<Proposal> = Vec::new();
    while proposals.len() < MOST {
        // The most questions first; of those that save as many, the narrowest.
        left.retain(|candidate| count_open(candidate, &open) >= FEWEST);
        let Some(best) = (0..left.len()).max_by_key(|at| {
            left.get(*at)
                .map(|of| (count_open(of, &open), std::cmp::Reverse(of.reach), std::cmp::Reverse(*at)))
        }) else {
            break;
        };
        let mut candidate = left.swap_remove(best);
        // Rules that are proposed already are not said twice.
        candidate.patterns.retain(|pattern| {
            !proposals.iter().any(|before| before.patterns.iter().any(|text| text == pattern.as_str()))
        });
        let covered = candidate.covers.intersection(&open).filter_map(|at| heard.approved.get(*at));
        let with = with_rules(&chosen, &candidate, &distinct_agents(covered));
        let allowed = |at: &usize| heard.approved.get(*at).is_some_and(|of| of.is_allowed(&with));
        let saved: BTreeSet<usize> = candidate.covers.intersection(&open).copied().filter(allowed).collect();
        if saved.len() < FEWEST || heard.denied.iter().any(|denied| denied.is_allowed(&with)) {
            continue;
        }
        let calls: Vec<&PastApproval> = saved.iter().filter_map(|at| heard.approved.get(*at)).collect();
        proposals.push(make_proposal(&candidate, &calls));
        open.retain(|at| !saved.contains(at));
        chosen = with;
    }
    let saved = heard.approved.iter().filter(|of| of.is_allowed(&chosen)).count();
    RuleSuggestions { v: VERSION, prompts: heard.approved.len(), saved, proposals }
}

fn count_open(candidate: &Candidate, open: &BTreeSet<usize>) -> usize {
    candidate.covers.intersection(open).count()
}

/// The policy with the rules of `candidate`, for the agents that were asked about it.
fn with_rules(policy: &Policy, candidate: &Candidate, agents: &[AgentId]) -> Policy {
    let mut with = policy.clone();
    for pattern in &candidate.patterns {
        with.rules.push(Rule {
            effect: Effect::Allow,
            pattern: pattern.clone(),
            unless: None,
            reason: None,
            agents: agents.iter().map(|agent| agent.as_str().to_owned()).collect(),
            holds: true,
            named: false,
            origin: Origin { file: None, line: None, layer: "user" },
        });
    }
    with
}

fn distinct_agents<'a>(of: impl Iterator<Item = &'a PastApproval>) -> Vec<AgentId> {
    of.map(|of| of.call.agent.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

fn make_proposal(candidate: &Candidate, saved: &[&PastApproval]) -> Proposal {
    let mut examples: Vec<String> = Vec::new();
    for of in saved {
        for access in of.asked_accesses() {
            let text = access.text();
            if examples.len() < EXAMPLES && !examples.contains(&text) {
                examples.push(text);
            }
        }
    }
    Proposal {
        patterns: candidate.patterns.iter().map(ToString::to_string).collect(),
        besides: candidate.patterns.iter().map(|pattern| words::also_allows(pattern.as_str())).collect(),
        agents: distinct_agents(saved.iter().copied()),
        prompts_saved: saved.len(),
        examples,
        since: saved.iter().map(|of| of.asked_at).min().unwrap_or(Timestamp::UNIX_EPOCH),
    }
}

impl PastApproval {
    fn is_allowed(&self, policy: &Policy) -> bool {
        decide_as_recorded(policy, &self.call, &self.decided).effect == Effect::Allow
    }
}
