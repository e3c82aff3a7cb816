//! Starting agents: from absolute entries of PATH, in a folder of mayi's own, without `MAYI_*`, in
//! a session of their own without a terminal (D1.25).

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::BufReader;
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::AgentError;
use mayi_core::approval::escape_line;
use mayi_core::config::{Trust, TrustState};
use mayi_doors::process::{self, ProcessFamily, read_some_line, without_own_variables};
use mayi_doors::task::spawn;

/// How an agent is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Variables besides mayi's own environment.
    pub env: BTreeMap<String, String>,
    /// The folder that it starts in: mayi's own, since ACP carries the session's.
    pub folder: PathBuf,
    /// No program inside of these is started, unless it is trusted.
    pub roots: Vec<PathBuf>,
    /// What the user said `mayi trust` of.
    pub trust: Trust,
    /// The program is mayi's own executable, wherever that lies.
    pub own: bool,
    /// How to install it, for the error.
    pub install: Option<String>,
}

/// As many last lines of the agent's error output are kept.
const KEPT: usize = 12;

/// An agent that runs. Dropping it ends it with everything that it started.
pub struct Process {
    family: ProcessFamily,
    exited: watch::Receiver<Option<ExitStatus>>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    /// Reads its error output until that is closed.
    reader: Option<JoinHandle<()>>,
}

/// Both ends of the agent's standard input and output.
pub struct Pipes {
    /// What it reads.
    pub stdin: ChildStdin,
    /// What it writes.
    pub stdout: ChildStdout,
    /// How the agent itself ended: what it started may hold its output open for longer.
    pub exited: watch::Receiver<Option<ExitStatus>>,
}

/// Finds `program`: an absolute path as it is, a name in the absolute entries of PATH.
///
/// # Errors
/// If there is none, or it lies inside one of `roots` and is not trusted just as it is.
pub fn resolve_program(
    program: &str,
    roots: &[PathBuf],
    trust: &Trust,
    install: Option<&str>,
) -> Result<PathBuf, AgentError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let absolute: Vec<PathBuf> = std::env::split_paths(&path).filter(|entry| entry.is_absolute()).collect();
    let search: OsString = std::env::join_paths(absolute).unwrap_or_default();
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let found = which::which_in(program, Some(search), cwd).map_err(|_| AgentError::NotFound {
        program: escape_line(program),
        hint: install.map(|install| format!("; {install}")).unwrap_or_default(),
    })?;
    let real = found.canonicalize().unwrap_or_else(|_| found.clone());
    if roots.iter().any(|root| found.starts_with(root) || real.starts_with(root)) {
        return match trust.program_state(&real) {
            // What was looked at, not the link that led there.
            TrustState::Trusted => Ok(real),
            TrustState::Changed => Err(AgentError::Changed { program: found }),
            TrustState::Unknown => Err(AgentError::InWorkspace { program: found }),
        };
    }
    Ok(found)
}

/// PATH without relative entries and without those inside of `roots`.
#[must_use]
pub fn safe_path(roots: &[PathBuf]) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let safe = std::env::split_paths(&path)
        .filter(|entry| entry.is_absolute() && !roots.iter().any(|root| entry.starts_with(root)));
    std::env::join_paths(safe).unwrap_or_default()
}

impl Process {
    /// Starts the agent. `hears` gets the lines of its error output, made visible.
    ///
    /// # Errors
    /// If it can't be found or started.
    pub async fn start(
        launch: &Launch,
        hears: impl Fn(String) + Send + 'static,
    ) -> Result<(Self, Pipes), AgentError> {
        let (program, arguments) = launch.command.split_first().ok_or_else(|| AgentError::NotFound {
            program: String::new(),
            hint: "; the agent's command is empty".to_owned(),
        })?;
        let forbidden = if launch.own { &[] } else { launch.roots.as_slice() };
        let program = resolve_program(program, forbidden, &launch.trust, launch.install.as_deref())?;
        let spawn_error = |error| AgentError::Spawn { program: program.clone(), error };
        make_folder(&launch.folder)
            .map_err(|error| AgentError::Folder { folder: launch.folder.clone(), error })?;
        let mut command = Command::new(&program);
        command
            .args(arguments)
            .current_dir(&launch.folder)
            .env("PATH", safe_path(&launch.roots))
            .env_remove("PWD");
        without_own_variables(&mut command);
        command.envs(&launch.env);
        let started = process::start(command, true).map_err(spawn_error)?;
        started.pending_start.wait_started().await.map_err(spawn_error)?;
        let broken = || AgentError::Protocol("its standard streams could not be opened".to_owned());
        let (stdin, stdout) = (started.stdin.ok_or_else(broken)?, started.stdout);
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let reader = Some(spawn(keep_last_lines(started.stderr, Arc::clone(&stderr), hears)));
        let (family, exited) = (started.family, started.exited);
        let process = Self { family, exited: exited.clone(), stderr, reader };
        Ok((process, Pipes { stdin, stdout, exited }))
    }

    /// The error for an agent that ended: with its status, if it has one soon, and its last words.
    pub async fn exit_error(&mut self, when: &'static str) -> AgentError {
        let limit = Duration::from_secs(1);
        let status = match tokio::time::timeout(limit, self.exited.wait_for(Option::is_some)).await {
            Ok(Ok(status)) => status.map(|status| format!(" ({status})")).unwrap_or_default(),
            _ => String::new(),
        };
        // What it said last may still be in the pipe. What it started may hold the pipe open: no long wait.
        if let Some(reader) = &mut self.reader
            && tokio::time::timeout(Duration::from_millis(500), &mut *reader).await.is_ok()
        {
            self.reader = None;
        }
        AgentError::Died { when, status, stderr: self.last_words() }
    }

    fn last_words(&self) -> String {
        let lines = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            return String::new();
        }
        let text = lines.iter().map(|line| format!("\n  | {line}")).collect::<String>();
        format!("; its last lines were:{text}")
    }

    /// Ends the agent and everything that it started.
    pub async fn end(mut self) {
        let limit = Duration::from_millis(500);
        // Its input is closed by now: most agents end by themselves.
        let _ = tokio::time::timeout(limit, self.exited.wait_for(Option::is_some)).await;
        self.family.end_and_wait().await;
        // What it said last may still be in the pipe. Where it has no supervisor, what it started may hold that open.
        if let Some(reader) = self.reader {
            let _ = tokio::time::timeout(limit, reader).await;
        }
    }
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

async fn keep_last_lines(
    pipe: tokio::process::ChildStderr,
    kept: Arc<Mutex<VecDeque<String>>>,
    hears: impl Fn(String) + Send + 'static,
) {
    let mut reader = BufReader::new(tokio::io::AsyncReadExt::take(pipe, u64::MAX));
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_some_line(&mut reader, &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = escape_line(text.trim_end_matches(['\n', '\r']));
                {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    if kept.len() == KEPT {
                        kept.pop_front();
                    }
                    kept.push_back(text.chars().take(400).collect());
                }
                hears(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 8: "`node_modules/.bin` ... in the workspace replaces the agent: not resolved from the
    /// workspace".
    #[cfg(unix)]
    #[test]
    fn given_a_program_inside_a_root_then_it_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("agent");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let text = program.to_str().unwrap();
        assert!(resolve_program(text, &[], &Trust::default(), None).is_ok());
        let error = resolve_program(text, &[dir.path().to_owned()], &Trust::default(), None).unwrap_err();
        assert!(matches!(error, AgentError::InWorkspace { .. }), "{error}");
    }

    /// D1.25: An executable inside a workspace root needs `mayi trust`: exactly this
    /// one, with the content that it had.
    /// Attack 8: a program that was trusted, replaced by another.
    #[cfg(unix)]
    #[test]
    fn given_a_trusted_program_inside_a_root_then_it_is_started_while_it_is_the_same() {
        use std::os::unix::fs::PermissionsExt;

        use mayi_core::config::{Folders, TrustedKind, program_digest};
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let program = root.join("agent");
        let put = |text: &str| {
            std::fs::write(&program, text).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        put("#!/bin/sh\n");
        let folders = Folders { data: Some(root.join("data")), ..Folders::default() };
        let sha256 = program_digest(&program).unwrap();
        Trust::add_file(&folders, TrustedKind::Program, &program, &sha256).unwrap();
        let trust = Trust::read(&folders).unwrap();
        let resolve =
            || resolve_program(program.to_str().unwrap(), std::slice::from_ref(&root), &trust, None);
        assert_eq!(resolve().unwrap(), program);
        put("#!/bin/sh\nevil\n");
        assert!(matches!(resolve().unwrap_err(), AgentError::Changed { .. }));
    }

    #[test]
    fn given_no_such_program_then_the_error_says_how_to_install_it() {
        let error =
            resolve_program("no-such-agent-here", &[], &Trust::default(), Some("npm i -g it")).unwrap_err();
        assert_eq!(error.to_string(), "`no-such-agent-here` was not found on the PATH; npm i -g it");
    }
}
