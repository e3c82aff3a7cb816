//! The decision (D4.1): pure and total.

mod confined;
mod findings;
mod mentions;
mod rules;
mod settings;
mod touches;

use super::{Decision, Effect, Finding, Mode, Policy, Source};
use crate::grant::Grants;
use crate::protection::places;
use crate::words;
use findings::{AskKind, Findings};
use mayi_call::shell::CaveatSubject;
use mayi_call::{Access, Call, Category, ShellAccess, effort};
use rules::RuleOutcome;

/// What holds for the session that a call belongs to, besides the policy.
#[derive(Clone, Copy, Debug)]
pub struct SessionStanding<'a> {
    /// The session's mode.
    pub mode: Mode,
    /// The agent is bypassed.
    pub bypass: bool,
    /// Remembered answers.
    pub grants: &'a Grants,
    /// The MCP servers that mayi itself put into the session: only these are certain to be the ones
    /// that settings of their names are about.
    pub servers: &'a [String],
}

/// Judges `call`: the strictest over its accesses, with all the reasons.
pub fn decide(policy: &Policy, call: &Call, standing: &SessionStanding<'_>) -> Decision {
    effort::bounded_alone(|| decide_within_budget(policy, call, standing))
}

fn decide_within_budget(policy: &Policy, call: &Call, standing: &SessionStanding<'_>) -> Decision {
    let mut trail = Vec::new();
    let mut categories = Vec::new();
    let confined = confined::may_stand_in(policy, call, standing);
    for access in &call.accesses {
        let category = settings::category_of(policy, call, access, standing);
        categories.extend(category);
        trail.append(&mut judge_access(policy, call, access, category, (standing, confined)));
    }
    if effort::is_spent() {
        trail.extend(call.accesses.first().map(unjudged));
    }
    if trail.is_empty() {
        return Decision::denial_on_error(&*call.title, "the call touches nothing that mayi understands");
    }
    categories.sort_unstable();
    categories.dedup();
    // Two readings of a line say the same of what they have in common.
    let mut said = std::collections::HashSet::new();
    trail.retain(|finding: &Finding| {
        finding.source != Source::Caveat
            || said.insert((
                finding.access.clone(),
                finding.reason.clone(),
                finding.effect as u8,
                finding.always,
            ))
    });
    // Stable: findings of the same effect stay in the order of the accesses.
    trail.sort_by_key(|finding| std::cmp::Reverse((finding.effect, finding.always)));
    if let Some(why) = &call.blocked {
        // First, and put there last: nothing discharges it, and it is what the model should read.
        let of_server = call.accesses.iter().find(|access| matches!(access, Access::Mcp(_)));
        let about = of_server.or(call.accesses.first()).map(Access::text).unwrap_or_default();
        trail.insert(0, Finding::new(Effect::Deny, about, Source::Protection, why.clone()));
    }
    let effect = trail.first().map_or(Effect::Deny, |finding| finding.effect);
    Decision { effect, categories, trail }
}

/// What could not be judged to its end is asked about, whatever was found by then (D2.40).
fn unjudged(access: &Access) -> Finding {
    let reason = "there is more in it than is judged for one decision";
    let finding = Finding::new(Effect::Ask, access.text(), Source::Caveat, reason);
    Finding { always: true, once: true, ..finding }
}

fn judge_access(
    policy: &Policy,
    call: &Call,
    access: &Access,
    category: Option<Category>,
    (standing, confined): (&SessionStanding<'_>, bool),
) -> Vec<Finding> {
    let mut found = Findings::new(call, access, standing, confined);
    let said = rules::apply_access_rules(policy, &mut found);
    rules::apply_tool_name_rules(policy, &mut found);
    add_grant_denials(&mut found);
    add_protection(policy, said.allowed, &mut found);
    if let Access::Shell(shell) = access {
        add_caveats(policy, shell, &said, &mut found);
    }
    add_cautions(policy, category, &said, &mut found);
    settings::add_destructive(policy, category, &said.allows, &mut found);
    add_flags(&mut found);
    touches::judge_touches(policy, said.allowed, category == Some(Category::Read), &mut found);
    always_asked(policy, &mut found);
    if !said.any {
        settings::add_settings(policy, category, &mut found);
    }
    if let Some(category) = category {
        settings::add_matrix_row(policy, category, &mut found);
        if standing.mode == Mode::Plan && category != Category::Read {
            let reason = words::not_in_plan(access, category.as_str());
            // First, since it is what the model should read.
            let finding = found.new_finding(Effect::Deny, Source::Plan, reason);
            found.list.insert(0, finding);
        }
    }
    found.finish()
}

/// A live remembered denial is a deny finding (D4.4).
fn add_grant_denials(found: &mut Findings<'_>) {
    let denied: Vec<_> = found.standing.grants.forbidding_grants(found.call, &found.seen).collect();
    for (grant, pattern) in denied {
        let reason = format!("denied before, {}", grant.scope);
        let mut finding = found.new_finding(Effect::Deny, Source::Grant, reason);
        finding.pattern = Some(pattern.to_string());
        finding.grant = Some(grant.id);
        found.list.push(finding);
    }
}

fn add_protection(policy: &Policy, allowed: bool, found: &mut Findings<'_>) {
    if let Access::Read(path) | Access::Write(_, path) = found.access
        && let Some(place) = places::doubtful_path(path)
    {
        let mut finding = found.new_finding(place.effect, Source::Protection, place.reason);
        finding.always = place.always;
        found.add_ask(finding, AskKind::Always);
    }
    for against in policy.protection.access_objections(&found.seen) {
        if against.effect == Effect::Ask && allowed && !against.always {
            continue;
        }
        let mut finding = found.new_finding(against.effect, Source::Protection, against.reason);
        finding.pattern = against.pattern;
        finding.always = against.always;
        match against.effect {
            Effect::Ask => {
                let kind = match (against.always, against.holds) {
                    (true, _) => AskKind::Always,
                    (false, true) => AskKind::Held,
                    (false, false) => AskKind::Plain,
                };
                found.add_ask(finding, kind);
            }
            _ => found.list.push(finding),
        }
    }
}

/// What could not be understood, or could change what runs. An allow that names the part silences a
/// plain one.
fn add_caveats(policy: &Policy, shell: &ShellAccess, said: &RuleOutcome<'_>, found: &mut Findings<'_>) {
    for caveat in &shell.caveats {
        if said.allows.iter().any(|rule| rule.pattern.names_caveat(shell, caveat)) {
            continue;
        }
        if let CaveatSubject::Address { url, .. } = &caveat.named {
            touches::judge_reached_address(policy, shell, caveat, url, found);
            continue;
        }
        let mut finding = found.new_finding(Effect::Ask, Source::Caveat, words::caveat_reason(shell, caveat));
        finding.always = caveat.always;
        found.add_ask(finding, if caveat.always { AskKind::Always } else { AskKind::Caveat(caveat) });
    }
}

/// Whether what is said of the tool that is called belongs to this access.
fn is_of_tool(found: &Findings<'_>) -> bool {
    let of_server = |access: &Access| matches!(access, Access::Mcp(_));
    of_server(found.access) || !found.call.accesses.iter().any(of_server)
}

/// What the door says deserves a look: about the tool that is called. An explicit allow silences it, and so do the tool's own
/// setting and a level of its server, wherever a person gave that, as a pattern for all its tools would.
fn add_cautions(
    policy: &Policy,
    category: Option<Category>,
    said: &RuleOutcome<'_>,
    found: &mut Findings<'_>,
) {
    if said.allowed || !is_of_tool(found) || settings::is_looked_at(policy, category, found) {
        return;
    }
    for why in &found.call.cautions {
        let finding = found.new_finding(Effect::Ask, Source::Caveat, why.clone());
        found.add_ask(finding, AskKind::Plain);
    }
}

/// What is odd about what a server says of the tool: asked about in every mode until a person accepts it, and no rule
/// silences it (D4.23).
fn add_flags(found: &mut Findings<'_>) {
    if !is_of_tool(found) {
        return;
    }
    for why in &found.call.flagged {
        let mut finding = found.new_finding(Effect::Ask, Source::Caveat, why.clone());
        finding.always = true;
        found.add_ask(finding, AskKind::Always);
    }
}

/// What is asked about whatever the rules say.
fn always_asked(policy: &Policy, found: &mut Findings<'_>) {
    let (call, access) = (found.call, found.access);
    if let Some(why) = &call.by_hand {
        let mut finding = found.new_finding(Effect::Ask, Source::Caveat, why.clone());
        finding.always = true;
        found.add_ask(finding, AskKind::Never);
    }
    if call.accesses.first().is_some_and(|first| std::ptr::eq(first, access))
        && let Some(member) = call.leaves_sandbox()
    {
        let why =
            format!("it is to run outside of the harness's own sandbox, or with more rights ({member})");
        let mut finding = found.new_finding(Effect::Ask, Source::Caveat, why);
        finding.always = true;
        found.add_ask(finding, AskKind::Always);
    }
    if let Some(why) = call.without_substance() {
        let mut finding = found.new_finding(Effect::Ask, Source::Caveat, why);
        finding.always = true;
        found.add_ask(finding, AskKind::Never);
    }
    if let Access::Fetch(url) = access
        && url.unsound
    {
        let reason = "an address without a host that can be told";
        let mut finding = found.new_finding(Effect::Ask, Source::Caveat, reason);
        finding.always = true;
        found.add_ask(finding, AskKind::Always);
    }
    if let Access::Mode { .. } = access {
        let mut finding =
            found.new_finding(Effect::Ask, Source::Protection, "a switch of the agent's own mode");
        finding.always = true;
        found.add_ask(finding, AskKind::Never);
    }
    if let Some(why) = &policy.ask_all {
        let mut finding = found.new_finding(Effect::Ask, Source::Error, why.clone());
        finding.of_workspace = true;
        found.add_ask(finding, AskKind::Written(""));
    }
    let denied: Vec<_> = found.standing.grants.session_denials(call, &found.seen).collect();
    for denied in denied {
        let reason = "the like was denied before in this session";
        let mut finding = found.new_finding(Effect::Ask, Source::Grant, reason);
        finding.pattern = Some(denied.pattern.to_string());
        found.add_ask(finding, AskKind::Denied(denied));
    }
}

#[cfg(test)]
mod tests;
