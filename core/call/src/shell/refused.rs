//! Why a line is not understood.

/// The reason, in one line, lower case. One refusal anywhere makes the whole line not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused(String);

/// What is read of a line, or why it can't be.
pub(super) type Result<T> = std::result::Result<T, Refused>;

impl Refused {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    pub(super) fn reason(self) -> String {
        self.0
    }
}
