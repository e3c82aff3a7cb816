//! Lists what can be undone, asks, and undoes it.

use std::path::PathBuf;

use jiff::Timestamp;
use mayi_core::approval::escape_line;
use mayi_snapshot::{Changes, Outcome, Plan, Selection, Since, Snapshot, SnapshotError, Snapshots, What};

use super::UndoArgs;
use super::show::{self, short_id};
use crate::commands::confirm::ask_to_confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::store_folder;

/// The snapshots, within the folder of the record.
const FOLDER: &str = "snapshots";

/// Where snapshots are kept.
///
/// # Errors
/// If there is no home folder.
pub(crate) fn folder(ctx: &Context) -> Result<PathBuf, CliError> {
    Ok(store_folder(ctx)?.join(FOLDER))
}

impl From<SnapshotError> for CliError {
    fn from(error: SnapshotError) -> Self {
        Self::internal(escape_line(&error.to_string()))
    }
}

/// Lists what can be undone, or undoes it.
///
/// # Errors
/// If it is no person who wants that, nobody is there to confirm it, or the snapshots can't be used.
pub(crate) fn run(args: &UndoArgs, ctx: &Context) -> Result<Exit, CliError> {
    // What an agent did is the person's to take back, and so is what the person did since.
    crate::person::refuse_agent_to_loosen(ctx)?;
    let snapshots = Snapshots::open_existing(folder(ctx)?)?;
    let all = snapshots.as_ref().map(Snapshots::list).transpose()?.unwrap_or_default();
    if args.list {
        return show::list(&all, args.json, ctx);
    }
    let wanted = match &args.id {
        Some(id) => Some(find(&all, id)?),
        None => last_here(&all, ctx),
    };
    let (Some(snapshots), Some(snapshot)) = (&snapshots, wanted) else {
        return show::nothing(args.json, ctx);
    };
    let changes = snapshots.changes(snapshot.id)?;
    let mut selection =
        Selection { paths: selected(args, ctx)?, remove_created: args.created, force: args.force };
    let plan = selection.plan(&changes);
    if !args.json {
        show::changes(snapshots, snapshot, (&changes, &plan), args, ctx)?;
    }
    let idle = plan.restore.is_empty() && plan.remove.is_empty() && !has_created(&plan, &changes, args);
    if args.dry_run || idle {
        if args.json {
            show::planned(snapshot, &changes, &plan)?;
        }
        return Ok(Exit::Done);
    }
    if !args.yes
        && let Some(exit) = confirm(&mut selection, &changes, args, ctx)?
    {
        return Ok(exit);
    }
    let label = format!("mayi undo {}", short_id(snapshot.id));
    let undone = snapshots.undo(snapshot.id, &selection, &label)?;
    show::undone(snapshot, &undone, args.json, ctx)?;
    Ok(if undone.failed.is_empty() { Exit::Done } else { Exit::Internal })
}

/// Whether there is something to ask about besides what is restored.
fn has_created(plan: &Plan<'_>, changes: &Changes, args: &UndoArgs) -> bool {
    !args.yes
        && !args.json
        && changes.list.iter().any(|change| {
            change.what == What::Created
                && (change.since == Since::Command || args.force)
                && plan.left.iter().any(|left| left.path == change.path)
        })
}

/// Asks about what is restored, and then about what was created. Some: nothing is to be done.
fn confirm(
    selection: &mut Selection,
    changes: &Changes,
    args: &UndoArgs,
    ctx: &Context,
) -> Result<Option<Exit>, CliError> {
    let plan = selection.plan(changes);
    let (restores, removes) = (plan.restore.len(), plan.remove.len());
    let mut agreed = false;
    if restores + removes > 0 {
        let question = match (restores, removes) {
            (_, 0) => format!("Restore {restores}?"),
            (0, _) => format!("Remove {removes} that were created?"),
            _ => format!("Restore {restores}, and remove {removes} that were created?"),
        };
        match ask_to_confirm(&question, "that files are replaced")? {
            Some(true) => agreed = true,
            answer => return Ok(Some(refuse(answer, ctx))),
        }
    }
    let wide = Selection { remove_created: true, ..selection.clone() };
    let created = wide.plan(changes).remove.len();
    if !args.created && created > 0 {
        let question = format!("Remove {created} that were created?");
        match ask_to_confirm(&question, "that files are removed")? {
            Some(true) => *selection = wide,
            Some(false) if agreed => {}
            answer => return Ok(Some(refuse(answer, ctx))),
        }
    }
    Ok(None)
}

fn refuse(answer: Option<bool>, ctx: &Context) -> Exit {
    ctx.print_note("nothing has changed");
    if answer.is_none() { Exit::Interrupted } else { Exit::Denied }
}

/// The last command here that changed something, and was not undone.
fn last_here<'a>(all: &'a [Snapshot], ctx: &Context) -> Option<&'a Snapshot> {
    let here = |snapshot: &Snapshot| {
        snapshot.roots.iter().any(|root| ctx.cwd.starts_with(root) || root.starts_with(&ctx.cwd))
    };
    let undone = |snapshot: &Snapshot| all.iter().any(|other| other.undo_of == Some(snapshot.id));
    all.iter().find(|snapshot| {
        snapshot.undo_of.is_none()
            && snapshot.outcome != Outcome::Finished { changed: 0 }
            && here(snapshot)
            && !undone(snapshot)
    })
}

fn find<'a>(all: &'a [Snapshot], id: &str) -> Result<&'a Snapshot, CliError> {
    let named = |snapshot: &&Snapshot| {
        let whole = snapshot.id.to_string();
        let plain: String = whole.chars().filter(|c| *c != '-').collect();
        whole == id || (id.len() >= 4 && plain.ends_with(&id.to_ascii_lowercase()))
    };
    let found: Vec<&Snapshot> = all.iter().filter(named).collect();
    let id = escape_line(id);
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(CliError::usage(format!(
            "no command that can be undone has the ID `{id}`; `mayi undo --list` lists them"
        ))),
        _ => Err(CliError::usage(format!("`{id}` names several; write more of the ID"))),
    }
}

/// The paths that were named, as the snapshot has them: what they lie in is followed, and they themselves are not.
fn selected(args: &UndoArgs, ctx: &Context) -> Result<Vec<PathBuf>, CliError> {
    let whole = |path: &PathBuf| {
        let path = ctx.cwd.join(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.canonicalize();
        };
        // It may be gone, and what it lies in, too.
        Ok(folder.canonicalize().map_or_else(|_| path.clone(), |folder| folder.join(name)))
    };
    args.paths.iter().map(|path| whole(path).map_err(CliError::from)).collect()
}

/// How long ago something was, in short.
pub(super) fn age_text(snapshot: &Snapshot) -> String {
    let taken = Timestamp::try_from(snapshot.taken_at).unwrap_or_default();
    crate::commands::inbox::elapsed_text(taken, Timestamp::now())
}
