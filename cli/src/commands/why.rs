//! `mayi why`: whether a place may be read, written or reached, by a file tool and by a confined command, and by which rule.

use std::net::IpAddr;
use std::path::Path;

use clap::Args;
use mayi_check::{CheckedCall, Checker, Request, RequestedAction};
use mayi_core::approval::escape_line;
use mayi_core::call::{Access, AgentId, UrlAccess, WriteKind};
use mayi_core::policy::{Decision, Mode};
use serde_json::json;

use super::check::finding_lines;
use super::sandbox;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::mode_value_parser;
use crate::print;

pub(super) const AFTER: &str = "\
WHAT is a path, a host or an address. What is there is a path, and so is what begins with `.`, `/` or `~`, or has a slash in it.

Examples:
  mayi why .env
  mayi why docs.rs
  mayi why https://example.org/x --agent claude

Exit codes: 0, whatever may be done";

/// `mayi why`
#[derive(Clone, Debug, Args)]
pub(crate) struct WhyArgs {
    /// The path or host
    #[arg(value_name = "WHAT")]
    pub what: String,
    /// As if this agent wanted it
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// As in this mode
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser())]
    pub mode: Option<Mode>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

pub(super) fn run(args: &WhyArgs, ctx: &Context) -> Result<Exit, CliError> {
    if args.what.trim().is_empty() {
        return Err(CliError::usage("name a path or a host"));
    }
    let address = address_in(&args.what, &ctx.cwd);
    let actions = match &address {
        Some(url) => vec![RequestedAction::Fetch(url.href.clone())],
        None => {
            let path = || args.what.clone();
            vec![RequestedAction::Read(path()), RequestedAction::Write(WriteKind::Write, path())]
        }
    };
    let mut checker = Checker::new(ctx.sources.clone(), ctx.cwd_named);
    let (mut decided, mut place) = (Vec::new(), None);
    for action in actions {
        let kind = action.to_string().split(' ').next().unwrap_or_default().to_owned();
        let request = Request { agent: args.agent.clone(), ..Request::new(action) };
        let CheckedCall { decision, call, .. } = checker.check_request(&request)?;
        if let Some(Access::Read(path)) = call.accesses.first() {
            place = Some(path.resolved.clone());
        }
        decided.push((kind, decision));
    }
    let held = match (&address, place) {
        (Some(url), _) => held_host(url),
        (None, place) => held_path(&place.unwrap_or_else(|| ctx.cwd.join(&args.what)), args, ctx)?,
    };
    if args.json {
        let decided: Vec<_> =
            decided.iter().map(|(kind, decision)| json!({ "kind": kind, "decision": decision })).collect();
        let shown = json!({ "version": 1, "what": args.what, "decided": decided, "confined": held });
        print::stdout_json(&shown)?;
        return Ok(Exit::Done);
    }
    for (kind, decision) in &decided {
        print_decision(kind, decision, ctx)?;
    }
    print::stdout_line(format!("in a confined command: {}", escape_line(&held)))?;
    Ok(Exit::Done)
}

fn print_decision(kind: &str, decision: &Decision, ctx: &Context) -> Result<(), CliError> {
    print::stdout_line(format!("{kind}: {}", decision.effect))?;
    for line in finding_lines(&decision.trail) {
        print::stdout_line(line.paint(ctx.is_stdout_colored()))?;
    }
    Ok(())
}

/// The address that is meant, where it is none of a file.
fn address_in(what: &str, cwd: &Path) -> Option<UrlAccess> {
    if what.contains("://") {
        return UrlAccess::parse(what).ok();
    }
    let is_path = what.starts_with(['.', '/', '~']) || what.contains('/') || cwd.join(what).exists();
    let name = what.rsplit_once(':').map_or(what, |(name, _)| name);
    let is_host = name.contains('.') || name == "localhost" || what.parse::<IpAddr>().is_ok();
    let url = || UrlAccess::parse(&format!("https://{what}/")).ok().filter(|url| !url.unsound);
    (!is_path && is_host).then(url).flatten()
}

fn held_host(url: &UrlAccess) -> String {
    format!(
        "{} is reached as decided above, by mayi's proxy, where the full tier holds the command; else nothing is",
        url.host
    )
}

/// What becomes of a path in a profile of this folder.
fn held_path(path: &Path, args: &WhyArgs, ctx: &Context) -> Result<String, CliError> {
    let loaded = ctx.load()?;
    let agent = args.agent.as_deref().map_or_else(|| AgentId::anonymous_at_door("exec"), AgentId::from_name);
    let mode = loaded.policy.mode_of(&agent, args.mode);
    let derived = sandbox::derived_here(&loaded, mode, &agent, ctx);
    Ok(derived.profile.tell(path))
}
