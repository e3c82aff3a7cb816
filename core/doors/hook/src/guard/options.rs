//! What stands behind `mayi hook HARNESS`. Read by hand, in the parent and in the worker: a command line's whole definition takes
//! longer to build than a decision.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jiff::SignedDuration;

use crate::door::AskVia;
use crate::harness::Harness;

/// Within this time there is an answer, unless a person is waited for.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

/// The same, where a person is waited for: below what harnesses have for a limit where none is set.
pub const INBOX_LIMIT: Duration = Duration::from_secs(25);

/// The shortest limit that makes sense, and the longest.
const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Whose event is to be answered, and what stands behind `hook`, by all words of the program's. `None`: they ask for something else.
pub(super) fn event_words(
    program: impl IntoIterator<Item = OsString>,
) -> Option<(&'static Harness, Vec<OsString>)> {
    let mut words = program.into_iter().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    // The others are commands for people.
    let harness = words.first()?.to_str().and_then(Harness::find_by_name)?;
    let asks_for_help = words.iter().any(|word| matches!(word.to_str(), Some("-h" | "--help")));
    (!asks_for_help).then_some((harness, words))
}

/// Options of one event.
#[derive(Clone, Debug)]
pub struct HookOptions {
    /// Whose event it is.
    pub harness: &'static Harness,
    /// `--ask-via`: what becomes of an ask.
    pub ask_via: AskVia,
    /// `--notify`: the session bus of the desktop that also asks, by notifications.
    pub notify: Option<PathBuf>,
    /// `--time-limit`: the answer is there within this time, or it is a block.
    pub limit: Duration,
    /// `--config`: stands in for the user's and the workspace's file.
    pub config: Option<PathBuf>,
    /// `--config-folder`, where it is not the usual one of the user's home folder.
    pub config_folder: Option<PathBuf>,
    /// `--data-folder`, likewise.
    pub data_folder: Option<PathBuf>,
    /// `--state-folder`, likewise.
    pub state_folder: Option<PathBuf>,
}

impl HookOptions {
    /// Reads what stands behind `hook`.
    ///
    /// # Errors
    /// What is wrong, and what there is.
    pub fn read(words: &[OsString]) -> Result<Self, String> {
        let mut words = words.iter();
        let name = words.next().and_then(|word| word.to_str()).unwrap_or_default();
        let harness = Harness::find_by_name(name).ok_or_else(|| format!("there is no harness `{name}`"))?;
        let mut options = Self {
            harness,
            ask_via: AskVia::Harness,
            notify: None,
            limit: Duration::ZERO,
            config: None,
            config_folder: None,
            data_folder: None,
            state_folder: None,
        };
        let mut limit = None;
        while let Some(word) = words.next() {
            let text = word.to_str().unwrap_or_default();
            let (name, joined) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text, None),
            };
            if !KNOWN.contains(&name) {
                return Err(format!(
                    "there is no option `{}`; there are {}",
                    word.display(),
                    KNOWN.join(", ")
                ));
            }
            let Some(value) = joined.or_else(|| words.next().cloned()) else {
                return Err(format!("{name} needs a value"));
            };
            let text = value.to_str().unwrap_or_default();
            let place = || -> Result<Option<PathBuf>, String> {
                let path = PathBuf::from(&value);
                if path.is_absolute() { Ok(Some(path)) } else { Err(format!("{name} has to be absolute")) }
            };
            match name {
                "--ask-via" => {
                    options.ask_via = match text {
                        "harness" => AskVia::Harness,
                        "inbox" => AskVia::Inbox,
                        _ => return Err("--ask-via is harness or inbox".to_owned()),
                    }
                }
                "--notify" => options.notify = place()?,
                "--time-limit" => limit = Some(parse_duration(text)?),
                "--config" => options.config = place()?,
                "--config-folder" => options.config_folder = place()?,
                "--data-folder" => options.data_folder = place()?,
                _ => options.state_folder = place()?,
            }
        }
        if options.notify.is_some() && options.ask_via != AskVia::Inbox {
            return Err(
                "--notify needs --ask-via inbox: the harness's own prompt is the other way".to_owned()
            );
        }
        options.limit = limit.unwrap_or(match options.ask_via {
            AskVia::Harness => DEFAULT_LIMIT,
            AskVia::Inbox => INBOX_LIMIT,
        });
        Ok(options)
    }
}

const KNOWN: &[&str] = &[
    "--ask-via",
    "--notify",
    "--time-limit",
    "--config",
    "--config-folder",
    "--data-folder",
    "--state-folder",
];

fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time limit: write 10s or 5m, from 0.5 s to a day");
    let given = text.parse::<SignedDuration>().map_err(|_| wrong())?;
    let given = Duration::try_from(given).map_err(|_| wrong())?;
    if (SHORTEST..=LONGEST).contains(&given) { Ok(given) } else { Err(wrong()) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "only tests")]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<HookOptions, String> {
        HookOptions::read(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn given_all_words_of_the_program_then_only_an_event_is_one() {
        let harness = |line: &str| {
            let (harness, words) = event_words(line.split(' ').map(OsString::from))?;
            Some((harness.name, words.len()))
        };
        assert_eq!(harness("mayi hook codex --ask-via inbox"), Some(("codex", 3)));
        assert_eq!(harness("mayi hook codex --no-such-option"), Some(("codex", 2)));
        for line in ["mayi", "mayi hook", "mayi hook status", "mayi hook codex --help", "mayi run codex"] {
            assert_eq!(harness(line), None, "{line}");
        }
    }

    #[test]
    fn given_options_then_they_are_read_in_both_forms() {
        let options = read("claude-code --ask-via=inbox --time-limit 9m --data-folder=/d").unwrap();
        assert_eq!((options.ask_via, options.limit), (AskVia::Inbox, Duration::from_secs(540)));
        assert_eq!(options.data_folder.as_deref(), Some(std::path::Path::new("/d")));
        assert_eq!(read("codex").unwrap().limit, DEFAULT_LIMIT);
    }

    #[test]
    fn given_anything_that_is_not_known_then_there_is_an_error() {
        for line in [
            "",
            "claude",
            "codex --mode auto",
            "codex --config x",
            "codex --ask-via nobody",
            "codex --time-limit",
            "codex --time-limit 0s",
            "codex --time-limit 5",
            "codex --time-limit -5s",
            "codex x",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
