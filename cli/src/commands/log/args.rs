//! The command line of `mayi log`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};
use mayi_core::approval::ApprovalId;
use mayi_core::policy::Effect;
use mayi_core::record::{CallId, Kind};

use crate::moments::Moment;

pub(in crate::commands) const AFTER: &str = "\
The newest calls come first, as in `git log`: one line for each, with what became of it. A page is 50
lines, and on a terminal no more than fit on it; -n or --all show more, --reverse turns it round. With
--follow the newest are at the end. The number before a line is its first entry's: `mayi log show` takes
it.

DATE is 2026-07-28 or 2026-07-28T10:00 (a day stands for its beginning), 30m, 2h or 3d ago, today or
yesterday.

--json prints one entry a line, {\"version\": 1, \"seq\", \"at\", \"kind\", \"call\", \"approval\", \"session\",
\"agent\", \"workspace\", \"effect\", \"access\", \"detail\"}: what an entry does not have is left out, and
`detail` is by `kind`, with a version `v` of its own. Secrets were taken out before it was written.

Examples:
  mayi log
  mayi log --agent claude --since yesterday
  mayi log --effect deny --access 'shell(git'
  mayi log -f                              what happens from now on, until Ctrl-C
  mayi log show 1234                       all about one call, and why
  mayi log --all --json | jq -r 'select(.kind == \"unasked\").access'
  mayi log verify                          whether anything was changed or removed";

/// `mayi log`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LogArgs {
    /// How many lines: calls, or with --json entries [default: a page]
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub lines: Option<u32>,
    /// All of it
    #[arg(long, conflicts_with = "lines")]
    pub all: bool,
    /// The oldest first
    #[arg(long, short, conflicts_with = "follow")]
    pub reverse: bool,
    /// Go on with what happens, until Ctrl-C
    #[arg(long, short, conflicts_with = "until")]
    pub follow: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Whose entries.
    #[command(flatten)]
    pub whose: WhoseArgs,
    /// Which of them.
    #[command(flatten)]
    pub which: WhichArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<LogCommand>,
}

/// Whose entries, where and when.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct WhoseArgs {
    /// Of this agent
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub agent: Option<String>,
    /// Of this session
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub session: Option<String>,
    /// Of sessions in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Filters")]
    pub workspace: Option<PathBuf>,
    /// Of sessions in the folder that is worked in
    #[arg(long, conflicts_with = "workspace", help_heading = "Filters")]
    pub here: bool,
    /// Not before this
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub since: Option<Moment>,
    /// Not after this
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub until: Option<Moment>,
}

/// Which entries.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct WhichArgs {
    /// Entries of this kind (repeatable)
    #[arg(long, value_name = "KIND", value_parser = kind_parser(), help_heading = "Filters")]
    pub kind: Vec<Kind>,
    /// Entries with this effect: allow, ask or deny (repeatable)
    #[arg(long, value_name = "EFFECT", value_parser = effect_parser(), hide_possible_values = true, help_heading = "Filters")]
    pub effect: Vec<Effect>,
    /// Entries whose access begins like this: `shell`, 'mcp(github/'
    #[arg(long, value_name = "PREFIX", help_heading = "Filters")]
    pub access: Option<String>,
    /// Entries that hold this text
    #[arg(long, value_name = "TEXT", help_heading = "Filters")]
    pub grep: Option<String>,
    /// Entries about this call
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub call: Option<CallId>,
    /// Entries about this approval
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    pub approval: Option<ApprovalId>,
}

fn kind_parser() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.map(Kind::as_str))
        .try_map(|word| Kind::parse(&word).ok_or("there is no such kind"))
}

fn effect_parser() -> impl TypedValueParser<Value = Effect> {
    PossibleValuesParser::new(["allow", "ask", "deny"]).map(|word| match word.as_str() {
        "allow" => Effect::Allow,
        "ask" => Effect::Ask,
        _ => Effect::Deny,
    })
}

/// What to do with the record.
#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Show all about one call
    #[command(after_help = SHOW_AFTER)]
    Show(ShowArgs),
    /// Look for entries that were changed, moved, added or removed
    #[command(after_help = VERIFY_AFTER)]
    Verify(VerifyArgs),
    /// Sum up: who did what, what was asked, how long answers took
    #[command(after_help = STATS_AFTER)]
    Stats(StatsArgs),
    /// Decide again what was decided, by another configuration, and say what differs
    #[command(after_help = REPLAY_AFTER)]
    Replay(ReplayArgs),
    /// Find rules that would have saved questions
    #[command(after_help = SUGGEST_AFTER)]
    Suggest(SuggestArgs),
}

const SHOW_AFTER: &str = "\
ID is the number before a line of `mayi log`, or the whole ID of a call or an approval. --json prints
the entries as `mayi log --json` does.

Examples:
  mayi log show 1234
  mayi log show 1234 --json | jq 'select(.kind == \"decided\").detail.trail'";

/// `mayi log show`
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A number or an ID
    pub id: String,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

const VERIFY_AFTER: &str = "\
Every entry is sealed with a key of yours, together with the one before it. Somebody who can read that
key can forge the record; THREATS.md says what can't be told.

--json prints one object: {\"version\": 1, \"sound\", \"entries\", \"first\", \"last\", \"head\", \"findings\",
\"archives\"}, and a finding is {\"from\", \"to\", \"place\", \"what\", \"says\", ...}.

Exit codes: 0 sound · 1 something is wrong, or it can't be read";

/// `mayi log verify`
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

const STATS_AFTER: &str = "\
ASKED is what needed an answer: yes, no, or none. --json prints one object: {\"version\": 1, \"since\",
\"until\", \"all\", \"agents\", \"selectors\", \"tools\", \"rules\", \"days\", \"answers\"}, times in milliseconds.

Examples:
  mayi log stats
  mayi log stats --since 7d --agent claude
  mayi log stats --json | jq '.days'";

/// `mayi log stats`
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Whose calls.
    #[command(flatten)]
    pub whose: WhoseArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

const REPLAY_AFTER: &str = "\
NEW is given with --config, and stands in for your file and those of folders, as everywhere; without it,
what counts now is tried. Each call is decided in the mode of then, in its own folder, and without
remembered answers. Nothing is run or changed. --json prints one object: {\"version\": 1, \"calls\", \"same\",
\"differences\": [{\"from\", \"to\", \"because\", \"count\", \"examples\"}], \"notReplayed\"}.

Examples:
  mayi log replay --config new.toml
  mayi log replay --config new.toml --since 7d --here
  mayi log replay --config new.toml --json | jq '.differences[] | select(.to == \"allow\")'";

/// `mayi log replay`
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Whose calls.
    #[command(flatten)]
    pub whose: WhoseArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

const SUGGEST_AFTER: &str = "\
Looks at the questions of the last 30 days (--since says otherwise) that you answered with yes and that
would be asked again, and finds the rules that had saved the most of them. None of them would have allowed
anything that was denied in that time. What it prints can be pasted into a configuration. --json prints one
object: {\"version\": 1, \"prompts\", \"saved\", \"proposals\": [{\"patterns\", \"agents\", \"promptsSaved\",
\"examples\", \"besides\", \"since\"}]}.

Examples:
  mayi log suggest
  mayi log suggest --since 90d --agent claude --here
  mayi log suggest --apply                 add them to your file, after showing the change";

/// `mayi log suggest`
#[derive(Debug, Args)]
pub(crate) struct SuggestArgs {
    /// Whose calls.
    #[command(flatten)]
    pub whose: WhoseArgs,
    /// Add the rules to your file
    #[arg(long)]
    pub apply: bool,
    /// Do not ask before writing
    #[arg(long, short, requires = "apply")]
    pub yes: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "apply")]
    pub json: bool,
}
