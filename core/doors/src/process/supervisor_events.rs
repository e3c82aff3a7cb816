//! What a supervisor tells of its program, a line each.

/// One thing that it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SupervisorMessage {
    /// The program runs.
    Started,
    /// It could not be started: the system's number for why.
    Failed(i32),
    /// It has ended, with this status as the system has it.
    Ended(i32),
}

impl SupervisorMessage {
    pub(super) fn to_line(self) -> String {
        match self {
            Self::Started => "started\n".to_owned(),
            Self::Failed(error) => format!("failed {error}\n"),
            Self::Ended(status) => format!("ended {status}\n"),
        }
    }

    pub(super) fn read(line: &str) -> Option<Self> {
        match line.split_once(' ') {
            None => (line == "started").then_some(Self::Started),
            Some(("failed", error)) => error.parse().ok().map(Self::Failed),
            Some(("ended", status)) => status.parse().ok().map(Self::Ended),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SupervisorMessage;

    #[test]
    fn given_what_a_supervisor_tells_then_it_is_read_as_that() {
        for told in [
            SupervisorMessage::Started,
            SupervisorMessage::Failed(2),
            SupervisorMessage::Ended(0),
            SupervisorMessage::Ended(9),
            SupervisorMessage::Ended(256),
        ] {
            assert_eq!(SupervisorMessage::read(told.to_line().trim_end()), Some(told));
        }
        for line in ["", "started ", "ended", "ended x", "gone 1"] {
            assert_eq!(SupervisorMessage::read(line), None, "{line}");
        }
    }
}
