//! The decision (decisions, section 4): pure and total.

use super::{Approval, Decision, Effect, Finding, Mode, Policy, Source};
use crate::call::{Access, Call, Category, McpAccess};
use crate::grant::Grants;

/// What holds for the session that a call belongs to, besides the policy.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
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

/// What may turn an ask into an allow.
enum Hold {
    /// A grant, mode `auto` or bypass: matrix, settings and plain protection.
    Plain,
    /// Mode `auto`, bypass, or a grant of exactly this call: a plain caveat.
    Caveat,
    /// A grant that names it: a written ask, a denial before.
    Written(String),
    /// Only a grant of exactly this call.
    Always,
    /// Nothing: a person answers each time.
    Never,
}

/// Judges `call`: the strictest over its accesses, with all the reasons.
pub fn decide(policy: &Policy, call: &Call, standing: &Standing<'_>) -> Decision {
    let mut trail: Vec<Finding> =
        call.accesses.iter().flat_map(|access| judge(policy, call, access, standing)).collect();
    if trail.is_empty() {
        return Decision::error(&*call.title, "the call touches nothing that mayi understands");
    }
    let mut categories: Vec<Category> = call.accesses.iter().filter_map(Access::category).collect();
    categories.sort_unstable();
    categories.dedup();
    // Stable: findings of the same effect stay in the order of the accesses.
    trail.sort_by_key(|finding| std::cmp::Reverse((finding.effect, finding.always)));
    let effect = trail.first().map_or(Effect::Deny, |finding| finding.effect);
    Decision { effect, categories, trail }
}

fn judge(policy: &Policy, call: &Call, access: &Access, standing: &Standing<'_>) -> Vec<Finding> {
    let mut found = Findings {
        call,
        access,
        text: access.to_string(),
        standing,
        list: Vec::new(),
        discharged: Vec::new(),
    };
    let category = category_of(policy, access, standing);
    let allowed = rules(policy, &mut found);
    protection(policy, allowed, &mut found);
    if let Access::Shell(shell) = access {
        for caveat in &shell.caveats {
            let mut finding = found.finding(Effect::Ask, Source::Caveat, caveat.reason.clone());
            finding.always = caveat.always;
            found.ask(finding, if caveat.always { Hold::Always } else { Hold::Caveat });
        }
    }
    if let Some(why) = &call.by_hand {
        let mut finding = found.finding(Effect::Ask, Source::Caveat, why.clone());
        finding.always = true;
        found.ask(finding, Hold::Never);
    }
    if let Access::Mode { .. } = access {
        let mut finding = found.finding(Effect::Ask, Source::Protection, "a switch of the agent's own mode");
        finding.always = true;
        found.ask(finding, Hold::Never);
    }
    if let Some(why) = &policy.ask_all {
        let mut finding = found.finding(Effect::Ask, Source::Error, why.clone());
        finding.of_workspace = true;
        found.ask(finding, Hold::Written(String::new()));
    }
    for denied in standing.grants.denials(call, access) {
        let mut finding =
            found.finding(Effect::Ask, Source::Grant, "the like was denied before in this session");
        finding.pattern = Some(denied.to_string());
        found.ask(finding, Hold::Written(denied.to_string()));
    }
    if !found.spoke() {
        settings(policy, category, &mut found);
    }
    if let Some(category) = category {
        // An ask does not silence a stricter row, also not one that was discharged: only an allow does.
        let row = policy.matrix.row(standing.mode).of(category);
        let allowed = found.list.iter().any(|finding| finding.effect == Effect::Allow);
        let stands = found.list.iter().map(|finding| finding.effect).max().unwrap_or(Effect::Allow);
        if !found.spoke() || (!allowed && row > stands) {
            matrix(policy, category, &mut found);
        }
    }
    if standing.mode == Mode::Plan
        && let Some(category) = category.filter(|category| *category != Category::Read)
    {
        let reason =
            format!("plan mode: {category} is not done, only proposed; say what you would do instead");
        // First, since it is what the model should read.
        let finding = found.finding(Effect::Deny, Source::Plan, reason);
        found.list.insert(0, finding);
    }
    found.finish()
}

/// The category, as the user configured it for a tool of a server.
fn category_of(policy: &Policy, access: &Access, standing: &Standing<'_>) -> Option<Category> {
    if let Access::Mcp(mcp) = access
        && let Some((_, tool)) = mcp.certain()
        && let Some(category) =
            server_of(policy, mcp, standing).and_then(|s| s.tools.get(tool)).and_then(|t| t.category)
    {
        return Some(category);
    }
    access.category()
}

/// All rules that match are findings. Returns whether an allow outside of workspace files did.
fn rules(policy: &Policy, found: &mut Findings<'_>) -> bool {
    let mut allowed = false;
    for rule in &policy.rules {
        if !rule.is_for(&found.call.agent) || !rule.matches(found.access, &found.call.roots) {
            continue;
        }
        let reason = rule.reason.clone().unwrap_or_else(|| rule.said());
        let mut finding = found.finding(rule.effect, Source::Rule, reason);
        finding.pattern = Some(rule.pattern.to_string());
        finding.file.clone_from(&rule.origin.file);
        finding.line = rule.origin.line;
        finding.of_workspace = rule.origin.layer == "workspace";
        match rule.effect {
            Effect::Ask if rule.holds => found.ask(finding, Hold::Written(rule.pattern.to_string())),
            Effect::Ask => found.ask(finding, Hold::Plain),
            Effect::Allow => {
                allowed |= rule.origin.layer != "workspace";
                found.list.push(finding);
            }
            Effect::Deny => found.list.push(finding),
        }
    }
    allowed
}

fn protection(policy: &Policy, allowed: bool, found: &mut Findings<'_>) {
    for (effect, always, pattern, reason) in policy.protection.against(found.access, &found.call.roots) {
        if effect == Effect::Ask && allowed && !always {
            continue;
        }
        let mut finding = found.finding(effect, Source::Protection, reason);
        finding.pattern = pattern;
        finding.always = always;
        match effect {
            Effect::Ask => found.ask(finding, if always { Hold::Always } else { Hold::Plain }),
            _ => found.list.push(finding),
        }
    }
}

/// Settings of servers and tools (decisions, 4.3).
fn settings(policy: &Policy, category: Option<Category>, found: &mut Findings<'_>) {
    let Access::Mcp(mcp) = found.access else { return };
    let Some(server) = server_of(policy, mcp, found.standing) else { return };
    let Some((name, tool)) = mcp.certain() else { return };
    let own = server.tools.get(tool).map_or(Approval::Default, |tool| tool.approval);
    let (effect, reason) = match (own, server.approval) {
        (Approval::NotRequired, _) => (Effect::Allow, format!("the tool {tool} needs no approval")),
        (Approval::Required, _) => (Effect::Ask, format!("the tool {tool} needs approval")),
        (Approval::Default, Some(Approval::NotRequired)) => {
            (Effect::Allow, format!("the server {name} needs no approval"))
        }
        (Approval::Default, Some(Approval::Required)) => match category {
            Some(category) if server.grant.covers(category) => {
                (Effect::Allow, format!("the server {name} was granted {category}"))
            }
            _ => (Effect::Ask, format!("the server {name} needs approval")),
        },
        (Approval::Default, _) => match category {
            Some(category) if server.grant.covers(category) => {
                (Effect::Allow, format!("the server {name} was granted {category}"))
            }
            _ => return,
        },
    };
    let finding = found.finding(effect, Source::Setting, reason);
    match effect {
        Effect::Ask => found.ask(finding, Hold::Plain),
        _ => found.list.push(finding),
    }
}

/// The settings of the server that is called: those of its name, if it is certain to be that one.
fn server_of<'a>(
    policy: &'a Policy,
    mcp: &McpAccess,
    standing: &Standing<'_>,
) -> Option<&'a super::ServerSettings> {
    let (server, _) = mcp.certain()?;
    standing.servers.iter().any(|passed| passed == server).then(|| policy.servers.get(server))?
}

fn matrix(policy: &Policy, category: Category, found: &mut Findings<'_>) {
    let mode = found.standing.mode;
    let effect = policy.matrix.row(mode).of(category);
    let source = if mode == Mode::Auto && effect == Effect::Allow { Source::Auto } else { Source::Matrix };
    let finding = found.finding(effect, source, format!("{category} in {mode} mode"));
    match effect {
        // A matrix that asks in auto mode was written so: only grants and bypass discharge it.
        Effect::Ask => found.ask(finding, Hold::Plain),
        _ => found.list.push(finding),
    }
}

/// The findings on one access while they are collected.
struct Findings<'a> {
    call: &'a Call,
    access: &'a Access,
    text: String,
    standing: &'a Standing<'a>,
    list: Vec<Finding>,
    discharged: Vec<Finding>,
}

impl Findings<'_> {
    fn finding(&self, effect: Effect, source: Source, reason: impl Into<String>) -> Finding {
        Finding::new(effect, self.text.clone(), source, reason)
    }

    fn spoke(&self) -> bool {
        !self.list.is_empty() || !self.discharged.is_empty()
    }

    /// Takes an ask, unless something discharges it (decisions, 4.6).
    fn ask(&mut self, finding: Finding, hold: Hold) {
        let grants = self.standing.grants;
        let by_grant = match &hold {
            Hold::Never => None,
            Hold::Always | Hold::Caveat => grants.exactly(self.call, self.access),
            Hold::Plain => grants.covering(self.call, self.access),
            Hold::Written(pattern) => grants.naming(self.call, self.access, Some(pattern)),
        };
        let yields = matches!(hold, Hold::Plain | Hold::Caveat);
        let discharge = if let Some(grant) = by_grant {
            let mut allow = self.finding(
                Effect::Allow,
                Source::Grant,
                format!("allowed before, {}; else: {}", grant.scope, finding.reason),
            );
            allow.pattern = grant.pattern.as_ref().map(ToString::to_string);
            Some(allow)
        } else if yields && self.standing.bypass {
            Some(self.finding(
                Effect::Allow,
                Source::Bypass,
                format!("{} is bypassed; else: {}", self.call.agent, finding.reason),
            ))
        } else if yields && self.standing.mode == Mode::Auto && finding.source != Source::Matrix {
            Some(self.finding(Effect::Allow, Source::Auto, format!("auto mode; else: {}", finding.reason)))
        } else {
            None
        };
        match discharge {
            Some(allow) => self.discharged.push(allow),
            None => self.list.push(finding),
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        self.list.append(&mut self.discharged);
        self.list
    }
}

#[cfg(test)]
mod tests;
