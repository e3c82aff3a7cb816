//! Programs that run while something is measured.

use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::common::Outcome;

/// A program, ended when this is dropped.
pub(crate) struct Running {
    child: Child,
    /// Some programs end with their input.
    input: Option<ChildStdin>,
}

impl Running {
    /// Starts it. What it says on standard error is of no interest.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        Ok(Self { child, input: None })
    }

    /// Its standard streams, once.
    pub(crate) fn streams(&mut self) -> Outcome<(ChildStdin, ChildStdout)> {
        match (self.child.stdin.take(), self.child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok((stdin, stdout)),
            _ => Err("no standard streams".into()),
        }
    }

    /// Keeps its input open.
    pub(crate) fn keep(&mut self, input: ChildStdin) {
        self.input = Some(input);
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until it has ended by itself.
    pub(crate) fn wait(mut self) -> Outcome<()> {
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
