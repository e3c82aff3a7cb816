//! `mayi grants`: answers that are remembered, and an end to them.

use clap::{Args, Subcommand};
use jiff::Timestamp;
use mayi_core::approval::escape_line;
use mayi_core::policy::Effect;
use mayi_core::policy::aliases::same_agent;
use mayi_core::store::{Change, GrantQuery, OwnerId, Store, StoredGrant};
use serde_json::json;

use super::inbox::elapsed_text;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::print;

pub(super) const AFTER: &str = "\
Answers that are remembered: for a session, for a folder, or with a limit. What is allowed for good without
a limit is a rule in your configuration (`mayi config show`).

Examples:
  mayi grants
  mayi grants --expired               those that have ended, too
  mayi grants revoke 7f3a2c
  mayi grants revoke --agent claude   all of this agent's";

/// `mayi grants`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GrantsArgs {
    /// Also those that have ended
    #[arg(long)]
    pub expired: bool,
    /// Only those of this agent, under all of its names
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<GrantsCommand>,
}

/// What to do with remembered answers.
#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    /// End remembered answers
    Revoke(RevokeArgs),
}

/// `mayi grants revoke`
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true).args(["id", "all", "agent", "server"]))]
pub(crate) struct RevokeArgs {
    /// Their IDs
    #[arg(conflicts_with_all = ["all", "agent", "server"])]
    pub id: Vec<String>,
    /// All of them
    #[arg(long, conflicts_with_all = ["agent", "server"])]
    pub all: bool,
    /// All of this agent's, under all of its names
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// All about this MCP server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
}

pub(super) fn run(args: &GrantsArgs, ctx: &Context) -> Result<Exit, CliError> {
    match &args.command {
        None => list_grants(args, ctx),
        Some(GrantsCommand::Revoke(args)) => revoke_grants(args, ctx),
    }
}

fn list_grants(args: &GrantsArgs, ctx: &Context) -> Result<Exit, CliError> {
    let now = Timestamp::now();
    let Some(store) = memory::open_existing_store(ctx)? else {
        if !args.json {
            ctx.print_note("nothing is remembered");
        }
        return Ok(Exit::Done);
    };
    let query = GrantQuery { live_at: (!args.expired).then_some(now), ..GrantQuery::default() };
    let newest = store.newest_time()?;
    let asking: Vec<OwnerId> = store.live_owners(now)?.into_iter().map(|owner| owner.id).collect();
    // One for a session ends with the process that has the session.
    let over = |grant: &StoredGrant| grant.owner.is_some_and(|owner| !asking.contains(&owner));
    let of_agent =
        |grant: &StoredGrant| args.agent.as_ref().is_none_or(|agent| same_agent(agent, &grant.agent));
    let grants: Vec<StoredGrant> = store
        .query_grants(&query)?
        .into_iter()
        .filter(|grant| of_agent(grant) && (args.expired || !over(grant)))
        .collect();
    if args.json {
        for grant in &grants {
            let mut value =
                serde_json::to_value(grant).map_err(|error| CliError::internal(error.to_string()))?;
            if let Some(object) = value.as_object_mut() {
                object.insert("live".to_owned(), json!(grant.is_live(now, newest) && !over(grant)));
            }
            print::stdout_json(&print::Versioned::new(value))?;
        }
        return Ok(Exit::Done);
    }
    if grants.is_empty() {
        ctx.print_note("nothing is remembered");
        return Ok(Exit::Done);
    }
    let head = ["ID", "EFFECT", "FOR", "AGENT", "WHAT", "ENDS", "USED"].map(str::to_owned).to_vec();
    let rows = grants.iter().map(|grant| {
        vec![
            short_id(grant),
            grant.effect.to_string(),
            scope_text(grant),
            escape_line(grant.agent.as_str()),
            subject_text(grant),
            if over(grant) { "ended with its session".to_owned() } else { end_text(grant, now, newest) },
            usage_text(grant, now),
        ]
    });
    for line in print::align_columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>()) {
        print::stdout_line(line)?;
    }
    Ok(Exit::Done)
}

fn short_id(grant: &StoredGrant) -> String {
    let id: String = grant.id.to_string().chars().filter(char::is_ascii_hexdigit).collect();
    id.get(id.len().saturating_sub(6)..).unwrap_or_default().to_owned()
}

fn scope_text(grant: &StoredGrant) -> String {
    use mayi_core::grant::Scope;
    match grant.scope {
        Scope::Session => "session".to_owned(),
        Scope::Workspace => escape_line(grant.workspace.as_deref().unwrap_or("workspace")),
        Scope::User => "user".to_owned(),
    }
}

fn subject_text(grant: &StoredGrant) -> String {
    match (&grant.pattern, &grant.level) {
        (Some(pattern), _) => escape_line(pattern),
        (None, Some((server, level))) => {
            format!("mcp({}/*), level {}", escape_line(server), level.as_str())
        }
        (None, None) => "exactly one call".to_owned(),
    }
}

fn end_text(grant: &StoredGrant, now: Timestamp, newest: Option<Timestamp>) -> String {
    if let Some(at) = grant.revoked_at {
        return format!("revoked {} ago", elapsed_text(at, now));
    }
    if grant.uses_left == Some(0) {
        return "used up".to_owned();
    }
    let mut limits = Vec::new();
    match grant.expires_at {
        Some(at) if at <= now => return format!("ended {} ago", elapsed_text(at, now)),
        Some(at) => limits.push(format!("in {}", elapsed_text(now, at))),
        None => {}
    }
    if !grant.is_live(now, newest) {
        return "ended: the clock went back".to_owned();
    }
    limits.extend(grant.uses_left.map(|left| format!("after {left} more")));
    if limits.is_empty() { "-".to_owned() } else { limits.join(", ") }
}

fn usage_text(grant: &StoredGrant, now: Timestamp) -> String {
    match (grant.effect, grant.used, grant.used_at) {
        (Effect::Deny, ..) => "-".to_owned(),
        (_, 0, _) => "never".to_owned(),
        (_, count, Some(at)) => format!("{count}x, {} ago", elapsed_text(at, now)),
        (_, count, None) => format!("{count}x"),
    }
}

fn revoke_grants(args: &RevokeArgs, ctx: &Context) -> Result<Exit, CliError> {
    let Some(kept) = memory::open_for_changes(ctx)? else {
        return Err(CliError::usage("nothing is remembered"));
    };
    let WritableStore { store, writer } = kept;
    let now = Timestamp::now();
    let live = store.query_grants(&GrantQuery { live_at: Some(now), ..GrantQuery::default() })?;
    let mut chosen: Vec<&StoredGrant> = Vec::new();
    if args.id.is_empty() {
        chosen.extend(live.iter().filter(|grant| {
            args.all
                || args.agent.as_ref().is_some_and(|agent| same_agent(agent, &grant.agent))
                || args.server.as_deref().is_some_and(|server| grant.about_server() == Some(server))
        }));
    }
    for id in &args.id {
        chosen.push(find_grant(&live, id)?);
    }
    // A remembered denial that ends loosens: that is for a person, and so is the rest.
    crate::person::require_person(&*store)?;
    if chosen.is_empty() {
        ctx.print_note("nothing like that is remembered");
        return Ok(Exit::Done);
    }
    // An answer ends as a whole: the very call, and what it covers besides.
    let whole =
        live.iter().filter(|grant| chosen.iter().any(|one| one.id == grant.id || one.of_one_answer(grant)));
    let mut changes = Vec::new();
    for grant in whole {
        changes.push(Change::Revoke { id: grant.id, at: now });
        changes.push(Change::Append(writer.revoked_entry(grant, "mayi grants revoke", now)));
    }
    store.commit(changes)?;
    for grant in chosen {
        print::stderr_line(format!(
            "ended: {} {} ({})",
            grant.effect,
            subject_text(grant),
            escape_line(grant.agent.as_str())
        ));
    }
    Ok(Exit::Done)
}

fn find_grant<'a>(grants: &'a [StoredGrant], id: &str) -> Result<&'a StoredGrant, CliError> {
    let named = |grant: &&StoredGrant| {
        let whole = grant.id.to_string();
        let plain: String = whole.chars().filter(|c| *c != '-').collect();
        whole == id || (id.len() >= 4 && plain.ends_with(&id.to_ascii_lowercase()))
    };
    let found: Vec<&StoredGrant> = grants.iter().filter(named).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(CliError::usage(format!(
            "nothing that is remembered has the ID `{}`; `mayi grants` lists what is",
            escape_line(id)
        ))),
        _ => Err(CliError::usage(format!("`{}` names several; write more of the ID", escape_line(id)))),
    }
}
