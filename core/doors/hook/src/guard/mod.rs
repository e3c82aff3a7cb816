//! The parent that the harness starts: it bounds a worker, and turns whatever happens to that into a block.
//!
//! It reads no event, no configuration and no environment but the harness's home folder, and starts no thread, so that it is there
//! at once and nothing in it can go wrong that the worker could bring about. The worker is a fork of it, where a process can have
//! one, else the same program once more (`process`); it answers with one frame ([`AnswerFrame`]). What does not come as a whole
//! frame in time is no answer.

mod frame;
mod options;
mod process;

pub use frame::AnswerFrame;
pub use options::{DEFAULT_LIMIT, HookOptions, INBOX_LIMIT};
pub use process::{SAID_HOME, WorkerMain, outlive_parent, worker_words};

use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use self::options::event_words;
use self::process::WorkerProcess;
use crate::harness::HookOutput;

/// Ending a worker may take this much of the time.
const MARGIN: Duration = Duration::from_millis(200);

/// Is the parent of one that does what `worker` does, if the program's words say that it is one. `None`: they say something else.
#[must_use]
pub fn run_as_guard(worker: WorkerMain) -> Option<ExitCode> {
    let (harness, words) = event_words(std::env::args_os())?;
    Some(run_bounded_worker(harness.name, &words, worker))
}

/// Begins a worker with `words`, and answers as it does.
fn run_bounded_worker(harness: &str, words: &[OsString], worker: WorkerMain) -> ExitCode {
    let since = Instant::now();
    let output = match HookOptions::read(words) {
        Ok(options) => match run_worker(words, worker, since, options.limit) {
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
    output.write()
}

/// What the worker answers.
fn run_worker(
    words: &[OsString],
    worker: WorkerMain,
    since: Instant,
    limit: Duration,
) -> Result<HookOutput, String> {
    let mut worker = WorkerProcess::begin(words, worker)?;
    match read_frame(&mut worker.pipe, since + limit.saturating_sub(MARGIN)) {
        // It tidies up by itself; nobody has to wait for that.
        Ok(Some(output)) => Ok(output),
        Ok(None) => {
            worker.end(Duration::ZERO);
            Err(format!("it took longer than {}", format_seconds(limit)))
        }
        // One that closed its output is just about to end; how is worth knowing.
        Err(why) => Err(match worker.end(MARGIN) {
            Some(how) => format!("{why} ({how})"),
            None => why,
        }),
    }
}

/// Reads one frame before `end`; `None`: there was none by then.
fn read_frame(pipe: &mut PipeReader, end: Instant) -> Result<Option<HookOutput>, String> {
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

fn format_seconds(limit: Duration) -> String {
    format!("{:.1} s", limit.as_secs_f64())
}
