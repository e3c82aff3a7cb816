//! Processes that mayi starts for others: agents, their commands, MCP servers. Each is a session of its own without a
//! terminal, and ends with everything that it started.

use process_wrap::tokio::CommandWrap;
use tokio::io::AsyncBufReadExt;
use tokio::process::Command;

/// Takes mayi's own settings out of the environment: what mayi starts is not to inherit them.
pub fn without_own_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MAYI_")) {
        command.env_remove(name);
    }
}

/// A process and everything that it started: one group, since each gets a session of its own. It can
/// outlive the process, and ends when this is dropped.
pub struct Family(Option<u32>);

impl Family {
    /// That of the process with this id.
    #[must_use]
    pub fn of(leader: Option<u32>) -> Self {
        Self(leader)
    }

    /// Ends all of it, once.
    #[cfg(unix)]
    pub fn end(&mut self) {
        let leader =
            self.0.take().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    /// A job of Windows ends with the handle that the child holds.
    #[cfg(not(unix))]
    pub fn end(&mut self) {
        self.0 = None;
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        self.end();
    }
}

/// A command whose whole family ends with it, and that has no terminal to answer from.
pub fn wrapped(command: Command) -> CommandWrap {
    let mut wrap = CommandWrap::from(command);
    #[cfg(unix)]
    wrap.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    wrap.wrap(process_wrap::tokio::JobObject);
    wrap
}

/// Reads a line, or 64 KiB of one: an agent that never ends its line must not fill the memory.
pub async fn read_some_line<R: tokio::io::AsyncBufRead + Unpin>(
    reader: &mut R,
    line: &mut Vec<u8>,
) -> std::io::Result<usize> {
    let mut limited = tokio::io::AsyncReadExt::take(reader, 64 * 1024);
    limited.read_until(b'\n', line).await
}
