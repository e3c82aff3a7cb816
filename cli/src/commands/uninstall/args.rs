//! What `mayi uninstall` takes.

use clap::Args;

pub(in crate::commands) const AFTER: &str = "\
What `mayi mcp install` and `mayi hook install` wrote is taken out of your settings, and out of
those of every project that they noted: to the byte where nothing was edited since, else mayi's
own lines alone. The diff of each file is shown first. Then it says what stays, and how the
program itself goes. Exit code 3: something of mayi's is left in a file, and was named.

Examples:
  mayi uninstall --dry-run     what would change, and what would stay
  mayi uninstall               show it, ask once, and do it
  mayi uninstall --yes         for scripts
  mayi uninstall --purge       also delete mayi's own folders, after a second question: your
                               configuration, the record of what happened, remembered answers";

/// `mayi uninstall`
#[derive(Clone, Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Show what would change, and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Also delete mayi's own folders, the record among them, and the extension's settings
    #[arg(long)]
    pub purge: bool,
}
