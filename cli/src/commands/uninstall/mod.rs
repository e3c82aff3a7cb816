//! `mayi uninstall`: whatever mayi wrote into files of other programs is taken out of them again.

mod args;
mod extension;
mod files;
mod folder_contents;
mod leftovers;
mod own_folders;

use std::path::Path;

use mayi_core::approval::escape_line;
use mayi_core::store::present_in;

pub(super) use self::args::{AFTER, UninstallArgs};
use self::files::{PlannedChange, UninstallPlan};
use self::own_folders::OwnFolder;
use super::confirm::ask_to_confirm;
use super::settings::show_change;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{memory, person, print};

/// Does what `mayi uninstall` says.
///
/// # Errors
/// What a person has to be told before anything has changed.
pub(super) fn run(args: &UninstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    let program = crate::installed::current_program();
    if !args.dry_run {
        check_may_uninstall(args, ctx)?;
    }
    let name = program.as_deref().and_then(Path::to_str).unwrap_or("mayi").to_owned();
    let found = files::plan_changes(name, args.purge, ctx)?;
    for change in &found.changes {
        print_change(change, args, ctx);
    }
    let exit = take_out(found, args, ctx)?;
    if exit == Exit::Denied || exit == Exit::Interrupted {
        return Ok(exit);
    }
    let exit = if args.purge { purge_folders(program.as_deref(), exit, args, ctx)? } else { exit };
    leftovers::report_leftovers(program.as_deref(), ctx);
    Ok(exit)
}

/// Whether this is for whoever started it, and for now.
fn check_may_uninstall(args: &UninstallArgs, ctx: &Context) -> Result<(), CliError> {
    match memory::open_existing_store(ctx) {
        Ok(store) => store.iter().try_for_each(|store| person::refuse_agent(store))?,
        // Who wants to be rid of mayi may want that for this very reason.
        Err(error) if !args.yes => ctx.print_note(format!("note      {}", error.message_text())),
        Err(error) => return Err(error.with_alternative("leave out --yes, and confirm it at a terminal")),
    }
    // Also where there is no store yet, or none that can be read.
    let present = ctx.sources.folders.data.as_deref().map(present_in).transpose()?;
    let (owners, surfaces) = present.unwrap_or_default();
    let mut running: Vec<u32> =
        owners.into_iter().flat_map(|owner| [Some(owner.pid), owner.client]).flatten().collect();
    person::refuse_descendants_of(&running)?;
    running.extend(surfaces.into_iter().map(|owner| owner.pid));
    running.sort_unstable();
    running.dedup();
    if args.purge && !running.is_empty() {
        let pids: Vec<String> = running.iter().map(u32::to_string).collect();
        return Err(CliError::usage(format!(
            "mayi still runs, and would go on without its folders: end that first, by `kill {}` (an editor's backend ends by itself ten minutes after the last window)",
            pids.join(" ")
        )));
    }
    Ok(())
}

fn print_change(change: &PlannedChange, args: &UninstallArgs, ctx: &Context) {
    let name = change.settings.display_name();
    if !(args.yes && ctx.quiet) {
        show_change(&name, &change.shown.0, &change.shown.1, ctx);
    }
    ctx.print_note(format!("takes out {}", escape_line(&change.what.join(", "))));
    for remark in &change.remarks {
        ctx.print_note(format!("note      {remark}"));
    }
    if change.new.is_none() {
        ctx.print_note("note      nothing else is in the file: it goes");
    }
}

/// Asks once, and changes the files. What can't be changed is told at the end.
fn take_out(found: UninstallPlan, args: &UninstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    let UninstallPlan { changes, mut left } = found;
    let count = changes.len();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    if count == 0 {
        ctx.print_note(if left.is_empty() {
            "nothing has changed: mayi is in no settings of other programs"
        } else {
            "nothing has changed"
        });
    } else if args.dry_run {
        ctx.print_note(format!("nothing was written: {files} would change"));
    } else {
        if !args.yes {
            match ask_to_confirm(&format!("Take mayi out of {files}?"), "this change")? {
                Some(true) => {}
                answer => {
                    ctx.print_note("nothing has changed");
                    return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
                }
            }
        }
        for change in &changes {
            match change.apply(ctx) {
                Ok(()) => {
                    let word = if change.new.is_some() { "wrote  " } else { "removed" };
                    ctx.print_note(format!("{word}   {}", change.settings.display_name()));
                }
                Err(error) => left.push(error.message_text()),
            }
        }
        ctx.print_note("next      restart the programs whose settings these are");
    }
    // Not silenced by --quiet: a program that starts mayi fails once that is gone.
    for why in &left {
        print::stderr_line(format!("left      {why}"));
    }
    Ok(if left.is_empty() { Exit::Done } else { Exit::Config })
}

/// Deletes mayi's own folders, which are named first.
fn purge_folders(
    program: Option<&Path>,
    exit: Exit,
    args: &UninstallArgs,
    ctx: &Context,
) -> Result<Exit, CliError> {
    if exit != Exit::Done && !args.dry_run {
        print::stderr_line("mayi's own folders stay too: what is noted there helps to take out what is left");
        return Ok(exit);
    }
    let (mut kept, mut foreign, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for own in OwnFolder::list_existing(ctx) {
        match own.reason_to_keep(program.unwrap_or(Path::new("/"))) {
            Some(why) => kept.push(format!("left      {}: {why}", own.display_path())),
            None => {
                let contents = own.scan_contents();
                foreign.extend(contents.foreign.iter().map(|(path, why)| {
                    format!("left      {}: {why}", escape_line(&path.display().to_string()))
                }));
                if !contents.is_foreign() {
                    gone.push(own);
                }
            }
        }
    }
    // Also with --quiet and --yes: the record is never deleted without being named.
    for own in &gone {
        let word = if args.dry_run { "would go" } else { "deletes " };
        print::stderr_line(format!(
            "{word}  {}  {} ({}): {}",
            own.what,
            own.display_path(),
            own.size_text(),
            own.contents_description()
        ));
    }
    let mut failed = !kept.is_empty();
    kept.iter().chain(&foreign).for_each(print::stderr_line);
    if !foreign.is_empty() {
        print::stderr_line("          only what mayi made goes: move the rest away, or delete it yourself");
    }
    if gone.is_empty() {
        ctx.print_note("there is no folder of mayi's to delete");
    } else if !args.dry_run {
        let record = gone.iter().any(|own| own.what == "record");
        let question = if record {
            "Delete these folders, with the record of what happened? It can't be had back."
        } else {
            "Delete these folders? They can't be had back."
        };
        if !args.yes {
            match ask_to_confirm(question, "that mayi's folders are to be deleted")? {
                Some(true) => {}
                answer => {
                    ctx.print_note("mayi's own folders stay");
                    return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
                }
            }
        }
        for own in &gone {
            match own.delete_own_files() {
                Ok(()) => {
                    let all = own.path.symlink_metadata().is_err();
                    let rest = if all { "" } else { ", but for what is left" };
                    ctx.print_note(format!("deleted   {}{rest}", own.display_path()));
                }
                Err((path, error)) => {
                    failed = true;
                    let path = escape_line(&path.display().to_string());
                    print::stderr_line(format!("left      {path}: can't be deleted: {error}"));
                }
            }
        }
    }
    Ok(match exit {
        Exit::Done if failed => Exit::Internal,
        Exit::Done if !foreign.is_empty() => Exit::Config,
        exit => exit,
    })
}
