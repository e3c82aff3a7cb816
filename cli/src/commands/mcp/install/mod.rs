//! `mayi mcp install` and `uninstall`: the gateway in front of the servers that a client has, and away again.
//!
//! Only what has to change is changed, as splices of the file's text: the rest stays to the byte, comments and all.

mod args;
mod clients;
mod gated;
mod jsonc;
mod list;
mod model;
mod pieces;
mod plan;
mod takeout;
#[cfg(test)]
mod tests;
mod toml;
mod undo;
mod unwrap;
mod wrap;

pub(super) use self::args::{AFTER, InstallArgs, UNINSTALL_AFTER};
use self::args::{ClientArg, ScopeArg};
pub(in crate::commands) use self::takeout::Gateways;

use std::path::PathBuf;

use mayi_core::approval::visible;

use self::clients::{CLIENTS, Client};
use self::plan::{Plan, masked};
use self::undo::Notes;
use crate::commands::confirm::confirmed;
use crate::commands::own_place;
use crate::commands::settings::{Settings, show_change};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

/// In front of the servers, or away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

pub(super) fn install(args: &InstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    change(args, ctx, Way::In)
}

pub(super) fn uninstall(args: &InstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    change(args, ctx, Way::Out)
}

fn client(arg: ClientArg) -> Result<&'static Client, CliError> {
    let found = CLIENTS.iter().find(|client| client.id == arg.id());
    found.ok_or_else(|| CliError::internal("this client is not in the table"))
}

fn change(args: &InstallArgs, ctx: &Context, way: Way) -> Result<Exit, CliError> {
    let mayi = own_place()?;
    let Some(arg) = args.client else { return list::list(args.json, &mayi, ctx) };
    let client = client(arg)?;
    let files = files(client, args, ctx)?;
    let notes = Notes::read(ctx)?;
    let mut plans: Vec<(&Settings, Plan)> = Vec::new();
    let mut unknown: Vec<&String> = args.server.iter().collect();
    for file in &files {
        let entries = client.entries(&file.text).map_err(|why| file.wrong(&why))?;
        unknown.retain(|name| !entries.iter().any(|entry| entry.name() == name.as_str()));
        let plan = match way {
            Way::In => plan::install(client, &file.target, &file.text, &args.server, &mayi),
            Way::Out => plan::uninstall(client, &file.target, &file.text, &args.server, &notes.all, &mayi),
        };
        plans.push((file, plan.map_err(|why| file.wrong(&why))?));
    }
    if let Some(name) = unknown.first() {
        return Err(CliError::usage(format!(
            "{} has no server `{}` there: `mayi mcp install` lists them",
            client.title,
            visible(name)
        )));
    }
    for (file, plan) in &plans {
        show(client, file, plan, args, ctx);
    }
    plans.retain(|(_, plan)| !plan.changed.is_empty());
    let count: usize = plans.iter().map(|(_, plan)| plan.changed.len()).sum();
    let servers = format!("{count} server{} of {}", if count == 1 { "" } else { "s" }, client.title);
    if count == 0 {
        ctx.note(match way {
            Way::In => format!("nothing has changed: no server of {} is to be put behind mayi", client.title),
            Way::Out => format!("nothing has changed: no server of {} stands behind mayi", client.title),
        });
        return Ok(Exit::Done);
    }
    if args.dry_run {
        ctx.note(format!("nothing was written: {servers} would change"));
        return Ok(Exit::Done);
    }
    if !args.yes {
        let question = match way {
            Way::In => format!("Put mayi in front of {servers}?"),
            Way::Out => format!("Take mayi away from {servers}?"),
        };
        match confirmed(&question, "this change")? {
            Some(true) => {}
            answer => {
                ctx.note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    // Not while the person is asked: another mayi would wait for that answer.
    let mut notes = Notes::hold(ctx)?;
    for (file, plan) in plans {
        // A note that nothing comes of does no harm; a change without one could not be taken back exactly.
        if way == Way::In {
            plan.keys.iter().for_each(|keys| notes.forget(&file.target, keys));
            notes.all.extend(plan.notes);
            notes.write()?;
        }
        file.replace(&plan.new)?;
        if way == Way::Out {
            plan.keys.iter().for_each(|keys| notes.forget(&file.target, keys));
            notes.write()?;
        }
        ctx.note(format!("wrote     {}", file.shown()));
    }
    ctx.note(format!("next      restart {}, or have it load its servers anew", client.title));
    if way == Way::In {
        ctx.note(format!("          take it back with: mayi mcp uninstall {}{}", client.id, which(args)));
    }
    Ok(Exit::Done)
}

/// The options that say which files, once more.
fn which(args: &InstallArgs) -> String {
    match (&args.file, args.scope) {
        (Some(file), _) => {
            let file = mayi_core::call::shell::quote(&file.display().to_string());
            format!(" --file {}", visible(&file))
        }
        (None, Some(ScopeArg::Project)) => " --scope project".to_owned(),
        _ => String::new(),
    }
}

/// The files that are meant, all of which are there.
fn files(client: &Client, args: &InstallArgs, ctx: &Context) -> Result<Vec<Settings>, CliError> {
    if let Some(file) = &args.file {
        return Ok(vec![Settings::read(&std::path::absolute(file)?, None)?]);
    }
    let home = ctx.sources.folders.home.as_deref();
    let title = client.title;
    if args.scope == Some(ScopeArg::Project) {
        let files = client.project_files(&ctx.cwd, home);
        if files.is_empty() {
            let here = visible(&ctx.cwd.display().to_string());
            return Err(CliError::usage(format!(
                "no settings of {title} were found in {here}: name the --file"
            )));
        }
        // Where a link may lead: into the same repository.
        let top = ctx.cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let top = top.unwrap_or(&ctx.cwd);
        return files.iter().map(|file| Settings::read(file, Some(top))).collect();
    }
    let mut files: Vec<PathBuf> = client.own_files(&ctx.sources.folders);
    files.retain(|file| file.symlink_metadata().is_ok());
    if files.is_empty() {
        return Err(CliError::usage(format!(
            "no settings of {title} were found for you: name the --file, or say --scope project"
        )));
    }
    let read = files.iter().map(|file| Settings::read(file, None)).collect::<Result<Vec<_>, _>>()?;
    // Two names of one file are one file.
    let mut once: Vec<Settings> = Vec::new();
    for file in read {
        if !once.iter().any(|other| other.target == file.target) {
            once.push(file);
        }
    }
    Ok(once)
}

/// Shows what becomes of a file.
fn show(client: &Client, file: &Settings, plan: &Plan, args: &InstallArgs, ctx: &Context) {
    // Not silenced by --quiet: a server that goes on without the gateway is worth knowing.
    for (server, why) in &plan.left {
        print::note(format!("left alone {server}: {why}"));
    }
    for server in &plan.already {
        ctx.note(format!("gated      {server}"));
    }
    if plan.changed.is_empty() {
        return;
    }
    if !(args.yes && ctx.quiet) {
        let name = file.shown();
        let (old, new) = (masked(client, &file.text), masked(client, &plan.new));
        show_change(&name, &old, &new, ctx);
    }
    for (server, why) in &plan.besides {
        ctx.note(format!("note      {server}: {why}"));
    }
    if args.scope == Some(ScopeArg::Project) {
        ctx.note("note      others who work in this project need mayi in the same place");
    }
}
