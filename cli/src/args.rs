//! The command line: every command and option, with its help.

mod check;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{
    ArgAction, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint,
};
use mayi_core::config::CommandLine;
use mayi_core::policy::Mode;

use self::check::{CHECK_AFTER, TEST_AFTER};
pub(crate) use self::check::{CheckArgs, TestArgs};
pub(crate) use crate::args_config::*;
pub(crate) use crate::args_log::*;
pub(crate) use crate::args_mcp::*;
pub(crate) use crate::args_memory::*;
pub(crate) use crate::args_serve::*;
use crate::commands::{CliError, Context};

const AFTER: &str = "\
Examples:
  mayi run demo                         see how it works, with an agent that is built in
  mayi run claude \"fix the failing test\"
  mayi agents                           which agents there are
  mayi check shell 'rm -rf target'      what would be decided, and why
  mayi log                              what happened
  mayi doctor                           when something is off

Exit codes: 0 done · 1 internal error · 2 usage · 3 configuration refused · 4 agent failed ·
5 something was denied · 6 nobody answered · 124 --timeout reached · 130 interrupted";

/// The permission gate between people and their AI agents
///
/// An agent wants to run a command, write a file or call a tool: mayi decides at once whether that
/// is allowed, forbidden, or yours to decide, and asks you.
#[derive(Debug, Parser)]
#[command(name = "mayi", version, after_help = AFTER, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Read FILE in place of the user's and the folder's files (the managed file always counts)
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// Work in DIR
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Global options")]
    pub cwd: Option<PathBuf>,
    /// Say more: -v decisions and the agent's own words, -vv and -vvv what mayi does (also MAYI_LOG)
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", help_heading = "Global options")]
    pub verbose: u8,
    /// Say only what was asked for
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// When to use colours; NO_COLOR is honoured
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Global options"
    )]
    pub color: ColorArg,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    /// On a terminal
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Give an agent one prompt, with every tool call gated
    #[command(after_help = RUN_AFTER)]
    Run(Box<RunArgs>),
    /// Say what would be decided about a call, and why
    #[command(after_help = CHECK_AFTER)]
    Check(Box<CheckArgs>),
    /// Check calls against the effects that are expected, for your own CI
    #[command(after_help = TEST_AFTER)]
    Test(TestArgs),
    /// Stand between an MCP client and its servers, with every tool call gated
    #[command(after_help = MCP_AFTER)]
    Mcp(Box<McpArgs>),
    /// Be the backend of an editor: agents, questions and answers over JSON-RPC, on this machine only
    #[command(after_help = SERVE_AFTER)]
    Serve(ServeArgs),
    /// Answer what waits in any of your mayi processes
    #[command(after_help = INBOX_AFTER)]
    Inbox(InboxArgs),
    /// List answers that are remembered, and end them
    #[command(after_help = GRANTS_AFTER)]
    Grants(GrantsArgs),
    /// Show what happened, and learn from it
    #[command(after_help = LOG_AFTER)]
    Log(Box<LogArgs>),
    /// List the agents that mayi knows, and their settings
    #[command(after_help = "Example:\n  mayi agents --json | jq -r 'select(.found).name'")]
    Agents(ListArgs),
    /// Let an agent act without asking, or make it ask again
    #[command(after_help = BYPASS_AFTER)]
    Bypass(BypassArgs),
    /// Show, check and find the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Write a configuration to start from
    #[command(after_help = INIT_AFTER)]
    Init(InitArgs),
    /// Let a folder's own configuration count, or a program in it start
    #[command(after_help = TRUST_AFTER)]
    Trust(TrustArgs),
    /// Check what mayi needs, and say what to do
    Doctor(ListArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  mayi completions fish > ~/.config/fish/completions/mayi.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Be the demo agent: ACP on standard input and output
    #[command(hide = true)]
    DemoAgent,
}

/// How a list is printed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ListArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

const BYPASS_AFTER: &str = "\
A bypassed agent runs without asking, but for what rules deny or ask about, and for what is always asked about.

Examples:
  mayi bypass claude on
  mayi bypass claude off";

/// `mayi bypass`
#[derive(Clone, Debug, Args)]
pub(crate) struct BypassArgs {
    /// The agent's name
    pub agent: String,
    /// Whether it may act without asking
    #[arg(value_enum)]
    pub state: Switch,
    /// Do not ask once more
    #[arg(long, short)]
    pub yes: bool,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// It acts without asking
    On,
    /// It asks
    Off,
}

const RUN_AFTER: &str = "\
Without a PROMPT, or with -, the prompt is read from standard input.

Examples:
  mayi run claude \"fix the failing test\"
  git diff | mayi run claude -
  mayi run gemini -i                                          go on with further prompts
  mayi run claude --allow 'shell(cargo test *)' \"make it pass\"
  mayi run claude --on-ask deny --format json \"review this\"    in a script: never waits
  mayi run --command \"my-agent --acp\" \"hello\"";

/// `mayi run`
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// The agent's name (`mayi agents` lists them)
    #[arg(required_unless_present = "command")]
    pub agent: Option<String>,
    /// What it should do; `-`: read it from standard input
    pub prompt: Option<String>,
    /// Start this command line in place of AGENT; it shares nothing with named agents
    #[arg(long, value_name = "CMD ARGS", value_hint = ValueHint::CommandString)]
    pub command: Option<String>,
    /// Go on with further prompts
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
    /// Put mayi's own gateway in front of the MCP servers: calls that the agent does not ask about are judged too
    #[arg(long, conflicts_with = "no_record", help_heading = "Permissions")]
    pub gateway: bool,
    /// How much is asked: plan only reads, default asks, auto asks only about what is dangerous
    #[arg(long, value_name = "MODE", value_parser = modes(), help_heading = "Permissions")]
    pub mode: Option<Mode>,
    /// Allow what matches PATTERN in this run (repeatable), such as 'shell(cargo test *)'
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub allow: Vec<String>,
    /// Ask about what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub ask: Vec<String>,
    /// Deny what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub deny: Vec<String>,
    /// What becomes of a question: asked here, denied, or left to another surface
    /// [default: prompt on a terminal, else deny]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Permissions")]
    pub on_ask: Option<OnAskArg>,
    /// Deny a question that nobody answered in this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Permissions")]
    pub approval_timeout: Option<Duration>,
    /// Write no record, and remember answers for this run only
    #[arg(long, help_heading = "Permissions")]
    pub no_record: bool,
    /// End the run after this time, such as 10m or 1h30m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
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
}

impl Cli {
    /// Reads the command line.
    ///
    /// # Errors
    /// Also for `--help` and `--version`: what is to be printed.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let words: Vec<_> = std::env::args_os().collect();
        // clap's own messages come before its options are known.
        let never = words.iter().any(|word| word == "--color=never")
            || words
                .windows(2)
                .any(|pair| matches!(pair, [option, when] if option == "--color" && when == "never"));
        let color = if never { ColorChoice::Never } else { ColorChoice::Auto };
        let matches = Self::command().color(color).try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }
}

impl RunArgs {
    /// With `--command` there is no AGENT: the first word is the prompt.
    ///
    /// # Errors
    /// If there is one word too many.
    pub(crate) fn settle(&mut self) -> Result<(), CliError> {
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

    /// Whether the person said where to work.
    #[must_use]
    pub(crate) fn cwd_was_named(&self, ctx: &Context) -> bool {
        ctx.cwd_named
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

pub(crate) fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["plan", "default", "auto"]).try_map(|text| text.parse::<Mode>())
}

/// `30s`, `5m`, `1h30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let span: jiff::SignedDuration =
        text.parse().map_err(|_| "write a number and a unit, such as 30s, 5m or 1h30m".to_owned())?;
    match Duration::try_from(span) {
        Ok(span) if !span.is_zero() => Ok(span),
        _ => Err("it must be longer than nothing, such as 30s".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_definitions_then_clap_finds_nothing_wrong_with_them() {
        Cli::command().debug_assert();
    }

    #[test]
    fn given_durations_then_they_need_a_unit() {
        for (text, seconds) in
            [("30s", 30), ("5m", 300), ("1h30m", 5400), ("1h 30m", 5400), ("2 minutes", 120)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["", "30", "0s", "-5s", "soon", "5 parsecs"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn given_a_command_then_the_first_word_is_the_prompt() {
        let parse = |words: &[&str]| {
            let Command::Run(mut args) = Cli::try_parse_from(words).unwrap().command else { panic!() };
            args.settle().map(|()| (args.agent, args.prompt)).map_err(|_| ())
        };
        assert_eq!(parse(&["mayi", "run", "--command", "x y", "hi"]), Ok((None, Some("hi".into()))));
        assert_eq!(parse(&["mayi", "run", "claude", "hi"]), Ok((Some("claude".into()), Some("hi".into()))));
        assert_eq!(parse(&["mayi", "run", "--command", "x", "claude", "hi"]), Err(()));
        assert!(Cli::try_parse_from(["mayi", "run"]).is_err());
    }

    /// Subcommand names are refused as names of agents and servers, so core has to know them all.
    #[test]
    fn given_every_command_then_core_reserves_its_name() {
        for command in Cli::command().get_subcommands() {
            assert!(mayi_core::config::RESERVED.contains(&command.get_name()), "{}", command.get_name());
        }
    }
}
