//! Stages: how one is started, and how it knows what it is.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::outlet::Outlet;
use super::{inner, outer, signals};
use crate::git_settings::Copies;
use crate::{FAILED, Launch, Network, Place, Profile, SandboxError, Tier};

/// The words behind which mayi's program is a stage.
const OUTER: &str = "sandbox-outer";
const INNER: &str = "sandbox-inner";

/// Maximum number of bytes of what a stage is told.
const LONGEST: u64 = 16 << 20;

/// What stages are told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) profile: Profile,
    /// Whether namespaces are made: the full tier.
    pub(super) full: bool,
    /// Where the command is started.
    #[serde(with = "crate::profile::path_text")]
    pub(super) cwd: PathBuf,
    /// Whether nothing is run, and what was found of caches is printed.
    pub(super) only_tell: bool,
    /// Where the profile's copies are, each in a folder by its number.
    pub(super) copies: Option<PathBuf>,
    /// The descriptor by which the listener of its network is handed out.
    pub(super) outlet: Option<RawFd>,
}

/// A command that will run confined.
#[derive(Debug)]
pub(crate) struct Confined {
    command: Command,
    _open: Opened,
    /// Where there is none of its own mounted.
    _temporary: Option<TempDir>,
    copies: Copies,
    outlet: Option<Outlet>,
}

impl Confined {
    /// What runs a command in `profile`, held by `tier`. Streams, environment and end are the command's own; 125 is its end if it
    /// could not be confined, and it was not started then.
    ///
    /// # Errors
    /// If `tier` is none, or can't hold what it has to ([`Tier::shortfalls`]).
    pub(crate) fn new(profile: &Profile, tier: Tier, launch: Launch<'_>) -> Result<Self, SandboxError> {
        Self::prepare(profile, tier, launch, false)
    }

    /// What makes the full tier's mounts of `profile`, and prints where what is written in its caches is kept.
    ///
    /// # Errors
    /// If the full tier can't hold all of the profile.
    pub(crate) fn telling(profile: &Profile) -> Result<Self, SandboxError> {
        Self::prepare(profile, Tier::Full, Launch { cwd: "/".into(), ..Launch::default() }, true)
    }

    fn prepare(
        profile: &Profile,
        tier: Tier,
        launch: Launch<'_>,
        only_tell: bool,
    ) -> Result<Self, SandboxError> {
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
        let copied: &[Place] = if full { &profile.copied } else { &[] };
        let copies = Copies::make(copied).map_err(SandboxError::step("copy the settings of a repository"))?;
        let place = copies.folder().map(Path::to_owned);
        let proxied = full && !only_tell && profile.network == Network::Proxied;
        let outlet = launch.take_listener.filter(|_| proxied).map(Outlet::open).transpose();
        let outlet = outlet.map_err(SandboxError::step("prepare a listener"))?;
        let number = outlet.as_ref().map(Outlet::number);
        let task = Task { profile, full, cwd: launch.cwd, only_tell, copies: place, outlet: number };
        signals::as_at_login().map_err(SandboxError::step("take up signals"))?;
        let (mut command, open) = stage(OUTER, &task).map_err(SandboxError::step("prepare the sandbox"))?;
        command.arg("--").args(launch.words);
        command.env("TMPDIR", folder);
        for name in &task.profile.withheld_variables {
            command.env_remove(name);
        }
        for cache in task.profile.caches.iter().filter(|_| full) {
            command.envs(cache.variable.as_ref().map(|variable| (variable, &cache.folder)));
        }
        command.envs(launch.variables);
        Ok(Self { command, _open: open, _temporary: temporary, copies, outlet })
    }

    /// The process that is to be started: its streams and environment may still be changed.
    pub(crate) fn command_mut(&mut self) -> &mut Command {
        &mut self.command
    }

    /// Runs it to its end: the code it ended with.
    ///
    /// # Errors
    /// If it could not be started.
    pub(crate) fn run(mut self) -> Result<u8, SandboxError> {
        // A group of its own: what is typed at the terminal comes once, from here.
        let waiting = self.outlet.take().map(Outlet::wait);
        let ended = signals::run_to_end(self.command.process_group(0), None)
            .map_err(SandboxError::step("run the sandbox"));
        // Its end is the end of what waits for a listener.
        drop(waiting);
        for line in self.copies.put_through() {
            let _ = writeln!(io::stderr(), "mayi: {}", line.escape_debug());
        }
        ended
    }
}

/// What is open for a stage: it has to live as long as the stage does.
#[derive(Debug)]
pub(super) struct Opened {
    _task: File,
    /// Nothing is written to it: it is gone when this process is.
    _lives: OwnedFd,
    _heard: OwnedFd,
}

/// A stage that is told `task`.
pub(super) fn stage(word: &str, task: &Task) -> io::Result<(Command, Opened)> {
    // Inherited, and read by the stage alone.
    let mut file = File::from(memfd_create("mayi-sandbox", MemfdFlags::empty())?);
    file.write_all(&serde_json::to_vec(task)?)?;
    let (heard, lives) = pipe_with(PipeFlags::CLOEXEC)?;
    fcntl_setfd(&heard, FdFlags::empty())?;
    let mut command = Command::new("/proc/self/exe");
    command.arg(word).arg(file.as_raw_fd().to_string()).arg(heard.as_raw_fd().to_string());
    Ok((command, Opened { _task: file, _lives: lives, _heard: heard }))
}

/// The inner stage.
pub(super) fn inner_stage(task: &Task) -> io::Result<(Command, Opened)> {
    stage(INNER, &Task { outlet: None, ..task.clone() })
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
    let ended = signals::as_at_login()
        .and_then(|()| read_task(words.next().as_deref()))
        .and_then(|task| end_with_parent(words.next().as_deref()).map(|()| task))
        .and_then(|task| close_inherited(task.outlet).map(|()| task))
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
    let mut text = Vec::new();
    File::open(own_descriptor(fd)?)?.take(LONGEST).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// A stage ends with the process that started it, also if that is gone by now.
fn end_with_parent(heard: Option<&OsStr>) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let path = own_descriptor(heard)?;
    let heard = File::open(path)?;
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&heard, PollFlags::IN)], Some(&now))
        .map_err(io::Error::from)
        .and_then(|ready| if ready == 0 { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) })
}

/// Where a descriptor is that was handed on by its number.
fn own_descriptor(number: Option<&OsStr>) -> io::Result<String> {
    let number = number.and_then(OsStr::to_str).filter(|fd| fd.bytes().all(|byte| byte.is_ascii_digit()));
    Ok(format!("/proc/self/fd/{}", number.ok_or(io::ErrorKind::InvalidInput)?))
}

/// Closes all that is open but standard input, output and error: what whoever started mayi left open is not for the command.
fn close_inherited(kept: Option<RawFd>) -> io::Result<()> {
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for fd in open.into_iter().filter(|fd| *fd > 2 && Some(*fd) != kept) {
        // Also the one by which they were listed, which is closed by now.
        let _ = nix::unistd::close(fd);
    }
    Ok(())
}
