//! Stages: how one is started, and how it knows what it is.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rustix::fs::{MemfdFlags, memfd_create};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::{inner, outer, signals};
use crate::{FAILED, Place, Profile, SandboxError, Tier};

/// The words behind which mayi's program is a stage.
const OUTER: &str = "sandbox-outer";
const INNER: &str = "sandbox-inner";

/// Maximum number of bytes of what a stage is told.
const LONGEST: u64 = 16 << 20;

/// What stages are told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) profile: Profile,
    /// Whether namespaces are made: the full tier.
    pub(super) full: bool,
    /// Where the command is started.
    pub(super) cwd: PathBuf,
}

/// A command that will run confined.
#[derive(Debug)]
pub struct Confined {
    command: Command,
    /// Open for the stage that reads it.
    _task: File,
    /// Where there is none of its own mounted.
    _temporary: Option<TempDir>,
}

impl Confined {
    /// What runs `words` in `profile`, held by `tier`, in the folder `cwd`. Streams, environment and end are the command's own; 125
    /// is its end if it could not be confined, and it was not started then.
    ///
    /// # Errors
    /// Where `tier` holds less than the whole profile by more than what [`Tier::shortfalls`] says of it, or nothing at all.
    pub fn new(profile: &Profile, tier: Tier, cwd: &Path, words: &[OsString]) -> Result<Self, SandboxError> {
        for place in profile.writable.iter().chain(&profile.read_only).chain(&profile.hidden) {
            if !place.path.is_absolute() {
                return Err(SandboxError::NotAbsolute(place.path.clone()));
            }
        }
        if tier == Tier::None {
            return Err(SandboxError::Shortfall("nothing holds it here".to_owned()));
        }
        if tier == Tier::Full
            && let Some(why) = tier.shortfalls(profile).into_iter().next()
        {
            return Err(SandboxError::Shortfall(why));
        }
        let full = tier == Tier::Full;
        let mut profile = profile.clone();
        let mut temporary = None;
        if !full {
            let folder = tempfile::Builder::new().prefix("mayi-").tempdir();
            let folder = folder.map_err(SandboxError::step("make a temporary folder"))?;
            let because = "a temporary folder of its own".to_owned();
            profile.writable.push(Place { path: folder.path().to_owned(), because });
            temporary = Some(folder);
        }
        let folder = temporary.as_ref().map_or(Path::new("/tmp"), TempDir::path).to_owned();
        let task = Task { profile, full, cwd: cwd.to_owned() };
        let (mut command, file) = stage(OUTER, &task).map_err(SandboxError::step("prepare the sandbox"))?;
        command.arg("--").args(words);
        command.env("TMPDIR", folder);
        for name in &task.profile.withheld_variables {
            command.env_remove(name);
        }
        Ok(Self { command, _task: file, _temporary: temporary })
    }

    /// The process that is to be started: its streams and environment may still be changed.
    pub fn command_mut(&mut self) -> &mut Command {
        &mut self.command
    }

    /// Runs it to its end: the code it ended with.
    ///
    /// # Errors
    /// If it could not be started.
    pub fn run(mut self) -> Result<u8, SandboxError> {
        // A group of its own: what is typed at the terminal comes once, from here.
        let child = self.command.process_group(0).spawn().map_err(SandboxError::step("start the sandbox"))?;
        signals::forward_until_end(child).map_err(SandboxError::step("wait for the command"))
    }
}

/// A stage that is told `task`. The file has to live until it is started.
pub(super) fn stage(word: &str, task: &Task) -> io::Result<(Command, File)> {
    // Inherited, and read by the stage alone.
    let mut file = File::from(memfd_create("mayi-sandbox", MemfdFlags::empty())?);
    file.write_all(&serde_json::to_vec(task)?)?;
    let mut command = Command::new("/proc/self/exe");
    command.arg(word).arg(file.as_raw_fd().to_string());
    Ok((command, file))
}

/// The inner stage.
pub(super) fn inner_stage(task: &Task) -> io::Result<(Command, File)> {
    stage(INNER, task)
}

/// Whether this process was started as a stage: then it is one until its command has ended.
pub(crate) fn run_if_stage() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let word = words.next()?;
    let run: fn(&Task, &[OsString]) -> Result<u8, SandboxError> = match word.to_str() {
        Some(OUTER) => outer::run,
        Some(INNER) => inner::run,
        _ => return None,
    };
    let ended = read_task(words.next().as_deref())
        .and_then(|task| close_inherited().map(|()| task))
        .map_err(SandboxError::step("read what is to be confined"))
        .and_then(|task| run(&task, &words.skip(1).collect::<Vec<_>>()));
    Some(match ended {
        Ok(code) => code.into(),
        Err(error) => {
            let _ =
                writeln!(io::stderr(), "mayi: the sandbox could not be made, and nothing was run: {error}");
            FAILED.into()
        }
    })
}

/// Reads what the stage is told.
fn read_task(fd: Option<&OsStr>) -> io::Result<Task> {
    let path = fd.and_then(OsStr::to_str).filter(|fd| fd.bytes().all(|byte| byte.is_ascii_digit()));
    let path = path.ok_or(io::ErrorKind::InvalidInput)?;
    let mut text = Vec::new();
    File::open(format!("/proc/self/fd/{path}"))?.take(LONGEST).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Closes all that is open but standard input, output and error: what whoever started mayi left open is not for the command.
fn close_inherited() -> io::Result<()> {
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for fd in open.into_iter().filter(|fd| *fd > 2) {
        // Also the one by which they were listed, which is closed by now.
        let _ = nix::unistd::close(fd);
    }
    Ok(())
}
