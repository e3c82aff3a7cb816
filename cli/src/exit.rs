//! Exit codes: the same for every command, and documented in `mayi --help`.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, or allowed.
    Done,
    /// mayi itself failed.
    Internal,
    /// Options that make no sense.
    Usage,
    /// The configuration was refused.
    Config,
    /// The agent or a server failed, or broke the protocol.
    Agent,
    /// Something was denied.
    Denied,
    /// Something needed an answer, and nobody gave one.
    Unanswered,
    /// Something ran without asking that the policy asks about or denies.
    Unasked,
    /// `--timeout` was reached.
    Timeout,
    /// Ctrl-C.
    Interrupted,
    /// A command could not be confined, and was not started.
    Unconfined,
    /// What a command ended with that mayi has run.
    Command(u8),
}

impl Exit {
    /// The number that the shell sees.
    #[must_use]
    pub(crate) fn code(self) -> i32 {
        self.as_u8().into()
    }

    fn as_u8(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::Config => 3,
            Self::Agent => 4,
            Self::Denied => 5,
            Self::Unanswered => 6,
            Self::Unasked => 7,
            Self::Timeout => 124,
            Self::Interrupted => 130,
            Self::Unconfined => mayi_sandbox::FAILED,
            Self::Command(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.as_u8())
    }
}
