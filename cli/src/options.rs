//! Options that more than one command has, and values as people write them.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use mayi_core::call::is_too_wide;
use mayi_core::policy::Mode;

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

impl ColorArg {
    /// Whether colours are on, for something that is a terminal or not.
    #[must_use]
    pub(crate) fn is_enabled(self, terminal: bool) -> bool {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// How a list is printed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ListArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

pub(crate) fn mode_value_parser() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["plan", "default", "auto"]).try_map(|text| text.parse::<Mode>())
}

/// A folder, as a whole path: relative ones are from where mayi was started.
pub(crate) fn parse_folder(text: &str) -> Result<PathBuf, String> {
    let folder = std::path::absolute(text).map_err(|error| error.to_string())?;
    let real = folder.canonicalize().map_err(|error| error.to_string())?;
    if !real.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    // A link never makes it more than what was written (D1.27).
    if is_too_wide(&real) && real != folder {
        return Err(format!("it leads to {}: write that path if you mean it", real.display()));
    }
    Ok(folder)
}

/// `30s`, `5m`, `1h30m`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
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
    fn given_durations_then_they_need_a_unit() {
        for (text, seconds) in
            [("30s", 30), ("5m", 300), ("1h30m", 5400), ("1h 30m", 5400), ("2 minutes", 120)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["", "30", "0s", "-5s", "soon", "5 parsecs"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
