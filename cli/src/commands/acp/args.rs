//! The command line of `mayi acp`.

use std::time::Duration;

use clap::Args;
use mayi_core::config::{CommandLine, LoadedConfig};
use mayi_core::policy::Mode;

use crate::error::CliError;
use crate::options::{mode_value_parser, parse_duration};

pub(in crate::commands) const AFTER: &str = "\
An editor that speaks the Agent Client Protocol starts this in the place of the agent: its questions come up in the editor's
own dialog, and every session has the option \"Permissions: Plan, Default or Auto\". What a person should know besides goes to
standard error, where editors show the log of an agent. It ends when the editor closes its side.

Examples:
  mayi acp claude                         the command to write into the editor's settings, with no more arguments
  mayi acp claude --mode plan             sessions begin with reading alone
  mayi acp claude --wide-scopes           this editor shows options as they are: offer \"always\" there too
  mayi acp -- my-agent --acp              another agent, by its command; it shares nothing with named ones

In Zed's settings:
  \"agent_servers\": { \"claude, gated\": { \"command\": \"mayi\", \"args\": [\"acp\", \"claude\"] } }

Exit codes: 0 the editor closed its side · 2 usage · 3 configuration refused · 4 the agent failed or broke the protocol, or was
ended since it went on after a stop · 7 the editor closed its side, and something ran without asking that the policy asks about
or denies · 130 interrupted";

/// `mayi acp`
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AcpArgs {
    /// The agent's name (`mayi agents` lists them)
    pub agent: Option<String>,
    /// Start this command in place of AGENT; it shares nothing with named agents
    #[arg(last = true, value_name = "CMD ARGS", conflicts_with = "agent")]
    pub command: Vec<String>,
    /// How much is asked when a session begins: plan only reads, default asks, auto (dangerous) asks only where a rule or protection says so, and before what destroys elsewhere
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser(), help_heading = "Permissions")]
    pub mode: Option<Mode>,
    /// Allow what matches PATTERN (repeatable), such as 'shell(cargo test *)'
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub allow: Vec<String>,
    /// Ask about what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub ask: Vec<String>,
    /// Deny what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub deny: Vec<String>,
    /// This editor shows options as they are, one by one: offer answers for longer than the session too
    #[arg(long, help_heading = "Permissions")]
    pub wide_scopes: bool,
    /// Deny a question that nobody answered in this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Permissions")]
    pub approval_timeout: Option<Duration>,
    /// Offer the agent two tools, find_tools and run_tool, in place of all that a session's MCP servers have
    #[arg(long)]
    pub toolbelt: bool,
    /// Speak version 2 of the protocol, a preview, where editor and agent both do, as `[acp] protocol_v2 = true` has it
    #[arg(long)]
    pub protocol_v2: bool,
}

impl AcpArgs {
    /// What the options say about permissions.
    #[must_use]
    pub(crate) fn command_line(&self) -> CommandLine {
        CommandLine {
            mode: self.mode,
            allow: self.allow.clone(),
            ask: self.ask.clone(),
            deny: self.deny.clone(),
        }
    }

    /// The command, if the agent was given by that.
    ///
    /// # Errors
    /// If there is neither a name nor a command: with what to do, and the names that there are.
    pub(crate) fn agent_command(&self, loaded: &LoadedConfig) -> Result<Option<&[String]>, CliError> {
        match (&self.agent, self.command.as_slice()) {
            (Some(_), _) => Ok(None),
            (None, []) => Err(CliError::usage(missing_agent_text(loaded))),
            (None, words) => Ok(Some(words)),
        }
    }
}

/// What to write, for who has left out the agent.
fn missing_agent_text(loaded: &LoadedConfig) -> String {
    let names: Vec<&str> = loaded
        .agents
        .values()
        .filter(|agent| agent.command.is_some())
        .map(|agent| agent.name.as_str())
        .collect();
    let first = names.first().copied().unwrap_or("NAME");
    format!(
        "which agent? Write its name behind `mayi acp`; in an editor's settings, \"command\": \"mayi\", \"args\": [\"acp\", \"{first}\"]. \
         There are {}; another one goes by its command: `mayi acp -- CMD ARGS`. `mayi agents` says which are installed",
        names.join(", ")
    )
}
