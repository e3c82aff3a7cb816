//! The command line of `mayi check`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use mayi_check::KINDS;
use mayi_core::call::Dialect;
use mayi_core::config::CommandLine;
use mayi_core::policy::Mode;

use crate::options::{mode_value_parser, parse_folder};

pub(in crate::commands) const AFTER: &str = "\
VALUE is a command line, a path, an address, SERVER/TOOL [JSON], a tool's name, or an ACP
session/request_permission; - reads it from standard input. Nothing is run or changed.

Examples:
  mayi check shell 'git status && rm -rf target'
  mayi check write src/main.rs --mode plan
  mayi check mcp 'github/create_issue {\"repo\": \"me/x\"}' --agent claude
  mayi check shell 'cargo test' --allow 'shell(cargo *)' --json
  mayi check shell 'ls &>out' --shell bash
  mayi check --stdin < calls.jsonl > decisions.jsonl

One line of --stdin:
  {\"id\": \"1\", \"kind\": \"shell\", \"command\": \"git status\", \"cwd\": \"/w\", \"agent\": \"claude\"}
Keys: id, kind, then command and shell (bash, sh, zsh, unknown), path, url, request (of acp), or
server, tool and arguments; cwd, workspace, agent, mode, rules, matrix, isolated, protection, confined.

Exit codes: 0 allowed · 5 denied · 6 asked about
With --stdin: 0, or 2 if a line was not understood";

/// `mayi check`
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// What kind of call it is
    #[arg(value_parser = PossibleValuesParser::new(KINDS), required_unless_present = "stdin")]
    pub kind: Option<String>,
    /// What would be done
    #[arg(required_unless_present = "stdin")]
    pub value: Vec<String>,
    /// Read calls as JSON lines from standard input, and print one decision a line
    #[arg(long, conflicts_with_all = ["kind", "value"])]
    pub stdin: bool,
    /// Print the decision as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Which shell reads the line: bash, sh (any POSIX shell), zsh, or unknown: as each of them would
    #[arg(long, value_name = "SHELL", value_parser = PossibleValuesParser::new(Dialect::NAMES).try_map(|name| name.parse::<Dialect>()))]
    pub shell: Option<Dialect>,
    /// As if this agent asked
    #[arg(long, value_name = "NAME", help_heading = "Permissions")]
    pub agent: Option<String>,
    /// As in this mode: plan only reads, default asks, auto (dangerous) asks only where a rule or protection says so, and before what destroys elsewhere
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser(), help_heading = "Permissions")]
    pub mode: Option<Mode>,
    /// As with a rule that allows what matches PATTERN (repeatable), such as 'shell(cargo test *)'
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub allow: Vec<String>,
    /// As with a rule that asks about what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub ask: Vec<String>,
    /// As with a rule that denies what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub deny: Vec<String>,
    /// As where the kernel holds it in full, as `mayi exec` has it done
    #[arg(long, help_heading = "Permissions")]
    pub confined: bool,
    /// Work in DIR too (repeatable): changes there are judged as in the folder itself
    #[arg(long, value_name = "DIR", value_parser = parse_folder, value_hint = ValueHint::DirPath, help_heading = "Permissions")]
    pub add_dir: Vec<PathBuf>,
}

impl CheckArgs {
    /// What the options say about permissions.
    #[must_use]
    pub(crate) fn command_line(&self) -> CommandLine {
        CommandLine {
            mode: self.mode,
            allow: self.allow.clone(),
            ask: self.ask.clone(),
            deny: self.deny.clone(),
            folders: self.add_dir.clone(),
        }
    }
}
