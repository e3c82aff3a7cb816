//! The command line of `mayi run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use mayi_core::config::CommandLine;
use mayi_core::policy::Mode;

use crate::commands::responses::ApiArgs;
use crate::error::CliError;
use crate::options::{mode_value_parser, parse_duration};

pub(in crate::commands) const AFTER: &str = "\
Without a PROMPT, or with -, the prompt is read from standard input.

Examples:
  mayi run claude \"fix the failing test\"
  git diff | mayi run claude -
  mayi run gemini -i                                          go on with further prompts
  mayi run claude --allow 'shell(cargo test *)' \"make it pass\"
  mayi run claude --on-ask deny --format json \"review this\"    in a script: never waits
  mayi run --command \"my-agent --acp\" \"hello\"
  mayi run --responses request.json --upstream https://api.openai.com/v1 --key-env OPENAI_API_KEY";

/// `mayi run`
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// The agent's name (`mayi agents` lists them)
    #[arg(required_unless_present_any = ["command", "responses"])]
    pub agent: Option<String>,
    /// What it should do; `-`: read it from standard input
    pub prompt: Option<String>,
    /// Start this command line in place of AGENT; it shares nothing with named agents
    #[arg(long, value_name = "CMD ARGS", value_hint = ValueHint::CommandString)]
    pub command: Option<String>,
    /// Go on with further prompts; an empty line, `exit`, Ctrl-D or Ctrl-C ends it
    #[arg(long, short)]
    pub interactive: bool,
    /// Go on with this agent's last session in this folder
    #[arg(long = "continue", conflicts_with = "session")]
    pub r#continue: bool,
    /// Go on with the session ID
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Pass only this configured MCP server into the session (repeatable)
    #[arg(long, value_name = "NAME")]
    pub mcp: Vec<String>,
    /// Offer the agent two tools, find_tools and run_tool, in place of all that its MCP servers have
    #[arg(long, conflicts_with = "no_gateway")]
    pub toolbelt: bool,
    /// Hand the MCP servers to the agent as they are: calls that it does not ask about run unjudged
    #[arg(long, help_heading = "Permissions")]
    pub no_gateway: bool,
    /// How much is asked: plan only reads, default asks, auto (dangerous) asks only where a rule or protection says so, and before what destroys elsewhere
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser(), help_heading = "Permissions")]
    pub mode: Option<Mode>,
    /// Do not ask about this agent in this session, but for what rules ask about and what is always asked about
    #[arg(long, help_heading = "Permissions")]
    pub bypass: bool,
    /// Allow what matches PATTERN in this run (repeatable), such as 'shell(cargo test *)'
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub allow: Vec<String>,
    /// Ask about what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub ask: Vec<String>,
    /// Deny what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub deny: Vec<String>,
    /// What becomes of a question: asked here, denied, or left to another surface; to wait needs --approval-timeout or --timeout
    /// [default: prompt on a terminal, else deny]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Permissions")]
    pub on_ask: Option<OnAskArg>,
    /// Deny a question that nobody answered in this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Permissions")]
    pub approval_timeout: Option<Duration>,
    /// Write no record, and remember answers for this run only
    #[arg(long, help_heading = "Permissions")]
    pub no_record: bool,
    /// End the run after this time, such as 10m or 1h30m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: FormatArg,
    /// Do not offer the agent to read and write files through mayi
    #[arg(long, help_heading = "Permissions")]
    pub no_fs: bool,
    /// Do not offer the agent to run commands through mayi
    #[arg(long, help_heading = "Permissions")]
    pub no_terminal: bool,
    /// In place of an agent: send the request in FILE (`-`: on standard input) to a Responses API, which calls its MCP tools only
    /// as far as they are allowed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "upstream", help_heading = "Responses API",
        conflicts_with_all = ["agent", "command", "interactive", "continue", "session", "mcp", "toolbelt", "no_gateway",
            "no_record", "no_fs", "no_terminal"])]
    pub responses: Option<PathBuf>,
    /// The API to which --responses sends it.
    #[command(flatten, next_help_heading = "Responses API")]
    pub api: ApiArgs,
}

impl RunArgs {
    /// With `--command` there is no AGENT: the first word is the prompt.
    ///
    /// # Errors
    /// If there is one word too many.
    pub(crate) fn take_agent_as_prompt(&mut self) -> Result<(), CliError> {
        if self.command.is_none() || self.agent.is_none() {
            return Ok(());
        }
        if self.prompt.is_some() {
            return Err(CliError::usage("give either an AGENT or --command, not both"));
        }
        self.prompt = self.agent.take();
        Ok(())
    }

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
}

/// What becomes of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnAskArg {
    /// It is asked here
    Prompt,
    /// It is denied
    Deny,
    /// It waits for another surface
    Wait,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// The agent's answer
    #[default]
    Text,
    /// One JSON object at the end
    Json,
    /// One JSON object a line, as things happen
    StreamJson,
}
