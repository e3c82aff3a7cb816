//! How agents and MCP servers are started or reached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Asks, OnUnasked, scripts};
use mayi_call::ServerId;
use mayi_kept::pin::MayChange;
use mayi_policy::Origin;

/// What starts an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentCommand {
    /// A program and its arguments.
    Words(Vec<String>),
    /// This executable with the argument `demo-agent`.
    BuiltIn,
}

impl AgentCommand {
    /// Program and arguments.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        match self {
            Self::Words(words) => words.clone(),
            Self::BuiltIn => {
                let program = std::env::current_exe()
                    .map_or_else(|_| "mayi".to_owned(), |path| path.display().to_string());
                vec![program, "demo-agent".to_owned()]
            }
        }
    }

    /// Where the program is; `None` if it can't be found.
    #[must_use]
    pub fn program_path(&self) -> Option<PathBuf> {
        match self {
            Self::Words(words) => words.first().and_then(|word| find_program(word)),
            Self::BuiltIn => std::env::current_exe().ok(),
        }
    }
}

/// How an agent is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLaunch {
    /// Its name in the configuration.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What starts it; `None` if there are only settings of it, and no command.
    pub command: Option<AgentCommand>,
    /// Variables that are set for it.
    pub env: BTreeMap<String, String>,
    /// The agent's own mode in which it asks, if mayi has to switch it there.
    pub asking_mode: Option<String>,
    /// Whether it asks, as far as that is known of this command in this mode.
    pub asks: Asks,
    /// A file that is not there reads as an empty one: what else is said of it, this agent takes as a failure.
    pub missing_files_are_empty: bool,
    /// What follows when it does something without asking.
    pub on_unasked: OnUnasked,
    /// Its command is one that mayi knows by itself.
    pub preset: bool,
    /// How to get it, for presets.
    pub install: Option<&'static str>,
    /// Where its command is written.
    pub origin: Origin,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A program that talks on its standard input and output.
    Stdio {
        /// The program and its arguments.
        command: Vec<String>,
        /// Variables that are set for it.
        env: BTreeMap<String, String>,
    },
    /// Streamable HTTP.
    Http {
        /// Where it listens.
        url: String,
        /// Headers that are sent along.
        headers: BTreeMap<String, String>,
    },
    /// HTTP with SSE, its forerunner (MCP 2024-11-05). What is configured by its address is asked by Streamable HTTP first, and so
    /// found to be one; only who says so beforehand, as editors do, has it named.
    Sse {
        /// Where its stream of events is.
        url: String,
        /// Headers that are sent along.
        headers: BTreeMap<String, String>,
    },
}

impl Transport {
    /// How the server is reached, as it is configured and without secrets: `{"command": [WORD, ...], "env": [NAME, ...]}`
    /// or `{"url": URL, "headers": [NAME, ...]}`.
    #[must_use]
    pub fn describe(&self) -> Value {
        match self {
            Self::Stdio { command, env } => {
                json!({ "command": command, "env": env.keys().collect::<Vec<_>>() })
            }
            // Who answers at an address is the same one, in whichever way it is asked.
            Self::Http { url, headers } | Self::Sse { url, headers } => {
                json!({ "url": url, "headers": headers.keys().collect::<Vec<_>>() })
            }
        }
    }

    /// What the command leads to now, started in `cwd`: `{"program": PATH, "scripts": {PATH: DIGEST}}`. Nothing at an
    /// address.
    #[must_use]
    pub fn leads_to(&self, cwd: &Path) -> Option<Value> {
        let Self::Stdio { command, .. } = self else { return None };
        let program = command.first().and_then(|word| real_program(word));
        Some(json!({ "program": program, "scripts": scripts::named_in(command, cwd) }))
    }

    /// The identity of the server that is reached so (D1.21): by its program as it is found now, links
    /// resolved, so that no answer for one program counts for another one that the environment puts in its place.
    #[must_use]
    pub fn server_id(&self) -> ServerId {
        let mut described = self.describe();
        if let Self::Stdio { command, .. } = self
            && let Some(program) = command.first().and_then(|word| real_program(word))
            && let Some(word) = described.get_mut("command").and_then(|words| words.get_mut(0))
        {
            *word = json!(program);
        }
        ServerId::from_launch(&described)
    }
}

/// The program that `word` names, links resolved.
fn real_program(word: &str) -> Option<String> {
    let found = find_program(word)?;
    Some(found.canonicalize().unwrap_or(found).to_string_lossy().into_owned())
}

/// How an MCP server is started or reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLaunch {
    /// Its name in the configuration.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// Where this is written.
    pub origin: Origin,
    /// What of its words may change, as the person says ([`LoadedConfig::may_change`](super::LoadedConfig::may_change)).
    pub may_change: MayChange,
}

/// The program that `word` names: itself if it is a path, else the first in an absolute entry of
/// `PATH` (D1.25). A relative path is one from the current folder.
#[must_use]
pub fn find_program(word: &str) -> Option<PathBuf> {
    if Path::new(word).components().count() > 1 || word.contains(std::path::MAIN_SEPARATOR) {
        let here = std::env::current_dir().ok()?;
        return which::which_in(word, None::<&str>, here).ok();
    }
    let path = std::env::var_os("PATH")?;
    let absolute =
        std::env::join_paths(std::env::split_paths(&path).filter(|entry| entry.is_absolute())).ok()?;
    which::which_in_global(word, Some(absolute)).ok()?.next()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Found in review: what is pinned is what was configured, and what answers are given for is the program
    /// that it leads to, as in earlier versions: what was granted before goes on counting, and for no other program. Attack 288.
    #[test]
    fn given_a_command_then_its_identity_is_that_of_the_program_which_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        std::fs::copy("/bin/sh", at("real")).unwrap();
        std::os::unix::fs::symlink(at("real"), at("link")).unwrap();
        let of = |name: &str| {
            let command = vec![at(name).to_str().unwrap().to_owned(), "x".to_owned()];
            Transport::Stdio { command, env: [("KEY".to_owned(), "secret".to_owned())].into() }
        };
        let (real, link) = (of("real"), of("link"));
        assert_ne!(real.describe(), link.describe());
        assert_eq!(real.server_id(), link.server_id());
        assert_eq!(real.leads_to(folder.path()), link.leads_to(folder.path()));
        assert_eq!(link.describe()["command"][0], json!(at("link")));
        let before = json!({"command": [at("real"), "x"], "env": ["KEY"]});
        assert_eq!(
            link.server_id(),
            ServerId::from_launch(&before),
            "grants of earlier versions are bound to this"
        );
        std::fs::copy("/bin/cat", at("other")).unwrap();
        assert_ne!(of("other").server_id(), real.server_id());
    }
}
