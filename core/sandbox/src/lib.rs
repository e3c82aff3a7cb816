//! What was decided is held by the kernel: a [`Profile`] says what a process may read, write and reach, and [`run`] starts one in
//! it. Nothing here decides, and nothing here needs root.

#[cfg(target_os = "linux")]
mod after;
mod caches;
mod derive;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing runs confined there"))]
mod git_settings;
#[cfg(target_os = "linux")]
mod linux;
mod needed;
mod profile;
mod remove;
mod seatbelt;
mod tier;
mod walk;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener};
#[cfg(not(target_os = "linux"))]
use std::path::Path;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};

pub use caches::{Cache, CacheGround, CacheLayer, CacheStore, CleanError, KeptCache, KeptProject, KeptRoot};
pub use derive::{Derived, Ground, Reading};
pub use profile::{Bounds, Network, Place, Profile};
pub use remove::delete_folder;
pub use seatbelt::seatbelt_text;
pub use tier::Tier;

#[cfg(target_os = "linux")]
pub use after::Before;
#[cfg(target_os = "linux")]
pub use linux::{available_tier, try_caches};

/// Why a process could not be confined. It was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The system does not do a step.
    #[error("{step}: {source}")]
    Step {
        /// What was to be done.
        step: String,
        /// Why it was not.
        #[source]
        source: io::Error,
    },
    /// A part of the profile does not hold here.
    #[error("this can't be held here: {0}")]
    Shortfall(String),
    /// A place of the profile is not absolute.
    #[error("{} is not an absolute path", .0.display())]
    NotAbsolute(PathBuf),
}

impl SandboxError {
    pub(crate) fn step(step: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let step = step.into();
        move |source| Self::Step { step, source }
    }
}

/// What a process ends with that could not be confined: as `env` and `timeout` do it for themselves.
pub const FAILED: u8 = 125;

/// Whether this process was started as a stage of a sandbox: then it is one until its command has ended. To be called before there
/// is any other thread.
#[must_use]
pub fn run_if_stage() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return linux::run_if_stage();
    #[cfg(not(target_os = "linux"))]
    None
}

/// Where the listener of a [`Network::Proxied`] is, on the loopback of its network.
pub const PROXY: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 3128));

/// Takes the listener of a command's network: from a thread, before the command is started.
pub type TakeListener = Box<dyn FnOnce(TcpListener) + Send>;

/// What is started, and how.
#[derive(Default)]
pub struct Launch<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// The folder in which it starts.
    pub cwd: PathBuf,
    /// Variables of its environment besides those of this process.
    pub variables: Vec<(&'static str, String)>,
    /// Takes the listener, where the profile's network is [`Network::Proxied`].
    pub take_listener: Option<TakeListener>,
}

impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Variables have secrets in them.
        f.debug_struct("Launch").field("words", &self.words).field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// Runs a command, held by `tier` to `profile`, until it has ended: the code it ended with, as shells have it. It has the streams of
/// this process, and its environment less what the profile withholds. Signals to this process are handed on where anything holds it.
///
/// # Errors
/// If it could not be started as the profile says.
pub fn run(profile: &Profile, tier: Tier, launch: Launch<'_>) -> Result<u8, SandboxError> {
    if tier != Tier::None {
        #[cfg(target_os = "linux")]
        return linux::Confined::new(profile, tier, launch)?.run();
        #[cfg(not(target_os = "linux"))]
        return Err(SandboxError::Shortfall("mayi has no sandbox on this system yet".to_owned()));
    }
    let Some((program, arguments)) = launch.words.split_first() else {
        return Err(SandboxError::Shortfall("no command is named".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(launch.cwd);
    for name in &profile.withheld_variables {
        command.env_remove(name);
    }
    let status = command.status().map_err(SandboxError::step(program.to_string_lossy()))?;
    Ok(exit_code(status))
}

/// The code that says how a process ended, as shells have it: its own, or 128 and the signal.
fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or_else(|| Some(128 + signal?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED)
}

/// What was protected before a command ran.
#[cfg(not(target_os = "linux"))]
#[derive(Clone, Debug, Default)]
pub struct Before;

#[cfg(not(target_os = "linux"))]
impl Before {
    /// What a profile protects: nothing runs by it there.
    #[must_use]
    pub fn of(_: &Profile) -> Self {
        Self
    }
}

#[cfg(not(target_os = "linux"))]
impl Ground<'_> {
    /// Where nothing runs confined, nothing is taken back.
    #[must_use]
    pub fn take_back(&self, _: &Before, _: &Path) -> Vec<String> {
        Vec::new()
    }
}

/// Where there is no sandbox: none.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn try_caches(_: &Profile) -> Vec<(String, CacheLayer)> {
    Vec::new()
}

/// Where there is no sandbox: none.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn available_tier() -> (Tier, Option<String>) {
    (Tier::None, Some("mayi has no sandbox on this system yet".to_owned()))
}
