//! Why a line is not understood.

/// The reason, in one line, lower case. One refusal anywhere makes the whole line not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineError {
    reason: String,
    stops: bool,
}

/// What is read of a line, or why it can't be.
pub(super) type Result<T> = std::result::Result<T, LineError>;

impl LineError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), stops: false }
    }

    /// Looking at all of it would take too long.
    pub(super) fn too_much() -> Self {
        Self::new("there is more in it than is looked at for one decision")
    }

    /// The shell can't read it either: it reads no further, and runs none of it.
    pub(super) fn and_stops(self) -> Self {
        Self { stops: true, ..self }
    }

    /// Whether the shell stops there.
    pub(super) fn stops_shell(&self) -> bool {
        self.stops
    }

    pub(super) fn reason(self) -> String {
        self.reason
    }
}
