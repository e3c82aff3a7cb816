//! The parent that the harness starts: it bounds a worker, and turns whatever happens to that into a block.
//!
//! It reads no event, no configuration and no environment but what it takes out of the worker's, and starts no thread, so that it
//! is there at once and nothing in it can go wrong that the worker could bring about. The worker is the same program; it answers
//! with one frame on its standard output ([`AnswerFrame`]). What does not come as a whole frame in time is no answer.

mod frame;
mod options;

pub use frame::AnswerFrame;
pub use options::{DEFAULT_LIMIT, HookOptions, INBOX_LIMIT};

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdout, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::harness::HookOutput;

/// The word behind `hook` by which the program is a worker.
pub const WORKER: &str = "--worker";

/// Where the worker finds the home folder that the harness's environment names, which may be another than the user's.
pub const SAID_HOME: &str = "MAYI_HOOK_SAID_HOME";

/// What takes mayi's folders elsewhere: a repository can set it in a harness's settings. (`MAYI_MODE` only tightens.)
const MISLEADING: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "RUST_LOG",
    "RUST_BACKTRACE",
];

/// Ending a worker may take this much of the time.
const MARGIN: Duration = Duration::from_millis(200);

/// Is the parent, if the program's words say that it is one. `None`: they say something else.
#[must_use]
pub fn run_as_guard() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    // The others are commands for people.
    let harness = words.first()?.to_str().and_then(crate::Harness::find_by_name)?;
    if words.iter().any(|word| matches!(word.to_str(), Some("-h" | "--help"))) {
        return None;
    }
    Some(run_bounded_worker(harness.name, words))
}

/// Starts a worker with `words`, and answers as it does.
#[must_use]
pub fn run_bounded_worker(harness: &str, words: Vec<OsString>) -> ExitCode {
    let since = Instant::now();
    let output = match HookOptions::read(&words) {
        Ok(options) => match run_worker(&words, since, options.limit) {
            Ok(output) => output,
            Err(why) => HookOutput::blocked_for(
                harness,
                &format!("blocked, since the hook for {harness} failed: {why}"),
            ),
        },
        Err(why) => HookOutput::blocked_for(
            harness,
            &format!("blocked, since the hook for {harness} is not set up rightly: {why}"),
        ),
    };
    write_output(&output)
}

/// Writes `output`, and returns its code. What can't be written down is no answer.
fn write_output(output: &HookOutput) -> ExitCode {
    let written = io::stdout()
        .write_all(output.out.as_bytes())
        .and_then(|()| io::stdout().flush())
        .and_then(|()| io::stderr().write_all(output.err.as_bytes()));
    ExitCode::from(if written.is_ok() { output.code } else { HookOutput::BLOCKS })
}

/// What the worker answers.
fn run_worker(words: &[OsString], since: Instant, limit: Duration) -> Result<HookOutput, String> {
    let program = if cfg!(target_os = "linux") {
        // Also if the file was replaced since this process began: then it is still the same program.
        "/proc/self/exe".into()
    } else {
        std::env::current_exe().map_err(|error| format!("where mayi is can't be told: {error}"))?
    };
    let mut command = Command::new(program);
    command.arg("hook").arg(WORKER).args(words);
    command.stdin(Stdio::inherit()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(home) = std::env::var_os("HOME") {
        command.env(SAID_HOME, home);
    }
    let ours =
        |name: &OsString| name.to_str().is_some_and(|name| name.starts_with("MAYI_") && name != "MAYI_MODE");
    for name in std::env::vars_os().map(|(name, _)| name).filter(ours).filter(|name| name != SAID_HOME) {
        command.env_remove(name);
    }
    for name in MISLEADING {
        command.env_remove(name);
    }
    let mut child = command.spawn().map_err(|error| format!("its worker can't be started: {error}"))?;
    let Some(mut pipe) = child.stdout.take() else {
        return Err(end_worker(&mut child, "its worker has no output", Duration::ZERO));
    };
    match read_frame(&mut pipe, since + limit.saturating_sub(MARGIN)) {
        // It tidies up by itself; nobody has to wait for that.
        Ok(Some(output)) => Ok(output),
        Ok(None) => Err(end_worker(
            &mut child,
            &format!("it took longer than {}", format_seconds(limit)),
            Duration::ZERO,
        )),
        // One that closed its output is just about to end; how is worth knowing.
        Err(why) => Err(end_worker(&mut child, &why, MARGIN)),
    }
}

/// Reads one frame before `end`; `None`: there was none by then.
fn read_frame(pipe: &mut ChildStdout, end: Instant) -> Result<Option<HookOutput>, String> {
    let mut bytes = Vec::new();
    let mut some = [0; 8192];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let timeout = Timespec::try_from(left).map_err(|_| "its time limit is out of range".to_owned())?;
        match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(format!("its worker can't be waited for: {error}")),
        }
        let read = match pipe.read(&mut some) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(format!("its worker can't be heard: {error}")),
        };
        if read == 0 {
            return Err("its worker ended without an answer".to_owned());
        }
        bytes.extend(some.get(..read).unwrap_or_default());
        match AnswerFrame::read(&bytes) {
            Ok(Some(output)) => return Ok(Some(output)),
            Ok(None) => {}
            Err(why) => return Err(why.to_owned()),
        }
    }
}

/// Ends the worker, also one that is stopped, and says besides `why` how it ended, if it does so by itself within `patience`.
fn end_worker(child: &mut Child, why: &str, patience: Duration) -> String {
    let end = Instant::now() + patience;
    while Instant::now() < end {
        if let Ok(Some(status)) = child.try_wait() {
            return format!("{why} ({})", describe_exit(status));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let _ = child.wait();
    why.to_owned()
}

fn describe_exit(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "unknown".to_owned(),
    }
}

fn format_seconds(limit: Duration) -> String {
    format!("{:.1} s", limit.as_secs_f64())
}
