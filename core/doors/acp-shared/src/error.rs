//! What can go wrong with an agent: all of it is exit code 4.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;

use mayi_core::approval::escape_line;

/// The agent could not be started, failed, or broke the protocol.
#[derive(Debug, Error)]
pub enum AgentError {
    /// The program is not on the path.
    #[error("`{program}` was not found on the PATH{hint}")]
    NotFound {
        /// What was looked for.
        program: String,
        /// How to install it, if that is known.
        hint: String,
    },
    /// The program lies inside a folder that the agent works in: a repository could have put it
    /// there.
    #[error(
        "{0} lies inside the workspace, where anybody's repository could have put it; start it by a path outside, or look at it and say: mayi trust {1}",
        escape_line(&program.display().to_string()), escape_line(&mayi_core::call::shell::quote_word(&program.display().to_string()))
    )]
    InWorkspace {
        /// Where it is.
        program: PathBuf,
    },
    /// The same, and it was trusted when it had another content.
    #[error(
        "{0} lies inside the workspace and has changed since you trusted it; look at it, then say: mayi trust {1}",
        escape_line(&program.display().to_string()), escape_line(&mayi_core::call::shell::quote_word(&program.display().to_string()))
    )]
    Changed {
        /// Where it is.
        program: PathBuf,
    },
    /// It did not start.
    #[error("{} could not be started: {error}", escape_line(&program.display().to_string()))]
    Spawn {
        /// What was started.
        program: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The folder that agents are started in can't be made.
    #[error("the folder that agents are started in, {}, can't be made: {error}", escape_line(&folder.display().to_string()))]
    Folder {
        /// Which one.
        folder: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// It ended while something was expected of it.
    #[error("the agent ended {when}{status}{stderr}")]
    Died {
        /// What was going on.
        when: &'static str,
        /// How it ended, if that is known.
        status: String,
        /// The last lines that it wrote.
        stderr: String,
    },
    /// It sent what the protocol does not allow.
    #[error("the agent broke the protocol: {0}")]
    Protocol(String),
    /// It did not answer in time.
    #[error("the agent did not answer {what} within {}s", limit.as_secs())]
    Silent {
        /// What was asked of it.
        what: &'static str,
        /// For how long.
        limit: Duration,
    },
    /// It lacks the mode in which it was to ask.
    #[error(
        "the agent has no mode {wanted}, in which it would ask before it acts: {has}; write the one in which it asks as \
         `asking_mode` under [agents.{agent}], or `asking_mode = \"\"` to leave it as it starts, where it may do things \
         without asking"
    )]
    NoAskingMode {
        /// The agent's name in the configuration.
        agent: String,
        /// The mode, made visible.
        wanted: String,
        /// What it has instead, made visible.
        has: String,
    },
    /// It answered with an error.
    #[error("the agent refused {what}: {message}{hint}")]
    Refused {
        /// What was asked of it.
        what: &'static str,
        /// Its words, made visible.
        message: String,
        /// What to do, if that is known.
        hint: &'static str,
    },
}

impl AgentError {
    /// From an error that the agent answered `what` with: its code, its message, and its data.
    #[must_use]
    pub fn from_error_response(what: &'static str, code: i64, message: &str, data: Option<&Value>) -> Self {
        let detail = match data {
            Some(Value::String(text)) => format!(" ({})", escape_line(text)),
            Some(Value::Object(map)) => map
                .get("message")
                .or_else(|| map.get("details"))
                .and_then(Value::as_str)
                .map(|text| format!(" ({})", escape_line(text)))
                .unwrap_or_default(),
            _ => String::new(),
        };
        let hint = if code == -32000 {
            "; sign in first: with the agent's own program, or by a key in the variable that it reads"
        } else {
            ""
        };
        Self::Refused { what, message: format!("{}{detail}", escape_line(message)), hint }
    }
}
