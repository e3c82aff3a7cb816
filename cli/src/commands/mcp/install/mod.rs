//! `mayi mcp install` and `uninstall`: the gateway in front of the servers that a client has, and away again.
//!
//! Only what has to change is changed, as splices of the file's text: the rest stays to the byte, comments and all.

mod args;
mod clients;
mod gated_entries;
mod jsonc;
mod list;
mod model;
mod plan;
mod removal;
#[cfg(test)]
mod tests;
mod text_pieces;
mod toml;
mod undo_notes;
mod unwrap;
mod wrap;

pub(super) use self::args::{AFTER, InstallArgs, UNINSTALL_AFTER};
use self::args::{ClientArg, ScopeArg};
pub(in crate::commands) use self::removal::Gateways;

use std::path::PathBuf;

use mayi_core::approval::escape_line;

use self::clients::{CLIENTS, Client};
use self::plan::{Plan, mask_values};
use self::undo_notes::UndoNotes;
use crate::commands::confirm::ask_to_confirm;
use crate::commands::own_executable;
use crate::commands::settings::{SettingsFile, show_change};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

/// In front of the servers, or away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Install,
    Uninstall,
}

pub(super) fn install(args: &InstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    change_settings(args, ctx, Direction::Install)
}

pub(super) fn uninstall(args: &InstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    change_settings(args, ctx, Direction::Uninstall)
}

fn find_client(arg: ClientArg) -> Result<&'static Client, CliError> {
    let found = CLIENTS.iter().find(|client| client.id == arg.id());
    found.ok_or_else(|| CliError::internal("this client is not in the table"))
}

fn change_settings(args: &InstallArgs, ctx: &Context, way: Direction) -> Result<Exit, CliError> {
    let mayi = own_executable()?;
    let Some(arg) = args.client else { return list::list_entries(args.json, &mayi, ctx) };
    let client = find_client(arg)?;
    let files = settings_files(client, args, ctx)?;
    let notes = UndoNotes::read(ctx)?;
    let mut plans: Vec<(&SettingsFile, Plan)> = Vec::new();
    let mut unknown: Vec<&String> = args.server.iter().collect();
    for file in &files {
        let entries = client.parse_entries(&file.text).map_err(|why| file.config_error(&why))?;
        unknown.retain(|name| !entries.iter().any(|entry| entry.name() == name.as_str()));
        let plan = match way {
            Direction::Install => plan::plan_install(client, &file.target, &file.text, &args.server, &mayi),
            Direction::Uninstall => {
                plan::plan_uninstall(client, &file.target, &file.text, &args.server, &notes.all, &mayi)
            }
        };
        plans.push((file, plan.map_err(|why| file.config_error(&why))?));
    }
    if let Some(name) = unknown.first() {
        return Err(CliError::usage(format!(
            "{} has no server `{}` there: `mayi mcp install` lists them",
            client.title,
            escape_line(name)
        )));
    }
    for (file, plan) in &plans {
        print_plan(client, file, plan, args, ctx);
    }
    plans.retain(|(_, plan)| !plan.changed.is_empty());
    let count: usize = plans.iter().map(|(_, plan)| plan.changed.len()).sum();
    let servers = format!("{count} server{} of {}", if count == 1 { "" } else { "s" }, client.title);
    if count == 0 {
        ctx.print_note(match way {
            Direction::Install => {
                format!("nothing has changed: no server of {} is to be put behind mayi", client.title)
            }
            Direction::Uninstall => {
                format!("nothing has changed: no server of {} stands behind mayi", client.title)
            }
        });
        return Ok(Exit::Done);
    }
    if args.dry_run {
        ctx.print_note(format!("nothing was written: {servers} would change"));
        return Ok(Exit::Done);
    }
    if !args.yes {
        let question = match way {
            Direction::Install => format!("Put mayi in front of {servers}?"),
            Direction::Uninstall => format!("Take mayi away from {servers}?"),
        };
        match ask_to_confirm(&question, "this change")? {
            Some(true) => {}
            answer => {
                ctx.print_note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    // Not while the person is asked: another mayi would wait for that answer.
    let mut notes = UndoNotes::read_locked(ctx)?;
    for (file, plan) in plans {
        // A note that nothing comes of does no harm; a change without one could not be taken back exactly.
        if way == Direction::Install {
            plan.keys.iter().for_each(|keys| notes.forget_entry(&file.target, keys));
            notes.all.extend(plan.notes);
            notes.write()?;
        }
        file.replace_text(&plan.new)?;
        if way == Direction::Uninstall {
            plan.keys.iter().for_each(|keys| notes.forget_entry(&file.target, keys));
            notes.write()?;
        }
        ctx.print_note(format!("wrote     {}", file.display_name()));
    }
    ctx.print_note(format!("next      restart {}, or have it load its servers anew", client.title));
    if way == Direction::Install {
        ctx.print_note(
            "          keep `mayi inbox watch` open in a terminal: questions come up there, or in VS Code's view mayi; \
             where neither is open they are denied",
        );
        ctx.print_note(format!(
            "          take it back with: mayi mcp uninstall {}{}",
            client.id,
            file_options(args)
        ));
    }
    Ok(Exit::Done)
}

/// The options that say which files, once more.
fn file_options(args: &InstallArgs) -> String {
    match (&args.file, args.scope) {
        (Some(file), _) => {
            let file = mayi_core::call::shell::quote_word(&file.display().to_string());
            format!(" --file {}", escape_line(&file))
        }
        (None, Some(ScopeArg::Project)) => " --scope project".to_owned(),
        _ => String::new(),
    }
}

/// The files that are meant, all of which are there.
fn settings_files(client: &Client, args: &InstallArgs, ctx: &Context) -> Result<Vec<SettingsFile>, CliError> {
    if let Some(file) = &args.file {
        return Ok(vec![SettingsFile::read(&std::path::absolute(file)?, None)?]);
    }
    let home = ctx.sources.folders.home.as_deref();
    let title = client.title;
    if args.scope == Some(ScopeArg::Project) {
        let files = client.project_files(&ctx.cwd, home);
        if files.is_empty() {
            let here = escape_line(&ctx.cwd.display().to_string());
            return Err(CliError::usage(format!(
                "no settings of {title} were found in {here}: name the --file"
            )));
        }
        // Where a link may lead: into the same repository.
        let top = ctx.cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let top = top.unwrap_or(&ctx.cwd);
        return files.iter().map(|file| SettingsFile::read(file, Some(top))).collect();
    }
    let places: Vec<PathBuf> = client.own_files(&ctx.sources.folders);
    let files: Vec<PathBuf> = places.iter().filter(|file| file.symlink_metadata().is_ok()).cloned().collect();
    if files.is_empty() {
        let places: Vec<String> =
            places.iter().map(|file| escape_line(&file.display().to_string())).collect();
        // Not every client has files of projects.
        let project = if client.project.is_empty() { "" } else { ", or say --scope project" };
        return Err(CliError::usage(format!(
            "no settings of {title} were found for you (looked for {}): name the --file{project}",
            places.join(", ")
        )));
    }
    let read = files.iter().map(|file| SettingsFile::read(file, None)).collect::<Result<Vec<_>, _>>()?;
    // Two names of one file are one file.
    let mut once: Vec<SettingsFile> = Vec::new();
    for file in read {
        if !once.iter().any(|other| other.target == file.target) {
            once.push(file);
        }
    }
    Ok(once)
}

/// Shows what becomes of a file.
fn print_plan(client: &Client, file: &SettingsFile, plan: &Plan, args: &InstallArgs, ctx: &Context) {
    // Not silenced by --quiet: a server that goes on without the gateway is worth knowing.
    for (server, why) in &plan.left_alone {
        print::stderr_line(format!("left alone {server}: {why}"));
    }
    for server in &plan.already_gated {
        ctx.print_note(format!("gated      {server}"));
    }
    if plan.changed.is_empty() {
        return;
    }
    if !(args.yes && ctx.quiet) {
        let name = file.display_name();
        let (old, new) = (mask_values(client, &file.text), mask_values(client, &plan.new));
        show_change(&name, &old, &new, ctx);
    }
    for (server, why) in &plan.remarks {
        ctx.print_note(format!("note      {server}: {why}"));
    }
    if args.scope == Some(ScopeArg::Project) {
        ctx.print_note("note      others who work in this project need mayi in the same place");
    }
}
