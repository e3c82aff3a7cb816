//! `mayi mcp pins`.

use clap::{Args, Subcommand};

pub(in crate::commands::mcp) const AFTER: &str = "\
What a server says of its tools is trusted when it is first seen. Words that deserve a look (flagged) are withheld from the
model, and calls of such a tool are asked about. What it says differently later is blocked; a server that is started in
another way is blocked as a whole. All of it until you have looked at it and accept it. That a command leads to another
program, or to a script that holds something else, is said here, and blocks nothing.

Examples:
  mayi mcp pins                         what is trusted, deserves a look, or has changed
  mayi mcp pins diff                    everything that has changed or deserves a look
  mayi mcp pins diff github
  mayi mcp pins accept github           all of that of github, after a look at it
  mayi mcp pins accept github search    only the tool `search`
  mayi mcp pins forget github           trust what it says next";

/// `mayi mcp pins`
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct PinsArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<PinsCommand>,
}

/// What to do with what servers said.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum PinsCommand {
    /// Show what has changed, as a diff, and what deserves a look
    Diff {
        /// Of this server (default: of all)
        server: Option<String>,
        /// Of this tool of it
        tool: Option<String>,
    },
    /// Accept what has changed of a server, or deserves a look: it is shown, and you are asked
    Accept {
        /// The server
        server: String,
        /// Only of these tools (default: of all, of its instructions, and how it is started)
        tools: Vec<String>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Forget all that a server said: what it says next is trusted
    Forget {
        /// The server
        server: String,
    },
}
