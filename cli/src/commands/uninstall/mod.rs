//! `mayi uninstall`: whatever mayi wrote into files of other programs is taken out of them again.

mod args;
mod contents;
mod extension;
mod files;
mod own;
mod stays;

use std::path::Path;

use mayi_core::approval::visible;
use mayi_core::store::present_in;

pub(super) use self::args::{AFTER, UninstallArgs};
use self::files::{Change, Found};
use self::own::Own;
use super::confirm::confirmed;
use super::settings::show_change;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{memory, person, print};

/// Does what `mayi uninstall` says.
///
/// # Errors
/// What a person has to be told before anything has changed.
pub(super) fn uninstall(args: &UninstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    let program = crate::installed::program();
    if !args.dry_run {
        may(args, ctx)?;
    }
    let name = program.as_deref().and_then(Path::to_str).unwrap_or("mayi").to_owned();
    let found = files::find(name, args.purge, ctx)?;
    for change in &found.changes {
        show(change, args, ctx);
    }
    let exit = take_out(found, args, ctx)?;
    if exit == Exit::Denied || exit == Exit::Interrupted {
        return Ok(exit);
    }
    let exit = if args.purge { purge(program.as_deref(), exit, args, ctx)? } else { exit };
    stays::tell(program.as_deref(), ctx);
    Ok(exit)
}

/// Whether this is for whoever started it, and for now.
fn may(args: &UninstallArgs, ctx: &Context) -> Result<(), CliError> {
    match memory::existing(ctx) {
        Ok(_) => {}
        // Who wants to be rid of mayi may want that for this very reason.
        Err(error) if !args.yes => ctx.note(format!("note      {}", error.text())),
        Err(error) => return Err(error.or("leave out --yes, and confirm it at a terminal")),
    }
    // Also where there is no store yet, or none that can be read.
    let present = ctx.sources.folders.data.as_deref().map(present_in).transpose()?;
    let (owners, surfaces) = present.unwrap_or_default();
    let mut running: Vec<u32> =
        owners.into_iter().flat_map(|owner| [Some(owner.pid), owner.client]).flatten().collect();
    person::is_outside(&running)?;
    running.extend(surfaces.into_iter().map(|owner| owner.pid));
    running.sort_unstable();
    running.dedup();
    if args.purge && !running.is_empty() {
        let pids: Vec<String> = running.iter().map(u32::to_string).collect();
        return Err(CliError::usage(format!(
            "mayi still runs, and would go on without its folders: end it first (pid {})",
            pids.join(", ")
        )));
    }
    Ok(())
}

fn show(change: &Change, args: &UninstallArgs, ctx: &Context) {
    let name = change.settings.shown();
    if !(args.yes && ctx.quiet) {
        show_change(&name, &change.shown.0, &change.shown.1, ctx);
    }
    ctx.note(format!("takes out {}", visible(&change.what.join(", "))));
    for remark in &change.remarks {
        ctx.note(format!("note      {remark}"));
    }
    if change.new.is_none() {
        ctx.note("note      nothing else is in the file: it goes");
    }
}

/// Asks once, and changes the files. What can't be changed is told at the end.
fn take_out(found: Found, args: &UninstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    let Found { changes, mut left } = found;
    let count = changes.len();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    if count == 0 {
        ctx.note(if left.is_empty() {
            "nothing has changed: mayi is in no settings of other programs"
        } else {
            "nothing has changed"
        });
    } else if args.dry_run {
        ctx.note(format!("nothing was written: {files} would change"));
    } else {
        if !args.yes {
            match confirmed(&format!("Take mayi out of {files}?"), "this change")? {
                Some(true) => {}
                answer => {
                    ctx.note("nothing has changed");
                    return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
                }
            }
        }
        for change in &changes {
            match change.make(ctx) {
                Ok(()) => {
                    let word = if change.new.is_some() { "wrote  " } else { "removed" };
                    ctx.note(format!("{word}   {}", change.settings.shown()));
                }
                Err(error) => left.push(error.text()),
            }
        }
        ctx.note("next      restart the programs whose settings these are");
    }
    // Not silenced by --quiet: a program that starts mayi fails once that is gone.
    for why in &left {
        print::note(format!("left      {why}"));
    }
    Ok(if left.is_empty() { Exit::Done } else { Exit::Config })
}

/// Deletes mayi's own folders, which are named first.
fn purge(program: Option<&Path>, exit: Exit, args: &UninstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    if exit != Exit::Done && !args.dry_run {
        print::note("mayi's own folders stay too: what is noted there helps to take out what is left");
        return Ok(exit);
    }
    let (mut kept, mut foreign, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for own in Own::all(ctx) {
        match own.kept_since(program.unwrap_or(Path::new("/"))) {
            Some(why) => kept.push(format!("left      {}: {why}", own.shown())),
            None => {
                let contents = own.contents();
                foreign.extend(
                    contents.foreign.iter().map(|(path, why)| {
                        format!("left      {}: {why}", visible(&path.display().to_string()))
                    }),
                );
                if !contents.is_foreign() {
                    gone.push(own);
                }
            }
        }
    }
    // Also with --quiet and --yes: the record is never deleted without being named.
    for own in &gone {
        let word = if args.dry_run { "would go" } else { "deletes " };
        print::note(format!("{word}  {}  {} ({}): {}", own.what, own.shown(), own.size(), own.holds()));
    }
    let mut failed = !kept.is_empty();
    kept.iter().chain(&foreign).for_each(print::note);
    if !foreign.is_empty() {
        print::note("          only what mayi made goes: move the rest away, or delete it yourself");
    }
    if gone.is_empty() {
        ctx.note("there is no folder of mayi's to delete");
    } else if !args.dry_run {
        let record = gone.iter().any(|own| own.what == "record");
        let question = if record {
            "Delete these folders, with the record of what happened? It can't be had back."
        } else {
            "Delete these folders? They can't be had back."
        };
        if !args.yes {
            match confirmed(question, "that mayi's folders are to be deleted")? {
                Some(true) => {}
                answer => {
                    ctx.note("mayi's own folders stay");
                    return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
                }
            }
        }
        for own in &gone {
            match own.delete() {
                Ok(()) => {
                    let all = own.path.symlink_metadata().is_err();
                    let rest = if all { "" } else { ", but for what is left" };
                    ctx.note(format!("deleted   {}{rest}", own.shown()));
                }
                Err((path, error)) => {
                    failed = true;
                    let path = visible(&path.display().to_string());
                    print::note(format!("left      {path}: can't be deleted: {error}"));
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
