//! The command line of `mayi config`, `mayi init` and `mayi trust`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use crate::args::ListArgs;

/// `mayi config`
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List the files that are read, farthest first
    Path(ListArgs),
    /// Look for mistakes: in FILE, or in all files that are read
    Check {
        /// A configuration file; one called .mayi.toml is checked as a folder's own
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Show what counts, and where it is written
    Show(ListArgs),
    /// Print the JSON schema of a configuration file, for editors
    #[command(after_help = SCHEMA_AFTER)]
    Schema,
    /// Turn the rules of another tool into mayi's
    #[command(after_help = IMPORT_AFTER)]
    Import(ImportArgs),
}

const SCHEMA_AFTER: &str = "\
Editors with support for TOML schemas read it from a first line such as
`#:schema ./mayi.schema.json`. What `mayi init` writes has that line, and the schema beside it.

Example:
  mayi config schema > mayi.schema.json";

const IMPORT_AFTER: &str = "\
Without FILE, the places where the tool keeps its settings are read: the user's own, and those of
this folder, which become rules for this folder only. What can't be said in mayi's rules without
allowing more is left out, and named with the reason.

Examples:
  mayi config import claude-code             print the rules as mayi would write them
  mayi config import vscode --write          add them to your file, after showing the change
  mayi config import codex my.rules --json   one object a line: rules, and what was left out";

/// `mayi config import`
#[derive(Clone, Debug, Args)]
pub(crate) struct ImportArgs {
    /// The tool that the rules are from
    #[arg(value_enum)]
    pub tool: ToolArg,
    /// Its files; without one, where the tool keeps them
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: Vec<PathBuf>,
    /// Add the rules to your file
    #[arg(long)]
    pub write: bool,
    /// Do not ask before writing
    #[arg(long, short, requires = "write")]
    pub yes: bool,
    /// The rules are only for this agent (repeatable)
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// A tool with rules of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolArg {
    /// Claude Code: .claude/settings.json
    ClaudeCode,
    /// Codex: config.toml and rules/*.rules
    Codex,
    /// Gemini CLI: settings.json and policies/*.toml
    Gemini,
    /// VS Code: settings.json
    Vscode,
    /// Zed: settings.json
    Zed,
    /// opencode: opencode.json
    Opencode,
}

pub(crate) const INIT_AFTER: &str = "\
Examples:
  mayi init                        everyday work in the languages that are found here
  mayi init --template careful     asks about nearly everything
  mayi init --template ci --print  for a machine where nobody answers; look before you write
  mayi init --workspace            a .mayi.toml for everybody who works in this folder; what it
                                   allows counts after `mayi trust`";

/// `mayi init`
#[derive(Clone, Debug, Args)]
pub(crate) struct InitArgs {
    /// What to start from
    #[arg(long, short, value_enum, default_value_t)]
    pub template: TemplateArg,
    /// Write this folder's .mayi.toml instead of your own file
    #[arg(long, conflicts_with = "config")]
    pub workspace: bool,
    /// Write over a file that is there; it is kept as FILE.bak
    #[arg(long)]
    pub force: bool,
    /// Print it, and write nothing
    #[arg(long)]
    pub print: bool,
}

/// What to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateArg {
    /// Builds, tests and edits in the project run; what leaves it or can't be undone is asked about
    #[default]
    Everyday,
    /// Reading is free; everything else is asked about
    Careful,
    /// Nothing is asked about but what is dangerous
    Trusting,
    /// Reading is free; nothing else happens
    ReadOnly,
    /// Nobody is there to answer: what is not allowed is denied
    Ci,
}

pub(crate) const TRUST_AFTER: &str = "\
A folder's .mayi.toml comes with the repository, so by itself it can only make mayi stricter. Trust
makes the rest of it count: for exactly this file with this content. When it changes, it is not
trusted any more.

Examples:
  mayi trust                            the .mayi.toml of this folder
  mayi trust ~/work/site                the one of another folder
  mayi trust ./node_modules/.bin/agent  a program in a workspace: it may be started as an agent
  mayi trust --list
  mayi trust --revoke";

/// `mayi trust`
#[derive(Clone, Debug, Args)]
pub(crate) struct TrustArgs {
    /// A folder, its .mayi.toml, or a program [default: this folder]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// List what is trusted
    #[arg(long, conflicts_with_all = ["path", "revoke", "yes"])]
    pub list: bool,
    /// Trust it no longer
    #[arg(long, conflicts_with = "yes")]
    pub revoke: bool,
    /// Do not ask once more
    #[arg(long, short)]
    pub yes: bool,
    /// With --list: print one JSON object a line
    #[arg(long, requires = "list")]
    pub json: bool,
}
