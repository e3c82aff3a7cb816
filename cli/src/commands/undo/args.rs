//! What `mayi undo` takes.

use std::path::PathBuf;

use clap::{Args, ValueHint};

pub(crate) const AFTER: &str = "\
Before a confined command runs that no rule allows, mayi keeps the files of its folders. Without an ID this is about the last such
command in this folder that changed something and is not undone yet. What it changed and deleted is restored; what it created is
removed only if you say so. What was changed after it is left, and what is there now is kept first, so that this can be undone too.

Examples:
  mayi undo                           show what the last command did, and ask
  mayi undo --dry-run --diff          only show it, with the lines
  mayi undo --list
  mayi undo 7f3a2c -- src notes.txt   only these
  mayi undo --yes --created           without a question, and remove what was created

Exit codes: 0 done, or there is nothing to undo · 1 something could not be restored · 5 you said no";

/// `mayi undo`
#[derive(Clone, Debug, Args)]
pub(crate) struct UndoArgs {
    /// Undo this command: its ID, or the end of it
    pub id: Option<String>,
    /// Only these files, and what is in these folders
    #[arg(last = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// List the commands that can be undone, in all folders
    #[arg(long, conflicts_with_all = ["id", "paths", "yes", "dry_run", "created", "force", "diff"])]
    pub list: bool,
    /// Also remove what was created
    #[arg(long)]
    pub created: bool,
    /// Also what was changed after the command, and where what is there now can't be kept first
    #[arg(long)]
    pub force: bool,
    /// Show what is different in texts; not in files that hold secrets by their names
    #[arg(long, conflicts_with = "json")]
    pub diff: bool,
    /// Say what would be done, and do nothing
    #[arg(long, short = 'n', conflicts_with = "yes")]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Print one JSON object, of a list one a line
    #[arg(long)]
    pub json: bool,
}
