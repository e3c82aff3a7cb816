//! What `mayi undo` prints.

use mayi_core::approval::{escape_block, escape_line};
use mayi_core::call::is_secret_by_name;
use mayi_snapshot::{Changes, LeftOut, Outcome, Plan, Since, Snapshot, SnapshotId, Snapshots, Undone, What};
use serde_json::{Value, json};

use super::UndoArgs;
use super::take_back::age_text;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::record_redactor;
use crate::print;

/// Maximum number of changes that are shown without `-v`.
const MOST: usize = 40;

/// The end of an ID: what a person types.
pub(super) fn short_id(id: SnapshotId) -> String {
    let id: String = id.to_string().chars().filter(char::is_ascii_hexdigit).collect();
    id.get(id.len().saturating_sub(6)..).unwrap_or_default().to_owned()
}

/// Says that nothing can be undone.
pub(super) fn nothing(as_json: bool, ctx: &Context) -> Result<Exit, CliError> {
    if as_json {
        print::stdout_json(&json!({ "version": 1, "id": null }))?;
    } else {
        ctx.print_note("there is nothing to undo here: `mayi undo --list` says what there is elsewhere");
    }
    Ok(Exit::Done)
}

/// All that can be undone, the newest first.
pub(super) fn list(all: &[Snapshot], as_json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let shown = all.iter().filter(|snapshot| snapshot.outcome != Outcome::Finished { changed: 0 });
    if as_json {
        for snapshot in shown {
            let mut value = head(snapshot);
            if let Value::Object(members) = &mut value {
                let roots: Vec<_> = snapshot.roots.iter().map(|root| root.to_string_lossy()).collect();
                members.insert("folders".to_owned(), json!(roots));
                members.insert("changed".to_owned(), json!(changed(snapshot)));
                members.insert("entries".to_owned(), json!(snapshot.entries));
                members.insert("bytes".to_owned(), json!(snapshot.bytes));
                members.insert("notKept".to_owned(), json!(snapshot.left_out_count));
            }
            print::stdout_json(&value)?;
        }
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = shown.map(row).collect();
    if rows.is_empty() {
        ctx.print_note("there is nothing to undo");
        return Ok(Exit::Done);
    }
    let names = ["ID", "AGO", "CHANGED", "FOLDER", "COMMAND"].map(str::to_owned).to_vec();
    for line in print::align_columns(&std::iter::once(names).chain(rows).collect::<Vec<_>>()) {
        print::stdout_line(line)?;
    }
    Ok(Exit::Done)
}

fn row(snapshot: &Snapshot) -> Vec<String> {
    let folder = snapshot.roots.first().map(|root| escape_line(&root.to_string_lossy())).unwrap_or_default();
    let more = snapshot.roots.len().saturating_sub(1);
    vec![
        short_id(snapshot.id),
        age_text(snapshot),
        changed(snapshot).map_or_else(|| "not known".to_owned(), |changed| changed.to_string()),
        if more > 0 { format!("{folder} and {more} more") } else { folder },
        escape_line(&snapshot.label),
    ]
}

fn changed(snapshot: &Snapshot) -> Option<usize> {
    match snapshot.outcome {
        Outcome::Finished { changed } => Some(changed),
        Outcome::Unfinished => None,
    }
}

fn head(snapshot: &Snapshot) -> Value {
    let taken = jiff::Timestamp::try_from(snapshot.taken_at).unwrap_or_default();
    json!({
        "version": 1, "id": snapshot.id.to_string(), "command": snapshot.label, "takenAt": taken.to_string(),
        "undoOf": snapshot.undo_of.map(|id| id.to_string()),
    })
}

/// What is different, and what would be done about it.
pub(super) fn changes(
    snapshots: &Snapshots,
    snapshot: &Snapshot,
    (changes, plan): (&Changes, &Plan<'_>),
    args: &UndoArgs,
    ctx: &Context,
) -> Result<(), CliError> {
    let redactor = record_redactor(&ctx.load().map(|loaded| loaded.record).unwrap_or_default());
    let redactor = redactor.map_err(CliError::internal)?;
    let label = escape_line(&snapshot.label);
    print::stdout_line(format!("{}  {} ago  {label}", short_id(snapshot.id), age_text(snapshot)))?;
    if snapshot.outcome == Outcome::Unfinished {
        print::stdout_line(
            "its end was not seen: what it changed can't be told from what others did (--force)",
        )?;
    }
    let base = |path: &std::path::Path| {
        let path = path.strip_prefix(&ctx.cwd).unwrap_or(path);
        escape_line(&path.to_string_lossy())
    };
    let most = if ctx.verbose { usize::MAX } else { MOST };
    for change in changes.list.iter().take(most) {
        let word = match change.what {
            What::Created => "created",
            What::Changed => "changed",
            What::Deleted => "deleted",
        };
        let left =
            plan.left.iter().find(|left| left.path == change.path).map(|left| format!("  ({})", left.why));
        let skipped = !plan.restore.iter().chain(&plan.remove).any(|done| done.path == change.path);
        let why = left.or_else(|| skipped.then(|| "  (not selected)".to_owned())).unwrap_or_default();
        print::stdout_line(format!("  {word}  {}{why}", base(&change.path)))?;
        if !args.diff {
            continue;
        }
        let name = change.path.file_name().unwrap_or_default().to_string_lossy();
        if is_secret_by_name(&name) {
            print::stdout_line("    not shown: it is called as files with secrets are")?;
        } else if let Some(text) = snapshots.text_diff(snapshot.id, change)? {
            for line in redactor.redact(&text).lines() {
                print::stdout_line(format!("    {}", escape_block(line)))?;
            }
        }
    }
    let more = changes.list.len().saturating_sub(most);
    if more > 0 {
        print::stdout_line(format!("  and {more} more (-v)"))?;
    }
    if changes.truncated {
        print::stdout_line("  and more that was created: not all of it was looked at")?;
    }
    if changes.list.is_empty() {
        print::stdout_line("  nothing is different from before it ran")?;
    }
    Ok(())
}

fn places(left: &[LeftOut]) -> Vec<Value> {
    left.iter().map(|left| json!({ "path": left.path.to_string_lossy(), "why": left.why })).collect()
}

/// What would be done.
pub(super) fn planned(snapshot: &Snapshot, changes: &Changes, plan: &Plan<'_>) -> Result<(), CliError> {
    let list = changes.list.iter().map(|change| {
        let what = match change.what {
            What::Created => "created",
            What::Changed => "changed",
            What::Deleted => "deleted",
        };
        let since = match change.since {
            Since::Command => "command",
            Since::Later => "later",
            Since::Unknown => "unknown",
        };
        json!({ "path": change.path.to_string_lossy(), "what": what, "by": since })
    });
    let paths = |list: &[&mayi_snapshot::Change]| {
        list.iter().map(|change| change.path.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let mut value = head(snapshot);
    if let Value::Object(members) = &mut value {
        members.insert("changes".to_owned(), list.collect());
        members.insert("truncated".to_owned(), json!(changes.truncated));
        members.insert("restore".to_owned(), json!(paths(&plan.restore)));
        members.insert("remove".to_owned(), json!(paths(&plan.remove)));
        members.insert("left".to_owned(), json!(places(&plan.left)));
    }
    print::stdout_json(&value)?;
    Ok(())
}

/// What was done.
pub(super) fn undone(
    snapshot: &Snapshot,
    undone: &Undone,
    as_json: bool,
    ctx: &Context,
) -> Result<(), CliError> {
    if as_json {
        let paths = |list: &[std::path::PathBuf]| {
            list.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let mut value = head(snapshot);
        if let Value::Object(members) = &mut value {
            members.insert("restored".to_owned(), json!(paths(&undone.restored)));
            members.insert("removed".to_owned(), json!(paths(&undone.removed)));
            members.insert("left".to_owned(), json!(places(&undone.left)));
            members.insert("failed".to_owned(), json!(places(&undone.failed)));
            members.insert("redo".to_owned(), json!(undone.redo.map(|id| id.to_string())));
        }
        print::stdout_json(&value)?;
        return Ok(());
    }
    for LeftOut { path, why } in &undone.failed {
        let path = escape_line(&path.to_string_lossy());
        print::stderr_line(format!("mayi: not restored: {path}: {}", escape_line(why)));
    }
    ctx.print_note(format!("restored: {}, removed: {}", undone.restored.len(), undone.removed.len()));
    if let Some(redo) = undone.redo {
        ctx.print_note(format!("take that back with: mayi undo {}", short_id(redo)));
    }
    Ok(())
}
