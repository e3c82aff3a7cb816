//! How agents and MCP servers are started or reached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Asks, OnUnasked};
use mayi_call::ServerId;
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
    pub fn program(&self) -> Option<PathBuf> {
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
}

impl Transport {
    /// How the server is reached, without secrets: `{"command": [PROGRAM, ...], "env": [NAME, ...]}` with the program as
    /// it is found now, links resolved, or `{"url": URL, "headers": [NAME, ...]}`.
    #[must_use]
    pub fn describe(&self) -> Value {
        match self {
            Self::Stdio { command, env } => {
                let mut words = command.clone();
                if let Some(first) = words.first_mut()
                    && let Some(found) = find_program(first)
                {
                    *first = found.canonicalize().unwrap_or(found).to_string_lossy().into_owned();
                }
                json!({ "command": words, "env": env.keys().collect::<Vec<_>>() })
            }
            Self::Http { url, headers } => {
                json!({ "url": url, "headers": headers.keys().collect::<Vec<_>>() })
            }
        }
    }

    /// The identity of the server that is reached so (decisions, section 1).
    #[must_use]
    pub fn identity(&self) -> ServerId {
        ServerId::of(&self.describe())
    }
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
}

/// The program that `word` names: itself if it is a path, else the first in an absolute entry of
/// `PATH` (decisions, section 1). A relative path is one from the current folder.
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
