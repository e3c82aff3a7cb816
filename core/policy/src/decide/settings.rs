//! Settings of servers and tools, and the matrix (D4.14 and D4.17).

use super::SessionStanding;
use super::findings::{AskKind, Findings};
use crate::grant::Grant;
use crate::{Approval, Effect, Finding, Mode, Policy, Rule, ServerSettings, Source, pattern};
use mayi_call::{Access, Call, Category, McpAccess};

/// The category that an access has for this policy: as the user configured it for a tool, and read for a command that
/// only reads.
pub(super) fn category_of(
    policy: &Policy,
    call: &Call,
    access: &Access,
    standing: &SessionStanding<'_>,
) -> Option<Category> {
    match access {
        Access::Mcp(mcp) => {
            let configured = mcp
                .unique_reading()
                .and_then(|(_, tool)| server_of(policy, mcp, standing)?.tools.get(tool)?.category);
            configured.or(mcp.claims).or(access.category())
        }
        // What is assigned, or anything else to be careful about, may make another command of it.
        Access::Shell(shell)
            if shell.reader
                && policy.readers
                && (shell.assignments.is_empty() || shell.words.is_empty())
                && shell.caveats.is_empty() =>
        {
            Some(Category::Read)
        }
        // A call that does not say what it does is no better understood by the name of its tool.
        Access::Tool { name, .. } if call.without_substance().is_none() => {
            policy.category_of_tool(&call.agent, name).or(access.category())
        }
        _ => access.category(),
    }
}

/// Settings of servers and tools; where they are silent, what an app says that is trusted in it (D4.16).
pub(super) fn add_settings(policy: &Policy, category: Option<Category>, found: &mut Findings<'_>) {
    let Access::Mcp(mcp) = found.access else { return };
    let before = found.finding_count();
    add_server_settings(policy, mcp, category, found);
    let denied = |category| policy.matrix.row(found.standing.mode).effect_for(category) == Effect::Deny;
    if mcp.spared && found.finding_count() == before && !category.is_some_and(denied) {
        let reason = "the app says that it needs no approval, and is trusted in that".to_owned();
        let finding = found.new_finding(Effect::Allow, Source::Setting, reason);
        found.list.push(finding);
    }
}

fn add_server_settings(
    policy: &Policy,
    mcp: &McpAccess,
    category: Option<Category>,
    found: &mut Findings<'_>,
) {
    let Some((name, tool)) = mcp.unique_reading().filter(|(name, _)| is_session_server(name, found.standing))
    else {
        return;
    };
    // A server without settings, as one that is started by `mayi mcp -- COMMAND`, can be granted a level too.
    let none = ServerSettings::default();
    let server = policy.servers.get(name).unwrap_or(&none);
    let own = server.tools.get(tool).map_or(Approval::Default, |tool| tool.approval);
    if own == Approval::Default
        && server.approval != Some(Approval::NotRequired)
        && let Some(grant) = covering_level_grant(category, found)
    {
        let reason = format!("the server {name} was granted this level before, {}", grant.scope);
        let id = grant.id;
        let finding = Finding { grant: Some(id), ..found.new_finding(Effect::Allow, Source::Grant, reason) };
        found.list.push(finding);
        return;
    }
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
    let finding = found.new_finding(effect, Source::Setting, reason);
    match effect {
        Effect::Ask => found.add_ask(finding, AskKind::Plain),
        _ => found.list.push(finding),
    }
}

/// Whether a person has said of just this tool that it needs no approval, or given its server a level that covers it, in an
/// answer or a setting. That a whole server needs none says nothing of what it calls destructive itself.
pub(super) fn is_looked_at(policy: &Policy, category: Option<Category>, found: &Findings<'_>) -> bool {
    let Access::Mcp(mcp) = found.access else { return false };
    if covering_level_grant(category, found).is_some() {
        return true;
    }
    let Some(server) = server_of(policy, mcp, found.standing) else { return false };
    let own = mcp.unique_reading().and_then(|(_, tool)| server.tools.get(tool)).map(|tool| tool.approval);
    match own {
        Some(Approval::NotRequired) => true,
        Some(Approval::Required) => false,
        Some(Approval::Default) | None => category.is_some_and(|category| server.grant.covers(category)),
    }
}

/// What a server itself calls destructive is asked about in mode auto too, and under a wildcard. An allow that names the tool,
/// the tool's own setting and a level silence it (D4.23).
pub(super) fn add_destructive(
    policy: &Policy,
    category: Option<Category>,
    allows: &[&Rule],
    found: &mut Findings<'_>,
) {
    let Access::Mcp(mcp) = found.access else { return };
    if !is_called_destructive(found.call) {
        return;
    }
    let by_name = |rule: &&Rule| rule.origin.layer != crate::Layer::Workspace && rule.pattern.names_a_tool();
    if allows.iter().any(by_name) || is_looked_at(policy, category, found) {
        return;
    }
    let named = mcp.unique_reading().map(|(server, tool)| {
        format!("mcp({}/{})", pattern::escape_glob(server), pattern::escape_glob(tool))
    });
    let finding =
        found.new_finding(Effect::Ask, Source::Caveat, "the server itself calls this tool destructive");
    found.add_ask(finding, AskKind::Destructive(named.as_deref().unwrap_or_default()));
}

/// Whether the server says that the tool destroys: in MCP's word for it, or in that of the Responses API.
fn is_called_destructive(call: &Call) -> bool {
    let tool = call.about.as_ref().and_then(|about| about.tool.as_ref());
    let says = |name: &str| tool.is_some_and(|tool| tool.annotations.get(name) == Some(&true.into()));
    says("destructiveHint") || says("destructive")
}

/// The grant of a level for the server of the tool that is called, if that covers a tool of this category.
pub(super) fn covering_level_grant<'a>(
    category: Option<Category>,
    found: &Findings<'a>,
) -> Option<&'a Grant> {
    let Access::Mcp(mcp) = found.access else { return None };
    let (name, _) = mcp.unique_reading().filter(|(name, _)| is_session_server(name, found.standing))?;
    let (grant, level) = found.standing.grants.level_grant(found.call, name)?;
    level.covers(category?).then_some(grant)
}

/// The settings of the server that is called: those of its name, if it is certain to be that one.
pub(super) fn server_of<'a>(
    policy: &'a Policy,
    mcp: &McpAccess,
    standing: &SessionStanding<'_>,
) -> Option<&'a ServerSettings> {
    let (server, _) = mcp.unique_reading()?;
    is_session_server(server, standing).then(|| policy.servers.get(server))?
}

/// Whether a server of this name is certain to be the one that mayi itself put into the session.
fn is_session_server(name: &str, standing: &SessionStanding<'_>) -> bool {
    standing.servers.iter().any(|passed| passed == name)
}

/// The row of the matrix, where nothing else spoke, or nothing as strict and nothing that allowed.
pub(super) fn add_matrix_row(policy: &Policy, category: Category, found: &mut Findings<'_>) {
    let mode = found.standing.mode;
    let effect = policy.matrix.row(mode).effect_for(category);
    // An ask does not silence a stricter row, also not one that was discharged: only an allow does.
    let allowed = found.list.iter().any(|finding| finding.effect == Effect::Allow);
    let stands = found.list.iter().map(|finding| finding.effect).max().unwrap_or(Effect::Allow);
    if found.has_findings() && (allowed || effect <= stands) {
        return;
    }
    let source = if mode == Mode::Auto && effect == Effect::Allow { Source::Auto } else { Source::Matrix };
    let mut reason = [category.as_str(), " in ", mode.as_str(), " mode"].concat();
    if effect != Effect::Allow
        && mode != Mode::Plan
        && let Some(word) = crate::words::not_reading(found.access)
    {
        reason = [reason.as_str(), ": ", &word].concat();
    }
    let finding = found.new_finding(effect, source, reason);
    match effect {
        // A matrix that asks in auto mode was written so: only grants and bypass discharge it.
        Effect::Ask => found.add_ask(finding, AskKind::Plain),
        _ => found.list.push(finding),
    }
}
